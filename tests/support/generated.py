# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Generate files, and lists inside documents.

A list is between two comment lines of a document, ``generated: NAME`` and ``end of NAME``. New modules and kinds of
records appear in the lists automatically.
"""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

import charts
import documentation
import parity
import platforms
import proof
import switch_table
import yaml
from project import ROOT
from schemas import ledger as ledger_schema
from schemas import stocktake as stocktake_schema
from schemas.report import NAME, report_schema_file
from schemas.static import static_files

from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import KINDS, Kind
from ansible_collections.community.seventhings.plugins.module_utils.model.types_basic import FIELD_TYPES
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.desired import BY_TEMPLATE, SECTIONS
from ansible_collections.community.seventhings.plugins.plugin_utils.readers.lookup import LOOKED_UP

SCHEMAS = ROOT / "docs" / "schema"
_DOCUMENTS = (
    ".github/workflows/ci.yml",
    "README.md",
    "docs/*.md",
    "docs/*.rst",
    "docs/docsite/rst/*.rst",
    "examples/awx/*.yml",
    "meta/runtime.yml",
    "plugins/lookup/*.py",
    "plugins/modules/*.py",
    "roles/*/meta/argument_specs.yml",
)
"""The documents that may contain lists."""

_REPOSITORY = "examples/repository"
_COPIES = {
    f"{_REPOSITORY}/.github/workflows/seventhings.yml": "examples/ci/github-actions.yml",
    f"{_REPOSITORY}/.gitlab-ci.yml": "examples/ci/gitlab-ci.yml",
    f"{_REPOSITORY}/policy/policy.py": "examples/policy/policy.py",
}
"""Files of the example repository that are copies, each with its original."""

_WIDTH = 120
_SHARED_ACTION = "community.seventhings.room"
_LIST = re.compile(
    r"^(?P<head>(?P<indent> *)(?P<mark>#|\.\.|<!--) generated: (?P<name>\w+)(?: -->)?\n)"
    r"(?P<body>.*?)"
    r"(?P<tail>^(?P=indent)(?:#|\.\.|<!--) end of (?P=name)(?: -->)?$)",
    re.MULTILINE | re.DOTALL,
)


def files() -> dict[Path, bytes]:
    """Return all generated files by path, with their expected content."""
    found = {SCHEMAS / name: text for name, text in static_files().items()}
    found[SCHEMAS / NAME] = report_schema_file()
    found[SCHEMAS / ledger_schema.NAME] = ledger_schema.ledger_schema_file()
    found[SCHEMAS / stocktake_schema.NAME] = stocktake_schema.stocktake_schema_file()
    found |= charts.files()
    found |= {ROOT / copy: _copied(original) for copy, original in _COPIES.items()}
    found[switch_table.PAGE] = switch_table.page().encode()
    found[parity.PAGE] = parity.page().encode()
    for path in _documents():
        found[path] = _LIST.sub(_written, path.read_text(encoding="utf-8")).encode()
    return found


def _copied(original: str) -> bytes:
    """Return an example with the paths of the example repository, whose files of the instance are in ``instance``."""
    text = (ROOT / original).read_text(encoding="utf-8")
    head = r'(?m)^# (?:Copy to|Include it in) .*? whose folder "acme" contains the files of an instance.*$'
    text = re.sub(head, '# The folder "instance" contains the files of an instance.', text)
    return re.sub(r"\bacme\b", "instance", text).encode()


def outdated() -> list[Path]:
    """Return the outdated files, and schemas of sections that no longer exist."""
    wanted = files()
    wrong = [path for path, content in wanted.items() if not path.exists() or path.read_bytes() != content]
    return [*wrong, *(path for path in SCHEMAS.glob("*.json") if path not in wanted)]


def names() -> set[str]:
    """Return the lists that documents contain."""
    return {match["name"] for path in _documents() for match in _LIST.finditer(path.read_text(encoding="utf-8"))}


def _documents() -> Iterator[Path]:
    for pattern in _DOCUMENTS:
        for path in sorted(ROOT.glob(pattern)):
            if path != switch_table.PAGE and _LIST.search(path.read_text(encoding="utf-8")):
                yield path


def _written(match: re.Match[str]) -> str:
    lines = LISTS[match["name"]](_WIDTH - len(match["indent"])).splitlines()
    indented = "".join(f"{match['indent']}{line}".rstrip() + "\n" for line in lines)
    # Comments of reStructuredText and Markdown end with an empty line.
    space = "" if match["mark"] == "#" else "\n"
    return f"{match['head']}{space}{indented}{space}{match['tail']}"


# ---- the lists


def _modules() -> list[str]:
    return sorted(path.stem for path in (ROOT / "plugins" / "modules").glob("*.py") if path.stem != "__init__")


def _action_group(_width: int) -> str:
    # A module without a connection would refuse the defaults of the group.
    return "\n".join(f"- {name}" for name in _modules() if name != "instance_validate")


def _routing(_width: int) -> str:
    actions = {path.stem for path in (ROOT / "plugins" / "action").glob("*.py")}
    routed = [name for name in _modules() if name not in actions]
    return "\n".join(f"{name}:\n  action_plugin: {_SHARED_ACTION}" for name in routed)


def _module_table(_width: int) -> str:
    """Return a table of the modules with their purpose, each next to the module that reads the same records."""
    known = _modules()
    alone = [name for name in known if name.endswith("_info") and name.removesuffix("_info") not in known]
    rows = [
        (f"`{name}`", _short(name), f"`{name}_info`" if f"{name}_info" in known else "")
        for name in known
        if not name.endswith("_info")
    ]
    rows += [("", _short(name), f"`{name}`") for name in alone]
    return "\n".join(["| Module | Purpose | To read |", "|---|---|---|", *map(_row, rows)])


def _row(cells: tuple[str, ...]) -> str:
    return "|" + "".join(f" {cell} |" if cell else " |" for cell in cells)


def _short(name: str) -> str:
    path = ROOT / "plugins" / "modules" / f"{name}.py"
    return str(yaml.load(documentation.block(path, "DOCUMENTATION"), Loader=yaml.CSafeLoader)["short_description"])


def _sections(mark: str, sections: Iterable[str] = SECTIONS) -> list[str]:
    return [f"{mark}({section})" for section in sections]


def _and(words: list[str]) -> str:
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def _item(text: str, width: int) -> str:
    """Return an item of a list of paragraphs."""
    return textwrap.fill(text, width, initial_indent="- ", subsequent_indent="  ")


def _record_sections(width: int) -> str:
    others = [section for section in SECTIONS if section not in BY_TEMPLATE]
    return _item(
        f"Its sections are C(fields), with one file for each template, and {_and(_sections('C', others))}.", width
    )


def _choices(_width: int) -> str:
    return f"choices: [{', '.join(kind.name for kind in KINDS.values() if kind.has_history)}]"


def _in_order(width: int) -> str:
    words = ", ".join(KINDS[kind].plural for kind in SECTIONS.values())
    return textwrap.fill(f"{words[0].upper()}{words[1:]}. Each kind depends only on earlier kinds.", width)


def _found_by(_width: int) -> str:
    """Return the fields by which each module finds a record, as a table."""
    rows = [
        f"  * - :ansplugin:`community.seventhings.{kind.name}#module`\n    - {_key_of(kind)}"
        for kind in KINDS.values()
        if kind.is_plain
    ]
    head = [".. list-table::", "  :header-rows: 1", "", "  * - Module", "    - Found by"]
    return "\n".join([*head, *rows])


def _key_of(kind: Kind) -> str:
    if kind.is_named_by_tasks:
        return "``match_on`` or ``uuid``; one of them is required"
    first, *others = (" and ".join(f"``{key}``" for key in keys) for keys in kind.match_on)
    last = kind.match_on[0][-1]
    words = [first, *(f"or {other} if ``{last}`` is not set" for other in others)]
    if kind.case_blind:
        words.append("ignoring case")
    if kind.open_status:
        words.append(f"with {kind.open_status} {kind.plural} first")
    return ", ".join(words)


def _core_matrix(_width: int) -> str:
    """Return the jobs of hosted CI: each supported ansible-core on each Python that it runs on."""
    return "\n".join(
        f'- {{core: "{core}", python: "3.{minor}"}}' for core, minors in platforms.CORES.items() for minor in minors
    )


def _core_table(_width: int) -> str:
    """Return the supported versions, as a table of Markdown."""
    rows = [
        (core, ", ".join(f"3.{minor}" for minor in minors), "tested with " + platforms.PRERELEASES[core])
        if core in platforms.PRERELEASES
        else (core, ", ".join(f"3.{minor}" for minor in minors), "")
        for core, minors in platforms.CORES.items()
    ]
    return "\n".join(["| ansible-core | Python on the controller | |", "|---|---|---|", *map(_row, rows)])


def _connection_table(_width: int) -> str:
    """Return the connection options, as a table of reStructuredText."""
    options = documentation.fragment("connection_plugin")["options"]
    rows = ["Option", "Variable", "Default", "Purpose"]
    lines = ["", ".. list-table::", "  :widths: 18 27 12 43", "  :header-rows: 1", "", *_rst_row(rows)]
    for name, option in options.items():
        variables = ", ".join(f"``{variable['name']}``" for variable in option.get("env", ()))
        default = f"``{json.dumps(option['default'])}``" if "default" in option else ""
        lines += _rst_row([f"``{name}``", variables, default, _plain(option["description"][0])])
    return "\n".join([*lines, ""])


def _rst_row(cells: Iterable[str]) -> list[str]:
    return [f"{mark} {cell}".rstrip() for mark, cell in zip(["  * -", *["    -"] * 3], cells, strict=True)]


def _plain(text: str) -> str:
    """Return the first sentence of a description, with links to modules and plain literals."""
    sentence = re.match(r".*?\.(?= [A-Z]|$)", text)
    linked = re.sub(r"\bM\(([^)]*)\)", r":ansplugin:`\1#module`", sentence[0] if sentence else text)
    return re.sub(r"\b[CVOE]\(([^)]*)\)", r"``\1``", linked)


LISTS: Mapping[str, Callable[[int], str]] = {
    "connection": _connection_table,
    "core_matrix": _core_matrix,
    "core_table": _core_table,
    "action_group": _action_group,
    "routing": _routing,
    "modules": _module_table,
    "sections": lambda width: _item(f"The sections are {_and(_sections('V'))}.", width),
    "files": _record_sections,
    "choices": _choices,
    "field_types": lambda _width: "\n".join(["choices:", *(f"  - {name}" for name in sorted(FIELD_TYPES))]),
    "section_choices": lambda _width: f"choices: [{', '.join(SECTIONS)}]",
    "looked_up": lambda width: _item(f"The kinds of records are {_and([f'V({name})' for name in LOOKED_UP])}.", width),
    "in_order": _in_order,
    "found_by": _found_by,
    "proofs": lambda _width: proof.kinds_table(),
    "proof_results": lambda _width: proof.results_table(),
    "mutation_results": lambda width: textwrap.fill(proof.mutation_sums(), width),
    "mutation_gaps": lambda width: _item(f"**Code without mutation testing.** {proof.mutation_gaps()}", width),
    "planted": lambda width: textwrap.fill(proof.planted_sum(), width),
}
"""Every list by its name. Each function gets the maximum width."""
