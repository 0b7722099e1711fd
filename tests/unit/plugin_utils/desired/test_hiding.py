# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Vaulted values, and values that the task hides: in findings, in plan files, and when a plan file is applied."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from ansible.parsing.dataloader import DataLoader
from ansible.parsing.vault import VaultLib, VaultSecret
from instance_site import Site
from set_actions import run_set

from ansible_collections.community.seventhings.plugins.module_utils.client.redaction import without
from ansible_collections.community.seventhings.plugins.module_utils.errors import (
    ConnectionFailed,
    OutcomeUnknown,
    PermissionMissing,
)
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import OBJECT
from ansible_collections.community.seventhings.plugins.plugin_utils.action import set_run
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.entry import Entry
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.hiding import VAULTED, Hiding
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.nodes import EVERYTHING
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.positions import Finding, Place
from ansible_collections.community.seventhings.plugins.plugin_utils.layers import given

_SECRET = VaultSecret(b"open sesame")
_FIELDS = {"fields/asset.yml": "- label: Pin\n  type: TEXT\n- label: Size\n  type: NUMBER\n"}
_HEAD = "barcode,inventory_name,Pin\n"


def _vaulted(text: str) -> bytes:
    return bytes(VaultLib([("default", _SECRET)]).encrypt(text))


def _provision(
    site: Site, check_mode: bool = False, has_password: bool = True, module: str = "instance", **written: Any
) -> dict[str, Any]:
    loader = DataLoader()
    if has_password:
        loader.set_vault_secrets([("default", _SECRET)])
    task = {
        **site.service.options(),
        "rate_limit": 0,
        **{name: str(value) if isinstance(value, Path) else value for name, value in written.items()},
    }
    return run_set(task, check_mode, loader, module=module)


def _planned(site: Site, **written: Any) -> tuple[Path, dict[str, Any]]:
    """Return a plan file and its content."""
    path = site.root / "acme.plan"
    result = _provision(site, check_mode=True, src=site.root, plan_file=path, **written)
    assert result["outcome"] == "changed", result["msg"]
    return path, json.loads(path.read_text("utf-8"))


# ---- inline values


@pytest.mark.parametrize("hide", [None, [], ["Pin"]])
def test_below_2_19_the_task_says_which_inline_values_are_vaulted(
    site: Site, monkeypatch: pytest.MonkeyPatch, hide: list[str] | None
) -> None:
    monkeypatch.setattr(given, "FORGETS_VAULT", True)
    inline = {"objects": [{"barcode": "100001", "inventory_name": "Laptop", "serial_number": "4711"}]}
    written = {"desired": inline} if hide is None else {"desired": inline, "hide": hide}
    result = _provision(site, check_mode=True, **written)
    if hide is None:
        assert result["msg"].startswith("hide is missing: there is a vault password, and below ansible-core 2.19")
        assert result["requests"] == 0
    else:
        assert result["outcome"] == "changed"
    assert _provision(site, check_mode=True, has_password=False, desired=inline)["outcome"] == "changed"


# ---- plan files


def test_a_plan_file_has_nothing_of_vaulted_values(site: Site) -> None:
    site.write({**_FIELDS, "objects/s.csv": _vaulted(f"{_HEAD}b-77,laptop-77,4711\n")})
    path, plan = _planned(site)
    assert not {"b-77", "laptop-77", "4711"} & set(path.read_text("utf-8").replace('"', " ").split())
    (change,) = [change for change in plan["changes"] if change["section"] == "objects"]
    assert change["key"] == "(vaulted) objects/s.csv:2:1"
    again, other = _planned(site)
    assert (again, other) == (path, plan)


def test_the_digests_of_a_record_with_hidden_values_are_keyed(site: Site) -> None:
    """Two sets with the same record have different digests, and so do two sets of hidden values."""
    digests = set()
    for more in ("", "b-78,laptop-78,1\n", "b-78,laptop-78,2\n"):
        site.write({**_FIELDS, "objects/s.csv": _vaulted(f"{_HEAD}b-77,laptop-77,4711\n{more}")})
        _path, plan = _planned(site)
        change = next(change for change in plan["changes"] if change["section"] == "objects")
        digests |= {change["digest"], change["wanted"]}
    assert len(digests) == 6


def test_a_row_that_counts_the_rows_of_a_vaulted_table_is_not_quoted(site: Site) -> None:
    site.write({**_FIELDS, "objects/s.csv": _vaulted(f"{_HEAD}b-77,laptop-77,4711\n3 rows affected 4711,,\n")})
    message = _provision(site, check_mode=True, src=site.root)["msg"]
    assert "this row counts the rows" in message
    assert "4711" not in message


