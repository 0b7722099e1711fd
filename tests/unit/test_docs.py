# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""README and documentation site agree with the code."""

from __future__ import annotations

import re
import subprocess
from itertools import chain

import generated
import guides
import pytest
import yaml
from copied_examples import all_tasks
from documentation import block
from jinja2 import Environment, nodes
from project import ROOT, environment

from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import KINDS
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.desired import SECTIONS

SNIPPETS = [snippet for guide in guides.GUIDES for snippet in guides.snippets(guide)]
_GUIDES = guides.README.parent / "docs" / "docsite" / "rst"
KNOWN = ("make", "shell", "text", "yaml")


def test_what_is_generated_is_up_to_date() -> None:
    assert generated.outdated() == [], "run make generate"


def test_every_list_is_in_a_document() -> None:
    assert generated.names() == set(generated.LISTS)


def test_the_guide_reports_of_every_section_with_what_its_records_are_found_by() -> None:
    text = (_GUIDES / "guide_files.rst").read_text(encoding="utf-8")
    table = text.partition("Which files there are")[2].partition("The settings")[0]
    rows = dict(re.findall(r"\* - ``(\w+)(?:/\w+)?\.yml``.*\n +- (.*)", table))
    rows_of_sections = {section: row for section, row in rows.items() if section not in ("instance", "moved")}
    assert list(rows_of_sections) == list(SECTIONS)
    for section, row in rows_of_sections.items():
        kind = KINDS[SECTIONS[section]]
        keys = kind.written_key or kind.match_on[0]
        assert set(keys) <= set(re.findall(r"``(\w+)``", row)) or kind.short_key, row


def test_every_guide_is_in_the_table_of_contents() -> None:
    contents = yaml.safe_load((_GUIDES.parent / "extra-docs.yml").read_text(encoding="utf-8"))
    listed = {name for section in contents["sections"] for name in section["toctree"]}
    assert listed == {page.stem for page in _GUIDES.glob("*.rst")}


def test_a_guide_that_a_document_names_exists() -> None:
    titles = {re.findall(r"^(.+)\n=+$", page.read_text("utf-8"), re.MULTILINE)[0] for page in _GUIDES.glob("*.rst")}
    pages = (page for part in ("docs", "examples") for page in (guides.README.parent / part).rglob("*.md"))
    found = (re.findall(r"guide \*([^*]+)\*", page.read_text("utf-8")) for page in [guides.README, *pages])
    named = {" ".join(name.split()) for names in found for name in names}
    assert "Events" in named
    assert named - titles == set()


def test_the_readme_names_every_module_and_nothing_else() -> None:
    text = guides.README.read_text(encoding="utf-8")
    table = text.partition("## Modules and plugins")[2].partition("The collection also")[0]
    modules = {path.stem for path in (guides.README.parent / "plugins" / "modules").glob("*.py")}
    assert set(re.findall(r"`(\w+)`", table)) == modules


@pytest.mark.slow
def test_the_documentation_of_a_module_is_short() -> None:
    """The most lines that ``ansible-doc`` shows at 80 columns, and the most before the examples."""
    most = dict.fromkeys(("object", "room", "location", "person", "user_from_person"), (320, 210))
    most |= {"instance": (650, 400)}
    modules = sorted(path.stem for path in (guides.README.parent / "plugins" / "modules").glob("*.py"))
    command = ["ansible-doc", "--type", "module", *(f"community.seventhings.{name}" for name in modules)]
    shown = subprocess.run(command, env=environment(COLUMNS="80"), capture_output=True, text=True, check=True).stdout
    pages = [page.splitlines() for page in shown.split("> MODULE community.seventhings.")[1:]]
    sizes = {page[0].split()[0]: (len(page), 1 + page.index("EXAMPLES:")) for page in pages}
    assert sorted(sizes) == modules
    limits = {name: most.get(name, (400, 270)) for name in modules}
    assert {name: size for name, size in sizes.items() if size[0] > limits[name][0] or size[1] >= limits[name][1]} == {}


def test_the_guides_have_few_words() -> None:
    assert sum(len(page.read_text(encoding="utf-8").split()) for page in _GUIDES.glob("*.rst")) <= 28_000


@pytest.mark.parametrize("folder", ["module_utils", "plugin_utils"])
def test_every_room_is_in_the_architecture_and_nothing_lies_outside(folder: str) -> None:
    text = (guides.README.parent / "docs" / "architecture.md").read_text(encoding="utf-8")
    rows = text.partition(f"| `{folder}/` | What it is |")[2].partition("\n\n")[0]
    rooms = set((guides.README.parent / "plugins" / folder).glob("[!_]*"))
    assert set(re.findall(r"^\| `(\w+)` ", rows, re.MULTILINE)) == {path.stem for path in rooms}
    assert {path.name for path in rooms if path.is_file()} <= {"errors.py", "ansible_compat.py"}


def test_a_yaml_snippet_parses() -> None:
    for snippet in SNIPPETS:
        if snippet.language == "yaml":
            assert yaml.load(snippet.text, Loader=yaml.CSafeLoader), str(snippet)


def test_the_result_of_each_condition_is_a_boolean() -> None:
    """Since 2.19, ansible-core rejects any other result, such as a text or null."""

    def is_boolean(node: nodes.Node) -> bool:
        if isinstance(node, nodes.And | nodes.Or):
            return is_boolean(node.left) and is_boolean(node.right)
        return isinstance(node, nodes.Compare | nodes.Test | nodes.Not) or getattr(node, "name", "") == "bool"

    texts = [(str(snippet), snippet.text) for snippet in SNIPPETS if snippet.language == "yaml"]
    texts += [(str(path), block(path, "EXAMPLES")) for path in ROOT.glob("plugins/modules/[!_]*.py")]
    folders = ("roles/*/tasks", "playbooks", "examples/awx", "examples/eda")
    texts += [(str(path), path.read_text("utf-8")) for folder in folders for path in ROOT.glob(f"{folder}/*.yml")]
    found, wrong = 0, []
    for place, text in texts:
        for task in all_tasks(text):
            inner = [(options or {}).get("that") for name, options in task.items() if str(name).endswith("assert")]
            outer = [task.get(word) for word in ("when", "until", "failed_when", "changed_when", "break_when")]
            for condition in chain(*(each if isinstance(each, list) else [each] for each in inner + outer)):
                if isinstance(condition, str):
                    found += 1
                    (output,) = Environment().parse(f"{{{{ {condition} }}}}").find_all(nodes.Output)
                    wrong += [f"{place}: {condition}"] * (not is_boolean(output.nodes[0]))
    assert found > 15
    assert wrong == []


def test_a_snippet_is_in_a_language_that_the_tests_know() -> None:
    assert [str(snippet) for snippet in SNIPPETS if snippet.language not in KNOWN] == []
    for snippet in SNIPPETS:
        verb = snippet.mark.partition(" ")[0]
        assert verb in ("", "file") or snippet.language == ("text" if verb == "shows" else "yaml"), str(snippet)


def test_no_heading_has_its_underline_on_its_own_line() -> None:
    """A page with such a line is valid, but the section has no heading."""
    lines = [f"{page.name}: {line}" for page in guides.GUIDES for line in page.read_text("utf-8").splitlines()]
    assert [line for line in lines if re.search(r"\w +[-=~^]{4,}$", line)] == []
