# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The plan of a few entries for a small instance: changes, counts, findings, warnings and refusals."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import pytest
from embedded_here import Embedded
from instance_site import yaml_list

from ansible_collections.community.seventhings.plugins.module_utils.client.record import Record
from ansible_collections.community.seventhings.plugins.module_utils.errors import PermissionMissing
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import (
    FIELD_DEFINITION,
    HUB_ITEM,
    KINDS,
    LOCATION,
    OBJECT,
    PERSON,
    RENTAL_CASE,
    ROOM,
    TASK,
    USER,
    Kind,
)
from ansible_collections.community.seventhings.plugins.module_utils.plan.allowed import DESTRUCTIVE
from ansible_collections.community.seventhings.plugins.module_utils.resolve.field_visibility import identifies
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.desired import DesiredInstance, Policy
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.entry import Entry
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.hiding import NOT_SHOWN, Hiding
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.lifecycle import Lifecycle
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.nodes import TreeNode, mark_at
from ansible_collections.community.seventhings.plugins.plugin_utils.rules.rule import read_rules
from ansible_collections.community.seventhings.plugins.plugin_utils.set_plan.plan import InstancePlan, PlanOptions
from ansible_collections.community.seventhings.plugins.plugin_utils.set_plan.planner import plan_instance

ADA, EVA, BOB = (f"{name}@acme.example" for name in ("ada", "eva", "bob"))
FILES: dict[str, str | bytes] = {
    "locations.yml": yaml_list({"name": name, "city": "Kiel"} for name in ("North", "South", "Void")),
    "rooms.yml": yaml_list(
        {"building_id": place, "number": number, "name": name}
        for place, number, name in (("North", "1", "Hall"), ("North", "2", "Den"), ("South", "1", "Bay"))
    ),
    "persons.yml": yaml_list({"email": email, "first_name": "A", "last_name": "B"} for email in (ADA, EVA, BOB)),
    "users.yml": yaml_list([{"email": ADA}]),
    "objects.yml": yaml_list(
        [
            {
                "barcode": "100001",
                "inventory_name": "One",
                "description": "now",
                "purchasing_price": "9.00",
                "serial_number": "S1",
                "target_room": "North/1",
                "accessories": ["100002"],
            },
            *(
                {"barcode": str(number), "inventory_name": "Other", "serial_number": serial}
                for number, serial in ((100002, "S2"), (100003, "S3"), (100004, "S9"), (100005, "S9"), (100006, "S6"))
            ),
        ]
    ),
    "tasks.yml": yaml_list(
        {"title": title, "deadline": day, "assignees": [ADA], "references": ["100002"], "comment": "Look."}
        for title, day in (("Count", "2032-01-01"), ("Move", "2032-01-01"))
    ),
    "hub.yml": yaml_list([{"object": "100003", "price": "10.00"}]),
}


class Written(TreeNode):
    """Fields in one line of a file."""

    def __init__(self, source: str, line: int, names: Collection[str], empty: Sequence[str] = ()) -> None:
        marks = [mark_at(line, 10 + 10 * number) for number in range(len(names))]
        super().__init__(dict.fromkeys(names), source, mark_at(line, 1), marks)
        self._empty = empty
        self.is_row = source.endswith(".csv")

    def empty_cells(self) -> Sequence[str]:
        return self._empty


def entry(kind: Kind, values: Mapping[str, Any], line: int = 1, source: str = "", **members: Any) -> Entry:
    """Return an entry whose fields are in one line of a file."""
    empty = members.pop("empty", ())
    return Entry(kind, values, None, Written(source or f"{kind.section}.yml", line, values, empty), **members)


def thing(barcode: Any, line: int = 1, **values: Any) -> Entry:
    """Return an entry for an object."""
    return entry(OBJECT, {"barcode": barcode, "inventory_name": "Other", **values}, line)


@dataclass
class Outcome:
    """What a plan says.

    :ivar changes: action, kind and key of each change to the values after it. Of messages only the first words count.
    """

    changes: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    unchanged: dict[str, int] = field(default_factory=dict)
    skipped: dict[str, int] = field(default_factory=dict)
    unmatched: dict[str, int] = field(default_factory=dict)
    findings: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    exceeded_limits: list[str] = field(default_factory=list)
    protected: list[str] = field(default_factory=list)


@dataclass
class Instance:
    """An instance with records of all kinds.

    :ivar uuids: kind and natural key of each record to its uuid.
    """

    embedded: Embedded
    uuids: Mapping[str, str]

    def uuid(self, kind: Kind, key: str) -> str:
        return self.uuids[f"{kind.name} {key}"]

    def full(self, *entries: Entry, unmanaged: Sequence[Entry] = (), **given: Any) -> InstancePlan:
        """Return the plan of some entries.

        :param given: options of the plan, and parts of the desired state.
        """
        options = {name: given.pop(name) for name in list(given) if name in OPTIONS}
        given.setdefault("sections", {item.kind.section for item in (*entries, *unmanaged)})
        desired = DesiredInstance(list(entries), list(unmanaged), **given)
        return plan_instance(self.embedded.client(), desired, PlanOptions(**options))

    def plan(self, *entries: Entry, **given: Any) -> Outcome:
        """Return what the plan of some entries says."""
        return outcome(self.full(*entries, **given))

    @property
    def offer(self) -> Record:
        """Return the only item of the hub."""
        (offer,) = self.embedded.client().list_all(HUB_ITEM)
        return offer

    def hide(self, *names: str) -> None:
        """Hide fields from the account."""
        self.embedded.service.store.run("UPDATE user SET hidden_fields = ? WHERE id = 1", (json.dumps(names),))

    def archive(self, barcode: str) -> None:
        self.embedded.client().archive(OBJECT, self.uuid(OBJECT, barcode))


