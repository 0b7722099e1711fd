# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Find examples that would harm the instance of somebody who copies them.

People copy YAML: files, code blocks of pages, and the EXAMPLES of modules and plugins. Tables and printed text are
checked line by line.
"""

from __future__ import annotations

import csv
import keyword
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import guides
import yaml
from ansible.vars.reserved import get_reserved_names
from project import ROOT

OBSERVED = ("actual_room", "actual_building")
"""Fields that scans write. A desired state that writes them falsifies the next stocktake."""

_RESERVED = get_reserved_names()
_READING = ("filter", "filters", "query", "scope")
_TAKING_AWAY = ("archive", "delete")
_SCAN_CODES = ("barcode", "Scancode")
_SCAN_CODE = re.compile(r"[1-9]\d{5}|IMP-\d{6}")
_OLD_SCAN_CODE = re.compile(r"(?<![\w.:-])(?:0\d{6}|[A-Z]-0\d+)(?![\w-])")
_CREATED_USERS = re.compile(r"(?<![`\w])(?:[a-z]+_)?allow[\"']?\s*[:=]\s*[\"']?\[[^\]]*\busers\b", re.IGNORECASE)
_MOVED_ACTUAL = re.compile(r"^ .*\bmove_actual[\"']?\s*[:=]\s*[\"']?(?:true|yes|on)\b", re.IGNORECASE)
"""Matches a command or a setting, which is indented, but no sentence of a page."""
_TEXT_OF_ID = re.compile(r"\{\{.*\.id(\s*\|\s*int)?\s*\}\}")
"""A template of an integer id. Before ansible-core 2.19 its result is a text, so it would be a reference by name."""
_EXAMPLES = re.compile(r"^EXAMPLES = r?(\"\"\"|''')\n(?P<text>.*?)^\1", re.MULTILINE | re.DOTALL)
_SUFFIXES = {".csv", ".j2", ".jsonl", ".md", ".py", ".rego", ".rst", ".yaml", ".yml"}


_Report = Callable[[yaml.Node, str, str], "Harm"]


@dataclass(frozen=True)
class Harm:
    """A finding: a place in a file, the violated rule, and the content."""

    path: str
    line: int
    rule: str
    found: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.rule}: {self.found}"


def sources() -> Iterator[Path]:
    """Return every file that people copy from or run, relative to the repository."""
    folders = ("docs", "examples", "playbooks", "roles", "plugins/modules", "plugins/inventory", "plugins/lookup")
    shown = (ROOT / "README.md", *(ROOT / "tests" / "tools").glob("demo*.py"))
    for path in (*shown, *(path for folder in folders for path in (ROOT / folder).rglob("*"))):
        if path.is_file() and path.suffix in _SUFFIXES:
            yield path.relative_to(ROOT)


def harms(path: Path, text: str) -> Iterator[Harm]:
    """Return the findings about one file.

    :param path: of the file, relative to the repository.
    :param text: its content.
    """
    name = str(path)
    if path.suffix in (".yml", ".yaml"):
        yield from _in_yaml(name, text, 1)
        yield from _in_lines(name, text, 1)
    elif path.suffix == ".csv":
        yield from _in_table(name, text, 1)
    elif path.suffix in (".md", ".rst"):
        yield from _in_page(path, text)
    elif path.suffix == ".py" and (block := _EXAMPLES.search(text)):
        first = text.count("\n", 0, block.start("text")) + 1
        yield from _in_yaml(name, block["text"], first)
        yield from _in_lines(name, block["text"], first)
    else:
        yield from _in_lines(name, text, 1)


def _in_page(path: Path, text: str) -> Iterator[Harm]:
    name, lines = str(path), text.splitlines()
    for number, line in enumerate(lines, 1):
        if _CREATED_USERS.search(line):
            yield Harm(name, number, "users", line.strip())
        if _MOVED_ACTUAL.search(line):
            yield Harm(name, number, "observed field", line.strip())
    for snippet in guides.parsed(ROOT / path, text):
        first = min(number for number in range(snippet.line, len(lines)) if lines[number].strip()) + 1
        if snippet.language == "yaml":
            yield from _in_yaml(name, snippet.text, first)
        elif snippet.mark.endswith(".csv"):
            yield from _in_table(name, snippet.text, first)
        for number, line in enumerate(snippet.text.splitlines(), first):
            if found := _OLD_SCAN_CODE.search(line):
                yield Harm(name, number, "scan code", found[0])


def _in_lines(name: str, text: str, first: int) -> Iterator[Harm]:
    for number, line in enumerate(text.splitlines(), first):
        if _CREATED_USERS.search(line):
            yield Harm(name, number, "users", line.strip())
        if _MOVED_ACTUAL.search(f" {line}"):
            yield Harm(name, number, "observed field", line.strip())
        if found := _OLD_SCAN_CODE.search(line):
            yield Harm(name, number, "scan code", found[0])


def _in_table(name: str, text: str, first: int) -> Iterator[Harm]:
    rows = list(csv.reader(text.splitlines()))
    for field in OBSERVED:
        if field in rows[0]:
            yield Harm(name, first, "observed field", field)
    for column in (rows[0].index(field) for field in _SCAN_CODES if field in rows[0]):
        for number, row in enumerate(rows[1:], first + 1):
            if not _SCAN_CODE.fullmatch(row[column]):
                yield Harm(name, number, "scan code", row[column])


def _in_yaml(name: str, text: str, first: int) -> Iterator[Harm]:
    def report(node: yaml.Node, rule: str, found: str) -> Harm:
        return Harm(name, first + node.start_mark.line, rule, found)

    for document in yaml.compose_all(text, yaml.SafeLoader):
        if document is not None:
            yield from _in_node(document, (), report)


def _in_node(node: yaml.Node, above: tuple[str, ...], report: _Report) -> Iterator[Harm]:
    """Judge a node and everything below it.

    :param above: keys of the maps around the node, outermost first.
    :param report: builds a finding from a node, a rule and the content.
    """
    if isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield from _in_node(item, above, report)
    elif isinstance(node, yaml.ScalarNode):
        # Pipelines contain options as JSON in a block of text. The first line of the block only says how it is folded.
        raw = "\n" + str(node.start_mark.buffer)[node.start_mark.index : node.end_mark.index].partition("\n")[2]
        if node.style in (">", "|") and raw.lstrip().startswith("{") and not raw.lstrip().startswith(("{{", "{%")):
            for document in yaml.compose_all(raw, yaml.SafeLoader):
                yield from _in_node(document, above, _below(node, report))
        elif node.value == "status" and above[-3:-1] == ("lifecycle", "objects"):
            yield report(node, "status", "the service computes it")
    elif isinstance(node, yaml.MappingNode):
        written = {key.value: value for key, value in node.value}
        for key, value in node.value:
            yield from _in_pair(key, value, above, written, report)
            yield from _in_node(value, (*above, key.value), report)


def _below(outer: yaml.Node, report: _Report) -> _Report:
    """Return a function that reports findings in the text of a node, whose lines begin at that node."""

    def report_inner(node: yaml.Node, rule: str, found: str) -> Harm:
        harm = report(outer, rule, found)
        return replace(harm, line=harm.line + node.start_mark.line)

    return report_inner


def _in_pair(
    key: yaml.Node,
    value: yaml.Node,
    above: tuple[str, ...],
    beside: dict[str, yaml.Node],
    report: _Report,
) -> Iterator[Harm]:
    name = str(key.value)
    is_read = any(outer in _READING or outer.endswith("_info") for outer in above)
    if name in OBSERVED and not is_read:
        yield report(key, "observed field", name)
    if name == "actual" and above[-1:] == ("community.seventhings.move",) and value.value == "true":
        yield report(key, "observed field", "actual: true")
    if name in ("label", "field_key") and "type" in beside and str(value.value).casefold() == "status":
        yield report(value, "status", "the service computes a field of this name")
    if name == "status" and ("barcode" in beside or above[-2:] == ("scope", "objects")):
        yield report(key, "status", "the service computes it")
    if name.removeprefix("provision_").removeprefix("fleet_") == "prune" and isinstance(value, yaml.MappingNode):
        for section, action in value.value:
            if action.value in _TAKING_AWAY:
                yield report(section, "prune", f"{section.value}: {action.value}")
    if name == "register" and keyword.iskeyword(value.value):
        yield report(value, "register", f"before ansible-core 2.19 {value.value} is no name of a variable")
    if name == "register" and value.value in _RESERVED:
        yield report(value, "register", f"Ansible warns that {value.value} is a word of playbooks")
    for item in value.value if isinstance(value, yaml.SequenceNode) else [value]:
        if name != "id" and isinstance(item, yaml.ScalarNode) and _TEXT_OF_ID.fullmatch(item.value):
            yield report(item, "id as text", item.value)
    is_code = name in _SCAN_CODES and isinstance(value, yaml.ScalarNode)
    if is_code and not value.value.startswith(("{{", "${")) and not _SCAN_CODE.fullmatch(value.value):
        yield report(value, "scan code", value.value)
