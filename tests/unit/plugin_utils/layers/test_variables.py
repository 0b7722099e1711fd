# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Variables in files: where they are replaced, their types, and every mistake with its place."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.community.seventhings.plugins.module_utils.model.field import Plain
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.desired import DesiredInstance
from ansible_collections.community.seventhings.plugins.plugin_utils.layers import variables
from ansible_collections.community.seventhings.plugins.plugin_utils.layers.layers import load_layers
from ansible_collections.community.seventhings.plugins.plugin_utils.layers.variables import escaped

DECLARED = """api: seventhings/v1
variables:
  city: {type: string, default: Bonn, description: Where it is}
  floor: {type: integer, default: 3}
  rent: {type: number, default: 1.50}
  open: {type: boolean}
"""


def _load(
    root: Path,
    files: Mapping[str, str],
    given: Mapping[str, Any] | None = None,
    layers: tuple[str, ...] = ("",),
    inline: Mapping[str, Any] | None = None,
) -> DesiredInstance:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return load_layers([root / layer for layer in layers], inline, variables=given or {})


def _loaded(root: Path, text: str, given: Mapping[str, Any] | None = None, settings: str = DECLARED) -> DesiredInstance:
    return _load(root, {"instance.yml": settings, "objects.yml": text}, given)


def _findings(desired: DesiredInstance) -> list[str]:
    return list(map(str, desired.findings))


def test_a_value_that_is_only_a_variable_keeps_its_type(tmp_path: Path) -> None:
    text = "- {barcode: A, c: '${city}', f: '${floor}', r: '${rent}', o: '${open}', l: ['${floor}', x]}\n"
    (entry,) = _loaded(tmp_path, text, {"open": True, "floor": 4}).entries
    assert entry.fields == {"barcode": "A", "c": "Bonn", "f": 4, "r": "1.50", "o": True, "l": [4, "x"]}
    assert isinstance(entry.fields["r"], Plain)
    assert entry.fields["f"].__class__ is int


def test_variables_stand_inside_of_texts_and_a_dollar_is_escaped(tmp_path: Path) -> None:
    text = "- {barcode: 'x-${city}-${floor}-${open}', note: 'US${$}5 ${$}{city} $city $5'}\n"
    (entry,) = _loaded(tmp_path, text, {"open": False}).entries
    assert entry.fields == {"barcode": "x-Bonn-3-false", "note": "US$5 ${city} $city $5"}


def test_the_value_of_a_variable_is_filled_in_once_and_adds_no_structure(tmp_path: Path) -> None:
    files = {"instance.yml": DECLARED, "objects.csv": 'barcode,list\nA,"[""${city}""]"\n'}
    desired = _load(tmp_path, files, {"city": '"], ["${floor}'})
    assert desired.entries[0].fields["list"] == ['"], ["${floor}']
    assert desired.entries[0].fields["list"].text == '[""], ["${floor}"]'


