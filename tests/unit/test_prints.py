# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything that is printed was cleaned. The tests search the code of the plugins for all ways of printing."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest
from ansible.module_utils.basic import AnsibleModule
from project import ROOT

from ansible_collections.community.seventhings.plugins.module_utils import errors
from ansible_collections.community.seventhings.plugins.module_utils.ansible_module import registry
from ansible_collections.community.seventhings.plugins.module_utils.printing.cleaner import sanitized
from ansible_collections.community.seventhings.plugins.module_utils.reconcile.result import Result

pytestmark = pytest.mark.slow

PLUGINS = ROOT / "plugins"

CLEANS = {
    "clean",
    "clean_lines",
    "cleaned",
    "sanitized",
    "message_in_short",
    "in_short",
    "as_text",
}
"""Functions whose result can be printed.

These are the functions of ``printing`` and functions whose own tests show that they clean their text.
"""

CLEAN_MEMBERS = {"message", "lines", "refusal"}
"""Members of errors and of validated options, which are cleaned on creation."""

PRINTERS = {
    "module_utils/ansible_module/python_floor.py": {"sys.stdout"},
    # These modules silence warnings of a library or of Python.
    "plugin_utils/desired/sources/xlsx_source.py": {"warnings"},
    "module_utils/model/patterns.py": {"warnings"},
    "plugin_utils/printing/screen.py": {"Display", "display", "warning"},
    # An event source has its own log. clean() sanitizes each line.
    "plugin_utils/watch/source.py": {"logging"},
    "module_utils/ansible_module/registry.py": {"fail_json", "exit_json", "warn"},
}
"""Files that may print in other ways, because they print our own words or clean the text themselves."""

ENDS = {
    "module_utils/ansible_module/registry.py": "run_module",
    "plugin_utils/action/controller_action.py": "run",
}
"""The functions that hand the results of all modules to Ansible, and pass them through ``sanitized``."""

ANSIBLES_ERRORS = "Ansible"
"""Prefixes of the names of errors whose text Ansible prints."""

MODULES_WAYS = ("fail_json", "exit_json", "warn", "deprecate", "log", "debug")
"""The ways in which an ``AnsibleModule`` prints, or passes text to be printed."""


def is_clean(node: ast.AST) -> bool:
    """Return True if the value of an expression is certainly a printable text."""
    match node:
        case ast.Constant():
            return True
        case ast.JoinedStr(values=parts):
            return all(is_clean(part) for part in parts)
        case ast.FormattedValue(value=value) | ast.Starred(value=value):
            return is_clean(value)
        case ast.IfExp(body=body, orelse=other):
            return is_clean(body) and is_clean(other)
        case ast.Call(func=ast.Name(id=name)) | ast.Call(func=ast.Attribute(attr=name)):
            return name in CLEANS
        case ast.Attribute(attr=name):
            return name in CLEAN_MEMBERS
    return False


