# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the processes of the tests compile once is the same code at whatever place it is found again."""

from __future__ import annotations

import builtins
from pathlib import Path
from types import CodeType

import kept_code
import pytest

SOURCE = b"def give():\n    return (lambda: 1)()\n"


@pytest.fixture(autouse=True)
def kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setattr(builtins, "compile", builtins.compile)
    kept_code.keep_in(tmp_path / "kept")
    return tmp_path / "kept"


def names_in(code: CodeType) -> set[str]:
    inner = (names_in(one) for one in code.co_consts if isinstance(one, CodeType))
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
    # It is not compiled again.
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


def test_an_error_is_told_as_ever(kept: Path) -> None:
    with pytest.raises(SyntaxError):
        compile(b"def", "/one.py", "exec", dont_inherit=True)
    assert list(kept.iterdir()) == []


def test_where_nothing_can_be_written_all_is_compiled(kept: Path) -> None:
    kept.rmdir()
    assert compile(SOURCE, "/one.py", "exec", dont_inherit=True).co_filename == "/one.py"
