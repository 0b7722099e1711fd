# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The result of a plan or an apply as text, JSON, Markdown or a page."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from ...module_utils.client.redaction import without
from ...module_utils.errors import InvalidInput
from ...module_utils.local.access import PRIVATE_FILE, Access
from ...module_utils.local.safe_files import FileType, Folder
from ...module_utils.printing.cleaner import clean
from .csv_report import as_csv
from .groups import Group, fields_by_number, groups, is_worth_a_table, name_and_fields
from .html_report import as_html
from .in_brief import tables
from .markdown_report import as_markdown
from .parts import (
    ALONE,
    FIRST,
    SIGNS,
    alone,
    cautions,
    counts,
    forecast,
    hidden_records,
    key_and_name,
    reasons,
    remark,
    scan_codes,
    shown_fields,
    undo_words,
    warnings,
    words_of,
)
from .result import DONE, RunResult, in_figures, masked_result
from .sarif_report import as_sarif

_LONGEST = 500
"""Maximum characters of a value. The JSON report and the result of the task have the whole value."""

_SHORTEST_SECRET = 6

_SCREEN = 36
"""Number of lines at the beginning of a report that are visible at once."""

_EXAMPLES = 3
"""Number of named records that are in no file. The others are counted."""


def as_text(result: RunResult) -> str:
    """Return the result for a terminal, where the end stays visible.

    It has every change with its fields, the counts, the problems, and in the last line the outcome with its reason.
    Equal changes have one line, followed by the name of each record.
    """
    result = in_figures(result)
    lines = [*_beginning(result)]
    if is_worth_a_table(result.changes):
        numbers = fields_by_number(result.changes)
        lines += _titled("Fields", [f"{words_of(section)} {name}: {number:,}" for section, name, number in numbers])
    lines += _titled("Warnings", warnings(result))
    lines += _titled(ALONE, alone(result, _EXAMPLES))
    return "\n".join([*lines, *_ending(result)])


def _beginning(result: RunResult) -> Iterator[str]:
    """Yield what is odd, what the changes mean, and every change with its fields."""
    yield from _titled(FIRST, cautions(result))
    yield from _meaning(result)
    for group in groups(result.changes, result.is_drift):
        yield from _grouped(group, result.is_drift)


def in_brief(result: RunResult) -> list[str]:
    """Return the result for a terminal that shows warnings and the diff already: what the changes mean, and counts."""
    return [*_meaning(result), *_ending(result)]


def _meaning(result: RunResult) -> list[str]:
    lines = [line for table in tables(result) for line in _titled(table.title, table.lines)]
    return [*lines, undo_words(result)] if result.undo else lines


def _ending(result: RunResult) -> list[str]:
    """Return the counts, the problems and the outcome."""
    lines = counts(result)
    lines += [scan_codes(result)] if scan_codes(result) else []
    if hidden_records(result):
        lines.append(f"Hidden records: {hidden_records(result)}")
    lines += [f"Forecast: {forecast(result)}"] if forecast(result) else []
    if result.plan_digest:
        lines.append(f"Plan file: sha256:{clean(result.plan_digest)}")
    for title, texts in reasons(result).items():
        lines += _titled(title, texts)
    return [*lines, closing(result)]


def _grouped(group: Group, is_drift: bool) -> Iterator[str]:
    if group.is_same:
        yield f"{SIGNS[group.action]} {group.title}"
        for change in group.changes:
            yield f"    {clean(change['section'])} {key_and_name(change)}{_marked(change, is_drift)}"
        return
    for change in group.changes:
        yield f"{_record(change)}{_marked(change, is_drift)}"
        for name, text in shown_fields(change, _LONGEST, is_drift):
            yield f"    {name}: {text}"


def _record(change: Mapping[str, Any]) -> str:
    return f"{SIGNS[change['action']]} {clean(change['section'])} {key_and_name(change)}"


def _marked(change: Mapping[str, Any], is_drift: bool) -> str:
    text = remark(change, is_drift)
    return f" ({text})" if text else ""


def named(change: Mapping[str, Any]) -> str:
    """Return a change on one line, with the names of the changed fields."""
    return name_and_fields(change, _record(change))


def _titled(title: str, texts: Sequence[str]) -> list[str]:
    return [f"{title}:", *(f"  {text}" for text in texts)] if texts else []


def closing(result: RunResult, why: str = "") -> str:
    """Return the last line: the outcome, its cost, and the reason of a failure.

    :param why: the reason, if the result has none of its own.
    """
    reason = why or _why(reasons(result))
    left = (
        sum(change.get("status", DONE) != DONE for change in result.changes)
        if result.outcome == "partly_applied"
        else 0
    )
    rest = f"; {left} of {len(result.changes)} changes are left, and the next run resumes them" if left else ""
    return f"{result.outcome}, {result.requests} requests, {result.duration:.1f} s{reason and f': {reason}'}{rest}"


_WORDS = {"Refused": "reasons", "Findings": "findings", "Failed": "records that failed or were skipped"}


def _why(wrong: Mapping[str, Sequence[str]]) -> str:
    """Return the only reason, or the number of reasons and the first."""
    for title, texts in wrong.items():
        return texts[0] if len(texts) == 1 else f"{len(texts)} {_WORDS[title]}, the first: {texts[0]}"
    return ""


def as_json(result: RunResult) -> str:
    """Return JSON with the same data for every program, and nothing that controls a terminal.

    It begins with a screen of text, for people who open the file.
    """
    document = {"overview": [*islice(_first_lines(in_figures(result)), _SCREEN)], **result.document()}
    lines = json.dumps(document, indent=1, ensure_ascii=False, default=str).split("\n")
    return "".join(f"{clean(line)}\n" for line in lines)


def _first_lines(result: RunResult) -> Iterator[str]:
    """Yield the reasons of a failure, and then what the report as text begins with."""
    for title, texts in reasons(result).items():
        yield from _titled(title, texts[:_REASONS])
    yield from _beginning(result)


_REASONS = 6
"""Number of reasons in the overview. The document has all of them."""

_SARIF = ".sarif"
_COMMENT = ".md"
_FORMS: dict[str, Callable[[RunResult], str]] = {
    ".html": as_html,
    ".json": as_json,
    _COMMENT: as_markdown,
    _SARIF: as_sarif,
    ".csv": as_csv,
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
    result = masked_result(result)
    if path.suffix == _SARIF:
        text = as_sarif(result, src)
    else:
        text = as_markdown(result, url=url) if path.suffix == _COMMENT else _FORMS[path.suffix](result)
    # A short secret might also occur in the report's own text. Masking it there would break the JSON.
    hidden = [secret for secret in secrets if len(secret) >= _SHORTEST_SECRET]
    store_report(path, without(hidden, text).encode())


def store_report(path: Path, content: bytes) -> None:
    """Write a report that only its owner can read."""
    Folder(path.parent).write(path.name, content, Access(mode=PRIVATE_FILE))
