# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes of the application go into the files in place: the diff has only the changed lines."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from instance_site import Site

from ansible_collections.community.seventhings.plugins.module_utils.local.safe_files import Folder

from .absorbing import ANY, applied, content, somebody, take


def _thing(barcode: str, **more: Any) -> dict[str, Any]:
    return {"barcode": barcode, "inventory_name": "Thing", **more}


def _lines(*records: Any) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def _absorbed_completely(site: Site, scratch: Path, **options: Any) -> dict[str, Any]:
    """Absorb the changes. Check that the patch equals the written files and that no difference is left."""
    before = content(site.root)
    planned = take(site, check_mode=True, **options)
    assert not planned.get("failed"), planned
    assert content(site.root) == before
    patched = applied(site.root, scratch / "git", planned["patch"])
    done = take(site, **options)
    files = content(site.root)
    listed = {name for name in files if f"# {name}:".encode() in planned["patch"]}
    assert {name: files[name] for name in files.keys() - listed} == {
        name: patched[name] for name in patched.keys() - listed
    }
    assert done["patch"] == planned["patch"]
    again = take(site, **options)
    assert (again["changed"], again["patch"]) == (False, b""), again
    if not done["not_changed"]:
        # A file that absorb emptied no longer contains records, which is right.
        assert site.plan(allow=["empty_sources"]).outcome == "unchanged", site.plan()
    return done


_YAML = """\
# Things\t
- barcode: '1'   # the first
  inventory_name:   Lamp
  description: "in \\"quotes\\""
  serial_number: 'it''s'

-   barcode: "2"
    inventory_name: Chair  # a seat
    description: |
      line one
      line two
    # between
    quantity: 3
- {barcode: '3', inventory_name: Desk, quantity: 4, purchasing_price: "12.50"}
- barcode: '4'
  inventory_name: >-
    Long
    name
  accessories:
    - '1'   # a lamp
    - '2'
"""


@pytest.mark.sample(2)
@pytest.mark.parametrize("line_end", ["\n", "\r\n"], ids=["lf", "crlf"])
@pytest.mark.parametrize("mark", ["", "\ufeff"], ids=["plain", "bom"])
def test_values_of_yaml_are_changed_in_the_quoting_that_was_there(
    site: Site, tmp_path: Path, line_end: str, mark: str
) -> None:
    site.root = tmp_path / "files"
    site.write({"objects.yml": mark + _YAML.replace("\n", line_end)})
    assert site.run().outcome == "changed"
    somebody(
        site,
        {
            "objects.jsonl": _lines(
                {
                    "barcode": "1",
                    "inventory_name": "Lamp, new: red",
                    "serial_number": "o'clock",
                    "description": 'a "b"',
                },
                {"barcode": "2", "inventory_name": "yes", "description": "one\nthree", "quantity": None},
                {"barcode": "3", "quantity": 5, "purchasing_price": "13.00"},
                {"barcode": "4", "inventory_name": "Short", "accessories": ["1", "3"]},
            )
        },
    )
    done = _absorbed_completely(site, tmp_path)
    assert done["not_changed"] == []
    assert done["summary"] == {"objects": {"changed": 10, "added": 0, "removed": 0}}
    expected = (
        _YAML.replace("Lamp\n", '"Lamp, new: red"\n')
        .replace('"in \\"quotes\\""', '"a \\"b\\""')
        .replace("'it''s'", "'o''clock'")
        .replace("Chair  #", '"yes"  #')
        .replace("      line one\n      line two\n", "      one\n      three\n")
        .replace("quantity: 3", "quantity: null")
        .replace("quantity: 4", "quantity: 5")
        .replace('"12.50"', '"13.00"')
        .replace(">-\n    Long\n    name", ">-\n    Short")
        .replace("    - '2'\n", "    - '3'\n")
    ).replace("    description: |\n      one", "    description: |-\n      one")
    assert (site.root / "objects.yml").read_bytes().decode() == mark + expected.replace("\n", line_end)


def test_values_of_json_lines_are_changed_in_place(site: Site, tmp_path: Path) -> None:
    site.root = tmp_path / "files"
    text = (
        '{"barcode":"1" ,"inventory_name": "Lamp","quantity":3}\n\n'
        '{ "barcode": "2", "inventory_name": "Stuhl \\u00e4", "purchasing_price": "12.5", "accessories": ["1"] }'
    )
    site.write({"objects.jsonl": text})
    site.run()
    somebody(
        site,
        {
            "objects.jsonl": _lines(
                {"barcode": "1", "inventory_name": 'L"amp\\', "quantity": None},
                {"barcode": "2", "purchasing_price": 13, "accessories": ["1", "2"]},
            )
        },
    )
    done = _absorbed_completely(site, tmp_path)
    assert done["not_changed"] == []
    expected = text.replace('"Lamp"', '"L\\"amp\\\\"').replace("3}", "null}").replace('"12.5"', '"13.00"')
    assert (site.root / "objects.jsonl").read_text() == expected.replace('["1"]', '["1", "2"]')


