# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Single files: attached to a field, detached, downloaded (add-file and remove-file of section 4.2)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cache, partial
from http import HTTPStatus
from pathlib import Path
from typing import Any

from ..client.attempts import Effect
from ..client.client import Client
from ..client.files import (
    Contents,
    describe,
    download,
    equal_links,
    name_of,
    pdf,
    recognise,
    require_files,
    require_local,
    thumbnail,
    upload,
)
from ..client.record import Record
from ..client.settling import await_effect
from ..errors import InvalidInput, NoMatch, NotFound, SeventhingsError, UnknownField, unless
from ..local.local_files import LocalFiles, Target, file_name
from ..local.safe_files import Folder
from ..model.field import Field, Unread, is_uuid, shorten
from ..model.kinds import FILE, KINDS
from ..model.schema import Schema, type_of
from ..model.types_basic import broken_rules
from ..model.types_links import Attachment, attachments_in
from ..reconcile.lost_changes import Step, carry_out
from ..reconcile.result import Result
from ..resolve.field_visibility import field_visibility_of, hidden_field_message
from ..resolve.listing import ListResult
from ..resolve.read_cache import find_record, find_records

_OBJECT = KINDS["object"]
ATTACHED_TO = ("object", "room", "person")
"""The options that name a record with files. They are also the kinds of these records."""

_FILE_FIELD = Field("file", "ATTACHMENT")
_MOST_PIXELS = 2000
_THUMBNAIL = ".thumbnail.png"
"""The suffix of a thumbnail's name, after the name of its file."""


def _attachment_field(schema: Schema, name: str) -> Field:
    field = schema.find(name)
    if field is None:
        raise UnknownField(f"field: {name}: {schema.why_unknown(name)}", schema.is_typo(name))
    if field.type != "ATTACHMENT":
        known = ", ".join(sorted(field.key for field in schema.fields.values() if field.type == "ATTACHMENT"))
        raise InvalidInput(f"field: {name} is not a field for attachments; known are {known or 'none'}")
    return field


def _linked(record: Record, field: Field) -> list[Attachment]:
    return list(attachments_in(type_of(field).read(record.flat.get(field.key), field)))


def _visible_files(client: Client, schema: Schema, record: Record, field: Field) -> list[Attachment]:
    """Return the files of a field.

    :raises InvalidInput: if the field is hidden from the account, so that nobody knows its files.
    """
    if field.key in field_visibility_of(client, schema, [record], [field.key]).hidden:
        raise InvalidInput(f"field: {hidden_field_message(field.key)}")
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
    wanted = Attachment(uuid=_uuid(options), path=options.get("path"), name=options.get("name"))
    present = options["state"] == "present"
    require_local([wanted], "path")
    kind = next((KINDS[name] for name in ATTACHED_TO if options.get(name) is not None), None)
    if kind is None:
        return _uploaded(client, wanted, present, check_mode)
    name = options["field"]
    try:
        schema = client.schema(kind)
        field = _attachment_field(schema, name)
        record = find_record(client, kind, options[kind.name])
    except (NoMatch, UnknownField) as missing:
        if not present and isinstance(missing, NoMatch):
            return Result(False)
        if not check_mode or missing.is_typo:
            raise
        # In check mode, an earlier task of the play may be about to create it.
        words = (f"field: {schema.not_yet(name)}",) if isinstance(missing, UnknownField) else missing.to_come
        return Result(present, diff=_diff(name, [], [wanted] if present else []), warnings=words)
    linked = _visible_files(client, schema, record, field)
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
        now = _change_files(client, record, field, after, [wanted] if present else same, present)
    return _report(client, True, wanted, now, diff)


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
            f'The service says: "{_words_about(left(now), refusals[-1])}".'
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


def _uuid(options: Mapping[str, Any]) -> str | None:
    uuid = options.get("uuid")
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


def _words_about(uuids: Iterable[str], results: Any) -> str:
    """Return what the service says about the given files: one result per file, or all results if none names a file."""
    items = results if isinstance(results, list) else [results]
    texts = {str(item): str(item.get("message") or item if isinstance(item, Mapping) else item) for item in items}
    mine = [text for whole, text in texts.items() if any(uuid in whole.lower() for uuid in uuids)]
    return "; ".join(mine or texts.values())


# ---- download


