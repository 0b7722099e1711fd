# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Render a desired state as the files of one directory with the same plan.

Layers are merged, variables replaced, cells of tables read, and attachments copied.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from ...module_utils.client.client import Client
from ...module_utils.client.files import MAX_SIZE, name_inside
from ...module_utils.errors import InvalidInput
from ...module_utils.local.safe_files import FileType, Folder
from ...module_utils.model.field import BrokenCell, CellList, CellMap, Field, InvalidValue, Plain, is_uuid
from ...module_utils.model.kinds import Kind
from ...module_utils.model.schema import Schema, type_of
from ...module_utils.model.types_links import ATTACHMENTS, Attachment, attachments_in
from ..desired.desired import BY_TEMPLATE, SECTIONS, DesiredInstance
from ..desired.entry import Entry
from ..desired.loading import MAX_SOURCE
from ..desired.nodes import EVERYTHING
from ..desired.parsing import DesiredParser
from ..desired.positions import Finding, Place
from ..desired.settings import API, VARIABLES
from ..export.downloads import FOLDER, safe_name
from ..export.json_schema import MAIN, static_files
from ..export.layout import MANY, SCHEMAS, section_files, yaml_head
from ..export.manifest import digest
from ..export.portable import NotPortable, check_texts
from ..export.writing import yaml_map
from ..instance.caps import Caps
from ..instance.offline import known_fields
from ..instance.validation import KnownSchemas

SETTINGS = "instance.yml"
MOVED = "moved.yml"

_HIDDEN_FILE = (
    "this file is vaulted, and rendered files are in clear text; leave it out of src, or set show_vaulted: true"
)
_HIDDEN_FIELD = "is vaulted or hidden, and rendered files are in clear text; set show_vaulted: true to have it written"
_NEEDS_TYPES = (
    "only the instance knows the type of this field, which decides about its value, and there is no connection"
)
_OF_SOURCES = ("csv", VARIABLES)
"""Settings about how files are read. A rendered state has neither tables nor variables."""

_DIGITS = 16
"""Digits of the digest of an attachment in its path."""

Ask = Callable[[Kind, Place], Sequence[Field]]


@dataclass(frozen=True)
class LocalFile:
    """A file to copy.

    :ivar folder: its source directory. :ivar name: its path there. :ivar digest: its SHA-256.
    """

    folder: Folder
    name: str
    digest: str

    def read(self) -> bytes:
        """Return its content.

        :raises InvalidInput: if it changed.
        """
        content = self.folder.read(self.name, MAX_SIZE)
        if digest(content) != self.digest:
            raise InvalidInput(f"{self.folder.path / self.name} was changed meanwhile; render again")
        return content


@dataclass
class Rendered:
    """The files of a desired state.

    :ivar files: path to content. :ivar summary: section to the number of its records.
    """

    files: dict[str, bytes | LocalFile] = field(default_factory=dict)
    summary: dict[str, int] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)


class TargetInstance:
    """The instance whose field types are used. It is connected only if needed.

    :param connected: creates the connection.
    :param expected: roots that the task expects.
    """

    def __init__(self, connected: Callable[[], Client], desired: DesiredInstance, expected: Sequence[str]) -> None:
        self._connected = connected
        self._desired = desired
        self._caps = Caps.from_task({"expect_instance": expected})
        self._client: Client | None = None

    def fields(self, kind: Kind, place: Place) -> Sequence[Field]:
        """Return all fields of a kind. Send only GET requests.

        :param place: of the value that needs them, for the message if there is no connection.
        :raises InvalidInput: if there is no connection, or it is to another instance than expected.
        """
        if self._client is None:
            try:
                self._client = self._connected()
            except InvalidInput as missing:
                raise InvalidInput(f"{place}: {_NEEDS_TYPES}: {missing.message}") from missing
            wrong = self._caps.wrong_instance(self._client.transport.root, self._desired.instances)
            if wrong:
                raise InvalidInput(wrong)
        return list(self._client.schema(kind).fields.values())


def render(desired: DesiredInstance, ask: Ask) -> Rendered:
    """Return the files with the same plan as the sources.

    :param ask: returns the fields of a kind on the instance; called for the first place whose value depends on types.
    """
    return _Rendering(desired, ask).run()


