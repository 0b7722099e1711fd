# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A rendered directory is equivalent to its layers: the same records, the same plan, the same result if rendered."""

from __future__ import annotations

import datetime as dt
import json
import random
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import pytest
import yaml
from ansible.parsing.dataloader import DataLoader
from ansible.parsing.vault import VaultLib, VaultSecret
from hypothesis import HealthCheck, Phase, given, settings
from instance_site import Site
from project import LONG

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.argument_specs import INSTANCE
from ansible_collections.community.seventhings.plugins.plugin_utils.action.arguments import read_arguments
from ansible_collections.community.seventhings.plugins.plugin_utils.action.instance import provision
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.desired import DesiredInstance
from ansible_collections.community.seventhings.plugins.plugin_utils.export.json_schema import static_files
from ansible_collections.community.seventhings.plugins.plugin_utils.instance.offline import offline_findings
from ansible_collections.community.seventhings.plugins.plugin_utils.layers.layers import load_layers
from ansible_collections.community.seventhings.plugins.plugin_utils.render import rendering
from ansible_collections.community.seventhings.plugins.plugin_utils.render.rendering import render

from .random_states import State, as_files, consistent, states

SETTINGS = "api: seventhings/v1\n"


def _write(root: Path, files: Mapping[str, str | bytes]) -> None:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def _render(root: Path, *layers: str, **more: Any) -> dict[str, Any]:
    """Run a task that renders layers below a directory to ``out``.

    ``check`` and ``secret`` are not among its options.
    """
    check, secret = more.pop("check", False), more.pop("secret", "")
    src = [str(root / name) for name in layers]
    written = {"mode": "render", "src": src, "dest": str(root / "out"), **more}
    read = read_arguments("instance", INSTANCE, {}, written)
    assert read.refusal == ""
    loader = DataLoader()
    if secret:
        loader.set_vault_secrets([("default", VaultSecret(secret.encode()))])
    return provision(read.options, check, loader, written)


def _tree(root: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and "schema" not in path.parts
    }


def _texts(root: Path) -> dict[str, str]:
    """Return the files of a rendered state without the first lines, which editors read."""
    texts = {name: content.decode() for name, content in _tree(root).items() if name.endswith(".yml")}
    return {name: text.partition("\n---\n")[2] for name, text in texts.items()}


def _as_loaded(desired: DesiredInstance) -> list[Any]:
    """Return the content of a desired state, whatever the order of its sections."""
    records = [
        (entry.kind.name, entry.template, entry.state, dict(entry.fields), is_managed)
        for entries, is_managed in ((desired.entries, True), (desired.unmanaged, False))
        for entry in entries
    ]
    # A number from a variable is written as a number.
    ordered = [
        (*record[:3], {name: str(value) for name, value in record[3].items()}, record[4])
        for record in sorted(records, key=lambda record: (record[0], record[1], record[4]))
    ]
    settings_of = (desired.instances, desired.set_name, desired.set_id, desired.identity, desired.scope, desired.policy)
    return [list(map(str, settings_of)), desired.marker, desired.moved, sorted(desired.sections), ordered]


FILES = {
    "base/instance.yml": (
        f"{SETTINGS}instance: [https://a.example.com, https://b.example.com]\nset: acme\nset_id: 0f0f\n"
        "timezone: Europe/Berlin\nidentity: {objects: [barcode]}\nscope: {objects: {room: [A, B]}}\nmarker: owner\n"
        "policy: {prune: {objects: delete}, limits: {creates: 9, create_percent: 12.5}, create_users: true}\n"
        "variables: {city: {}, floors: {type: integer, default: 3}, share: {type: number, default: 1.5}}\n"
    ),
    "base/moved.yml": "locations:\n  - {from: {name: Old}, to: {name: '${city}'}}\n",
    "base/locations.yml": "- {name: '${city}', address: 'a ${$}{x}'}\n- {name: Hall, zip: '0117'}\n",
    "base/rooms.yml": "- {building_id: Hall, number: '1', floor: '${floors}', size: '${share}'}\n",
    "base/objects.csv": "barcode,inventory_name,_state\nA,Desk,archived\n007,Lamp,\n",
    "base/fields/asset.yml": "- {label: Shelf, type: TEXT}\n",
    "base/persons.yml": "[]\n",
    "base/users.yml": "- ada@example.com\n- {email: bo@example.com, _managed: false}\n",
    "berlin/instance.yml": f"{SETTINGS}instance: https://b.example.com\npolicy: {{limits: {{creates: 3}}}}\n",
    "berlin/locations.yml": "- {name: Hall, _managed: false}\n",
    "berlin/objects.yml": "- {barcode: A, inventory_name: null}\n",
}