def test_a_plan_with_vaulted_values_needs_the_password_and_then_does_what_it_says(site: Site) -> None:
    site.write({**_FIELDS, "objects/s.csv": _vaulted(f"{_HEAD}b-77,laptop-77,4711\n")})
    path, _plan = _planned(site)
    locked = _provision(site, plan_file=path, src=site.root, has_password=False)
    assert "objects/s.csv: can't be read: it is vaulted" in locked["msg"]
    assert site.writes() == []
    assert _provision(site, plan_file=path, src=site.root)["outcome"] == "changed"
    assert [record["fields"]["Pin"] for record in site.dump()["objects"]] == ["4711"]
    assert _provision(site, plan_file=path, src=site.root)["outcome"] == "unchanged"


@pytest.mark.parametrize(
    "changed",
    [f"{_HEAD}b-77,laptop-77,4712\n", f"{_HEAD}b-78,laptop-77,4711\n", _HEAD],
)
def test_a_plan_is_refused_where_what_is_vaulted_is_not_as_it_was(site: Site, changed: str) -> None:
    site.write({**_FIELDS, "objects/s.csv": _vaulted(f"{_HEAD}b-77,laptop-77,4711\n")})
    path, _plan = _planned(site)
    site.write({"objects/s.csv": _vaulted(changed)})
    result = _provision(site, plan_file=path, src=site.root)
    assert result["outcome"] == "refused"
    assert result["refusals"][-1].startswith("object (vaulted) objects/s.csv:2:1 ")
    assert site.writes() == []


def test_a_record_that_was_changed_behind_a_plan_with_vaulted_values_is_stale(site: Site) -> None:
    site.write({**_FIELDS, "objects/s.csv": _vaulted(f"{_HEAD}b-77,laptop-77,4711\n")})
    assert _provision(site, src=site.root)["outcome"] == "changed"
    site.write({"objects/s.csv": _vaulted(f"{_HEAD}b-77,laptop-77,4712\n")})
    path, _plan = _planned(site)
    other = {"objects": [{"barcode": "b-77", "inventory_name": "somebody else's"}]}
    assert _provision(site, desired=other)["outcome"] == "changed"
    result = _provision(site, plan_file=path, src=site.root)
    assert result["outcome"] == "refused"
    assert result["refusals"][0].startswith("object (vaulted) objects/s.csv:2:1 was changed in the instance since")


def test_a_new_plan_replaces_a_plan_with_vaulted_values(site: Site) -> None:
    site.write({**_FIELDS, "objects/s.csv": _vaulted(f"{_HEAD}b-77,laptop-77,4711\n")})
    path, _plan = _planned(site)
    site.write({"objects/s.csv": _vaulted("barcode\nb,c\n")})
    assert _provision(site, check_mode=True, src=site.root, plan_file=path)["outcome"] == "failed"
    assert not path.exists()


def test_journal_and_plan_file_hold_nothing_hidden_though_the_task_shows_it(site: Site) -> None:
    site.write({**_FIELDS, "objects/s.csv": _vaulted(f"{_HEAD}b-77,laptop-77,4711\n")})
    path, plan = _planned(site, show_vaulted=True)
    (change,) = [change for change in plan["changes"] if change["section"] == "objects"]
    assert change["key"] == "(vaulted) objects/s.csv:2:1"
    journal = site.root / "kept"
    result = _provision(site, plan_file=path, src=site.root, journal=journal, show_vaulted=True)
    assert result["changes"][-1]["key"] == "b-77"
    assert result["changes"][-1]["after"]["Pin"] == "4711"
    assert "b-77" not in "".join(path.read_text("utf-8") for path in journal.rglob("*") if path.is_file())


_ENDINGS = {
    "yml": "[{{Pin: '{0}', barcode: b-1}}, {{barcode: b-2, Size: 1}}, {{barcode: b-2, inventory_name: x, Size: 3}}]",
    "csv": "Pin,barcode,inventory_name,Size\n{0},b-1,,\n{0},b-2,,1\n{0},b-2,x,3\n",
    "jsonl": '{{"Pin": "{0}", "barcode": "b-1"}}\n{{"Pin": "{0}", "barcode": "b-1", "Size": 3}}\n',
}


