# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The inverse of single recorded changes: entries, warnings and refusals, without an apply."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from embedded_here import ROOT_URL, Embedded
from instance_site import yaml_list

from ansible_collections.community.seventhings.plugins.module_utils.client.client import Client
from ansible_collections.community.seventhings.plugins.module_utils.client.record import Record
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import (
    FIELD_DEFINITION,
    HUB_ITEM,
    KINDS,
    LOCATION,
    OBJECT,
    PERSON,
    ROOM,
    Kind,
)
from ansible_collections.community.seventhings.plugins.plugin_utils.apply.journal import Journal
from ansible_collections.community.seventhings.plugins.plugin_utils.apply.memory import Memory
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.entry import Entry
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.hiding import VAULTED, Hiding
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.positions import Place
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.row_rules import RowRules
from ansible_collections.community.seventhings.plugins.plugin_utils.set_plan.listed_state import ListedState
from ansible_collections.community.seventhings.plugins.plugin_utils.undo.inverse import STILL_WANTED, inverse_of
from ansible_collections.community.seventhings.plugins.plugin_utils.undo.record import ApplyRecord, RecordedChange
from ansible_collections.community.seventhings.plugins.plugin_utils.undo.undo import Undo

SET_ID = "5d1c8e07f3a9b264"
SOURCE = "last.json.gz"
NOWHERE, LOST = "00000000-0000-4000-8000-000000000000", "00000000-0000-4000-8000-000000000001"
HIDDEN = {"fingerprint": "0" * 64}
ADA, EVA = "ada@acme.example", "eva@acme.example"
FILES: dict[str, str | bytes] = {
    "instance.yml": f'api: seventhings/v1\nset: test\nset_id: "{SET_ID}"\n',
    "fields/asset.yml": yaml_list(
        [
            {"label": "Grade", "type": "DROPDOWN", "possible_values": ["used", "worn"]},
            {"label": "Mark", "type": "TEXT", "constraints": {"max_length": 9}},
            {"label": "Spare of", "type": "LINKED_ASSET"},
        ]
    ),
    "locations.yml": yaml_list([{"name": "North", "city": "Kiel"}, {"name": "South"}]),
    "rooms.yml": yaml_list(
        [
            {"building_id": place, "number": label, "name": label}
            for place, label in (("North", "1"), ("North", "2"), ("South", "1"))
        ]
    ),
    "persons.yml": yaml_list([{"email": email, "first_name": "A", "last_name": "B"} for email in (ADA, EVA)]),
    "users.yml": yaml_list([{"email": ADA}]),
    "objects.yml": yaml_list(
        [
            {
                "barcode": "100001",
                "inventory_name": "One",
                "description": "now",
                "purchasing_price": "9.00",
                "target_room": "North/1",
                "accessories": ["100002"],
                "documents": ["a.txt"],
            },
            *({"barcode": str(number), "inventory_name": "Other"} for number in range(100002, 100006)),
        ]
    ),
    "tasks.yml": yaml_list(
        [{"title": "T1", "deadline": "2032-01-01", "assignees": [ADA], "references": ["100002"], "comment": "Look."}]
    ),
    "hub.yml": yaml_list([{"object": "100003", "price": "10.00"}]),
    "a.txt": b"a",
    "b.txt": b"b",
}


@dataclass
class Found:
    """The entries, warnings and refusals of an undo. A warning that every undo has is left out.

    :ivar kept: what is not restored.
    """

    entries: list[Entry] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list, compare=False)


NOT_KNOWN = (
    "{}: the journal does not know it as created by this set, so it is not removed. Check the apply record, and give "
    "its SHA-256 as record_digest."
)


@dataclass
class Instance:
    """An instance with records of all kinds.

    :ivar state: the directory of the journal. :ivar uuids: kind and natural key of each record to its uuid.
    :ivar creations: what an interrupted undo created.
    """

    embedded: Embedded
    state: Path
    uuids: Mapping[str, str]
    creations: set[str] = field(default_factory=set)

    def uuid(self, kind: Kind, key: str) -> str:
        return self.uuids[f"{kind.name} {key}"]

    def call(self, module: str, **options: Any) -> dict[str, Any]:
        """Run a module, which must change something."""
        result = self.embedded.call(module, **options)
        assert result.get("changed"), result
        return result

    def edit(self, code: int, **fields: Any) -> None:
        """Change an object."""
        self.call("object", fields={"barcode": str(code), **fields}, match_on=["barcode"])

    def archive(self, code: int) -> None:
        self.call("object", fields={"barcode": str(code)}, state="archived", match_on=["barcode"])

    def created(self, kind: Kind, key: str, uuid: str) -> None:
        """Note in the journal that the set created a record."""
        with self.journal() as journal:
            journal.note_creation(kind.name, key, uuid)

    def sent(self, kind: Kind, key: str) -> None:
        """Note in the journal that the set sent a creation whose outcome is unknown."""
        with self.journal() as journal:
            journal.sent(kind.name, key)

    def journal(self) -> Journal:
        return Journal(self.state, ROOT_URL, "test", set_id=SET_ID)

    def memory(self) -> Memory:
        """Return what the journal knows, with creations of an interrupted run."""
        with self.journal() as journal:
            for mark in self.creations:
                kind, _space, key = mark.partition(" ")
                journal.sent(kind, key) if key else journal.note_creation("object", "", mark)
        return self.journal().memory

    def undo(self, *changes: RecordedChange, is_resumed: bool = False, **order: Any) -> Found:
        """Return the inverse of some changes."""
        wanted = Undo(apply_record(*changes), SOURCE, **order)
        base = wanted.base(Hiding())
        # An earlier plan of the same run left these.
        base.entries, base.warnings = [entry(OBJECT, GONE)], ["earlier"]
        inverse = inverse_of(self.embedded.client(), wanted, base, self.memory(), is_resumed)
        assert isinstance(inverse.state, ListedState)
        assert inverse.desired.findings == base.findings is not inverse.desired.findings
        *warnings, last = inverse.desired.warnings
        assert last == STILL_WANTED
        kept = ["{section} {key}, {field}: {reason}".format_map(row) for row in inverse.not_restored]
        return Found(inverse.desired.entries, warnings, inverse.refusals, kept)

    # ---- changes of existing records

    def change(self, kind: Kind, key: str, action: str, **members: Any) -> RecordedChange:
        """Return a change of an existing record."""
        return change(kind, key, action, **{"uuid": self.uuid(kind, key), **members})

    def added_link(self, key: str) -> RecordedChange:
        """Return the change that linked an object to object 100002."""
        link = {"accessories": [self.reference(OBJECT, "100002")]}
        return self.change(OBJECT, key, "update", before={"accessories": []}, after=link)

    def entry(self, kind: Kind, key: str, fields: Mapping[str, Any], number: int = 0, **members: Any) -> Entry:
        """Return an entry for an existing record."""
        return entry(kind, fields, number, **{"uuid": self.uuid(kind, key), **members})

    def reference(self, kind: Kind, key: str) -> dict[str, Any]:
        return reference(kind, key, self.uuid(kind, key))


