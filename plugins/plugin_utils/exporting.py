# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the action ``instance_export`` does on the controller: read all of it first, then make the files be so."""

from __future__ import annotations

import hashlib
import json
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from ansible.utils.display import Display

from ansible_collections.community.seventhings.plugins.module_utils.client import Client
from ansible_collections.community.seventhings.plugins.module_utils.connection import connect
from ansible_collections.community.seventhings.plugins.module_utils.desired import SECTIONS
from ansible_collections.community.seventhings.plugins.module_utils.downloads import FOLDER, Downloads
from ansible_collections.community.seventhings.plugins.module_utils.errors import InvalidInput, SeventhingsError
from ansible_collections.community.seventhings.plugins.module_utils.export import (
    Exported,
    Selection,
    export_instance,
)
from ansible_collections.community.seventhings.plugins.module_utils.journal import new_set_id

from .json_schema import schema_files
from .layout import SCHEMAS, section_files, settings_file
from .loading import ENDINGS, load

MANIFEST = ".export.json"
"""Which files an export wrote, by their SHA-256. It is the same for the same records of another instance."""

_FETCHED = ".seventhings/export.json"
"""Which file of the instance each attachment is, and its name: it only saves requests."""

_SETTINGS = "instance.yml"
_EVERY_SECONDS = 4.0
_display = Display()


@dataclass
class Manifest:
    """What an earlier export noted about itself."""

    files: dict[str, str] = field(default_factory=dict)
    downloads: dict[str, str] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, dest: Path) -> Manifest:
        """The manifest of a directory; an empty one where nothing was exported to it."""
        fetched = dest / _FETCHED
        # Earlier versions noted no names.
        return cls(_noted(dest / MANIFEST, "files"), _noted(fetched, "downloads"), _noted(fetched, "names", {}))

    def write(self, dest: Path) -> None:
        """Writes it into the directory."""
        _write(dest / MANIFEST, _note(files=self.files))
        if self.downloads or (dest / _FETCHED).exists():
            _write(dest / _FETCHED, _note(downloads=self.downloads, names=self.names))


def _noted(path: Path, what: str, otherwise: Mapping[str, str] | None = None) -> dict[str, str]:
    """One of the maps that are noted in a file.

    :param otherwise: what it is where the file does not have it; None: it must.
    """
    if not path.exists():
        return {}
    try:
        said = json.loads(path.read_text("utf-8"))
        return dict(said[what] if otherwise is None or what in said else otherwise)
    except (ValueError, KeyError, TypeError) as error:
        raise InvalidInput(f"dest: {path} was not written by an export ({error!r}); take it away") from error


def _note(**noted: Mapping[str, str]) -> bytes:
    return (json.dumps({"version": 1, **noted}, indent=1, sort_keys=True, ensure_ascii=False) + "\n").encode()


@dataclass
class Changes:
    """What becomes of the files below ``dest``, by path."""

    written: dict[str, bytes | Path] = field(default_factory=dict)
    unchanged: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    manifest: Manifest = field(default_factory=Manifest)


def export(options: Mapping[str, Any], check_mode: bool) -> dict[str, Any]:
    """One call of the module ``instance_export``: its result as Ansible wants it."""
    connected: list[Client] = []
    try:
        return _export(options, check_mode, connected)
    except SeventhingsError as error:
        message = error.message
    except OSError as error:
        message = f"dest: {error}"
    return {
        "failed": True,
        "changed": False,
        "msg": message,
        "requests": connected[0].transport.sent if connected else 0,
    }


def _export(options: Mapping[str, Any], check_mode: bool, connected: list[Client]) -> dict[str, Any]:
    started = time.monotonic()
    dest = Path(options["dest"]).expanduser()
    client = connect(options, read_only=True)
    connected.append(client)
    earlier = Manifest.read(dest)
    selection = Selection(tuple(options["only"]), options["filters"], _identity(dest))
    with tempfile.TemporaryDirectory() as held:
        downloads = Downloads(client, Path(held), _still_there(dest, earlier), earlier.names)
        exported = export_instance(client, selection, downloads, _tell())
        changes = _changes(dest, earlier, exported, downloads, options["format"], client.transport.root)
        if not check_mode:
            _carry_out(dest, changes)
    return _result(dest, exported, changes, client.transport.sent, time.monotonic() - started)