OPTIONS = frozenset(option.name for option in fields(PlanOptions))


def outcome(plan: InstancePlan) -> Outcome:
    return Outcome(
        {f"{planned.change.action} {planned}": planned.change.after for planned in plan.changes},
        dict(plan.unchanged),
        dict(plan.skipped),
        dict(plan.unmatched),
        [begin(finding) for finding in plan.findings],
        [begin(warning) for warning in plan.warnings],
        [begin(line) for line in plan.exceeded_limits],
        [begin(line) for line in plan.protected],
    )


def begin(message: Any) -> str:
    """Return the first words of a message."""
    return " ".join(str(message).split()[:5])


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Embedded:
    root = tmp_path_factory.mktemp("files")
    site = Embedded.started(data="empty").site(root)
    site.write(FILES)
    applied = site.run(allow=["users"], workers=1, journal=root / "journal")
    assert applied.outcome == "changed", (applied.findings, applied.failures, applied.refusals)
    return site.embedded


@pytest.fixture(scope="module")
def uuids(filled: Embedded) -> Mapping[str, str]:
    client = filled.client()
    names = {
        "location": "name",
        "room": "name",
        "person": "email",
        "user": "email",
        "object": "barcode",
        "task": "title",
    }
    return {
        f"{kind} {record.flat[name]}": record.uuid
        for kind, name in names.items()
        for record in client.list_all(KINDS[kind])
    }


@pytest.fixture
def here(filled: Embedded, uuids: Mapping[str, str]) -> Instance:
    return Instance(Embedded.started(store=filled.service.store), uuids)


# ---- the plan as a whole


def test_new_changed_and_unchanged_records(here: Instance) -> None:
    new, same = thing("100007"), thing("100002", 2)
    plan = here.full(new, same, thing("100003", 3, inventory_name="New"), thing("100001", 4, target_room="North/2"))
    assert outcome(plan) == Outcome(
        {
            "create object 100007": {"barcode": "100007", "inventory_name": "Other"},
            "update object 100003": {"inventory_name": "New"},
            "update object 100001": {"inventory_name": "Other", "target_room": "North/2"},
        },
        unchanged={"objects": 1},
    )
    assert [planned.entry for planned in plan.changes if planned.change.current is None] == [new]
    assert plan.claimed[OBJECT.name][here.uuid(OBJECT, "100002")] is same
    assert plan.managed == {
        "object": {here.uuid(OBJECT, code): code for code in ("100001", "100002", "100003")},
    }
    assert (plan.everywhere, plan.existing) == ({"objects": 6}, {"objects": 6})
    assert plan.reported == {"objects": ["100004", "100005", "100006"]}


def test_changes_are_in_the_order_of_their_levels_sections_and_keys(here: Instance) -> None:
    plan = here.full(
        entry(TASK, {"title": "New", "deadline": "2032-01-01", "assignees": [ADA]}),
        thing("100009", 1),
        thing("100008", 2),
        entry(PERSON, {"email": "new@acme.example", "first_name": "A", "last_name": "B"}),
        entry(ROOM, {"building_id": "North", "number": "9", "name": "x"}),
        entry(LOCATION, {"name": "West"}),
        entry(FIELD_DEFINITION, {"label": "Grade", "type": "TEXT"}, template="asset"),
        entry(HUB_ITEM, {"object": "100002", "price": "1.00"}),
        entry(USER, {"email": EVA}),
        policy=Policy(create_users=True),
    )
    assert plan.findings == []
    assert list(map(str, plan.changes)) == [
        "field definition asset Grade",
        "location West",
        "room North/9",
        "person new@acme.example",
        f"user {EVA}",
        "object 100008",
        "object 100009",
        "task New",
        "hub item 100002",
    ]


def test_settings_are_checked_once_all_fields_are_known(here: Instance) -> None:
    by_nothing = here.plan(thing("100002"), identity={"objects": ("nothing",)})
    assert by_nothing.findings == ["instance.yml: identity.objects: nothing: no such"]


def test_entries_of_other_sections_are_planned_too(here: Instance) -> None:
    assert here.plan(thing("100002"), sections=set()) == Outcome(unchanged={"objects": 1})


def test_the_scope_is_checked_and_only_counts_records_in_it(here: Instance) -> None:
    assert here.plan(thing("100002"), scope={"objects": {"nothing": ["x"]}}).findings == [
        "instance.yml: scope.objects.nothing: no such field"
    ]
    scope = {"objects": {"inventory_name": ["Other"]}}
    plan = here.full(thing("100002"), thing("100001", 2), thing("100009", 3), scope=scope)
    assert outcome(plan) == Outcome(
        {"create object 100009": {"barcode": "100009", "inventory_name": "Other"}},
        unchanged={"objects": 1},
        findings=["objects.yml:2:1: object 100001 exists, but"],
    )
    assert (plan.everywhere, plan.existing) == ({"objects": 6}, {"objects": 5})
    assert here.plan(thing("100002", inventory_name="New"), scope=scope).findings == [
        "objects.yml:1:20: inventory_name: object 100002 would"
    ]
    unchanged = here.plan(thing("100001", inventory_name="One"), scope=scope)
    assert unchanged == Outcome(findings=["objects.yml:1:1: object 100001 exists, but"])
    new = thing("100009", serial_number="S7"), thing("100010", 2)
    assert here.plan(*new, scope={"objects": {"serial_number": ["S2"]}}).findings == [
        "objects.yml:1:30: serial_number: object 100009 would",
        "objects.yml:2:1: serial_number: object 100010 would",
    ]
    nobody = {"objects": {"inventory_name": ["None"]}}
    assert here.plan(entry(OBJECT, {"barcode": "100002"}, state="absent"), scope=nobody) == Outcome(
        findings=["objects.yml:1:1: object 100002 exists, but"]
    )
    assert here.plan(entry(OBJECT, {"barcode": "100009"}, state="absent"), scope=nobody) == Outcome(
        unchanged={"objects": 1},
        unmatched={"objects": 1},
        warnings=["objects: 1 that should be", "scope.objects: none of the 6"],
    )


