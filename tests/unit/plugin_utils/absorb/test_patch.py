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

from ansible_collections.community.seventhings.plugins.plugin_utils.absorb import patch as patches
from ansible_collections.community.seventhings.plugins.plugin_utils.absorb.patch import patch_of, sides_of

_LINES = st.lists(st.sampled_from(["a\n", "b\n", "- x\n", "\n", "\t\r\n", "\u00e4\n"]), max_size=12)


_ODD, _EMPTY = b"\xff", b""


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


# ---- what it is


def test_a_changed_file_has_the_three_lines_around_each_change() -> None:
    old = [f"{number}\n" for number in range(1, 21)]
    new = [*old[:9], "ten\n", *old[10:]]
    assert _patch(old, new) == ("--- a/a.yml\n+++ b/a.yml\n@@ -7,7 +7,7 @@\n 7\n 8\n 9\n-10\n+ten\n 11\n 12\n 13\n")


def test_changes_that_share_lines_around_them_are_a_single_part() -> None:
    old = [f"{number}\n" for number in range(1, 31)]
    for second, parts in ((8, ["@@ -1,11 +1,11 @@"]), (9, ["@@ -1,4 +1,4 @@", "@@ -6,7 +6,7 @@"])):
        new = ["one\n", *old[1:]]
        new[second - 1] = "another\n"
        assert [line for line in _patch(old, new).splitlines() if line.startswith("@@")] == parts
    # Its first lines decide, however many it has.
    new = ["one\n", *old[1:7], "another\n", *old[9:]]
    assert _patch(old, new).count("@@ -") == 1


def test_added_and_removed_lines_move_the_later_lines() -> None:
    old = [f"{number}\n" for number in range(1, 31)]
    new = ["new\n", *old[:14], *old[17:]]
    assert [line for line in _patch(old, new).splitlines() if line.startswith("@@")] == [
        "@@ -1,3 +1,4 @@",
        "@@ -12,9 +13,6 @@",
    ]


def test_an_equal_end_is_found_from_the_end() -> None:
    patch = _patch(["x\n", "y\n", "z\n"], ["y\n", "q\n", "z\n"])
    assert patch.partition("@@\n")[2] == "-x\n y\n+q\n z\n"


@pytest.mark.parametrize(("searched", "changed"), [(9, "-a -c +A +C"), (8, "-a -b -c +A +b +C")])
def test_small_parts_are_searched_for_equal_lines(monkeypatch: pytest.MonkeyPatch, searched: int, changed: str) -> None:
    monkeypatch.setattr(patches, "_SEARCHED", searched)
    around = [f"{number}\n" for number in range(20)]
    found = _patch([*around, "a\n", "b\n", "c\n", *around], [*around, "A\n", "b\n", "C\n", *around])
    assert sorted(_changed(found)) == sorted(changed.split())


def test_frequent_lines_are_equal_lines_too() -> None:
    old, new = ([f"{name}{number // 2}\n" if number % 2 else "same\n" for number in range(200)] for name in "on")
    assert len(_changed(_patch(old, new))) == 200


