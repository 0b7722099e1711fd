# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A plan file has everything that an apply needs, and nothing that is hidden."""

from __future__ import annotations

import datetime as dt
import errno
import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from embedded_here import Embedded
from instance_site import SETTINGS

from ansible_collections.community.seventhings.plugins.module_utils.client.files import Contents
from ansible_collections.community.seventhings.plugins.module_utils.client.record import Record
from ansible_collections.community.seventhings.plugins.module_utils.errors import InvalidInput
from ansible_collections.community.seventhings.plugins.module_utils.local.safe_files import Folder
from ansible_collections.community.seventhings.plugins.module_utils.model.field import CellList, CellMap, Field, Plain
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import HUB_ITEM, KINDS, OBJECT, Kind
from ansible_collections.community.seventhings.plugins.module_utils.model.schema import Schema
from ansible_collections.community.seventhings.plugins.module_utils.model.types_links import Attachment
from ansible_collections.community.seventhings.plugins.module_utils.plan.change import Change
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.desired import (
    DesiredInstance,
    Policy,
    SourceCount,
)
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.entry import Entry
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.fingerprints import PlanOutdated
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.hiding import Hiding
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.lifecycle import Lifecycle
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.positions import Place, Positions
from ansible_collections.community.seventhings.plugins.plugin_utils.instance import plan_file as plan_files
from ansible_collections.community.seventhings.plugins.plugin_utils.instance.plan_file import (
    PlanFile,
    StoredPlan,
    note_protections,
    sha256_of,
)
from ansible_collections.community.seventhings.plugins.plugin_utils.set_plan.plan import (
    InstancePlan,
    Planned,
    Protection,
    Relabelled,
    ScanCodeCounts,
)

ROOT = "https://here.test"
UUID = "5ad6a0ae-6d05-4f3b-9a57-1c9f6f3a8b11"
IMAGE = "ab" * 32
FIELDS = [
    Field("barcode", "TEXT"),
    Field("inventory_name", "TEXT"),
    Field("purchasing_price", "CURRENCY", fraction_digits=2),
    Field("documents", "DOCUMENT"),
]
NAMED: Mapping[str, Any] = MappingProxyType({"barcode": "100001", "inventory_name": "Lamp"})
PLACE = Place("objects.yml", 3, 1)


class Digests(Contents):
    """Digests of local files that do not exist."""

    def __init__(self, **changed: str) -> None:
        self._changed = changed

    def local(self, attachment: Attachment) -> str:
        path = str(attachment.path)
        return self._changed.get(path, hashlib.sha256(path.encode()).hexdigest())


def digest_of(path: str) -> str:
    return hashlib.sha256(path.encode()).hexdigest()


def updated(fields: Mapping[str, Any] = NAMED, place: Place = PLACE, **more: Any) -> Planned:
    """Return an update of an object."""
    entry = Entry(OBJECT, fields, place, **more)
    change = Change(
        OBJECT,
        "update",
        Record(OBJECT, UUID, 7),
        before={"inventory_name": "Desk"},
        after={"inventory_name": "Lamp"},
    )
    return Planned("objects", entry, Schema(OBJECT, FIELDS), {}, ("barcode",), "100001", change, IMAGE)


def created(fields: Mapping[str, Any] = NAMED, kind: Kind = OBJECT, section: str = "objects", **more: Any) -> Planned:
    """Return a creation."""
    change = Change(kind, "create", after=dict(fields))
    return Planned(
        section, Entry(kind, fields, PLACE, **more), Schema(kind, FIELDS), {}, ("barcode",), "100001", change
    )


def document(path: Path, *changes: Planned, desired: DesiredInstance | None = None, **more: Any) -> dict[str, Any]:
    """Write a plan. Return its document."""
    plan = InstancePlan(list(changes), **more)
    digest = PlanFile(path).write(ROOT, desired or DesiredInstance(), plan, Digests(), lambda value: value)
    assert digest == hashlib.sha256(path.read_bytes()).hexdigest()
    return dict(json.loads(path.read_text("utf-8")))