def test_all_layers_become_one_directory_with_variables_filled_in(tmp_path: Path) -> None:
    _write(tmp_path, FILES)
    done = _render(tmp_path, "base", "berlin", variables={"city": "Berlin"})
    assert done["changed"], done
    assert done["requests"] == 0
    assert done["summary"]["objects"] == 2
    texts = _texts(tmp_path / "out")
    assert texts == {
        "fields/asset.yml": "- label: Shelf\n  type: TEXT\n",
        "instance.yml": (
            'api: seventhings/v1\ninstance: "https://b.example.com"\nset: acme\nset_id: "0f0f"\n'
            "timezone: Europe/Berlin\nidentity: {objects: [barcode]}\nscope: {objects: {room: [A, B]}}\n"
            "marker: owner\n"
            "policy: {prune: {objects: delete}, limits: {creates: 3, create_percent: 12.5}, create_users: true}\n"
        ),
        "locations.yml": '- name: Berlin\n  address: "a ${x}"\n- name: Hall\n  "_managed": false\n',
        "moved.yml": "locations: [{from: {name: Old}, to: {name: Berlin}}]\n",
        "objects/0001.yml": (
            '- barcode: A\n  inventory_name: null\n  "_state": archived\n- barcode: "007"\n  inventory_name: Lamp\n'
        ),
        "persons.yml": "[]\n",
        "rooms.yml": '- building_id: Hall\n  number: "1"\n  floor: 3\n  size: 1.5\n',
        "users.yml": '- ada@example.com\n- email: bo@example.com\n  "_managed": false\n',
    }


def test_what_is_rendered_loads_as_the_layers_do(tmp_path: Path) -> None:
    _write(tmp_path, FILES)
    given_city = {"city": "Berlin"}
    _render(tmp_path, "base", "berlin", variables=given_city)
    layered = load_layers([tmp_path / "base", tmp_path / "berlin"], variables=given_city)
    rendered = load_layers([tmp_path / "out"])
    assert rendered.findings == []
    assert str(_as_loaded(rendered)) == str(_as_loaded(layered))


def test_an_unknown_setting_is_kept(tmp_path: Path) -> None:
    """So a new setting needs no change in the renderer."""
    _write(tmp_path, {"base/instance.yml": f"{SETTINGS}set: a\n"})
    desired = load_layers([tmp_path / "base"])
    desired.settings = {**desired.settings, "later": {"objects": {"days": 3}}}
    rendered = render(desired, lambda _kind, _place: [])
    content = rendered.files["instance.yml"]
    assert isinstance(content, bytes)
    assert content.decode().endswith("set: a\nlater: {objects: {days: 3}}\n")


def test_a_second_render_changes_nothing_and_a_later_render_removes_old_files(tmp_path: Path) -> None:
    _write(tmp_path, FILES)
    city = {"variables": {"city": "Berlin"}}
    assert _render(tmp_path, "base", "berlin", **city)["changed"]
    before = _tree(tmp_path)
    again = _render(tmp_path, "base", "berlin", **city)
    assert (again["changed"], again["files"]["written"], again["diff"]) == (False, [], {"before": "", "after": ""})
    (tmp_path / "base/rooms.yml").unlink()
    (tmp_path / "out/locations.yml").write_text("edited")
    planned = _render(tmp_path, "base", "berlin", check=True, **city)
    assert planned["files"] == {
        "written": ["locations.yml"],
        "removed": ["rooms.yml"],
        "unchanged": _unchanged(before),
    }
    assert planned["diff"] == {
        "before": "locations.yml\nrooms.yml\n",
        "after": "locations.yml (written anew)\n",
    }
    assert (tmp_path / "out/rooms.yml").exists()
    done = _render(tmp_path, "base", "berlin", **city)
    assert done["files"] == planned["files"]
    assert not (tmp_path / "out/rooms.yml").exists()
    assert _render(tmp_path, "base", "berlin", **city)["changed"] is False