class _Rendering:
    def __init__(self, desired: DesiredInstance, ask: Ask) -> None:
        self._desired = desired
        self._hiding = desired.hiding
        self._ask = ask
        self._result = Rendered()
        self._found: dict[Finding, None] = dict.fromkeys(desired.findings)
        self._known: dict[str, Sequence[Field]] = dict(known_fields(desired))
        self._schemas = KnownSchemas(desired.entries, self._known)
        self._parser = DesiredParser(desired, self._find)
        self._digests: dict[tuple[str, str], str] = {}

    def run(self) -> Rendered:
        files = self._result.files
        if not self._found:
            files[SETTINGS] = f"{yaml_head('instance')}{yaml_map(self._settings())}".encode()
            self._moved()
            for section, records in self._sections().items():
                files |= section_files(section, records, "yaml") or _empty_file(section)
            files |= {f"{SCHEMAS}/{name}": content for name, content in static_files().items()}
            files |= self._saved_schema()
        by_place = sorted(
            self._found, key=lambda finding: (finding.place.source, finding.place.line, finding.place.column)
        )
        self._result.findings = by_place
        return self._result

    def _find(self, place: Place, message: str) -> None:
        self._found[Finding.for_message(place, message)] = None

    def _hide(self, place: Place, message: str) -> None:
        self._found[Finding.plain(place, message)] = None

    # ---- settings

    def _settings(self) -> dict[str, Any]:
        """Return all settings, with those of the layers narrowed. Settings for other programs are as written."""
        desired = self._desired
        settings = {name: value for name, value in desired.settings.items() if name not in _OF_SOURCES}
        roots = list(desired.instances)
        merged = {
            "api": API,
            "instance": roots[0] if len(roots) == 1 else roots,
            "set": desired.set_name,
            "set_id": desired.set_id,
            "timezone": desired.timezone,
            "marker": desired.marker,
            "identity": desired.identity,
            "scope": desired.scope,
            "observed": desired.observed,
        }
        settings |= {name: value for name, value in merged.items() if value}
        policy = desired.policy
        written = {**settings.get("policy", {}), "prune": policy.prune, "limits": policy.limits}
        written |= {"create_users": policy.create_users, "notify": policy.notify or None}
        kept = {name: value for name, value in written.items() if value not in (None, {})}
        settings |= {"policy": kept} if kept else {}
        return {name: _as_plain(value) for name, value in settings.items()}

    def _moved(self) -> None:
        """Add the renames."""
        moved = {
            section: [{"from": _as_plain(old), "to": _as_plain(new)} for old, new in pairs]
            for section, pairs in self._desired.moved.items()
        }
        for place in self._desired.moved_places.values():
            if self._hiding.hides_place(place):
                self._hide(Place(place.source), _HIDDEN_FILE)
        if moved:
            self._result.files[MOVED] = f"{yaml_head('moved')}{yaml_map(moved)}".encode()

    def _saved_schema(self) -> dict[str, bytes]:
        """Return the schema that an export wrote beside the first layer. It defines types without a connection."""
        if not self._known or not self._desired.src:
            return {}
        name = f"{SCHEMAS}/{MAIN}"
        folder = Folder(Path(self._desired.src))
        return {name: folder.read(name, MAX_SOURCE)} if folder.type_of(name) is FileType.FILE else {}

    # ---- records

    def _sections(self) -> dict[str, list[Any]]:
        """Return the records of each section, in the order of the catalogue.

        ``fields`` has one part for each template.
        """
        found: dict[str, list[Any]] = {}
        by_kind: dict[str, list[tuple[Entry, bool]]] = {}
        for entries, is_managed in ((self._desired.entries, True), (self._desired.unmanaged, False)):
            for entry in entries:
                by_kind.setdefault(entry.kind.name, []).append((entry, is_managed))
        for section, kind in SECTIONS.items():
            records = by_kind.get(kind, [])
            if records or section in self._desired.sections:
                self._result.summary[section] = len(records)
            for entry, is_managed in records:
                name = f"{section}/{entry.template}" if section in BY_TEMPLATE else section
                found.setdefault(name, []).append(self._record(entry, is_managed))
            if not records and section in self._desired.sections:
                found[section] = []
        return found

    def _record(self, entry: Entry, is_managed: bool) -> Any:
        if entry.vaulted is EVERYTHING and not self._hiding.show:
            self._hide(Place(entry.place.source), _HIDDEN_FILE)
            return {}
        written = self._fields(entry)
        for name, value in written.items():
            try:
                check_texts([name, value])
            except NotPortable as wrong:
                self._find(entry.place_of(name), f"{name}: {wrong}")
        if is_managed and entry.state == "present" and list(written) == [entry.kind.short_key]:
            return written[entry.kind.short_key]
        if entry.state != "present":
            written["_state"] = entry.state
        return written if is_managed else {**written, "_managed": False}

    def _fields(self, entry: Entry) -> dict[str, Any]:
        hidden = [name for name in entry.fields if self._hiding.hides(entry, *self._names(entry, name))]
        for name in hidden:
            self._hide(entry.place_of(name), f"{name}: {_HIDDEN_FIELD}")
        if hidden:
            return {}
        schema = self._schema(entry)
        fields = entry.fields
        if entry.cells is not None:
            fields, wrong = entry.cells.read(schema, fields)
            for name, error in wrong.items():
                self._find(entry.place_of(name), error)
        return {name: self._value(schema, entry, name, value) for name, value in fields.items()}

    def _names(self, entry: Entry, name: str) -> set[str]:
        found = self._schemas.for_kind(entry.kind).find(name)
        return {name} if found is None else {name, found.key, found.label} - {""}

    def _schema(self, entry: Entry) -> Schema:
        """Return the fields of a record; those of the instance if their types decide about one of its values."""
        kind = entry.kind
        schema = self._schemas.for_kind(kind)
        if not kind.template or kind.name in self._known:
            return schema
        for name, value in entry.fields.items():
            if schema.find(name) is None and (_is_read_by_type(entry, name, value) or self._may_be_file(entry, name)):
                self._known[kind.name] = self._ask(kind, entry.place_of(name))
                self._schemas = KnownSchemas(self._desired.entries, self._known)
                return self._schemas.for_kind(kind)
        return schema

    def _value(self, schema: Schema, entry: Entry, name: str, value: Any) -> Any:
        found = schema.find(name)
        if found is not None and type_of(found).shape == ATTACHMENTS.shape and value:
            return self._attachments(schema, entry, found, name)
        if isinstance(value, (CellList, CellMap)):
            return _as_plain(_structure(value, found))
        return _as_plain(value)

    # ---- attachments

    def _may_be_file(self, entry: Entry, name: str) -> bool:
        """Return True if a value may name local files: one of its texts is the path of an existing file."""
        root = entry.root_of(name) or self._desired.root
        return bool(root) and any(_is_file(root, text) for text in _paths_in(entry.fields[name]))

    def _attachments(self, schema: Schema, entry: Entry, found: Field, name: str) -> Any:
        """Return the files of a field. Local files are below ``files/``, named by their content."""
        values = self._parser.parse(schema, entry, {name: entry.fields[name]})
        attachments = list(attachments_in(values.get(found.key)))
        items = entry.fields[name]
        if len(attachments) != len(items):
            # The attachments are invalid, and that was reported.
            return _as_plain(items)
        return [
            self._copied(attachment) if attachment.folder is not None else _as_plain(item)
            for attachment, item in zip(attachments, items, strict=True)
        ]

    def _copied(self, attachment: Attachment) -> Any:
        if attachment.folder is None or attachment.path is None or attachment.size is None:
            return attachment.written
        place = (str(attachment.folder.path), attachment.path)
        if place not in self._digests:
            self._digests[place] = digest(attachment.folder.read(attachment.path, MAX_SIZE))
        whole = self._digests[place]
        name = attachment.name or PurePosixPath(attachment.path).name
        path = f"{FOLDER}/{whole[:_DIGITS]}/{safe_name(name)}"
        self._result.files.setdefault(path, LocalFile(attachment.folder, attachment.path, whole))
        return path if attachment.name is None and safe_name(name) == name else {"path": path, "name": name}


