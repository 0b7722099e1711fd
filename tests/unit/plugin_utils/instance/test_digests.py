# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Digests of values, of files and of changes, and the comparison of a plan with an approval.

They depend only on what is meant, and are the same in every version of the collection.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import hmac
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from decimal import Decimal
from pathlib import Path, PurePosixPath
from types import MappingProxyType, SimpleNamespace
from typing import Any, cast

import pytest
from embedded_here import Embedded

from ansible_collections.community.seventhings.plugins.module_utils.client.client import Client
from ansible_collections.community.seventhings.plugins.module_utils.client.files import Contents
from ansible_collections.community.seventhings.plugins.module_utils.client.record import Record
from ansible_collections.community.seventhings.plugins.module_utils.local.safe_files import Folder
from ansible_collections.community.seventhings.plugins.module_utils.model.field import Field, Unread
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import (
    FIELD_DEFINITION,
    HUB_ITEM,
    OBJECT,
    ROOM,
    TASK,
    Kind,
)
from ansible_collections.community.seventhings.plugins.module_utils.model.schema import Schema
from ansible_collections.community.seventhings.plugins.module_utils.model.types_links import Attachment, Reference
from ansible_collections.community.seventhings.plugins.module_utils.plan.change import Change
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.desired import DesiredInstance
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.entry import Entry
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.hiding import VAULTED, Hiding
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.lifecycle import Lifecycle
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.nodes import EVERYTHING
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.positions import Place
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.row_rules import NO_RULES, RowRules
from ansible_collections.community.seventhings.plugins.plugin_utils.instance.approval import (
    Approval,
    ApprovedChange,
    Digests,
    Gate,
)
from ansible_collections.community.seventhings.plugins.plugin_utils.set_plan import canonical
from ansible_collections.community.seventhings.plugins.plugin_utils.set_plan.context import PlanContext
from ansible_collections.community.seventhings.plugins.plugin_utils.set_plan.plan import (
    Asked,
    InstancePlan,
    Planned,
    PlanOptions,
)

ROOT, FILES = "https://instance.test", "f" * 64
U, V, W = (f"00000000-0000-4000-8000-00000000000{number}" for number in "123")
GENERATED = "shelf_64f0c0ff"
DEFINITIONS = ({"uuid": U, "label": "Shelf", "field_key": GENERATED}, {"uuid": V, "label": "Size", "field_key": "size"})
PLAIN = [Field("barcode", "BARCODE"), Field("note", "TEXT", "Note"), Field("target_room", "LINKED_ROOM")]
OBJECTS = Schema(OBJECT, [*PLAIN, Field(GENERATED, "TEXT", "Shelf", uuid=U), Field("size", "NUMBER", "Size", uuid=V)])
CANON = canonical.Canon(
    lambda link: ["to", link.uuid], lambda file: ["of", file.path], lambda schema, key: schema.key_of(key)
)
LIFECYCLE = dict.fromkeys(("initial", "ignore", "protect", "is_protected"))
RULES = {name: value or None for name, value in asdict(NO_RULES).items() if name not in ("setting", "place")}


def sha(data: Any, key: bytes | None = None) -> str:
    text = json.dumps(data, sort_keys=True, separators=(",", ":")).encode()
    return hashlib.sha256(text).hexdigest() if key is None else hmac.new(key, text, "sha256").hexdigest()


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ([None, False, "", "a"], [None, False, None, "a"]),
        ([7, 0.1, Decimal("1.50")], [{"number": "7"}, {"number": "0.1"}, {"number": "1.5"}]),
        ([Decimal(100), float("inf")], [{"number": "100"}, {"number": "Infinity"}]),
        ([10**30 + 1, 10**30 + 2], [{"number": f"{10**30 + 1}"}, {"number": f"{10**30 + 2}"}]),
        ([dt.date(2024, 5, 31), dt.time(8, 30)], [{"moment": "2024-05-31"}, {"moment": "08:30:00"}]),
        ([Reference("room", uuid="u"), Attachment(path="a.txt")], [["to", "u"], ["of", "a.txt"]]),
        (Unread(7), {"unread": {"number": "7"}}),
        ({1: "a", "b": ""}, {"1": "a", "b": None}),
        # Workers must agree on the name of a test, and the order of a set differs between processes.
        pytest.param([{"b", "a"}, frozenset({7})], [['"a"', '"b"'], ['{"number":"7"}']], id="sets"),
        (("b", "a"), ["b", "a"]),
        (RowRules(setting="not compared"), RULES),
        (PurePosixPath("a/b"), "a/b"),
        ([[], {}, (), set(), frozenset()], [None] * 5),
    ],
    ids=repr,
)
def test_the_data_of_a_value(value: Any, expected: Any) -> None:
    assert CANON.value(value) == expected


