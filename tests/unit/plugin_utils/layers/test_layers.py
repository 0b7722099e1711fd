# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Several layers: records with one natural key are merged, and every place names its layer."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from instance_site import Site
from project import ROOT

from ansible_collections.community.seventhings.plugins.module_utils.errors import InvalidInput
from ansible_collections.community.seventhings.plugins.module_utils.local.safe_files import Folder
from ansible_collections.community.seventhings.plugins.module_utils.model.field import Field
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import KINDS
from ansible_collections.community.seventhings.plugins.module_utils.model.schema import Schema
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.desired import DesiredInstance
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.loading import VaultedContent, content_of
from ansible_collections.community.seventhings.plugins.plugin_utils.instance.offline import offline_findings
from ansible_collections.community.seventhings.plugins.plugin_utils.layers import layers
from ansible_collections.community.seventhings.plugins.plugin_utils.layers.layers import load_layers

TASK_LIMITS = {"delete_percent": 100}
"""The limits of every task in this file."""

SETTINGS = "api: seventhings/v1\n"


def _write(root: Path, files: Mapping[str, str]) -> None:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)


def _load(root: Path, files: Mapping[str, str], *layers: str) -> DesiredInstance:
    _write(root, {"base/instance.yml": SETTINGS, **files})
    names = layers or ("base", "overlays/berlin")
    for name in names:
        if "." not in name:
            (root / name).mkdir(parents=True, exist_ok=True)
    return load_layers([root / name for name in names])


def _records(desired: DesiredInstance) -> list[dict[str, Any]]:
    return [dict(entry.fields) for entry in desired.entries]


def _findings(root: Path, files: Mapping[str, str]) -> list[str]:
    return list(map(str, offline_findings(_load(root, files))))


def test_every_place_names_the_layer_that_it_is_in(tmp_path: Path) -> None:
    desired = _load(
        tmp_path,
        {
            "base/objects/it.csv": "barcode,name,note\nA,Desk,keep\n",
            "overlays/berlin/objects.yml": "- barcode: A\n  name: Table\n",
        },
    )
    entry = desired.entries[0]
    assert str(entry.place) == "overlays/berlin/objects.yml:1:3"
    assert str(entry.place_of("name")) == "overlays/berlin/objects.yml:2:9"
    assert str(entry.place_of("note")) == "base/objects/it.csv:2:8"
    assert str(entry.place_in(("note",))) == "base/objects/it.csv:2:8"
    assert str(entry.place_of_name("note")) == "base/objects/it.csv:1:14"


def test_what_is_not_managed_is_in_the_set_no_more_until_a_later_layer_writes_it_again(tmp_path: Path) -> None:
    files = {
        "base/objects.yml": "- {barcode: A, name: Desk}\n- {barcode: B}\n",
        "site/objects.yml": "- {barcode: A, _managed: false}\n",
        "more/objects.csv": "barcode,_managed\nB,false\n",
        "top/objects.yml": "- {barcode: A}\n",
    }
    desired = _load(tmp_path, files, "base", "site", "more")
    assert (_records(desired), [entry.fields["barcode"] for entry in desired.unmanaged]) == ([], ["A", "B"])
    desired = _load(tmp_path, files, "base", "site", "more", "top")
    assert (_records(desired), [entry.fields["barcode"] for entry in desired.unmanaged]) == ([{"barcode": "A"}], ["B"])


def test_natural_keys_are_compared_as_their_kind_does(tmp_path: Path) -> None:
    desired = _load(
        tmp_path,
        {
            "base/persons.yml": "- {email: Ada@example.com, firstname: Ada}\n",
            "base/rooms.yml": "- {building_id: HQ, number: '0.01', name: Hall}\n- {building_id: HQ, name: Attic}\n",
            "base/fields/asset.yml": "- {field_key: price, label: Price, type: MONEY}\n",
            "base/rental_cases.csv": "title,issue_date,comment\nCamera,2031-05-30,base\n",
            "overlays/berlin/persons.yml": "- {email: ada@EXAMPLE.com, lastname: L}\n",
            "overlays/berlin/rooms.yml": (
                "- {building_id: HQ, number: '0.01', name: Lobby}\n- {building_id: HQ, name: Attic, number: '9'}\n"
            ),
            "overlays/berlin/fields/asset.yml": "- {label: Price, is_mandatory: true}\n",
            "overlays/berlin/rental_cases.yml": "- {title: Camera, issue_date: 2031-05-30, comment: berlin}\n",
        },
    )
    found: dict[str, list[dict[str, Any]]] = {}
    for entry in desired.entries:
        found.setdefault(entry.kind.section, []).append(dict(entry.fields))
    assert len(found["persons"]) == len(found["fields"]) == len(found["rental_cases"]) == 1
    assert [room["name"] for room in found["rooms"]] == ["Lobby", "Attic"]
    assert found["rental_cases"][0]["comment"] == "berlin"