def change(kind: Kind, key: str, action: str, **members: Any) -> RecordedChange:
    given = {"uuid": "", "outcome": "done", "keys": next(iter(kind.match_on), ()), **members}
    return RecordedChange(kind.name, key=key, action=action, **given)


def entry(kind: Kind, fields: Mapping[str, Any], number: int = 0, **members: Any) -> Entry:
    return Entry(kind, fields, Place(f"changes[{number}] of {SOURCE}"), **members)


def reference(kind: Kind, name: Any = None, uuid: str | None = None, number: int | None = None) -> dict[str, Any]:
    return {"reference": kind.name, "uuid": uuid, "id": number, "name": name}


def apply_record(*changes: RecordedChange) -> ApplyRecord:
    return ApplyRecord(ROOT_URL, "test", SET_ID, "", {}, "", changes=changes, digest="abc")


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Embedded:
    root = tmp_path_factory.mktemp("files")
    site = Embedded.started(data="empty").site(root)
    site.write(FILES)
    place = tmp_path_factory.mktemp("state")
    applied = site.run(allow=["users"], workers=1, journal=place / "journal", apply_record=place / "record.gz")
    assert applied.outcome == "changed", (applied.findings, applied.failures, applied.refusals)
    site.embedded.call("file", path=str(root / "b.txt"))
    return site.embedded


def keys_of(embedded: Embedded) -> Iterable[tuple[str, str]]:
    """Yield kind and natural key, and the uuid, of every record."""
    client = embedded.client()
    for kind, key in ((LOCATION, "name"), (PERSON, "email"), (KINDS["user"], "email"), (OBJECT, "barcode")):
        yield from ((f"{kind.name} {record.flat[key]}", record.uuid) for record in client.list_all(kind))
    for record in client.list_all(ROOM):
        yield f"room {record.flat['building_id']['display_name']}/{record.flat['number']}", record.uuid
    for record in client.list_all(KINDS["task"]):
        yield f"task {record.flat['title']}", record.uuid
    for record in client.list_all(KINDS["file"]):
        yield f"file {record.flat['name']}", record.uuid
    for definition in client.definitions("asset"):
        yield f"field_definition asset {definition['label']}", definition["uuid"]


@pytest.fixture(scope="module")
def uuids(filled: Embedded) -> Mapping[str, str]:
    return dict(keys_of(filled))


@pytest.fixture
def here(filled: Embedded, uuids: Mapping[str, str], tmp_path: Path) -> Instance:
    embedded = Embedded.started(store=filled.service.store)
    return Instance(embedded, tmp_path, uuids)


# ---- the undo as a whole


def test_natural_keys_that_differ_from_the_default_identify_records(here: Instance) -> None:
    serial = here.change(OBJECT, "100001", "update", keys=("serial_number",))
    room = here.change(ROOM, "North/1", "update")
    offer = change(HUB_ITEM, "100003", "delete", keys=("object",), before={"object": None})
    undo = Undo(apply_record(room, offer, here.change(OBJECT, "100002", "update", keys=()), serial), SOURCE)
    inverse = inverse_of(here.embedded.client(), undo, undo.base(Hiding()), here.memory(), False)
    assert inverse.desired.identity == {"objects": ("serial_number",)}


def test_changes_that_were_not_sent_are_not_undone(here: Instance) -> None:
    members: dict[str, Any] = {"before": {"description": HIDDEN}, "after": {"description": "now"}}
    changes = [here.change(OBJECT, "100001", "update", outcome=outcome, **members) for outcome in ("skipped", "failed")]
    assert here.undo(changes[0]) == Found()
    assert here.undo(*changes) == here.undo(changes[1]) != Found()


def test_everything_that_stays_is_listed_with_its_reason(here: Instance) -> None:
    here.archive(100005)
    before = {"serial_number": "x", "unknown": "y", "inventory_name": "One", "description": "old"}
    lost = {"target_room": reference(ROOM, "North/9", LOST)}
    lost_item = {"object": reference(OBJECT, "100009", LOST)}
    room = here.change(ROOM, "North/2", "create", after={})
    definition = here.change(FIELD_DEFINITION, "asset Mark", "create", template="asset")
    choices = {"before": {"possible_values": ["new"]}, "after": {"possible_values": ["used", "worn"]}}
    found = here.undo(
        here.change(
            OBJECT, "100001", "update", before=before, after={"serial_number": HIDDEN, "description": "applied"}
        ),
        here.change(OBJECT, "100005", "update", before={"inventory_name": "Old"}, after={"inventory_name": "Other"}),
        here.change(OBJECT, "100003", "update", unarchived=True, before={"description": ""}),
        change(OBJECT, "100006", "update", uuid=NOWHERE, before={"description": "old"}),
        deleted(OBJECT, "100007", {"description": "x"}),
        deleted(OBJECT, "100008", GONE, unarchived=True),
        deleted(OBJECT, "100009", {**GONE, **lost, "serial_number": HIDDEN, "unknown": "x"}),
        here.change(KINDS["user"], ADA, "create"),
        definition,
        here.change(FIELD_DEFINITION, "asset Grade", "update", template="asset", **choices),
        room,
        here.change(OBJECT, "100004", "create", after={"target_room": here.reference(ROOM, "North/2")}),
        offer("create", "100009", after=lost_item),
        is_approved=True,
    )
    assert "room North/2: stays, because records that are not deleted refer to it." in found.warnings
    fingerprint = "serial_number: the apply record has only a fingerprint of the vaulted, hidden or unreadable value"
    assert found.kept == [
        f"objects 100001, {fingerprint}",
        *(f"objects 100001, {name}: it was changed since the apply" for name in ("unknown", "description")),
        "objects 100005, : it was changed since the apply",
        "objects 100003, description: it has the values of the apply in the archive",
        "objects 100006, : it does not exist any more, or is hidden: this account may be limited to locations",
        "objects 100007, : it can't be created again without inventory_name, barcode",
        "objects 100008, : it was in the archive",
        "objects 100009, target_room: North/9 does not exist any more",
        f"objects 100009, {fingerprint}",
        "objects 100009, unknown: the field does not exist any more",
        "objects 100009, uuid: it is created again with another uuid and without its history",
        f"users {ADA}, : users can't be removed by an undo, and the e-mail was sent",
        "fields asset Mark, : field definitions can't be removed by an undo",
        "fields asset Grade, possible_values: records that lost a value do not get it back",
        "rooms North/2, : records that are not deleted refer to it",
        "objects 100004, target_room: it was changed since the apply",
        "hub 100009, object: 100009 does not exist any more",
    ]


