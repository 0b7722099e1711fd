# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Git turns the old content into the new content with a patch, whatever the contents and their encoding."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis import assume, given, settings
from project import LONG

from ansible_collections.community.seventhings.plugins.plugin_utils.absorb.patch import (
    Edited,
    Part,
    lines_of,
    narrowed,
    patch_of,
    sides_of,
)
from ansible_collections.community.seventhings.plugins.plugin_utils.absorb.text_file import TextFile

_TEXTS = st.text("ab\n\u00fc", max_size=40)
_EDITS = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 6), _TEXTS), min_size=1, max_size=5)


def _edited(name: str, file: TextFile, before: bytes) -> Edited:
    return Edited(name, before, file.parts(), file.cells(), file.codec)


def _applied(file: Edited, scratch: Path) -> bytes:
    path = scratch / file.name
    if file.old is not None:
        path.write_bytes(file.old)
    patch = b"# a line that git ignores\n" + patch_of(file)
    done = subprocess.run(["git", "apply", "-"], cwd=scratch, input=patch, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode() + repr(patch)
    return path.read_bytes()


@settings(max_examples=500 if LONG else 40, deadline=None, derandomize=True, database=None)
@given(
    text=_TEXTS,
    edits=_EDITS,
    line_end=st.sampled_from(["\n", "\r\n"]),
    mark=st.sampled_from(["", "\ufeff"]),
    codec=st.sampled_from(["utf-8", "cp1252", "shift_jis"]),
)
def test_git_applies_the_edits_of_any_file_in_its_encoding(
    text: str, edits: list[tuple[int, int, str]], line_end: str, mark: str, codec: str
) -> None:
    if codec != "utf-8":
        mark = ""
    letter = "\u8868" if codec == "shift_jis" else "\u00fc"
    written = mark + text.replace("\u00fc", letter).replace("\n", line_end)
    file = TextFile(written, codec)
    at = 0
    for start, length, new in sorted(edits):
        if at <= start <= len(file.plain):
            at = min(start + length, len(file.plain))
            file.replace(start, at, new.replace("\u00fc", letter))
    before = written.encode(codec)
    # Git does not support text patches from or to an empty file.
    assume(before and file.content() and before != file.content())
    with tempfile.TemporaryDirectory() as scratch:
        assert _applied(_edited("a.csv", file, before), Path(scratch)) == file.content()


@pytest.mark.parametrize("name", ["new.csv", "a b new.yml", 'M\u00fcller "1".pdf'])
@pytest.mark.parametrize("content", [b"a\n", b"no end", bytes(range(256))])
def test_git_applies_a_patch_with_new_files(tmp_path: Path, name: str, content: bytes) -> None:
    assert _applied(Edited(name, None, [Part(0, 0, lines_of(content))]), tmp_path) == content


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("a/B 0.@+=,%()-_yml", "a/B 0.@+=,%()-_yml\t"),
        ("\u00fc \x1f~\x7f", "\\303\\274 \\037~\\177"),
        ('X"\\', "X\\042\\134"),
    ],
)
def test_a_patch_has_names_as_git_writes_them(name: str, path: str) -> None:
    ends = ("b/{}", "a/{}") if path.endswith("\t") else ('"b/{}"', '"a/{}"')
    new, old = (end.format(path) for end in ends)
    assert patch_of(Edited(name, None, [Part(0, 0, [b"1\n"])])).decode() == (
        f"--- /dev/null\n+++ {new}\n@@ -0,0 +1,1 @@\n+1\n"
    )
    assert patch_of(Edited(name, b"1\n2", [Part(0, 1, [])])).decode() == (
        f"--- {old}\n+++ {new}\n@@ -1,2 +1,1 @@\n-1\n 2\n\\ No newline at end of file\n"
    )
    assert patch_of(Edited(name, b"1\n", [])) == b""


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        (b"bcd", None),
        (b"bxcd", Part(2, 2, [b"x"])),
        (b"xcd", Part(1, 2, [b"x"])),
        (b"bcx", Part(3, 4, [b"x"])),
        (b"bbcd", Part(2, 2, [b"b"])),
        (b"cd", Part(1, 2, [])),
        (b"bc", Part(3, 4, [])),
        (b"xy", Part(1, 4, [b"x", b"y"])),
    ],
)
def test_a_part_has_no_equal_lines_at_its_ends(new: bytes, expected: Part | None) -> None:
    def letters(text: bytes) -> list[bytes]:
        return [bytes([letter]) for letter in text]

    assert narrowed(letters(b"abcde"), Part(1, 4, letters(new))) == expected


