# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Texts of the service in events: Ansible gets each as it is, and runs nothing of it."""

from __future__ import annotations

import datetime as dt
import json
import math
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import playbook
import pytest
import yaml
from ansible.parsing.dataloader import DataLoader
from ansible.template import Templar, trust_as_template
from hypothesis import example, given
from hypothesis import strategies as st
from jinja2 import Environment, nodes
from jinja2.nativetypes import NativeEnvironment

from ansible_collections.community.seventhings.plugins.plugin_utils.watch.inert import as_literal, could_run, inert

PLAIN = [
    "open", "Laptop Ada", "2031-05-31", "5ad6a0ae-6d05-4f3b-9a57-1c9f6f3a8b11", "12.50", "A (old)", "Regal [3]",
    "Is it here?", "david@nordhain.example", "Head office/1.11", "", "C:\\Temp", '24" screen', "(1 + 2)", "1_0",
    "x" * 500, "https://acme.example/a?b=(c)", "50% of it", "80*60*40", "1 * 2.5",
    "30% off", "12", "-1", "1e5", "None", "True", "{x}", "'a", "- 1 x", "$5",
]  # fmt: skip
RUNS = [
    "{{ lookup('pipe', 'id') }}", "{% set a = 1 %}", "{# gone #}", "lookup('pipe', 'id')", "a.b", "range(9)|list",
    "x is defined", "a.b.c is d", "secret[lookup('pipe', 'id')]", "dict (a)",
    "#jinja2: variable_start_string:'[['\n[[ lookup('pipe', 'id') ]]",
    "secret['key']", "9**9**9**9", "'a' * 9**9", "text * 99999999", "'%999999999d' % 1",
    "(" * 1500, "f(" + "x" * 5000, "$ANSIBLE_VAULT;1.1;AES256\n31", "1 if a else b", "'a'.upper()",
    "1.0" + "+1" * 990, "b {", "jinja2:variable_start_string:'[['\n[[ 1 ]]",
]  # fmt: skip
LITERALS = [
    r"'\x7b\x7b lookup(1) \x7d\x7d'", "'{' '{ lookup(1) }}'", "# x\n'a'", "(1,)", "[1]", "...", "b'a'", "1j", "{[]}",
    "{}", "1e999", "0x" + "f" * 490, "-" * 3000 + "1", "{'a': 1}", r"\x7b\x7b 1 }}",
]  # fmt: skip
"""What Python reads as something else than a text or a plain number."""


@pytest.mark.parametrize("text", PLAIN, ids=lambda text: text[:20])
def test_a_text_that_runs_nothing_stands_as_it_is(text: str) -> None:
    assert inert(text) == text


@pytest.mark.parametrize("text", RUNS, ids=lambda text: text[:20])
def test_a_text_that_could_run_becomes_a_template_that_gives_it(text: str) -> None:
    assert could_run(text)
    assert inert(text) != text


@pytest.mark.parametrize("text", [*LITERALS, *RUNS], ids=lambda text: text[:20])
@pytest.mark.parametrize("around", ["{}", "'{}'", "['{}']", "Ask for {}"])
def test_a_rulebook_that_takes_a_text_out_of_the_event_gets_its_template(text: str, around: str) -> None:
    """As ansible-rulebook renders an argument of an action."""
    assert could_run(text)
    template: Any = NativeEnvironment().from_string(around.format("{{ text }}")).render(text=inert(text))
    assert "$ANSIBLE_VAULT" not in str(template)
    (got,) = template if isinstance(template, list) else [template]
    rendered = Templar(DataLoader(), {}).template(trust_as_template(got))
    assert rendered in (text, around.format(text), around.strip("[]").format(text))


@given(st.text(st.sampled_from("'\"{}[](),.\\x7b1e-_ #%") | st.characters(), max_size=12))
def test_a_text_that_stands_as_it_is_stays_one_in_a_rulebook(text: str) -> None:
    stands = inert(text)
    got: Any = NativeEnvironment().from_string("{{ text }}").render(text=stands)
    assert got is None or isinstance(got, (bool, int, float)) or got == stands
    json.dumps(got, allow_nan=False)