@pytest.mark.parametrize("ending", list(_ENDINGS))
def test_no_place_in_a_vaulted_file_depends_on_the_length_of_a_text(site: Site, ending: str) -> None:
    """Several records may share a line. Findings name the places of two records."""
    shown = []
    for pin in ("4711", "4711" * 7):
        site.write({**_FIELDS, f"objects.{ending}": _vaulted(_ENDINGS[ending].format(pin))})
        results = [
            _provision(site, check_mode=True, src=site.root, module=module)
            for module in ("instance_validate", "instance")
        ]
        shown.append([(result["findings"], result["msg"].rpartition(" s: ")[2]) for result in results])
    assert shown[0] == shown[1]
    assert all(findings for findings, _message in shown[0])


def test_records_on_one_line_of_a_vaulted_file_keep_their_own_keys(site: Site) -> None:
    journal = site.root.parent / "journal"
    for pin in ("4711", "47114711"):
        records = ", ".join(f"{{Pin: '{pin}', barcode: b-{n}, inventory_name: x}}" for n in range(3))
        site.write({**_FIELDS, "objects.yml": _vaulted(f"[{records}]")})
        result = _provision(site, src=site.root, journal=str(journal))
        keys = [change["key"] for change in result["changes"] if change["section"] == "objects"]
        assert keys == [f"(vaulted) objects.yml:1:{n}" for n in (1, 2, 3)]
    assert _provision(site, src=site.root, journal=str(journal))["outcome"] == "unchanged"


# ---- hide


def test_what_a_task_hides_by_its_label_is_hidden_by_its_key_too(site: Site) -> None:
    site.write({**_FIELDS, "objects.yml": "- {barcode: 'zq-1', inventory_name: Desk, Pin: '4711', Size: 1}\n"})
    assert _provision(site, src=site.root)["outcome"] == "changed"
    by_label = {field.label: field.key for field in site.client().schema(OBJECT).fields.values()}
    key, size = by_label["Pin"], by_label["Size"]
    site.write({"objects.yml": f"- {{barcode: 'zq-1', {key}: '4712', Size: 2}}\n"})
    (change,) = _provision(site, check_mode=True, src=site.root, hide=["Pin"])["changes"]
    assert change["before"] == {key: "(vaulted)", size: 1}
    assert change["after"] == {key: "(vaulted)", size: 2}


def test_what_one_record_hides_is_hidden_in_each_removal_unless_it_was_applied_from_plain_files(site: Site) -> None:
    site.write({"objects/a.yml": '- {barcode: "1", inventory_name: Lamp, purchasing_price: 849.9}\n'})
    assert _provision(site, src=site.root)["outcome"] == "changed"
    hidden = _vaulted('- {barcode: "2", inventory_name: Desk, purchasing_price: 1.5}\n')
    site.write({"objects/a.yml": '- {barcode: "1", _state: absent}\n', "objects/b.yml": hidden})
    options: dict[str, Any] = {"src": site.root, "limits": {"delete_percent": 100}}
    result = _provision(site, check_mode=True, **options)
    removed = next(change["removed"] for change in result["changes"] if change["action"] == "delete")
    assert removed["value"] == "849.90"
    result = _provision(site, check_mode=True, journal=str(site.root.parent / "journal"), **options)
    removed = next(change["removed"] for change in result["changes"] if change["action"] == "delete")
    assert removed["value"] == VAULTED
    assert "849.9" not in json.dumps(result, default=str)


def test_a_natural_key_that_is_hidden_is_shown_nowhere(site: Site) -> None:
    site.write({"objects.yml": "- {barcode: 'zq-1', inventory_name: Desk}\n- {barcode: 'zq-2', inventory_name: x}\n"})
    assert _provision(site, src=site.root)["outcome"] == "changed"
    site.write({"objects.yml": "- {barcode: 'zq-1', inventory_name: Chair}\n"})
    result = _provision(site, check_mode=True, src=site.root, hide=["barcode"])
    assert result["changes"][0]["key"] == "(vaulted) objects.yml:1:3"
    assert result["changes"][0]["after"] == {"inventory_name": "Chair"}
    assert "zq-1" not in json.dumps(result)
    assert "zq-2" not in json.dumps(result)
    pruned = _provision(site, check_mode=True, src=site.root, hide=["barcode"], prune={"objects": "delete"})
    assert "zq-2" not in json.dumps(pruned)


def test_only_and_exclude_take_natural_keys_that_are_hidden(site: Site) -> None:
    site.write({"objects.csv": _vaulted("barcode,inventory_name\nb-77,a\nb-78,b\n")})
    result = _provision(site, check_mode=True, src=site.root, only=["b-78"])
    assert [change["key"] for change in result["changes"]] == ["(vaulted) objects.csv:3:1"]


