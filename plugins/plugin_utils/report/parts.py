# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts with the same wording in all formats of a report, each text cleaned for printing."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ...module_utils.model.field import is_generated_key
from ...module_utils.model.kinds import KINDS
from ...module_utils.plan.change import ARCHIVE, CREATE, DELETE, UPDATE
from ...module_utils.printing.cleaner import clean
from ...module_utils.resolve.hidden_records import UNKNOWN, YES
from ..desired.desired import SECTIONS
from ..desired.positions import Place
from .removals import removal_texts
from .result import ACTIONS, NOT_TRIED, RunResult
from .value_diff import side_by_side

SIGNS = {"create": "+", "update": "~", "delete": "-", "archive": "-"}

SMALL = 10
"""Maximum number of changes of a plan that a reviewer reads one by one."""

FIRST = "Look at this first"
"""Title of the result of :func:`cautions`."""

ALONE = "Not in the files, left alone"
"""Title of the result of :func:`alone`."""


def reasons(result: RunResult) -> dict[str, list[str]]:
    """Return the refusals and failures by title, or nothing without any."""
    by_title = {
        "Refused": [clean(text) for text in result.refusals],
        "Findings": [clean(text) for text in result.findings],
        "Failed": [clean(_failure(failure)) for failure in result.failures],
    }
    return {title: texts for title, texts in by_title.items() if texts}


def sent(result: RunResult) -> str:
    """Say whether anything was sent. For a plan, say it in the words of the predicted run."""
    if result.outcome in ("failed", "refused"):
        return "nothing was applied"
    if result.check_mode:
        return "comparison, nothing was sent" if result.is_drift else "plan, nothing was sent"
    return "nothing had to be sent" if result.outcome in ("unchanged", "partly_undone") else "applied"


def _failure(failure: Mapping[str, str]) -> str:
    place = f" ({failure['place']})" if failure.get("place") else ""
    return f"{failure['change']}{place}: {failure['reason']}"


def words_of(section: str) -> str:
    """Return the name of a section for people."""
    return clean(section.replace("_", " "))


def counted(number: int, section: str) -> str:
    """Return a number of records of a section for people."""
    is_one = number == 1 and section in SECTIONS
    return f"{number:,} {KINDS[SECTIONS[section]].words if is_one else words_of(section)}"


def cautions(result: RunResult) -> list[str]:
    """Return the warnings at the beginning of a report, one per line."""
    return [clean(text) for text in result.cautions]


def undo_words(result: RunResult) -> str:
    """Return what can't be undone as a sentence of its own, or an empty text."""
    words = clean(result.undo)
    return f"can be undone {words}" if words.startswith("only in part") else words


def warnings(result: RunResult) -> list[str]:
    """Return the other warnings, one per line."""
    return [clean(text) for text in result.warnings if text not in result.cautions]


def alone(result: RunResult, examples: int) -> list[str]:
    """Return the number of records in each section that are in no file and were left alone.

    :param examples: maximum number of named records.
    """
    lines = []
    for section, names in result.reported.items():
        examples_in_words = ", ".join(short(one_line(name), _NAME) for name in names[:examples])
        rest = len(names) - examples
        lines.append(f"{counted(len(names), section)}: {examples_in_words}{f' and {rest:,} more' if rest > 0 else ''}")
    return lines


_NAME = 80
"""Maximum characters of a name that is only an example."""


DRIFT_WORDS = {
    "created": "missing in the instance",
    "updated": "differs from the files",
    "deleted": "only in the instance",
    "archived": "not archived in the instance",
}
"""The words for each count in a comparison, which changes nothing."""


def action_words(action: str, is_drift: bool) -> str:
    """Return an action in words. For a comparison, say what differs."""
    return DRIFT_WORDS[ACTIONS[action]] if is_drift else action


def remark(change: Mapping[str, Any], is_drift: bool) -> str:
    """Return the mark of a change. For a comparison without a mark, say how the record differs."""
    if is_drift and change["action"] != UPDATE:
        return mark(change) or action_words(change["action"], is_drift)
    return mark(change)


def both_sides(before: str, after: str, is_drift: bool) -> str:
    """Return both values of a field. For a comparison, say which side has which value."""
    return f"files say {after} / instance has {before}" if is_drift else f"{before} -> {after}"


def outcome(result: RunResult) -> str:
    """Return the outcome in words. For a plan, say what it would be."""
    if result.check_mode and result.outcome == "changed":
        return "would change"
    return result.outcome


def counts(result: RunResult) -> list[str]:
    """Return the counts of each section, one per line."""
    words = DRIFT_WORDS if result.is_drift else {}
    return [
        f"{clean(section)}: "
        + ", ".join(f"{number} {words.get(word, word)}" for word, number in numbers.items() if number)
        for section, numbers in result.summary.items()
    ]


_HIDDEN = {
    YES: "yes, this account does not see all records",
    UNKNOWN: "unknown, nothing shows that this account sees all records",
}


def scan_codes(result: RunResult) -> str:
    """Say how many labels are attached; empty if nothing is known about labels."""
    if not result.scan_codes:
        return ""
    attached, total, differ = (result.scan_codes[name] for name in ("attached", "total", "differ"))
    return f"scan codes: {attached:,} of {total:,} attached, {differ:,} differ from the files"