def _unchanged(tree: Mapping[str, bytes]) -> int:
    """Return how many files of a render stay unchanged if two differ. Schemas are included."""
    rendered = [name for name in tree if name.startswith("out/") and name != "out/.render.json"]
    return len(rendered) - 2 + len(static_files())


def test_what_is_written_can_be_read_by_its_owner_alone(tmp_path: Path) -> None:
    _write(tmp_path, FILES)
    _render(tmp_path, "base", variables={"city": "Berlin"})
    assert (tmp_path / "out").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "out/locations.yml").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("existing", "message"),
    [
        ({"out/notes.txt": "mine"}, "is not empty, and no render created it"),
        ({"out/.render.json": "{}"}, "was not written by a render"),
        ({"out/.render.json": '{"version": 1, "files": {"../x": "0"}}'}, "was not written by a render"),
        ({"out": "a file"}, "is no directory"),
    ],
)
def test_a_directory_of_another_origin_is_refused(tmp_path: Path, existing: Mapping[str, str], message: str) -> None:
    _write(tmp_path, {**FILES, **existing})
    before = _tree(tmp_path)
    done = _render(tmp_path, "base", variables={"city": "Berlin"})
    assert done["failed"]
    assert message in done["msg"]
    assert _tree(tmp_path) == before


def test_what_a_plan_would_read_beside_is_refused_and_anything_else_is_left_alone(tmp_path: Path) -> None:
    _write(tmp_path, FILES)
    city = {"variables": {"city": "Berlin"}}
    _render(tmp_path, "base", **city)
    _write(tmp_path, {"out/README.md": "mine", "out/.git/x.yml": "mine"})
    assert _render(tmp_path, "base", **city)["changed"] is False
    _write(tmp_path, {"out/objects/more.csv": "barcode\nZ\n"})
    done = _render(tmp_path, "base", **city)
    assert "objects/more.csv" in done["msg"]
    assert "no render wrote it, and a plan would read it" in done["msg"]


def test_a_link_in_the_way_is_refused_and_not_followed(tmp_path: Path) -> None:
    _write(tmp_path, {**FILES, "outside/x": "mine"})
    _render(tmp_path, "base", variables={"city": "Berlin"})
    (tmp_path / "out/locations.yml").unlink()
    (tmp_path / "out/locations.yml").symlink_to(tmp_path / "outside/x")
    done = _render(tmp_path, "base", variables={"city": "Bonn"})
    assert "something else is at the path of a file" in done["msg"]
    assert (tmp_path / "outside/x").read_text() == "mine"


@pytest.mark.parametrize(("dest", "message"), [("base/out", "is in the layer"), (".", "lies in")])
def test_a_layer_is_never_rendered_into(tmp_path: Path, dest: str, message: str) -> None:
    _write(tmp_path, FILES)
    done = _render(tmp_path, "base", dest=str(tmp_path / dest), variables={"city": "Berlin"})
    assert message in done["msg"]
    assert "render to a directory of its own" in done["msg"]


def test_findings_come_as_everywhere_and_nothing_is_written(tmp_path: Path) -> None:
    _write(tmp_path, {**FILES, "berlin/rooms.yml": "- {building_id: '${cty}', number: '1'}\n"})
    report = tmp_path / "findings.json"
    done = _render(tmp_path, "base", "berlin", variables={"city": "Berlin"}, report=[str(report)])
    assert done["failed"]
    assert done["findings"] == ["berlin/rooms.yml:1:17: ${cty}: no such variable; did you mean city?"]
    assert json.loads(report.read_text("utf-8"))["findings"] == done["findings"]
    assert not (tmp_path / "out").exists()