def _empty_file(section: str) -> dict[str, bytes]:
    """Return the file of a section without records. It says that the section is managed."""
    name = f"{section}/asset" if section in BY_TEMPLATE else f"{section}/0001" if section in MANY else section
    return {f"{name}.yml": f"{yaml_head(section, '../' if '/' in name else '')}[]\n".encode()}


def _is_read_by_type(entry: Entry, name: str, value: Any) -> bool:
    """Return True if the type of its field decides the meaning of a cell."""
    if isinstance(value, (CellList, CellMap)):
        return True
    is_text = isinstance(value, str) and not isinstance(value, BrokenCell)
    return is_text and entry.cells is not None and entry.cells.depends_on_type(name, value)


def _structure(value: CellList | CellMap, found: Field | None) -> Any:
    """Return a JSON cell as its field accepts it: the text of the cell, or the JSON value."""
    if found is None:
        return value.text
    try:
        is_text = type_of(found).parse(value, found) == value.text
    except InvalidValue:
        is_text = False
    return value.text if is_text else value


def _paths_in(value: Any) -> Iterable[str]:
    """Yield the texts in a value that may be the path of a file."""
    items = value if isinstance(value, list) else [value]
    for item in items:
        text = item.get("path") if isinstance(item, Mapping) else item
        if isinstance(text, str) and text and not is_uuid(text):
            yield text


def _is_file(root: str, text: str) -> bool:
    try:
        return Folder(Path(root)).type_of(name_inside(text, root)) is FileType.FILE
    except (InvalidInput, OSError, ValueError):
        return False


def _as_plain(value: Any) -> Any:
    """Return a value as the YAML writer accepts it."""
    if isinstance(value, Mapping):
        return {str(name): _as_plain(member) for name, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [_as_plain(item) for item in value]
    if isinstance(value, bool) or value is None or isinstance(value, (int, Plain)):
        return value
    if isinstance(value, float):
        return Plain(repr(value)) if not value.is_integer() else int(value)
    if isinstance(value, (dt.date, dt.datetime)):
        return Plain(value.isoformat())
    return str(value)
