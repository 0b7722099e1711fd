# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read a desired state from a directory, a file, or inline values: all findings at once, each with its place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

from ...module_utils.errors import InvalidInput
from ...module_utils.local.safe_files import FileType, Folder, ListResult, NotOpened
from ...module_utils.model.field import shorten
from ...module_utils.model.kinds import KINDS, TEMPLATES, Kind
from ...module_utils.model.names import normal_name
from ...module_utils.model.suggestions import closest_names
from ..ansible_compat import was_vaulted
from .desired import BY_TEMPLATE, INLINE, SECTIONS, DesiredInstance, SourceCount
from .dialect import Dialect
from .encodings import WrongEncoding, decoded
from .entry import Entry
from .hiding import Hiding
from .lifecycle import NOTHING, of_record
from .nodes import EVERYTHING, Node, plain_node
from .positions import Finding, Place, VaultedSource
from .row_rules import NO_RULES, RowRules, match_of
from .settings import API, VARIABLES, read_renames, read_settings
from .shapes import Find, map_of, one_that, value_of
from .sources.broken_files import conflict_in, without_totals
from .sources.csv_source import read_csv
from .sources.json_source import read_json_lines
from .sources.xlsx_source import Sheets, Workbook
from .sources.yaml_source import read_yaml
from .table_reader import TableReader
from .tables import Table, Tables
from .words import MANAGED, OF_RECORDS, OWN_LIFECYCLE, OWN_MATCH, STATE

WORKBOOK = ".xlsx"
ENDINGS = (".yml", ".yaml", ".csv", ".jsonl", WORKBOOK)
#: Suffixes of workbooks that are not read.
_WORKBOOKS = (".xls", ".xlsm", ".xlsb", ".ods", ".fods", ".numbers")
#: Suffixes of files that may be meant as data. If such a file were silently ignored, its records would look deleted.
_ALIKE = (*ENDINGS, ".json", ".ndjson", ".tsv", ".toml", *_WORKBOOKS)

#: Suffixes of files that people put aside, and of tables in other formats.
_ASIDE = (".bak", ".htm", ".html", ".old", ".orig", ".tmp", ".txt")

_TABLES = (".csv", ".jsonl")
_ELSEWHERE = "a table is read in the directory of its section, such as objects/"
_OTHERWISE = f"files end in {', '.join(ENDINGS)}"

#: Maximum bytes of a file. A million records are smaller.
MAX_SOURCE = 256 << 20

#: Maximum records of one desired state. Split a larger state into two sets.
MOST_RECORDS = 1_000_000

_NEVER_VAULTED = (
    "settings and field definitions can't be vaulted: they appear in plans, messages and journals; write them in "
    "plain text"
)
SETTINGS = ("instance.yml", "instance.yaml")
#: The names of files that are not sections, and what such a file has.
_FILES_OF_A_SET = {"instance": "settings are in the file instance.yml", "moved": "renames are in the file moved.yml"}

#: Returns the text of a file, and the codec that writes the same bytes.
Decode = Callable[[bytes], tuple[str, str]]

_BY_TEMPLATE = f"a map with the templates {', '.join(TEMPLATES)}"
_NO_LINKS = "is a link; expected a regular file or directory, because no link below src is followed"


def content_of(folder: Folder, name: str) -> bytes:
    """Return the bytes of a file.

    :raises NotOpened: if it is a link, a device or the like, or too long.
    :raises OSError: if it cannot be read.
    """
    return folder.read(name, MAX_SOURCE)


@dataclass(frozen=True)
class Reading:
    """How one layer is read.

    :ivar label: prefix of the places in its files; empty for none.
    :ivar is_later: True if another layer precedes it: then it needs no instance.yml.
    :ivar tables: the settings of its tables if its instance.yml does not say.
    :ivar fill: replaces variables in files, except in some members.
    :ivar only_settings: True to read no records, so that the settings need not fit them.
    """

    label: str = ""
    is_later: bool = False
    tables: Tables = field(default_factory=Tables)
    fill: Callable[[Node, Sequence[str]], Node] = lambda node, _leave: node
    only_settings: bool = False


