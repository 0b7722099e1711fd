# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes that can't be absorbed are reported with place and reason. Absorbed changes can be read again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from ansible.parsing.vault import VaultLib, VaultSecret
from instance_site import SETTINGS, Site
from workbooks import workbook_of

from ansible_collections.community.seventhings.plugins.module_utils.errors import InvalidInput
from ansible_collections.community.seventhings.plugins.plugin_utils.absorb.files import FileChange, Files, Target
from ansible_collections.community.seventhings.plugins.plugin_utils.absorb.patch import Edited
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.desired import DesiredInstance
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.loading import load
from ansible_collections.community.seventhings.plugins.plugin_utils.layers.layers import layers_of

from .absorbing import somebody, take

_SECRET = VaultSecret(b"open sesame")


def _objects(*records: Mapping[str, Any]) -> dict[str, str | bytes]:
    """Return a file of objects from another author."""
    return {"objects.jsonl": "".join(json.dumps({"inventory_name": "Thing", **record}) + "\n" for record in records)}


def _why(done: Mapping[str, Any]) -> list[str]:
    return [line.rpartition("because ")[2] for line in done["not_changed"]]


@pytest.fixture
def below(site: Site, tmp_path: Path) -> Site:
    """Return a directory of files, beside which others can be created."""
    site.root = tmp_path / "files"
    return site


# ---- records


def test_what_is_offered_already_is_not_offered_again(below: Site) -> None:
    things = "- {barcode: '1', inventory_name: Lamp}\n- {barcode: '2', inventory_name: Desk}\n"
    below.write({"objects.yml": things, "hub.yml": "- {object: '1', price: 10}\n"})
    below.run()
    somebody(below, {"hub.yml": "- {object: '2', price: 12}\n"})
    assert take(below, into={"hub": "hub.yml"})["summary"]["hub"] == {"changed": 0, "added": 1, "removed": 0}
    assert (below.root / "hub.yml").read_text() == "- {object: '1', price: 10}\n- object: \"2\"\n  price: 12.00\n"
    assert below.plan().outcome == "unchanged"


def test_dollars_in_lists_and_maps_are_escaped_where_files_declare_variables(below: Site) -> None:
    case = {
        "title": "Loan",
        "references": ["1"],
        "issue_date": "2027-04-01",
        "due_date": "2027-04-02",
        "responsible_user": "operator@instance.invalid",
    }
    below.write(
        {
            "instance.yml": SETTINGS + "variables: {x: {default: '1'}}\n",
            "objects.yml": "- {barcode: '1', inventory_name: Thing, accessories: []}\n",
            "rental_cases.jsonl": json.dumps({**case, "renter": {"type": "plain", "value": "Bo"}}),
        }
    )
    assert below.run().outcome == "changed"
    somebody(
        below,
        {
            **_objects({"barcode": "a${b}"}, {"barcode": "1", "accessories": ["a${b}"]}),
            "rental_cases.jsonl": json.dumps({**case, "renter": {"type": "plain", "value": "${x}"}}),
        },
    )
    assert take(below)["not_changed"] == []
    assert 'accessories: ["a${$}{b}"]}' in (below.root / "objects.yml").read_text()
    assert '"value": "${$}{x}"' in (below.root / "rental_cases.jsonl").read_text()
    assert take(below)["changed"] is False


def test_records_that_can_not_be_deleted_are_reported(below: Site) -> None:
    below.write({"users.yml": "- ada@acme.example\n", "fields/asset.yml": "- {label: Grade, type: TEXT}\n"})
    somebody(below, {"persons.yml": "- {email: ada@acme.example, last_name: Jensen}\n"})
    done = take(below, gone="absent")
    assert (done["changed"], _why(done)) == (
        False,
        [f"no record of {section} can be absent" for section in ("fields", "users")],
    )


def test_attachments_stay_where_another_record_can_t_be_removed(below: Site) -> None:
    text = "[{barcode: '1', inventory_name: Thing, documents: []}, {barcode: '2', inventory_name: Thing}]\n"
    below.write({"objects.yml": text})
    below.run()
    things = _objects({"barcode": "1", "documents": ["a.txt"]}, {"barcode": "2", "_state": "absent"})
    somebody(below, {"a.txt": "a", **things})
    done = take(below, gone="remove")
    assert _why(done) == ["it is in a list that is written in one pair of brackets"]
    (path,) = (str(path.relative_to(below.root)) for path in below.root.rglob("*.txt"))
    assert (below.root / "objects.yml").read_text() == text.replace("[]", f"[{path}]")


# ---- layers


def test_new_records_go_into_the_file_of_several_that_is_named(below: Site) -> None:
    below.write({"a.yml": "objects: []\n", "b.yml": "objects: []\n"})
    somebody(below, _objects({"barcode": "1"}))
    done = take(below, src=[str(below.root / "a.yml"), str(below.root / "b.yml")], into={"objects": "b.yml"})
    assert done["files"] == ["b.yml"]
    assert (below.root / "b.yml").read_text() == 'objects: [{barcode: "1", inventory_name: Thing}]\n'


# ---- attachments from elsewhere