def test_a_name_in_only_that_nothing_has_is_a_finding(here: Instance) -> None:
    assert here.plan(thing("100002"), only=["nothing"]).findings == ["only: 'nothing' is neither a"]


def test_warnings_of_all_parts_are_sorted(here: Instance) -> None:
    row = entry(OBJECT, {"barcode": "100003", "inventory_name": "Other"}, 3, "objects.csv", empty=("serial_number",))
    plan = here.plan(
        entry(USER, {"email": EVA}),
        thing("100002", 2, inventory_name=" x"),
        row,
        thing("200001", 4, inventory_name="One"),
        thing("100004", 5, accessories=["100001"]),
        thing("100005", 6, actual_room="North/1"),
        moved={"objects": [({"barcode": "100001"}, {"barcode": "200001"})]},
        lifecycle={"objects": Lifecycle(protect=("x",))},
        hiding=Hiding(names={"nothing"}),
    )
    assert plan == Outcome(
        {
            "update object 100002": {"inventory_name": " x"},
            "update object 200001": {"barcode": "200001"},
            "update object 100004": {"accessories": ["100001"]},
        },
        unchanged={"objects": 2},
        skipped={"users": 1},
        warnings=[
            "hide: 'nothing' is not a",
            "lifecycle.objects.protect: 'x' matches no record",
            "moved: records are referred to",
            "objects.csv: 1 empty cell where",
            "objects.yml:2:20: inventory_name: ' x' begins",
            "objects: actual_room (objects.yml:6:30) is left",
            f"user {EVA}: not created, because",
        ],
    )


def test_empty_cells_of_a_removed_record_are_not_counted(here: Instance) -> None:
    row = entry(OBJECT, {"barcode": "100003"}, 2, "objects.csv", empty=("serial_number",), state="absent")
    assert here.plan(row) == Outcome({"delete object 100003": {}})


# ---- the archive


def test_archived_records_are_only_looked_up_to_archive_them_if_they_may_block_a_removal(here: Instance) -> None:
    here.archive("100006")
    archived = entry(OBJECT, {"barcode": "100006"}, state="archived")
    assert here.plan(archived).unmatched == {"objects": 1}
    void = entry(LOCATION, {"name": "Void"}, state="absent")
    with_removal = here.plan(archived, void)
    assert (with_removal.unmatched, with_removal.unchanged) == ({}, {"objects": 1})
    assert here.plan(archived, void, thing("x", nothing=1)).unmatched == {"objects": 1}


def test_nothing_is_looked_up_if_there_are_findings(here: Instance) -> None:
    here.plan(thing("100009"), thing("100002", 2, nothing=1))
    assert not [path for _method, path in here.embedded.log if "by-barcode" in path]
    here.plan(thing("100009"))
    assert [path for _method, path in here.embedded.log if path.endswith("by-barcode/100009")]


@pytest.mark.parametrize("code", ["100006", "4711"], ids=["archived", "missing"])
def test_the_barcode_of_a_reference_is_looked_up_once_if_no_list_has_it(here: Instance, code: str) -> None:
    here.archive("100006")
    here.plan(
        thing("100002", accessories=[code, {"barcode": code}, 999_999, "100003"]),
        thing("100003", 2, accessories=[code], target_room=code),
    )
    assert [path.rpartition("/")[2] for _method, path in here.embedded.log if "by-barcode" in path] == [code]


@pytest.mark.parametrize("hiding", [Hiding(), Hiding(names={"barcode"})], ids=["shown", "hidden"])
def test_a_refused_lookup_shows_no_hidden_barcode(here: Instance, hiding: Hiding) -> None:
    here.embedded.steer("PUT", "/faults", [{"fault": "403", "method": "GET", "path": "*/by-barcode/*"}])
    with pytest.raises(PermissionMissing) as caught:
        here.plan(thing("100002", accessories=["4711"]), hiding=hiding)
    assert (caught.value.message == NOT_SHOWN) == hiding.is_on
    assert ("4711" in caught.value.message) != hiding.is_on


# ---- removals


def test_removed_and_archived_records(here: Instance) -> None:
    assert here.plan(
        entry(OBJECT, {"barcode": "100002"}, state="absent"),
        entry(OBJECT, {"barcode": "100009"}, 2, state="absent"),
        entry(OBJECT, {"barcode": "100006"}, 3, state="archived"),
        entry(OBJECT, {"barcode": "100008"}, 4, state="archived"),
    ) == Outcome(
        {"delete object 100002": {}, "archive object 100006": {"archived": True}},
        unchanged={"objects": 2},
        unmatched={"objects": 2},
        warnings=["objects: 2 that should be"],
    )