def load(
    src: Path | None,
    inline: Mapping[str, Any] | None = None,
    read: Callable[[Folder, str], bytes] = content_of,
    files_root: Path | None = None,
    hiding: Hiding | None = None,
    is_vaulted: Callable[[Any], bool] = was_vaulted,
    reading: Reading | None = None,
) -> DesiredInstance:
    """Read the desired state from files, inline values, or both.

    :param src: a directory as the guide shows it, or one file with the sections as keys. Links may lead to the
        directory; no link in it is followed.
    :param inline: sections as keys, as in one file.
    :param read: returns the bytes of a file below a folder; decrypts a file that is vaulted as a whole, and returns
        :class:`VaultedContent`. Raises as :func:`content_of`.
    :param files_root: the directory of local files, in place of that of ``src``.
    :param hiding: what the task hides, or shows; vaulted values are added.
    :param is_vaulted: returns True if an inline value is vaulted.
    :param reading: how ``src`` is read if it is one of several layers.
    """
    loading = _Loading(read, hiding or Hiding(), reading or Reading())
    loading.desired.root = local_files(src, files_root)
    if src is not None and src.is_dir():
        loading.directory(src)
    elif src is not None:
        loading.single(src)
    if inline is not None:
        loading.inline(inline, is_vaulted, accepts_files=files_root is not None)
    loading.warn()
    return loading.desired


def load_table(path: Path, content: bytes, section: str, table: Table) -> DesiredInstance:
    """Read one table that is in no directory of a desired state.

    :param section: of its records. :param table: its settings.
    """
    loading = _Loading(lambda _folder, _name: content, Hiding(), Reading(tables=Tables(entries=[table])))
    loading.table(Folder(path.parent), path.name, section)
    return loading.desired


def local_files(src: Path | None, files_root: Path | None) -> str:
    """Return the directory of local files: that of ``src`` by default; empty without either.

    :raises InvalidInput: if ``files_root`` is not a directory.
    """
    if files_root is not None and not files_root.is_dir():
        raise InvalidInput(f"files_root: {files_root} is not a directory")
    root = files_root or src
    return "" if root is None else str(root.parent if root.is_file() else root)


class VaultedContent(bytes):
    """The content of a file that is vaulted as a whole."""

    __slots__ = ()