_TABLES = {
    "plain": (
        "",
        "utf-8",
        "\n",
        "barcode,inventory_name,purchasing_price,is_loaned\n1,Lamp,12.50,true\n2,{},1,false\n",
    ),
    "excel-de": (
        "csv: {preset: excel-de}\n",
        "utf-8-sig",
        "\r\n",
        '"barcode";inventory_name;purchasing_price;is_loaned\n1;"Lamp";12,50;WAHR\n2;{};1;FALSCH\n',
    ),
    "utf-16": ("", "utf-16", "\r\n", "sep=;\nbarcode;inventory_name;purchasing_price\n1;Lamp;12.50\n2;{};1\n"),
    "a name like a separator": (
        "csv: {ignore: [sep=x]}\n",
        "utf-8",
        "\n",
        "sep=x,barcode,inventory_name,purchasing_price\n,1,Lamp,12.50\n,2,{},1\n",
    ),
    "cp1252": (
        "csv: {encoding: cp1252}\n",
        "cp1252",
        "\n",
        "barcode,inventory_name,purchasing_price\n1,Lämp,12.50\n2,{},1\n",
    ),
}


@pytest.mark.parametrize("name", _TABLES)
def test_cells_are_changed_in_the_dialect_of_their_table(site: Site, tmp_path: Path, name: str) -> None:
    settings, encoding, line_end, text = _TABLES[name]
    site.root = tmp_path / "files"
    table = text.format('"Stuhl, ""alt""\nbraun ä"').replace("\n", line_end)
    site.write({"instance.yml": f"api: seventhings/v1\nset: test\n{settings}", "objects.csv": table.encode(encoding)})
    assert site.run().outcome == "changed"
    somebody(
        site,
        {
            "objects.jsonl": _lines(
                {"barcode": "1", "inventory_name": "=1+1; x", "purchasing_price": "1299.00"},
                {"barcode": "2", "inventory_name": 'Neu "é"', "is_loaned": True},
            )
        },
    )
    done = _absorbed_completely(site, tmp_path)
    assert done["not_changed"] == []
    price = "1299,00" if name == "excel-de" else "1299.00"
    quoted = name in ("excel-de", "utf-16")
    expected = (
        text.format('"Neu ""é"""')
        .replace(
            '"Lamp"' if name == "excel-de" else "Lämp" if name == "cp1252" else "Lamp",
            '"\'=1+1; x"' if quoted else "'=1+1; x",
        )
        .replace("12,50" if name == "excel-de" else "12.50", price)
        .replace("FALSCH", "WAHR")
        .replace("false", "true")
    )
    assert (site.root / "objects.csv").read_bytes().decode(encoding) == expected.replace("\n", line_end)


def test_a_cell_is_cleared_as_its_dialect_clears(site: Site, tmp_path: Path) -> None:
    site.root = tmp_path / "files"
    head = "api: seventhings/v1\nset: test\ncsv: {'null': NIX, files: {objects/b.csv: {}}}\n"
    site.write(
        {
            "instance.yml": head,
            "objects/a.csv": "barcode,inventory_name,serial_number\n1,A,S1\n",
            "objects/b.csv": "barcode,inventory_name,serial_number\n2,B,S2\n",
        }
    )
    site.run()
    somebody(site, {"objects.jsonl": _lines(*({"barcode": barcode, "serial_number": None} for barcode in "12"))})
    _absorbed_completely(site, tmp_path)
    assert (site.root / "objects/a.csv").read_text().endswith("1,A,NIX\n")
    assert (site.root / "objects/b.csv").read_text().endswith(("2,B,\n", "2,B,NIX\n"))


# ---- every kind


