# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compare desired and current values: what has to change. No requests are made here.

A change has only fields that the user wrote. A missing field is not managed, None means clear.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ..client.record import Record
from ..errors import InvalidInput
from ..model.field import EMPTY, Spelling, Unread, shorten
from ..model.kinds import FIELD_DEFINITION, Kind
from ..model.names import normal_name
from ..model.rooms import locations_of_rooms
from ..model.schema import FieldError, Schema, field_to_be, type_of
from ..model.types_basic import broken_rules
from ..model.types_links import Reference, with_references
from ..resolve.field_visibility import perhaps_hidden
from .allowed import DESTRUCTIVE, how_to_allow
from .hours import with_hours

#: Returns the given values that records have in the field of a definition.
ValuesInUse = Callable[[Record, list[Any]], list[Any]]

UNCHANGED = "unchanged"
CREATE = "create"
UPDATE = "update"
DELETE = "delete"
ARCHIVE = "archive"


@dataclass(frozen=True)
class Change:
    """The change of one record.

    :ivar action: one of the five above.
    :ivar current: the present record; None for a new record.
    :ivar values: field key to its new canonical value: the differing fields of an update, all written fields of a
        creation.
    :ivar before: the present values of the changed fields, as a diff shows them.
    :ivar after: the new values, as a diff shows them.
    :ivar unarchive: unarchive the record first; for a deletion, unarchive it if the service does not delete it from the
        archive.
    :ivar warnings: what the user should know although it is not an error.
    :ivar missing: the mandatory fields that a record to create has no values for.
    """

    kind: Kind
    action: str
    current: Record | None = None
    values: Mapping[str, Any] = field(default_factory=dict)
    before: Mapping[str, Any] = field(default_factory=dict)
    after: Mapping[str, Any] = field(default_factory=dict)
    unarchive: bool = False
    warnings: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()

    @property
    def changed(self) -> bool:
        return self.action != UNCHANGED

    @property
    def is_half_created(self) -> bool:
        """Return True if a record has only the values of its creation.

        Links, files and a separate status follow later.
        """
        return self.action == UPDATE and all(
            value in EMPTY or name == self.kind.status_key for name, value in self.before.items()
        )

    @property
    def note(self) -> str:
        """Return what the action does besides writing fields, in words, or an empty text."""
        if not self.unarchive:
            return ""
        if self.action == DELETE:
            return "may need unarchiving"
        return "unarchive and update" if self.values else "unarchive"

    @property
    def diff(self) -> dict[str, Any]:
        """Return before and after as Ansible prints them."""
        return {"before": dict(self.before), "after": dict(self.after)}


def plan_present(
    schema: Schema,
    desired: Mapping[str, Any],
    current: Record | None,
    archived: bool = False,
    completed: Callable[[Reference], Reference] | None = None,
    in_one_notation: Callable[[Any, Any], tuple[Any, Any]] | None = None,
) -> Change:
    """Return the change that creates or updates a record.

    :param desired: canonical values by field key, references resolved as far as possible.
    :param current: the matching record; None to create one.
    :param archived: True if ``current`` is archived and must be unarchived.
    :param completed: adds known members to a reference if the service did not return them.
    :param in_one_notation: names equal references equally in a present and a written value. It may read their names.
    :raises InvalidInput: if days and times contradict each other.
    """
    desired = with_hours(schema, desired, current)
    if current is None:
        named = {key: in_one_notation((), value)[1] for key, value in desired.items()} if in_one_notation else desired
        initial = {key: schema.brief(key, value) for key, value in named.items()}
        whole = {key: _wanted(schema, key, type_of(schema.fields[key]).empty, value) for key, value in desired.items()}
        return Change(schema.kind, CREATE, None, whole, {}, initial, missing=tuple(schema.missing(desired)))
    values: dict[str, Any] = {}
    before: dict[str, Any] = {"archived": True} if archived else {}
    after: dict[str, Any] = {"archived": False} if archived else {}
    notes = []
    for key, written in desired.items():
        is_now = schema.read_field(key, current.flat)
        if completed is not None:
            is_now = with_references(is_now, completed)
        wanted = _wanted(schema, key, is_now, written)
        if not schema.equal(key, wanted, is_now) or (schema.fields[key].retyped and wanted not in EMPTY):
            values[key] = wanted
            before[key], after[key] = _difference(
                schema, key, *(in_one_notation(is_now, written) if in_one_notation else (is_now, written))
            )
            if schema.fields[key].retyped:
                # The value as the service sends it. The future type of the field would read it differently.
                before[key] = current.flat.get(schema.fields[key].wire_key)
        elif type_of(schema.fields[key]).changed_by_time and wanted != is_now:
            notes.append(
                f"{key} is {is_now}, which the service sets in place of {wanted} when the day has passed; left "
                "unchanged."
            )
    for location, room in locations_of_rooms(schema).items():
        # The service empties the location with the room, unless the request writes it.
        if location in desired and room in values and values[room] in EMPTY:
            values.setdefault(location, desired[location])
    action = UPDATE if values or archived else UNCHANGED
    return Change(schema.kind, action, current, values, before, after, archived, tuple(notes))