def test_a_later_layer_may_write_a_label_in_another_unicode_form(tmp_path: Path) -> None:
    files = {
        "base/objects.yml": "- {barcode: '1', R\u00e4ume: a, Note: b}\n",
        "overlays/berlin/objects.csv": "barcode,Ra\u0308ume\n1,c\n",
    }
    assert _records(_load(tmp_path, files)) == [{"barcode": "1", "Note": "b", "Ra\u0308ume": "c"}]


def test_rooms_of_one_name_with_numbers_of_their_own_are_several(tmp_path: Path) -> None:
    desired = _load(
        tmp_path,
        {
            "base/rooms.yml": "- {building_id: HQ, number: '1', name: Store, description: base}\n"
            "- {building_id: HQ, number: '2', name: Store}\n- {building_id: HQ, number: '3', name: Attic}\n",
            "overlays/berlin/rooms.yml": "- {building_id: HQ, number: '4', name: Store}\n"
            "- {building_id: HQ, number: '5', name: Attic, _managed: false}\n"
            "- {building_id: HQ, name: Store, description: which one}\n",
        },
    )
    assert [(room.fields.get("number"), room.fields.get("description")) for room in desired.entries] == [
        ("1", "base"),
        ("2", None),
        ("3", None),
        ("4", None),
        (None, "which one"),
    ]


def test_a_record_out_of_several_tables_is_read_as_each_was_saved(tmp_path: Path) -> None:
    desired = _load(
        tmp_path,
        {
            "base/instance.yml": f"{SETTINGS}csv: {{preset: excel-de}}\n",
            "base/objects.csv": "barcode;price;bought\nA;1.299,00;31.12.2024\n",
            "overlays/berlin/instance.yml": f"{SETTINGS}csv: {{preset: excel-us}}\n",
            "overlays/berlin/objects.csv": 'barcode,price,seen\nA,"2,500.50",12/30/2024\n',
            "last/objects.yml": "- {barcode: A, note: '1.299,00'}\n",
        },
        "base",
        "overlays/berlin",
        "last",
    )
    assert desired.findings == []
    (entry,) = desired.entries
    fields = [Field("price", "MONEY"), Field("bought", "DATE"), Field("seen", "DATE"), Field("note", "TEXT")]
    schema = Schema(KINDS["object"], [Field("barcode", "BARCODE"), *fields])
    read, wrong = entry.spelled(schema)
    assert wrong == {}
    assert read == {
        "barcode": "A",
        "price": "2500.50",
        "bought": "2024-12-31",
        "seen": "2024-12-30",
        "note": "1.299,00",
    }
    # Output and edits know which table a cell comes from.
    assert len(entry.places.value) == len(read)


def test_what_is_inline_is_beside_the_layers(tmp_path: Path) -> None:
    files = {"base/instance.yml": SETTINGS, "base/objects.yml": "- {barcode: A}\n", "berlin/x.txt": "the file"}
    _write(tmp_path, {**files, "here/y.txt": "another"})
    inline = {"objects": [{"barcode": "B", "photo": [{"path": "y.txt"}]}], "rooms": [{"number": 1, "_managed": False}]}
    layers = [tmp_path / "base", tmp_path / "berlin"]
    desired = load_layers(layers, inline, files_root=tmp_path / "here")
    assert desired.findings == []
    assert _records(desired) == [{"barcode": "A"}, {"barcode": "B", "photo": [{"path": "y.txt"}]}]
    assert [entry.kind.name for entry in desired.unmanaged] == ["room"]
    assert {"objects", "rooms"} <= desired.sections
    assert [entry.root_of("photo") or desired.root for entry in desired.entries[1:]] == [str(tmp_path / "here")]

    inline = {
        "instance": {"api": "seventhings/v1", "set": "other"},
        "moved": {"objects": [{"from": {"barcode": "1"}, "to": {"barcode": "2"}}]},
    }
    found = [str(finding) for finding in load_layers(layers, inline).findings]
    assert found == [
        "desired.instance: instance: settings belong in the first layer; delete them here",
        "desired.moved.objects[0]: moved: renames belong in the layers; delete them here",
    ]


def test_layers_hold_no_more_records_together_than_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layers, "MOST_RECORDS", 2)
    files = {"base/objects.yml": "- {barcode: A}\n- {barcode: B}\n", "overlays/berlin/objects.yml": "- {barcode: B}\n"}
    assert _findings(tmp_path, files) == []
    files["overlays/berlin/objects.yml"] += "- {barcode: C}\n"
    assert _findings(tmp_path, files) == [
        "overlays/berlin/objects.yml:2:3: expected at most 2 records in one desired state"
    ]