def _identity(dest: Path) -> Mapping[str, Any]:
    """The natural keys that an ``instance.yml`` in the directory names: its author decides."""
    if not (dest / _SETTINGS).is_file() or _is_as_exported(dest):
        return {}
    loaded = load(dest)
    wrong = [finding for finding in loaded.findings if finding.place.source == _SETTINGS]
    if wrong:
        raise InvalidInput([f"dest: {finding}" for finding in wrong])
    return {section: tuple(keys) for section, keys in loaded.identity.items()}


def _is_as_exported(dest: Path) -> bool:
    """Whether ``instance.yml`` is as an export wrote it; once somebody changed it, it is theirs."""
    content = (dest / _SETTINGS).read_bytes()
    try:
        said = yaml.safe_load(content)
        return content == settings_file(said["instance"], said.get("identity", {}), said.get("set_id", ""))
    except (yaml.YAMLError, AttributeError, KeyError, TypeError, ValueError):
        return False


def _set_id(dest: Path) -> str:
    """The ``set_id`` that an earlier export wrote; a new one where there is none."""
    if (dest / _SETTINGS).exists():
        kept = yaml.safe_load((dest / _SETTINGS).read_bytes()).get("set_id")
        if kept:
            return str(kept)
    return new_set_id()


def _still_there(dest: Path, earlier: Manifest) -> dict[str, str]:
    """The attachments that an earlier export fetched and that nobody touched since."""
    return {
        uuid: path
        for uuid, path in earlier.downloads.items()
        if (dest / path).is_file() and earlier.files.get(path) == _digest((dest / path).read_bytes())
    }


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


# ---- which files


def _changes(
    dest: Path,
    earlier: Manifest,
    exported: Exported,
    downloads: Downloads,
    format_name: str,
    root: str,
) -> Changes:
    wanted: dict[str, bytes | Path] = {}
    for section, records in exported.sections.items():
        wanted |= section_files(section, records, format_name)
    wanted |= {f"{SCHEMAS}/{name}": text for name, text in schema_files(exported).items()}
    _refuse_strangers(dest, earlier, exported, wanted)
    if not (dest / _SETTINGS).exists() or _is_as_exported(dest):
        wanted[_SETTINGS] = settings_file(root, exported.identity, _set_id(dest))
    kept = {path: digest for path, digest in earlier.files.items() if not _is_exported(path, exported)}
    still = {*downloads.paths.values(), *_named_elsewhere(dest, earlier, exported)} - set(downloads.fetched)
    kept |= {path: earlier.files[path] for path in still if path in earlier.files}
    wanted |= downloads.fetched
    return _compare(dest, earlier, wanted, kept, downloads)


def _compare(
    dest: Path, earlier: Manifest, wanted: Mapping[str, bytes | Path], kept: dict[str, str], downloads: Downloads
) -> Changes:
    changes = Changes()
    digests = dict(kept)
    for path, content in sorted(wanted.items()):
        data = content if isinstance(content, bytes) else content.read_bytes()
        if path != _SETTINGS:
            digests[path] = _digest(data)
        if (dest / path).is_file() and (dest / path).read_bytes() == data:
            changes.unchanged.append(path)
        else:
            changes.written[path] = content
    changes.removed = sorted(path for path in earlier.files if path not in digests and (dest / path).is_file())
    noted = {uuid: path for uuid, path in {**earlier.downloads, **downloads.paths}.items() if path in digests}
    names = {uuid: name for uuid, name in {**earlier.names, **downloads.names}.items() if uuid in noted}
    changes.manifest = Manifest(digests, noted, names)
    return changes


def _section_of(path: str) -> str:
    head = path.split("/", 1)[0]
    return head if "/" in path else head.rsplit(".", 1)[0]