@pytest.mark.parametrize("number", [1, 2, 3, 20])
def test_added_and_removed_lines_are_found_without_a_search(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """Equal lines after a change end the search, however large the rest of the file is."""
    monkeypatch.setattr(patches, "_SEARCHED", 0)
    lines = [f"{number}\n" for number in range(100)]
    added = [f"new {number}\n" for number in range(number)]
    more = [*lines[:50], *added, *lines[50:99], "other\n"]
    changed = [f"new {number}" for number in range(number)]
    assert _changed(_patch(lines, more)) == [*(f"+{line}" for line in changed), "-99", "+other"]
    assert _changed(_patch(more, lines)) == [*(f"-{line}" for line in changed), "-other", "+99"]
    assert _changed(_patch([*added, *lines], [*lines[:99], "other\n"])) == [
        *(f"-{line}" for line in changed),
        *("-99", "+other"),
    ]


def test_the_last_lines_of_both_files_end_a_change(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patches, "_SEARCHED", 0)
    assert _changed(_patch(["a\n", "x\n", "y\n"], ["x\n", "y\n", "b\n"])) == ["-a", "+b"]
    assert _changed(_patch(["x\n", "y\n", "b\n"], ["a\n", "x\n", "y\n"])) == ["+a", "-b"]


def _changed(patch: str) -> list[str]:
    return [line for line in patch.splitlines()[2:] if line[0] in "+-"]


def test_a_new_file_and_an_emptied_file_begin_at_line_0() -> None:
    assert patch_of("a.yml", None, b"a\nb") == (
        "--- /dev/null\n+++ b/a.yml\n@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file\n"
    )
    assert patch_of("a.yml", b"a\n", b"") == "--- a/a.yml\n+++ b/a.yml\n@@ -1,1 +0,0 @@\n-a\n"


def test_a_name_with_a_space_ends_with_a_tab() -> None:
    assert patch_of("a b.yml", b"a\n", b"b\n").startswith("--- a/a b.yml\t\n+++ b/a b.yml\t\n@@")


def _patch(old: list[str], new: list[str]) -> str:
    return patch_of("a.yml", "".join(old).encode(), "".join(new).encode())


@pytest.mark.parametrize("text", ["a\tb\n", "a\r\nb\r\n", "\ufeffa\n", "\u00e4\n", "no end"])
def test_texts_of_spreadsheets_are_shown(text: str) -> None:
    assert "not shown" not in patch_of("a.csv", b"x\n", text.encode())


@pytest.mark.parametrize("text", ["a\rb\n", "a\ufeff\n", "\x1b[31m\n"])
def test_texts_that_control_something_are_not_shown(text: str) -> None:
    for old, new in ((b"x\n", text.encode()), (text.encode(), b"x\n")):
        assert "a.csv: not shown" in patch_of("a.csv", old, new)
        assert all("a.csv (" in side for side in sides_of("a.csv", old, new))


@pytest.mark.parametrize(
    ("old", "new", "before", "after"),
    [
        (b"a\nb\n", b"a\nc", "a.yml\na\nb\n", "a.yml\na\nc\n"),
        (None, b"a\n", "", "a.yml\na\n"),
        (_EMPTY, b"a\n", "a.yml\n", "a.yml\na\n"),
        (None, _ODD, "", "a.yml (1 bytes, a8100ae6aa19)\n"),
        (_ODD, _EMPTY, "a.yml (1 bytes, a8100ae6aa19)\n", "a.yml (0 bytes, e3b0c44298fc)\n"),
    ],
)
def test_both_sides_of_a_change(old: bytes | None, new: bytes, before: str, after: str) -> None:
    assert sides_of("a.yml", old, new) == (before, after)


def test_sides_have_the_lines_around_each_change_only() -> None:
    old = [f"{number}\n" for number in range(1, 21)]
    new = [*old[:9], "ten\n", *old[10:]]
    assert sides_of("a.yml", "".join(old).encode(), "".join(new).encode()) == (
        "a.yml\n7\n8\n9\n10\n11\n12\n13\n",
        "a.yml\n7\n8\n9\nten\n11\n12\n13\n",
    )
    shown = sides_of("\x1b.yml", b"a\n", b"b\n")[1]
    assert "\x1b" not in shown
    assert "(2 bytes, " in shown


# ---- git applies it


@settings(max_examples=500 if LONG else 25, deadline=None, derandomize=True, database=None)
@given(old=_LINES, new=_LINES, ends=st.tuples(st.booleans(), st.booleans()))
def test_git_applies_any_patch(old: list[str], new: list[str], ends: tuple[bool, bool]) -> None:
    before, after = (
        "".join(lines).rstrip("\r\n") if cut else "".join(lines) for lines, cut in zip((old, new), ends, strict=True)
    )
    if not before or not after:
        # Git does not support text patches from or to an empty file.
        before, after = before or "x\n", after or "x\n"
    with tempfile.TemporaryDirectory() as scratch:
        assert _applied("objects.yml", before.encode(), after.encode(), Path(scratch)) == after.encode()


@pytest.mark.parametrize("name", ["new.csv", "a b/new file.yml"])
@pytest.mark.parametrize("content", [b"a\n", b"no end"])
def test_git_applies_a_patch_with_new_files(tmp_path: Path, name: str, content: bytes) -> None:
    assert _applied(name, None, content, tmp_path) == content


def test_a_part_in_which_everything_differs_is_replaced_as_a_whole(tmp_path: Path) -> None:
    old, new = (b"".join(b"%s %d\n" % (word, number) for number in range(300)) for word in (b"old", b"new"))
    assert _applied("t.csv", b"head\n" + old + b"end\n", b"head\n" + new + b"end\n", tmp_path) == (
        b"head\n" + new + b"end\n"
    )


def test_git_ignores_the_line_about_a_file_that_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "a.yml").write_text("a\n")
    patch = patch_of("1.xlsx", b"\xff", b"\xfe") + patch_of("a.yml", b"a\n", b"b\n") + patch_of("b.xlsx", None, b"\xff")
    subprocess.run(["git", "apply", "-"], cwd=tmp_path, input=patch.encode(), check=True)
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("a.yml", "b\n")]


def test_no_patch_steers_a_terminal_or_a_pipeline() -> None:
    for line in ("\u202eevil\n", "##vso[task]\n", "\x1b[31m\n"):
        assert line.strip() not in patch_of("a.yml", b"a\n", line.encode())


def test_a_patch_has_only_differing_lines_and_long_files_are_fast() -> None:
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