def test_nothing_of_a_finished_undo_is_undone(here: Instance) -> None:
    undo = Undo(replace(apply_record(), undoes="abc"), SOURCE)
    inverse = inverse_of(here.embedded.client(), undo, undo.base(Hiding()), here.memory(), False)
    assert inverse.desired.warnings == [undo.why_nothing()]
    assert isinstance(inverse.state, ListedState)


# ---- changed records


@pytest.mark.parametrize("field", ["description", "unknown"])
def test_a_field_that_is_not_as_applied(here: Instance, field: str) -> None:
    update = here.change(OBJECT, "100001", "update", before={field: "old"}, after={field: "applied"})
    words = f"object 100001: {field} was changed since the apply"
    assert here.undo(update) == Found(warnings=[f"{words}, and is left as it is."])
    refused = here.undo(update, changed_since="refuse")
    assert refused == Found(refusals=[f"{words}. Set changed_since: skip or force."])
    forced = here.undo(update, changed_since="force")
    if field == "unknown":
        assert forced == here.undo(update)
    else:
        assert forced == Found([here.entry(OBJECT, "100001", {"barcode": "100001", "description": "old"})])


def test_a_changed_record_that_does_not_exist_is_a_warning(here: Instance) -> None:
    update = change(OBJECT, "100009", "update", uuid=NOWHERE, before={"description": "old"})
    other = here.change(OBJECT, "100001", "update", before={"description": "old"}, after={"description": "now"})
    found = here.undo(update, other)
    words = "does not exist any more, or is hidden: this account may be limited to locations"
    assert found.warnings == [f"object 100009: {words}."]
    assert len(found.entries) == 1


def test_a_record_that_was_archived_since_is_left_as_it_is(here: Instance) -> None:
    here.archive(100004)
    fields = {"inventory_name": "Other"}
    update = here.change(OBJECT, "100004", "update", before={"inventory_name": "Old"}, after=fields)
    assert here.undo(update) == Found(
        warnings=["object 100004: archived since; it was changed since the apply, and is left as it is."]
    )
    assert here.undo(here.change(OBJECT, "100004", "update", before=fields, after={})) == Found()


def test_an_object_from_the_archive_is_archived_again_unless_somebody_changed_it(here: Instance) -> None:
    members: dict[str, Any] = {"before": {"description": ""}, "unarchived": True}
    as_applied = here.change(OBJECT, "100001", "update", after={"description": "now"}, **members)
    lasting = "only in part: 1 record from the archive"
    assert here.undo(as_applied) == Found([], [lasting], [NOT_KNOWN.format("object 100001")])
    with here.journal() as journal:
        journal.unarchiving(here.uuid(OBJECT, "100001"))
    assert here.undo(as_applied) == Found(
        [here.entry(OBJECT, "100001", {"barcode": "100001"}, state="archived")],
        [lasting, "object 100001: is archived again, with the values of the apply."],
    )
    changed = here.change(OBJECT, "100001", "update", after={"description": "applied", "serial_number": "7"}, **members)
    assert here.undo(changed) == Found(
        [],
        [lasting, "object 100001: description, serial_number was changed since the apply, and is left as it is."],
    )
    again = here.change(OBJECT, "100004", "update", after={"description": "applied"}, **members)
    here.archive(100004)
    assert here.undo(again) == Found(warnings=[lasting])


def test_added_parts_of_a_map_are_removed(here: Instance) -> None:
    length = here.change(
        FIELD_DEFINITION,
        "asset Mark",
        "update",
        template="asset",
        before={"constraints": {"min_length": 2}},
        after={"constraints": {"max_length": 9}},
    )
    (found,) = here.undo(length).entries
    assert found.fields["constraints"] == {"min_length": 2, "max_length": None}


def test_an_entry_says_which_of_its_fields_the_apply_hid(here: Instance) -> None:
    sides = {"before": {"serial_number": HIDDEN, "description": "old"}, "after": {"description": "now"}}
    fields = {"barcode": "100001", "description": "old"}
    expected = here.entry(OBJECT, "100001", fields, vaulted=("serial_number",))
    assert here.undo(here.change(OBJECT, "100001", "update", **sides)).entries == [expected]


def test_a_record_is_named_by_its_present_key(here: Instance) -> None:
    room = here.change(ROOM, "North/1", "update", before={"description": "old"}, after={"description": None})
    north = {"building_id": here.uuid(LOCATION, "North"), "number": "1"}
    assert here.undo(room).entries == [here.entry(ROOM, "North/1", {**north, "description": "old"})]


def test_a_record_in_a_hidden_place_is_named_by_its_uuid(here: Instance, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ListedState, "find", lambda _state, _reference: None)
    room = here.change(ROOM, "North/1", "update", before={"description": "old"}, after={"description": None})
    assert here.undo(room).entries == [here.entry(ROOM, "North/1", {"description": "old"})]


def test_fields_that_the_apply_created_are_recorded_by_their_labels(here: Instance) -> None:
    here.edit(100001, Mark="now")
    sides = {"before": {"Mark": "old"}, "after": {"Mark": "now"}}
    (found,) = here.undo(here.change(OBJECT, "100001", "update", keys=("barcode", "Grade"), **sides)).entries
    assert [(key.partition("_")[0], value) for key, value in found.fields.items()] == [
        ("barcode", "100001"),
        ("grade", None),
        ("mark", "old"),
    ]


def test_a_key_may_have_values_of_any_type(here: Instance) -> None:
    case = {"title": "Fair", "issue_date": "2032-01-01", "due_date": "2032-02-01", "references": ["100002"]}
    renter = {"type": "plain", "value": "Ada"}
    uuid = here.call("rental_case", fields={**case, "responsible_user": ADA, "renter": renter})["record"]["uuid"]
    members: dict[str, Any] = {"keys": ("title", "renter"), "before": {"comment": "x"}}
    (found,) = here.undo(change(KINDS["rental_case"], "Fair", "update", uuid=uuid, **members)).entries
    assert found.fields == {"title": "Fair", "renter": renter, "comment": "x"}


def test_a_vaulted_or_unknown_key_is_not_written(here: Instance) -> None:
    members: dict[str, Any] = {"before": {"description": "old"}, "after": {"description": "now"}}
    uuid = here.uuid(OBJECT, "100001")
    for key, keys in ((f"{VAULTED} 1", ("barcode",)), ("100001", ("unknown",))):
        update = change(OBJECT, key, "update", uuid=uuid, keys=keys, **members)
        assert here.undo(update).entries == [entry(OBJECT, {"description": "old"}, uuid=uuid)]