@given(st.text(st.sampled_from("\\\"'\r\n{}%# ~a1\u2028\u00e4\ud800") | st.characters(), max_size=30))
@example("\\\"' ~ lookup('pipe', 'id') }}{{ 1 }}")
@example('\\"{{ 1 }}')
@example("\\")
@example("\r\n")
def test_the_template_gives_the_text_and_has_no_other_part(text: str) -> None:
    """By Jinja, and as Ansible renders it, to which a backslash means itself."""
    template = as_literal(text)
    assert Environment(keep_trailing_newline=True).from_string(template).render() == text
    assert Templar(DataLoader(), {}).template(trust_as_template(template)) == text
    (output,) = Environment().parse(template).body
    assert isinstance(output, nodes.Output)
    assert {type(node) for node in output.find_all(nodes.Node)} <= {nodes.Concat, nodes.Filter, nodes.Const, nodes.Mod}


@pytest.mark.parametrize("text", [*LITERALS, *RUNS], ids=lambda text: text[:20])
@pytest.mark.parametrize("record", [lambda text: {text: "x"}, lambda text: {"made_by": [{text: {"y": text}}]}])
def test_a_rulebook_that_puts_a_whole_record_into_a_text_runs_none_of_its_names(
    text: str, record: Callable[[str], Any]
) -> None:
    got = NativeEnvironment().from_string("Changed: {{ record }}").render(record=inert(record(text)))
    rendered: Any = Templar(DataLoader(), {}).template(trust_as_template(got))
    # Python writes the map with escapes.
    shown = text.replace("\n", "n").replace("\\", "")
    assert rendered.replace("\\", "").count(shown) == str(record("\0")).count("x00")


@pytest.mark.parametrize("number", [math.inf, -math.inf, math.nan, Decimal("1e999"), Decimal("Infinity")])
def test_a_number_that_no_json_holds_is_a_text(number: Any) -> None:
    """Else ansible-rulebook would give the record that it is in to a playbook as one text."""
    assert inert([number]) == [str(number)]


def test_values_are_plain_json() -> None:
    class Text(str):
        """A text with more to it."""

    given_values: dict[Any, Any] = {
        Text("name"): Text("a"), "n": Decimal("1.5"), "d": dt.date(2031, 5, 31), "l": ({"x": None}, True, 3),
    }  # fmt: skip
    plain = inert(given_values)
    assert plain == {"name": "a", "n": 1.5, "d": "2031-05-31", "l": [{"x": None}, True, 3]}
    assert {type(one) for one in (*plain, plain["name"])} == {str}


@pytest.mark.slow
def test_ansible_gets_each_text_as_an_extra_variable_and_runs_none(tmp_path: Path) -> None:
    hacked = tmp_path / "hacked"
    attack = f"lookup('pipe', 'touch {hacked}')"
    texts = [
        attack,
        "{{ " + attack + " }}",
        '{{ "' + attack + '" }}',
        "\\{{ " + attack + " }}",
        "\\\"' ~ " + attack + " }}{{ 1 }}",
        *RUNS[:8],
        *PLAIN[:17],
    ]
    tasks: list[dict[str, Any]] = [
        {"name": "as it is", "ansible.builtin.set_fact": {"given": "{{ ansible_eda.event.texts }}"}},
        {"name": "as a variable", "ansible.builtin.debug": {"var": "{{ ansible_eda.event.texts[0] }}"}},
        {"name": "as a condition", "ansible.builtin.assert": {"that": "{{ ansible_eda.event.texts[0] }}"}},
    ]
    for task in tasks[1:]:
        task["ignore_errors"] = True
    play = [{"hosts": "localhost", "gather_facts": False, "tasks": tasks}]
    extra = tmp_path / "extra.yml"
    extra.write_text(yaml.safe_dump({"ansible_eda": {"event": {"texts": inert(texts)}}}), "utf-8")
    run = playbook.run(tmp_path, play, "-e", f"@{extra}")
    assert run.named("as it is")["ansible_facts"]["given"] == texts
    assert not hacked.exists()
