# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Plan files: the changes of a plan with the hash of each record before its change, to be applied later.

A digest approves a plan file. Without a digest, everybody who could write the file may have changed it, so nothing in
it is trusted: its shape is checked, the task's limits apply again, and it names no file outside of ``src``.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NoReturn

from ...module_utils.client.files import Contents
from ...module_utils.client.limits import KEPT_MEMBERS, decode_json
from ...module_utils.errors import InvalidInput
from ...module_utils.local.access import PRIVATE_FILE, Access
from ...module_utils.local.safe_files import Folder
from ...module_utils.model.field import CellList, CellMap, Plain, shorten
from ...module_utils.model.kinds import KINDS, OBJECT
from ...module_utils.model.types_links import attachments_in
from ...module_utils.plan.change import CREATE
from ..desired.desired import DesiredInstance, SourceCount
from ..desired.entry import Entry
from ..desired.fingerprints import Fingerprints, Placeholders, Written, hidden_names, keyed_hash
from ..desired.hiding import VAULTED, Hiding
from ..desired.lifecycle import Lifecycle
from ..desired.positions import UNKNOWN_PLACES, Place, Positions, place_of_text
from ..report.result import shown
from ..set_plan.plan import InstancePlan, Planned
from .plan_shape import DEEPEST_DOCUMENT, check_document

PLAN_VERSION = 2

MAX_PLAN = 268_435_456
"""Maximum size of a plan file in bytes: some hundred thousand changes."""

_encode = json.JSONEncoder(indent=1, ensure_ascii=False, default=str, allow_nan=False).encode
_DIGEST = re.compile("(?:sha256:)?([0-9a-fA-F]{64})")


@dataclass
class StoredPlan:
    """The contents of a plan file.

    :ivar desired: its changes, as a desired state.
    :ivar fingerprints: identity of an entry to the hash of the record before its change.
    :ivar before: identity of an entry to the fields to change, with their values at that time.
    :ivar files: identity of an entry to its local files, by path, with their SHA-256.
    :ivar digest: the SHA-256 of the file.
    :ivar placeholders: the placeholders of vaulted values, which no plan file has.
    :ivar protections: uuids of records, each with True if it must stay once the plan is applied.
    """

    desired: DesiredInstance
    fingerprints: dict[int, str] = field(default_factory=dict)
    before: dict[int, Mapping[str, Any]] = field(default_factory=dict)
    files: dict[int, dict[str, str]] = field(default_factory=dict)
    digest: str = ""
    placeholders: Placeholders = field(default_factory=lambda: Placeholders({}))
    protections: Mapping[str, bool] = field(default_factory=dict)

    @property
    def removes_records(self) -> bool:
        """Return True if the plan removes or archives a record."""
        return any(entry.state != "present" for entry in self.desired.entries)

    def locate_files(self, src: Path | None, root: str) -> None:
        """Note the present place of the files, wherever they were when the plan was made.

        :param src: the planned directory, or the file; None: unknown.
        :param root: what the paths of local files are relative to; empty: unknown.
        :raises InvalidInput: if the plan has local files, and their place is unknown.
        """
        paths = [path for files in self.files.values() for path in files if path != VAULTED]
        if not root and paths:
            raise InvalidInput(
                f"plan_file: this plan has local files, such as {shorten(min(paths))}; give src too, the directory "
                f"that they are in"
            )
        self.desired.src = "" if src is None else str(src if src.is_dir() else src.parent)
        self.desired.origin = "" if src is None else str(src)
        self.desired.root = root

    def locate_layers(self, written: DesiredInstance) -> None:
        """Note the layer of the local files of each record.

        :param written: the source of the plan, read once more.
        """
        found = {(entry.kind.name, str(entry.place)): entry for entry in written.entries}
        for entry in self.desired.entries:
            same = found.get((entry.kind.name, str(entry.place)))
            if same is not None:
                entry.places, entry.root = same.places, same.root

    def stale(self, plan: InstancePlan, contents: Contents, is_own: Callable[[Planned], bool]) -> list[Planned]:
        """Return the changes whose records or local files differ from the plan.

        :param is_own: returns True if an earlier run of this plan left a record in its present state.
        """

        def is_stale(planned: Planned) -> bool:
            fingerprint, files = _marks_of(planned, contents, self.placeholders.keys.get(id(planned.entry)))
            is_changed = self.fingerprints.get(id(planned.entry), fingerprint) != fingerprint
            return (is_changed and not is_own(planned)) or files != self.files.get(id(planned.entry), {})

        return [planned for planned in plan.changes if is_stale(planned)]

    def is_half_done(self, planned: Planned) -> bool:
        """Return True if what is left to change is a part of the planned change.

        This is the case if each differing field has its value from the time of the plan, or was missing then.
        """
        then = self.before.get(id(planned.entry), {})
        shown_now = shown(planned, self.desired.hiding.lasting)
        now = json.loads(json.dumps(shown_now["before"], default=str))
        return planned.change.is_half_created or all(
            name in then and then[name] == value for name, value in now.items()
        )