def _is_exported(path: str, exported: Exported) -> bool:
    """Whether this export decides about a file of an earlier one."""
    section = _section_of(path)
    return section in (FOLDER, SCHEMAS) or section in {name.split("/")[0] for name in exported.sections}


def _named_elsewhere(dest: Path, earlier: Manifest, exported: Exported) -> set[str]:
    """The attachments of an earlier export that are named in files which this one does not decide about: of sections
    that are left out of it, or written beside it.
    """
    attachments = {path: path.encode() for path in earlier.files if _section_of(path) == FOLDER}
    named: set[str] = set()
    for file in sorted(dest.rglob("*")) if attachments else ():
        if file.suffix in ENDINGS and not _is_exported(file.relative_to(dest).as_posix(), exported):
            content = file.read_bytes()
            named |= {path for path, text in attachments.items() if text in content}
    return named


def _refuse_strangers(dest: Path, earlier: Manifest, exported: Exported, wanted: Mapping[str, Any]) -> None:
    """Files of the exported sections that no export wrote would hold the same records a second time."""
    sections = {name.split("/")[0] for name in exported.sections}
    strangers = [
        name
        for path in sorted(dest.rglob("*") if dest.is_dir() else ())
        if path.is_file() and path.suffix in ENDINGS
        for name in [path.relative_to(dest).as_posix()]
        if name not in earlier.files and _section_of(name) in sections & set(SECTIONS)
    ]
    # A file with just the bytes that would be written is no stranger (a manifest was lost).
    strangers = [name for name in strangers if name not in wanted or (dest / name).read_bytes() != wanted[name]]
    if strangers:
        raise InvalidInput(
            f"dest: {', '.join(strangers)}: not written by an export, so nothing is written beside it. Export to an "
            f"empty directory, or take these files away."
        )


# ---- writing


def _carry_out(dest: Path, changes: Changes) -> None:
    # The note comes first: what it names and a broken run did not write is no harm, a file that it lacks is.
    before = Manifest.read(dest)
    after = changes.manifest
    both = Manifest({**before.files, **after.files}, after.downloads, after.names)
    if changes.written or changes.removed:
        both.write(dest)
    for path, content in changes.written.items():
        _write(dest / path, content if isinstance(content, bytes) else content.read_bytes())
    for path in changes.removed:
        (dest / path).unlink(missing_ok=True)
        for folder in (dest / path).relative_to(dest).parents:
            if folder != Path() and not any((dest / folder).iterdir()):
                (dest / folder).rmdir()
    changes.manifest.write(dest)


def _write(path: Path, content: bytes) -> None:
    """All of a file or nothing of it; one that is so already is not touched."""
    if path.is_file() and path.read_bytes() == content:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f".{path.name}.new")
    fresh.write_bytes(content)
    fresh.replace(path)


# ---- telling


def _tell() -> Any:
    last = [time.monotonic()]

    def tell(section: str, number: int) -> None:
        now = time.monotonic()
        if now - last[0] >= _EVERY_SECONDS:
            last[0] = now
            _display.display(f"{section}: {number} read")

    return tell


def _result(dest: Path, exported: Exported, changes: Changes, requests: int, seconds: float) -> dict[str, Any]:
    summary: dict[str, int] = {}
    for section, records in exported.sections.items():
        name = section.split("/")[0]
        summary[name] = summary.get(name, 0) + len(records)
    lines = [*(f"~ {path}" for path in changes.written), *(f"- {path}" for path in changes.removed)]
    told = ", ".join(f"{number} {section}" for section, number in summary.items())
    return {
        "changed": bool(lines),
        "dest": str(dest),
        "summary": summary,
        "files": {
            "written": list(changes.written),
            "removed": changes.removed,
            "unchanged": len(changes.unchanged),
        },
        "not_cloned": exported.not_cloned,
        "left_out": exported.left_out,
        "requests": requests,
        "duration": round(seconds, 3),
        "diff": {"prepared": "".join(line + "\n" for line in lines)},
        "msg": f"{told}; {len(changes.written)} files written, {len(changes.removed)} removed, "
        f"{len(changes.unchanged)} as they were",
    }