# ---- created records


def test_a_creation_without_a_uuid_is_found_by_the_journal(here: Instance) -> None:
    code = change(OBJECT, "100004", "create", after={"inventory_name": "Other"})
    assert here.undo(code, is_approved=True) == Found()
    here.created(OBJECT, "100004", here.uuid(OBJECT, "100004"))
    assert here.undo(code).entries == [here.entry(OBJECT, "100004", {"barcode": "100004"}, state="archived")]


@pytest.mark.parametrize(
    ("after", "is_found"),
    [
        ({"barcode": "100004"}, True),
        ({"barcode": "100009"}, False),
        ({"barcode": HIDDEN}, False),
        ({"inventory_name": "Other"}, False),
    ],
)
def test_a_creation_without_an_answer_is_found_by_its_key(
    here: Instance, after: Mapping[str, Any], is_found: bool
) -> None:
    here.sent(OBJECT, "100004")
    code = change(OBJECT, "100004", "create", after=after)
    removed = here.entry(OBJECT, "100004", {"barcode": "100004"}, state="archived")
    assert here.undo(code) == Found([removed] if is_found else [])
    assert here.undo(change(OBJECT, "100005", "create", after={"barcode": "100005"})) == Found()


def test_a_creation_without_an_answer_is_found_by_a_key_with_a_reference(here: Instance) -> None:
    here.sent(ROOM, "North/1")
    uuid = here.uuid(LOCATION, "North")
    after = {"number": "1", "name": "1", "building_id": reference(LOCATION, uuid=uuid)}
    own = {"number": "1", "building_id": uuid}
    assert here.undo(change(ROOM, "North/1", "create", after=after)).entries == [
        here.entry(ROOM, "North/1", own, state="absent")
    ]


@pytest.mark.parametrize("number", [{"number": HIDDEN}, {}])
def test_a_creation_without_an_answer_is_not_looked_for_by_a_part_of_its_key(
    here: Instance, number: Mapping[str, Any]
) -> None:
    here.sent(ROOM, "North/9")
    place = here.reference(LOCATION, "North")
    room = change(ROOM, "North/9", "create", after={"building_id": place, **number})
    assert here.undo(room) == Found()


def test_a_created_record_that_was_changed_since_stays(here: Instance) -> None:
    code = here.change(
        OBJECT, "100001", "create", after={"unknown": "x", "description": "applied", "barcode": "100001"}
    )
    assert here.undo(code, is_approved=True) == Found(
        warnings=["object 100001: description, unknown was changed since the apply, and is left as it is."]
    )
    hidden = here.change(OBJECT, "100001", "create", after={"description": HIDDEN})
    removed = here.entry(OBJECT, "100001", {"barcode": "100001"}, state="archived", vaulted=("description",))
    assert here.undo(hidden, is_approved=True).entries == [removed]
    unknown = here.change(OBJECT, "100001", "create", after={"unknown": HIDDEN})
    assert here.undo(unknown, is_approved=True).entries == []


# ---- deleted records


@pytest.mark.parametrize(
    ("outcome", "after", "is_removed"),
    [
        ("failed", {"accessories": ["100003"]}, True),
        ("failed", {"documents": ["b.txt"]}, True),
        ("failed", {"target_room": "North/1"}, False),
        ("done", {"accessories": ["100003"]}, False),
        ("done", {"documents": ["b.txt"]}, False),
    ],
)
def test_what_follows_a_creation_may_be_missing(
    here: Instance, outcome: str, after: Mapping[str, Any], is_removed: bool
) -> None:
    links = {key: [here.reference(OBJECT, "100003")] if key == "accessories" else value for key, value in after.items()}
    created = here.change(OBJECT, "100004", "create", outcome=outcome, after={"barcode": "100004", **links})
    assert bool(here.undo(created, is_approved=True).entries) == is_removed


@pytest.mark.parametrize(
    ("outcome", "status", "is_removed"),
    [("failed", "closed", True), ("unknown", "closed", False), ("done", "closed", False), ("unknown", "open", True)],
)
def test_a_created_task_is_removed_unless_somebody_opened_it_again(
    here: Instance, outcome: str, status: str, is_removed: bool
) -> None:
    task, link = KINDS["task"], here.reference(OBJECT, "100002")
    after = {"title": "T1", "deadline": "2032-01-01", "assignees": [reference(KINDS["user"], ADA)], "comment": "Look."}
    created = here.change(
        task, "T1", "create", outcome=outcome, after={**after, "references": [link], "status": status}
    )
    assert bool(here.undo(created, is_approved=True).entries) == is_removed


def deleted(kind: Kind, key: str, before: Mapping[str, Any], **members: Any) -> RecordedChange:
    return change(kind, key, "delete", **{"uuid": NOWHERE, "before": before, **members})


IN_PART = "only in part: 1 deletion"
GONE = {"barcode": "100009", "inventory_name": "Gone"}


def test_a_deleted_record_that_exists_is_left_alone(here: Instance) -> None:
    again = here.change(OBJECT, "100004", "delete", before=GONE)
    other = deleted(OBJECT, "100009", GONE)
    here.archive(100005)
    archived = here.change(OBJECT, "100005", "delete", before=GONE)
    assert [found.fields for found in here.undo(again, archived, other).entries] == [GONE]


def test_one_of_two_deleted_records_with_one_key_is_created_again(here: Instance) -> None:
    first, then = deleted(OBJECT, "100009", GONE), deleted(OBJECT, "100009", GONE, uuid=LOST)
    found = here.undo(first, then)
    assert [made.fields for made in found.entries] == [GONE]
    taken = "another record has its key now"
    assert found.warnings[1:] == [f"object 100009: {taken}."]
    assert found.kept[1:] == [f"objects 100009, : {taken}"]


def test_a_deleted_record_whose_key_is_in_use_is_not_created(here: Instance) -> None:
    found = here.undo(deleted(OBJECT, "100001", {**GONE, "barcode": "100001"}))
    assert found == Found(warnings=[IN_PART, "object 100001: another record has its key now."])
    assert found.kept == ["objects 100001, : another record has its key now"]


def test_a_deleted_record_from_the_archive_is_not_created_again(here: Instance) -> None:
    assert here.undo(deleted(OBJECT, "100009", GONE, unarchived=True), deleted(OBJECT, "100008", GONE)) == Found(
        [entry(OBJECT, GONE, 1)],
        ["only in part: 2 deletions", "object 100009: was in the archive, so it is not created again."],
    )