def note_protections(desired: DesiredInstance, files: Iterable[DesiredInstance]) -> None:
    """Note which records the present files protect.

    :param desired: the state of a plan file, which is older than the files.
    :param files: the present files, read once; empty if they are not read.
    """
    for written in files:
        desired.lifecycle = {
            section: Lifecycle(protect=lifecycle.protect) for section, lifecycle in written.lifecycle.items()
        }
        desired.setting_places = dict(written.setting_places)
        every = (*written.entries, *written.unmanaged)
        desired.shields = [entry for entry in every if entry.lifecycle.is_protected]


class _StoredPlaces(Positions):
    """The places of the fields of a record as a plan file has them."""

    __slots__ = ("_places",)

    def __init__(self, places: Mapping[str, Place]) -> None:
        self._places = places

    def names(self) -> Collection[str]:
        return self._places.keys()

    def of_field(self, name: str) -> Place:
        return self._places[name]


@dataclass(frozen=True)
class PlanFile:
    """A plan file on this machine: a regular file, not a link.

    :ivar path: its present or future place.
    :ivar stored: its contents, in a run that applies it. Its changes are then the only desired state.
    :ivar stale: what to do with a change whose record changed since the plan: ``refuse`` or ``skip``.
    :ivar written: reads the source of the plan, because the plan has only hashes of vaulted values.
    """

    path: Path
    stored: StoredPlan | None = None
    stale: str = "refuse"
    written: Written | None = None

    @cached_property
    def _folder(self) -> Folder:
        return Folder(self.path.parent)

    def read(self) -> StoredPlan | None:
        """Return the plan, or None without a file.

        :raises InvalidInput: if it is not a plan, of another version, too long, or no regular file.
        """
        content = self._content()
        return None if content is None else _stored_plan(content, self.path)

    def require_writable(self) -> None:
        """Check that a plan can be written here, before anything is sent.

        :raises InvalidInput: if the directory does not exist, or something else than a regular file has the name.
        """
        if not self.path.parent.is_dir():
            raise InvalidInput(f"plan_file: {self.path} can't be written (there is no such directory)")
        self._content()

    def write(
        self,
        root: str,
        desired: DesiredInstance,
        plan: InstancePlan,
        contents: Contents,
        without_credentials: Callable[[Any], Any],
        warned: Container[Place] = (),
    ) -> str:
        """Write a plan with private access.

        :param root: root of the instance of the plan.
        :param without_credentials: returns data of the instance without credentials.
        :param warned: the places in warnings, so that the run that applies the plan warns in the same words.
        :returns: its digest.
        :raises InvalidInput: if it cannot be written.
        """
        content = _content_of(_document(root, desired, plan, contents, without_credentials, warned))
        if len(content) > MAX_PLAN:
            raise InvalidInput(
                f"plan_file: the plan has {len(content)} bytes; expected at most {MAX_PLAN}. Choose less with only."
            )
        try:
            self._folder.write(self.path.name, content, Access(mode=PRIVATE_FILE))
        except OSError as error:
            self._refuse(f"can't be written ({error.strerror})", error)
        return hashlib.sha256(content).hexdigest()

    def discard(self) -> None:
        """Remove an earlier plan. A file that is not a plan is left alone."""
        try:
            stored = self.read()
        except InvalidInput:
            return
        if stored is not None:
            self.remove(stored.digest)

    def remove(self, digest: str) -> None:
        """Remove the file, unless it is no longer the file with the digest."""
        content = self._content()
        if content is None or hashlib.sha256(content).hexdigest() != digest:
            return
        try:
            self._folder.remove(self.path.name)
        except OSError as error:
            self._refuse(f"can't be removed ({error.strerror})", error)

    def _content(self) -> bytes | None:
        try:
            return self._folder.read(self.path.name, MAX_PLAN)
        except FileNotFoundError:
            return None
        except InvalidInput as error:
            raise InvalidInput(f"plan_file: {error.message}") from error
        except OSError as error:
            self._refuse(f"can't be read ({error.strerror})", error)

    def _refuse(self, why: str, error: OSError) -> NoReturn:
        raise InvalidInput(f"plan_file: {self.path} {why}") from error


