# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of an instance that are written to this machine: downloads and reports."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from ..client.client import Client
from ..client.files import describe, download, pdf, thumbnail
from ..errors import InvalidInput, NoMatch, NotFound, SeventhingsError, unless
from ..local.access import Access, Sides
from ..local.safe_files import FileType, Folder, file_name
from ..model.field import integer_of, is_uuid
from ..model.kinds import FILE, OBJECT
from ..model.schema import Schema, type_of
from ..reconcile.result import Result
from ..resolve.listing import ListResult
from ..resolve.read_cache import find_record, find_records
from .attachments import attachment_field, uuid_in, visible_files

_MOST_PIXELS = 2000
#: The suffix of a thumbnail's name, after the name of its file.
_THUMBNAIL = ".thumbnail.png"


@dataclass(frozen=True)
class _LocalFiles:
    """Write files to a directory as ``mode``, ``owner``, ``group`` and ``backup`` say.

    :ivar backups: paths of the copies of replaced files.
    """

    folder: Folder
    access: Access
    backup: bool
    check_mode: bool
    backups: list[str] = field(default_factory=list)

    @classmethod
    def from_options(cls, folder: Path, options: Mapping[str, Any], check_mode: bool) -> _LocalFiles:
        """Create the writer for the options of a task.

        :raises InvalidInput: if mode, owner or group is invalid.
        """
        return cls(Folder(folder), Access.from_options(options), bool(options.get("backup")), check_mode)

    def size(self, name: str) -> int | None:
        """Return the size of the existing file, or None if there is none or a link, which is replaced.

        :raises InvalidInput: if something else exists: a directory, a device, a pipe.
        """
        return None if self.folder.type_of(name) in (None, FileType.LINK) else self.folder.status(name).st_size

    def keep(self, name: str) -> Sides:
        """Apply mode, owner and group to a file that is kept. Return their changes."""
        return self.folder.adjust(name, self.access, self.check_mode)

    def write(self, name: str, content_of: Callable[[], bytes]) -> Sides:
        """Write a file. Return the changes to mode, owner and group of the replaced file.

        :param content_of: returns the bytes; not called in check mode.
        """
        is_replaced = self.size(name) is not None
        sides: Sides = self.folder.adjust(name, self.access, check_mode=True) if is_replaced else ({}, {})
        if not self.check_mode:
            content = content_of()
            if is_replaced and self.backup:
                self.backups.append(self.folder.backup(name))
            self.folder.write(name, content, self.access)
        return sides


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


# ---- download


@dataclass(frozen=True)
class _Download:
    """A file of the instance and its local name.

    :ivar size: in bytes, as the service reports it; None for a thumbnail.
    """

    name: str
    size: int | None
    fetch: Callable[[], bytes]

    def is_in(self, local: _LocalFiles) -> bool:
        """Return True if this very file exists locally. It is downloaded if only its content can tell."""
        have = local.size(self.name)
        return have is not None and self.size in (None, have) and local.folder.has_content(self.name, self.fetch())


def file_download(client: Client, options: Mapping[str, Any], check_mode: bool) -> Result:
    """Write one file, or every file of a field, to this machine. A file with the same content is left alone.

    :param options: uuid, or object and field; dest: a file, or a directory in which files keep their names; force:
        replace other files (None: yes for a file path, no in a directory); mode, owner, group, backup.
    """
    dest = Path(options["dest"]).expanduser()
    is_folder, force = dest.is_dir(), options.get("force")
    local = _LocalFiles.from_options(dest if is_folder else dest.parent, options, check_mode)
    warnings = _place_for(dest, check_mode)
    files = _to_download(client, options, is_folder)
    downloads = _downloads(client, dest, files, options.get("thumbnail"))
    existing = [wanted for wanted in downloads if local.folder.type_of(wanted.name) is not None]
    is_kept = force is False and not is_folder and local.size(dest.name) is not None
    kept = [wanted for wanted in existing if is_kept or wanted.is_in(local)]
    others = [str(dest / wanted.name) for wanted in existing if wanted not in kept]
    if others and is_folder and not force:
        raise InvalidInput(
            f"dest: something else exists already: {', '.join(others)}. Delete it, or set force: true to replace it."
        )
    before: dict[str, Any] = {}
    after: dict[str, Any] = {}
    for wanted in downloads:
        path, size = str(dest / wanted.name if is_folder else dest), local.size(wanted.name)
        if wanted in kept:
            was, now = local.keep(wanted.name)
            if now:
                before[path], after[path] = was, now
        else:
            was, now = local.write(wanted.name, wanted.fetch)
            before[path] = None if size is None else {"size": size} | was
            after[path] = ({} if wanted.size is None else {"size": wanted.size}) | now
    record, diff = {"files": files, "dest": str(dest)}, {"before": before, "after": after}
    return Result(bool(after), record, options.get("uuid"), diff, warnings, tuple(local.backups))