def test_what_a_deleted_record_can_not_have_again_is_a_warning(here: Instance) -> None:
    before = {
        "serial_number": HIDDEN,
        "description": HIDDEN,
        "unknown": "x",
        **GONE,
        "target_room": reference(ROOM, "North/9", LOST),
    }
    found = here.undo(deleted(OBJECT, "100009", before))
    assert found.entries == [entry(OBJECT, GONE)]
    assert found.warnings == [
        f"cannot be undone: 2 vaulted, hidden or unreadable values; {IN_PART}",
        "object 100009: unknown can't be restored, because the field does not exist any more.",
        "object 100009: target_room can't be restored in full, because North/9 does not exist any more.",
        (
            "objects: 2 vaulted, hidden or unreadable values can't be undone, because the apply record has only "
            "fingerprints."
        ),
    ]


def test_a_record_without_mandatory_fields_is_not_created(here: Instance) -> None:
    assert here.undo(deleted(OBJECT, "100009", {"description": "x"})) == Found(
        warnings=[IN_PART, "object 100009: can't be created again without inventory_name, barcode."]
    )


@pytest.mark.parametrize("mark", ["uuid", "object 100001", "object 100002"])
def test_a_resumed_undo_recognises_what_it_created(here: Instance, mark: str) -> None:
    uuid = here.uuid(OBJECT, "100001")
    here.creations.add(uuid if mark == "uuid" else mark)
    before = {**GONE, "barcode": "100001"}
    again = deleted(OBJECT, "100001", before)
    assert here.undo(again).entries == []
    expected = [] if mark == "object 100002" else [entry(OBJECT, before, uuid=uuid)]
    assert here.undo(again, is_resumed=True, changed_since="force").entries == expected


def test_a_resumed_undo_leaves_what_others_wrote_since(here: Instance) -> None:
    uuid = here.uuid(OBJECT, "100001")
    here.creations.add(uuid)
    before = {"barcode": "100001", "inventory_name": "Two", "description": "then", "purchasing_price": "9.00"}
    found = here.undo(deleted(OBJECT, "100001", before), is_resumed=True)
    words = "object 100001: inventory_name, description was changed since the apply, and is left as it is."
    assert found.warnings[1:] == [words]
    named = deleted(OBJECT, "One", {**before, "inventory_name": "One"}, keys=("inventory_name",))
    (again,) = here.undo(named, is_resumed=True).entries
    assert again.rules == RowRules(match=(("inventory_name",),))


def test_a_deleted_room_whose_key_is_in_use_is_not_created(here: Instance) -> None:
    place = here.reference(LOCATION, "North")
    assert here.undo(deleted(ROOM, "North/1", {"building_id": place, "number": "1", "name": "9"})).entries == []


def test_a_record_with_a_key_of_its_own_is_restored_by_that_key(here: Instance) -> None:
    text = {"before": {"description": "old"}, "after": {"description": "now"}}
    (found,) = here.undo(here.change(OBJECT, "100001", "update", keys=("inventory_name",), **text)).entries
    assert found.rules == RowRules(match=(("inventory_name",),))
    made = here.change(OBJECT, "100001", "create", keys=("inventory_name",), after={"inventory_name": "One"})
    (removed,) = here.undo(made, is_approved=True).entries
    assert (removed.fields, removed.rules) == ({"inventory_name": "One"}, RowRules(match=(("inventory_name",),)))


def test_a_task_gets_its_title_back_although_another_one_has_it(here: Instance) -> None:
    order = {"deadline": "2032-01-01", "assignees": [ADA], "references": [{"barcode": "100002"}]}
    here.call("task", title="T2", **order)
    title = here.change(KINDS["task"], "T1", "update", before={"title": "T2"}, after={"title": "T1"})
    assert [found.fields for found in here.undo(title).entries] == [{"title": "T2"}]


def test_an_archived_record_keeps_the_key_that_it_has_now(here: Instance) -> None:
    here.archive(100005)
    archived = here.change(OBJECT, "100005", "archive", before={"barcode": "100009"})
    found = here.undo(archived, changed_since="force")
    assert found.entries == [here.entry(OBJECT, "100005", {"barcode": "100005"})]


def test_the_archive_does_not_keep_a_key_from_returning(here: Instance) -> None:
    here.archive(100005)
    code = here.change(OBJECT, "100004", "update", before={"barcode": "100005"}, after={"barcode": "100004"})
    assert here.undo(code).entries == [here.entry(OBJECT, "100004", {"barcode": "100005"})]


# ---- offers


def offer(action: str, key: str = "100003", **members: Any) -> RecordedChange:
    return change(HUB_ITEM, key, action, **members)


def test_an_offer_is_taken_back(here: Instance) -> None:
    item = here.reference(OBJECT, "100003")
    mine, other = (offer("create", after={"object": item, "price": price}) for price in ("10.00", "11.00"))
    withdrawn = Found([entry(HUB_ITEM, {"object": item["uuid"]}, state="absent")])
    assert here.undo(mine).refusals[0].startswith("hub item 100003: the journal does not know it")
    assert here.undo(mine, is_approved=True) == withdrawn
    here.sent(HUB_ITEM, "100003")
    assert here.undo(mine) == here.undo(offer("create", after={"object": item})) == withdrawn
    assert here.undo(other) == Found(
        warnings=["hub item 100003: price was changed since the apply, and is left as it is."]
    )
    old = {"object": here.reference(OBJECT, "100004"), "price": "5.00"}
    again = Found([entry(HUB_ITEM, {**old, "object": here.uuid(OBJECT, "100004")})], [IN_PART])
    assert here.undo(offer("delete", "100004", before=old)) == again
    assert here.undo(offer("delete", before={"object": item})) == Found(warnings=[IN_PART])
    none = offer("create", "100004", after={"object": here.reference(OBJECT, "100004")})
    assert here.undo(none, is_approved=True) == Found()


def test_the_price_of_an_offer_returns(here: Instance) -> None:
    item = here.reference(OBJECT, "100003")

    def repriced(was: str | None, written: str) -> RecordedChange:
        return offer("update", before={"object": item, "price": was}, after={"object": item, "price": written})

    restored = Found([entry(HUB_ITEM, {"object": item["uuid"], "price": "9.00"})])
    assert here.undo(repriced("9.00", "10.00")) == restored
    words = "hub item 100003: price was changed since the apply, and is left as it is."
    assert here.undo(repriced("9.00", "11.00")) == Found(warnings=[words])
    assert here.undo(repriced("9.00", "11.00"), changed_since="force") == restored
    assert here.undo(repriced("10.00", "11.00")) == Found()


# ---- values