def file_download(client: Client, options: Mapping[str, Any], check_mode: bool) -> Result:
    """Write one file, or every file of a field, to this machine. A file with the same content is left alone.

    :param options: uuid, or object and field; dest: a file, or a directory in which files keep their names; force:
        replace other files (None: yes for a file path, no in a directory); mode, owner, group, backup.
    """
    dest = Path(options["dest"]).expanduser()
    local = LocalFiles.from_options(options, check_mode)
    warnings = _place_for(dest, check_mode)
    files = _to_download(client, options, dest.is_dir())
    size = _thumbnail_size(options)
    downloads = _downloads(client, dest, files, size)
    kept = _kept(downloads, dest.is_dir(), options.get("force"), check_mode)
    before: dict[str, Any] = {}
    after: dict[str, Any] = {}
    for wanted in downloads:
        path, size_before, content = str(wanted.target.path), wanted.target.size(), cache(wanted.fetch)
        if wanted in kept or wanted.exists(content, check_mode):
            was, now = local.keep(wanted.target)
            if now:
                before[path], after[path] = was, now
        else:
            was, now = local.write(wanted.target, content)
            before[path] = None if size_before is None else {"size": size_before} | was
            after[path] = ({} if wanted.size is None else {"size": wanted.size}) | now
    return Result(
        bool(after),
        {"files": files, "dest": str(dest)},
        options.get("uuid"),
        {"before": before, "after": after},
        warnings,
        tuple(local.backups),
    )


@dataclass(frozen=True)
class _Download:
    """A file of the instance and its local place.

    :ivar size: in bytes, as the service reports it; None for a thumbnail.
    """

    target: Target
    size: Any
    fetch: Callable[[], bytes]

    @classmethod
    def from_metadata(
        cls, client: Client, meta: Mapping[str, Any], target: Target, size: Mapping[str, Any] | None
    ) -> _Download:
        if size is not None:
            return cls(target, None, partial(thumbnail, client, str(meta["uuid"]), size))
        expected = meta.get("size")
        known = expected if isinstance(expected, int) else None
        return cls(target, expected, partial(download, client, str(meta["uuid"]), known))

    def exists(self, content_of: Callable[[], bytes], check_mode: bool) -> bool:
        """Return True if the file already exists locally. In check mode a different size is enough for False."""
        return self.target.has_content(content_of, self.size if check_mode else None)


