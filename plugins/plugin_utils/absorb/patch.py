# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes of files as a patch that ``git apply`` accepts, in the directory that their names are relative to."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from functools import partial
from itertools import takewhile
from operator import eq

from ...module_utils.printing.cleaner import clean

_CONTEXT = 3
_EQUAL_LINES = ((8, 60), (2, 400))
"""Pairs of a number of equal lines that ends a difference, and the number of lines to search for them.

One equal line is not enough, because different records have lines in common.
"""

_SEARCHED = 40_000
"""Maximum pairs of lines in a differing part that are searched for equal lines."""

_Change = tuple[int, int, int, int]
"""The range of old lines, and the range of the new lines that replaces it."""

_NO_END = "\n\\ No newline at end of file\n"
_PLAIN_NAME = re.compile(r"[\w ./@+=,%()-]+", re.ASCII)
_HARMLESS = re.compile("\\A\ufeff|\t|\r?\n")
"""Control characters that a patch may contain."""

_match = partial(SequenceMatcher, None, autojunk=False)
_LINE = re.compile(rb"[^\n]*\n|[^\n]+")


def patch_of(name: str, old: bytes | None, new: bytes) -> str:
    """Return the patch of one file.

    A file that is not text is only named, in a line that ``git apply`` ignores.

    :param name: its path, with slashes. :param old: its content; None for a new file.
    """
    if not _can_be_shown(name, old, new):
        return f"# {clean(name)}: not shown, because it is not printable UTF-8 ({_size(old)}; now {_size(new)})\n"
    # Without git's own header, names are relative to the current directory, even below the root of a repository.
    tab = "\t" if " " in name else ""
    head = [f"--- {'/dev/null' if old is None else f'a/{name}{tab}'}\n", f"+++ b/{name}{tab}\n"]
    return "".join([*head, *_hunks(_lines(old or b""), _lines(new))])


def sides_of(name: str, old: bytes | None, new: bytes) -> tuple[str, str]:
    """Return the differing parts of one file before and after, headed by its name.

    A file that is not text is represented by its size and the beginning of its SHA-256.
    """
    if not _can_be_shown(name, old, new):
        before = "" if old is None else f"{clean(name)} ({_size(old)})\n"
        return before, f"{clean(name)} ({_size(new)})\n"
    parts = list(_parts(_lines(old or b""), _lines(new)))
    before = "" if old is None else _joined([f"{name}\n", *(line for was, _now in parts for line in was)])
    return before, _joined([f"{name}\n", *(line for _was, now in parts for line in now)])


def _joined(lines: Iterable[str]) -> str:
    """Join lines. The last line may have no end."""
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


def _parts(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[Sequence[str], Sequence[str]]]:
    """Yield each differing part with the lines around it, before and after."""
    for group in _groups(old, new):
        start, end, new_start, new_end = _around(group, len(old))
        yield old[start:end], new[new_start:new_end]


def _can_be_shown(name: str, *contents: bytes | None) -> bool:
    """Return True if a patch can show contents: texts in UTF-8 that control no terminal and no log."""
    return bool(_PLAIN_NAME.fullmatch(name)) and all(_is_clean(content) for content in contents if content is not None)


def _is_clean(content: bytes) -> bool:
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return False
    return all(clean(part) == part for part in _HARMLESS.split(text))


def _lines(content: bytes) -> list[str]:
    return [line.decode() for line in _LINE.findall(content)]


def _hunks(old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    for group in _groups(old, new):
        yield from _hunk(old, new, group)


def _groups(old: Sequence[str], new: Sequence[str]) -> list[list[_Change]]:
    """Return the differing parts, those close together as a group."""
    groups: list[list[_Change]] = []
    for change in _changes(old, new):
        if groups and change[0] - groups[-1][-1][1] <= 2 * _CONTEXT:
            groups[-1].append(change)
        else:
            groups.append([change])
    return groups


def _around(group: Sequence[_Change], length: int) -> _Change:
    """Return the range of both texts that a group covers with the lines around it.

    :param length: number of old lines.
    """
    start = max(0, group[0][0] - _CONTEXT)
    end = min(length, group[-1][1] + _CONTEXT)
    return start, end, group[0][2] - (group[0][0] - start), group[-1][3] + (end - group[-1][1])


def _changes(old: Sequence[str], new: Sequence[str]) -> Iterator[_Change]:
    """Yield the parts that differ, from the first line to the last.

    Edits are small and many lines of such files are equal, so that finding the minimal difference takes minutes.
    Instead, each differing part ends at the nearest lines from which both texts continue equally.
    """
    last = len(list(takewhile(bool, map(eq, reversed(old), reversed(new)))))
    old_end, new_end = len(old) - last, len(new) - last
    old_line = new_line = 0
    while old_line < old_end or new_line < new_end:
        if old_line < old_end and new_line < new_end and old[old_line] == new[new_line]:
            old_line, new_line = old_line + 1, new_line + 1
            continue
        skipped = _next_equal(old[old_line:old_end], new[new_line:new_end])
        yield from _within(old, new, (old_line, old_line + skipped[0], new_line, new_line + skipped[1]))
        old_line, new_line = old_line + skipped[0], new_line + skipped[1]


def _within(old: Sequence[str], new: Sequence[str], part: _Change) -> Iterator[_Change]:
    """Yield the differences within a part: lines between two differing lines may be equal."""
    old_at, old_end, new_at, new_until = part
    if (old_end - old_at) * (new_until - new_at) > _SEARCHED:
        yield part
        return
    for tag, start, end, new_start, new_end in _match(old[old_at:old_end], new[new_at:new_until]).get_opcodes():
        if tag != "equal":
            yield old_at + start, old_at + end, new_at + new_start, new_at + new_end


def _next_equal(old: Sequence[str], new: Sequence[str]) -> tuple[int, int]:
    """Return the number of lines in each text before the next equal lines: many equal lines nearby, otherwise a few."""
    for count, far in _EQUAL_LINES:
        for together in range(1, min(far, len(old) + len(new))):
            for number in range(together + 1):
                other = together - number
                left, right = old[number : number + count], new[other : other + count]
                if left == right and left:
                    return number, other
    return len(old), len(new)


def _hunk(old: Sequence[str], new: Sequence[str], group: Sequence[_Change]) -> Iterator[str]:
    start, end, new_start, new_end = _around(group, len(old))
    yield f"@@ -{_range(start, end)} +{_range(new_start, new_end)} @@\n"
    at = start
    for old_start, old_end, new_from, new_to in group:
        yield from _marked(" ", old[at:old_start])
        yield from _marked("-", old[old_start:old_end])
        yield from _marked("+", new[new_from:new_to])
        at = old_end
    yield from _marked(" ", old[at:end])


def _range(start: int, end: int) -> str:
    return f"{start + 1 if end > start else start},{end - start}"


def _marked(mark: str, lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        yield mark + line if line.endswith("\n") else mark + line + _NO_END


def _size(content: bytes | None) -> str:
    """Return the size of a content and the beginning of its SHA-256."""
    return "none" if content is None else f"{len(content):,} bytes, {hashlib.sha256(content).hexdigest()[:12]}"
