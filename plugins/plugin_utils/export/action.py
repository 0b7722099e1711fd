# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The action ``instance_export`` on the controller: read everything first, then write the files."""

from __future__ import annotations

import tempfile
import time
from collections import Counter
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from ...module_utils.client.connection import connect
from ...module_utils.errors import InvalidInput
from ...module_utils.local.safe_files import FileType
from ...module_utils.model.rooms import COLUMNS
from ...module_utils.printing.cleaner import cleaned
from ...module_utils.resolve.hidden_records import YES
from ..apply.journal import new_set_id
from ..controller.controller_run import ControllerRun
from ..desired.desired import SECTIONS, DesiredInstance
from ..desired.loading import WORKBOOK
from ..desired.settings import API, read_settings
from ..desired.sources.xlsx_source import openpyxl_library
from ..desired.sources.yaml_source import read_yaml
from ..desired.tables import Tables
from ..layers.variables import escaped
from .destination import Content, Destination, bytes_of, listed
from .downloads import FOLDER, Downloads
from .export import Exported, Selection, export_instance
from .json_schema import schema_files
from .layout import BULK, MANY, SCHEMAS, more_files, section_files, settings_file
from .manifest import BOOK, FETCHED, MANIFEST, Manifest, digest
from .workbook import sheets_of, workbook_of

_SETTINGS = "instance.yml"
_LARGEST_SETTINGS = 1 << 20


def export(options: Mapping[str, Any], check_mode: bool) -> dict[str, Any]:
    """Run the module ``instance_export``. Return its result as Ansible wants it."""
    with ControllerRun(options, connect, about="dest: ") as run:
        run.result = _export(run, check_mode)
    return run.result


def _export(run: ControllerRun, check_mode: bool) -> dict[str, Any]:
    started = time.monotonic()
    options = run.options
    dest = Destination.from_options(options)
    client = run.connect()
    format_name = options["format"]
    if format_name == "xlsx":
        openpyxl_library()
    settings, set_id = _settings_of(dest)
    selection = Selection(
        tuple(options["only"]),
        options["filters"],
        {section: tuple(keys) for section, keys in settings.identity.items()},
        observed=settings.observed,
        beside=dict.fromkeys(SECTIONS, COLUMNS) if format_name in ("csv", "xlsx") else {},
    )
    _refuse_a_part(dest, selection, format_name)
    with tempfile.TemporaryDirectory() as directory:
        unchanged = {uuid: path for uuid, path in dest.earlier.downloads.items() if dest.is_as_noted(path)}
        downloads = Downloads(client, Path(directory), unchanged, dest.earlier.names)
        exported = export_instance(client, selection, downloads)
        if settings.declares_variables:
            exported.sections = {name: list(map(escaped, records)) for name, records in exported.sections.items()}
        files = _files(exported, format_name, settings.tables)
        if set_id:
            files[_SETTINGS] = settings_file(client.transport.root, exported.identity, set_id)
        _compare(dest, exported, downloads, files, not selection.only)
        backups = [] if check_mode else dest.carry_out()
    warnings = client.transport.notes()
    if exported.visibility.hidden_records == YES:
        warnings.insert(0, f"This export may be short: {exported.visibility.evidence}.")
    notes = {"warnings": warnings} if warnings else {}
    root = str(Path(options["dest"]).expanduser())
    return {**_result(root, dest, exported, backups, client.transport.sent, time.monotonic() - started), **notes}