def _thumbnail_size(options: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the size of the pictures wanted instead of the files, or None if the files are wanted."""
    size: Mapping[str, Any] | None = options.get("thumbnail")
    for name, pixels in (size or {}).items():
        if pixels is not None and not 1 <= pixels <= _MOST_PIXELS:
            raise InvalidInput(f"thumbnail.{name}: {pixels} does not fit; expected 1 to {_MOST_PIXELS}")
    return size


def _downloads(
    client: Client, dest: Path, files: Sequence[dict[str, Any]], size: Mapping[str, Any] | None
) -> list[_Download]:
    """Choose the place of each file to download.

    :param size: of the pictures wanted instead of the files.
    :raises InvalidInput: if two of them have the same place.
    """
    if dest.is_dir():
        folder = Folder(dest)
        names = [name if size is None else f"{name}{_THUMBNAIL}" for name in _names_of(files)]
        targets = [Target(folder, name, dest / name) for name in names]
    elif len(files) > 1:
        raise InvalidInput(
            f"dest: {dest} is not a directory, and {len(files)} files are to be written; expected an existing directory"
        )
    else:
        targets = [Target.at(dest)]
    return [_Download.from_metadata(client, meta, target, size) for meta, target in zip(files, targets, strict=True)]


def _names_of(files: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the names of files in a directory."""
    names = [file_name(str(meta["name"] or ""), str(meta["uuid"])) for meta in files]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InvalidInput(
            f"dest: several files are called {', '.join(twice)}; download each of them by its uuid to a path of its own"
        )
    return names


def _kept(
    downloads: Sequence[_Download], in_directory: bool, force: bool | None, check_mode: bool
) -> Sequence[_Download]:
    """Return the downloads whose place is taken and that are skipped.

    :param force: replace other files; None: yes for a file path, no in a directory.
    :raises InvalidInput: if something else has the name of a file in a directory, before anything is written.
    """
    if force or (force is None and not in_directory):
        return []
    if not in_directory:
        return [download for download in downloads if download.target.size() is not None]
    existing = [download for download in downloads if download.target.exists()]
    others = [download.target.path for download in existing if not download.exists(download.fetch, check_mode)]
    if others:
        raise InvalidInput(
            f"dest: something else exists already: {', '.join(map(str, others))}. Delete it, or set force: true "
            f"to replace it."
        )
    return existing


def _to_download(client: Client, options: Mapping[str, Any], in_directory: bool) -> list[dict[str, Any]]:
    """Return the wanted files. If they go into a directory, include their names."""
    uuid = _uuid(options)
    if uuid:
        record = client.get(FILE, uuid)
        if record is None:
            raise InvalidInput(f"uuid: there is no file with the uuid {uuid}")
        return [{**Schema.for_kind(FILE).show(record.flat), "uuid": record.uuid}]
    schema = client.schema(_OBJECT)
    field = _attachment_field(schema, options["field"])
    linked = _visible_files(client, schema, find_record(client, _OBJECT, options["object"]), field)
    if not linked:
        raise NoMatch(f"The object {options['object']!r} has no file in {field.key}.")
    for file in linked:
        if file.size is None or (in_directory and file.name is None):
            describe(client, file)
    shown: list[dict[str, Any]] = type_of(field).show(linked)
    return shown


def _place_for(dest: Path, check_mode: bool) -> tuple[str, ...]:
    """Return the problems of a local path.

    In check mode they are warnings, because an earlier task may create the directory.

    :raises InvalidInput: in a real run.
    """
    if dest.is_dir() or dest.parent.is_dir():
        return ()
    missing = f"dest: the directory {dest.parent} does not exist"
    if not check_mode:
        raise InvalidInput(missing)
    return (unless(missing, "creates it"),)


# ---- reports


def report(client: Client, options: Mapping[str, Any], check_mode: bool) -> Result:
    """Write a PDF report about objects. Every report is new, so an existing file is kept unless ``force`` is set.

    :param options: template (name or uuid), objects, dest, force, mode, owner, group, backup.
    """
    dest = Path(options["dest"]).expanduser()
    if dest.is_dir():
        raise InvalidInput(f"dest: {dest} is a directory; expected the path of a file")
    local = LocalFiles.from_options(options, check_mode)
    warnings = _place_for(dest, check_mode)
    templates = _report_templates(client)
    wanted = options["template"]
    found = [template for template in templates if wanted in (template.get("uuid"), template.get("name"))]
    if len(found) != 1:
        names = ", ".join(repr(template.get("name")) for template in templates)
        raise NoMatch(
            f"template: {len(found)} report templates are called {wanted!r}; expected exactly one of {names or 'none'}"
        )
    if not options["objects"]:
        raise InvalidInput("objects: expected at least one object")
    target = Target.at(dest)
    if target.size() is not None and not options.get("force"):
        was, now = local.keep(target)
        path = {"dest": str(dest)} if now else {}
        return _reported(dest, local, path | was, path | now)
    try:
        by_option = {f"objects[{number}]": option for number, option in enumerate(options["objects"])}
        uuids = [record.uuid for record in find_records(client, _OBJECT, by_option)]
    except NoMatch as missing:
        if not check_mode or missing.is_typo:
            raise
        uuids, warnings = [], (*warnings, *missing.to_come)
    was, now = local.write(target, partial(_created_report, client, str(found[0]["uuid"]), uuids))
    return _reported(dest, local, was, {"dest": str(dest)} | now, warnings)


def report_template_info(client: Client) -> ListResult:
    """Return the templates for reports. It is an error if an instance of an earlier version has none."""
    templates = [{"uuid": template.get("uuid"), "name": template.get("name")} for template in _report_templates(client)]
    return ListResult(templates, len(templates))


def _created_report(client: Client, template: str, objects: Sequence[str]) -> bytes:
    body = {"report_template_uuid": template, "object_uuids": objects}
    return pdf(client, "/report", body)


def _reported(
    dest: Path, local: LocalFiles, before: dict[str, Any], after: dict[str, Any], warnings: tuple[str, ...] = ()
) -> Result:
    diff = {"before": before, "after": after}
    return Result(bool(after), {"dest": str(dest)}, None, diff, warnings, tuple(local.backups))


def _report_templates(client: Client) -> list[Mapping[str, Any]]:
    try:
        answer = client.read("/report-template")
    except NotFound as missing:
        raise SeventhingsError("This instance creates no reports: its version is too old for them.") from missing
    templates = answer.json()
    if not isinstance(templates, list) or not all(
        isinstance(template, Mapping) and is_uuid(template.get("uuid")) for template in templates
    ):
        raise SeventhingsError(f"{answer.endpoint}: expected a list of templates with a uuid, got something else.")
    return templates
