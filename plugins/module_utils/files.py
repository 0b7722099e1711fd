# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Single files: attached to an object's field, taken off it, downloaded (add-file and remove-file of section 4.2)."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from .attachments import Contents, download, linked_alike, recognise, require_local, upload
from .client import Client, Record
from .errors import InvalidInput, NoMatch, NotFound, OutcomeUnknown, SeventhingsError, UnknownField
from .fields import Field, is_uuid
from .kinds import FILE, KINDS
from .links import Attachment, attachments_in
from .references import find_object, find_objects
from .report import Report
from .schema import Schema, type_of
from .transport import Effect
from .values import broken_rules

_OBJECT = KINDS["object"]
_HTTP_MIXED = 207


def _attachment_field(schema: Schema, name: str) -> Field:
    of = schema.find(name)
    if of is None:
        raise UnknownField(f"field: {name}: {schema.why_unknown(name)}", schema.is_slip(name))
    if of.type != "ATTACHMENT":
        known = ", ".join(sorted(one.key for one in schema.fields.values() if one.type == "ATTACHMENT"))
        raise InvalidInput(f"field: {name} is no field for attachments; known are {known or 'none'}")
    return of


def _linked(record: Record, of: Field) -> list[Attachment]:
    return list(attachments_in(type_of(of).read(record.flat.get(of.key), of)))


# ---- attached or taken off


def file(
    client: Client, options: Mapping[str, Any], check_mode: bool, sleep: Callable[[float], None] = time.sleep
) -> Report:
    """Attaches one file to a field of an object, or takes it off; other files of the field stay.

    :param options: object, field, path (with name) or uuid, state.
    """
    wanted = Attachment(uuid=_uuid(options), path=options.get("path"), name=options.get("name"))
    present = options["state"] == "present"
    require_local([wanted], "path")
    name = options["field"]
    try:
        of = _attachment_field(client.schema(_OBJECT), name)
        record = find_object(client, options["object"])
    except (NoMatch, UnknownField) as missing:
        if not present and isinstance(missing, NoMatch):
            return Report(False)
        if not check_mode or missing.is_slip:
            raise
        # An earlier task of the play may be the one that makes it.
        return Report(present, diff=_diff(name, [], [wanted] if present else []), warnings=(missing.message,))
    linked = _linked(record, of)
    if present:
        recognise(Contents(client), [wanted], linked)
    same = linked_alike(client, wanted, linked) if wanted.uuid or not present else []
    wanted.uuid = wanted.uuid or (str(same[0].uuid) if same else None)
    if bool(same) == present:
        return _report(False, wanted, linked, _diff(name, [], []))
    after = [*linked, wanted] if present else [one for one in linked if one not in same]
    _require_room(of, linked, after)
    diff = _diff(name, linked, after)
    if check_mode:
        return _report(True, wanted, linked, diff)
    if present and wanted.uuid is None:
        upload(client, wanted, sleep)
    now = _link(client, record, of, [wanted] if present else same, present)
    return _report(True, wanted, now, diff)


def _require_room(of: Field, linked: Sequence[Attachment], after: Sequence[Attachment]) -> None:
    """Raises :class:`InvalidInput` where the field would hold too many files, or none although it is mandatory."""
    broken = broken_rules(tuple(after), of) if len(after) > len(linked) or not after else []
    if broken:
        would = f"field: {of.key} would have {len(after)} file(s) in place of {len(linked)}"
        raise InvalidInput([f"{would}; {rule}" for rule in broken])


def _uuid(options: Mapping[str, Any]) -> str | None:
    uuid = options.get("uuid")
    if uuid is not None and not is_uuid(uuid):
        raise InvalidInput(f"uuid: {uuid!r} is not in uuid form")
    return uuid.lower() if uuid else None


def _diff(name: str, before: Sequence[Attachment], after: Sequence[Attachment]) -> dict[str, Any]:
    """The files of a field, by the name that the user wrote for it."""
    if not before and not after:
        return {"before": {}, "after": {}}
    return {"before": {name: [_brief(one) for one in before]}, "after": {name: [_brief(one) for one in after]}}