def restored(here: Instance, key: str, was: Any, then: Any = None, *more: RecordedChange, **order: Any) -> Found:
    """Return the inverse of an update of one field of an object."""
    update = here.change(OBJECT, "100001", "update", before={key: was}, after={key: then})
    return here.undo(update, *more, **{"changed_since": "force", **order})


def written(found: Found) -> dict[str, Any]:
    """Return the fields of the first entry without its natural key."""
    return {key: value for key, value in found.entries[0].fields.items() if key != "barcode"}


def test_a_field_that_only_records_show_returns(here: Instance, monkeypatch: pytest.MonkeyPatch) -> None:
    list_all = Client.list_all

    def with_floors(client: Client, kind: Kind, *more: Any, **order: Any) -> list[Record]:
        records = list_all(client, kind, *more, **order)
        return [Record.from_answer(kind, {**record.flat, "floor": "1"}) for record in records]

    monkeypatch.setattr(Client, "list_all", with_floors)
    floor = here.change(LOCATION, "North", "update", before={"floor": "0"}, after={"floor": "1"})
    assert here.undo(floor) == Found([here.entry(LOCATION, "North", {"name": "North", "floor": "0"})])
    shelf = here.change(OBJECT, "100001", "update", before={"floor": "0"}, after={"floor": "1"})
    assert here.undo(shelf).entries == []


def test_a_room_returns_alone_because_its_location_follows(here: Instance) -> None:
    room = here.reference(ROOM, "South/1")
    assert written(restored(here, "target_room", room)) == {"target_room": room["uuid"]}
    assert written(restored(here, "target_room", None)) == {"target_room": None}
    place = here.reference(LOCATION, "South")
    assert written(restored(here, "target_building", place)) == {"target_building": place["uuid"]}


def moved(here: Instance, key: str, before: Mapping[str, Any], **after: Any) -> Found:
    """Return the inverse of an update of rooms and locations."""
    return here.undo(here.change(OBJECT, key, "update", before=before, after=after))


def test_what_followed_a_room_returns_if_nobody_wrote_it(here: Instance) -> None:
    room, place = here.reference(ROOM, "North/1"), here.reference(LOCATION, "North")
    south = here.reference(LOCATION, "South")
    before = {"target_room": None, "target_building": south}
    both = {"target_room": None, "target_building": south["uuid"]}
    assert written(moved(here, "100001", before, target_room=room)) == both
    gone = moved(here, "100001", {**before, "target_building": reference(LOCATION, "Gone")}, target_room=room)
    lost = "target_building can't be restored in full, because Gone does not exist any more"
    assert gone.warnings == [f"object 100001: {lost}."]
    secret = moved(here, "100001", {**before, "target_building": HIDDEN}, target_room=room)
    assert written(secret) == {"target_room": None}
    emptied = moved(here, "100002", {"target_room": room, "target_building": place}, target_building=None)
    why = "target_room is not restored, because the service or somebody emptied it"
    assert (written(emptied), emptied.warnings) == ({"target_building": place["uuid"]}, [f"object 100002: {why}."])


def test_each_room_returns_with_its_own_location(here: Instance) -> None:
    here.edit(100001, actual_room="North/1")
    room, south = here.reference(ROOM, "North/1"), here.reference(LOCATION, "South")
    for first, then in (("target", "actual"), ("actual", "target")):
        before = {f"{first}_room": None, f"{first}_building": south, f"{then}_room": None, f"{then}_building": south}
        after = {f"{first}_room": here.reference(ROOM, "South/1"), f"{then}_room": room}
        found = moved(here, "100001", before, **after)
        assert written(found) == {f"{then}_room": None, f"{then}_building": south["uuid"]}
        assert found.warnings == [f"object 100001: {first}_room was changed since the apply, and is left as it is."]


def test_a_location_returns_unless_somebody_wrote_the_room_since(here: Instance) -> None:
    here.edit(100001, actual_room="North/1")
    south, rooms = here.reference(LOCATION, "South"), {key: here.reference(ROOM, key) for key in ("North/1", "South/1")}
    for first, then in (("target", "actual"), ("actual", "target")):
        other = {f"{then}_room": None, f"{then}_building": south}
        order: dict[str, Any] = {"after": {f"{first}_building": None, f"{then}_room": rooms["North/1"]}}
        before = {f"{first}_room": rooms["North/1"], f"{first}_building": south, **other}
        found = here.undo(here.change(OBJECT, "100001", "update", before=before, **order), changed_since="force")
        pair = {f"{then}_room": None, f"{then}_building": south["uuid"]}
        assert written(found) == {f"{first}_building": south["uuid"], **pair}
        before = {**before, f"{first}_room": rooms["South/1"]}
        kept = here.undo(here.change(OBJECT, "100001", "update", before=before, **order), changed_since="force")
        assert written(kept) == pair
        assert kept.warnings == [f"object 100001: {first}_room was changed since the apply, and is left as it is."]


def test_a_value_of_which_only_a_fingerprint_is_known_stays(here: Instance) -> None:
    found = restored(here, "description", HIDDEN, "now")
    assert found.entries == []
    hidden = "1 vaulted, hidden or unreadable value can't be undone, because the apply record has only fingerprints"
    assert found.warnings[1:] == [f"objects: {hidden}."]


def test_a_value_that_does_not_fit_any_more_stays(here: Instance) -> None:
    found = restored(here, "Mark", "longer than nine", "now")
    assert found.entries == []
    why = "can't be restored, because its earlier value does not fit the field any more"
    (words,) = found.warnings
    assert words.endswith(f" {why}.")


@pytest.mark.parametrize("name", ["North/2", "another name"])
def test_references_return_by_their_uuids(here: Instance, name: str) -> None:
    link = {**here.reference(ROOM, "North/2"), "name": name}
    assert written(restored(here, "target_room", link))["target_room"] == link["uuid"]


def test_a_name_that_now_means_another_record_is_not_written(here: Instance) -> None:
    link = reference(OBJECT, "100004", here.uuid(OBJECT, "100005"))
    assert written(restored(here, "accessories", [link])) == {"accessories": [here.uuid(OBJECT, "100005")]}
    link, gone = reference(OBJECT, "100009", NOWHERE), change(OBJECT, "100009", "update", uuid=NOWHERE)
    assert written(restored(here, "accessories", [link], None, gone)) == {"accessories": []}


@pytest.mark.parametrize(
    ("link", "words"),
    [
        (reference(OBJECT, "100009", LOST), "100009"),
        (reference(OBJECT, uuid=LOST), LOST),
        (reference(OBJECT, uuid="no uuid", number=4), "no uuid"),
        (reference(OBJECT, "100009", number=4), "100009"),
        ({"reference": "unknown", "uuid": None, "id": 4, "name": None}, "4"),
    ],
)
def test_a_lost_reference_is_left_out(here: Instance, link: Mapping[str, Any], words: str) -> None:
    kept = here.reference(OBJECT, "100003")
    found = restored(here, "accessories", [kept, link])
    assert written(found) == {"accessories": [kept["uuid"]]}
    assert found.warnings == [
        f"object 100001: accessories can't be restored in full, because {words} does not exist any more."
    ]


