# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Links to other records and to files (LINKED_* and ATTACHMENT of section 2.1 of the interface)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..local.safe_files import Folder
from .field import (
    UUID_PATTERN,
    BrokenCell,
    Field,
    FieldType,
    InvalidValue,
    Plain,
    TypedCell,
    as_shown,
    each,
    integer_of,
    is_uuid,
    parse_list,
    read_list,
    typed,
)


@dataclass(frozen=True)
class Reference:
    """A link to another record.

    A resolved reference has the ``uuid`` and ``id`` of its target, or the entry that will create it.

    :ivar target: the kind of the target (a name in the catalogue).
    :ivar written: as the user wrote it: an integer, text or map; None for a reference in an answer of the service.
    :ivar names: other names of the target, if an instance returns a name in place of a link.
    :ivar location: the option or field that it was written in, for messages.
    :ivar email: the address of a user, if known.
    :ivar status: whether a task is done for an object: ``open`` or ``done``.
    :ivar pending: the entry to create before the reference can be resolved, if many records are created together.
    """

    target: str
    id: int | None = None
    uuid: str | None = None
    display_name: str | None = None
    written: Any = None
    email: str | None = field(default=None, compare=False)
    status: str | None = field(default=None, compare=False)
    pending: Any = field(default=None, compare=False)
    names: tuple[str, ...] = field(default=(), compare=False)
    location: str = field(default="", compare=False)

    def __hash__(self) -> int:
        name = self.written if isinstance(self.written, (str, int)) else None
        return hash((self.target, self.id, self.uuid, name))

    @property
    def resolved(self) -> bool:
        return self.id is not None or self.uuid is not None

    def same(self, other: Reference) -> bool | None:
        """Return True if both mean the same record, or None if one has only an id and the other only a uuid."""
        if self.uuid and other.uuid:
            return self.uuid == other.uuid
        return self.id == other.id if self.id is not None and other.id is not None else None


@dataclass
class Attachment:
    """A file of a record: a linked file (``uuid``), or a local file (``path``) to upload.

    :ivar name: its present or wanted name; None if it does not matter.
    :ivar raw: what the service returned about it.
    :ivar written: the path as written, if ``path`` differs.
    :ivar folder: the directory that it must come from; then ``path`` is relative to it.
    :ivar digest: the SHA-256 of the checked content, if it was read; nothing else is uploaded.
    :ivar hidden: True if path and name are vaulted, so that no lasting file has them.
    """

    uuid: str | None = None
    path: str | None = None
    name: str | None = None
    type: str | None = None
    size: int | None = None
    raw: Mapping[str, Any] = field(default_factory=dict)
    written: str | None = None
    folder: Folder | None = field(default=None, compare=False)
    digest: str = field(default="", compare=False)
    hidden: bool = False


# ---- links to records


def _whole(value: Any) -> int | None:
    number = integer_of(value)
    return None if number is None or number < 0 else number


_READ_SHAPE = {"id", "uuid", "display_name"}


def parse_reference(target: str) -> Callable[[Any, Field], Reference]:
    """Return the parser for references to one kind.

    An integer is an id, a string in uuid form a uuid, anything else a natural key.
    """

    def parse(written: Any, _field: Field) -> Reference:
        if isinstance(written, TypedCell):
            if not written.is_name:
                raise InvalidValue(written.no_text)
            return Reference(target, written=as_shown(written))
        # In a file, an unquoted value is whatever YAML reads: an integer is an id there too.
        value = typed(written) if isinstance(written, Plain) else written
        if isinstance(written, Plain) and not isinstance(value, int):
            raise InvalidValue(f'the natural key of one {target} in quotes ("{written}"), or its integer id')
        if isinstance(value, int) and not isinstance(value, bool) and value > 0:
            return Reference(target, id=int(value), written=value)
        if is_uuid(value):
            return Reference(target, uuid=value.lower(), written=value)
        if isinstance(value, str) and value.strip() and not isinstance(value, BrokenCell):
            return Reference(target, written=str(value))
        if isinstance(value, Mapping) and value:
            number, uuid = _whole(value.get("id")), value.get("uuid")
            if set(value) <= {*_READ_SHAPE, "email", "status"} and (number or is_uuid(uuid)):
                # Templates of some versions of Ansible make a text of the id. Diffs always show the number.
                shown = {**value, "id": number} if number else dict(value)
                return Reference(
                    target, number, uuid.lower() if is_uuid(uuid) else None, value.get("display_name"), shown
                )
            if not set(value) <= _READ_SHAPE:
                return Reference(target, written=dict(value))
        raise InvalidValue(
            f"a reference to one {target}: its natural key as text, its uuid, its integer id, or a map of field keys"
        )

    return parse