def _brief(attachment: Attachment) -> Any:
    return attachment.path or attachment.name or attachment.uuid


def _report(changed: bool, wanted: Attachment, linked: Sequence[Attachment], diff: dict[str, Any]) -> Report:
    now = next((one for one in linked if one.uuid == wanted.uuid), None)
    record = type_of(Field("file", "ATTACHMENT")).show([now])[0] if now else {}
    return Report(changed, record, wanted.uuid, diff)


def _link(client: Client, record: Record, of: Field, files: Sequence[Attachment], present: bool) -> list[Attachment]:
    """Links or unlinks, once. What a mixed answer or a lost one means is read from the object itself."""
    path = _OBJECT.item_path.format(uuid=record.uuid) + ("/add-file" if present else "/remove-file")
    todo = [str(one.uuid) for one in files]
    results: Any = None
    for last in (False, True):
        body = [{"field-key": of.key, "file-uuid": uuid} for uuid in todo]
        try:
            answer = client.send("POST", path, Effect.ONCE, body=body)
        except OutcomeUnknown:
            if last:
                raise
        else:
            results = answer.json() if answer.status == _HTTP_MIXED else None
        now = client.get(_OBJECT, record.uuid)
        linked = _linked(now, of) if now else []
        there = {one.uuid for one in linked}
        todo = [uuid for uuid in todo if (uuid in there) != present]
        if not todo:
            return linked
        if results is not None:
            break
    done = "added to" if present else "taken off"
    said = "" if results is None else f' The service says: "{_words_about(todo, results)}".'
    raise SeventhingsError(f"The file {', '.join(todo)} was not {done} {of.key}.{said}")


def _words_about(uuids: Sequence[str], results: Any) -> str:
    """The service's own words about some files, out of one result for each; all of them where none names a file."""
    items = results if isinstance(results, list) else [results]
    texts = {str(item): str(item.get("message") or item if isinstance(item, Mapping) else item) for item in items}
    mine = [text for whole, text in texts.items() if any(uuid in whole.lower() for uuid in uuids)]
    return "; ".join(mine or texts.values())


# ---- downloaded


def file_download(client: Client, options: Mapping[str, Any], check_mode: bool) -> Report:
    """Writes one file, or every file of a field, to this machine; a file with the same content is left alone.

    :param options: uuid, or object and field; dest: a file, or a directory in which files keep their names.
    """
    dest = Path(options["dest"]).expanduser()
    warnings = _place_for(dest, check_mode)
    files = _to_download(client, options)
    if not dest.is_dir() and len(files) > 1:
        raise InvalidInput(
            f"dest: {dest} is not a directory, and {len(files)} files are to be written; expected an existing directory"
        )
    changed, before, after = False, {}, {}
    targets = _names_in(client, dest, files) if dest.is_dir() else [dest]
    for meta, target in zip(files, targets, strict=True):
        was = target.stat().st_size if target.is_file() else None
        if write_if_different(target, partial(download, client, str(meta["uuid"])), check_mode, meta.get("size")):
            changed = True
            before[str(target)] = None if was is None else {"size": was}
            after[str(target)] = {"size": meta.get("size")}
    diff = {"before": before, "after": after}
    return Report(changed, {"files": files, "dest": str(dest)}, options.get("uuid"), diff, warnings)


def _names_in(client: Client, directory: Path, files: Sequence[dict[str, Any]]) -> list[Path]:
    """Where files come to in a directory, by their names; a name that the object does not tell, the file itself does.

    :raises InvalidInput: where two of them would come to one place.
    """
    for meta in files:
        record = None if meta["name"] else client.get(FILE, str(meta["uuid"]))
        meta["name"] = record.flat.get("name") if record else meta["name"]
    targets = [directory / Path(str(meta["name"] or meta["uuid"])).name for meta in files]
    twice = sorted({target.name for target in targets if targets.count(target) > 1})
    if twice:
        raise InvalidInput(
            f"dest: several files are called {', '.join(twice)}; download each of them by its uuid to a path of its own"
        )
    return targets