def test_unmanaged_records_stay(here: Instance) -> None:
    plan = here.full(
        thing("100001", inventory_name="One"),
        unmanaged=[
            entry(ROOM, {"building_id": "No", "number": "1"}),
            entry(ROOM, {"building_id": "North", "number": "1"}, 2),
            entry(OBJECT, {"inventory_name": "Other"}, 2),
            entry(OBJECT, {"barcode": "100001"}, 3),
            entry(OBJECT, {"barcode": "100002"}, 4, lifecycle=Lifecycle(is_protected=True)),
            entry(OBJECT, {"barcode": "100009"}, 5),
        ],
        policy=Policy(prune={"objects": "archive"}),
        set_name="test",
        known=frozenset(here.uuids.values()),
    )
    codes = ("100003", "100004", "100005", "100006")
    assert outcome(plan) == Outcome(
        {f"archive object {code}": {"archived": True} for code in codes},
        unchanged={"objects": 1},
        findings=[
            "objects.yml:2:1: barcode must have a",
            "objects.yml:3:1: object 100001 is written",
        ],
    )
    assert plan.released == [
        ("room", "North/1", here.uuid(ROOM, "Hall")),
        ("object", "100002", here.uuid(OBJECT, "100002")),
    ]
    assert [(str(noted.planned), noted.uuid) for noted in plan.protections] == [
        ("object 100002", here.uuid(OBJECT, "100002"))
    ]
    assert plan.set_sizes == {"objects": 6}
    assert plan.managed == {"object": {here.uuid(OBJECT, "100001"): "100001"}}


def test_the_size_of_the_set_has_no_archived_records(here: Instance) -> None:
    here.archive("100006")
    assert here.full(entry(OBJECT, {"barcode": "100006"}, state="absent")).set_sizes == {"objects": 0}


def test_an_unmanaged_record_may_be_protected(here: Instance) -> None:
    unmanaged = [entry(OBJECT, {"barcode": "100002"}, lifecycle=Lifecycle(is_protected=True))]
    (noted,) = here.full(unmanaged=unmanaged, only=["objects"]).protections
    assert (str(noted.planned), noted.planned.desired) == ("object 100002", {"barcode": "100002"})
    assert here.full(unmanaged=unmanaged, only=["rooms"]).protections == []


@pytest.mark.parametrize(("show", "key"), [(False, "(vaulted) objects.yml:1:1"), (True, "100002")])
def test_a_journal_does_not_have_the_hidden_key_of_an_unmanaged_record(here: Instance, show: bool, key: str) -> None:
    unmanaged = [entry(OBJECT, {"barcode": "100002"}, lifecycle=Lifecycle(is_protected=True))]
    plan = here.full(unmanaged=unmanaged, hiding=Hiding(names={"barcode"}, show=show))
    assert plan.released == [("object", "(vaulted) objects.yml:1:1", here.uuid(OBJECT, "100002"))]
    assert [str(noted.planned) for noted in plan.protections] == [f"object {key}"]


def test_a_reference_to_a_removed_record_is_a_finding(here: Instance) -> None:
    hall = entry(ROOM, {"building_id": "North", "number": "1"}, state="absent")
    words = "target_room: room North/1 is to"
    unchanged = thing("100001", inventory_name="One", target_room="North/1")
    assert here.plan(hall, unchanged).findings == [f"objects.yml:1:30: {words[:-3]}"]
    changed = thing("100001", inventory_name="New", target_room="North/1")
    assert here.plan(hall, changed).findings == [f"objects.yml:1:30: {words[:-3]}"]
    initial = {"objects": Lifecycle(initial=("target_room",))}
    assert here.plan(hall, unchanged, lifecycle=initial).findings == ["rooms.yml:1:1: room North/1 is to"]
    by_pruning = here.plan(
        entry(ROOM, {"building_id": "North", "number": "2"}),
        unchanged,
        policy=Policy(prune={"rooms": "delete"}),
        set_name="test",
        known=frozenset(here.uuids.values()),
    )
    assert by_pruning.findings == [f"objects.yml:1:30: {words[:-3]}"]


def test_protected_records_are_not_removed(here: Instance) -> None:
    absent = entry(OBJECT, {"barcode": "100002"}, state="absent")
    with_finding = here.plan(absent, thing("100003", 2, nothing=1), lifecycle={"objects": Lifecycle(protect=("x",))})
    assert with_finding.findings == ["objects.yml:2:30: nothing: no such field"]
    shield = entry(OBJECT, {"barcode": "100002"}, 2, lifecycle=Lifecycle(is_protected=True))
    assert here.plan(absent, shields=[shield]).protected == ["object 100002 is protected, and"]
    offer = entry(HUB_ITEM, {"object": "100003"}, state="absent")
    shield = entry(HUB_ITEM, {"object": "100003"}, 2, lifecycle=Lifecycle(is_protected=True))
    nothing = entry(HUB_ITEM, {"price": "1.00"}, 2, lifecycle=Lifecycle(is_protected=True))
    assert here.plan(offer, shields=[nothing]).protected == []
    assert here.plan(offer, shields=[nothing, shield]).protected == ["hub item 100003 is protected,"]


def test_a_shield_is_found_by_the_fields_that_the_settings_name(here: Instance) -> None:
    by_serial: Any = {"identity": {"objects": ("serial_number",)}}
    absent = entry(OBJECT, {"serial_number": "S2"}, state="absent")
    shield = entry(OBJECT, {"serial_number": "S2"}, 2, lifecycle=Lifecycle(is_protected=True))
    assert here.plan(absent, shields=[shield], **by_serial).protected == ["object S2 is protected, and"]
    nameless = entry(OBJECT, {"inventory_name": "x"}, 2, lifecycle=Lifecycle(is_protected=True))
    assert here.plan(absent, shields=[nameless], **by_serial).findings == ["objects.yml:2:1: serial_number must have a"]


# ---- rules


