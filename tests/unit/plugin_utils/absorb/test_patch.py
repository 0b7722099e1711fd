# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Git turns the old content into the new content with a patch, whatever the contents."""

from __future__ import annotations

import subprocess
import tempfile
import time
from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings
from project import LONG

from ansible_collections.community.seventhings.plugins.plugin_utils.absorb.patch import patch_of

_LINES = st.lists(
    st.sampled_from(["a\n", "b\n", "- x\n", "\n", "\t\r\n", "\u00e4\n", "\u202e\n", "##vso[x\n"]), max_size=12
)


def _applied(name: str, old: bytes | None, new: bytes, scratch: Path) -> bytes:
    path = scratch / name
    if old is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(old)
    patch = patch_of(name, old, new)
    if old != new:
        done = subprocess.run(
            ["git", "apply", "-"], cwd=scratch, input=patch.encode(), capture_output=True, check=False
        )
        assert done.returncode == 0, done.stderr.decode() + patch
    return path.read_bytes()


@settings(max_examples=500 if LONG else 25, deadline=None, derandomize=True, database=None)
@given(old=_LINES, new=_LINES, ends=st.tuples(st.booleans(), st.booleans()))
def test_git_applies_any_patch(old: list[str], new: list[str], ends: tuple[bool, bool]) -> None:
    before, after = (
        "".join(lines).removesuffix("\n" if cut else "\0") for lines, cut in zip((old, new), ends, strict=True)
    )
    if not before or not after:
        # Git does not support text patches from or to an empty file.
        before, after = before or "x\n", after or "x\n"
    with tempfile.TemporaryDirectory() as scratch:
        assert _applied("objects.yml", before.encode(), after.encode(), Path(scratch)) == after.encode()


@pytest.mark.parametrize("name", ["new.csv", "a b/new file.yml", 'ob"j\u00e4/\u202e.yml'])
@pytest.mark.parametrize("content", [b"a\n", b"no end", "\u00e4".encode("utf-16"), b"\x00" * 200, b"\xff\n"])
def test_git_makes_new_files(tmp_path: Path, name: str, content: bytes) -> None:
    assert _applied(name, None, content, tmp_path) == content


def test_a_part_in_which_everything_differs_is_replaced_as_a_whole(tmp_path: Path) -> None:
    old, new = (b"".join(b"%s %d\n" % (word, number) for number in range(300)) for word in (b"old", b"new"))
    assert _applied("t.csv", b"head\n" + old + b"end\n", b"head\n" + new + b"end\n", tmp_path) == (
        b"head\n" + new + b"end\n"
    )


@pytest.mark.parametrize("old", [b"\xff old\n", "old".encode("utf-16")])
def test_git_applies_what_is_no_utf8(tmp_path: Path, old: bytes) -> None:
    assert _applied("t.csv", old, old + b"\xfe\n", tmp_path) == old + b"\xfe\n"


def test_no_patch_steers_a_terminal_or_a_pipeline() -> None:
    for line in ("\u202eevil\n", "##vso[task]\n", "\x1b[31m\n"):
        assert line.strip() not in patch_of("a.yml", b"a\n", line.encode())


def test_only_the_lines_that_differ_stand_in_it_and_long_files_take_no_time() -> None:
    lines = [
        line for number in range(20_000) for line in (f"- barcode: '{number}'\n", "  status: x\n", "  name: Lamp\n")
    ]
    changed = list(lines)
    for number in range(1, len(lines), 300):
        changed[number] = "  status: y\n"
    del changed[30_000:30_003]
    changed += ["- barcode: new\n"] * 3
    began = time.process_time()
    patch = patch_of("objects.yml", "".join(lines).encode(), "".join(changed).encode()).splitlines()
    assert time.process_time() - began < 5
    assert sum(line.startswith("-") for line in patch) <= 200 + 3 + 3
    assert sum(line.startswith("+") for line in patch) <= 200 + 3 + 3


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        ("A\nb\nC\nd\ne\n", ["-a", "+A", "-c", "+C"]),
        ("A\nb\nc\nd\ne\nnew\n", ["-a", "+A", "+new"]),
        ("b\nc\nD\ne\n", ["-a", "-d", "+D"]),
    ],
)
@pytest.mark.parametrize("tail", ["", "".join(f"{number}\n" for number in range(30))], ids=["end", "more"])
def test_a_line_between_two_that_differ_is_no_difference(new: str, expected: list[str], tail: str) -> None:
    patch = patch_of("a.yml", f"a\nb\nc\nd\ne\n{tail}".encode(), f"{new}{tail}".encode()).splitlines()
    assert [line for line in patch[2:] if line[0] in "+-"] == expected
