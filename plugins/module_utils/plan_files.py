# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Plan files: the changes of a plan with the hash of the record that each was made from, to be applied later."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from . import plan
from .attachments import Contents
from .desired import DesiredInstance, Entry, Limits, Place
from .errors import InvalidInput
from .fields import CellList, CellMap, Plain
from .instance_account import shown
from .kinds import HUB_ITEM, KINDS
from .links import attachments_in
from .planned import InstancePlan, Planned
from .safe_files import Folder

PLAN_VERSION = 1


@dataclass
class StoredPlan:
    """What a plan file holds.

    :ivar desired: its changes, as a desired state.
    :ivar images: identity of an entry to the hash of the record that its change was made from.
    :ivar before: identity of an entry to the fields that its change was to change, as they were.
    :ivar files: identity of an entry to its local files, by path, with their SHA-256.
    :ivar digest: which plan it is: its SHA-256.
    """

    desired: DesiredInstance
    images: dict[int, str] = field(default_factory=dict)
    before: dict[int, Mapping[str, Any]] = field(default_factory=dict)
    files: dict[int, dict[str, str]] = field(default_factory=dict)
    digest: str = ""

    def stale(self, made: InstancePlan, contents: Contents, is_own: Callable[[Planned], bool]) -> list[Planned]:
        """The changes whose records, or whose local files, are not as they were.

        :param is_own: whether a record is as an earlier run of this plan left it.
        """
        return [
            one
            for one in made.changes
            if (self.images.get(id(one.entry), one.image) != one.image and not is_own(one))
            or _files_of(one, contents) != self.files.get(id(one.entry), {})
        ]

    def is_half_done(self, one: Planned) -> bool:
        """Whether what a change has left to do is a part of what was planned: what differs still is as it was then, or
        was not there.
        """
        then = self.before.get(id(one.entry), {})
        now = json.loads(json.dumps(shown(one)["before"], default=str))
        return one.is_half_made or all(name in then and then[name] == value for name, value in now.items())


def read_plan(path: Path) -> StoredPlan:
    """Reads a plan file.

    :raises InvalidInput: where it is none, or of another version.
    """
    try:
        text = path.read_text("utf-8")
        document = json.loads(text)
        if document["version"] != PLAN_VERSION:
            raise InvalidInput(
                f"plan_file: {path} is of version {document['version']}; expected {PLAN_VERSION}. Plan again."
            )
        desired = _desired_from(document)
        changes = zip(desired.entries, document["changes"], strict=True)
        stored = StoredPlan(desired, digest=hashlib.sha256(text.encode()).hexdigest())
        for entry, change in changes:
            stored.images[id(entry)] = change["image"]
            stored.before[id(entry)] = change["before"]
            stored.files[id(entry)] = change.get("files", {})
        return stored
    except OSError as error:
        raise InvalidInput(f"plan_file: {path} can't be read ({error.strerror})") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InvalidInput(f"plan_file: {path} is not a plan of this collection ({error!r}). Plan again.") from error


def write_plan(path: Path, root: str, desired: DesiredInstance, made: InstancePlan, contents: Contents) -> None:
    """Writes a plan file.

    :param root: root of the instance that the plan is for.
    :raises InvalidInput: where that can't be done.
    """
    document = {
        "version": PLAN_VERSION,
        "instance": root,
        "set": desired.set_name,
        "set_id": desired.set_id,
        "timezone": desired.timezone,
        "root": desired.root,
        "identity": {section: list(keys) for section, keys in desired.identity.items()},
        "create_users": desired.policy.create_users,
        "notify": desired.policy.notify,
        "changes": [_stored(planned, contents) for planned in made.changes],
    }
    text = json.dumps(document, indent=1, ensure_ascii=False, default=str) + "\n"
    try:
        Folder(path.parent.resolve(strict=True)).write(path.name, text.encode())
    except OSError as error:
        raise InvalidInput(f"plan_file: {path} can't be written ({error.strerror})") from error


def _stored(planned: Planned, contents: Contents) -> dict[str, Any]:
    return {
        **shown(planned),
        "kind": planned.kind.name,
        "template": planned.entry.template,
        "state": planned.entry.state,
        "fields": {name: _storable(value) for name, value in planned.entry.fields.items()}
        or {key: planned.schema.brief(key, value) for key, value in planned.desired.items()},
        "image": planned.image,
        "files": _files_of(planned, contents),
    }


def _files_of(planned: Planned, contents: Contents) -> dict[str, str]:
    """The local files of a record, by path, with their SHA-256."""
    local = [one for value in planned.desired.values() for one in attachments_in(value) if one.path is not None]
    return {one.written or str(one.path): contents.local(one) for one in local}


def _desired_from(document: Mapping[str, Any]) -> DesiredInstance:
    desired = DesiredInstance(
        instances=[document["instance"]],
        set_name=document["set"],
        set_id=document["set_id"],
        timezone=document["timezone"],
        identity=document["identity"],
        src=document["root"],
        root=document["root"],
    )
    desired.policy = replace(
        desired.policy,
        create_users=document["create_users"],
        notify=document["notify"],
        # The plan was judged when it was made.
        limits=Limits(math.inf, math.inf, math.inf, math.inf, math.inf),
    )
    for change in document["changes"]:
        entry = Entry(
            KINDS[change["kind"]],
            {name: _restored(value) for name, value in change["fields"].items()},
            Place(change["place"]),
            {},
            change["state"],
            change["template"],
            "" if change["action"] == plan.CREATE or change["kind"] == HUB_ITEM.name else change["uuid"] or "",
        )
        desired.entries.append(entry)
    return desired


_SOURCE_TEXT = "!plain"
"""Marks a plain scalar of the files in a plan file, so that ``1.50`` stays the number that it was."""


_CELL = "!cell"
"""Marks a cell of a table that is JSON: its text, which a text type takes, and what it is."""


def _storable(value: Any) -> Any:
    if isinstance(value, Plain):
        return {_SOURCE_TEXT: str(value)}
    if isinstance(value, (CellList, CellMap)):
        items = dict(value) if isinstance(value, CellMap) else list(value)
        return {_CELL: value.text, "is": _storable(items)}
    if isinstance(value, Mapping):
        return {name: _storable(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_storable(one) for one in value]
    return value.isoformat() if isinstance(value, dt.date) else value


def _restored(value: Any) -> Any:
    if isinstance(value, Mapping):
        if set(value) == {_SOURCE_TEXT}:
            return Plain(value[_SOURCE_TEXT])
        if set(value) == {_CELL, "is"}:
            items = _restored(value["is"])
            return CellMap.of(items, value[_CELL]) if isinstance(items, dict) else CellList.of(items, value[_CELL])
        return {name: _restored(one) for name, one in value.items()}
    return [_restored(one) for one in value] if isinstance(value, list) else value
