# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A desired state from a directory, a file, or inline: all findings at once, each with its place; nothing is sent."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from ansible_collections.community.seventhings.plugins.module_utils.desired import (
    SECTIONS,
    DesiredInstance,
    Entry,
    Finding,
    Place,
)
from ansible_collections.community.seventhings.plugins.module_utils.fields import shorten
from ansible_collections.community.seventhings.plugins.module_utils.hiding import EVERYTHING, Hiding
from ansible_collections.community.seventhings.plugins.module_utils.kinds import KINDS, TEMPLATES

from .csv_source import read_csv
from .json_source import read_json_lines
from .nodes import Node, Places, plain_node, was_vaulted
from .settings import API, Settings
from .yaml_source import read_yaml

ENDINGS = (".yml", ".yaml", ".csv", ".jsonl")
_ALIKE = (*ENDINGS, ".json", ".ndjson", ".tsv", ".toml", ".xls", ".xlsx", ".ods")
"""Endings of what somebody may have meant as data; a file that is silently not read would look like records gone."""

_INLINE = "desired"
_NEVER_VAULTED = (
    "settings and field definitions can't be vaulted: they stand in plans, messages and journals; write them in plain"
)

_STATES = ("present", "absent", "archived")


def load(
    src: Path | None,
    inline: Mapping[str, Any] | None = None,
    read_text: Callable[[Path], str] = lambda path: path.read_text("utf-8"),
    hiding: Hiding | None = None,
    is_vaulted: Callable[[Any], bool] = was_vaulted,
) -> DesiredInstance:
    """Reads what was written in files, inline, or both.

    :param src: a directory as the guide shows it, or one file with the sections as keys.
    :param inline: sections as keys, as in one file.
    :param read_text: the text of a file; decrypts one that is vaulted as a whole, and returns :class:`VaultedText`.
    :param hiding: what the task hides, or shows; what is vaulted is added to it.
    :param is_vaulted: whether an inline value is vaulted.
    """
    loading = _Loading(read_text, hiding or Hiding())
    if src is not None and src.is_dir():
        loading.directory(src)
    elif src is not None:
        loading.single(src)
    if inline is not None:
        loading.document(plain_node(inline, _INLINE, loading.desired.hiding.paths, is_vaulted))
    return loading.desired


class VaultedText(str):
    """The text of a file that is vaulted as a whole."""

    __slots__ = ()


