# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Single files: attached to a field, or detached (add-file and remove-file of section 4.2)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from http import HTTPStatus
from typing import Any

from ..client.attempts import Effect
from ..client.client import Client
from ..client.files import Contents, describe, equal_links, name_of, recognise, require_files, require_local, upload
from ..client.record import Record
from ..client.settling import await_effect
from ..errors import IS_EMPTY, InvalidInput, NoMatch, SeventhingsError, UnknownField
from ..model.field import Field, Unread, is_uuid, shorten
from ..model.kinds import FILE, KINDS
from ..model.schema import Schema, type_of
from ..model.types_basic import broken_rules
from ..model.types_links import Attachment, attachments_in
from ..reconcile.lost_changes import Step, carry_out
from ..reconcile.result import Result
from ..resolve.field_visibility import field_visibility_of
from ..resolve.read_cache import find_record

_OBJECT = KINDS["object"]
#: The options that name a record with files. They are also the kinds of these records.
ATTACHED_TO = ("object", "room", "person")

_FILE_FIELD = Field("file", "ATTACHMENT")


def attachment_field(schema: Schema, name: str) -> Field:
    field = schema.find(name)
    if field is None:
        raise UnknownField(f"field: {name}: {schema.why_unknown(name)}", f"field: {schema.not_yet(name)}")
    if field.type != "ATTACHMENT":
        known = ", ".join(sorted(field.key for field in schema.fields.values() if field.type == "ATTACHMENT"))
        raise InvalidInput(f"field: {name} is not a field for attachments; known are {known or 'none'}")
    return field


def _linked(record: Record, field: Field) -> list[Attachment]:
    return list(attachments_in(type_of(field).read(record.flat.get(field.key), field)))


def visible_files(client: Client, schema: Schema, record: Record, field: Field) -> list[Attachment]:
    """Return the files of a field.

    :raises InvalidInput: if the field is hidden from the account, so that nobody knows its files.
    """
    field_visibility_of(client, schema, [record], [field.key]).check_written([field.key], "field")
    value = schema.read_field(field.key, record.flat)
    if isinstance(value, Unread):
        raise InvalidInput(f"field: the service returns {shorten(value.raw)} for {field.key} instead of files")
    return _linked(record, field)


# ---- attach, detach


def file(client: Client, options: Mapping[str, Any], check_mode: bool) -> Result:
    """Attach one file to a field of a record, or detach it. Other files of the field stay.

    Without a record the file is only uploaded.

    :param options: object, room or person, field, path (with name) or uuid, state.
    """
    wanted = Attachment(uuid=uuid_in(options, "path"), path=options.get("path"), name=options.get("name"))
    present = options["state"] == "present"
    require_local([wanted], "path")
    kind = next((KINDS[name] for name in ATTACHED_TO if options.get(name) is not None), None)
    if kind is None:
        return _uploaded(client, wanted, present, check_mode)
    name = options["field"]
    try:
        schema = client.schema(kind)
        field = attachment_field(schema, name)
        record = find_record(client, kind, options[kind.name])
    except NoMatch:
        if not present:
            return Result(False)
        raise
    linked = visible_files(client, schema, record, field)
    if present:
        recognise(Contents(client), [wanted], linked)
    same = equal_links(client, wanted, linked) if wanted.uuid or not present else []
    wanted.uuid = wanted.uuid or (str(same[0].uuid) if same else None)
    if bool(same) == present:
        return _report(client, False, wanted, linked, _diff(name, [], []))
    after = [*linked, wanted] if present else [file for file in linked if file not in same]
    _require_room(field, linked, after)
    diff = _diff(name, linked, after)
    if check_mode:
        require_files(client, [("uuid", str(wanted.uuid))] if present and wanted.uuid else [])
        return _report(client, True, wanted, linked, diff)
    with client.creations.making(FILE.name) if present else nullcontext():
        if present and wanted.uuid is None:
            upload(client, wanted)
            # Only objects have requests for single files, and somebody may have linked others during the upload.
            record = record if kind is _OBJECT else client.get(kind, record.uuid) or record
            linked = visible_files(client, schema, record, field)
            after = [*linked, wanted]
            _require_room(field, linked, after)
        now = _change_files(client, record, field, after, [wanted] if present else same, present)
    return _report(client, True, wanted, now, diff)


def file_to_come(options: Mapping[str, Any]) -> Result:
    """Return the prediction for a record or field that an earlier task may create."""
    wanted = Attachment(uuid=options.get("uuid"), path=options.get("path"), name=options.get("name"))
    present = options["state"] == "present"
    return Result(present, diff=_diff(options["field"], [], [wanted] if present else []))