def download_to_come(options: Mapping[str, Any]) -> Result:
    """Return the prediction for an object or field that an earlier task may create."""
    return Result(True, {"files": [], "dest": options["dest"]}, options.get("uuid"))


def _downloads(
    client: Client, dest: Path, files: Sequence[Mapping[str, Any]], picture: Mapping[str, Any] | None
) -> list[_Download]:
    """Choose the name of each file to download.

    :param picture: the size of the thumbnails wanted instead of the files; None: the files are wanted.
    :raises InvalidInput: if two of them have the same place.
    """
    for name, pixels in (picture or {}).items():
        if pixels is not None and not 1 <= pixels <= _MOST_PIXELS:
            raise InvalidInput(f"thumbnail.{name}: {pixels} does not fit; expected 1 to {_MOST_PIXELS}")
    names = [dest.name]
    if dest.is_dir():
        names = [file_name(str(meta["name"] or ""), str(meta["uuid"])) for meta in files]
    elif len(files) > 1:
        raise InvalidInput(
            f"dest: {dest} is not a directory, and {len(files)} files are to be written; expected an existing directory"
        )
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InvalidInput(
            f"dest: several files are called {', '.join(twice)}; download each of them by its uuid to a path of its own"
        )
    if picture is not None:
        names = [f"{name}{_THUMBNAIL}" for name in names] if dest.is_dir() else names
        fetches = [partial(thumbnail, client, str(meta["uuid"]), picture) for meta in files]
        return [_Download(name, None, fetch) for name, fetch in zip(names, fetches, strict=True)]
    sizes = [integer_of(meta.get("size")) for meta in files]
    uuids = [str(meta["uuid"]) for meta in files]
    return [
        _Download(name, size, partial(download, client, uuid, size))
        for name, size, uuid in zip(names, sizes, uuids, strict=True)
    ]


def _to_download(client: Client, options: Mapping[str, Any], in_directory: bool) -> list[dict[str, Any]]:
    """Return the wanted files. If they go into a directory, include their names."""
    uuid = uuid_in(options, "object")
    if uuid:
        record = client.get(FILE, uuid)
        if record is None:
            raise InvalidInput(f"uuid: there is no file with the uuid {uuid}")
        return [{**Schema.for_kind(FILE).show(record.flat), "uuid": record.uuid}]
    schema = client.schema(OBJECT)
    field = attachment_field(schema, options["field"])
    linked = visible_files(client, schema, find_record(client, OBJECT, options["object"]), field)
    if not linked:
        raise NoMatch(f"The object {options['object']!r} has no file in {field.key}.")
    for file in linked:
        if file.size is None or (in_directory and file.name is None):
            describe(client, file)
    shown: list[dict[str, Any]] = type_of(field).show(linked)
    return shown


# ---- reports


def report(client: Client, options: Mapping[str, Any], check_mode: bool) -> Result:
    """Write a PDF report about objects. Every report is new, so an existing file is kept unless ``force`` is set.

    :param options: template (name or uuid), objects, dest, force, mode, owner, group, backup.
    """
    dest = Path(options["dest"]).expanduser()
    if dest.is_dir():
        raise InvalidInput(f"dest: {dest} is a directory; expected the path of a file")
    local = _LocalFiles.from_options(dest.parent, options, check_mode)
    warnings = _place_for(dest, check_mode)
    templates = _report_templates(client)
    wanted = options["template"]
    found = [template for template in templates if wanted in (template.get("uuid"), template.get("name"))]
    if len(found) != 1:
        names = ", ".join(repr(template.get("name")) for template in templates)
        raise InvalidInput(
            f"template: {len(found)} report templates are called {wanted!r}; expected exactly one of {names or 'none'}"
        )
    if not options["objects"]:
        raise InvalidInput("objects: expected at least one object")
    path = {"dest": str(dest)}
    if local.size(dest.name) is not None and not options.get("force"):
        was, now = local.keep(dest.name)
        before, after = (path | was, path | now) if now else ({}, {})
    else:
        by_option = {f"objects[{number}]": option for number, option in enumerate(options["objects"])}
        uuids = [record.uuid for record in find_records(client, OBJECT, by_option)]
        body = {"report_template_uuid": str(found[0]["uuid"]), "object_uuids": uuids}
        before, now = local.write(dest.name, lambda: pdf(client, "/report", body))
        after = path | now
    return Result(bool(after), path, None, {"before": before, "after": after}, warnings, tuple(local.backups))


def report_to_come(options: Mapping[str, Any]) -> Result:
    """Return the prediction for objects that earlier tasks may create."""
    record = {"dest": str(Path(options["dest"]).expanduser())}
    return Result(True, record, diff={"before": {}, "after": record})


def report_template_info(client: Client) -> ListResult:
    """Return the templates for reports. It is an error if an instance of an earlier version has none."""
    templates = [{"uuid": template.get("uuid"), "name": template.get("name")} for template in _report_templates(client)]
    return ListResult(templates, len(templates))


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