def _numbers(*changed: int) -> Edited:
    text = "".join(f"{number}\n" for number in range(1, 31))
    file = TextFile(text, "utf-8")
    for number in changed:
        start = text.index(f"{number}\n")
        file.replace(start, start + len(str(number)), "x")
    return _edited("a.yml", file, text.encode())


def test_a_patch_has_the_three_lines_around_each_change_and_joins_changes_that_share_them() -> None:
    assert patch_of(_numbers(10)).decode() == (
        "--- a/a.yml\n+++ b/a.yml\n@@ -7,7 +7,7 @@\n 7\n 8\n 9\n-10\n+x\n 11\n 12\n 13\n"
    )
    edits = [Part(1, 1, [b"x\n"] * 2), Part(11, 12, []), Part(21, 22, [b"x\n"] * 2)]
    lines = patch_of(Edited("a.yml", _numbers().old, edits)).splitlines()
    ranges = [line.decode() for line in lines if line.startswith(b"@@")]
    assert ranges == ["@@ -1,4 +1,6 @@", "@@ -9,7 +11,6 @@", "@@ -19,7 +20,8 @@"]
    for second, parts in ((28, 2), (17, 1), (18, 2)):
        assert patch_of(_numbers(10, second)).count(b"\n@@ ") == parts


def test_both_sides_have_the_lines_around_each_change_as_text_that_steers_no_terminal() -> None:
    assert sides_of(_numbers(10)) == ("a.yml\n8\n9\n10\n11\n12\n13\n", "a.yml\n8\n9\nx\n11\n12\n13\n")
    assert sides_of(_numbers(3)) == ("a.yml\n1\n2\n3\n4\n5\n6\n", "a.yml\n1\n2\nx\n4\n5\n6\n")
    assert sides_of(_numbers(4, 30)) == (
        "a.yml\n2\n3\n4\n5\n6\n7\n27\n28\n29\n30\n",
        "a.yml\n2\n3\nx\n5\n6\n7\n27\n28\n29\nx\n",
    )
    odd = Edited("\x1b.csv", b"\xef\xbb\xbfa\t\tb\x1bX\r\n1 ", [Part(1, 2, [b"\xff\r"])])
    same = "\\u001b.csv\na\t\tb\\u001bX\n"
    assert sides_of(odd) == (f"{same}1 \n", f"{same}\ufffd\n")
    for line in ("\u202eevil", "##vso[task]", "\x1b[31m"):
        before, after = sides_of(Edited("\x1b.yml", None, [Part(0, 0, [line.encode()])]))
        assert (before, after.count("\n")) == ("", 2)
        assert line not in after
        assert "\x1b" not in after
    file = TextFile("a;\u00fc\r\n", "cp1252")
    file.replace(0, 1, "b")
    assert sides_of(_edited("a.csv", file, b"a;\xfc\r\n")) == ("a.csv\na;\u00fc\n", "a.csv\nb;\u00fc\n")


def test_the_cells_of_a_file_without_lines_are_listed() -> None:
    file = TextFile("\ufeffbarcode;n\n1;12\n", "utf-16-le")
    file.replace(12, 14, "14", "B2: 12 -> 14")
    file.replace(15, 15, "2;9\n")
    edited = _edited("a.csv", file, file.text.encode("utf-16-le"))
    assert patch_of(edited) == b"# a.csv:B2: 12 -> 14\n# a.csv:3:  -> 2;9\n"
    assert sides_of(edited) == ("", "a.csv:B2: 12 -> 14\na.csv:3:  -> 2;9\n")
