# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The result of a plan or an apply as text and as JSON, and the files of all formats."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path

from ...module_utils.client.redaction import without
from ...module_utils.errors import InvalidInput
from ...module_utils.local.access import PRIVATE_FILE, Access
from ...module_utils.local.safe_files import FileType, Folder
from ...module_utils.printing.cleaner import amount, clean
from .changes import SIGNS, Group
from .csv_report import as_csv
from .html_report import as_html
from .markdown_report import as_markdown
from .result import RunResult, masked_result
from .sarif_report import as_sarif
from .view import Block, View, view_of

_SHORTEST_SECRET = 6


def as_text(result: RunResult) -> str:
    """Return the result for a terminal, where the end stays visible.

    It has the changes with their fields, the counts, the problems, and in the last line the outcome with its reason.
    """
    view = view_of(result)
    changes = [line for group in view.groups for line in _group(group)]
    return "\n".join([*_lines(view.cautions), *_meaning(view), *changes, *_lines(view.notes), *_ending(view)])


def in_brief(result: RunResult) -> list[str]:
    """Return the result for a terminal that shows warnings and the diff already: what the changes mean, and counts."""
    view = view_of(result)
    return [*_meaning(view), *_ending(view)]


def as_json(result: RunResult) -> str:
    """Return JSON with the same data for every program, and nothing that controls a terminal."""
    lines = json.dumps(result.document(), indent=1, ensure_ascii=False, default=str).split("\n")
    return "".join(f"{clean(line)}\n" for line in lines)


def _meaning(view: View) -> list[str]:
    return [*_lines(view.meaning), *([view.undo] if view.undo else [])]


def _lines(blocks: Iterable[Block]) -> list[str]:
    return [line for block in blocks for line in (f"{block.title}:", *(f"  {text}" for text in block.lines))]


def _group(group: Group) -> Iterator[str]:
    sign = SIGNS[group.action]
    if group.is_same:
        yield f"{sign} {group.title}"
    for row in group.rows:
        yield f"{'   ' if group.is_same else sign} {row.line}"
        for value in () if group.is_same else row.values:
            yield f"    {value.line}"
    if group.more:
        yield f"    and {group.more:,} more of {group.title}"


def _ending(view: View) -> list[str]:
    """Return the counts, the facts, the problems and the outcome."""
    facts = [f"{title}: {text}" for title, text in view.facts]
    return [*counts(view), *facts, *_lines(view.reasons), closing(view)]


def counts(view: View) -> list[str]:
    """Return the counts of each section, one per line."""
    words = view.counts.heads[1:]
    parts = [
        (section, [f"{number} {word}" for number, word in zip(numbers, words, strict=True) if number != "0"])
        for section, *numbers in view.counts.rows
    ]
    return [f"{section}: {', '.join(texts)}" for section, texts in parts]


def closing(view: View, why: str = "") -> str:
    """Return the last line: the outcome, its cost, and the reason of a failure.

    :param why: the reason, if the result has none of its own.
    """
    result, reason = view.result, why or _why(view.reasons)
    requests = amount(result.requests, "request")
    return f"{result.outcome}, {requests}, {result.duration:.1f} s{reason and f': {reason}'}"


_WORDS = {"Refused": "reasons", "Findings": "findings", "Failed": "records that failed or were skipped"}


def _why(wrong: Iterable[Block]) -> str:
    """Return the only reason, or the number of reasons and the first."""
    for block in wrong:
        first = block.lines[0]
        return first if block.number == 1 else f"{block.number:,} {_WORDS[block.title]}, the first: {first}"
    return ""


# ---- files

#: The suffix of a file to its format, which may need the directory of the files and the URL of the full report.
_FORMS: dict[str, Callable[[RunResult, Path | None, str], str]] = {
    ".html": lambda result, _src, _url: as_html(result),
    ".json": lambda result, _src, _url: as_json(result),
    ".md": lambda result, _src, url: as_markdown(result, url=url),
    ".sarif": lambda result, src, _url: as_sarif(result, src),
    ".csv": lambda result, _src, _url: as_csv(result),
}


def check_report(path: Path) -> None:
    """Check that a report can be written to a path, before anything is sent.

    :raises InvalidInput: for an unknown suffix, a missing directory, a device or a pipe.
    """
    check_report_path(path, _FORMS)


def check_report_path(path: Path, endings: Collection[str], option: str = "report") -> None:
    """Refuse a path that no report can be written to.

    :param endings: the suffixes of known formats. :param option: the option that names the path.
    :raises InvalidInput: for another suffix, a missing directory, a device or a pipe.
    """
    if path.suffix not in endings:
        raise InvalidInput(f"{option}: {path} ends in {path.suffix or 'nothing'}; expected {' or '.join(endings)}")
    if not path.parent.is_dir() or path.is_dir() or _type_of(path, option) is FileType.OTHER:
        raise InvalidInput(f"{option}: {path} can't be written; expected a file in an existing directory")


def _type_of(path: Path, option: str) -> FileType | None:
    try:
        return Folder(path.parent).type_of(path.name)
    except InvalidInput as refused:
        raise InvalidInput(f"{option}: {refused.message}") from refused


def write_report(
    result: RunResult, path: Path, src: Path | None = None, secrets: Iterable[str] = frozenset(), url: str = ""
) -> None:
    """Write the result in the format of the file's suffix: a page, JSON, Markdown, CSV, or its findings as SARIF.

    :param src: the directory of the files, if there is one.
    :param secrets: texts that are never written, however a record of the service spells them.
    :param url: of the full report, for the link in a comment; empty if unknown.
    """
    check_report(path)
    text = _FORMS[path.suffix](masked_result(result), src, url)
    # A short secret might also occur in the report's own text. Masking it there would break the JSON.
    store_report(path, without([secret for secret in secrets if len(secret) >= _SHORTEST_SECRET], text).encode())


def store_report(path: Path, content: bytes) -> None:
    """Write a report that only its owner can read."""
    Folder(path.parent).write(path.name, content, Access(mode=PRIVATE_FILE))