def test_findings_about_other_fields_are_reported_where_a_field_is_hidden(site: Site) -> None:
    lines = (
        "- barcode: zq-1\n  inventory_name: Desk\n  Pin: [4711]\n  Size: big\n"
        "- barcode: b-2\n  Pin: '4711'\n- barcode: b-3\n  Size: bigger\n"
    )
    site.write({**_FIELDS, "objects.yml": lines})
    for module in ("instance_validate", "instance"):
        result = _provision(site, check_mode=True, src=site.root, hide=["Pin"], module=module)
        findings = "\n".join(result["findings"])
        assert "objects.yml:4:9: Size: 'big' does not fit" in findings
        assert "objects.yml:8:9: Size: 'bigger' does not fit" in findings
        assert "objects.yml:3:8: (vaulted): this value does not fit its field" in findings
        assert "4711" not in findings


# ---- what steers everything


@pytest.mark.parametrize("name", ["instance.yml", "fields/asset.yml"])
def test_settings_and_field_definitions_can_not_be_vaulted(site: Site, name: str) -> None:
    site.write({name: _vaulted("hunter2: x\n"), "objects.yml": "- {barcode: '1', inventory_name: a}\n"})
    result = _provision(site, check_mode=True, src=site.root)
    assert [finding.partition(";")[0] for finding in result["findings"]] == [
        f"{name}: settings and field definitions can't be vaulted: they appear in plans, messages and journals"
    ]


# ---- messages


def test_a_mistake_of_this_collection_quotes_nothing_vaulted(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    site.write({"objects.csv": _vaulted("barcode\nhunter2\n")})

    def broken(*_args: Any) -> None:
        raise KeyError("hunter2")

    monkeypatch.setattr(set_run, "run_instance", broken)
    result = _provision(site, src=site.root)
    assert result["failed"]
    assert result["msg"].startswith("KeyError. (vaulted): ")
    with pytest.raises(KeyError):
        _provision(site, src=site.root, show_vaulted=True)


def test_hidden_texts_are_masked_in_the_spellings_of_urls_pages_and_json() -> None:
    entry = Entry(OBJECT, {"Pin": 'a/b "ä" <x>', "Size": 5}, Place("x.csv", 2, 1), vaulted=EVERYTHING)
    texts = Hiding(files={"x.csv"}).texts([entry])
    message = 'a/b "ä" <x> | a%2Fb%20%22%C3%A4%22%20%3Cx%3E | a/b &quot;ä&quot; &lt;x&gt; | a/b \\"\\u00e4\\" <x> | 5'
    assert without(texts, message, VAULTED) == "(vaulted) | (vaulted) | (vaulted) | (vaulted) | 5"
    assert Hiding(show=True, files={"x.csv"}).texts([entry]) == set()


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (
            OutcomeUnknown("POST /objects with hunter2: nothing came back"),
            "It is not known whether it was carried out.",
        ),
        (ConnectionFailed("no route to hunter2"), "It failed."),
        (ValueError("hunter2"), "It failed."),
        (PermissionMissing(403, "not with hunter2", "POST /objects"), "HTTP 403, the signed-in user is not permitted"),
    ],
)
def test_a_failure_of_a_record_with_vaulted_values_is_reported_in_words_of_ours(
    error: Exception, expected: str
) -> None:
    vaulted = Entry(OBJECT, {"pin": "hunter2"}, Place("x.csv", 2, 1), vaulted=EVERYTHING)
    found = Hiding(files={"x.csv"}).reason(vaulted, error)
    assert found.startswith(expected)
    assert "hunter2" not in found
    assert "hunter2" in Hiding(files={"x.csv"}).reason(Entry(OBJECT, {"pin": "1"}, Place("y.csv", 2, 1)), error)


def test_a_finding_reports_its_gist_where_the_rest_would_quote_what_is_vaulted() -> None:
    hiding = Hiding(files={"x.csv"})
    place = Place("x.csv", 2, 1)
    findings = [
        Finding(place, "x: no such field", "no such field"),
        Finding(place, "hunter2"),
        Finding.plain(place, "expected 2 cells"),
        Finding(Place("y.csv", 1, 1), "y: no such field", "no such field"),
    ]
    assert [f"{place}: {message}" for place, message in hiding.shown(findings, [])] == [
        "x.csv:2: (vaulted): no such field; show_vaulted: true on the task shows more",
        "x.csv:2: (vaulted): what is wrong may quote what is vaulted; show_vaulted: true on the task shows it",
        "x.csv:2: expected 2 cells",
        "y.csv:1:1: y: no such field",
    ]
