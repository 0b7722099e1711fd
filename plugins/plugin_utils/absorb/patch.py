# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes of files: a patch for ``git apply`` in the directory that their names are relative to, and texts to read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from operator import eq

from ...module_utils.printing.cleaner import clean

_CONTEXT = 3
_PLAIN_NAME = re.compile(r"[\w ./@+=,%()-]+", re.ASCII)
_LINE = re.compile(rb"[^\n]*\n|[^\n]+")
_NO_END = b"\n\\ No newline at end of file\n"


@dataclass(frozen=True)
class Part:
    """A range of lines of a file, and the lines that replace it."""

    start: int
    end: int
    new: Sequence[bytes]


@dataclass(frozen=True)
class Edited:
    """A file with its changes.

    :ivar name: its path, with slashes. :ivar old: its content; None for a new file.
    :ivar parts: the lines that change, in order; None if the file does not consist of lines of bytes.
    :ivar cells: what changes in a file without such lines.
    :ivar codec: the encoding of the lines, to show them.
    """

    name: str
    old: bytes | None
    parts: Sequence[Part] | None
    cells: Sequence[str] = ()
    codec: str = "utf-8"


def lines_of(content: bytes) -> list[bytes]:
    """Return the lines of a content, with their ends."""
    return _LINE.findall(content)


def narrowed(old: Sequence[bytes], part: Part) -> Part | None:
    """Return a part without equal lines at its beginning and end, or None if nothing else is in it."""
    before = old[part.start : part.end]
    first = _number_of_equal(before, part.new)
    last = _number_of_equal(before[first:][::-1], part.new[first:][::-1])
    if first == len(before) == len(part.new):
        return None
    return Part(part.start + first, part.end - last, part.new[first : len(part.new) - last])


def _number_of_equal(one: Iterable[bytes], other: Iterable[bytes]) -> int:
    return len(list(takewhile(bool, map(eq, one, other))))


def patch_of(file: Edited) -> bytes:
    """Return the patch of one file. Cells of a file without lines are comments, which ``git apply`` ignores."""
    if file.parts is None:
        return "".join(f"# {line}\n" for line in cells_of(file)).encode()
    old = lines_of(file.old or b"")
    # Without git's own header, names are relative to the current directory, even below the root of a repository.
    head = [f"--- {'/dev/null' if file.old is None else _name('a/', file.name)}\n", f"+++ {_name('b/', file.name)}\n"]
    return b"".join(["".join(head).encode(), *_hunks(old, file.parts)]) if file.parts else b""


def sides_of(file: Edited) -> tuple[str, str]:
    """Return the differing parts of one file before and after, headed by its name, for reading."""
    if file.parts is None:
        return "", "".join(f"{line}\n" for line in cells_of(file))
    old = lines_of(file.old or b"")
    before, after = (
        [f"{clean(file.name)}\n".encode()] if file.old is not None else [],
        [f"{clean(file.name)}\n".encode()],
    )
    for number, group in enumerate(_groups(file.parts)):
        # Ansible prints three lines before a change. The name of the file must be one of them.
        leave_out = int(number == 0 and group[0].start >= _CONTEXT)
        for mark, line in list(_marked_lines(old, group))[leave_out:]:
            before += [line] if mark != b"+" else []
            after += [line] if mark != b"-" else []
    return _shown(before, file.codec), _shown(after, file.codec)


def cells_of(file: Edited) -> Iterator[str]:
    """Return what changes in a file without lines: each cell with its name and both values."""
    return (clean(f"{file.name}:{cell}") for cell in file.cells)


def _shown(lines: Iterable[bytes], codec: str) -> str:
    """Return lines as text that controls no terminal and no log. The last line of a file may have no end."""
    texts = (line.decode(codec, "replace").rstrip("\r\n").removeprefix("\ufeff") for line in lines)
    return "".join("\t".join(map(clean, text.split("\t"))) + "\n" for text in texts)


def _name(side: str, name: str) -> str:
    """Return a name as git reads it: in quotes, with escaped bytes, if it is not plain."""
    if _PLAIN_NAME.fullmatch(name):
        return f"{side}{name}\t" if " " in name else f"{side}{name}"
    escaped = (chr(byte) if 0x20 <= byte < 0x7F and byte not in b'"\\' else f"\\{byte:03o}" for byte in name.encode())
    return f'"{side}{"".join(escaped)}"'


def _groups(parts: Sequence[Part]) -> list[list[Part]]:
    """Return the parts, those close together as a group."""
    groups: list[list[Part]] = []
    for part in parts:
        if groups and part.start - groups[-1][-1].end <= 2 * _CONTEXT:
            groups[-1].append(part)
        else:
            groups.append([part])
    return groups


def _marked_lines(old: Sequence[bytes], group: Sequence[Part]) -> Iterator[tuple[bytes, bytes]]:
    """Yield the lines of a group and around it, each after its mark."""
    at = max(0, group[0].start - _CONTEXT)
    for part in group:
        yield from ((b" ", line) for line in old[at : part.start])
        yield from ((b"-", line) for line in old[part.start : part.end])
        yield from ((b"+", line) for line in part.new)
        at = part.end
    yield from ((b" ", line) for line in old[at : at + _CONTEXT])


def _hunks(old: Sequence[bytes], parts: Sequence[Part]) -> Iterator[bytes]:
    added = 0
    for group in _groups(parts):
        lines = list(_marked_lines(old, group))
        start = max(0, group[0].start - _CONTEXT)
        before, after = (sum(mark != other for mark, _line in lines) for other in (b"+", b"-"))
        yield f"@@ -{_range(start, before)} +{_range(start + added, after)} @@\n".encode()
        yield from (mark + (line if line.endswith(b"\n") else line + _NO_END) for mark, line in lines)
        added += after - before


def _range(start: int, number: int) -> str:
    return f"{start + 1 if number else start},{number}"