def _settings_of(dest: Destination) -> tuple[DesiredInstance, str]:
    """Read ``instance.yml`` in the directory. If a user wrote it, its natural keys and formats of tables are kept.

    :returns: the settings of the user, and the ``set_id`` for a file that the export writes; empty to write none.
    """
    own = DesiredInstance()
    if _SETTINGS not in dest.present:
        return own, new_set_id()
    content = dest.read(_SETTINGS, _LARGEST_SETTINGS)
    try:
        node = read_yaml(content.decode(), _SETTINGS, own.findings)
    except UnicodeDecodeError as error:
        raise InvalidInput(f"dest: {_SETTINGS}: expected UTF-8: {error.reason} at byte {error.start}") from error
    if node is not None:
        read_settings(node, own)
    elif not own.findings:
        raise InvalidInput(f"dest: {_SETTINGS}: this file is empty; expected at least api: {API}")
    if own.findings:
        raise InvalidInput([f"dest: {finding}" for finding in own.findings])
    if content == settings_file("".join(own.instances), own.identity, own.set_id):
        return DesiredInstance(), own.set_id or new_set_id()
    return own, ""


# ---- which files


def _files(exported: Exported, format_name: str, tables: Tables) -> dict[str, bytes]:
    """Return the files with the records."""
    files: dict[str, bytes] = {}
    in_book = [section for section in BULK if section in exported.sections] if format_name == "xlsx" else []
    if in_book:
        files[BOOK], left = workbook_of(exported, tables.format_of(BOOK))
        for section, rest in left.items():
            files |= more_files(section, rest, section in MANY)
    for section, records in exported.sections.items():
        if section not in in_book:
            files |= section_files(section, records, format_name, tables=tables)
    return files


def _refuse_a_part(dest: Destination, selection: Selection, format_name: str) -> None:
    """Refuse to export a part of an earlier workbook: the part would exist twice, or the rest would be lost."""
    if BOOK not in dest.earlier.files or not dest.is_file(BOOK):
        return
    sections = sheets_of(dest.read(BOOK))
    written = {section for section in BULK if selection.includes(section)}
    lost = sorted(sections - written)
    if lost and (sections & written or (written and format_name == "xlsx")):
        raise InvalidInput(
            f"only: {BOOK} in dest contains {', '.join(lost)} too. Export these as well, or export to another "
            "directory."
        )


def _compare(
    dest: Destination, exported: Exported, downloads: Downloads, files: Mapping[str, bytes], is_whole: bool
) -> None:
    """Find the files to write and to remove.

    :param is_whole: False if sections are left out, whose files may name any attachment of an earlier export.
    :raises InvalidInput: if something that no export wrote would be lost or duplicated.
    """
    wanted: dict[str, Content] = {**files}
    wanted |= {f"{SCHEMAS}/{name}": text for name, text in schema_files(exported).items()}
    wanted |= {path: fetched.read_bytes for path, fetched in downloads.fetched.items()}
    still = {*downloads.paths.values()} - set(downloads.fetched)
    kept = {
        path: noted
        for path, noted in dest.earlier.files.items()
        if path in still or not _is_exported(path, exported) or (not is_whole and _section_of(path) == FOLDER)
    }
    strangers = _strangers(dest, exported, wanted)
    removed = [path for path in dest.earlier.files if path not in wanted and path not in kept and dest.is_file(path)]
    edited = [path for path in removed if not dest.is_as_noted(path)]
    if not dest.force:
        _refuse(edited, strangers)
        removed = [path for path in removed if path not in edited]
    dest.compare(dict(sorted(wanted.items())), {*removed, *strangers} - set(wanted))
    dest.after = _manifest(dest, wanted, kept, downloads)
    dest.after.hidden_records = exported.visibility.hidden_records
    _refuse_obstructions(dest)


def _manifest(
    dest: Destination, wanted: Mapping[str, Content], kept: Mapping[str, str], downloads: Downloads
) -> Manifest:
    files = {**kept, **{path: digest(bytes_of(content)) for path, content in wanted.items() if path != _SETTINGS}}
    noted = {uuid: path for uuid, path in {**dest.earlier.downloads, **downloads.paths}.items() if path in files}
    names = {uuid: name for uuid, name in {**dest.earlier.names, **downloads.names}.items() if uuid in noted}
    return Manifest(files, noted, names)


def _section_of(path: str) -> str:
    head = path.split("/", 1)[0]
    return head if "/" in path else head.rsplit(".", 1)[0]


