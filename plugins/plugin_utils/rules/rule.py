# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rules as written in their files."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ...module_utils.errors import InvalidInput
from ...module_utils.local.safe_files import Folder
from ...module_utils.model.field import shorten
from ..desired.nodes import Node
from ..desired.positions import Finding, Place
from ..desired.sources.yaml_source import read_yaml
from .schemas import ERROR, Clause, Refused, mistakes_in

#: The ``when`` of a rule without one.
EVERY_RECORD = Node(True, "", 0)
#: Maximum size of a rules file in bytes.
MOST_BYTES = 4 << 20


@dataclass(frozen=True)
class Rule:
    """One rule.

    :ivar subject: the section of its records, or :data:`.schemas.CHANGES`.
    :ivar when: the schema that selects the records.
    :ivar require: the schema that the selected records must satisfy.
    :ivar because: the reason, in the words of its author.
    :ivar place: where it is written.
    """

    id: str
    subject: str
    when: Clause
    require: Clause
    level: str
    because: str
    place: Place

    def says(self, words: str) -> str:
        """Return a message of this rule."""
        because = self.because.rstrip()
        return f"rule {self.id}: {words}" + (f". {because}" if because else "")

    def idle(self) -> Finding:
        """Return the warning about a rule that judges nothing."""
        message = self.says("no record matches when, so the rule checks nothing")
        return Finding(self.place, message, message, rule=self.id)


@dataclass
class RuleSet:
    """All rules of a task, and what is wrong with their files."""

    rules: list[Rule] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    def by_message(self, findings: Iterable[Finding], warnings: Mapping[str, tuple[Place, str]]) -> dict[str, Rule]:
        """Return the rules of messages and lines.

        :param findings: findings about rules count, by their messages.
        :param warnings: lines with the ids of rules.
        """
        rules = {rule.id: rule for rule in self.rules}
        found = {finding.message: rules[finding.rule] for finding in findings if finding.rule}
        return found | {line: rules[name] for line, (_place, name) in warnings.items()}

    def about(self, subject: str) -> list[Rule]:
        """Return the rules for a section, or those for changes."""
        return [rule for rule in self.rules if rule.subject == subject]


def read_rules(paths: Sequence[Path], digests: Sequence[str] | None = None, outside: Sequence[Path] = ()) -> RuleSet:
    """Read the rules files of a task.

    :param digests: SHA-256 of each file, in the same order; None: any content.
    :param outside: directories and files that rules must not be in, because strangers may change them.
    :raises InvalidInput: if a file can't be read, is in one of ``outside``, or has another digest.
    """
    if digests is not None and len(digests) != len(paths):
        raise InvalidInput(
            f"rules_digest: expected one SHA-256 for each file in rules ({len(paths)}), in the same order; found "
            f"{len(digests)}"
        )
    found = RuleSet()
    for number, path in enumerate(paths):
        _require_outside(path, outside)
        content = Folder.read_named("rules", path, MOST_BYTES)
        if digests is not None:
            _require_digest(path, content, digests[number])
        _read_file(str(path), content, found)
    return found


def _require_outside(path: Path, outside: Iterable[Path]) -> None:
    """Refuse a rules file that is inside one of the directories, as written or with all links resolved.

    :raises InvalidInput: if the rules file is inside one of them.
    """
    for src in outside:
        for inner, outer in ((path.resolve(), src.resolve()), (_absolute(path), _absolute(src))):
            if inner.is_relative_to(outer):
                raise InvalidInput(
                    f"rules: {path} is inside of {src}, and protected is set: whoever changes the files could change "
                    f"the rules; expected a file outside, such as in a checkout of the base branch"
                )


def _absolute(path: Path) -> Path:
    return Path(os.path.normpath(path.absolute()))


def _require_digest(path: Path, content: bytes, expected: str) -> None:
    """Check the digest of a file.

    :raises InvalidInput: if the content has another digest.
    """
    digest = hashlib.sha256(content).hexdigest()
    if expected.strip().lower().removeprefix("sha256:") != digest:
        raise InvalidInput(
            f"rules_digest: {path} has the digest sha256:{digest}, and the task expects {shorten(expected)}"
        )


def _read_file(name: str, content: bytes, into: RuleSet) -> None:
    """Read the rules of a file.

    :param name: of the file, as places name it.
    """
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        into.findings.append(Finding.plain(Place(name), f"this is not UTF-8 (at byte {error.start})"))
        return
    found: list[Finding] = []
    document = read_yaml(text, name, found)
    if document is None:
        into.findings += found or [Finding.plain(Place(name), "expected rules; found nothing")]
        return
    found += mistakes_in(document)
    definitions = document.member("$defs").members if not found and "$defs" in document.value else {}
    for node in [] if found else document.member("rules").items():
        try:
            into.rules.append(_rule(node, definitions, into.rules))
        except Refused as refused:
            found.append(Finding.plain(refused.place, refused.words))
    into.findings += found


def _rule(node: Node, definitions: Mapping[str, Node], others: Iterable[Rule]) -> Rule:
    """Return a rule whose members fit.

    :raises Refused: if it has the id of another rule, or refers to nothing.
    """
    written = node.value
    if any(rule.id == written["id"] for rule in others):
        raise Refused(
            node.member("id").place, f"id: {written['id']} is the id of another rule; expected one of its own"
        )
    when = Clause(node.member("when") if "when" in written else EVERY_RECORD, definitions)
    require = Clause(node.member("require"), definitions)
    when.check()
    require.check()
    level, because = written.get("level", ERROR), written.get("because", "")
    return Rule(written["id"], written["for"], when, require, level, because, node.place)