class _Loading:
    def __init__(self, read_text: Callable[[Path], str], hiding: Hiding) -> None:
        self._read_text = read_text
        self.desired = DesiredInstance(hiding=hiding)
        self._read_settings = Settings(self.desired)

    def _find(self, place: Place, message: str) -> None:
        self.desired.findings.append(Finding(place, message))

    def _find_plainly(self, place: Place, message: str) -> None:
        """Notes what is wrong in words that quote nothing of what was written."""
        self.desired.findings.append(Finding.plain(place, message))

    # ---- where things are

    def directory(self, root: Path) -> None:
        """A directory: instance.yml, a file or directory for each section, fields/TEMPLATE.yml, moved.yml."""
        self.desired.root = str(root)
        settings = [
            root / f"instance{ending}" for ending in (".yml", ".yaml") if (root / f"instance{ending}").is_file()
        ]
        if len(settings) != 1:
            self._find(Place("instance.yml"), f"expected exactly one instance.yml in {root}")
        for path in sorted(root.iterdir()):
            if path.name.partition(".")[0] in (*SECTIONS, "instance", "moved") and not self._is_within(path, root):
                continue
            name = path.name.removesuffix(path.suffix) if path.is_file() else path.name
            if path in settings:
                self._settings(self._yaml(path, root, False), path, root)
            elif name == "moved" and path.suffix in (".yml", ".yaml"):
                node = self._yaml(path, root)
                if node is not None:
                    self._read_settings.moved(node)
            elif name in SECTIONS and (path.is_dir() or path.suffix.lower() in _ALIKE):
                self._section_files(name, path, root)
            elif path.is_dir() or path.suffix in ENDINGS:
                near = get_close_matches(name, [*SECTIONS, "instance", "moved"], n=1, cutoff=0.75)
                if near and not path.name.startswith("."):
                    self._find(Place(str(path.relative_to(root))), f"no such section; did you mean {near[0]}?")

    def _section_files(self, section: str, path: Path, root: Path) -> None:
        self.desired.sections.add(section)
        for one in self._below(path, root, (path.resolve(),)) if path.is_dir() else [path]:
            at = Place(str(one.relative_to(root)))
            template = one.stem if section == "fields" else ""
            if not one.is_file() or one.suffix.lower() not in _ALIKE:
                continue
            if one.suffix not in ENDINGS:
                self._find(at, f"files end in {', '.join(ENDINGS)}; this one would not be read")
            elif section == "fields" and template not in TEMPLATES:
                self._find(at, f"expected one of {', '.join(f'{name}.yml' for name in TEMPLATES)}")
            else:
                self._records(section, self._nodes(one, root, section != "fields"), template)

    def _below(self, directory: Path, root: Path, above: Sequence[Path]) -> Iterator[Path]:
        """What stands in a directory and below it, hidden names left out.

        :param above: the directories on the way to it, this one included; a link back to one of them has no end.
        """
        for path in sorted(directory.iterdir()):
            if path.name.startswith(".") or not self._is_within(path, root):
                continue
            if not path.is_dir():
                yield path
            elif path.resolve() in above:
                self._find(Place(str(path.relative_to(root))), "this link leads back to a directory that it stands in")
            else:
                yield from self._below(path, root, (*above, path.resolve()))

    def _is_within(self, path: Path, root: Path) -> bool:
        """Whether something stands in the directory that was named; a finding where a link leads to elsewhere."""
        is_no_data = path.is_file() and path.suffix.lower() not in _ALIKE
        if not path.is_symlink() or is_no_data:
            return True
        at = Place(str(path.relative_to(root)))
        if not path.resolve().is_relative_to(root.resolve()):
            self._find(at, f"leads outside of {root}")
        elif not path.exists():
            self._find(at, "this link leads to nothing")
        else:
            return True
        return False

    def _settings(self, node: Node | None, path: Path, root: Path) -> None:
        if node is not None:
            self._read_settings.read(node)
        elif not self.desired.findings:
            self._find(Place(str(path.relative_to(root)), 1, 1), f"this file is empty; expected at least api: {API}")

    def single(self, path: Path) -> None:
        """One file with the sections as keys."""
        self.desired.root = str(path.parent)
        if not path.is_file():
            self._find(Place(str(path)), "no such file or directory")
            return
        node = self._yaml(path, path.parent)
        if node is not None:
            self.document(node)

    def document(self, node: Node) -> None:
        """A map of sections; ``instance`` holds what instance.yml holds."""
        if not isinstance(node.value, dict):
            self._find(node.place, f"expected a map of sections: instance, {', '.join(SECTIONS)}, moved")
            return
        for name, member in node.members.items():
            if name in ("instance", "fields") and self.desired.hiding.is_vaulted(member.source):
                self._find_plainly(member.place, _NEVER_VAULTED)
            elif name == "instance":
                self._read_settings.read(member)
            elif name == "moved":
                self._read_settings.moved(member)
            elif name == "fields":
                self.desired.sections.add(name)
                self._templates(member)
            elif name in SECTIONS:
                self.desired.sections.add(name)
                self._records(name, self._list(member))
            else:
                known = [*SECTIONS, "instance", "moved"]
                near = get_close_matches(str(name), known, n=1)
                hint = f"did you mean {near[0]}?" if near else f"expected one of {', '.join(known)}"
                self._find(member.place, f"{name}: no such section; {hint}")

    def _templates(self, node: Node) -> None:
        if not isinstance(node.value, dict):
            self._find(node.place, f"expected a map with the templates {', '.join(TEMPLATES)}")
            return
        for template, member in node.members.items():
            if template in TEMPLATES:
                self._records("fields", self._list(member), template)
            else:
                self._find(member.place, f"fields.{template}: expected one of {', '.join(TEMPLATES)}")

    # ---- files

    def _text(self, path: Path, root: Path, may_be_vaulted: bool) -> str | None:
        at = Place(str(path.relative_to(root)))
        try:
            text = self._read_text(path)
            if not isinstance(text, VaultedText):
                return text
            if may_be_vaulted:
                self.desired.hiding.files.add(at.source)
                return str(text)
            self._find_plainly(at, _NEVER_VAULTED)
        except UnicodeDecodeError as error:
            start: int = error.start
            before = bytes(error.object)[:start].decode("utf-8", "replace").removeprefix("\ufeff")
            place = Place(at.source, before.count("\n") + 1, len(before) - before.rfind("\n"))
            self._find(place, f"expected UTF-8: {error.reason} at byte {error.start}")
        except OSError as error:
            self._find(at, f"can't be read: {error.strerror or error}")
        return None

    def _yaml(self, path: Path, root: Path, may_be_vaulted: bool = True) -> Node | None:
        text = self._text(path, root, may_be_vaulted)
        return None if text is None else read_yaml(text, str(path.relative_to(root)), self.desired.findings)

    def _nodes(self, path: Path, root: Path, may_be_vaulted: bool) -> Iterable[Node]:
        source = str(path.relative_to(root))
        if path.suffix in (".yml", ".yaml"):
            node = self._yaml(path, root, may_be_vaulted)
            return [] if node is None else self._list(node)
        text = self._text(path, root, may_be_vaulted)
        if text is None:
            return []
        return (read_csv if path.suffix == ".csv" else read_json_lines)(text, source, self.desired.findings)

    def _list(self, node: Node) -> list[Node]:
        if node.value is None:
            return []
        if not isinstance(node.value, list):
            self._find_plainly(node.place, "expected a list of records")
            return []
        return node.items()

    # ---- records

    def _records(self, section: str, nodes: Iterable[Node], template: str = "") -> None:
        for node in nodes:
            entry = self._entry(section, node, template)
            if entry is not None:
                self.desired.entries.append(entry)

    def _entry(self, section: str, node: Node, template: str) -> Entry | None:
        kind = KINDS[SECTIONS[section]]
        if section == "users" and isinstance(node.value, str):
            vaulted = EVERYTHING if self.desired.hiding.is_vaulted(node.source) else ()
            return Entry(kind, {"email": node.value}, node.place, vaulted=vaulted)
        if not isinstance(node.value, dict):
            self._find(node.place, f"{shorten(node.value)} does not fit; expected {kind.one} as a map of its fields")
            return None
        state = node.value.get("_state", "present")
        allowed = [
            one for one in _STATES if one in (("present",) if section in ("fields", "users") else (*kind.states,))
        ]
        if state not in allowed:
            place = node.member("_state").place
            self._find(place, f"_state: {shorten(state)} does not fit; expected {' or '.join(allowed)}")
        fields = node.value
        if "_state" in fields:
            fields = {name: value for name, value in fields.items() if name != "_state"}
        vaulted = self.desired.hiding.of_record(node.source, fields)
        if state not in allowed:
            return Entry(kind, fields, node.place, Places(node), template=template, misread=True, vaulted=vaulted)
        return Entry(kind, fields, node.place, Places(node), state, template, vaulted=vaulted)