@pytest.mark.parametrize(
    ("link", "expected"),
    [
        (reference(OBJECT, "100004"), "100004"),
        (reference(OBJECT, number=4), 4),
        (reference(OBJECT, "100008", NOWHERE), {"barcode": "100009"}),
    ],
)
def test_a_reference_returns_by_what_identifies_its_record(
    here: Instance, link: Mapping[str, Any], expected: Any
) -> None:
    found = restored(here, "accessories", [link], None, deleted(OBJECT, "100009", GONE))
    assert written(found) == {"accessories": [expected]}


def test_files_return_if_they_exist(here: Instance) -> None:
    file = here.uuid(KINDS["file"], "b.txt")
    assert written(restored(here, "documents", [file])) == {"documents": [file]}
    here.embedded.log.clear()
    found = restored(here, "documents", [file, LOST, "no uuid", file, LOST])
    assert written(found) == {"documents": [file, file]}
    assert found.warnings == [
        (
            f"object 100001: documents can't be restored in full, because the file {LOST}, the file no uuid, the file "
            f"{LOST} does not exist any more."
        )
    ]
    asked = [path.rpartition("/")[2] for _method, path in here.embedded.log if "/file/" in path]
    assert asked == [file, LOST]


# ---- comparisons


def is_as_applied(here: Instance, key: str, value: Any, *more: RecordedChange) -> bool:
    """Return True if a field of an object is as it was applied."""
    update = here.change(OBJECT, "100001", "update", before={key: None}, after={key: value})
    return not here.undo(update, *more).warnings


def test_references_are_compared_by_all_that_identifies_them(here: Instance) -> None:
    uuid = here.uuid(OBJECT, "100002")
    same = [
        reference(OBJECT, "100002"),
        reference(OBJECT, number=2),
        reference(OBJECT, uuid=uuid),
        reference(OBJECT, "100009", uuid),
        reference(OBJECT, "100009", number=2),
    ]
    assert [link for link in same if not is_as_applied(here, "accessories", [link])] == []
    others = [
        reference(OBJECT, "100003"),
        reference(OBJECT, "100002", number=3),
        reference(OBJECT, number=99),
        reference(OBJECT, "100002", LOST),
        reference(OBJECT, "100009"),
    ]
    assert [link for link in others if is_as_applied(here, "accessories", [link])] == []
    assert not is_as_applied(here, "accessories", [])
    assert not is_as_applied(here, "accessories", None)


def test_a_name_means_the_present_record_and_not_an_earlier_creation(here: Instance) -> None:
    earlier = change(OBJECT, "100002", "create", uuid=here.uuid(OBJECT, "100003"), after={"barcode": "100002"})
    update = here.change(
        OBJECT, "100001", "update", before={"accessories": []}, after={"accessories": [reference(OBJECT, "100002")]}
    )
    assert written(here.undo(update, earlier, is_approved=True)) == {"accessories": []}


def test_references_are_compared_by_uuid_if_the_instance_shows_only_ids(here: Instance) -> None:
    here.embedded = Embedded.started({"link_read": "integer"}, store=here.embedded.service.store)
    assert is_as_applied(here, "accessories", [reference(OBJECT, uuid=here.uuid(OBJECT, "100002"))])
    assert not is_as_applied(here, "accessories", [reference(OBJECT, uuid=here.uuid(OBJECT, "100003"))])


def test_a_link_to_an_object_that_was_archived_since_is_as_applied(here: Instance) -> None:
    here.archive(100002)
    link = reference(OBJECT, "100002")
    assert not is_as_applied(here, "accessories", [link])
    created = here.change(OBJECT, "100002", "create", after={"barcode": "100002"})
    assert is_as_applied(here, "accessories", [link], created)
    other = here.change(OBJECT, "100003", "create", after={"barcode": "100003"})
    assert not is_as_applied(here, "accessories", [link], other)


def test_files_are_compared_by_their_uuids(here: Instance) -> None:
    file = here.uuid(KINDS["file"], "a.txt")
    assert not is_as_applied(here, "documents", ["files/a.txt"])
    assert is_as_applied(here, "documents", [file])
    assert not is_as_applied(here, "documents", ["files/a.txt", file])
    assert not is_as_applied(here, "documents", [LOST])


# ---- references to records that are created again


def deleted_spare(here: Instance) -> RecordedChange:
    """Delete an object to which others refer. Return the change."""
    here.archive(100002)
    here.call("object", fields={"barcode": "100002"}, state="absent", match_on=["barcode"])
    return here.change(OBJECT, "100002", "delete", before={"barcode": "100002", "inventory_name": "Other"})


def referring(here: Instance, key: str, fields: Mapping[str, Any]) -> Entry:
    """Return the entry that makes a record refer to a record that is created again."""
    kind = KINDS["task"] if key == "T1" else OBJECT
    return Entry(kind, fields, Place(f"references of {SOURCE}"), uuid=here.uuid(kind, key))


def test_others_refer_to_the_record_that_is_created_again(here: Instance) -> None:
    here.edit(100003, **{"Spare of": "100002"})
    here.edit(100005, accessories=["100004", "100002"], target_room="North/1")
    here.edit(100004, accessories=["100005"])
    deletion = deleted_spare(here)
    again = here.undo(deletion)
    link = {"barcode": "100002"}
    (spare,) = (key for key in again.entries[2].fields if key.startswith("spare_of"))
    assert again == Found(
        [
            entry(OBJECT, {"barcode": "100002", "inventory_name": "Other"}),
            referring(here, "100001", {"accessories": [link]}),
            referring(here, "100003", {spare: link}),
            referring(here, "100005", {"accessories": [here.uuid(OBJECT, "100004"), link]}),
            referring(here, "T1", {"references": [link]}),
        ],
        [IN_PART],
    )
    # After an interruption it exists. A link to another deleted record ends.
    here.call("object", fields={"barcode": "100002", "inventory_name": "Other"}, match_on=["barcode"])
    here.creations.add("object 100002")
    here.archive(100004)
    here.call("object", fields={"barcode": "100004"}, state="absent", match_on=["barcode"])
    resumed = here.undo(deletion, is_resumed=True).entries
    tasks = again.entries[-1:]
    assert resumed[1:] == [*again.entries[1:3], referring(here, "100005", {"accessories": [link]}), *tasks]