def test_what_is_vaulted_or_hidden_is_never_written_unless_the_task_shows_it(tmp_path: Path) -> None:
    vault = VaultLib([("default", VaultSecret(b"s3cret"))])
    _write(
        tmp_path,
        {
            "base/instance.yml": SETTINGS,
            "base/locations.yml": "- {name: Hall, city: hunter3}\n",
            "base/persons.yml": vault.encrypt("- {email: ada@example.com, pin: hunter2}\n- {email: b@example.com}\n"),
        },
    )
    refused = _render(tmp_path, "base", secret="s3cret", hide=["city"])
    reason = "and rendered files are in clear text"
    assert refused["findings"] == [
        f"locations.yml:1:22: city: is vaulted or hidden, {reason}; set show_vaulted: true to have it written",
        f"persons.yml: this file is vaulted, {reason}; leave it out of src, or set show_vaulted: true",
    ]
    assert "hunter" not in str(refused)
    assert not (tmp_path / "out").exists()
    assert _render(tmp_path, "base", secret="s3cret", hide=["city"], show_vaulted=True)["changed"]
    assert "hunter2" in (tmp_path / "out/persons.yml").read_text()


def test_attachments_of_layers_are_copied_each_by_its_content(tmp_path: Path) -> None:
    _write(
        tmp_path,
        {
            "base/instance.yml": SETTINGS,
            "base/fields/asset.yml": "- {field_key: manual, label: Manual, type: ATTACHMENT}\n",
            "base/files/a.txt": "base",
            "base/files/odd \u202e.txt": "odd",
            "base/objects.yml": (
                "- {barcode: A, manual: [{path: files/a.txt, name: Read me.txt}]}\n"
                '- {barcode: B, manual: ["files/a.txt", "files/odd \\u202e.txt"]}\n'
                "- {barcode: C, manual: [0f0a7a8c-6d05-4f3b-9a57-1c9f6f3a8b11]}\n"
            ),
            "berlin/files/a.txt": "berlin",
            "berlin/objects.csv": 'barcode,manual\nC,"[""files/a.txt""]"\n',
        },
    )
    done = _render(tmp_path, "base", "berlin")
    assert done["changed"], done
    assert done["requests"] == 0
    tree = _tree(tmp_path / "out")
    desired = load_layers([tmp_path / "out"])
    found = {
        str(entry.fields["barcode"]): entry.fields["manual"] for entry in desired.entries if "manual" in entry.fields
    }
    assert found["A"][0]["name"] == "Read me.txt"
    assert tree[found["A"][0]["path"]] == tree[found["B"][0]] == b"base"
    assert found["B"][1]["name"] == "odd \u202e.txt"
    assert found["B"][1]["path"].endswith("/odd _.txt")
    assert tree[found["C"][0]] == b"berlin"
    assert offline_findings(desired) == []


def test_cells_are_read_where_the_files_report_their_types(tmp_path: Path) -> None:
    _write(
        tmp_path,
        {
            "base/instance.yml": f"{SETTINGS}csv: {{preset: excel-de}}\n",
            "base/fields/asset.yml": (
                "- {field_key: barcode, label: Barcode, type: TEXT}\n- {field_key: price, label: Price, type: MONEY}\n"
                "- {field_key: note, label: Note, type: TEXT}\n- {field_key: day, label: Day, type: DAY}\n"
            ),
            "base/objects.csv": "barcode;Price;note;day\nA;1.299,00;[x];31.05.2031\nB;;1,5;\n",
        },
    )
    done = _render(tmp_path, "base")
    assert done["changed"], done
    assert done["requests"] == 0
    assert _texts(tmp_path / "out")["objects/0001.yml"] == (
        '- barcode: A\n  Price: "1299.00"\n  note: "[x]"\n  day: "2031-05-31"\n- barcode: B\n  note: "1,5"\n'
    )
    (tmp_path / "base/objects.csv").write_text("barcode;Price\nA;12.99,0\n")
    assert "Price: '12.99,0' does not fit" in _render(tmp_path, "base")["msg"]