def incomplete(kind: Kind, missing: Iterable[str]) -> str:
    """Return the message that a record can't be created without mandatory fields. It contains no value."""
    return (
        f"This {kind.words} does not exist yet{perhaps_hidden(kind)} and can't be created without "
        f"{', '.join(missing)}: mandatory, but not given."
    )


def shown_as_written(change: Change, written: Iterable[str]) -> Change:
    """Return a change whose diff has only the written fields, without fields that follow from them."""
    names = set(written)
    before = {key: value for key, value in change.before.items() if key in names}
    return replace(change, before=before, after={key: value for key, value in change.after.items() if key in names})


def _wanted(schema: Schema, key: str, is_now: Any, written: Any) -> Any:
    merge = type_of(schema.fields[key]).merge
    if merge is None:
        return written
    if isinstance(is_now, Unread):
        words = (
            f"{key}: the service returns {shorten(is_now.raw)}, which can't be read, so a change would lose it. Change "
            "it in the application."
        )
        raise InvalidInput([FieldError.at((key,), words, words)])
    return merge(is_now, written)


def _difference(schema: Schema, key: str, is_now: Any, written: Any) -> tuple[Any, Any]:
    if type_of(schema.fields[key]).merge and isinstance(written, Mapping):
        # Maps are merged, so show only the written types that differ.
        written = {name: values for name, values in written.items() if set(values or ()) != set(is_now.get(name) or ())}
        is_now = {name: is_now.get(name) for name in written}
    return schema.brief(key, is_now), schema.brief(key, written)


def plan_removal(
    schema: Schema, desired: Mapping[str, Any], current: Record | None, action: str = DELETE, archived: bool = False
) -> Change:
    """Return the change that deletes a record (or, with ``ARCHIVE``, archives it); unchanged if it does not exist.

    The diff shows the written fields as they are now.

    :param archived: whether the record may be archived.
    """
    if current is None:
        return Change(schema.kind, UNCHANGED)
    if action == ARCHIVE:
        return Change(schema.kind, ARCHIVE, current, {}, {"archived": False}, {"archived": True})
    before = {key: _as_now(schema, key, desired[key], current) for key in desired}
    return Change(schema.kind, action, current, {}, before, unarchive=archived)


def _as_now(schema: Schema, key: str, written: Any, current: Record) -> Any:
    """Return the present value of a field, as written if both mean the same."""
    is_now = schema.read_field(key, current.flat)
    return schema.brief(key, written if schema.equal(key, written, is_now) else is_now)


# ---- field definitions