@pytest.mark.parametrize("now", [["a.txt", "b.txt"], ["a.txt"]], ids=",".join)
def test_new_attachments_are_reported_where_they_are_read_from_elsewhere(
    below: Site, tmp_path: Path, now: list[str]
) -> None:
    before = "- {barcode: '1', inventory_name: Thing, documents: [a.txt, c.txt]}\n"
    below.write({"objects.yml": before})
    other = tmp_path / "other"
    other.mkdir()
    for name in "ac":
        (other / f"{name}.txt").write_text(name)
    below.run(load(below.root, files_root=other))
    somebody(
        below,
        {
            **{f"{name}.txt": name for name in "abc"},
            **_objects({"barcode": "1", "documents": now}, {"barcode": "2", "documents": ["a.txt"]}, {"barcode": "3"}),
        },
    )
    done = take(below, into={"objects": "objects.yml"}, files_root=str(other))
    lines = [line.partition(" is ")[0] for line in done["not_changed"]]
    is_new = "b.txt" in now
    assert lines == [
        *(["objects.yml:1:52: object 1: documents"] if is_new else []),
        "objects.yml: objects '2': its attachments come from elsewhere",
    ]
    assert done["summary"]["objects"] == {"changed": int(not is_new), "added": 1, "removed": 0}
    written = before if is_new else before.replace("[a.txt, c.txt]", "[a.txt]")
    assert (below.root / "objects.yml").read_text() == f'{written}- barcode: "3"\n  inventory_name: Thing\n'
    assert not (below.root / "files").exists()


# ---- files


def test_no_records_are_added_to_a_workbook(below: Site) -> None:
    below.root.mkdir()
    (below.root / "book.xlsx").write_bytes(workbook_of({"locations": [["name"]]}))
    done = take(below, src=str(below.root / "book.xlsx"), into={"locations": "book.xlsx"})
    assert done["msg"] == "into.locations: 'book.xlsx' does not fit; expected a file that is not a workbook"


def test_files_are_copied_before_they_are_changed(below: Site) -> None:
    text = "- {barcode: '1', inventory_name: Lamp}\n"
    below.write({"objects.yml": text})
    below.run()
    somebody(below, _objects({"barcode": "1"}))
    (copy,) = take(below, backup=True)["backup_files"]
    assert Path(copy).read_text() == text
    assert "Thing" in (below.root / "objects.yml").read_text()


def test_vaulted_files_are_reported_and_left(below: Site) -> None:
    vaulted = VaultLib([("default", _SECRET)]).encrypt("- {barcode: '1', inventory_name: Lamp}\n")
    below.write({"objects.yml": vaulted})
    somebody(below, _objects({"barcode": "1"}, {"barcode": "2"}))
    done = take(below, secret=_SECRET, into={"objects": "objects.yml"})
    assert _why(done) == ["its file is vaulted", "objects.yml: objects '2': its file is vaulted"]
    assert "Thing" not in done["not_changed"][0]
    assert (below.root / "objects.yml").read_bytes() == vaulted


@pytest.mark.parametrize(
    ("settings", "codec", "expected"),
    [
        ("{encoding: iso-8859-1}", "iso-8859-1", ["the encoding of the table does not have all of its characters"]),
        (
            "{preset: excel-de, delimiter: ','}",
            "cp1252",
            ["the encoding of the table does not have all of its characters"],
        ),
        # The encoding without a byte order mark, although a mark would be allowed.
        ("{encoding: utf-8-sig}", "utf-8", []),
        ("{encoding: utf-16}", "utf-16-le", []),
    ],
)
def test_a_table_keeps_its_encoding(below: Site, settings: str, codec: str, expected: list[str]) -> None:
    table = "barcode,inventory_name\n1,Lämp\n2,b\n"
    below.write({"instance.yml": f"{SETTINGS}csv: {settings}\n", "objects.csv": table.encode(codec)})
    assert below.run().outcome == "changed"
    somebody(below, _objects({"barcode": "2", "inventory_name": "Łódź"}, {"barcode": "3", "inventory_name": "é"}))
    done = take(below, into={"objects": "objects.csv"})
    assert _why(done) == expected
    written = (table if expected else table.replace("2,b", "2,Łódź")) + "3,é\n"
    assert (below.root / "objects.csv").read_bytes() == written.encode(codec)


def test_a_table_in_which_nothing_is_is_left(below: Site) -> None:
    below.write({"objects.csv": "", "objects/a.yml": "[]\n"})
    somebody(below, _objects({"barcode": "1"}))
    done = take(below, into={"objects": "objects.csv"})
    assert (done["not_changed"], done["files"]) == ([], ["objects.jsonl"])


# ---- meanwhile


def _files(root: Path) -> Files:
    return Files(layers_of([root]), DesiredInstance())


_TARGET = Target(0, "objects.yml")


@pytest.mark.parametrize("before", [b"[]\n", None], ids=["changed", "made"])
def test_what_somebody_else_wrote_meanwhile_is_not_overwritten(below: Site, before: bytes | None) -> None:
    below.write({"objects.yml": "- {barcode: '2'}\n"})
    change = FileChange(_TARGET, before, before, b"- {barcode: '1'}\n", Edited("objects.yml", before, []))
    with pytest.raises(InvalidInput, match=r"objects\.yml was changed by another process meanwhile; run it again"):
        _files(below.root).write([change], backup=False)
    assert (below.root / "objects.yml").read_text() == "- {barcode: '2'}\n"