def test_cells_of_json_are_what_their_types_say(tmp_path: Path) -> None:
    _write(
        tmp_path,
        {
            "base/instance.yml": SETTINGS,
            "base/fields/asset.yml": (
                "- {field_key: barcode, label: Barcode, type: TEXT}\n- {field_key: note, label: Note, type: TEXT}\n"
                "- {field_key: parts, label: Parts, type: LINKED_ASSETS}\n"
            ),
            "base/objects.csv": 'barcode,note,parts\nA,"[""x"", ""y""]","[""1"", ""2""]"\nB,"{""a"": 1}",[7]\n',
        },
    )
    assert _render(tmp_path, "base")["changed"]
    assert yaml.safe_load(_texts(tmp_path / "out")["objects/0001.yml"]) == [
        {"barcode": "A", "note": '["x", "y"]', "parts": ["1", "2"]},
        {"barcode": "B", "note": '{"a": 1}', "parts": [7]},
    ]


def test_days_and_numbers_of_a_playbook_are_written_as_the_files_have_them(tmp_path: Path) -> None:
    record = {
        "barcode": "A",
        "bought": dt.date(2031, 5, 31),
        "seen": dt.datetime.fromisoformat("2031-05-31T09:00"),
        "size": 1.5,
    }
    _write(tmp_path, {"base/instance.yml": SETTINGS})
    done = _render(tmp_path, "base", desired={"objects": [{**record, "count": 2.0, "rest": [True, None, 0]}]})
    assert done["changed"], done
    assert yaml.load(_texts(tmp_path / "out")["objects/0001.yml"], yaml.BaseLoader) == [
        {
            "barcode": "A",
            "bought": "2031-05-31",
            "seen": "2031-05-31T09:00:00",
            "size": "1.5",
            "count": "2",
            "rest": ["true", "null", "0"],
        }
    ]


def test_a_file_that_changes_while_it_is_copied_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _write(
        tmp_path,
        {
            "base/instance.yml": SETTINGS,
            "base/fields/asset.yml": "- {field_key: manual, label: Manual, type: ATTACHMENT}\n",
            "base/files/a.txt": "as it was hashed",
            "base/objects.yml": "- {barcode: A, manual: [files/a.txt]}\n",
        },
    )
    digests = iter(["0" * 64, "1" * 64])
    monkeypatch.setattr(rendering, "digest", lambda _content: next(digests))
    done = _render(tmp_path, "base")
    assert done["msg"].endswith("base/files/a.txt was changed meanwhile; render again")


def test_renames_that_are_vaulted_are_not_written_in_clear(tmp_path: Path) -> None:
    vault = VaultLib([("default", VaultSecret(b"s3cret"))])
    moved = vault.encrypt("locations:\n  - {from: {name: Old}, to: {name: hunter2}}\n")
    _write(
        tmp_path, {"base/instance.yml": SETTINGS, "base/locations.yml": "- name: hunter2\n", "base/moved.yml": moved}
    )
    refused = _render(tmp_path, "base", secret="s3cret")
    reason = "and rendered files are in clear text"
    assert refused["findings"] == [
        f"moved.yml: this file is vaulted, {reason}; leave it out of src, or set show_vaulted: true"
    ]
    assert not (tmp_path / "out").exists()


def test_a_type_that_only_the_instance_knows_needs_a_connection(tmp_path: Path) -> None:
    _write(
        tmp_path,
        {
            "base/instance.yml": f"{SETTINGS}csv: {{preset: excel-de}}\n",
            "base/objects.csv": "barcode;purchasing_price\nA;1.299,00\n",
        },
    )
    done = _render(tmp_path, "base")
    assert done["msg"].startswith("objects.csv:2:")
    assert "only the instance knows the type of this field" in done["msg"]