def test_renames_add_up_and_none_is_twice(tmp_path: Path) -> None:
    moved = "objects:\n  - {{from: {{barcode: {}}}, to: {{barcode: {}}}}}\n"
    files = {"base/moved.yml": moved.format("A", "B"), "overlays/berlin/moved.yml": moved.format("C", "D")}
    assert len(_load(tmp_path, files).moved["objects"]) == 2
    files["overlays/berlin/moved.yml"] = moved.format("A", "E")
    assert _findings(tmp_path, files) == [
        "overlays/berlin/moved.yml:2:5: moved.objects: from is written twice, first at base/moved.yml:2:5"
    ]


@pytest.mark.parametrize(
    ("base", "berlin"),
    [
        ("instance: https://a.example.com", "instance: https://b.example.com"),
        ("instance: [https://a.example.com, https://b.example.com]", "instance: https://b.example.com"),
        ("set: acme", "set: other"),
        ("timezone: Europe/Berlin", "timezone: Europe/Paris"),
        ("api: seventhings/v1", "set_id: other"),
        ("api: seventhings/v1", "scope: {objects: {room: [A]}}"),
        ("api: seventhings/v1", "identity: {objects: [inv]}"),
        ("api: seventhings/v1", "lifecycle: {objects: {protect: ['1']}}"),
        ("api: seventhings/v1", "observed: {objects: [note]}"),
    ],
)
def test_a_later_layer_only_repeats_what_its_records_are_of(tmp_path: Path, base: str, berlin: str) -> None:
    settings = SETTINGS.replace(f"{base}\n", "")
    files = {"base/instance.yml": f"{settings}{base}\n", "overlays/berlin/instance.yml": f"{settings}{base}\n"}
    assert _findings(tmp_path, files) == []
    files["overlays/berlin/instance.yml"] = f"{SETTINGS}{berlin}\n"
    (finding,) = _findings(tmp_path, files)
    assert f"{berlin.partition(':')[0]}: belongs in the first layer" in finding


def test_only_the_first_layer_needs_settings(tmp_path: Path) -> None:
    (tmp_path / "base").mkdir()
    (tmp_path / "berlin").mkdir()
    found = load_layers([tmp_path / "base", tmp_path / "berlin"]).findings
    assert list(map(str, found)) == [f"base/instance.yml: expected exactly one instance.yml in {tmp_path}/base"]


def test_a_layer_may_be_one_file_and_none_is_named_twice(tmp_path: Path) -> None:
    desired = _load(tmp_path, {"overlays/berlin.yml": "objects:\n  - {barcode: A}\n"}, "base", "overlays/berlin.yml")
    assert [str(entry.place) for entry in desired.entries] == ["overlays/berlin.yml:2:5"]
    with pytest.raises(InvalidInput, match="base is named twice; expected each layer once"):
        load_layers([tmp_path / "base", tmp_path / "overlays/berlin.yml", tmp_path / "base"])


def test_mistakes_are_found_in_their_layers(tmp_path: Path) -> None:
    found = _findings(
        tmp_path,
        {
            "base/objects.yml": "- {barcode: A, _managed: perhaps}\n",
            "overlays/berlin/locations.yml": "- name: [x]\n- {_managed: false}\n",
            "overlays/berlin/objcts.yml": "[]\n",
        },
    )
    assert found == [
        "base/objects.yml:1:26: _managed: 'perhaps' does not fit; expected true or false",
        "overlays/berlin/locations.yml:1:9: name: ['x'] does not fit; expected text, such as \"Laptop 17\"",
        "overlays/berlin/locations.yml:2:3: name must have a value, because a location is identified by name",
        "overlays/berlin/objcts.yml: no such section; did you mean objects?",
    ]


@pytest.mark.parametrize("base", ["[]\n", "- {barcode: A}\n"], ids=["adds it", "overrides it"])
def test_a_record_that_a_later_layer_has_twice_is_found_there(tmp_path: Path, base: str) -> None:
    found = _findings(
        tmp_path,
        {
            "base/objects.yml": base,
            "overlays/berlin/objects.yml": "- {barcode: A, note: x}\n- {barcode: A, note: y}\n",
        },
    )
    assert found == [
        "overlays/berlin/objects.yml:2:3: object A is written twice, first at overlays/berlin/objects.yml:1:3"
    ]


@pytest.mark.parametrize("other", ["inventory_name: Saw", "_managed: false"])
def test_a_record_that_a_layer_releases_and_declares_is_found_there(tmp_path: Path, other: str) -> None:
    files = {
        "base/objects.yml": "- {barcode: A}\n",
        "overlays/berlin/objects.yml": f"- {{barcode: A, {other}}}\n- {{barcode: A, _managed: false}}\n",
    }
    twice = "overlays/berlin/objects.yml:2:3: object A is written twice, first at overlays/berlin/objects.yml:1:3"
    assert _findings(tmp_path, files) == [twice]