def read_reference(target: str) -> Callable[[Any, Field], Any]:
    """Return the reader for references to one kind.

    It accepts an object {id, uuid, display_name}, a bare id (0 is none), a uuid, or one of these in a list.
    """

    def read(value: Any, field: Field) -> Any:
        if isinstance(value, list) and len(value) == 1:
            return read(value[0], field)
        if isinstance(value, Mapping):
            number, uuid = _whole(value.get("id")) or None, value.get("uuid")
            if number is None and not is_uuid(uuid):
                return None
            return Reference(target, number, uuid.lower() if is_uuid(uuid) else None, value.get("display_name"))
        if is_uuid(value):
            return Reference(target, uuid=value.lower())
        number = _whole(value)
        return Reference(target, id=number) if number else None

    return read


def _write_reference(value: Reference | None) -> Any:
    # Official clients send the integer. The interface also accepts the uuid.
    return None if value is None else value.id if value.id is not None else value.uuid


def _show_reference(value: Reference | None) -> Any:
    return None if value is None else {"id": value.id, "uuid": value.uuid, "display_name": value.display_name}


def brief_reference(value: Any) -> Any:
    """Return a reference for a diff, as users write it.

    For an answered reference without such a form, this is its name, its uuid or its id.
    """
    if not isinstance(value, Reference):
        return value
    return value.written if value.written is not None else value.display_name or value.uuid or value.id


def _equal_reference(left: Any, right: Any, _field: Field) -> bool:
    return left is right if left is None or right is None else bool(left.same(right))


def equal_references(left: Sequence[Reference], right: Sequence[Reference], _field: Field) -> bool:
    """Return True if two lists of references mean the same set of records."""
    return all(any(reference.same(other) for other in right) for reference in left) and all(
        any(reference.same(other) for other in left) for reference in right
    )


REFERENCES_SHAPE: Mapping[str, Any] = {
    "type": ["array", "null"],
    "items": {"$ref": "#/$defs/reference", "not": {"type": "null"}},
}


def link_type(target: str) -> FieldType:
    """Return the type of a field that links to one record of a kind."""
    return FieldType(
        parse_reference(target),
        read_reference(target),
        _write_reference,
        _show_reference,
        _equal_reference,
        brief_reference,
        option={"type": "raw"},
        shape="reference",
        json_schema={
            "description": "The natural key of another record, its uuid, its integer id, or a map of its fields",
            "type": ["string", "integer", "object", "null"],
            "pattern": r"\S",
            "minimum": 1,
            "minProperties": 1,
        },
        narrows=True,
    )


# ---- attachments

_ATTACHMENT_MEMBERS = ("uuid", "name", "type", "size", "data_uri", "file_uri", "thumbnail_uri")


def parse_attachment(value: Any, _field: Field) -> Attachment:
    """Parse one attachment: the uuid of an uploaded file, a path, or ``{path, name}``."""
    if is_uuid(value):
        return Attachment(uuid=value.lower())
    if isinstance(value, str) and value:
        return Attachment(path=str(value))
    if isinstance(value, Mapping) and value.get("path") and set(value) <= {"path", "name"}:
        if not isinstance(value.get("name", ""), str) or isinstance(value.get("name"), Plain):
            raise InvalidValue.of_parts(
                [("name", value["name"], InvalidValue("a text as the name of a file; quote it"))]
            )
        return Attachment(path=str(value["path"]), name=value.get("name"))
    if isinstance(value, Mapping) and is_uuid(value.get("uuid")):
        return Attachment(uuid=value["uuid"].lower())
    raise InvalidValue("the uuid of a file, a path, or a map of path and name")


