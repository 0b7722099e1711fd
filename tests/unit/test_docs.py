# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""README and documentation site agree with the code."""

from __future__ import annotations

import re

import guides
import pytest
import switch_table
import yaml

SNIPPETS = [snippet for guide in guides.GUIDES for snippet in guides.snippets(guide)]
KNOWN = ("shell", "text", "yaml")


def test_the_page_of_the_switches_is_up_to_date() -> None:
    assert switch_table.PAGE.read_text(encoding="utf-8") == switch_table.page(), "run tests/tools/switch_table.py"


def test_every_guide_is_in_the_table_of_contents() -> None:
    contents = yaml.safe_load((switch_table.PAGE.parents[1] / "extra-docs.yml").read_text(encoding="utf-8"))
    listed = {name for section in contents["sections"] for name in section["toctree"]}
    assert listed == {page.stem for page in switch_table.PAGE.parent.glob("*.rst")}


def test_the_readme_names_every_module_and_nothing_else() -> None:
    table = guides.README.read_text(encoding="utf-8").partition("## What is there")[2].partition("Besides:")[0]
    modules = {path.stem for path in (guides.README.parent / "plugins" / "modules").glob("*.py")}
    assert set(re.findall(r"`(\w+)`", table)) == modules


@pytest.mark.parametrize("snippet", [one for one in SNIPPETS if one.language == "yaml"], ids=str)
def test_a_yaml_snippet_parses(snippet: guides.Snippet) -> None:
    assert yaml.safe_load(snippet.text)


@pytest.mark.parametrize("snippet", SNIPPETS, ids=str)
def test_a_snippet_is_in_a_language_that_the_tests_know(snippet: guides.Snippet) -> None:
    assert snippet.language in KNOWN
    verb = snippet.mark.partition(" ")[0]
    assert verb in ("", "file") or snippet.language == ("text" if verb == "shows" else "yaml")