RULES = """\
rules:
  - {id: serial, for: objects, require: {required: [serial_number]}}
  - {id: kept, for: changes, require: {properties: {action: {const: update}}}}
  - {id: place, for: locations, level: warning, require: {required: [zip]}}
  - {id: offer, for: hub, require: {required: [price], properties: {object: {const: "100003"}}}}
"""


def test_rules_judge_records_changes_and_the_instance(here: Instance, tmp_path: Path) -> None:
    path = tmp_path / "rules.yml"
    path.write_text(RULES, "utf-8")
    rules = read_rules([path])
    plan = here.full(
        thing("100009"),
        thing("100002", 2),
        entry(LOCATION, {"name": "North"}),
        entry(HUB_ITEM, {"object": "100003"}),
        entry(HUB_ITEM, {"object": "100002", "price": "1.00"}, 2),
        rules=rules,
        is_drift=True,
    )
    assert [f"{finding.place} {finding.rule}" for finding in plan.findings] == [
        "hub.yml:2:1 kept",
        "hub.yml:2:10 offer",
        "objects.yml:1:1 serial",
        "objects.yml:1:1 kept",
    ]
    assert [f"{finding.place} {finding.rule}" for finding in plan.rule_warnings] == [
        *[f"{path}:4:5 place"] * 2,
        "locations.yml:1:1 place",
    ]


# ---- limits


@pytest.mark.parametrize(("state", "size"), [("absent", 1), ("archived", 1), ("present", None)])
def test_the_size_of_the_set_is_measured_if_records_are_removed(here: Instance, state: str, size: int | None) -> None:
    plan = here.full(entry(OBJECT, {"barcode": "100002", "inventory_name": "New"}, state=state))
    assert len(plan.changes) == 1
    assert plan.set_sizes.get("objects") == size


def test_a_field_that_changes_in_most_of_a_set_is_a_warning(here: Instance) -> None:
    client = here.embedded.client()
    uuids = [client.create(LOCATION, {"name": f"Place {number}"}) for number in range(101)]
    entries = [
        entry(LOCATION, {"name": f"Place {number}", "city": "Kiel"}, number, uuid=uuid)
        for number, uuid in enumerate(uuids)
    ]
    plan = here.full(*entries)
    assert list(map(begin, plan.cautions)) == ["locations: city changes in 101"]
    assert plan.set_sizes == {"locations": 101}
    less = here.full(*entries[1:])
    assert (less.cautions, less.set_sizes) == ([], {})


# ---- match


def test_an_entry_is_found_by_the_fields_that_the_settings_name(here: Instance) -> None:
    by_serial: Any = {"identity": {"objects": ("serial_number",)}}
    assert here.plan(
        entry(OBJECT, {"serial_number": "S9", "inventory_name": "x"}),
        entry(OBJECT, {"serial_number": "S2", "inventory_name": "x"}, 2),
        entry(OBJECT, {"serial_number": "S8", "inventory_name": "y", "barcode": "8"}, 3),
        **by_serial,
    ) == Outcome(
        {
            "update object S2": {"inventory_name": "x"},
            "create object S8": {"barcode": "8", "inventory_name": "y", "serial_number": "S8"},
        },
        findings=["objects.yml:1:1: 2 objects have serial_number"],
    )
    nameless = entry(OBJECT, {"inventory_name": "x"}), entry(OBJECT, {"inventory_name": "x"}, 2)
    assert here.plan(*nameless, **by_serial).findings == [
        f"objects.yml:{line}:1: serial_number must have a" for line in (1, 2)
    ]
    label = {"identity": {"objects": ("Serial number",)}}
    assert here.plan(entry(OBJECT, {"Serial number": "S2", "inventory_name": "Other"}), **label) == Outcome(
        unchanged={"objects": 1}
    )


def test_a_natural_key_that_is_missing_or_wrong_is_one_finding(here: Instance) -> None:
    nameless = entry(OBJECT, {"inventory_name": "x"}), entry(OBJECT, {"inventory_name": "x"}, 2)
    assert here.plan(*nameless).findings == [f"objects.yml:{line}:1: barcode must have a" for line in (1, 2)]
    assert here.plan(thing(["x"])).findings == ["objects.yml:1:10: barcode: ['x'] does not"]
    assert here.plan(thing(" 100001")) == Outcome(findings=["objects.yml:1:10: barcode: ' 100001' begins"])
    labelled = entry(OBJECT, {"Barcode": " 100001"})
    assert here.plan(labelled) == Outcome(findings=["objects.yml:1:10: Barcode: ' 100001' begins"])
    assert here.plan(thing("100002"), thing("100002", 2)) == Outcome(
        unchanged={"objects": 1}, findings=["objects.yml:2:1: object 100002 is written"]
    )


def test_wrong_values_and_unclear_entries_are_not_planned(here: Instance) -> None:
    assert here.plan(thing("100002", purchasing_price="ten"), thing("100003", 2, inventory_name="y")) == Outcome(
        {"update object 100003": {"inventory_name": "y"}},
        findings=["objects.yml:1:30: purchasing_price: 'ten' does not"],
    )
    assert here.plan(thing("100002", nothing=1)) == Outcome(findings=["objects.yml:1:30: nothing: no such field"])
    misread = entry(OBJECT, {"barcode": "100003", "inventory_name": "y"}, 2, misread=True)
    assert here.plan(thing("100002"), misread) == Outcome(unchanged={"objects": 1})


