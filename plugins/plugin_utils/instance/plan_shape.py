# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The shape of a plan file: its members and their types. Whoever can write the file can write anything."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from pathlib import PurePosixPath
from typing import Any
from zoneinfo import ZoneInfo

from ...module_utils.client.connection import named_root
from ...module_utils.errors import InvalidInput
from ...module_utils.model.field import is_uuid, shorten
from ...module_utils.model.kinds import KINDS, TEMPLATES
from ...module_utils.plan.change import ARCHIVE, CREATE, DELETE, UPDATE
from ..desired.desired import SECTIONS, Limits, limit_of, states_of

MAX_DEPTH = 64
"""Maximum depth of a value in a plan: more than any plan has, and far below the limit of the stack."""

DEEPEST_DOCUMENT = MAX_DEPTH + 8
"""Maximum depth of a whole plan: its values are in members of its members."""

_HEX = re.compile("(?:[0-9a-f]{2}){1,64}")
_SHA256 = re.compile("[0-9a-f]{64}")
_ACTIONS = (CREATE, UPDATE, DELETE, ARCHIVE)
_LIMITS = frozenset(vars(Limits()))

_Shape = tuple[Callable[[Any], bool], str]
"""A check that returns True if a value fits, and the expectation in words."""


def check_document(document: Any) -> None:
    """Check a plan file, except for its version.

    :param document: decoded JSON.
    :raises ValueError: if a member is missing or does not fit.
    """
    _check(document, {**_DOCUMENT, **{name: shape for name, shape in _LATER.items() if name in document}}, "")
    for number, change in enumerate(document["changes"]):
        _check(change, {**_CHANGE, **_PLACES} if "places" in change else _CHANGE, f"changes[{number}].")
        _check_change(change, f"changes[{number}].")
        if change["vaulted"] is not None and change["vaulted"]["file"] not in document["vaulted"]:
            raise ValueError(f"changes[{number}].vaulted: there is no hash of {shorten(change['vaulted']['file'])}")


def _check(value: Mapping[str, Any], shapes: Mapping[str, _Shape], prefix: str) -> None:
    for name, (fits, expected) in shapes.items():
        if name not in value:
            raise ValueError(f"{prefix}{name} is missing")
        if not fits(value[name]):
            raise ValueError(f"{prefix}{name}: {shorten(value[name])} does not fit; expected {expected}")


def _check_change(change: Mapping[str, Any], prefix: str) -> None:
    """Check that the members of a change are consistent."""
    section, state = change["section"], change["state"]
    if change["kind"] != SECTIONS[section]:
        raise ValueError(f"{prefix}kind: {shorten(change['kind'])} does not fit; expected {SECTIONS[section]}")
    if state not in states_of(section):
        allowed = " or ".join(states_of(section))
        raise ValueError(f"{prefix}state: {shorten(state)} does not fit; expected {allowed}")
    kind = KINDS[SECTIONS[section]]
    if (change["template"] in TEMPLATES) != kind.defines_fields:
        raise ValueError(f"{prefix}template: {shorten(change['template'])} does not fit {section}")
    is_by_uuid = change["action"] != CREATE and not kind.numbered
    if is_by_uuid and not is_uuid(change["uuid"]):
        raise ValueError(f"{prefix}uuid: {shorten(change['uuid'])} does not fit; expected that of the record")
    if change["pruned"] and (state == "present" or not is_by_uuid):
        raise ValueError(f"{prefix}pruned: a pruned record must exist and be removed")


# ---- validation


def is_value(value: Any, depth: int = 0) -> bool:
    """Return True if a JSON value can be the value of a field: not too deep, too large or of another type."""
    if depth > MAX_DEPTH:
        return False
    if isinstance(value, dict):
        return all(_is_text(name) and is_value(member, depth + 1) for name, member in value.items())
    if isinstance(value, list):
        return all(is_value(item, depth + 1) for item in value)
    if isinstance(value, float):
        return math.isfinite(value)
    return not isinstance(value, str) or _is_text(value)


def _leads_outside(path: str) -> bool:
    """Return True if a relative path of a local file, as written, leads out of its directory."""
    parts = PurePosixPath(path)
    return parts.is_absolute() or ".." in parts.parts or "\0" in path


def _is_text(value: Any) -> bool:
    # Halves of surrogate pairs can't be sent or printed.
    return isinstance(value, str) and (value.isascii() or not re.search("[\ud800-\udfff]", value))


def _is_map(value: Any) -> bool:
    return isinstance(value, dict)


def _is_root(value: Any) -> bool:
    try:
        return _is_text(value) and named_root(value) == value
    except InvalidInput:
        return False


def _is_timezone(value: Any) -> bool:
    try:
        return value == "" or (_is_text(value) and bool(ZoneInfo(value)))
    except (ValueError, OSError, KeyError):
        return False