def test_entries_of_the_same_undo_refer_to_the_record_that_is_created_again(here: Instance) -> None:
    here.edit(100003, accessories=["100002"])
    here.edit(100004, accessories=["100002"])
    here.edit(100005, accessories=["100002"])
    here.archive(100005)
    deletion = deleted_spare(here)
    description = here.change(OBJECT, "100001", "update", before={"description": "old"}, after={"description": "now"})
    links = here.added_link("100003")
    created = here.change(OBJECT, "100004", "create", after={"barcode": "100004"})
    archived = here.change(OBJECT, "100005", "archive", before={})
    link = {"accessories": [{"barcode": "100002"}]}
    assert here.undo(deletion, description, links, created, archived, is_approved=True).entries[1:] == [
        here.entry(OBJECT, "100001", {"barcode": "100001", "description": "old", **link}, 1),
        here.entry(OBJECT, "100003", {"barcode": "100003", "accessories": []}, 2),
        here.entry(OBJECT, "100004", {"barcode": "100004"}, 3, state="archived"),
        here.entry(OBJECT, "100005", {"barcode": "100005", **link}, 4),
        referring(here, "T1", {"references": link["accessories"]}),
    ]


# ---- references to created records


def removal(here: Instance, key: str) -> RecordedChange:
    """Return the creation of an object, whose undo archives it."""
    return here.change(OBJECT, key, "create", after={"barcode": key})


def test_a_created_object_to_which_a_record_refers_is_not_archived(here: Instance) -> None:
    refused = here.undo(removal(here, "100002"), is_approved=True)
    task = here.uuid(KINDS["task"], "T1")
    words = "refers to it now ({}), so it is not archived. Clear that first."
    assert refused.refusals == [
        "object 100002: object 100001 " + words.format("accessories"),
        f"object 100002: task {task} " + words.format("references"),
    ]
    assert refused.entries == [here.entry(OBJECT, "100002", {"barcode": "100002"}, state="archived")]
    assert here.undo(removal(here, "100004"), is_approved=True).refusals == []


def test_only_an_offer_keeps_an_object_that_came_from_the_archive_out_of_it(here: Instance) -> None:
    back = [here.change(OBJECT, key, "update", unarchived=True) for key in ("100002", "100003")]
    assert here.undo(*back, is_approved=True).refusals == [
        "object 100003: hub item 1 refers to it now (asset_id), so it is not archived. Clear that first."
    ]


@pytest.mark.parametrize("holder", [{"before": {"barcode": HIDDEN}}, {"after": {"barcode": HIDDEN}}], ids=str)
def test_a_unique_value_is_not_restored_if_its_holder_has_only_a_fingerprint(
    here: Instance, holder: dict[str, Any]
) -> None:
    sides: dict[str, Any] = {"keys": ("serial_number",), "after": {"barcode": "100001"}}
    first = here.change(OBJECT, "100001", "update", before={"barcode": "100002"}, **sides)
    given = {"before": {"barcode": "100009"}, "after": {"barcode": "100002"}, **holder}
    found = here.undo(first, here.change(OBJECT, "100002", "update", keys=("serial_number",), **given))
    assert "objects 100001, barcode: another record has its earlier value now, which must be unique" in found.kept
    assert found.entries == []


def test_an_object_with_a_vaulted_barcode_is_named_by_its_uuid(here: Instance) -> None:
    uuid = here.uuid(OBJECT, "100002")
    created = change(OBJECT, f"{VAULTED} 1", "create", uuid=uuid, after={"barcode": HIDDEN})
    refused = here.undo(created, is_approved=True).refusals
    assert [words.partition(": ")[0] for words in refused] == [f"object {uuid}"] * 2


def test_an_offered_object_is_not_archived(here: Instance) -> None:
    assert here.undo(removal(here, "100003"), is_approved=True).refusals == [
        "object 100003: hub item 1 refers to it now (asset_id), so it is not archived. Clear that first."
    ]
    here.embedded.set(answers={"GET /circularity-hub/items": {"set": {"deleted": 1}}})
    assert here.undo(removal(here, "100003"), is_approved=True).refusals == []


def test_an_object_whose_offer_is_taken_back_is_archived(here: Instance) -> None:
    mine = offer("create", after={"object": here.reference(OBJECT, "100003"), "price": "10.00"})
    assert here.undo(removal(here, "100003"), mine, is_approved=True).refusals == []
    changed = offer("create", after={"object": here.reference(OBJECT, "100003"), "price": "11.00"})
    assert len(here.undo(removal(here, "100003"), changed, is_approved=True).refusals) == 1


def test_links_without_uuids_lead_to_created_objects(here: Instance) -> None:
    here.edit(100005, target_room="North/1")
    here.embedded = Embedded.started({"link_read": "integer"}, store=here.embedded.service.store)
    # A room has the id of the object.
    assert here.undo(removal(here, "100001"), is_approved=True).refusals == []
    refused = here.undo(removal(here, "100002"), removal(here, "100004"), is_approved=True).refusals
    assert [words.partition(" refers")[0] for words in refused][:1] == ["object 100002: object 100001"]


def test_references_that_the_undo_removes_do_not_count(here: Instance) -> None:
    links = here.added_link("100001")
    others = dict.fromkeys(("comment", "deadline", "assignees", "references"), HIDDEN)
    task = here.change(KINDS["task"], "T1", "create", after={"title": "T1", **others})
    orders: dict[str, Any] = {"is_approved": True}
    assert here.undo(removal(here, "100002"), links, task, **orders).refusals == []
    assert here.undo(removal(here, "100002"), removal(here, "100001"), task, **orders).refusals == []
    description = here.change(OBJECT, "100001", "update", before={"description": "old"}, after={"description": "now"})
    assert len(here.undo(removal(here, "100002"), description, task, **orders).refusals) == 1
    assert len(here.undo(removal(here, "100002"), links, **orders).refusals) == 1


def test_tasks_are_only_read_if_an_object_is_created_again(here: Instance) -> None:
    room = deleted(KINDS["room"], "North/9", {"building_id": here.reference(KINDS["location"], "North"), "number": "9"})
    here.embedded.fault("403", path="*/tasks")
    assert here.undo(room).warnings == [IN_PART]
    words, *_others = here.undo(deleted(OBJECT, "100009", GONE)).warnings[::-1]
    assert words.startswith("tasks: whether they refer to these objects was not looked up: GET ")


def test_a_list_that_can_not_be_read_is_a_warning(here: Instance) -> None:
    here.embedded.fault("403", path="*/tasks")
    found = here.undo(removal(here, "100004"), is_approved=True)
    assert len(found.entries) == 1
    (words,) = found.warnings
    assert words.startswith("tasks: whether they refer to these objects was not looked up: GET ")