def sha256_of(written: str, option: str) -> str:
    """Return a digest written in an option in its normalised form.

    :raises InvalidInput: if it is not a digest.
    """
    found = _DIGEST.fullmatch(written.strip())
    if found is None:
        raise InvalidInput(f"{option}: {shorten(written)} does not fit; expected a SHA-256, 64 hexadecimal digits")
    return found.group(1).lower()


def _stored_plan(content: bytes, path: Path) -> StoredPlan:
    try:
        document = decode_json(
            content.decode(),
            KEPT_MEMBERS,
            DEEPEST_DOCUMENT,
            parse_constant=_refuse_constant,
            object_pairs_hook=_each_once,
        )
        if not isinstance(document, dict) or "version" not in document:
            raise ValueError("version is missing")
        version = document["version"]
        if version != PLAN_VERSION or not isinstance(version, int):
            raise InvalidInput(
                f"plan_file: {path} is of version {shorten(version)}; expected {PLAN_VERSION}. Plan again."
            )
        check_document(document)
        return _plan_from(document, hashlib.sha256(content).hexdigest())
    except ValueError as error:
        raise InvalidInput(f"plan_file: {path} is not a plan of this collection ({error}). Plan again.") from error


def _plan_from(document: Mapping[str, Any], digest: str) -> StoredPlan:
    """Return the plan of a valid document.

    :raises ValueError: if a value has an impossible mark.
    """
    stored = StoredPlan(
        _desired_from(document),
        digest=digest,
        placeholders=Placeholders(document["vaulted"]),
        protections=document["protections"],
    )
    for change in document["changes"]:
        entry = _entry_from(change)
        stored.desired.entries.append(entry)
        stored.fingerprints[id(entry)] = change["image"]
        stored.before[id(entry)] = change["before"]
        stored.files[id(entry)] = change["files"]
        if change["vaulted"] is not None:
            stored.placeholders.add(entry, change["vaulted"])
    return stored


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