def test_every_kind_of_record_comes_back(site: Site, tmp_path: Path) -> None:
    site.root = tmp_path / "files"
    files = {
        "instance.yml": "api: seventhings/v1\nset: test\n",
        "fields/asset.yml": "- label: Grade\n  type: DROPDOWN\n  possible_values: [A, B]  # grades\n  comment: old\n"
        "- {label: Mark, type: TEXT, constraints: {max_length: 10}}\n",
        "locations.yml": "- name: North\n  city: Berlin\n",
        "rooms.yml": "- {building_id: North, number: '1', description: Store}\n"
        "- {building_id: North, number: '2', description: Hall}\n",
        "persons.yml": "- email: ada@acme.example\n  last_name: Jensen\n",
        "users.yml": "- ada@acme.example\n",
        "objects.yml": "- barcode: '1'\n  inventory_name: Lamp\n  target_room: North/1\n  Grade: A\n"
        "  purchasing_date: 2024-05-31\n"
        "- {barcode: '2', inventory_name: Desk, target_room: {building_id: North, number: '1'}}\n",
        "tasks.yml": "- title: Look\n  deadline: 2027-03-01\n  assignees: [ada@acme.example]\n  references: ['1']\n"
        "  reminders: [{unit: days, value: 2}]\n  comment: old\n",
        "rental_cases.yml": "- title: Loan\n  references: ['1']\n  issue_date: 2027-04-01\n  due_date: 2027-04-02\n"
        "  responsible_user: ada@acme.example\n  renter: {type: plain, value: Bo}\n  status: requested\n",
        "hub.yml": "- {object: '2', price: 10}\n",
    }
    site.write(files)
    assert site.run().outcome == "changed"
    changed = {
        "fields/asset.yml": "- label: Grade\n  type: DROPDOWN\n  possible_values: [A, B, C]\n  comment: new\n"
        "- {label: Mark, type: TEXT, constraints: {max_length: 20}}\n",
        "locations.yml": "- {name: North, city: Bonn}\n",
        "rooms.yml": "- {building_id: North, number: '1', description: Shop}\n",
        "persons.yml": "- {email: ada@acme.example, last_name: Jansen}\n",
        "objects.yml": "- {barcode: '1', target_room: North/2, Grade: C, purchasing_date: 2024-06-01}\n"
        "- {barcode: '2', target_room: North/2}\n",
        "tasks.yml": "- {title: Look, deadline: 2027-03-01, assignees: [ada@acme.example], references: ['1', '2'],\n"
        "   reminders: [{unit: days, value: 3}], comment: new}\n",
        "rental_cases.yml": "- {title: Loan, references: ['1'], issue_date: 2027-04-01, due_date: 2027-04-03,\n"
        "   responsible_user: ada@acme.example, renter: {type: plain, value: Cy}}\n",
        "hub.yml": "- {object: '2', price: 12.5}\n",
    }
    somebody(site, changed)
    done = _absorbed_completely(site, tmp_path)
    assert done["not_changed"] == []
    after = content(site.root)
    assert after["fields/asset.yml"].decode() == files["fields/asset.yml"].replace("[A, B]", "[A, B, C]").replace(
        "old", "new"
    ).replace("10", "20")
    assert after["objects.yml"].decode() == files["objects.yml"].replace("North/1", "North/2").replace(
        "05-31", "06-01"
    ).replace("Grade: A", "Grade: C").replace("{building_id: North, number: '1'}", "North/2")
    assert after["tasks.yml"].decode() == files["tasks.yml"].replace("['1']", "['1', \"2\"]").replace(
        "value: 2", "value: 3"
    ).replace("old", "new")
    assert after["rental_cases.yml"].decode() == files["rental_cases.yml"].replace("04-02", "04-03").replace("Bo", "Cy")
    assert "12.5" in after["hub.yml"].decode()


def test_an_attachment_comes_along(site: Site, tmp_path: Path) -> None:
    site.root = tmp_path / "files"
    site.write({"objects.yml": "- barcode: '1'\n  inventory_name: Lamp\n  documents: [a.txt]\n", "a.txt": "old"})
    site.run()
    somebody(site, {"objects.yml": "- {barcode: '1', documents: [a.txt, b.txt]}\n", "a.txt": "old", "b.txt": "new"})
    done = _absorbed_completely(site, tmp_path)
    assert done["not_changed"] == []
    written = (site.root / "objects.yml").read_text()
    assert written.startswith("- barcode: '1'\n  inventory_name: Lamp\n  documents: [a.txt, files/")
    assert sorted(path.name for path in site.root.rglob("*.txt")) == ["a.txt", "b.txt"]