def _is_names(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(map(_is_text, value))


def _by_section(fits: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: _is_map(value) and all(name in SECTIONS and fits(member) for name, member in value.items())


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_source(value: Any) -> bool:
    return (
        isinstance(value, list) and len(value) == 4 and all(map(_is_text, value[:2])) and all(map(_is_count, value[2:]))
    )


def _is_scope(value: Any) -> bool:
    return _is_map(value) and bool(value) and all(isinstance(member, list) and member for member in value.values())


def _is_pairs(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(pair, list) and len(pair) == 2 and all(map(_is_map, pair)) for pair in value
    )


def _is_limits(value: Any) -> bool:
    return _is_map(value) and all(
        name in _LIMITS and not isinstance(number, str) and limit_of(number) is not None
        for name, number in value.items()
    )


def _is_files(value: Any) -> bool:
    return _is_map(value) and all(
        _is_text(path) and path and not _leads_outside(path) and _is_sha256(digest) for path, digest in value.items()
    )


def _is_sha256(value: Any) -> bool:
    return isinstance(value, str) and _SHA256.fullmatch(value) is not None


def _one_of(*names: str) -> _Shape:
    return lambda value: isinstance(value, str) and value in names, f"one of {', '.join(names)}"


def _is_hex(value: Any) -> bool:
    return isinstance(value, str) and _HEX.fullmatch(value) is not None


def _is_hashes(value: Any) -> bool:
    """Return True if a value is a map of files to the salted hashes of their vaulted content."""
    return _is_map(value) and all(
        _is_map(member) and set(member) == {"salt", "scrypt"} and all(map(_is_hex, member.values()))
        for member in value.values()
    )


def _is_placeholder(value: Any) -> bool:
    """Return True if a value names the hidden values of a record. None means that it has none."""
    return value is None or (
        _is_map(value)
        and set(value) == {"file", "place", "fields"}
        and _is_text(value["file"])
        and _is_text(value["place"])
        and (value["fields"] is None or _is_names(value["fields"]))
    )


_TEXT: _Shape = (_is_text, "text")
_FLAG: _Shape = (lambda value: isinstance(value, bool), "true or false")
_MAP: _Shape = (_is_map, "a map")

_DOCUMENT: Mapping[str, _Shape] = {
    "instance": (_is_root, "the root of an instance"),
    "set": _TEXT,
    "set_id": _TEXT,
    "timezone": (_is_timezone, "a name such as Europe/Berlin"),
    "identity": (_by_section(_is_names), "sections with lists of field keys"),
    "scope": (lambda value: _by_section(_is_scope)(value) and is_value(value), "sections with fields and their values"),
    "limits": (_is_limits, f"numbers from 0 for {', '.join(sorted(_LIMITS))}"),
    "create_users": _FLAG,
    "notify": _FLAG,
    "vaulted": (_is_hashes, "files with the salted hashes of what is vaulted in them"),
    "moved": (lambda value: _by_section(_is_pairs)(value) and is_value(value), "sections with pairs of keys"),
    "protections": (
        lambda value: (
            _is_map(value) and all(isinstance(member, bool) and _is_text(key) for key, member in value.items())
        ),
        "uuids with true or false",
    ),
    "changes": (lambda value: isinstance(value, list) and all(map(_is_map, value)), "a list of maps"),
}

_LATER: Mapping[str, _Shape] = {
    "observed": (_by_section(lambda value: value == [] or _is_names(value)), "sections with lists of field keys"),
    "set_sizes": (_by_section(_is_count), "sections with numbers of records"),
    "sources": (lambda value: isinstance(value, list) and all(map(_is_source, value)), "paths, sections and numbers"),
}
"""Members that are missing in plans of earlier versions."""

_CHANGE: Mapping[str, _Shape] = {
    "section": _one_of(*SECTIONS),
    "key": (lambda value: isinstance(value, str), "text"),
    "action": _one_of(*_ACTIONS),
    "uuid": (lambda value: value is None or isinstance(value, str), "a uuid or null"),
    "before": _MAP,
    "after": _MAP,
    "place": _TEXT,
    "kind": _TEXT,
    "template": _TEXT,
    "state": _TEXT,
    "pruned": _FLAG,
    "protect": (lambda value: value is None or isinstance(value, bool), "true, false or null"),
    "fields": (lambda value: _is_map(value) and is_value(value), f"a map of fields, at most {MAX_DEPTH} levels deep"),
    "image": (lambda value: value == "" or _is_sha256(value), "a SHA-256"),
    "files": (_is_files, "paths below src with their SHA-256"),
    "vaulted": (_is_placeholder, "the places of vaulted values, or null"),
}

_PLACES: Mapping[str, _Shape] = {
    "places": (
        lambda value: _is_map(value) and all(map(_is_text, (*value, *value.values()))),
        "a map of fields to their places",
    ),
}
"""The member of changes that warnings name."""