def _each_once(members: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Return a map after checking that no member repeats.

    Of two members with one name, other readers of the plan might use the other one.
    """
    found = dict(members)
    if len(found) < len(members):
        counts = Counter(name for name, _value in members)
        raise ValueError(f"{shorten(max(counts, key=lambda name: counts[name]))} is written twice")
    return found


def _content_of(document: Mapping[str, Any]) -> bytes:
    try:
        text = _encode(document) + "\n"
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"plan_file: the plan can't be written as JSON ({error})") from error
    # Services may return halves of surrogate pairs. Write them as JSON escapes.
    return text.encode(errors="backslashreplace")


def _document(
    root: str,
    desired: DesiredInstance,
    plan: InstancePlan,
    contents: Contents,
    without_credentials: Callable[[Any], Any],
    warned: Container[Place],
) -> dict[str, Any]:
    hidden = {id(planned.entry): _hidden_in(planned, desired.hiding) for planned in plan.changes}
    hidden_entries = [
        (planned.entry, hidden[id(planned.entry)]) for planned in plan.changes if hidden[id(planned.entry)]
    ]
    fingerprints = Fingerprints.for_entries(hidden_entries)
    changes = [
        {
            **_stored(planned, contents, hidden[id(planned.entry)], fingerprints, desired.hiding),
            **_warned_places(planned.entry, hidden[id(planned.entry)], warned),
        }
        for planned in plan.changes
    ]
    # The fields to write come from the files. Only the diff may contain what the service returned.
    sides = without_credentials([{side: change[side] for side in ("before", "after")} for change in changes])
    return {
        "version": PLAN_VERSION,
        "instance": root,
        "set": desired.set_name,
        "set_id": desired.set_id,
        "timezone": desired.timezone,
        "identity": {section: list(keys) for section, keys in desired.identity.items()},
        "scope": _storable(desired.scope),
        "observed": {section: list(names) for section, names in desired.observed.items()},
        "limits": dict(desired.policy.limits),
        "create_users": bool(desired.policy.create_users),
        "notify": desired.policy.notify,
        "vaulted": fingerprints.document(),
        "moved": {section: _storable(pairs) for section, pairs in _old_names(desired, plan).items()},
        "set_sizes": plan.set_sizes,
        "sources": [[*source, *count] for source, count in desired.sources.items()],
        "protections": {protection.mark: protection.is_protected for protection in plan.protections if protection.mark},
        "changes": [{**change, **shown_sides} for change, shown_sides in zip(changes, sides, strict=True)],
    }


def _old_names(desired: DesiredInstance, plan: InstancePlan) -> dict[str, list[Any]]:
    """Return earlier names of records in the references of the changes, which the records may no longer have."""
    moved = {section: list(pairs) for section, pairs in desired.moved.items()}
    codes = [
        ({relabelled.name: relabelled.written}, {relabelled.name: relabelled.now})
        for relabelled in plan.scan_codes.differing
    ]
    if codes:
        moved.setdefault(OBJECT.section, []).extend(codes)
    return moved


def _hidden_in(planned: Planned, hiding: Hiding) -> list[str]:
    """Return the fields of an entry that no plan file has."""

    def key_of(name: str) -> str:
        field = planned.schema.find(name)
        return field.key if field is not None else name

    return hidden_names(hiding, planned.entry, key_of)


def _stored(
    planned: Planned, contents: Contents, hidden: Sequence[str], fingerprints: Fingerprints, hiding: Hiding
) -> dict[str, Any]:
    entry = planned.entry
    fingerprint, files = _marks_of(planned, contents, fingerprints.key_of(entry) if hidden else None)
    return {
        **shown(planned, hiding.lasting),
        "key": planned.noted,
        "kind": planned.kind.name,
        "template": entry.template,
        "state": entry.state,
        "pruned": entry.pruned,
        "protect": entry.lifecycle.is_protected,
        "fields": {name: _storable(value) for name, value in _compared(planned).items() if name not in hidden}
        if entry.fields
        else {
            key: planned.schema.brief(key, value)
            for key, value in planned.desired.items()
            if not hiding.covers(entry, key)
        },
        "image": fingerprint,
        "files": files,
        "vaulted": fingerprints.place(entry, hidden) if hidden else None,
    }


def _warned_places(entry: Entry, hidden: Sequence[str], warned: Container[Place]) -> dict[str, dict[str, str]]:
    """Return the member with the places of the fields that warnings name; empty without such a field."""
    places = {
        name: str(place)
        for name in entry.fields
        if (place := entry.place_of(name)) in warned and name not in hidden and place != entry.place
    }
    return {"places": places} if places else {}


def _compared(planned: Planned) -> Mapping[str, Any]:
    """Return the fields of an entry, except ignored fields."""
    fields = _read(planned)
    if not planned.left_alone:
        return fields
    known = {name: planned.schema.find(name) for name in fields}
    left = {name for name, field in known.items() if field is not None and field.key in planned.left_alone}
    return {name: value for name, value in fields.items() if name not in left}


def _read(planned: Planned) -> Mapping[str, Any]:
    """Return the fields of an entry as readers return them, whatever their source."""
    cells = planned.entry.cells
    return planned.entry.fields if cells is None else cells.read(planned.schema, planned.entry.fields)[0]


def _marks_of(planned: Planned, contents: Contents, key: bytes | None) -> tuple[str, dict[str, str]]:
    """Return the hash of the record before a change, and the hashes of its local files.

    :param key: for an entry with vaulted values; nobody can test guesses against the hashes without it.
    """
    files = _files_of(planned, contents)
    if key is None:
        return planned.fingerprint, files
    return keyed_hash(key, planned.fingerprint), {VAULTED: keyed_hash(key, json.dumps(files, sort_keys=True))}


def _files_of(planned: Planned, contents: Contents) -> dict[str, str]:
    """Return the local files of a record, by path, with their SHA-256."""
    local = [file for value in planned.desired.values() for file in attachments_in(value) if file.path is not None]
    return {file.written or str(file.path): contents.local(file) for file in local}


def _desired_from(document: Mapping[str, Any]) -> DesiredInstance:
    """Return the settings of a valid document as a desired state without records.

    :raises ValueError: if a value has an impossible mark.
    """
    desired = DesiredInstance(
        instances=[document["instance"]],
        set_name=document["set"],
        set_id=document["set_id"],
        timezone=document["timezone"],
        identity=document["identity"],
        scope=_restored(document["scope"]),
        observed=document.get("observed", {}),
        set_sizes=document.get("set_sizes", {}),
        sources={(path, section): SourceCount(*counts) for path, section, *counts in document.get("sources", ())},
        old_names={
            section: [(_restored(old), _restored(new)) for old, new in pairs]
            for section, pairs in document["moved"].items()
        },
    )
    desired.policy = replace(
        desired.policy,
        limits=document["limits"],
        create_users=document["create_users"],
        notify=document["notify"],
    )
    return desired


def _entry_from(change: Mapping[str, Any]) -> Entry:
    """Return a change of a valid document as a desired record.

    :raises ValueError: if a value has an impossible mark.
    """
    kind = KINDS[change["kind"]]
    places = {name: place_of_text(place) for name, place in change.get("places", {}).items()}
    return Entry(
        kind,
        {name: _restored(value) for name, value in change["fields"].items()},
        place_of_text(change["place"]),
        _StoredPlaces(places) if places else UNKNOWN_PLACES,
        state=change["state"],
        template=change["template"],
        uuid="" if change["action"] == CREATE or kind.numbered else change["uuid"],
        pruned=change["pruned"],
        lifecycle=Lifecycle(is_protected=change["protect"]),
    )


_SOURCE_TEXT = "!plain"
"""Marks an unquoted scalar of the files in a plan file, so that ``1.50`` stays the number that it was."""


_CELL = "!cell"
"""Marks a table cell with JSON: its text, for text types, and its value."""


def _storable(value: Any) -> Any:
    if isinstance(value, Plain):
        return {_SOURCE_TEXT: str(value)}
    if isinstance(value, (CellList, CellMap)):
        items = dict(value) if isinstance(value, CellMap) else list(value)
        return {_CELL: value.text, "is": _storable(items)}
    if isinstance(value, Mapping):
        return {name: _storable(member) for name, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [_storable(item) for item in value]
    return value.isoformat() if isinstance(value, dt.date) else value


def _restored(value: Any) -> Any:
    if isinstance(value, Mapping):
        if set(value) == {_SOURCE_TEXT}:
            return Plain(_text_of(value[_SOURCE_TEXT]))
        if set(value) == {_CELL, "is"}:
            items, text = _restored(value["is"]), _text_of(value[_CELL])
            if not isinstance(items, (dict, list)):
                raise ValueError(f"{_CELL}: {shorten(items)} does not fit; expected a list or a map")
            return CellMap.from_members(items, text) if isinstance(items, dict) else CellList.from_items(items, text)
        return {name: _restored(member) for name, member in value.items()}
    return [_restored(item) for item in value] if isinstance(value, list) else value


def _text_of(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{shorten(value)} does not fit; expected a text")
    return value
