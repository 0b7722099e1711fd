# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes that can be written now: none of them needs a missing record, and removals come last."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ansible_collections.community.seventhings.plugins.module_utils.client.record import Record
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import KINDS, Level
from ansible_collections.community.seventhings.plugins.module_utils.model.schema import Schema
from ansible_collections.community.seventhings.plugins.module_utils.model.types_links import Reference
from ansible_collections.community.seventhings.plugins.module_utils.plan.change import (
    ARCHIVE,
    CREATE,
    DELETE,
    UPDATE,
    Change,
)
from ansible_collections.community.seventhings.plugins.plugin_utils.apply.readiness import Readiness
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.desired import SECTIONS
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.entry import Entry
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.hiding import VAULTED, Hiding
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.positions import Place
from ansible_collections.community.seventhings.plugins.plugin_utils.set_plan.plan import Planned

from ...module_utils.support import uuid_of


def planned(section: str, action: str, number: int = 0, template: str = "", **values: Any) -> Planned:
    """Return a change of a record with a number as natural key, or of a new record without a number."""
    kind = KINDS[SECTIONS[section]]
    current = None if action == CREATE else Record(kind, uuid_of(number), number, {"field_key": "colour"})
    entry = Entry(kind, {}, Place("files", number + 1), template=template)
    return Planned(
        section, entry, Schema.for_kind(kind), {}, ("name",), str(number), Change(kind, action, current, values)
    )


def awaiting(other: Planned, written: str = "other") -> Reference:
    """Return a reference to the record that another change creates."""
    return Reference(other.kind.name, written=written, pending=other.entry)


def ready(*changes: Planned) -> Readiness:
    return Readiness(changes, Hiding())


def written(readiness: Readiness) -> list[Planned]:
    return [planned for _level, batch in readiness.batches() for planned in batch]


# ---- the order


def test_levels_are_written_one_after_the_other_and_removed_in_the_opposite_order() -> None:
    place, thing, person = (planned(name, CREATE, 1) for name in ("locations", "objects", "persons"))
    old_place, old_thing = planned("locations", DELETE, 2), planned("objects", ARCHIVE, 3)
    changes = ready(old_place, thing, person, old_thing, place)
    assert written(changes) == [place, person, thing, old_thing, old_place]


def test_the_level_is_reported_where_all_of_it_is_written() -> None:
    field, thing = planned("fields", CREATE, 1, label="Colour"), planned("objects", UPDATE, 2)
    by_level = {level: list(batch) for level, batch in ready(thing, field).batches() if level is not None}
    assert list(by_level) == list(Level)
    assert by_level[Level.FIELDS] == [field]
    assert by_level[Level.OBJECTS] == [thing]


def test_the_previous_owner_of_a_unique_value_is_removed_first() -> None:
    removal, other, thing = (
        planned("objects", DELETE, 1),
        planned("objects", DELETE, 2),
        planned("objects", CREATE),
    )
    thing.after = (("serial", removal.entry),)
    assert written(ready(removal, other, thing)) == [removal, thing, other]


# ---- what lacks


def test_what_waits_for_a_record_that_was_created_gets_its_uuid() -> None:
    room = planned("rooms", CREATE, 1)
    reference = awaiting(room)
    thing = planned("objects", CREATE, 2, room=reference)
    room.created_uuid = uuid_of(7)
    assert ready(room, thing).why_not_ready(thing) == ""
    assert thing.change.values["room"] == replace(reference, uuid=uuid_of(7))
    assert thing.change.values["room"].pending is None


def test_what_waits_for_a_record_that_failed_is_not_written() -> None:
    room = planned("rooms", CREATE, 1)
    thing = planned("objects", CREATE, 2, room=awaiting(room))
    changes = ready(room, thing)
    changes.fail(room)
    assert changes.has_failed(room)
    assert not changes.has_failed(thing)
    assert changes.why_not_ready(thing) == "needs room 1, which was not created"


def test_each_reference_gets_the_uuid_of_its_own_record_in_the_natural_key_too() -> None:
    rooms = [planned("rooms", CREATE, number) for number in (1, 2)]
    first, second = map(awaiting, rooms)
    thing = planned("objects", CREATE, 3, room=first, store=second)
    thing.desired = shared = {"name": "x", "room": first, "store": second}
    for number, room in enumerate(rooms, 7):
        room.created_uuid = uuid_of(number)
    assert ready(*rooms, thing).why_not_ready(thing) == ""
    linked = {"room": replace(first, uuid=uuid_of(7)), "store": replace(second, uuid=uuid_of(8))}
    assert thing.change.values == linked
    assert thing.desired == {"name": "x", **linked}
    assert thing.desired is shared
    assert all(reference.pending is None for reference in thing.change.values.values())