def test_references_of_dropped_entries_are_checked(here: Instance) -> None:
    wrong = [thing(f"10000{line}", line, nothing=1, accessories=["x"]) for line in (1, 2)]
    assert here.plan(*wrong).findings == [
        f"objects.yml:{line}:{words}"
        for line in (1, 2)
        for words in ("30: nothing: no such field", "40: accessories[0]: there is no")
    ]
    doubtful = thing("100007", nothing=1), thing("100001", 2, accessories=["100007"])
    assert here.plan(*doubtful).findings == ["objects.yml:1:30: nothing: no such field"]


def test_rooms_are_found_by_number_or_by_name(here: Instance) -> None:
    assert here.plan(
        entry(ROOM, {"building_id": "North", "name": "Hall"}),
        entry(ROOM, {"building_id": "North", "number": "9", "name": "x"}, 2),
        entry(ROOM, {"building_id": "North", "name": "new"}, 3),
    ) == Outcome(
        {
            "create room North/9": {"building_id": "North", "number": "9", "name": "x"},
            "create room North/new": {"building_id": "North", "name": "new"},
        },
        unchanged={"rooms": 1},
    )
    both = [
        entry(ROOM, {"building_id": "North", "name": "Hall"}),
        entry(ROOM, {"building_id": "North", "number": "1", "name": "Hall"}, 2),
    ]
    assert here.plan(*both).findings == [f"rooms.yml:2:1: the room {here.uuid(ROOM, 'Hall')} is"]


def test_a_natural_key_with_an_unknown_record_is_a_finding(here: Instance) -> None:
    room = entry(ROOM, {"building_id": "No", "number": "1", "name": "x"})
    assert here.plan(room, thing("100009")) == Outcome(
        {"create object 100009": {"barcode": "100009", "inventory_name": "Other"}},
        findings=["rooms.yml:1:10: building_id: there is no"],
    )
    assert not [path for _method, path in here.embedded.log if "by-barcode" in path]
    absent = entry(ROOM, {"building_id": "No", "number": "1"}, state="absent")
    assert here.plan(absent) == Outcome()
    twice = [entry(ROOM, {"building_id": 999, "number": "1"}, line) for line in (1, 2)]
    assert here.plan(*twice) == Outcome(findings=[f"rooms.yml:{line}:10: building_id: there is no" for line in (1, 2)])


def test_an_entry_with_a_uuid_is_found_by_it(here: Instance) -> None:
    uuid = here.uuid(OBJECT, "100002")
    by_uuid = entry(OBJECT, {"inventory_name": "New"}, uuid=uuid)
    plan = here.full(by_uuid, thing("100009", 2), thing("100003", 3))
    assert outcome(plan) == Outcome(
        {
            f"update object {uuid}": {"inventory_name": "New"},
            "create object 100009": {"barcode": "100009", "inventory_name": "Other"},
        },
        unchanged={"objects": 1},
    )
    assert plan.managed["object"][uuid] == uuid
    renamed = entry(OBJECT, {"barcode": "200002"}, uuid=uuid)
    assert here.plan(renamed).changes == {"update object 200002": {"barcode": "200002"}}
    serial = entry(OBJECT, {"serial_number": "S7", "barcode": "100002"}, uuid=uuid)
    by_serial = here.plan(serial, identity={"objects": ("serial_number",)})
    assert by_serial.changes == {"update object S7": {"serial_number": "S7"}}
    gone = entry(OBJECT, {"barcode": "1", "inventory_name": "Back"}, uuid="00000000-0000-4000-8000-000000000000")
    assert here.plan(gone).changes == {"create object 1": {"barcode": "1", "inventory_name": "Back"}}


def test_an_archived_record_is_found_by_its_uuid(here: Instance) -> None:
    here.archive("100006")
    uuid = here.uuid(OBJECT, "100006")
    back = here.plan(entry(OBJECT, {"barcode": "100006"}, uuid=uuid))
    assert back.changes == {"update object 100006": {"archived": False}}
    absent = here.plan(entry(OBJECT, {"barcode": "100006"}, state="absent", uuid=uuid))
    assert absent.changes == {"delete object 100006": {}}
    archived = here.plan(entry(OBJECT, {"barcode": "100006"}, state="archived", uuid=uuid))
    assert archived == Outcome(unchanged={"objects": 1})


def test_others_refer_to_a_record_with_a_uuid_by_its_new_name(here: Instance) -> None:
    room = entry(ROOM, {"building_id": "South", "number": "9"}, uuid=here.uuid(ROOM, "Hall"))
    assert here.plan(room, thing("100002", target_room="South/9")).changes == {
        "update room South/9": {"building_id": "South", "number": "9"},
        "update object 100002": {"target_room": "South/9"},
    }


def test_a_user_is_not_created_from_a_person_who_leaves(here: Instance) -> None:
    leaving, user = entry(PERSON, {"email": EVA}, state="absent"), entry(USER, {"email": EVA})
    found = here.plan(leaving, user, policy=Policy(create_users=True)).findings
    assert found == [f"users.yml:1:10: email: person {EVA} is"]


def test_a_user_without_an_address_cannot_be_created(here: Instance) -> None:
    here.embedded.service.store.run("UPDATE user SET lastname = 'Known' WHERE email = ?", (ADA,))
    users = entry(USER, {"lastname": "Known"}), entry(USER, {"lastname": "New"}, 2)
    by_name: Any = {"identity": {"users": ("lastname",)}}
    assert here.plan(*users, **by_name, policy=Policy(create_users=True)) == Outcome(
        unchanged={"users": 1}, findings=["users.yml:2:1: email must have a"]
    )
    assert here.plan(*users, **by_name).skipped == {"users": 1}


