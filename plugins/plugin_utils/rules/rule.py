# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rules as written in their files."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...module_utils.errors import InvalidInput
from ...module_utils.local.safe_files import Folder
from ...module_utils.model.field import shorten
from ...module_utils.model.suggestions import closest_names
from ..desired.desired import SECTIONS
from ..desired.nodes import Node
from ..desired.positions import Finding, Place
from ..desired.sources.yaml_source import read_yaml
from .schemas import FileSchemas, Schema

CHANGES = "changes"
"""The word that replaces a section in rules about changes."""
ERROR, WARNING = "error", "warning"
LEVELS = (ERROR, WARNING)
MOST_BYTES = 4 << 20
"""Maximum size of a rules file in bytes."""
_MEMBERS = ("id", "for", "when", "require", "level", "because")
_DIGEST = re.compile(r"(?:sha256:)?([0-9a-fA-F]{64})")
_LONGEST_ID = 100


@dataclass(frozen=True)
class Rule:
    """One rule.

    :ivar subject: the section of its records, or :data:`CHANGES`.
    :ivar when: the schema that selects the records.
    :ivar require: the schema that the selected records must satisfy.
    :ivar because: the reason, in the words of its author.
    :ivar place: where it is written.
    :ivar places: its members and names of fields to their places.
    """

    id: str
    subject: str
    when: Schema
    require: Schema
    level: str
    because: str
    place: Place
    places: Mapping[str, Place] = field(default_factory=dict, compare=False)

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
        try:
            content = Folder.read_named(path, MOST_BYTES)
        except FileNotFoundError as missing:
            raise InvalidInput(f"rules: there is no file {path}") from missing
        except InvalidInput as refused:
            raise InvalidInput(f"rules: {refused.message}") from refused
        except OSError as error:
            raise InvalidInput(f"rules: {path} can't be read ({error.strerror or error})") from error
        if digests is not None:
            _require_digest(path, content, digests[number])
        _RulesFile(str(path), found).read(content)
    return found


def _require_outside(path: Path, outside: Iterable[Path]) -> None:
    """Refuse a rules file that is inside one of some directories, as written or with all links resolved.

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
    wanted = _DIGEST.fullmatch(expected.strip())
    if wanted is None:
        raise InvalidInput(f"rules_digest: {shorten(expected)} does not fit; expected a SHA-256, 64 hexadecimal digits")
    digest, approved = hashlib.sha256(content).hexdigest(), wanted.group(1).lower()
    if approved != digest:
        raise InvalidInput(
            f"rules_digest: {path} has the digest sha256:{digest}, and the task expects sha256:{approved}"
        )


class _RulesFile:
    """Read one file.

    :param name: of the file, as places name it.
    :param into: collects its rules and findings.
    """

    def __init__(self, name: str, into: RuleSet) -> None:
        self._name = name
        self._into = into

    def _find(self, place: Place, words: str) -> None:
        self._into.findings.append(Finding.plain(place, words))

    def read(self, content: bytes) -> None:
        """Read its rules."""
        try:
            text = content.decode("utf-8")
        except UnicodeDecodeError as error:
            self._find(Place(self._name), f"this is not UTF-8 (at byte {error.start})")
            return
        before = len(self._into.findings)
        document = read_yaml(text, self._name, self._into.findings)
        if document is None:
            if len(self._into.findings) == before:
                self._find(Place(self._name), "expected rules; found nothing")
            return
        value = document.value
        if not isinstance(value, dict) or not isinstance(value.get("rules"), list):
            self._find(document.place, "expected a map with rules, which is a list")
            return
        for name in value:
            if name not in ("rules", "$defs"):
                self._find(document.member(name).place, f"{name}: expected rules and $defs, and nothing else")
        schemas = FileSchemas(document, self._find)
        for node in document.member("rules").items():
            self._read_rule(node, schemas)

    def _read_rule(self, node: Node, schemas: FileSchemas) -> None:
        if not isinstance(node.value, dict):
            self._find(node.place, f"expected a rule, which is a map of {', '.join(_MEMBERS)}")
            return
        before = len(self._into.findings)
        for name in node.value:
            if name not in _MEMBERS:
                suggestions = closest_names(str(name), list(_MEMBERS), 1, 0.65)
                hint = f"did you mean {suggestions[0]}?" if suggestions else f"expected {', '.join(_MEMBERS)}"
                self._find(node.member(name).place, f"{name}: no member of a rule; {hint}")
        texts = {name: self._text(node, name) for name in ("id", "for", "level", "because")}
        self._check(node, texts)
        when = schemas.read(node.member("when")) if "when" in node.value else True
        if "require" not in node.value:
            self._find(node.place, "require is missing; expected the JSON Schema that the rule demands")
        require = schemas.read(node.member("require")) if "require" in node.value else None
        if len(self._into.findings) == before and when is not None and require is not None:
            level = texts["level"] or ERROR
            rule = Rule(texts["id"], texts["for"], when, require, level, texts["because"], node.place, _places(node))
            self._into.rules.append(rule)

    def _text(self, node: Node, name: str) -> str:
        value = node.value.get(name, "")
        if not isinstance(value, str):
            self._find(node.member(name).place, f"{name}: {shorten(value)} does not fit; expected a text")
            return ""
        return str(value)

    def _check(self, node: Node, texts: Mapping[str, str]) -> None:
        def place(name: str) -> Place:
            return node.member(name).place if name in node.value else node.place

        name = texts["id"]
        if not name.strip() or name != " ".join(name.split()) or len(name) > _LONGEST_ID:
            self._find(place("id"), f"id: expected a name on one line, of at most {_LONGEST_ID} characters")
        if any(rule.id == texts["id"] for rule in self._into.rules):
            self._find(place("id"), f"id: {texts['id']} is the id of another rule; expected one of its own")
        if texts["for"] not in (*SECTIONS, CHANGES):
            expected = ", ".join((*SECTIONS, CHANGES))
            self._find(place("for"), f"for: {shorten(texts['for'])} does not fit; expected one of {expected}")
        if texts["level"] not in ("", *LEVELS):
            self._find(place("level"), f"level: {shorten(texts['level'])} does not fit; expected {' or '.join(LEVELS)}")


def _places(node: Node) -> dict[str, Place]:
    """Return the places of the names in a rule. A name that is written twice has the place of the first."""
    found: dict[str, Place] = {}
    pending: list[Node] = [node]
    while pending:
        part = pending.pop(0)
        members: Iterable[Any] = part.value if isinstance(part.value, dict) else range(len(part.value))
        for key in members:
            member = part.member(key)
            found.setdefault(str(key), member.place)
            if isinstance(member.value, str):
                found.setdefault(str(member.value), member.place)
            elif isinstance(member.value, (dict, list)):
                pending.append(member)
    return found