def test_one_file_with_sections_is_changed_in_place(site: Site, tmp_path: Path) -> None:
    site.root = tmp_path / "files"
    site.root.mkdir()
    path = site.root / "all.yml"
    text = "instance: {api: seventhings/v1, set: test}\nobjects:\n- barcode: '1'\n  inventory_name: Lamp\n# the end\n"
    path.write_text(text)
    other = Site(tmp_path / "first", site.service)
    other.write({"objects.jsonl": _lines(_thing("1"), _thing("2")), "locations.yml": "- {name: North}\n"})
    other.run()
    done = take(site, src=str(path), into={"objects": "all.yml", "locations": "all.yml"})
    assert done["not_changed"] == []
    new = text.replace("Lamp", "Thing").replace("# the end\n", '- barcode: "2"\n  inventory_name: Thing\n# the end\n')
    assert path.read_text() == new.replace("objects:\n", "locations: [{name: North}]\nobjects:\n")
    again = take(site, src=str(path), into={"objects": "all.yml", "locations": "all.yml"})
    assert again["changed"] is False


# ---- new records


@pytest.mark.sample(2)
@pytest.mark.parametrize("ending", ["yml", "jsonl", "csv"])
@pytest.mark.parametrize("begun", [False, True], ids=["new", "begun"])
def test_new_records_go_into_the_file_that_is_named(site: Site, tmp_path: Path, ending: str, begun: bool) -> None:
    site.root = tmp_path / "files"
    first = {
        "yml": "# mine\n-   barcode: '0'\n    inventory_name: Zero",
        "jsonl": '{"barcode":"0","inventory_name":"Zero"}',
        "csv": "inventory_name;barcode;serial_number;quantity;description\nZero;0;;;",
    }[ending]
    site.write({"objects/first.jsonl": _lines(_thing("1")), **({f"objects/new.{ending}": first} if begun else {})})
    site.run()
    hostile = _thing("2", description='=cmd|"x"; {\u202e}', serial_number="::error::x ${x}", quantity=7)
    somebody(site, {"objects.jsonl": _lines(hostile, _thing("3"))})
    path = site.root / f"objects/new.{ending}"
    done = _absorbed_completely(site, tmp_path, into={"objects": f"objects/new.{ending}"})
    assert done["not_changed"] == []
    assert done["summary"]["objects"]["added"] == 2
    assert not begun or path.read_text().startswith(first)
    assert {entry.fields["barcode"] for entry in site.load().entries} == {"1", "2", "3", *("0" if begun else ())}
    assert [entry.fields["description"] for entry in site.load().entries if "description" in entry.fields] == [
        hostile["description"]
    ]


def test_new_records_of_one_key_are_reported(site: Site, tmp_path: Path) -> None:
    site.root = tmp_path / "files"
    site.write({"objects.yml": "- {barcode: '1', inventory_name: Lamp}\n"})
    site.run()
    case = {
        "references": ["1"],
        "issue_date": "2027-04-01",
        "responsible_user": "operator@instance.invalid",
        "renter": {"type": "plain", "value": "Bo"},
    }
    cases = [{**case, "title": title, "due_date": f"2027-04-0{day}"} for title, day in (("R", 2), ("R", 3), ("S", 2))]
    somebody(
        site,
        {
            "instance.yml": "api: seventhings/v1\nset: other\nidentity: {rental_cases: [title, due_date]}\n",
            "rental_cases.jsonl": _lines(*cases),
        },
    )
    done = _absorbed_completely(site, tmp_path, into={"rental_cases": "rental_cases.yml"})
    assert done["summary"]["rental_cases"]["added"] == 1
    assert "rental_cases: 2 record(s) have no title and issue_date of their own" in "\n".join(done["not_changed"])


@pytest.mark.parametrize(
    ("into", "expected"),
    [
        ({"things": "x.yml"}, "into.things: no such section; expected one of fields/asset"),
        ({"objects": 3}, "into.objects: 3 does not fit; expected the path of a file"),
        ({"objects": "../objects.yml"}, "expected a path below src"),
        ({"objects": "/tmp/objects.yml"}, "expected a path below src"),
        ({"objects": "rooms.yml"}, "expected a file of that section, such as objects.yml or objects/new.yml"),
        ({"objects": "objects/.new.yml"}, "expected a file of that section"),
        ({"objects": "objects/new.xlsx"}, "expected a file that ends in .yml, .yaml, .csv, .jsonl"),
        ({"fields/asset": "fields/room.yml"}, "expected a file of that section, such as fields/asset.yml"),
    ],
)
def test_a_file_that_nothing_would_be_read_from_is_refused(site: Site, into: dict[str, Any], expected: str) -> None:
    site.write({"objects.jsonl": _lines(_thing("1"))})
    result = take(site, into=into)
    assert result["failed"]
    assert expected in result["msg"]