def test_a_plan_finds_a_record_that_is_managed_and_released(site: Site) -> None:
    site.write({"objects.yml": "- {barcode: A, inventory_name: Saw}\n- {barcode: A, _managed: false}\n"})
    assert site.plan().findings == ["objects.yml:2:3: object A is written twice, first at objects.yml:1:3"]


def test_local_files_are_relative_to_their_layer(tmp_path: Path) -> None:
    desired = _load(
        tmp_path,
        {
            "base/files/a.txt": "base",
            "base/objects.yml": "- {barcode: A, manual: [{path: files/a.txt}], photo: [{path: files/b.txt}]}\n",
            "overlays/berlin/files/b.txt": "berlin",
            "overlays/berlin/objects.yml": "- {barcode: A, photo: [{path: files/b.txt}]}\n",
        },
    )
    (entry,) = desired.entries
    assert entry.root_of("manual") == str(tmp_path / "base")
    assert entry.root_of("photo") == str(tmp_path / "overlays/berlin")


def test_a_released_record_is_never_pruned_and_leaves_the_journal(site: Site) -> None:
    base = "set: acme\npolicy: {prune: {locations: delete}}\n"
    _write(
        site.root,
        {
            "base/instance.yml": f"{SETTINGS}{base}",
            "base/locations.yml": "- name: Depot\n- name: Hall\n",
            "berlin/locations.yml": "- {name: Hall, _managed: false}\n",
        },
    )
    base_layer, berlin_layer = site.root / "base", site.root / "berlin"
    assert site.run(load_layers([base_layer])).outcome == "changed"
    (site.root / "base/locations.yml").write_text("- name: Depot\n")
    layered = load_layers([base_layer, berlin_layer])
    assert [change["key"] for change in site.plan(desired=load_layers([base_layer])).changes] == ["Hall"]
    assert site.run(layered).outcome == "unchanged"
    # The journal dropped the record, so no set owns it even without the line that released it.
    assert site.run(load_layers([base_layer])).outcome == "unchanged"
    assert site.run(load_layers([base_layer])).reported == {"locations": ["Hall"]}


@pytest.mark.parametrize("site", ["berlin", "bonn", "kiel"])
def test_the_example_of_a_fleet_has_no_mistake(site: str) -> None:
    example = ROOT / "examples" / "fleet"
    given = {"city": site.title(), "floors": 5}
    layers_of_site = [path for path in (example / "base", example / "overlays" / site) if path.exists()]
    desired = load_layers(layers_of_site, variables=given)
    assert offline_findings(desired) == []
    assert "Office " + site.title() in [entry.fields.get("name") for entry in desired.entries]


def test_layers_have_tables_of_their_own_or_those_of_the_first(tmp_path: Path) -> None:
    table = "{files: objects.csv, columns: {Nr: barcode, Name: inventory_name}, missing_rows: keep}"
    files = {
        "base/instance.yml": f"{SETTINGS}tables: [{table}]\n",
        "base/objects.csv": "Nr,Name\n1,a\n",
        "overlays/berlin/objects.csv": "Nr,Name\n1,b\n",
    }
    desired = _load(tmp_path, files)
    assert _records(desired) == [{"barcode": "1", "inventory_name": "b"}]
    entry = desired.tables.for_file("overlays/berlin/objects.csv")
    assert entry is not None
    assert entry.rules.missing_rows == "keep"
    assert desired.tables.for_file("overlays/berlin/rooms.csv") is None


def test_a_kept_row_below_a_vaulted_file_is_kept(site: Site) -> None:
    def read(folder: Folder, name: str) -> bytes:
        content = content_of(folder, name)
        return VaultedContent(content) if content.startswith(b"barcode") else content

    def run(*numbers: str) -> str:
        ledger, halls = ("".join(f"{number},{word}\n" for number in numbers) for word in ("Lamp", "Hall"))
        site.write({"a/objects/a.csv": f"Number,Name\n{ledger}", "b/objects.csv": f"barcode,description\n{halls}"})
        return site.run(load_layers([site.root / "a", site.root / "b"], read=read)).outcome

    table = "{files: objects/a.csv, columns: {Number: barcode, Name: inventory_name}, missing_rows: keep}"
    settings = f"{SETTINGS}set: test\npolicy: {{prune: {{objects: delete}}}}\ntables: [{table}]\n"
    site.write({"a/instance.yml": settings})
    assert run("1", "2") == "changed"
    assert run("1") == "unchanged"
    assert len(site.dump()["objects"]) == 2