def test_the_size_of_replaced_variables_is_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise a file of some KiB could fill the memory."""
    settings = "api: seventhings/v1\nvariables: {a: {default: '0123456789'}, b: {default: x}}\n"
    text = "".join(f"- {{barcode: '{number}', name: '${{a}} ${{b}}'}}\n" for number in range(20))
    assert not _loaded(tmp_path, text, settings=settings).findings
    monkeypatch.setattr(variables, "MOST_FILLED", 100)
    desired = _loaded(tmp_path, text, settings=settings)
    words = "variables are replaced by more than 0 MiB in all values; write less into them, or use them less"
    assert _findings(desired) == [f"objects.yml:10:24: ${{{name}}}: {words}" for name in "ab"]
    assert sum(len(entry.fields["name"]) for entry in desired.entries) < 400


def test_a_thousand_variables_may_be_declared(tmp_path: Path) -> None:
    declared = "".join(f"  a{number}:\n" for number in range(1001))
    settings = f"api: seventhings/v1\nvariables:\n{declared}"
    (finding,) = _findings(_loaded(tmp_path, "- {barcode: x}\n", settings=settings))
    assert finding.startswith("instance.yml:3:3: variables: expected a map such as {city: {type: string | integer")
    assert finding.endswith(", with at most 1,000 variables")


def test_keys_stay_as_they_are(tmp_path: Path) -> None:
    (entry,) = _loaded(tmp_path, "- {barcode: A, '${city}': x}\n").entries
    assert entry.fields["${city}"] == "x"


def test_settings_renames_short_records_and_json_lines_are_filled_in(tmp_path: Path) -> None:
    desired = _load(
        tmp_path,
        {
            "instance.yml": (
                f"{DECLARED}instance: 'https://${{city}}.example.com'\nscope: {{objects: {{f: ['${{floor}}']}}}}\n"
            ),
            "moved.yml": "objects: [{from: {barcode: A}, to: {barcode: '${city}'}}]\n",
            "users.yml": "- '${city}@example.com'\n",
            "objects.jsonl": '{"barcode": "${city}", "deep": {"a": ["${floor}"]}}\n',
        },
        {"city": "berlin"},
    )
    assert desired.findings == []
    assert desired.instances == ["https://berlin.example.com"]
    assert desired.scope == {"objects": {"f": [3]}}
    assert desired.moved["objects"] == [({"barcode": "A"}, {"barcode": "berlin"})]
    found = {entry.kind.section: entry.fields for entry in desired.entries}
    assert found["users"] == {"email": "berlin@example.com"}
    assert found["objects"] == {"barcode": "berlin", "deep": {"a": [3]}}


def test_one_file_and_its_places_work_the_same(tmp_path: Path) -> None:
    text = (
        "objects:\n  - barcode: '${city}'\n    deep: [x, '${nowhere}']\n"
        "instance: {api: seventhings/v1, variables: {city: {default: Bonn}}}\n"
    )
    desired = _load(tmp_path, {"acme.yml": text}, layers=("acme.yml",))
    assert desired.entries[0].fields["barcode"] == "Bonn"
    assert str(desired.entries[0].place_in(("deep", 1))) == "acme.yml:3:15"
    assert _findings(desired) == ["acme.yml:3:15: ${nowhere}: no such variable; expected one of city"]


def test_without_declarations_a_dollar_and_a_brace_mean_themselves(tmp_path: Path) -> None:
    desired = _loaded(tmp_path, "- {barcode: '${city}${$}'}\n", {"city": "Bonn"}, "api: seventhings/v1\n")
    assert desired.entries[0].fields["barcode"] == "${city}${$}"
    assert desired.warnings == ["variables.city: instance.yml declares no such variable"]


def test_what_is_inline_is_not_filled_in(tmp_path: Path) -> None:
    files = {"instance.yml": DECLARED, "objects.yml": "- {barcode: '${city}'}\n"}
    desired = _load(tmp_path, files, inline={"locations": [{"name": "${city}"}]})
    assert [next(iter(entry.fields.values())) for entry in desired.entries] == ["Bonn", "${city}"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("- barcode: ${ctiy}\n", "objects.yml:1:12: ${ctiy}: no such variable; did you mean city?"),
        ("- barcode: x${open}\n", "objects.yml:1:12: ${open}: has no value; give it in variables of the task, or a"),
        ("- barcode: x${city\n", "objects.yml:1:12: ${: expected the name of a variable in braces; ${$} is a dollar"),
        ("- barcode: x${a b}\n", "objects.yml:1:12: ${a b}: expected the name of a variable in braces"),
        ("- {barcode: A, deep: {x: [1, '${no}']}}\n", "objects.yml:1:30: ${no}: no such variable"),
    ],
)
def test_an_invalid_use_is_found_with_its_place(tmp_path: Path, text: str, found: str) -> None:
    (finding,) = _findings(_loaded(tmp_path, text))
    assert finding.startswith(found)


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ({"city": 5}, "variables.city: expected a text, quoted where needed, as instance.yml:3:9 declares it"),
        (
            {"floor": "5"},
            "variables.floor: expected an integer, as instance.yml:4:10 declares it",
        ),
        ({"floor": True}, "variables.floor: expected an integer"),
        ({"floor": 1.5}, "variables.floor: expected an integer"),
        ({"rent": "much"}, "variables.rent: expected a number"),
        ({"rent": float("nan")}, "variables.rent: expected a number"),
        (
            {"open": "yes"},
            "variables.open: expected true or false, as instance.yml:6:9 declares it",
        ),
        ({"city": ["Bonn"]}, "variables.city: expected a text"),
    ],
)
def test_a_value_of_another_type_is_found(tmp_path: Path, given: dict[str, Any], found: str) -> None:
    name = next(iter(given))
    (finding,) = _findings(_loaded(tmp_path, f"- barcode: ${{{name}}}\n", given))
    assert finding.startswith(found)


@pytest.mark.parametrize(
    ("declared", "found"),
    [
        ("variables: [city]", "instance.yml:2:12: variables: expected a map such as"),
        ("variables: {a b: {}}", "instance.yml:2:18: variables.a b: expected a name"),
        (
            "variables: {city: Bonn}",
            "instance.yml:2:19: variables.city: expected a map with type, description, default",
        ),
        (
            "variables: {city: {typ: string}}",
            "instance.yml:2:25: variables.city.typ: no such setting; did you mean type?",
        ),
        ("variables: {city: {type: text}}", "instance.yml:2:26: variables.city.type: 'text' does not fit"),
        ("variables: {n: {type: integer, default: x}}", "instance.yml:2:41: variables.n.default: 'x' does not fit"),
        ("variables: {n: {default: 5}}", "instance.yml:2:26: variables.n.default: 5 does not fit; expected a text"),
        (
            "variables: {n: {type: boolean, default: 1}}",
            "instance.yml:2:41: variables.n.default: 1 does not fit; expected true",
        ),
    ],
)
def test_a_declaration_that_is_wrong_is_found(tmp_path: Path, declared: str, found: str) -> None:
    (finding,) = _findings(_loaded(tmp_path, "- barcode: A\n", settings=f"api: seventhings/v1\n{declared}\n"))
    assert finding.startswith(found)


def test_what_is_not_used_is_a_warning(tmp_path: Path) -> None:
    desired = _loaded(tmp_path, "- barcode: ${city}${floor}${rent}\n", {"ctiy": "x"})
    assert desired.findings == []
    assert desired.warnings == [
        "instance.yml:6:9: the variable open is not used",
        "variables.ctiy: instance.yml declares no such variable",
    ]


def test_a_vaulted_value_is_refused_and_never_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(variables, "was_vaulted", lambda value: value == "hunter2")
    desired = _loaded(tmp_path, "- barcode: ${city}\n", {"city": "hunter2"})
    assert _findings(desired) == ["variables.city: is vaulted; write vaulted values in files or in desired"]
    assert desired.entries[0].fields["barcode"] == "${city}"


def test_a_later_layer_gives_defaults_and_declares_nothing(tmp_path: Path) -> None:
    files = {
        "base/instance.yml": DECLARED,
        "base/objects.yml": "- {barcode: '${city}'}\n",
        "berlin/instance.yml": "api: seventhings/v1\nvariables: {city: {default: Berlin}, open: {default: true}}\n",
        "berlin/objects.yml": "- {barcode: '${city}', open: '${open}', n: '${floor}${rent}'}\n",
    }
    desired = _load(tmp_path, files, layers=("base", "berlin"))
    assert (desired.findings, desired.warnings) == ([], [])
    assert [entry.fields for entry in desired.entries] == [{"barcode": "Berlin", "open": True, "n": "31.50"}]
    files["berlin/instance.yml"] = "api: seventhings/v1\nvariables: {street: {}, floor: {type: number}}\n"
    assert _findings(_load(tmp_path, files, {"open": True}, layers=("base", "berlin"))) == [
        "berlin/instance.yml:2:21: variables.street: the first layer declares the variables, and not this one",
        "berlin/instance.yml:2:32: variables.floor: base/instance.yml:4:10 declares it as integer",
    ]


def test_a_text_is_escaped_so_that_it_is_read_as_itself(tmp_path: Path) -> None:
    text = "${city} ${$} $"
    record = escaped({"barcode": text, "list": [text], "n": Plain("5"), "none": None})
    lines = f"- {{barcode: '{record['barcode']}', list: ['{record['list'][0]}']}}\n"
    (entry,) = _loaded(tmp_path, lines).entries
    assert entry.fields == {"barcode": text, "list": [text]}
    assert (record["n"], record["none"]) == ("5", None)