def _to_download(client: Client, options: Mapping[str, Any]) -> list[dict[str, Any]]:
    uuid = _uuid(options)
    if uuid:
        record = client.get(FILE, uuid)
        if record is None:
            raise InvalidInput(f"uuid: there is no file with the uuid {uuid}")
        return [{**Schema.of(FILE).show(record.flat), "uuid": record.uuid}]
    of = _attachment_field(client.schema(_OBJECT), options["field"])
    linked = _linked(find_object(client, options["object"]), of)
    if not linked:
        raise NoMatch(f"The object {options['object']!r} has no file in {of.key}.")
    shown: list[dict[str, Any]] = type_of(of).show(linked)
    return shown


def write_if_different(
    target: Path, content_of: Callable[[], bytes], check_mode: bool, size: int | None = None
) -> bool:
    """Writes a file in one step if its content differs. Returns whether it does.

    :param content_of: gives the bytes; not called in check mode where the size tells.
    :param size: of the new content in bytes, where it is known.
    :raises OSError: where it can't be read or written.
    """
    have = target.read_bytes() if target.is_file() else None
    if check_mode and (have is None or (size is not None and len(have) != size)):
        return True
    content = content_of()
    if have == content:
        return False
    if check_mode:
        return True
    try:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=".seventhings.")
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(target)) from error
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
        mode = target.stat().st_mode & 0o777 if have is not None else 0o644
        Path(name).chmod(mode)
        Path(name).replace(target)
    finally:
        Path(name).unlink(missing_ok=True)
    return True


def _place_for(dest: Path, check_mode: bool) -> tuple[str, ...]:
    """What is wrong with the place where something is to be written: in check mode a warning, because an earlier task
    may be the one that makes the directory.

    :raises InvalidInput: in a real run.
    """
    if dest.is_dir() or dest.parent.is_dir():
        return ()
    missing = f"dest: the directory {dest.parent} does not exist"
    if not check_mode:
        raise InvalidInput(missing)
    return (missing,)


# ---- reports


def report(client: Client, options: Mapping[str, Any], check_mode: bool) -> Report:
    """Writes a PDF report about objects; an existing file is kept unless ``force`` is set, because every report is new.

    :param options: template (name or uuid), objects, dest, force.
    """
    dest = Path(options["dest"]).expanduser()
    if dest.is_dir():
        raise InvalidInput(f"dest: {dest} is a directory; expected the path of a file")
    warnings = _place_for(dest, check_mode)
    templates = _report_templates(client)
    wanted = options["template"]
    found = [one for one in templates if wanted in (one.get("uuid"), one.get("name"))]
    if len(found) != 1:
        names = ", ".join(repr(one.get("name")) for one in templates)
        raise NoMatch(
            f"template: {len(found)} report templates are called {wanted!r}; expected exactly one of {names or 'none'}"
        )
    if not options["objects"]:
        raise InvalidInput("objects: expected at least one object")
    if dest.exists() and not options.get("force"):
        return Report(False, {"dest": str(dest)})
    diff = {"before": {}, "after": {"dest": str(dest)}}
    try:
        named = {f"objects[{number}]": one for number, one in enumerate(options["objects"])}
        uuids = [record.uuid for record in find_objects(client, named)]
    except NoMatch as missing:
        if not check_mode or missing.is_slip:
            raise
        return Report(True, {"dest": str(dest)}, None, diff, (*warnings, missing.message))
    if not check_mode:
        answer = client.send(
            "POST",
            "/report",
            Effect.READ,
            body={"report_template_uuid": found[0]["uuid"], "object_uuids": uuids},
            accept="application/pdf",
        )
        write_if_different(dest, lambda: answer.body, check_mode)
    return Report(True, {"dest": str(dest)}, None, diff, warnings)


def _report_templates(client: Client) -> list[Mapping[str, Any]]:
    try:
        return list(client.send("GET", "/report-template").json() or [])
    except NotFound as missing:
        raise SeventhingsError("This instance makes no reports: its version is too old for them.") from missing