def test_a_user_is_found_by_its_person_whatever_its_address(here: Instance) -> None:
    here.embedded.service.store.run("UPDATE user SET email = 'old@acme.example' WHERE email = ?", (ADA,))
    plan = here.plan(entry(USER, {"email": ADA}))
    assert plan == Outcome(unchanged={"users": 1}, warnings=[f"user {ADA}: exists already, as"])


def task_entry(title: str = "Move", line: int = 1, **members: Any) -> Entry:
    values = {"title": title, "deadline": "2032-01-01", "assignees": [ADA], **members.pop("values", {})}
    return entry(TASK, values, line, **members)


def copied_task(here: Instance, title: str = "Move") -> str:
    """Create a second task with the title of a task. Return its uuid."""
    client = here.embedded.client()
    (known,) = [record for record in client.list_all(TASK) if record.flat["title"] == title]
    keys = ("title", "comment", "deadline", "reminders", "recurring_schedule", "assignees", "references")
    return client.create(TASK, {**{key: known.flat[key] for key in keys}, "attachments": []})


def test_open_tasks_count_before_closed_tasks(here: Instance) -> None:
    client = here.embedded.client()
    copy = copied_task(here)
    assert here.plan(task_entry()).findings == ["tasks.yml:1:1: 2 tasks have title"]
    client.set_status(TASK, copy, "closed")
    assert here.plan(task_entry()) == Outcome(unchanged={"tasks": 1})
    client.set_status(TASK, here.uuid(TASK, "Move"), "closed")
    assert here.plan(task_entry()).findings == ["tasks.yml:1:1: 2 tasks have title"]
    closed = {"status": "closed"}
    as_wanted = here.full(task_entry(values={**closed, "references": ["100002"]}))
    assert outcome(as_wanted) == Outcome(unchanged={"tasks": 1})
    other = task_entry(values={**closed, "references": ["100003"]})
    assert here.plan(other).findings == ["tasks.yml:1:1: 2 tasks have title"]
    for lifecycle in (Lifecycle(ignore=("references",)), Lifecycle(initial=("references",))):
        assert here.plan(other, lifecycle={"tasks": lifecycle}) == Outcome(unchanged={"tasks": 1})
    unknown = task_entry(values={**closed, "references": ["x"]})
    assert here.plan(unknown).findings[0] == "tasks.yml:1:1: 2 tasks have title"
    client.set_status(TASK, copy, "open")
    absent = here.full(task_entry(values=closed, state="absent"))
    assert [planned.change.current.uuid for planned in absent.changes if planned.change.current] == [
        here.uuid(TASK, "Move")
    ]


def test_a_hidden_natural_key_identifies_nothing(here: Instance) -> None:
    here.hide("serial_number")
    row = entry(OBJECT, {"inventory_name": "New", "Serial number": "S2"})
    plan = here.full(row, identity={"objects": ("serial_number",)})
    (finding,) = plan.findings
    assert str(finding) == f"objects.yml:1:20: Serial number: {identifies(OBJECT, 'serial_number')}"
    assert plan.changes == []
    twice = [entry(OBJECT, {"serial_number": f"S{line}", "barcode": "7"}, line) for line in (1, 2)]
    findings = [f"objects.yml:{line}:10: serial_number: this account does" for line in (1, 2)]
    assert here.plan(*twice, identity={"objects": ("serial_number",)}).findings == findings
    here.embedded.steer("PUT", "/switches", {"empty_keys": "left_out"})
    assert here.plan(*twice, identity={"objects": ("serial_number",)}).findings == findings


# ---- unchanged records


def test_a_reference_to_a_record_that_is_matched_later_is_compared_later(here: Instance) -> None:
    linked = thing("100001", inventory_name="One", accessories=["100002"])
    moved = {"objects": [({"barcode": "100002"}, {"barcode": "200002"})]}
    assert here.plan(linked, thing("200002", 2), moved=moved) == Outcome(
        {"update object 200002": {"barcode": "200002"}},
        unchanged={"objects": 1},
        warnings=["moved.objects: '100002' in references: read"],
    )


# ---- compare


def test_hidden_keys_are_not_noted(here: Instance) -> None:
    plan = here.full(thing("100002", inventory_name="New"), hiding=Hiding(names={"barcode"}))
    assert list(map(str, plan.changes)) == ["object (vaulted) objects.yml:1:1"]
    assert plan.managed == {"object": {here.uuid(OBJECT, "100002"): ""}}


def test_a_hidden_field_is_not_written(here: Instance) -> None:
    here.hide("description")
    assert here.plan(thing("100002", description="x")).findings == ["objects.yml:1:30: description: this account does"]
    assert here.plan(thing("100002", Description=None)).findings == ["objects.yml:1:30: description: this account does"]
    here.embedded.steer("PUT", "/switches", {"empty_keys": "left_out"})
    assert here.plan(thing("100002", Description=None)).findings == ["objects.yml:1:30: description: this account does"]


def test_each_hidden_field_is_a_finding_at_its_place(here: Instance) -> None:
    here.hide("description", "link")
    row = thing("100002", description="x", Link="https://acme.example")
    assert here.plan(row).findings == [
        "objects.yml:1:30: description: this account does",
        "objects.yml:1:40: link: this account does",
    ]
    changed = here.plan(thing("100002", inventory_name="New", description="x", Link="https://acme.example"))
    assert changed.findings == here.plan(row).findings


def test_a_finding_of_the_comparison_is_at_the_place_of_its_field(here: Instance) -> None:
    numbers = entry(
        FIELD_DEFINITION, {"label": "Size", "type": "DROPDOWN", "possible_values": [1, 2]}, template="asset"
    )
    assert here.plan(numbers).findings == ["fields.yml:1:30: possible_values: 1, 2: the"]