def _is_exported(path: str, exported: Exported) -> bool:
    """Return True if this export may replace or remove a file of an earlier export."""
    section = _section_of(path)
    if path == BOOK:
        return not _sections(exported).isdisjoint(BULK)
    return section in (FOLDER, SCHEMAS) or section in _sections(exported)


def _sections(exported: Exported) -> set[str]:
    return {name.split("/")[0] for name in exported.sections}


# ---- foreign files


def _strangers(dest: Destination, exported: Exported, wanted: Mapping[str, Content]) -> list[str]:
    """Return files that no export wrote, and that would be replaced or contain exported records a second time.

    A file with exactly the bytes to write does not count, because the manifest may have been lost.
    """
    sections = _sections(exported)
    has_books = not sections.isdisjoint(BULK)
    found = [path for path in dest.data() if _section_of(path) in sections or (has_books and _is_book(path))]
    found += [section for section in sorted(sections) if dest.present.get(section) is FileType.LINK]
    found += [path for path in wanted if path in dest.present and path != _SETTINGS]

    def is_known(path: str) -> bool:
        return path in dest.earlier.files or (path in wanted and dest.folder.has_content(path, bytes_of(wanted[path])))

    return [path for path in dict.fromkeys(found) if not dest.is_file(path) or not is_known(path)]


def _is_book(path: str) -> bool:
    """Return True if a file may have the records of any section."""
    return "/" not in path and path.lower().endswith(WORKBOOK)


def _refuse(edited: Collection[str], strangers: Collection[str]) -> None:
    """Raise :class:`InvalidInput` if something that no export wrote would be lost or duplicated.

    Edited attachments and schemas have no records, so they stay.
    """
    problems = []
    if strangers:
        problems.append(
            f"dest: {listed(strangers)}: not written by an export, so nothing is written next to it. Export to an "
            f"empty directory, delete these files, or set force: true to lose them."
        )
    records = [path for path in edited if _section_of(path) in SECTIONS or path == BOOK]
    if records:
        problems.append(
            f"dest: {listed(records)}: edited since an export wrote it, and the instance has no records for it any "
            f"more. Delete it, or set force: true to lose it."
        )
    if problems:
        raise InvalidInput(problems)


def _refuse_obstructions(dest: Destination) -> None:
    """Raise :class:`InvalidInput` if something is in the way of a directory or a file, before anything is written."""
    paths = (*dest.written, *dest.removed, MANIFEST, *((FETCHED,) if dest.after.downloads else ()))
    blocked = [path for path in dest.above(paths) if path not in dest.removed]
    blocked += [path for path in paths if dest.present.get(path) in (FileType.FOLDER, FileType.OTHER)]
    if blocked:
        raise InvalidInput(
            f"dest: {listed(sorted(blocked))}: a link, a directory, a device or a pipe is at a path that "
            f"the export writes; delete it"
        )


def _result(
    root: str, dest: Destination, exported: Exported, backups: list[str], requests: int, seconds: float
) -> dict[str, Any]:
    summary: Counter[str] = Counter()
    for section, records in exported.sections.items():
        summary[section.split("/")[0]] += len(records)
    counts = ", ".join(f"{number} {section}" for section, number in summary.items())
    return {
        "changed": dest.is_changed,
        "dest": root,
        "summary": dict(summary),
        "files": {
            "written": list(dest.written),
            "removed": dest.removed,
            "adjusted": list(dest.adjusted),
            "unchanged": len(dest.unchanged),
        },
        "not_cloned": cleaned(exported.not_cloned),
        "left_out": cleaned(exported.left_out),
        "observed": cleaned(exported.observed),
        "hidden_records": exported.visibility.hidden_records,
        **({"backup_files": backups} if backups else {}),
        "requests": requests,
        "duration": round(seconds, 3),
        "diff": dest.diff,
        "msg": f"{counts}; {dest.counts}",
    }