def test_the_instance_reports_types_and_nothing_is_sent_but_questions(site: Site) -> None:
    files = {
        "base/instance.yml": f"{SETTINGS}csv: {{preset: excel-de}}\n",
        "base/files/a.txt": "manual",
        "base/objects.csv": 'barcode;inventory_name;purchasing_price;documents\nA;Desk;1.299,00;"[""files/a.txt""]"\n',
    }
    _write(site.root, files)
    site.service.clear_log()
    done = _render(site.root, "base", **site.service.options())
    assert done["changed"], done
    assert {line.partition(" ")[0] for line in site.sent() if not line.endswith("/auth_token")} == {"GET"}
    layered, rendered = load_layers([site.root / "base"]), load_layers([site.root / "out"])
    assert _planned(site, rendered) == _planned(site, layered)
    assert site.run(layered).outcome == "changed"
    assert site.plan(desired=load_layers([site.root / "out"])).outcome == "unchanged"


def test_another_instance_is_not_asked(site: Site) -> None:
    files = {
        "base/instance.yml": f"{SETTINGS}instance: https://a.example.com\ncsv: {{preset: excel-de}}\n",
        "base/objects.csv": "barcode;purchasing_price\nA;1.299,00\n",
    }
    _write(site.root, files)
    site.service.clear_log()
    done = _render(site.root, "base", **site.service.options())
    assert "These files are for https://a.example.com" in done["msg"]
    assert site.sent() == []


def _planned(site: Site, desired: DesiredInstance) -> list[Any]:
    """Return the changes of a plan, without their order and places, and with the content of attachments."""
    result = site.plan(desired=desired)
    assert result.outcome in ("changed", "unchanged"), result.findings
    changes = [
        (change["section"], change["key"], change["action"], _by_content(site.root, change["after"]))
        for change in result.changes
    ]
    return sorted(changes, key=str)


def _by_content(root: Path, after: Mapping[str, Any]) -> Any:
    return {
        name: [_content(root, item) for item in value] if name in FILE_FIELDS else value
        for name, value in after.items()
    }


def _content(root: Path, written: Any) -> Any:
    path = written["path"] if isinstance(written, dict) else written
    found = [
        file.read_text() for file in (root / "base" / path, root / "top" / path, root / "out" / path) if file.is_file()
    ]
    return found[0] if found else written


FILE_FIELDS = ("documents", "attachments")


@st.composite
def _layers(draw: st.DrawFn) -> list[State]:
    """Return a state, and a later layer with changes to some of its records, and new records."""
    base, later = draw(states), draw(states)
    chosen = {
        section: {key: row for key, row in rows.items() if draw(st.booleans())} for section, rows in later.items()
    }
    merged = consistent({section: {**base[section], **rows} for section, rows in chosen.items()})
    return [
        base,
        {section: {key: row for key, row in merged[section].items() if key in chosen[section]} for section in chosen},
    ]


@pytest.mark.slow
@settings(
    max_examples=60 if LONG else 4,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
    derandomize=True,
)
@given(layers=_layers(), seed=st.integers(0, 1000))
def test_random_layers_plan_the_same_rendered_and_not(site: Site, layers: Sequence[State], seed: int) -> None:
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory)
        for name, state in zip(("base", "top"), layers, strict=True):
            settings_file = {"instance.yml": f"{SETTINGS}set: random\n"} if name == "base" else {}
            _write(root / name, {**settings_file, **as_files(state, {}, chance)})
        here = Site(root, site.service)
        layered = load_layers([root / "base", root / "top"])
        assert layered.findings == []
        done = _render(root, "base", "top", **site.service.options())
        assert done["changed"], done
        rendered = load_layers([root / "out"])
        assert rendered.findings == []
        assert _planned(here, rendered) == _planned(here, layered)
        assert _render(root, "base", "top", **site.service.options())["changed"] is False
        again = _render(root, "out", dest=str(root / "again"), **site.service.options())
        assert again["changed"], again
        assert _tree(root / "again") == _tree(root / "out")