def read_attachment(value: Any, _field: Field) -> Attachment | None:
    """Read one attachment of an answer: an object with at least the uuid, or the uuid alone. A name is a text."""
    if isinstance(value, Mapping) and is_uuid(value.get("uuid")):
        name = value.get("name")
        if name is not None and not isinstance(name, str):
            return None
        return Attachment(value["uuid"].lower(), None, name, value.get("type"), _whole(value.get("size")), value)
    return Attachment(uuid=value.lower()) if is_uuid(value) else None


def _show_attachment(value: Attachment) -> dict[str, Any]:
    known = {"uuid": value.uuid, "name": value.name, "type": value.type, "size": value.size}
    return {member: known.get(member, value.raw.get(member)) for member in _ATTACHMENT_MEMBERS}


def _brief_attachment(value: Attachment) -> Any:
    path = value.written or value.path
    return {"path": path, "name": value.name} if path and value.name else path or value.uuid


def _equal_attachments(left: Iterable[Attachment], right: Iterable[Attachment], _field: Field) -> bool:
    mine, theirs = {file.uuid for file in left}, {file.uuid for file in right}
    return mine == theirs and None not in mine


# ---- the types

ATTACHMENTS = FieldType(
    parse_list(parse_attachment),
    read_list(read_attachment),
    lambda values: list(dict.fromkeys(value.uuid for value in values)),
    each(_show_attachment),
    _equal_attachments,
    each(_brief_attachment),
    (),
    same_as=lambda value, _field: value.uuid,
    option={"type": "list", "elements": "raw"},
    shape="attachments",
    json_schema={
        "description": "The whole list: paths below the directory of the files, or uuids of uploaded files",
        "type": ["array", "null"],
        "items": {
            "anyOf": [
                {"type": "string", "minLength": 1},
                {
                    "type": "object",
                    "properties": {"path": {"type": "string"}, "name": {"type": "string", "maxLength": 255}},
                    "required": ["path"],
                    "additionalProperties": False,
                },
                {
                    "type": "object",
                    "properties": {"uuid": {"type": "string", "pattern": UUID_PATTERN}},
                    "required": ["uuid"],
                },
            ]
        },
    },
)


_parse_object, _read_object = parse_reference("object"), read_reference("object")


def _parse_links(value: Any, field: Field) -> tuple[Reference, ...]:
    if isinstance(value, (list, tuple)):
        return parse_list(_parse_object)(value, field)
    return (_parse_object(value, field),)


LINKED_ASSETS = FieldType(
    _parse_links,
    read_list(_read_object),
    lambda values: list(dict.fromkeys(map(_write_reference, values))),
    each(_show_reference),
    equal_references,
    each(brief_reference),
    (),
    shape="links",
    json_schema={
        "description": "One reference, or a list of references",
        "anyOf": [{"$ref": "#/$defs/reference"}, REFERENCES_SHAPE],
    },
)
#: One link (section 2.1). The published description also has a type for a list of them.
LINKED_ASSET = link_type("object")


def references_in(value: Any) -> Iterator[Reference]:
    """Yield every reference in a canonical value, at any depth."""
    if isinstance(value, Reference):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from references_in(item)


def with_references(value: Any, change: Callable[[Reference], Reference]) -> Any:
    """Return a canonical value with every reference in it changed, at any depth."""
    if isinstance(value, Reference):
        return change(value)
    if isinstance(value, tuple) and any(references_in(value)):
        return tuple(with_references(item, change) for item in value)
    return value


def attachments_in(value: Any) -> Iterator[Attachment]:
    """Yield every attachment in a canonical value."""
    if isinstance(value, tuple):
        yield from (item for item in value if isinstance(item, Attachment))