def _terms_in(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def check_destructive(current: Record | None, change: Change, allowed: bool, used: ValuesInUse) -> None:
    """Refuse a change of a definition that may cost data, unless it is allowed.

    That is another type, or the removal of a value that a record has.

    :raises InvalidInput: naming what would be lost.
    """
    if current is None or allowed or not change.kind.defines_fields:
        return
    have = Schema.for_kind(FIELD_DEFINITION).read(current.flat)
    prefix = f"{have.get('label') or have.get('field_key')}: "
    lost = []
    if "type" in change.values:
        lost.append(
            f"{prefix}type would change from {have.get('type')} to {change.values['type']}, and records keep values of "
            f"the old type"
        )
    choices = have.get("possible_values") or ()
    wanted = change.values.get("possible_values", choices)
    if isinstance(choices, Unread):
        if wanted != choices:
            lost.append(
                f"{prefix}possible_values: the service returns {shorten(choices.raw)}, which can't be read, so it "
                f"is unknown which values would be removed"
            )
        choices = ()
    removed = [value for value in choices if value not in wanted]
    limits = _terms_in(have.get("constraints"))
    if "constraints" in change.values:
        kept = change.values["constraints"].get("allowed_values")
        removed += [
            value
            for value in limits.get("allowed_values") or ()
            if kept is not None and value not in kept and value not in removed
        ]
    removed = used(current, removed) if removed else []
    if removed:
        values = ", ".join(map(repr, removed))
        lost.append(f"{prefix}possible_values: the value(s) {values} would be removed, and records use them")
    if lost:
        raise InvalidInput([f"{reason}. Set {how_to_allow(DESTRUCTIVE)} if this is intended." for reason in lost])


def check_choices(current: Record | None, change: Change) -> None:
    """Refuse possible values of a DROPDOWN that are not texts, and a default value that no record could have.

    :raises InvalidInput: naming them.
    """
    if not change.kind.defines_fields:
        return
    merged = {**(Schema.for_kind(FIELD_DEFINITION).read(current.flat) if current else {}), **change.values}
    wanted = change.values.get("possible_values") or ()
    odd = [] if isinstance(wanted, Unread) else [value for value in wanted if not isinstance(value, str)]
    if odd and merged.get("type") == "DROPDOWN":
        values = ", ".join(map(repr, odd))
        raise InvalidInput(f"possible_values: {values}: the values of a DROPDOWN are texts; quote them")
    field, default = field_to_be(merged), merged.get("default_value")
    if field and default not in EMPTY and not change.values.keys().isdisjoint(("default_value", "possible_values")):
        faces = type_of(field)
        value, is_exact = faces.read(default, field), faces.spelling.is_number or faces.spelling is Spelling.FLAG
        # The service may accept other words for a day or for a record.
        odd_type = [f"expected a value of the type {field.type}"] if is_exact and isinstance(value, Unread) else []
        wrong = odd_type or broken_rules(value, field)
        if wrong and "default_value" not in change.values:
            raise InvalidInput(
                f"possible_values: {default!r} is missing, the default_value of this field; give another one"
            )
        if wrong:
            raise InvalidInput([FieldError.unfit(("default_value",), "default_value", default, why) for why in wrong])


def _as_existing(values: Any, existing: Any) -> Any:
    """Return values in which each text that equals an existing one has the same form."""
    if not isinstance(values, tuple) or not isinstance(existing, tuple):
        return values
    known = {normal_name(value): value for value in existing if isinstance(value, str)}
    return tuple(
        known.get(normal_name(value), value) if isinstance(value, str) and value not in existing else value
        for value in values
    )


def with_equal_allowed_values(schema: Schema, desired: Mapping[str, Any], current: Record | None) -> dict[str, Any]:
    """Return desired values in which unwritten allowed_values of a DROPDOWN follow its possible values.

    Existing values keep their Unicode form, and a default value its notation.
    """
    have, found = schema.read(current.flat) if current else {}, dict(desired)
    written = dict(desired.get("constraints") or {})
    existing = _terms_in(have.get("constraints")).get("allowed_values")
    is_dropdown = desired.get("type", have.get("type")) == "DROPDOWN"
    field, default = field_to_be({**have, **desired}), desired.get("default_value")
    if field and default not in EMPTY:
        faces, known = type_of(field), [have.get("default_value"), *field.allowed]
        wanted, values = faces.read(default, field), [value for value in known if value not in EMPTY]
        equal = (value for value in values if faces.equal(faces.read(value, field), wanted, field))
        found["default_value"] = next(equal, default)
    if "possible_values" in desired:
        found["possible_values"] = _as_existing(desired["possible_values"], have.get("possible_values"))
    if "allowed_values" in written:
        found["constraints"] = {**written, "allowed_values": _as_existing(written["allowed_values"], existing)}
    elif is_dropdown and "possible_values" in desired and existing is not None:
        found["constraints"] = {**written, "allowed_values": tuple(map(str, found["possible_values"]))}
    return found