def _uploaded(client: Client, wanted: Attachment, present: bool, check_mode: bool) -> Result:
    """Upload a file, unless it is among the newest: the service lists no others."""
    if wanted.path is None or not present:
        raise InvalidInput("object: without an object, room or person a file is only uploaded; give path, and no state")
    wanted.name = name_of(wanted)
    newest = [_listed(record) for record in client.list_all(FILE)]
    same = next(Contents(client).same(wanted, newest), None)
    if same is not None:
        return _report(client, False, same, [same], _diff("file", [], []))
    diff = _diff("file", [], [wanted])
    if check_mode:
        return _report(client, True, wanted, [], diff)
    with client.creations.making(FILE.name):
        upload(client, wanted)
    uploaded = client.get(FILE, str(wanted.uuid))
    return _report(client, True, wanted, [_listed(uploaded)] if uploaded else [], diff)


def _listed(record: Record) -> Attachment:
    """Return a member of the list of files as a file of a record."""
    shown = {**record.flat, "uuid": record.uuid}
    return next(iter(attachments_in(type_of(_FILE_FIELD).read([shown], _FILE_FIELD))))


def _change_files(
    client: Client,
    record: Record,
    field: Field,
    after: Sequence[Attachment],
    files: Sequence[Attachment],
    present: bool,
) -> list[Attachment]:
    """Link files to a record, or unlink them, and return its files.

    Objects have requests for single files. Other records get the whole list.

    :param after: the whole list. :param files: the files to link or unlink.
    """
    is_object = record.kind is _OBJECT
    before, wanted, todo = (_uuids(part) for part in (_linked(record, field), after, files))
    path = record.kind.item_path.format(uuid=record.uuid) + ("/add-file" if present else "/remove-file")
    refusals: list[Any] = []

    def left(now: Record) -> set[str]:
        linked = _uuids(_linked(now, field))
        return todo - linked if present else todo & linked

    def send(now: Record) -> None:
        if not is_object:
            client.update(record.kind, record.uuid, {field.wire_key: [file.uuid for file in after]})
            return
        body = [{"field-key": field.key, "file-uuid": uuid} for uuid in sorted(left(now))]
        answer = client.send("POST", path, Effect.UNSAFE, body=body)
        if answer.status == HTTPStatus.MULTI_STATUS:
            refusals.append(answer.json())

    def is_done(now: Record | None) -> bool:
        return now is not None and (not left(now) if is_object else _uuids(_linked(now, field)) == wanted)

    def is_open(now: Record) -> bool:
        return is_object or _uuids(_linked(now, field)) == before

    def read() -> Record | None:
        return client.get(record.kind, record.uuid)

    carry_out(client, Step(record.uuid.lower(), send, read, is_done, is_open, repeats=is_object), record)
    now = read()
    if refusals and now is not None and left(now):
        raise SeventhingsError(
            f"The file {', '.join(sorted(left(now)))} was not {'added to' if present else 'taken off'} {field.key}. "
            f"The service says: {shorten(refusals[-1], 500)}."
        )

    def read_done() -> Record | None:
        changed = read()
        return changed if is_done(changed) else None

    words = f"The files of {field.key} were not changed: the {record.kind.words} {record.uuid} has other files"
    return _linked(now if now and is_done(now) else await_effect(client.transport, read_done, lambda: words), field)


def _uuids(files: Iterable[Attachment]) -> set[str]:
    return {str(file.uuid) for file in files}


def _require_room(field: Field, linked: Sequence[Attachment], after: Sequence[Attachment]) -> None:
    """Raise :class:`InvalidInput` if the field would have too many files, or none although it is mandatory."""
    broken = broken_rules(tuple(after), field) if len(after) > len(linked) or not after else []
    if broken:
        would = f"field: {field.key} would have {len(after)} file(s) in place of {len(linked)}"
        raise InvalidInput([f"{would}; {rule}" for rule in broken])


def uuid_in(options: Mapping[str, Any], other: str) -> str | None:
    """Return the uuid of a file, or None if another option names it.

    :raises NoMatch: if both are empty, because an earlier task of the play would upload the file.
    """
    uuid = options.get("uuid")
    if not uuid and not options.get(other):
        raise NoMatch(IS_EMPTY.format("uuid"))
    if uuid is not None and not is_uuid(uuid):
        raise InvalidInput(f"uuid: {uuid!r} is not in uuid form")
    return uuid.lower() if uuid else None


def _diff(name: str, before: Sequence[Attachment], after: Sequence[Attachment]) -> dict[str, Any]:
    """Return the files of a field for a diff, by the field name that the user wrote."""
    if not before and not after:
        return {"before": {}, "after": {}}
    return {"before": {name: [_brief(file) for file in before]}, "after": {name: [_brief(file) for file in after]}}


def _brief(attachment: Attachment) -> Any:
    return attachment.path or attachment.name or attachment.uuid


def _report(
    client: Client, changed: bool, wanted: Attachment, linked: Sequence[Attachment], diff: dict[str, Any]
) -> Result:
    now = next((file for file in linked if file.uuid == wanted.uuid), None)
    if now is not None and now.size is None:
        describe(client, now)
    record = type_of(_FILE_FIELD).show([now])[0] if now else {}
    return Result(changed, record, wanted.uuid, diff)