def read(path: Path) -> StoredPlan:
    stored = PlanFile(path).read()
    assert stored is not None
    return stored


def restored(path: Path, **fields: Any) -> Mapping[str, Any]:
    """Return the fields of a record after they were written to a plan and read again."""
    document(path, created(fields))
    (entry,) = read(path).desired.entries
    return entry.fields


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return the path of the plan."""
    return tmp_path / "acme.plan"


# ---- what it has


def test_an_empty_plan_has_every_member(path: Path) -> None:
    assert document(path) == {
        "version": 2,
        "instance": ROOT,
        "set": "",
        "set_id": "",
        "timezone": "",
        "identity": {},
        "scope": {},
        "observed": {},
        "limits": {},
        "create_users": False,
        "notify": False,
        "vaulted": {},
        "moved": {},
        "set_sizes": {},
        "sources": [],
        "protections": {},
        "changes": [],
    }


def test_the_settings_are_kept_and_read_again(path: Path) -> None:
    desired = DesiredInstance(
        set_name="plant",
        set_id="c0ffee5ca1ab1e44",
        timezone="Europe/Berlin",
        identity={"objects": ("barcode",)},
        scope={"objects": {"inventory_name": ["Lamp", Plain("5")]}},
        observed={"objects": ("condition",)},
        policy=Policy(limits={"creates": 5.0}, create_users=True, notify=True),
        moved={"rooms": [({"number": "1"}, {"number": Plain("2")})]},
        sources={("objects.csv", "objects"): SourceCount(3, 2)},
    )
    stays = Protection(updated(), UUID, True)
    to_come = Protection(created(), "", True)
    settings = document(path, desired=desired, set_sizes={"objects": 9}, protections=[stays, to_come])
    assert settings == {
        **settings,
        "set": "plant",
        "set_id": "c0ffee5ca1ab1e44",
        "timezone": "Europe/Berlin",
        "identity": {"objects": ["barcode"]},
        "scope": {"objects": {"inventory_name": ["Lamp", {"!plain": "5"}]}},
        "observed": {"objects": ["condition"]},
        "limits": {"creates": 5.0},
        "create_users": True,
        "notify": True,
        "moved": {"rooms": [[{"number": "1"}, {"number": {"!plain": "2"}}]]},
        "set_sizes": {"objects": 9},
        "sources": [["objects.csv", "objects", 3, 2]],
        "protections": {UUID: True},
    }
    stored = read(path)
    again = stored.desired
    assert stored.protections == {UUID: True}
    assert (again.instances, again.set_name, again.set_id) == ([ROOT], "plant", "c0ffee5ca1ab1e44")
    assert (again.timezone, again.identity) == ("Europe/Berlin", {"objects": ["barcode"]})
    assert again.scope == {"objects": {"inventory_name": ["Lamp", "5"]}}
    assert isinstance(again.scope["objects"]["inventory_name"][1], Plain)
    assert (again.observed, again.set_sizes) == ({"objects": ["condition"]}, {"objects": 9})
    assert again.policy == Policy(limits={"creates": 5.0}, create_users=True, notify=True)
    assert again.old_names == {"rooms": [({"number": "1"}, {"number": "2"})]}
    assert isinstance(again.old_names["rooms"][0][1]["number"], Plain)
    assert again.sources == {("objects.csv", "objects"): SourceCount(3, 2)}
    assert again.moved == {}


def test_a_plan_of_an_earlier_version_has_no_observed_fields_sizes_and_sources(path: Path) -> None:
    stored = document(path)
    for name in ("observed", "set_sizes", "sources"):
        del stored[name]
    path.write_text(json.dumps(stored), "utf-8")
    again = read(path).desired
    assert (again.observed, again.set_sizes, again.sources) == ({}, {}, {})


def test_an_update_is_kept_with_the_hash_of_its_record(path: Path) -> None:
    (change,) = document(path, updated())["changes"]
    assert change == {
        "section": "objects",
        "key": "100001",
        "action": "update",
        "note": "",
        "uuid": UUID,
        "before": {"inventory_name": "Desk"},
        "after": {"inventory_name": "Lamp"},
        "place": "objects.yml:3:1",
        "kind": "object",
        "template": "",
        "state": "present",
        "pruned": False,
        "protect": None,
        "fields": NAMED,
        "image": IMAGE,
        "files": {},
        "vaulted": None,
    }
    stored = read(path)
    (entry,) = stored.desired.entries
    assert entry == Entry(OBJECT, NAMED, Place("objects.yml", 3, 1), uuid=UUID)
    assert stored.fingerprints == {id(entry): IMAGE}
    assert stored.before == {id(entry): {"inventory_name": "Desk"}}
    assert stored.files == {id(entry): {}}
    assert stored.digest == hashlib.sha256(path.read_bytes()).hexdigest()
    assert not stored.removes_records


def test_state_protection_and_pruning_of_a_record_are_read_again(path: Path) -> None:
    removal = updated(state="absent", pruned=True, lifecycle=Lifecycle(is_protected=False))
    removal.change = replace(removal.change, action="delete")
    (change,) = document(path, removal)["changes"]
    assert (change["state"], change["pruned"], change["protect"]) == ("absent", True, False)
    stored = read(path)
    (entry,) = stored.desired.entries
    assert (entry.state, entry.pruned, entry.lifecycle.is_protected) == ("absent", True, False)
    assert stored.removes_records


def test_a_new_record_and_an_offer_are_found_by_their_keys(path: Path) -> None:
    fresh = created(lifecycle=Lifecycle(is_protected=True))
    fresh.created_uuid = UUID
    offer = created({"object": "100001"}, HUB_ITEM, "hub")
    offer.change = replace(offer.change, action="update", current=Record(HUB_ITEM, UUID, 5))
    document(path, fresh, offer)
    first, second = read(path).desired.entries
    assert (first.uuid, first.lifecycle.is_protected) == ("", True)
    assert (second.kind, second.uuid) == (HUB_ITEM, "")


def test_a_field_definition_is_of_its_template(path: Path) -> None:
    entry_fields = {"label": "Shelf", "type": "TEXT"}
    definition = created(entry_fields, KINDS["field_definition"], "fields", template="asset")
    document(path, definition)
    (entry,) = read(path).desired.entries
    assert (entry.kind.name, entry.template) == ("field_definition", "asset")


def test_a_record_without_written_fields_has_those_that_the_plan_found(path: Path) -> None:
    bare = created({})
    bare.desired = {"barcode": "100001", "purchasing_price": None}
    (change,) = document(path, bare)["changes"]
    assert change["fields"] == {"barcode": "100001", "purchasing_price": None}


def test_values_are_read_as_they_were_written(path: Path) -> None:
    cells: dict[str, Any] = {
        "map": CellMap.from_members({"a": Plain("1.50")}, '{"a": 1.50}'),
        "list": CellList.from_items([1, {"b": None}], "[1, {}]"),
    }
    again = restored(
        path, plain=Plain("1.50"), text="1.50", day=dt.datetime(2026, 1, 2, tzinfo=dt.UTC), pair=("x", [True]), **cells
    )
    assert again == {
        "plain": "1.50", "text": "1.50", "day": "2026-01-02T00:00:00+00:00", "pair": ["x", [True]],
        "map": {"a": "1.50"}, "list": [1, {"b": None}],
    }  # fmt: skip
    assert isinstance(again["plain"], Plain)
    assert not isinstance(again["text"], Plain)
    assert isinstance(again["map"], CellMap)
    assert isinstance(again["map"]["a"], Plain)
    assert isinstance(again["list"], CellList)
    assert (again["map"].text, again["list"].text) == ('{"a": 1.50}', "[1, {}]")


def test_the_marks_of_values_are_those_of_version_2(path: Path) -> None:
    (change,) = document(path, created({"a": Plain("5"), "b": CellList.from_items([], "[]")}))["changes"]
    assert change["fields"] == {"a": {"!plain": "5"}, "b": {"!cell": "[]", "is": []}}


def test_maps_that_have_more_than_a_mark_are_values(path: Path) -> None:
    value = {"!plain": "5", "is": 1}
    assert restored(path, a=value) == {"a": value}
    assert not isinstance(restored(path, a={"is": 1})["a"], CellMap)


def test_texts_are_readable_and_halves_of_characters_are_escaped(path: Path) -> None:
    change = created()
    change.change = replace(change.change, after={"a": "\u00e4\ud800"})
    assert document(path, change)["changes"][0]["after"] == {"a": "\u00e4\ud800"}
    text = path.read_text("utf-8")
    assert "\u00e4\\ud800" in text
    assert text.startswith('{\n "version": 2,\n')
    assert text.endswith("}\n")


def test_what_is_no_json_is_kept_as_a_text(path: Path) -> None:
    change = created()
    change.change = replace(change.change, after={"a": dt.time(5, 6)})
    assert document(path, change)["changes"][0]["after"] == {"a": "05:06:00"}


def test_a_number_that_json_does_not_have_is_an_error(path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"^plan_file: the plan can't be written as JSON \(.+\)$"):
        document(path, created({"a": float("inf")}))


def test_ignored_fields_are_left_out_whatever_name_is_written(path: Path) -> None:
    change = updated({"Bar": "100001", "inventory_name": "Lamp", "other": "x"})
    change.schema = Schema(OBJECT, [Field("barcode", "TEXT", label="Bar"), Field("inventory_name", "TEXT")])
    change.left_alone = frozenset(["barcode"])
    assert document(path, change)["changes"][0]["fields"] == {"inventory_name": "Lamp", "other": "x"}


# ---- relabelled objects


def test_the_codes_of_relabelled_objects_are_old_names(path: Path) -> None:
    codes = ScanCodeCounts(2, 2, [Relabelled(updated().entry, "IMP-1", "barcode", "IMP-1", "100001", UUID)])
    pair = [{"barcode": "IMP-1"}, {"barcode": "100001"}]
    assert document(path, scan_codes=codes)["moved"] == {"objects": [pair]}
    desired = DesiredInstance(moved={"objects": [({"barcode": "1"}, {"barcode": "2"})]})
    assert document(path, desired=desired, scan_codes=codes)["moved"] == {
        "objects": [[{"barcode": "1"}, {"barcode": "2"}], pair]
    }


# ---- hidden values


HIDDEN = DesiredInstance(hiding=Hiding(names={"inventory_name"}))


def test_hidden_values_are_replaced_by_a_salted_hash(path: Path) -> None:
    desired = replace(HIDDEN, hiding=Hiding(show=True, names={"inventory_name"}))
    stored = document(path, updated(), desired=desired)
    (change,) = stored["changes"]
    assert set(stored["vaulted"]) == {"objects.yml"}
    assert change["fields"] == {"barcode": "100001"}
    assert (change["before"], change["after"]) == ({"inventory_name": "(vaulted)"}, {"inventory_name": "(vaulted)"})
    assert change["vaulted"] == {"file": "objects.yml", "place": "objects.yml:3:1", "fields": ["inventory_name"]}
    assert change["image"] != IMAGE
    assert set(change["files"]) == {"(vaulted)"}
    assert "Lamp" not in path.read_text("utf-8")


def test_a_field_that_is_hidden_by_its_key_is_hidden_by_its_label_too(path: Path) -> None:
    change = updated({"barcode": "100001", "Name": "Lamp"})
    change.schema = Schema(OBJECT, [Field("inventory_name", "TEXT", label="Name")])
    (stored,) = document(path, change, desired=HIDDEN)["changes"]
    assert (stored["fields"], stored["vaulted"]["fields"]) == ({"barcode": "100001"}, ["Name"])
    unknown = updated({"elsewhere": "Lamp"})
    hiding = DesiredInstance(hiding=Hiding(names={"elsewhere"}))
    assert document(path, unknown, desired=hiding)["changes"][0]["vaulted"]["fields"] == ["elsewhere"]


def test_hidden_values_of_a_record_without_written_fields_are_left_out(path: Path) -> None:
    bare = created({})
    bare.desired = {"barcode": "100001", "inventory_name": "Lamp"}
    assert document(path, bare, desired=HIDDEN)["changes"][0]["fields"] == {"barcode": "100001"}


def test_a_record_with_hidden_values_is_filled_and_compared_with_its_key(path: Path) -> None:
    document(path, updated(), desired=HIDDEN)
    stored = read(path)
    (entry,) = stored.desired.entries
    assert entry.fields == {"barcode": "100001"}
    source = DesiredInstance(entries=[Entry(OBJECT, NAMED, PLACE)])
    stored.placeholders.fill(str(path), lambda: source)
    assert entry.fields == NAMED
    now = updated()
    now.entry = entry
    plan = InstancePlan([now])
    assert stored.stale(plan, Digests(), lambda _planned: False) == []
    now.fingerprint = "cd" * 32
    assert stored.stale(plan, Digests(), lambda _planned: False) == [now]
    other = DesiredInstance(entries=[Entry(OBJECT, {**NAMED, "inventory_name": "Desk"}, PLACE)])
    with pytest.raises(PlanOutdated):
        read(path).placeholders.fill(str(path), lambda: other)


# ---- local files


HIDDEN_FILES = DesiredInstance(hiding=Hiding(names={"documents"}))


def with_files(*paths: str, **more: Any) -> Planned:
    change = updated({"barcode": "100001", "documents": list(paths)}, **more)
    change.desired = {"documents": tuple(Attachment(path=f"/src/{path}", written=path) for path in paths)}
    return change


def test_local_files_are_kept_with_their_digests(path: Path) -> None:
    change = with_files("a.txt")
    more = (Attachment(path="/src/b.txt"), Attachment(uuid=UUID))
    change.desired["documents"] = (*change.desired["documents"], *more)
    (stored,) = document(path, change)["changes"]
    assert stored["files"] == {"a.txt": digest_of("/src/a.txt"), "/src/b.txt": digest_of("/src/b.txt")}


def test_a_changed_file_makes_a_change_stale(path: Path) -> None:
    document(path, with_files("a.txt"))
    stored = read(path)
    now = with_files("a.txt")
    (now.entry,) = stored.desired.entries
    plan = InstancePlan([now])
    assert stored.stale(plan, Digests(), lambda _planned: True) == []
    assert stored.stale(plan, Digests(**{"/src/a.txt": "00" * 32}), lambda _planned: True) == [now]


def test_a_changed_file_of_a_record_with_hidden_values_makes_it_stale(path: Path) -> None:
    document(path, with_files("a.txt", "b.txt"), desired=HIDDEN_FILES)
    stored = read(path)
    (entry,) = stored.desired.entries
    source = DesiredInstance(entries=[with_files("a.txt", "b.txt").entry])
    stored.placeholders.fill(str(path), lambda: source)
    for other in (with_files("a.txt", "b.txt"), with_files("b.txt", "a.txt")):
        now = replace(other, entry=entry)
        plan = InstancePlan([now])
        assert stored.stale(plan, Digests(), lambda _planned: False) == []
        assert stored.stale(plan, Digests(**{"/src/a.txt": "00" * 32}), lambda _planned: False) == [now]


def test_a_changed_record_is_stale_unless_an_earlier_run_left_it_so(path: Path) -> None:
    document(path, updated())
    stored = read(path)
    now = updated()
    now.fingerprint = "cd" * 32
    fresh = updated()
    (now.entry,) = stored.desired.entries
    plan = InstancePlan([now, fresh])
    assert stored.stale(plan, Digests(), lambda _planned: False) == [now]
    assert stored.stale(plan, Digests(), lambda planned: planned is now) == []


def test_the_files_are_found_in_the_present_directory(path: Path, tmp_path: Path) -> None:
    document(path, with_files("a.txt"), with_files("b.txt", "Z.txt"))
    stored = read(path)
    with pytest.raises(InvalidInput) as caught:
        stored.locate_files(None, "")
    assert caught.value.message == (
        "plan_file: this plan has local files, such as 'Z.txt'; give src too, the directory that they are in"
    )
    (tmp_path / "objects.yml").touch()
    stored.locate_files(tmp_path / "objects.yml", "files")
    assert (stored.desired.src, stored.desired.origin) == (str(tmp_path), str(tmp_path / "objects.yml"))
    stored.locate_files(tmp_path, "elsewhere")
    found = stored.desired
    assert (found.src, found.origin, found.root) == (str(tmp_path), str(tmp_path), "elsewhere")


def test_a_plan_without_files_needs_no_directory(path: Path) -> None:
    document(path, updated(), desired=HIDDEN)
    stored = read(path)
    stored.locate_files(None, "")
    assert (stored.desired.src, stored.desired.origin, stored.desired.root) == ("", "", "")


def test_each_record_finds_its_files_in_its_layer() -> None:
    in_layer, elsewhere = Entry(OBJECT, {}, Place("objects.yml", 3, 1)), Entry(OBJECT, {}, Place("none.yml:1:1"))
    places = Positions()
    written = [
        Entry(HUB_ITEM, {}, PLACE, root="hub"),
        Entry(OBJECT, {}, PLACE, root="layer", places=places),
        Entry(OBJECT, {}, Place("objects.yml", 4, 1), root="other"),
    ]
    StoredPlan(DesiredInstance(entries=[elsewhere, in_layer])).locate_layers(DesiredInstance(entries=written))
    assert (in_layer.root, elsewhere.root) == ("layer", "")
    assert in_layer.places is places


# ---- the rest of an interrupted application


@pytest.mark.parametrize(
    ("now", "is_half_done"),
    [
        ({"inventory_name": "Desk"}, True),
        ({}, True),
        ({"inventory_name": "Chair"}, False),
        ({"barcode": "100001"}, False),
        ({"inventory_name": "Desk", "barcode": "100001"}, False),
    ],
)
def test_a_part_of_a_planned_change_is_the_rest_of_it(path: Path, now: dict[str, Any], is_half_done: bool) -> None:
    document(path, updated())
    stored = read(path)
    left = updated()
    left.change = replace(left.change, before=now)
    (left.entry,) = stored.desired.entries
    assert stored.is_half_done(left) is is_half_done


def test_a_record_that_has_only_the_values_of_its_creation_is_half_done(path: Path) -> None:
    document(path, updated())
    stored = read(path)
    left = updated()
    (left.entry,) = stored.desired.entries
    left.change = replace(left.change, before={"documents": []})
    assert stored.is_half_done(left)


def test_hidden_and_dated_values_are_compared_as_the_plan_has_them(path: Path) -> None:
    change = updated()
    change.change = replace(change.change, before={"inventory_name": "Desk", "day": dt.date(2026, 1, 2)})
    document(path, change, desired=HIDDEN)
    stored = read(path)
    stored.desired.hiding = Hiding(show=True, names={"inventory_name"})
    left = replace(change, entry=stored.desired.entries[0])
    assert stored.is_half_done(left)


def test_a_change_that_the_plan_does_not_have_is_no_rest_of_it(path: Path) -> None:
    document(path)
    assert not read(path).is_half_done(updated())


# ---- protections of the present files


def test_the_present_files_say_which_records_must_stay() -> None:
    stays = Entry(OBJECT, {}, PLACE, lifecycle=Lifecycle(is_protected=True))
    unmanaged = Entry(OBJECT, {}, PLACE, lifecycle=Lifecycle(is_protected=True))
    may_go = Entry(OBJECT, {}, PLACE, lifecycle=Lifecycle(is_protected=False))
    files = DesiredInstance(
        entries=[stays, may_go, Entry(OBJECT, {}, PLACE)],
        lifecycle={"objects": Lifecycle(("a",), ("b",), ("c",))},
        setting_places={"policy": PLACE},
    )
    files.unmanaged.append(unmanaged)
    desired = DesiredInstance()
    note_protections(desired, [])
    assert (desired.lifecycle, desired.setting_places, list(desired.shields)) == ({}, {}, [])
    note_protections(desired, [files])
    assert desired.lifecycle == {"objects": Lifecycle(protect=("c",))}
    assert desired.setting_places == {"policy": PLACE}
    assert [shield is stays or shield is unmanaged for shield in desired.shields] == [True, True]


# ---- the file


def test_without_a_file_there_is_no_plan(path: Path) -> None:
    assert PlanFile(path).read() is None
    PlanFile(path).discard()
    PlanFile(path).remove("")
    assert not path.exists()


def test_a_plan_is_removed_only_if_it_is_still_the_same(path: Path) -> None:
    document(path)
    plan = PlanFile(path)
    plan.remove("0" * 64)
    assert path.exists()
    plan.remove(read(path).digest)
    assert not path.exists()


def test_an_earlier_plan_is_discarded_and_nothing_else(path: Path) -> None:
    path.write_text("mine", "utf-8")
    PlanFile(path).discard()
    assert path.read_text("utf-8") == "mine"
    document(path)
    PlanFile(path).discard()
    assert not path.exists()


def test_the_directory_of_a_plan_must_exist(tmp_path: Path, path: Path) -> None:
    PlanFile(path).require_writable()
    with pytest.raises(InvalidInput) as caught:
        PlanFile(tmp_path / "none" / "acme.plan").require_writable()
    assert caught.value.message == (
        f"plan_file: {tmp_path / 'none' / 'acme.plan'} can't be written (there is no such directory)"
    )
    path.mkdir()
    with pytest.raises(InvalidInput, match=r"^plan_file: .*acme\.plan is not a regular file"):
        PlanFile(path).require_writable()


@pytest.mark.parametrize(
    ("method", "why"), [("read", "can't be read"), ("write", "can't be written"), ("remove", "can't be removed")]
)
def test_what_the_disk_refuses_is_reported(path: Path, monkeypatch: pytest.MonkeyPatch, method: str, why: str) -> None:
    def fail(*_given: Any, **_named: Any) -> Any:
        raise OSError(errno.EIO, "Input/output error")

    digest = hashlib.sha256(b"").hexdigest()
    path.touch()
    monkeypatch.setattr(Folder, method, fail)
    act: Callable[[], Any] = {
        "read": PlanFile(path).read,
        "write": lambda: document(path),
        "remove": lambda: PlanFile(path).remove(digest),
    }[method]
    with pytest.raises(InvalidInput) as caught:
        act()
    assert caught.value.message == f"plan_file: {path} {why} (Input/output error)"
    assert isinstance(caught.value.__cause__, OSError)


def test_a_plan_has_a_maximum_size(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    document(path)
    size = path.stat().st_size
    monkeypatch.setattr(plan_files, "MAX_PLAN", size)
    document(path)
    read(path)
    monkeypatch.setattr(plan_files, "MAX_PLAN", size - 1)
    with pytest.raises(InvalidInput) as caught:
        document(path)
    assert caught.value.message == (
        f"plan_file: the plan has {size} bytes; expected at most {size - 1}. Choose less with only."
    )
    with pytest.raises(InvalidInput, match=f"has more than {size - 1} bytes"):
        read(path)


def test_a_plan_is_private(path: Path) -> None:
    path.touch()
    path.chmod(0o666)
    document(path)
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"[]", "is not a plan of this collection (version is missing). Plan again."),
        (b"{}", "is not a plan of this collection (version is missing). Plan again."),
        (b'{"version": NaN}', "is not a plan of this collection (NaN is not a JSON number). Plan again."),
        (
            b'{"version": 2, "version": 2}',
            "is not a plan of this collection ('version' is written twice). Plan again.",
        ),
        (b'{"a": 1, "b": 1, "b": 2, "c": 3}', "is not a plan of this collection ('b' is written twice). Plan again."),
        (b'{"version": 1}', "is of version 1; expected 2. Plan again."),
        (b'{"version": 2.0}', "is of version 2.0; expected 2. Plan again."),
        (b'{"version": 2}', "is not a plan of this collection (instance is missing). Plan again."),
    ],
)
def test_what_is_no_plan_is_refused(path: Path, content: bytes, words: str) -> None:
    path.write_bytes(content)
    with pytest.raises(InvalidInput) as caught:
        read(path)
    assert caught.value.message == f"plan_file: {path} {words}"


def test_a_plan_has_a_maximum_of_members_and_of_depth(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    document(path)
    monkeypatch.setattr(plan_files, "KEPT_MEMBERS", 3)
    with pytest.raises(InvalidInput, match=r"\(it has more than 3 maps and lists\)"):
        read(path)
    monkeypatch.setattr(plan_files, "KEPT_MEMBERS", 300)
    monkeypatch.setattr(plan_files, "DEEPEST_DOCUMENT", 1)
    with pytest.raises(InvalidInput, match=r"\(it is nested more than 1 deep\)"):
        read(path)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"!plain": 5}, "5 does not fit; expected a text"),
        ({"!cell": 5, "is": []}, "5 does not fit; expected a text"),
        ({"!cell": "", "is": "x"}, "!cell: 'x' does not fit; expected a list or a map"),
    ],
)
def test_impossible_marks_are_refused(path: Path, value: Any, words: str) -> None:
    stored = document(path, created())
    stored["changes"][0]["fields"]["barcode"] = value
    path.write_text(json.dumps(stored), "utf-8")
    with pytest.raises(InvalidInput) as caught:
        read(path)
    assert caught.value.message == f"plan_file: {path} is not a plan of this collection ({words}). Plan again."


@pytest.mark.parametrize("written", ["AB" * 32, f"sha256:{IMAGE}", f" {IMAGE}\n"])
def test_a_digest_is_read_in_every_notation(written: str) -> None:
    assert sha256_of(written, "plan_digest") == IMAGE


@pytest.mark.parametrize("written", ["", IMAGE[:-1], f"{IMAGE}0", f"md5:{IMAGE}", "g" * 64])
def test_what_is_no_digest_is_refused(written: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        sha256_of(written, "plan_digest")
    shown = repr(written) if len(written) < 50 else repr(written)[:20]
    assert caught.value.message.startswith(f"plan_digest: {shown}")
    assert caught.value.message.endswith(" does not fit; expected a SHA-256, 64 hexadecimal digits")


# ---- whole runs


def test_a_table_is_planned_as_its_reader_reads_it(tmp_path: Path) -> None:
    site = Embedded.started(data="empty").site(tmp_path / "files")
    tables = "tables: [{files: objects.csv, preset: excel-de}]\n"
    site.write({"instance.yml": f"{SETTINGS}{tables}"})
    site.write({"objects.csv": "barcode;inventory_name;purchasing_price\n100001;Lamp;5,50\n"})
    path = tmp_path / "acme.plan"
    assert site.plan(plan_file=path).outcome == "changed"
    (change,) = json.loads(path.read_text("utf-8"))["changes"]
    assert change["fields"] == {"barcode": "100001", "inventory_name": "Lamp", "purchasing_price": "5.50"}
    assert site.run(plan_file=path).outcome == "changed"
    assert not path.exists()