class _Loading:
    def __init__(self, read: Callable[[Folder, str], bytes], hiding: Hiding, reading: Reading) -> None:
        self._read = read
        self._reading = reading
        self._fill = reading.fill
        self._suspicious: list[str] = []
        self._mapped: set[str] = set()
        self._on_line: Counter[Place] = Counter()
        self.desired = DesiredInstance(hiding=hiding, tables=reading.tables)

    def _find(self, place: Place, message: str) -> None:
        self.desired.findings.append(Finding(place, message))

    def _find_node(self, node: Node, message: str) -> None:
        self._find(node.place, message)

    def _find_plainly(self, place: Place, message: str) -> None:
        """Note a finding in words that quote nothing from the files."""
        self.desired.findings.append(Finding.plain(place, message))

    def _called(self, name: str) -> str:
        """Return the name of a file as places have it: with that of its layer."""
        return called(self._reading.label, name)

    def _source(self, name: str) -> str:
        """Return the name of a file for the places of what is read from it."""
        source = self._called(name)
        return VaultedSource(source) if source in self.desired.hiding.files else source

    def _at(self, name: str, line: int = 0, column: int = 0) -> Place:
        return Place(self._called(name), line, column)

    # ---- where things are

    def directory(self, src: Path) -> None:
        """Read a directory: instance.yml, a file or directory for each section, fields/TEMPLATE.yml, moved.yml."""
        self.desired.src = self.desired.origin = str(src)
        root = Folder(src)
        try:
            members = root.listed()
        except OSError as error:
            self._find(Place(str(src)), f"can't be read: {error.strerror or error}")
            return
        settings = [member for member in members if member.name in SETTINGS and member.type is not FileType.FOLDER]
        if len(settings) > 1 or (not settings and not self._reading.is_later):
            words = f"expected exactly one instance.yml in {src}"
            if elsewhere := [] if settings else _settings_below(root, members):
                words = f"no instance.yml here; one was found in {', '.join(elsewhere)}; write that directory as src"
                members = []
            self._find(self._at("instance.yml"), words)
        # Read the settings first, because they say how to read the other files.
        others = [] if self._reading.only_settings else [member for member in members if member not in settings]
        for member in (*settings, *others):
            self._member(root, member)

    def _member(self, root: Folder, member: ListResult) -> None:
        """Read a member of the directory."""
        is_folder = member.type is FileType.FOLDER
        name, ending = (member.name, "") if is_folder else _parts(member.name)
        at, first = self._at(member.name), member.name.partition(".")[0].rstrip("~")
        is_workbook = ending == WORKBOOK and not _is_hidden(member.name)
        if member.type is FileType.LINK and (is_workbook or first in (*SECTIONS, *_FILES_OF_A_SET)):
            self._find(at, _NO_LINKS)
        elif ending in (".yml", ".yaml") and (member.name in SETTINGS or name == "moved"):
            node = self._yaml(root, member.name, may_be_vaulted=name == "moved")
            if node is not None:
                self._part(member.name, node, name, self._find_node)
            elif name != "moved" and not self.desired.findings:
                self._find(self._at(member.name, 1, 1), f"this file is empty; expected at least api: {API}")
        elif is_workbook:
            self._workbook(root, member.name, name if name in SECTIONS else "")
        elif name in SECTIONS and (is_folder or ending in _ALIKE):
            self._section_files(name, member, root)
        elif first in SECTIONS:
            self.desired.unread.append(self._called(member.name))
            self._suspicious.append(member.name)
        elif name in _FILES_OF_A_SET:
            words = f"is not read: {_FILES_OF_A_SET[name]}, and each section in a file or directory of its own name"
            self._find(at, words)
        elif (is_folder or ending in ENDINGS) and not _is_hidden(member.name):
            if suggestions := closest_names(name, [*SECTIONS, *_FILES_OF_A_SET], likeness=0.75):
                self._find(at, f"no such section; did you mean {suggestions[0]}?")
            elif ending in _TABLES:
                self._suspicious.append(member.name)
        elif ending in _WORKBOOKS and not _is_hidden(member.name):
            self.desired.warnings.append(f"{at}: is not read; save it as {WORKBOOK}")

    def _section_files(self, section: str, top: ListResult, root: Folder) -> None:
        self.desired.sections.add(section)
        for name in self._below(top, root):
            at = self._at(name)
            stem, ending = _parts(name.rpartition("/")[2])
            template = stem if section in BY_TEMPLATE else ""
            if ending not in _ALIKE:
                self.desired.unread.append(self._called(name))
                if _is_suspicious(name):
                    self._suspicious.append(name)
                continue
            if ending not in ENDINGS:
                self._find(at, f"files end in {', '.join(ENDINGS)}; this one would not be read")
            elif section in BY_TEMPLATE and (template not in TEMPLATES or ending == WORKBOOK):
                self._find(at, f"expected one of {', '.join(f'{name}.yml' for name in TEMPLATES)}")
            else:
                self.table(root, name, section, template)

    def table(self, root: Folder, name: str, section: str, template: str = "") -> None:
        """Read a file with records of one section."""
        if _parts(name)[1] == WORKBOOK:
            self._workbook(root, name, section)
        else:
            self._records(name, section, self._nodes(root, name, section), template, self._table_of(name, section))

    def _table_of(self, name: str, section: str) -> TableReader | None:
        """Return the mapping for a file of another system, or None if the settings do not name the file."""
        table, other = self.desired.tables.for_file(name), self.desired.tables.in_csv(name)
        if other is not None and _parts(name)[1] in (".csv", WORKBOOK):
            self._mapped.add(other.setting)
        if table is None or section in BY_TEMPLATE or _parts(name)[1] in (".yml", ".yaml"):
            return None
        self._mapped.add(table.setting)
        for setting in table.changes:
            if other is not None and setting in other.changes:
                words = f"{other.setting} sets {setting} for {self._called(name)}, too; delete it in one of both places"
                self._find_plainly(table.place, f"{table.setting}.{setting}: {words}")
        desired = self.desired
        return TableReader(table, section, self._dialect(name, section), desired.findings, desired.warnings)

    def _dialect(self, name: str, section: str) -> Dialect:
        return replace(self.desired.tables.format_of(name), keys=self._keys(name, section))

    def _keys(self, name: str, section: str) -> frozenset[str]:
        """Return the columns that identify the records of a file, unless the settings map others to these fields."""
        table = self.desired.tables.for_file(name)
        choices = self.desired.key_choices(KINDS[SECTIONS[section]], self.desired.rules_of(name))
        mapped = set() if table is None else {normal_name(field) for field in table.columns.values()}
        keys = [frozenset(map(normal_name, choice)) for choice in choices]
        return frozenset() if any(choice <= mapped for choice in keys) else frozenset().union(*keys) - mapped

    def _below(self, top: ListResult, root: Folder) -> Iterator[str]:
        """Yield the names of everything but directories, in a directory and below it. Hidden names are left out.

        :param top: the directory, or the one file.
        """
        is_folder = top.type is FileType.FOLDER
        for member in root.below(top.name, self._find_unreadable) if is_folder else [top]:
            if member.type is FileType.FOLDER or any(map(_is_hidden, PurePosixPath(member.name).parts)):
                continue
            if member.type is FileType.LINK:
                self._find(self._at(member.name), _NO_LINKS)
            else:
                yield member.name

    def _find_unreadable(self, name: str, error: NotOpened | OSError) -> None:
        if isinstance(error, NotOpened):
            self._find(self._at(error.at), error.why)
        else:
            self._find(self._at(name), f"can't be read: {error.strerror or error}")

    def single(self, path: Path) -> None:
        """Read one file with the sections as keys."""
        self.desired.src, self.desired.origin = str(path.parent), str(path)
        if not path.is_symlink() and not path.exists():
            self._find(Place(str(path)), "no such file or directory")
        elif _parts(path.name)[1] == WORKBOOK:
            self._workbook(Folder(path.parent), path.name)
        elif (node := self._yaml(Folder(path.parent), path.name)) is not None:
            self.document(path.name, node)

    def inline(self, sections: Mapping[str, Any], is_vaulted: Callable[[Any], bool], accepts_files: bool) -> None:
        """Read the inline sections of a playbook.

        :param is_vaulted: returns True if a value is vaulted.
        :param accepts_files: True if a directory for its local files was named.
        """
        from_files = len(self.desired.entries)
        # Ansible has already filled in the templates of inline records.
        self._fill = Reading.fill
        self.document(INLINE, plain_node(sections, INLINE, self.desired.hiding.paths, is_vaulted))
        for entry in self.desired.entries[from_files:]:
            entry.inline = not accepts_files

    def document(self, source: str, node: Node) -> None:
        """Read a map of sections. Its member ``instance`` has the content of instance.yml.

        :param source: the file, or :data:`INLINE`.
        """
        names = ("instance", *SECTIONS, "moved")
        read = map_of(
            dict.fromkeys(names, partial(self._part, source)), f"a map of sections: {', '.join(names)}", "section"
        )
        read(node, "", self._find_node)

    def _part(self, source: str, node: Node, name: str, find: Find) -> None:
        """Read a member of a map of sections."""
        if self._reading.only_settings and name != "instance":
            return
        if name in ("instance", *BY_TEMPLATE) and self.desired.hiding.is_vaulted(node.source):
            self._find_plainly(node.place, _NEVER_VAULTED)
        elif name == "instance":
            read_settings(self._fill(node, (VARIABLES,)), self.desired)
        elif name == "moved":
            read_renames(self._fill(node, ()), self.desired)
        else:
            self.desired.sections.add(name)
            if name in BY_TEMPLATE:
                parts = dict.fromkeys(TEMPLATES, partial(self._template, source))
                map_of(parts, _BY_TEMPLATE, "template")(node, name, find)
            else:
                self._records(source, name, self._list(node))

    def _template(self, source: str, node: Node, path: str, _find: Find) -> None:
        section, _point, template = path.partition(".")
        self._records(source, section, self._list(node), template)

    # ---- files

    def _content(self, root: Folder, name: str, may_be_vaulted: bool = True) -> bytes | None:
        try:
            content = self._read(root, name)
            if not isinstance(content, VaultedContent):
                return content
            if may_be_vaulted:
                self.desired.hiding.files.add(self._called(name))
                return content
            self._find_plainly(self._at(name), _NEVER_VAULTED)
        except (NotOpened, OSError) as error:
            self._find_unreadable(name, error)
        return None

    def _text(
        self, root: Folder, name: str, may_be_vaulted: bool = True, decode: Decode = decoded, where: str = ""
    ) -> str | None:
        """Return the text of a file with Python's line ends, or None after a finding.

        :param where: the place of the setting for its encoding; empty if it has none.
        """
        content = self._content(root, name, may_be_vaulted)
        if content is None:
            return None
        try:
            text, self.desired.codecs[self._called(name)] = decode(content)
        except WrongEncoding as wrong:
            place = self._at(name, wrong.line, wrong.column)
            self.desired.findings.append(Finding(place, wrong.words(where), str(wrong)))
            return None
        text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
        conflict = conflict_in(text, self._called(name))
        if conflict is not None:
            self.desired.findings.append(conflict)
        return text if conflict is None else None

    def _workbook(self, root: Folder, name: str, section: str = "") -> None:
        """Read the sheets of a workbook that are named as sections, or that a table of another system names.

        :param section: of the directory, or of the file, if it has one.
        """
        content = self._content(root, name)
        if content is None:
            return
        dialect = self.desired.tables.format_of(name)
        table = self.desired.tables.for_file(name)
        sheets = Sheets(table.sheets, section) if table is not None else Sheets()
        desired = self.desired
        keys = partial(self._keys, name)
        book = Workbook(self._called(name), content, dialect, desired.findings, sheets, desired.warnings, keys)
        for found, source, nodes in book.sections():
            self.desired.sections.add(found)
            if self._called(name) in self.desired.hiding.files:
                self.desired.hiding.files.add(source)
            self._records(name, found, nodes, table=self._table_of(name, found))
        if book.ignored:
            ignored = ", ".join(map(repr, book.ignored))
            self.desired.warnings.append(f"{self._called(name)}: sheets that are not sections are not read: {ignored}")

    def warn(self) -> None:
        """Add the warnings about the files, each once."""
        entries = self.desired.entries if self._suspicious else ()
        written = [str(value) for entry in entries for value in entry.fields.values()]
        self.desired.warnings += [
            f"{self._called(name)}: is not read; {_ELSEWHERE if _parts(name)[1] in _TABLES else _OTHERWISE}"
            for name in self._suspicious
            if not any(name in value for value in written)
        ]
        own, others = self.desired.tables, self._reading.tables
        of_csv = () if own.files is others.files else own.files
        of_tables = () if own.entries is others.entries else own.entries
        for table in () if self._reading.only_settings else (*of_tables, *of_csv):
            if table.patterns and table.setting not in self._mapped:
                is_of_csv = table in of_csv
                setting = "csv.files" if is_of_csv else f"{table.setting}.files"
                names = "CSV" if is_of_csv else "CSV, JSON Lines"
                self.desired.warnings.append(
                    f"{table.place}: {setting}: {', '.join(table.patterns)} matches no table that was read; tables are "
                    f"{names} and workbooks, in the directory of a section such as objects/"
                )

    def _yaml(self, root: Folder, name: str, may_be_vaulted: bool = True) -> Node | None:
        text = self._text(root, name, may_be_vaulted)
        return None if text is None else read_yaml(text, self._source(name), self.desired.findings)

    def _nodes(self, root: Folder, name: str, section: str) -> Iterable[Node]:
        desired = self.desired
        ending, may_be_vaulted = _parts(name)[1], section not in BY_TEMPLATE
        if ending in (".yml", ".yaml"):
            node = self._yaml(root, name, may_be_vaulted)
            return [] if node is None else self._list(node)
        if ending == ".csv":
            dialect = self._dialect(name, section)
            text = self._text(root, name, may_be_vaulted, dialect.decode, desired.where_to_set(name))
            more = (dialect, desired.delimiters)
            return [] if text is None else read_csv(text, self._source(name), desired.findings, *more)
        # JSON Lines have no header, so only an entry of tables has their encoding.
        table = desired.tables.for_file(name)
        is_set = table is not None and "encoding" in table.changes
        explicit = desired.tables.format_of(name).encoding if is_set else ""
        text = self._text(root, name, may_be_vaulted, partial(decoded, explicit=explicit))
        return [] if text is None else read_json_lines(text, self._source(name), desired.findings)

    def _list(self, node: Node) -> list[Node]:
        if node.value is None:
            return []
        if not isinstance(node.value, list):
            self._find_plainly(node.place, "expected a list of records")
            return []
        return node.items()

    # ---- records

    def _records(
        self, source: str, section: str, nodes: Iterable[Node], template: str = "", table: TableReader | None = None
    ) -> None:
        """Add the records of a section.

        :param source: their file. :param table: maps them if they are those of another system.
        """
        rows = records = 0
        rules = NO_RULES if table is None else table.table.rules
        whole = without_totals(nodes, self.desired.findings)
        for written in whole if table is None else table.nodes(whole):
            if table is None and written.is_row and not written.value:
                self.desired.nameless.setdefault((self._called(source), section), written.place)
                continue
            rows += 1
            node = self._fill(written, ())
            if len(self.desired.entries) >= MOST_RECORDS:
                self._find_plainly(node.place, f"expected at most {MOST_RECORDS} records in one desired state")
                return
            entry = self._entry(section, node, template, rules)
            if entry is not None:
                if isinstance(node.source, VaultedSource):
                    self._on_line[entry.place] += 1
                    entry.own_place = replace(entry.place, column=self._on_line[entry.place])
                managed = node.value.get(MANAGED) if isinstance(node.value, dict) else True
                entries = self.desired.unmanaged if managed is False or managed == "false" else self.desired.entries
                entries.append(entry)
                records += entry.state == "present" and entries is self.desired.entries
        # A template may have a file of its own or share one.
        if table is not None and table.read is not None:
            self.desired.tables_read.append(table.read)
        before = self.desired.sources.get((self._called(source), section), SourceCount())
        self.desired.sources[self._called(source), section] = SourceCount(before.rows + rows, before.records + records)

    def _entry(self, section: str, node: Node, template: str, rules: RowRules) -> Entry | None:
        kind = KINDS[SECTIONS[section]]
        if kind.short_key and isinstance(node.value, str):
            vaulted = EVERYTHING if self.desired.hiding.is_vaulted(node.source) else ()
            return Entry(kind, {kind.short_key: node.value}, node.place, vaulted=vaulted)
        if not isinstance(node.value, dict):
            self._find(
                node.place, f"{shorten(node.value)} does not fit; expected {kind.singular} as a map of its fields"
            )
            return None
        fields = node.value
        own: Mapping[str, Any] = {}
        if not OF_RECORDS.isdisjoint(fields):
            own = self._own_words(kind, node)
            fields = {name: value for name, value in fields.items() if name not in OF_RECORDS}
        return Entry(
            kind,
            fields,
            None,
            node,
            own.get(STATE) or "present",
            template,
            misread=node.is_misread or None in own.values(),
            vaulted=self.desired.hiding.of_record(node.source, fields),
            lifecycle=own.get(OWN_LIFECYCLE) or NOTHING,
            rules=replace(rules, match=own[OWN_MATCH]) if own.get(OWN_MATCH) else rules,
        )

    def _own_words(self, kind: Kind, node: Node) -> dict[str, Any]:
        """Return what a record says in words of the format. What does not fit is None, after a finding."""
        words = ("true", "false") if node.is_row else ()
        shapes = {
            STATE: one_that(lambda value: value in kind.states, " or ".join(kind.states)),
            MANAGED: one_that(lambda value: isinstance(value, bool) or value in words, "true or false"),
            OWN_LIFECYCLE: of_record,
            OWN_MATCH: value_of(match_of),
        }
        found = {name: node.member(name) for name in shapes if name in node.value}
        return {name: shapes[name](member, name, self._find_node) for name, member in found.items()}


def called(label: str, name: str) -> str:
    """Return the name of a file as places have it.

    :param label: of its layer; empty without one.
    """
    return str(PurePosixPath(label) / name) if label else name


def _parts(name: str) -> tuple[str, str]:
    """Return the name of a file without its suffix, and the suffix with its point."""
    path = PurePosixPath(name)
    return path.stem, path.suffix.lower()


def _is_suspicious(name: str) -> bool:
    """Return True if a file may have been read under another name before: it is a backup, or has another suffix."""
    suffixes = {suffix.lower().rstrip("~") for suffix in PurePosixPath(name).suffixes}
    return name.endswith("~") or not suffixes.isdisjoint((*ENDINGS, *_ASIDE))


def _settings_below(root: Folder, members: Iterable[ListResult]) -> list[str]:
    """Return the folders of a directory that have an instance.yml."""
    folders = [member.name for member in members if member.type is FileType.FOLDER and member.name not in SECTIONS]
    return [f"{name}/" for name in folders if any(root.type_of(f"{name}/{file}") is not None for file in SETTINGS)]


def _is_hidden(name: str) -> bool:
    # Excel marks an open workbook with a file named ~$....
    return name.rpartition("/")[2].startswith((".", "~$"))