@pytest.mark.parametrize(("is_hidden", "name"), [(False, "Store"), (True, VAULTED)])
def test_what_waits_for_a_record_of_no_change_is_not_written(
    is_hidden: bool, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    room = planned("rooms", CREATE, 1)
    thing = planned("objects", CREATE, 2, room=awaiting(room, "Store"))
    monkeypatch.setattr(Hiding, "touches", lambda _self, entry: is_hidden and entry is thing.entry)
    assert ready(thing).why_not_ready(thing) == f"needs room {name}, which this run does not create"


@pytest.mark.parametrize(("action", "verb"), [(CREATE, "created"), (UPDATE, "changed")])
def test_a_value_of_a_field_that_was_not_created_or_changed_is_not_written(action: str, verb: str) -> None:
    field = planned("fields", action, 1, "asset", type="TEXT", label="colour")
    thing, person = planned("objects", CREATE, 2, colour="red"), planned("persons", CREATE, 3, colour="red")
    changes = ready(field, thing, person)
    assert changes.why_not_ready(thing) == f"needs field definition 1, which was not {verb}"
    assert changes.why_not_ready(person) == ""
    field.created_uuid = uuid_of(7)
    assert changes.why_not_ready(thing) == ""


def test_a_field_that_keeps_its_type_has_values_before_it_is_changed() -> None:
    field = planned("fields", UPDATE, 1, "asset", label="Shade")
    assert ready(field).why_not_ready(planned("objects", CREATE, 2, colour="red")) == ""


def test_what_somebody_refers_to_still_is_not_removed() -> None:
    room, thing = planned("rooms", DELETE, 1), planned("objects", UPDATE, 2)
    room.leaving = (thing.entry,)
    changes = ready(room, thing)
    assert changes.why_not_ready(room) == ""
    changes.fail(thing)
    assert changes.why_not_ready(room) == "object 2 still refers to it"


# ---- links to records of the same level


def test_links_to_records_of_the_same_section_are_left_for_later() -> None:
    first = planned("objects", CREATE, 1)
    reference = awaiting(first)
    second = planned("objects", CREATE, 2, name="x", part=reference)
    changes = ready(first, second)
    now = changes.without_later_links(second)
    assert (now.action, now.values) == (CREATE, {"name": "x"})
    assert changes.completes(second)
    batches = dict(changes.batches())
    [link] = batches[Level.LINKS]
    assert (link.change.action, link.change.values) == (UPDATE, {"part": reference})
    assert changes.is_link(link)
    assert not changes.is_link(second)
    assert not changes.completes(link)
    assert changes.begun(link) is second
    assert changes.begun(second) is None
    second.created_uuid = uuid_of(8)
    assert changes.uuid_to_link(link) == uuid_of(8)


def test_only_the_link_misses_where_a_record_of_the_same_section_failed() -> None:
    first = planned("objects", CREATE, 1)
    second = planned("objects", CREATE, 2, name="x", part=awaiting(first))
    changes = ready(first, second)
    changes.fail(first)
    assert changes.why_not_ready(second) == ""
    changes.without_later_links(second)
    [link] = dict(changes.batches())[Level.LINKS]
    assert changes.why_not_ready(link) == "needs object 1, which was not created"


def test_a_change_of_links_alone_is_done_when_they_are_written() -> None:
    first = planned("objects", CREATE, 1)
    others = [planned("objects", UPDATE, number, part=awaiting(first)) for number in (2, 3)]
    changes = ready(first, *others)
    for other in others:
        changes.without_later_links(other)
    links = dict(changes.batches())[Level.LINKS]
    assert len(links) == 2
    assert not any(map(changes.completes, others))
    assert all(map(changes.completes, links))
    assert [changes.begun(link) for link in links] == [None, None]


def test_files_that_need_the_record_are_left_for_later() -> None:
    thing, other = (planned("objects", CREATE, number, name="x", files=("a.pdf",)) for number in (1, 2))
    changes = Readiness([thing, other], Hiding(), later_uploads=lambda planned: ["files"] if planned is thing else [])
    assert changes.without_later_links(thing).values == {"name": "x"}
    assert changes.without_later_links(other) is other.change
    [rest] = dict(changes.batches())[Level.LINKS]
    assert (rest.change.action, rest.change.values) == (UPDATE, {"files": ("a.pdf",)})


@pytest.mark.parametrize("action", [CREATE, UPDATE])
def test_a_change_that_does_more_than_link_is_done_without_its_links(action: str) -> None:
    first, second = planned("objects", CREATE, 1), planned("objects", action, 2)
    second.change = Change(
        second.kind, action, second.change.current, {"part": awaiting(first)}, unarchive=action == UPDATE
    )
    changes = ready(first, second)
    changes.without_later_links(second)
    assert changes.completes(second)


def test_the_links_of_a_record_that_failed_are_not_written() -> None:
    first = planned("objects", CREATE, 1)
    second = planned("objects", CREATE, 2, part=awaiting(first))
    changes = ready(first, second)
    changes.without_later_links(second)
    changes.fail(second)
    assert dict(changes.batches())[Level.LINKS] == []


def test_a_field_that_gets_another_type_is_known_by_its_key_whatever_label_it_gets() -> None:
    field = planned("fields", UPDATE, 1, "asset", type="TEXT", label="Shade")
    changes = ready(field)
    assert changes.why_not_ready(planned("objects", CREATE, 2, colour="red"))
    assert not changes.why_not_ready(planned("objects", CREATE, 3, Shade="red"))