def test_a_renter_that_may_be_several_users_is_a_finding(here: Instance) -> None:
    case = {"title": "Loan", "issue_date": "2032-01-01", "due_date": "2032-01-02"}
    here.embedded.call(
        "rental_case",
        fields={
            **case,
            "references": ["100002"],
            "responsible_user": ADA,
            "renter": {"type": "plain", "value": "Bo Berg"},
        },
    )
    here.embedded.service.store.run("UPDATE user SET firstname = 'Bo', lastname = 'Berg'")
    here.embedded.steer("PUT", "/switches", {"rental_renter_read": "text"})
    assert here.plan(entry(RENTAL_CASE, {**case, "due_date": "2032-01-03"})).findings == [
        "rental_cases.yml:1:1: renter: 'Bo Berg' may"
    ]


def test_a_removed_choice_needs_a_permission(here: Instance) -> None:
    definition = {"label": "Size", "type": "DROPDOWN", "possible_values": ["S", "M"]}
    here.embedded.call("field_definition", template="asset", fields=definition)
    less = entry(FIELD_DEFINITION, {**definition, "possible_values": ["S"]}, template="asset")
    change = {"update field definition asset Size": {"possible_values": ["S"]}}
    assert here.plan(less).changes == change
    here.embedded.call("object", fields={"barcode": "100002", "Size": "M"}, match_on=["barcode"])
    refused = Outcome(findings=["fields.yml:1:1: Size: possible_values: the value(s)"])
    assert here.plan(less) == refused
    assert here.plan(less, only=["fields"]) == refused
    assert here.plan(less, allow=frozenset({DESTRUCTIVE})).changes == change
    assert here.plan(less, only=["objects"]) == Outcome()
    assert here.plan(less, only=["objects"], allow=frozenset({DESTRUCTIVE})) == Outcome()


def test_the_rest_of_a_half_created_record_is_resumed(here: Instance) -> None:
    links = thing("100002", accessories=["100003"])
    resumed: Any = {"resumed": frozenset([here.uuid(OBJECT, "100002")])}
    assert [planned.resumed for planned in here.full(links, **resumed).changes] == [True]
    assert [planned.resumed for planned in here.full(links, resumed=frozenset(["object 100002"])).changes] == [True]
    assert [planned.resumed for planned in here.full(links).changes] == [False]
    assert [planned.resumed for planned in here.full(thing("100002", inventory_name="x"), **resumed).changes] == [False]


def test_references_are_noted_on_request(here: Instance) -> None:
    room = entry(ROOM, {"building_id": "North", "number": "9", "name": "x"})
    new = thing("100009", target_room="North/9")
    same = thing("100001", 2, inventory_name="One", target_room="North/1")
    user, offer = entry(USER, {"email": EVA}), entry(HUB_ITEM, {"object": "100002", "price": "1.00"})
    plan = here.full(room, new, same, user, offer, is_absorb=True, policy=Policy(create_users=True))
    assert plan.references == {
        here.uuid(LOCATION, "North"): [(room, "building_id")],
        id(room): [(new, "target_room")],
        here.uuid(ROOM, "Hall"): [(same, "target_room")],
        here.uuid(PERSON, EVA): [(user, "person")],
        here.uuid(OBJECT, "100002"): [(offer, "object")],
    }


# ---- hub


def test_an_ordered_object_is_not_offered_again(here: Instance) -> None:
    here.embedded.call("hub_order", items=["100003"])
    assert here.plan(entry(HUB_ITEM, {"object": "100003"})) == Outcome(
        unchanged={"hub": 1}, warnings=["hub item 100003: the object"]
    )


def test_offers(here: Instance) -> None:
    plan = here.full(
        entry(HUB_ITEM, {"object": "100003", "price": "10.00"}),
        entry(HUB_ITEM, {"object": "100002", "price": "11.00"}, 2),
    )
    assert outcome(plan) == Outcome(
        {"create hub item 100002": {"object": "100002", "price": 11.0}}, unchanged={"hub": 1}
    )
    assert plan.existing["hub"] == 1
    same = here.full(entry(HUB_ITEM, {"object": "100003"}))
    assert outcome(same) == Outcome(unchanged={"hub": 1})
    assert same.existing["hub"] == 0
    hidden = here.full(entry(HUB_ITEM, {"object": "100003", "price": "11.00"}), hiding=Hiding(names={"object"}))
    assert list(map(str, hidden.changes)) == ["hub item (vaulted) hub.yml:1:1"]
    assert [planned.change.current for planned in hidden.changes] == [here.offer]
    for lifecycle in (Lifecycle(ignore=("price",)), Lifecycle(initial=("price",))):
        alone = here.full(entry(HUB_ITEM, {"object": "100003", "price": "11.00"}), lifecycle={"hub": lifecycle})
        assert outcome(alone) == Outcome(unchanged={"hub": 1})
    leaving = entry(OBJECT, {"barcode": "100003"}, state="absent")
    assert here.plan(leaving, entry(HUB_ITEM, {"object": "100003"})).findings == [
        "hub.yml:1:10: object: object 100003 is"
    ]


def test_only_a_plan_that_may_be_approved_says_what_its_files_ask_for(here: Instance) -> None:
    def asked(**fields: Any) -> str:
        return here.full(thing("100002", **fields), is_approvable=True).asked.digest

    assert asked(serial_number="S2") == asked(serial_number="S2")
    assert "" != asked(serial_number="S7") != asked(serial_number="S2")
    assert asked(nothing="x") == ""
    assert here.full(thing("100002")).asked.digest == ""