def test_a_link_is_never_written_through(site: Site, tmp_path: Path) -> None:
    site.root = tmp_path / "files"
    site.write({"locations.yml": "- name: North\n"})
    site.run()
    (tmp_path / "outside").mkdir()
    (site.root / "objects").mkdir()
    (site.root / "objects" / "sub").symlink_to(tmp_path / "outside")
    result = take(site, into={"objects": "objects/sub/new.yml"})
    assert result["failed"]
    assert "is a link" in result["msg"]
    assert list((tmp_path / "outside").iterdir()) == []


# ---- records that are gone


class _Killed(BaseException):
    """Raised to simulate that the process is killed."""


@pytest.mark.sample(1)
@pytest.mark.slow
@pytest.mark.parametrize("option", ["keep", "remove", "absent"])
def test_a_run_that_was_killed_between_two_files_is_repeated(
    site: Site, tmp_path: Path, option: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The deleted records refer to each other, and records in other files referred to them."""
    before = {
        "locations.yml": "- name: A\n- name: B\n",
        "rooms.yml": "- building_id: A\n  number: '1'\n- building_id: B\n  number: '1'\n",
        "objects/a.yml": "- barcode: '1'\n  inventory_name: Lamp\n  accessories: ['4']\n"
        "- barcode: '2'\n  inventory_name: Chair\n  target_room: B/1\n",
        "objects/b.jsonl": _lines(_thing("3", accessories=["2"]), _thing("4")),
    }
    site.root = tmp_path / "start"
    site.write(before)
    assert site.run().outcome == "changed"
    somebody(
        site,
        {
            "locations.yml": "- {name: B, _state: absent}\n- {name: C}\n",
            "rooms.yml": "- {building_id: B, number: '1', _state: absent}\n- {building_id: C, number: '1'}\n",
            "objects.jsonl": _lines(
                {"barcode": "1", "accessories": ["5"]},
                {"barcode": "2", "_state": "absent"},
                {"barcode": "3", "accessories": ["1"]},
                {"barcode": "4", "_state": "absent"},
                _thing("5", target_room="C/1", documents=["files/a.txt"]),
            ),
            "files/a.txt": "a",
        },
    )
    into = {"objects": "objects/new.yml", "rooms": "rooms.yml", "locations": "locations.yml"}
    start, write, wanted = site.root, Folder.write, {}
    for allowed in range(20):
        site.root = tmp_path / str(allowed)
        shutil.copytree(start, site.root)
        written: list[str] = []

        def some(self: Folder, name: str, *more: Any, **other: Any) -> None:
            if len(written) == allowed:  # noqa: B023
                raise _Killed
            written.append(name)  # noqa: B023
            write(self, name, *more, **other)

        with monkeypatch.context() as patched:
            patched.setattr(Folder, "write", some)
            try:
                assert not take(site, gone=option, into=into).get("failed")
                wanted = content(site.root)
                break
            except _Killed:
                pass
    assert len(written) >= 4
    for number in range(len(written)):
        site.root = tmp_path / str(number)
        again = take(site, gone=option, into=into)
        assert not again.get("failed"), (number, again["msg"])
        assert content(site.root) == wanted, number


# ---- guards


def test_files_of_another_instance_are_left_alone(site: Site) -> None:
    site.write({"instance.yml": "api: seventhings/v1\ninstance: https://acme.seventhings.com\n", "objects.yml": "[]\n"})
    result = take(site)
    assert result["failed"]
    assert "https://acme.seventhings.com" in result["msg"]


def test_files_with_mistakes_are_left_alone(site: Site) -> None:
    site.write({"objects.yml": "- {barcode: '1', inventory_nme: x}\n"})
    result = take(site)
    assert result["failed"]
    assert result["findings"][0].startswith("objects.yml:1:")


@pytest.mark.parametrize(("presence", "key"), [("honour", "findings"), ("refuse", "not_changed")])
def test_a_field_that_no_record_shows_is_not_emptied_in_files(site: Site, presence: str, key: str) -> None:
    """The account may not see a field if the instance omits empty fields.

    If the instance supports filters, a filter shows that the field has values.
    """
    site.write({"objects.yml": "- {barcode: '1', inventory_name: Lamp, description: Oak, serial_number: S-1}\n"})
    assert site.run(**ANY).outcome == "changed"
    site.service.steer("PUT", "/switches", {"empty_keys": "left_out", "presence_operators": presence})
    user = site.service.steer("POST", "/users", {"hidden_fields": ["description"]})
    before = content(site.root)
    done = take(site, **{name: user[name] for name in ("username", "password")})
    assert (done.get("changed", False), content(site.root)) == (False, before)
    (line,) = done[key]
    surely = "this account does not see the field description"
    maybe = "no record has the field description: it is empty in all of them, or this account does not see it"
    assert (surely if key == "findings" else maybe) in line