def ways_of_printing(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield line and name of each way of printing that does not clean its text."""
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id="sys"), attr="stdout" | "stderr" as name):
                yield node.lineno, f"sys.{name}"
            case ast.Call(func=ast.Name(id="print")):
                yield node.lineno, "print"
            case ast.ImportFrom(module="ansible.utils.display"):
                yield node.lineno, "Display"
            case ast.Import(names=names) if any(alias.name in ("logging", "warnings", "syslog") for alias in names):
                yield node.lineno, names[0].name
            case ast.Call(func=ast.Attribute(value=owner, attr=name)) if (
                "display" in ast.unparse(owner).rsplit(".", maxsplit=1)[-1]
            ):
                yield node.lineno, name
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id="module" | "self"), attr=name), args=given, keywords=named
            ):
                if name in MODULES_WAYS and not all(map(is_clean, (*given, *(keyword.value for keyword in named)))):
                    yield node.lineno, name
            case ast.Raise(exc=ast.Call(func=ast.Name(id=name), args=given)) if name.startswith(ANSIBLES_ERRORS):
                if not all(is_clean(argument) for argument in given):
                    yield node.lineno, name


def test_no_code_prints_what_was_not_cleaned() -> None:
    found: dict[str, set[str]] = {}
    for path in sorted(PLUGINS.rglob("*.py")):
        for line, way in ways_of_printing(ast.parse(path.read_text("utf-8"))):
            name = path.relative_to(PLUGINS).as_posix()
            if way not in PRINTERS.get(name, ()):
                found.setdefault(f"{name}:{line}", set()).add(way)
    assert found == {}


@pytest.mark.parametrize("path", sorted(PRINTERS))
def test_every_permitted_printer_prints(path: str) -> None:
    """So every entry in the list is needed."""
    assert {way for _line, way in ways_of_printing(ast.parse((PLUGINS / path).read_text("utf-8")))} == PRINTERS[path]


@pytest.mark.parametrize(
    ("code", "way"),
    [
        ("print(name)", "print"),
        ("sys.stderr.write(name)", "sys.stderr"),
        ("self.display.warning(f'no {name}')", "warning"),
        ("self._display.vvv(name)", "vvv"),
        ("Display().display(name)", None),
        ("from ansible.utils.display import Display", "Display"),
        ("import logging", "logging"),
        ("module.warn(name)", "warn"),
        ("module.fail_json(msg=name)", "fail_json"),
        ("raise AnsibleError(f'{name} is wrong')", "AnsibleError"),
        ("raise AnsibleParserError(str(error))", "AnsibleParserError"),
        ("raise AnsibleParserError(f'{clean(path)}: {error.message}')", None),
        ("raise AnsibleError('words of ours')", None),
    ],
)
def test_every_way_of_printing_is_found(code: str, way: str | None) -> None:
    found = [name for _line, name in ways_of_printing(ast.parse(code))]
    assert found == ([way] if way else [])


# ---- results


def functions_that_clean(path: Path) -> set[str]:
    """Return the functions of a file whose return value passes through ``sanitized``."""
    return {
        function.name
        for function in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(function, ast.FunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.Return) and node.value is not None and "sanitized(" in ast.unparse(node.value)
    }


@pytest.mark.parametrize("path", sorted(ENDS))
def test_every_result_is_cleaned_before_ansible_gets_it(path: str) -> None:
    assert ENDS[path] in functions_that_clean(PLUGINS / path)


RAW = "a\x1b[2J\u202e\r\n::error::forged ##vso[task.setvariable]\ud800"


def is_printable(text: str) -> bool:
    return all(line.isprintable() and "::error" not in line and "##vso" not in line for line in text.split("\n"))


def test_messages_and_warnings_of_a_result_are_clean_and_its_data_is_not_touched() -> None:
    result = sanitized({"msg": RAW, "warnings": [RAW], "record": {RAW: RAW}})
    assert is_printable(result["msg"])
    assert is_printable(result["warnings"][0])
    assert "\n" not in result["warnings"][0]
    assert result["record"] == {RAW: RAW}
    assert is_printable(Result(False, warnings=(RAW,)).result()["warnings"][0])


def all_errors(kind: type[errors.SeventhingsError]) -> Iterator[type[errors.SeventhingsError]]:
    yield kind
    for below in kind.__subclasses__():
        yield from all_errors(below)


@pytest.mark.parametrize("kind", sorted(set(all_errors(errors.SeventhingsError)), key=str))
def test_no_error_has_a_message_that_can_not_be_printed(kind: type[errors.SeventhingsError]) -> None:
    raised = kind.__new__(kind)
    errors.SeventhingsError.__init__(raised, RAW)
    assert kind is errors.SeventhingsError or not {"message", "lines", "__str__"} & set(vars(kind))
    assert is_printable(raised.message)
    assert is_printable(str(raised))
    assert len(raised.lines) == 1
    raised.message += RAW
    assert is_printable(raised.message)
    assert len(raised.lines) == 1


def test_each_problem_keeps_its_line() -> None:
    raised = errors.InvalidInput(["first\nforged", "second"])
    raised.message += f" {RAW}"
    first, second = raised.message.split("\n")
    assert first == "first\\nforged"
    assert second.startswith("second a\\u001b")


def test_a_module_refuses_in_clean_words() -> None:
    assert registry._Module.fail_json is not AnsibleModule.fail_json
    assert registry._Module.warn is not AnsibleModule.warn


def test_the_search_knows_blocks(tmp_path: Path) -> None:
    path = tmp_path / "x.py"
    path.write_text(
        textwrap.dedent(
            """
            def run():
                if x:
                    return {**sanitized(y), "requests": 1}
                return z
            """
        )
    )
    assert functions_that_clean(path) == {"run"}