def hidden_records(result: RunResult) -> str:
    """Return whether records are hidden from the account.

    Return an empty text if no change depends on complete lists.
    """
    rests_on_lists = any(
        change["action"] in (DELETE, ARCHIVE)
        or (change["action"] == CREATE and KINDS[SECTIONS[change["section"]]].can_be_hidden)
        for change in result.changes
    )
    return _HIDDEN.get(result.hidden_records, "") if rests_on_lists else ""


def shown_fields(change: Mapping[str, Any], longest: int, is_drift: bool = False) -> list[tuple[str, str]]:
    """Return each field of a change with its value of a creation, both values of an update, or the removed value."""
    action = change["action"]
    if action == CREATE:
        return [(name, after) for name, _before, after in fields(change, longest)]
    texts = () if is_drift else removal_texts(change.get("removed", {}))
    removed = [(name, short(clean(text), longest)) for name, text in texts]
    if action == DELETE:
        return [(name, before) for name, before, _after in fields(change, longest)] + removed
    shown = [(name, both_sides(before, after, is_drift)) for name, before, after in fields(change, longest)]
    return shown + removed


def fields(change: Mapping[str, Any], longest: int) -> list[tuple[str, str, str]]:
    """Return name, value before and value after of every field of a change.

    :param longest: maximum characters of a value.
    """
    before, after = change["before"], change["after"]
    return [
        (field_name(change, key), *side_by_side(before.get(key), after.get(key), longest)) for key in keys_of(change)
    ]


def keys_of(change: Mapping[str, Any]) -> list[str]:
    """Return the keys of all fields of a change."""
    return list(dict.fromkeys([*change["before"], *change["after"]]))


def field_name(change: Mapping[str, Any], key: str) -> str:
    """Return the name of a field for people: its key, or its label if the service generated the key."""
    label = change.get("labels", {}).get(key) if is_generated_key(key) else None
    return short(one_line(label or key), _LONGEST_KEY)


def mark(change: Mapping[str, Any]) -> str:
    """Return the side effects of a change, its outcome and the reason; empty if there is nothing to say."""
    status, reason = change.get("status", NOT_TRIED), change.get("reason", "")
    fate = "" if status == NOT_TRIED and not reason else f"{status.replace('_', ' ')}{reason and f': {reason}'}"
    return clean(", ".join(filter(None, [change.get("note", ""), fate])))


def removal_lines(result: RunResult) -> list[tuple[Place, str]]:
    """Return a line for each deleted or archived record, with the place in the files."""
    return [
        (
            result.places.get(number, Place("")),
            f"{action_words(change['action'], result.is_drift)}: {clean(change['section'])} {_whole(change)}",
        )
        for number, change in enumerate(result.changes)
        if change["action"] in (DELETE, ARCHIVE)
    ]


def change_lines(result: RunResult) -> list[tuple[Place, str]]:
    """Return a line for each record that is created or updated, with its fields and its place in the files."""
    return [
        (
            result.places.get(number, Place("")),
            f"{action_words(change['action'], result.is_drift)}: {clean(change['section'])} {key_and_name(change)}: "
            + "; ".join(f"{name} {text}" for name, text in shown_fields(change, _LONGEST_VALUE, result.is_drift)),
        )
        for number, change in enumerate(result.changes)
        if change["action"] in (CREATE, UPDATE)
    ]


_LONGEST_VALUE = 100
"""Maximum characters of a value in a line about a whole change."""


def _whole(change: Mapping[str, Any]) -> str:
    texts = [f"{name} {text}" for name, text in removal_texts(change.get("removed", {}))]
    return ": ".join(filter(None, [key_and_name(change), ", ".join(texts)]))


def forecast(result: RunResult) -> str:
    """Return the forecast of an apply in words; empty if nothing is to be applied."""
    requests, minutes = result.forecast.get("requests"), result.forecast.get("minutes")
    if not result.check_mode or result.is_drift or not requests:
        return ""
    words = f"{requests:,} request{'' if requests == 1 else 's'}"
    return words if minutes is None else f"{words}, {'1 minute' if minutes == 1 else f'{minutes:,.1f} minutes'}"


def key_of(change: Mapping[str, Any]) -> str:
    """Return the natural key of a changed record, on one line."""
    return short(one_line(change["key"]), _LONGEST_KEY)


def key_and_name(change: Mapping[str, Any]) -> str:
    """Return the natural key and the name of a changed record, on one line."""
    name = change.get("name", "")
    return f"{key_of(change)} {short(one_line(name), _LONGEST_NAME)}" if name else key_of(change)


_LONGEST_NAME = 120
"""Maximum characters of a name beside its key."""


_LONGEST_KEY = 300
"""Maximum characters of a natural key."""


def one_line(name: str) -> str:
    """Return a name unchanged, or in quotes if a part of it had to be escaped."""
    return name if clean(name) == name else clean(json.dumps(name, ensure_ascii=False))


def short(text: str, longest: int) -> str:
    """Return the beginning of a text that is too long."""
    return text if len(text) <= longest else f"{text[: longest - 3]}..."
