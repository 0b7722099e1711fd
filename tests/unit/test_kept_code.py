# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Compiled code and parsed data that test processes share are the same in any place."""

from __future__ import annotations

import builtins
import subprocess
import sys
from importlib.util import module_from_spec
from pathlib import Path
from types import CodeType
from typing import Any

import kept_code
import pytest
import yaml

SOURCE = b"def give():\n    return (lambda: 1)()\n"


@pytest.fixture(autouse=True)
def kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setattr(builtins, "compile", builtins.compile)
    kept_code.keep_in(tmp_path / "kept")
    return tmp_path / "kept"


def names_in(code: CodeType) -> set[str]:
    inner = (names_in(constant) for constant in code.co_consts if isinstance(constant, CodeType))
    return {code.co_filename}.union(*inner)


def test_code_is_found_again_for_another_file(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = compile(SOURCE, "/one.py", "exec", dont_inherit=True)
    (file,) = kept.iterdir()
    before = file.stat().st_mtime_ns
    again = compile(source=SOURCE, filename=b"/two.py", mode="exec", flags=0, dont_inherit=True)
    assert names_in(first) == {"/one.py"}
    assert names_in(again) == {"/two.py"}
    assert file.stat().st_mtime_ns == before
    scope: dict[str, object] = {}
    exec(again, scope)
    assert eval("give()", scope) == 1
    # The source is not compiled again.
    monkeypatch.setattr(kept_code, "_compile", None)
    assert compile(SOURCE, "/three.py", "exec", dont_inherit=True).co_code == first.co_code


@pytest.mark.parametrize(
    "call",
    [
        lambda: compile(SOURCE, "/one.py", "exec", 1024, dont_inherit=True),
        lambda: compile(SOURCE, "/one.py", "exec", flags=1024, dont_inherit=True),
        lambda: compile(SOURCE, "/one.py", "exec"),
        lambda: compile(SOURCE, "/one.py", "exec", dont_inherit=True, optimize=2),
        lambda: compile("1", "/one.py", "eval", dont_inherit=True),
    ],
)
def test_anything_else_is_compiled_as_ever(kept: Path, call: object) -> None:
    assert callable(call)
    call()
    assert list(kept.iterdir()) == []


def test_an_error_is_reported_as_ever(kept: Path) -> None:
    with pytest.raises(SyntaxError):
        compile(b"def", "/one.py", "exec", dont_inherit=True)
    assert list(kept.iterdir()) == []


# ---- methods and patterns

PROGRAM = """
import builtins, dataclasses, re, sys

@dataclasses.dataclass(frozen=True, order=True)
class Room:
    number: int
    floors: tuple[str, ...] = ()

found = re.compile(rb"(?P<word>\\w+)(x)|[a-d]{2,3}", re.DOTALL).fullmatch(b"abx")
print(Room(1), Room(1) < Room(2), hash(Room(1)) == hash(Room(1)))
print(found.groupdict(), found.groups())
print(re.compile("(?i)stra\u00dfe").flags, re.fullmatch("(?i)[\u00e4-\u00fc]", "\u00d6"))
"""


def test_methods_and_patterns_are_found_again(kept: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM, encoding="utf-8")

    def run() -> str:
        return subprocess.run([sys.executable, program], capture_output=True, text=True, check=True).stdout

    monkeypatch.setenv(kept_code.VARIABLE, "")
    expected = run()
    assert expected.startswith("Room(number=1, floors=()) True True")
    assert list(kept.iterdir()) == []
    monkeypatch.setenv(kept_code.VARIABLE, str(kept))
    assert run() == expected
    (bundle,) = kept.glob("program.*")
    before = bundle.stat().st_mtime_ns
    assert run() == expected
    assert bundle.stat().st_mtime_ns == before


# ---- YAML


LARGE = b"a: &one [x, 1, 2031-05-31]\nb: {c: *one}\n" + b"# padding\n" * kept_code.LARGE
HELD = {"a": ["x", "1", "2031-05-31"], "b": {"c": ["x", "1", "2031-05-31"]}}


@pytest.fixture
def changed(kept: Path) -> Any:
    """Return the module ``yaml`` as test processes get it, with the cache of large texts."""
    spec = kept_code.YamlFinder(kept).find_spec("yaml")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_large_text_is_read_once(kept: Path, changed: Any) -> None:
    first = changed.load(LARGE, Loader=changed.CBaseLoader)
    (file,) = kept.glob("*.CBaseLoader")
    before = file.stat().st_mtime_ns
    again = changed.load(LARGE, Loader=changed.CBaseLoader)
    assert first == again == HELD == yaml.load(LARGE, Loader=yaml.CBaseLoader)
    assert file.stat().st_mtime_ns == before
    # Changing the returned object does not change that of other readers.
    again["b"].clear()
    assert changed.load(LARGE, Loader=changed.CBaseLoader) == HELD


def test_a_small_file_is_read_as_ever(kept: Path, changed: Any, tmp_path: Path) -> None:
    small = tmp_path / "small.yml"
    small.write_bytes(b"a: [")
    with small.open("rb") as file, pytest.raises(changed.YAMLError, match=r'in ".*small\.yml"'):
        changed.load(file, Loader=changed.CSafeLoader)
    assert list(kept.iterdir()) == []


def test_any_other_text_is_read_as_ever(kept: Path, changed: Any) -> None:
    assert changed.load(b"a: 1", Loader=changed.CBaseLoader) == {"a": "1"}
    assert changed.load(LARGE.decode(), Loader=changed.CBaseLoader) == HELD
    assert changed.load(LARGE, Loader=changed.CSafeLoader) == yaml.load(LARGE, Loader=yaml.CSafeLoader) != HELD
    with pytest.raises(changed.YAMLError):
        changed.load(LARGE + b"a: [", Loader=changed.CBaseLoader)
    assert list(kept.iterdir()) == []


@pytest.mark.parametrize("is_kept", [True, False])
def test_a_process_that_ends_does_not_look_for_garbage(
    kept: Path, monkeypatch: pytest.MonkeyPatch, is_kept: bool
) -> None:
    monkeypatch.setenv(kept_code.VARIABLE, str(kept) if is_kept else "")
    circle = "class Circle:\n    def __del__(self): print('found')\ncircle = Circle()\ncircle.itself = circle"
    done = subprocess.run([sys.executable, "-c", circle], capture_output=True, text=True, check=True)
    assert (done.stdout == "") is is_kept