def test_the_data_of_an_instant_is_the_same_in_every_time_zone(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as changed:
        changed.setenv("TZ", "Asia/Tokyo")
        time.tzset()
        found = CANON.value(dt.datetime.fromisoformat("2024-05-31T01:00:00+02:00"))
    time.tzset()
    assert found == {"moment": "2024-05-30T23:00:00+00:00"}


def test_a_record_has_neither_empty_fields_nor_what_the_service_manages() -> None:
    schema = Schema(OBJECT, [Field("size", "NUMBER"), Field("note", "TEXT"), Field("keeper", "TEXT", wire="held_by")])
    flat = {"uuid": "u", "asset_uuid": "u", "id": 4, "archived_at": "", "size": 7, "note": "", "held_by": "A", "x": [1]}
    data = {"size": {"number": "7"}, "keeper": "A", "x": [{"number": "1"}]}
    assert CANON.record(schema, Record.from_flat(OBJECT, flat), False) == data
    assert CANON.record(schema, Record.from_flat(OBJECT, flat), True) == {**data, "archived_at": True}
    assert CANON.record(schema, None, True) == {}
    definitions = Schema.for_kind(FIELD_DEFINITION)
    definition = Record.from_flat(FIELD_DEFINITION, {"field_type": {"name": "TEXT"}, "more": "x"})
    assert CANON.record(definitions, definition, False) == {"more": "x"}


def test_a_field_is_named_by_its_label_only_if_the_service_generates_its_key() -> None:
    schema = Schema(OBJECT, [Field(GENERATED, "TEXT", "Shelf"), Field("note", "TEXT", "Note")])
    assert [canonical.lasting_name(schema, key) for key in (GENERATED, "note", "other")] == ["Shelf", "note", "other"]
    assert canonical.lasting_name(Schema(OBJECT, [Field(GENERATED, "TEXT")]), GENERATED) == GENERATED


def test_digests_are_the_same_in_every_version() -> None:
    assert canonical.as_text({"b": [1, None], "a": "\u00fc"}) == '{"a":"\\u00fc","b":[1,null]}'
    data = b"\xed\xa0\x80"
    assert canonical.digest_of_text("\ud800") == hashlib.sha256(data).hexdigest()
    assert canonical.digest_of_text("\ud800", b"key") == hmac.new(b"key", data, "sha256").hexdigest()
    salt = hashlib.sha256(b"hidden values of a set").digest()
    assert canonical.key_of_hidden_values(["b", "a"], "a set") == hashlib.scrypt(
        b"a\nb", salt=salt, n=2**14, r=8, p=1, dklen=64
    )


# ---- what the files of a set ask for


def context(*entries: Entry, **given: Any) -> PlanContext:
    client = Embedded.started(data="empty").client()
    return PlanContext(client, DesiredInstance(list(entries), set_name="test", **given), PlanOptions())


def entry(kind: Kind, fields: Mapping[str, Any], **members: Any) -> Entry:
    return Entry(kind, fields, Place("files"), **members)


TERMS = [LIFECYCLE, RULES]
LAMP = entry(OBJECT, {"barcode": "7", "purchasing_price": "12.50"})
LAMP_DATA = ["object", "", "present", "", {"barcode": "7", "purchasing_price": {"number": "12.5"}}, *TERMS]


def test_what_files_ask_for_is_the_data_of_their_settings_and_records() -> None:
    relation = {"type": "active_When_value_equals_one_of", "field": "Count", "comparison_values": ["1"]}
    definition = {"label": "Small", "type": "BOOLEAN", "relations": [relation]}
    skipped = RowRules(archived="skip")
    entries = (
        LAMP,
        entry(OBJECT, {"barcode": "8", "target_room": "North/1"}, state="archived", rules=skipped),
        entry(OBJECT, {"barcode": "9", "documents": ["a.txt"]}, uuid=U, lifecycle=Lifecycle(ignore=("x",))),
        entry(HUB_ITEM, {"object": "7", "price": "1.00"}),
        entry(FIELD_DEFINITION, definition, template="asset"),
    )
    settings: list[Any] = [["barcode"], {"inventory_name": ["Lamp"]}, [[{"barcode": "1"}, {"barcode": "2"}]]]
    identity, scope, moved = ({"objects": setting} for setting in settings)
    protected = {"objects": Lifecycle(protect=("a*",))}
    given: dict[str, Any] = {"identity": identity, "scope": scope, "moved": moved, "lifecycle": protected}
    ten, one = entry(OBJECT, {"barcode": "10"}), entry(ROOM, {"number": "1"}, state="absent")
    room = {"to": "room", "written": "North/1", "status": None}
    file = {"path": "a.txt", "uuid": None, "name": None}
    records: list[list[Any]] = [
        LAMP_DATA,
        ["object", "", "archived", "", {"barcode": "8", "target_room": room}, LIFECYCLE, {**RULES, "archived": "skip"}],
        ["object", "", "present", U, {"barcode": "9", "documents": [file]}, {**LIFECYCLE, "ignore": ["x"]}, RULES],
        ["hub_item", "", "present", "", {"object": {**room, "to": "object", "written": "7"}, "price": {"number": "1"}}],
        ["field_definition", "asset", "present", "", definition],
        ["object", "", "unmanaged", "", {"barcode": "10"}],
        ["room", "", "unmanaged", "", {"number": "1"}],
    ]
    digests = sorted(sha(record if len(record) > 5 else [*record, *TERMS]) for record in records)
    lifecycles = {"objects": {**LIFECYCLE, "protect": ["a*"]}}
    expected = Asked(sha([[identity, scope, "Set", moved, lifecycles], digests]))
    assert (
        canonical.asked_by_files(context(*entries, marker="Set", **given, unmanaged=[ten], shields=[one])) == expected
    )


def test_only_definitions_have_relations() -> None:
    thing = entry(OBJECT, {"relations": "x", "note": "y"})
    assert (canonical.without_relations(thing, thing.fields), canonical.relations_of(thing)) == (thing.fields, {})


@pytest.mark.parametrize(
    ("hiding", "vaulted", "texts"),
    [
        (Hiding(names={"purchasing_price"}), (), ['["purchasing_price",{"number":"12.5"}]']),
        (Hiding(), ["purchasing_price"], ['["purchasing_price",{"number":"12.5"}]']),
        (Hiding(), EVERYTHING, ['["barcode","7"]', '["purchasing_price",{"number":"12.5"}]']),
    ],
)
def test_a_digest_of_hidden_values_takes_all_of_them_to_compute(hiding: Hiding, vaulted: Any, texts: list[str]) -> None:
    hidden = entry(OBJECT, LAMP.fields, vaulted=vaulted)
    desk = entry(OBJECT, {"barcode": "8"})
    key = canonical.key_of_hidden_values(texts, "test")
    digests = sorted([sha(LAMP_DATA, key), sha(["object", "", "present", "", {"barcode": "8"}, *TERMS])])
    assert canonical.asked_by_files(context(hidden, desk, hiding=hiding)) == Asked(sha([[None] * 5, digests]), key)


def test_a_field_is_hidden_by_its_key_or_its_label() -> None:
    schema = Schema(OBJECT, [Field("note", "TEXT", "Note")])
    for name in ("note", "Note"):
        assert canonical.hides_values(Hiding(), schema, entry(OBJECT, {name: "x"}, vaulted=[name]))
        assert canonical.hides_values(Hiding(names={"note"}), schema, entry(OBJECT, {name: "x"}))
    assert not canonical.hides_values(Hiding(names={"note"}), schema, entry(OBJECT, {"other": "x"}))
    assert not canonical.hides_values(Hiding(), schema, entry(OBJECT, {"note": "x", "other": "y"}))
    assert canonical.hides_values(Hiding(names={"other"}), schema, entry(OBJECT, {"other": "x"}))


# ---- changes


def planned(
    action: str, values: Mapping[str, Any], kind: Kind = OBJECT, uuid: str = "", key: str = "7", **members: Any
) -> Planned:
    """Return a planned change.

    :param members: members of the entry, of the change, and of the planned record.
    """
    of_entry = {name: members.pop(name) for name in ("state", "template", "pruned", "fields") if name in members}
    of_change = {name: members.pop(name) for name in ("unarchive", "before") if name in members}
    current = Record.from_flat(kind, {"uuid": uuid, **members.pop("now", {})}) if uuid else None
    entry = Entry(kind, of_entry.pop("fields", values), Place("files"), **of_entry)
    schema = OBJECTS if kind is OBJECT else Schema.for_kind(kind)
    change = Change(kind, action, current, values, **of_change)
    return Planned(kind.section, entry, schema, members.pop("desired", dict(values)), (), key, change, **members)


def contents() -> Contents:
    client = SimpleNamespace(definitions=lambda template: DEFINITIONS if template == "asset" else ())
    return Contents(cast(Client, client))


def approved(
    *changes: Planned, key: bytes | None = None, creations: Mapping[str, str] | None = None, **given: Any
) -> list[ApprovedChange]:
    """Return planned changes as an approval has them."""
    digests = Digests(InstancePlan(list(changes), **given), contents(), key, creations or {})
    return [digests.approved(change) for change in changes]


@pytest.mark.parametrize("key", [None, b"key"])
def test_an_approved_change_has_digests_of_the_record_and_of_what_is_written(key: bytes | None) -> None:
    """A plan of one version of the collection can be applied by another."""
    written = {GENERATED: "A", "size": 7}
    now, desired = {"barcode": "7", "note": "", "size": 3}, {"barcode": "7", **written, "note": "x"}
    left_alone = frozenset(["note"])
    update = planned("update", written, uuid=U, now=now, unarchive=True, desired=desired, left_alone=left_alone)
    before = {"barcode": "7", "size": {"number": "3"}, "archived_at": True}
    values: dict[str, Any] = {GENERATED: "A", "size": {"number": "7"}}
    hiding = Hiding(names={"size"} if key else set())
    digest = sha(["object", "", False, "update", U, True, before, values, {}], key)
    asked = sha(["object", "", False, "present", {"barcode": "7", **values}, {}], key)
    fields = ("Shelf", "archived_at", "size")
    expected = ApprovedChange("objects", "7", "update", U, digest, asked, fields)
    assert approved(update, key=b"key", hiding=hiding) == [expected]


def test_an_approved_removal_and_an_approved_offer() -> None:
    removal = planned("delete", {}, uuid=U, pruned=True, state="absent", kept_as=f"{VAULTED} 1")
    digest = sha(["object", "", True, "delete", U, False, {}, {}, {}])
    asked = sha(["object", "", True, "absent", {}, {}])
    assert approved(removal) == [ApprovedChange("objects", f"{VAULTED} 1", "delete", U, digest, asked, ())]
    offer = planned("update", {"price": 2}, HUB_ITEM, uuid=V, before={"price": "1.00"}, key="9")
    price = {"price": {"number": "2"}}
    digest = sha(["hub_item", "", False, "update", V, False, {"price": "1.00"}, price, {}])
    asked = sha(["hub_item", "", False, "present", price, {}])
    assert approved(offer) == [ApprovedChange("hub", "9", "update", V, digest, asked, ("price",))]


def wanted(values: Mapping[str, Any]) -> str:
    return sha(["object", "", False, "present", values, {}])


def test_references_and_files_are_approved_by_what_they_mean(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"a")
    room = planned("create", {"number": "1"}, ROOM, key="North/1")
    local = {"sha256": hashlib.sha256(b"a").hexdigest(), "name": "A"}
    unknown = {"uuid": None, "id": None, "status": None}
    creations = {"rooms North/2": "rooms north/2", f"rooms {VAULTED} files": "rooms 3"}
    known: dict[str, Any] = {"managed": {"room": {V: "North/2", W: "", "?": ""}}, "claimed": {"room": {W: room.entry}}}
    for value, expected in (
        (Reference("room", uuid=U, id=4, status="open"), {**unknown, "uuid": U, "status": "open"}),
        (Reference("room", id=4), {**unknown, "id": 4}),
        (Reference("room", pending=room.entry), {"created": "rooms North/1", "status": None}),
        (Reference("room", uuid=V), {"created": "rooms north/2", "status": None}),
        (Reference("room", uuid=W), {"created": "rooms 3", "status": None}),
        (Attachment(uuid=U, name="A"), {"uuid": U}),
        (Attachment(path="a.txt", name="A", folder=Folder(tmp_path)), local),
    ):
        link = planned("create", {"target_room": value})
        assert approved(room, link, creations=creations, **known)[1].wanted == wanted({"target_room": expected})


def test_a_field_that_the_approval_creates_is_named_by_its_label() -> None:
    thing = planned("create", {GENERATED: "A", "size": 7})
    values = {"size": {"number": "7"}}
    assert approved(thing)[0].wanted == wanted({GENERATED: "A", **values})
    managed = {"field_definition": {U: "asset Shelf", V: "asset Size"}}
    creations = {"fields asset Shelf": "fields asset Shelf"}
    assert approved(thing, managed=managed, creations=creations)[0].wanted == wanted({"Shelf": "A", **values})


def test_relations_are_approved_to_existing_fields_by_uuid() -> None:
    written = [{"type": "x", "field": name} for name in ("Shelf", "Size", "Other")]
    fields = {"label": "Small", "relations": written}
    members: dict[str, Any] = {"template": "asset", "relations": ["x"], "fields": fields, "desired": fields}
    definition = planned("create", {"label": "Small"}, FIELD_DEFINITION, key="asset Small", **members)
    managed = {"field_definition": {U: "asset Shelf"}}
    (found,) = approved(definition, managed=managed, creations={"fields asset Shelf": "fields asset Shelf"})
    relations = [written[0], {"type": "x", "field_uuid": V}, written[2]]
    values = {"label": "Small"}
    head = ["field_definition", "asset", False]
    assert found.fields == ("label", "relations")
    assert found.wanted == sha([*head, "present", values, {"relations": relations}])
    assert found.digest == sha([*head, "create", "", False, {}, values, {"relations": relations}])


def test_an_approval_file_has_a_line_for_each_change() -> None:
    change = ApprovedChange("objects", "\u00fc\ud800", "create", "", "d", "e", ("note", "size"))
    approval = Approval(ROOT, "S\u00e4tze", "5d1c", FILES, True, (change, change))
    line = '{"section": "objects", "key": "\u00fc\\ud800", "action": "create", "uuid": "", '
    line += '"digest": "d", "wanted": "e", "fields": ["note", "size"]}'
    head = f'{{"approval": 1, "instance": "{ROOT}", "set": "S\u00e4tze", "set_id": "5d1c", '
    head += f'"files": "{FILES}", "notify": true'
    assert approval.content().decode() == f'{head}, "changes": [\n{line},\n{line}]}}\n'


def test_an_approval_names_what_it_creates_removes_and_restores() -> None:
    actions = ["create", "update", "delete", "archive"]
    changes = [ApprovedChange("persons", f"A{name}", name, name, "", "", ("archived_at",)) for name in actions]
    restless = ApprovedChange("persons", "B", "update", "", "", "", ())
    approval = Approval(ROOT, "", "", "", False, (*changes, restless))
    assert approval.creations == dict.fromkeys(("persons Acreate", "persons acreate"), "persons Acreate")
    assert approval.removed == {"delete", "archive"}
    assert approval.unarchived == {"person Aupdate", "person aupdate"}
    assert str(changes[0]) == "person Acreate"
    assert [uuid for _section, _key, uuid in (change.name for change in changes)] == ["", "", "delete", "archive"]


# ---- the comparison of a plan with an approval


def judged(
    before: Sequence[Planned], after: Sequence[Planned], *, begun: bool = False, files: str = FILES, **members: Any
) -> tuple[list[str], list[str], list[str]]:
    """Return the keys of the changes that are left of a plan after an approved plan, the warnings, and the refusals."""
    plan = InstancePlan(list(before))
    approval = Approval.from_plan(plan, DesiredInstance(), ROOT, FILES, Digests(plan, contents(), None))
    plan = InstancePlan(
        list(after), warnings=["last"], state=members.pop("state", None), managed=members.pop("managed", {})
    )
    digests = Digests(plan, contents(), None, approval.creations)
    found, refusals = Gate(approval, digests, files, lambda _change: begun, **members).judge(plan)
    return [change.key for change in found.changes], found.warnings, refusals


def update(*names: str, now: Mapping[str, Any] = MappingProxyType({"barcode": "7"}), **wanted: Any) -> Planned:
    desired = {"note": "new", "size": 7, GENERATED: "A", **wanted}
    return planned("update", {name: desired[name] for name in names}, uuid=U, now=now, desired=desired)


CREATION = planned("create", {"note": "new", "size": 7, GENERATED: "A"})
UPDATE = update("note", "size")
REMOVALS = [planned(action, {}, uuid=U, state="absent") for action in ("delete", "archive")]
IN_THE_INSTANCE = "object 7 was changed in the instance since the plan was created"
IN_THE_FILES = "object 7 (files): the files ask for something else than the approved plan"
BY_A_NAME = f"{IN_THE_FILES}, because a name means another record or file by now"


@pytest.mark.parametrize(
    ("before", "after", "unbegun", "begun", "other_files"),
    [
        (UPDATE, UPDATE, "", "", ""),
        # All plain fields are sent at once, so somebody else changed this one.
        (UPDATE, update("size", now={"note": "new"}), *[IN_THE_INSTANCE] * 3),
        (UPDATE, update("note", "size", now={"size": 3}), IN_THE_INSTANCE, IN_THE_INSTANCE, IN_THE_INSTANCE),
        (UPDATE, update("size", GENERATED), IN_THE_INSTANCE, IN_THE_INSTANCE, IN_THE_INSTANCE),
        (UPDATE, update("note", size=8), BY_A_NAME, BY_A_NAME, IN_THE_FILES),
        (CREATION, update("note", "size", GENERATED), *[IN_THE_INSTANCE] * 3),
        (CREATION, CREATION, "", "", ""),
        (CREATION, update("note", size=8), IN_THE_INSTANCE, IN_THE_INSTANCE, IN_THE_FILES),
        (CREATION, update("note", "target_room", target_room=None), *[IN_THE_INSTANCE] * 2, IN_THE_FILES),
        (REMOVALS[0], REMOVALS[1], *["object 7 was approved to be deleted, and this plan would archive it"] * 3),
        (REMOVALS[1], REMOVALS[0], *["object 7 was approved to be archived, and this plan would delete it"] * 3),
    ],
)
def test_a_change_is_the_approved_one_or_its_rest(
    before: Planned, after: Planned, unbegun: str, begun: str, other_files: str
) -> None:
    ways: list[dict[str, Any]] = [{}, {"begun": True}, {"files": "0" * 64, "begun": True}]
    for reason, members in zip((unbegun, begun, other_files), ways, strict=True):
        left, warnings, refusals = judged([before], [after], **members)
        assert refusals == ([f"{reason}. Plan again, or set stale: skip."] if reason else [])
        assert (left, warnings) == ([] if reason else ["7"], ["last"])
        skipped = judged([before], [after], **members, stale="skip")
        assert skipped == (left, [f"{reason}, and is skipped.", "last"] if reason else ["last"], [])


def status(action: str, was: str | None = None, **others: Any) -> Planned:
    """Return a planned task. Its status is sent after its other fields."""
    desired = {"title": "T", "status": "closed"}
    if was is None:
        return planned(action, desired, TASK)
    values = {"status": "closed", **others}
    return planned(action, values, TASK, U, now={"title": "T"}, desired=desired, before={"status": was})


def back(*names: str, unarchive: bool, **wanted: Any) -> Planned:
    return planned(
        "update", dict.fromkeys(names, "new"), uuid=U, desired={"note": "new", **wanted}, unarchive=unarchive
    )


@pytest.mark.parametrize(
    ("before", "after", "is_rest"),
    [
        (status("create"), status("update", "open"), True),
        (status("create"), status("update", "halfway"), False),
        (status("update", "open", comment="new"), status("update", "halfway"), True),
        (back("note", unarchive=True), back("note", unarchive=False), True),
        (back("note", unarchive=True), back("note", unarchive=False, note="other"), False),
        (back("note", "size", unarchive=False), back("note", unarchive=False), False),
        (back("note", "size", unarchive=True), back("note", unarchive=True), False),
    ],
)
def test_only_what_is_sent_later_is_the_rest_of_an_interrupted_run(
    before: Planned, after: Planned, is_rest: bool
) -> None:
    assert (judged([before], [after], begun=True)[2] == []) is is_rest
    assert judged([before], [after], begun=False)[2] != []


def test_links_to_what_an_approval_creates_are_sent_later() -> None:
    room = planned("create", {"number": "1"}, ROOM, key="North/1")
    link = Reference(ROOM.name, written="North/1", pending=room.entry)
    before = [room, update("note", "target_room", target_room=link)]
    made: dict[str, Any] = {"begun": True, "managed": {ROOM.name: {V: "North/1"}}}
    rest = update("target_room", target_room=Reference(ROOM.name, uuid=V))
    assert judged(before, [rest], is_whole=False, **made) == (["7"], ["last"], [])
    assert judged(before, [room, update("target_room", target_room=link)], begun=True)[2] == []
    assert judged(before, [update("note", target_room=Reference(ROOM.name, uuid=V))], is_whole=False, **made)[0] == []
    field = planned("create", {"label": "Size", "relations": []}, FIELD_DEFINITION, template="asset")
    relations = planned("update", {"relations": []}, FIELD_DEFINITION, U, template="asset", desired=field.desired)
    assert judged([field], [relations], begun=True)[2] == []


def test_changes_that_were_not_approved_are_left_out() -> None:
    others = [planned("create", {}, key=str(number)) for number in range(4)]
    words = "4 changes were not approved, and are left out: object 0, object 1, object 2 and 1 more."
    assert judged([UPDATE], [*others, UPDATE]) == (["7"], [words, "last"], [])
    # Several records to remove may have one key.
    rooms = [planned("delete", {}, ROOM, uuid=uuid, state="absent") for uuid in (U, V)]
    assert judged(rooms[:1], rooms)[0] == ["7"]


def state(is_listed: bool = True, exists: bool = True, is_archived: bool = False) -> Any:
    return SimpleNamespace(
        is_listed=lambda kind: is_listed and kind is OBJECT,
        of_uuid=lambda kind, uuid: exists if kind is OBJECT and uuid == U else None,
        is_archived=lambda record: is_archived and record,
    )


def test_an_approved_change_that_is_not_in_the_plan_must_be_done() -> None:
    again = "Plan again, or set stale: skip."
    gone = f"object 7 was approved, and the files have changed since. {again}"
    stays = f"object 7 was approved to be removed, exists, and is not removed by this plan. {again}"
    assert judged([UPDATE], [], files="0" * 64) == ([], ["last"], [gone])
    assert judged([UPDATE], [], files="0" * 64, is_whole=False) == judged([UPDATE], []) == ([], ["last"], [])
    deleted, archived = ([removal] for removal in REMOVALS)
    assert judged(deleted, [], state=state()) == judged(archived, [], state=state()) == ([], ["last"], [stays])
    assert judged(deleted, [], state=state(is_archived=True))[2] == [stays]
    for members in ({"is_listed": False}, {"exists": None}):
        assert judged(deleted, [], state=state(**members))[2] == []
    assert judged(archived, [], state=state(is_archived=True))[2] == judged(deleted, [])[2] == []
