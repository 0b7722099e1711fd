# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The result of a plan or an apply: the planned changes and their outcome. It is the only source of every report."""

from __future__ import annotations

import datetime
import functools
import getpass
import socket
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import yaml

from ...module_utils.ansible_compat import masked_values
from ...module_utils.model.kinds import KINDS
from ...module_utils.plan.change import ARCHIVE, CREATE, DELETE, UPDATE
from ..apply.executor import Outcome
from ..desired.desired import SECTIONS
from ..desired.entry import Entry
from ..desired.hiding import VAULTED, Hiding
from ..desired.positions import Place
from ..rules.rule import Rule
from ..set_plan.baseline import SIDES, combined
from ..set_plan.plan import InstancePlan, Planned
from .reading import Reading
from .removals import Removals
from .shown_references import sides_as_written
from .table_rows import Rows

_TWICE = (
    "somebody else created the same record at the same time; delete one of them in the application, then run it again"
)
#: Properties of a change that describe its record besides its fields.
_ARCHIVED = "archived"

ACTIONS = {CREATE: "created", UPDATE: "updated", DELETE: "deleted", ARCHIVE: "archived"}

#: The counts of each section.
COUNTS = (*ACTIONS.values(), "unchanged", "errors", "skipped")

#: The possible outcomes of a run.
OUTCOMES = ("unchanged", "changed", "drift", "failed", "refused", "partly_applied", "partly_undone")


#: Members of a result that are not part of any document.
_ONLY_HERE = ("located", "places", "warning_places", "rules", "odd", "reading", "compares")

#: Members that only the documents of an undo have.
OF_UNDO = ("undone", "not_restored")

#: Members that the documents of an undo don't have, because they are about all records of a set.
OF_FILES = ("reported", "scan_codes", "tables", "never_in_a_table", "sides")

#: Members that the documents of a comparison don't have, because it applies nothing.
OF_APPLY = ("failures", "forecast", "mails", "undo", "apply_record", "apply_record_digest", "plan_digest")

#: The member of every document that only a check of the files fills.
ONLY_VALIDATED = "records"


def forecast_of(changes: int, read: int, per_minute: int) -> dict[str, Any]:
    """Return how many requests an apply needs at least, and their minutes at the limit.

    :param read: requests of planning; an apply plans once more.
    :param per_minute: requests that the limit allows; 0 for no limit, and then the minutes are None.
    """
    requests = read + changes if changes else 0
    return {"requests": requests, "minutes": round(requests / per_minute, 1) if per_minute else None}


@dataclass
class RunResult:
    """A plan and its outcome: the only source of every report.

    :ivar outcome: one of :data:`OUTCOMES`.
    :ivar findings: one for each kind of mistake.
    :ivar every_finding: one for each mistake, if these are more.
    :ivar tables: table to reason to rows that are not used as written, and records that left the table.
    :ivar never_in_a_table: section to number of records that are in no file and were in no table.
    :ivar plan_digest: of the approval that was written or is applied; empty without one.
    :ivar apply_record: the file with the changes, by which they can be undone; empty if none was written.
    :ivar apply_record_digest: SHA-256 of that file.
    :ivar forecast: requests of an apply at least, and their minutes at the rate limit, which are None without a limit.
    :ivar made_by: origin of the result: set, time, user, version and inventory host.
    :ivar cautions: the most important warnings, with which every report begins.
    :ivar scan_codes: rows whose object has a label, rows, and objects whose code differs from the files; empty if
        ``scan_codes`` is not set.
    :ivar located: place and message of each finding.
    :ivar places: index of a change to its place, and with the key of a field to that of the field in its layer.
    :ivar warning_places: warning to its place.
    :ivar rules: finding or warning to the rule of the task that it is about.
    :ivar odd: index of a change and key of a field to what is odd about the value.
    :ivar reading: how people read the values.
    :ivar compares: True if the run could only compare. These seven are not part of the document.
    :ivar undo: what can't be undone, in words.
    :ivar undone: the apply that the run undoes: time, set, user, number of changes, and its record; empty without one.
    :ivar not_restored: section, key, field and reason of what an undo does not restore.
    :ivar sides: side that changed a record since the last apply, to the number of records.
    :ivar hidden_records: whether records are hidden from the account: yes, no or unknown.
    :ivar moves: records that change their place.
    :ivar money: totals before and after.
    :ivar persons: who gains or loses things.
    :ivar mails: what sends e-mail. All four are rows of :class:`~.meaning.Meaning`.
    :ivar records: the merged records of all layers, if only the files were checked.
    """

    outcome: str
    instance: str
    check_mode: bool
    summary: dict[str, dict[str, int]] = field(default_factory=dict)
    cautions: list[str] = field(default_factory=list)
    moves: list[dict[str, Any]] = field(default_factory=list)
    money: list[dict[str, Any]] = field(default_factory=list)
    persons: list[dict[str, Any]] = field(default_factory=list)
    mails: list[dict[str, Any]] = field(default_factory=list)
    undo: str = ""
    undone: dict[str, Any] = field(default_factory=dict)
    changes: list[dict[str, Any]] = field(default_factory=list)
    failures: list[dict[str, str]] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)
    findings: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    reported: dict[str, list[str]] = field(default_factory=dict)
    requests: int = 0
    duration: float = 0.0
    plan_digest: str = ""
    apply_record: str = ""
    apply_record_digest: str = ""
    every_finding: list[str] = field(default_factory=list)
    forecast: dict[str, Any] = field(default_factory=lambda: forecast_of(0, 0, 1))
    made_by: dict[str, str] = field(default_factory=dict)
    located: Sequence[tuple[Place, str]] = ()
    places: Mapping[Any, Place] = field(default_factory=dict)
    warning_places: Mapping[str, Place] = field(default_factory=dict)
    rules: Mapping[str, Rule] = field(default_factory=dict)
    odd: Mapping[tuple[int, str], Sequence[str]] = field(default_factory=dict)
    reading: Reading = field(default_factory=Reading)
    compares: bool = False
    sides: dict[str, int] = field(default_factory=lambda: dict.fromkeys(SIDES, 0))
    hidden_records: str = ""
    scan_codes: dict[str, int] = field(default_factory=dict)
    not_restored: list[dict[str, str]] = field(default_factory=list)
    records: list[dict[str, Any]] = field(default_factory=list)
    tables: Rows = field(default_factory=dict)
    never_in_a_table: dict[str, int] = field(default_factory=dict)

    @property
    def failed(self) -> bool:
        return self.outcome in ("failed", "refused", "partly_applied")

    @property
    def is_drift(self) -> bool:
        """Return True if the changes are only a comparison of the files with the instance."""
        return self.compares or self.outcome == "drift"

    @property
    def title(self) -> str:
        """Return the instance, with its inventory host before it, if there is one."""
        host = self.made_by.get("host", "")
        return f"{host}: {self.instance}" if host else self.instance

    def document(self) -> dict[str, Any]:
        """Return the result as JSON, with the meaning of the changes before the changes."""
        left_out = (*_ONLY_HERE, *(OF_FILES if self.undone else OF_UNDO), *(OF_APPLY if self.compares else ()))
        return {name: getattr(self, name) for name in self.__dataclass_fields__ if name not in left_out}


#: Members of a result that quote texts of the service and of files.
_OF_OTHERS = (
    *("failures", "refusals", "findings", "every_finding", "warnings", "cautions", "reported", "tables"),
    *("moves", "money", "persons", "mails", ONLY_VALIDATED, "undone", "not_restored"),
)
#: Members of a change with our own words.
_OURS = ("section", "action", "uuid", "status")


def sides_of(changes: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """Return the number of records of each side."""
    found = Counter(combined(change["sides"].values()) for change in changes)
    return {side: found[side] for side in SIDES}


def for_people(result: RunResult, separator: str = ",") -> RunResult:
    """Return a result whose changes have values for people. Documents keep the values of the files.

    :param separator: between thousands of an amount.
    """
    changes = [result.reading.of_change(change, separator) for change in result.changes]
    called = result.reading.people
    persons = [{**person, "person": called.get(person["person"], person["person"])} for person in result.persons]
    return replace(result, changes=changes, persons=persons)


def masked_result(result: RunResult) -> RunResult:
    """Return a result in which Ansible masked the secrets that it knows, as it does on the screen.

    Outcome, counts and our own words stay, so every report agrees with the exit code.
    """
    changes = [
        {**masked_values(change), **{name: change[name] for name in _OURS if name in change}}
        for change in result.changes
    ]
    located = [(place, masked_values(message)) for place, message in result.located]
    texts = {name: masked_values(getattr(result, name)) for name in _OF_OTHERS}
    places = {masked_values(warning): place for warning, place in result.warning_places.items()}
    rules = {masked_values(text): rule for text, rule in result.rules.items()}
    odd = {field: masked_values(words) for field, words in result.odd.items()}
    return replace(result, changes=changes, located=located, warning_places=places, rules=rules, odd=odd, **texts)


def failures_of(changes: Sequence[Mapping[str, Any]], twice: Iterable[str]) -> list[dict[str, str]]:
    """Return the changes that failed, were skipped because of a failure, or were not tried, with place and reason.

    :param twice: the records that exist twice.
    """
    failed = [change for name in (FAILED, SKIPPED, NOT_TRIED) for change in changes if change["status"] == name]
    return [
        *(
            {"change": f"{KINDS[SECTIONS[change['section']]].words} {change['key']}"}
            | {name: change[name] for name in ("place", "reason")}
            for change in failed
            if change["reason"]
        ),
        *({"change": text, "place": "", "reason": _TWICE} for text in twice),
    ]


def summary_of(
    plan: InstancePlan, changes: Iterable[Mapping[str, Any]], only_planned: bool
) -> dict[str, dict[str, int]]:
    """Count changes per section: planned, applied, or zero if the run was refused."""
    found = Counter((change["section"], _count_of(change, only_planned)) for change in changes)
    summary = {}
    for section in SECTIONS:
        counts = {word: found[section, word] for word in COUNTS}
        counts["unchanged"] += plan.unchanged[section]
        counts["skipped"] += plan.skipped[section]
        if any(counts.values()):
            summary[section] = counts
    return summary


def _count_of(change: Mapping[str, Any], only_planned: bool) -> str:
    if only_planned or change["status"] == DONE:
        return ACTIONS[change["action"]]
    return "errors" if change["status"] == FAILED else "skipped"


#: The status of a change after an apply. All changes of a plan are not tried.
DONE, FAILED, SKIPPED, NOT_TRIED = "done", "failed", "skipped", "not_tried"


def reported_changes(
    plan: InstancePlan, hiding: Hiding, outcome: Outcome | None, entries: Iterable[Entry] = ()
) -> list[dict[str, Any]]:
    """Return every change for reports: fields by key with their labels, and the outcome.

    :param outcome: None if nothing was applied.
    :param entries: all records of the files.
    """
    done = outcome or Outcome()
    lists = ((NOT_TRIED, done.not_tried), (SKIPPED, done.skipped), (FAILED, done.failures))
    fates = {id(planned.entry): (status, reason) for status, pairs in lists for planned, reason in pairs}
    usual = (NOT_TRIED, "") if outcome is None else (DONE, "")
    removals = Removals(plan, entries, hiding)
    reported = []
    for planned in plan.changes:
        status, reason = fates.get(id(planned.entry), usual)
        change, current = planned.change, planned.change.current
        # Names of fields may be vaulted.
        state = None if hiding.has_any and planned.kind.defines_fields else plan.state
        sides = sides_as_written(planned, state, removals.known_name_of)
        before, after = (_shown(planned, side, removals) for side in sides)
        reported.append(
            {
                "section": planned.section,
                "key": planned.key,
                "action": change.action,
                "note": planned.remark or change.note,
                "uuid": planned.created_uuid or (current.uuid if current is not None else None),
                "before": before,
                "after": after,
                "sides": dict(planned.sides),
                "edited": dict(planned.edited),
                "place": str(planned.place_of()),
                "labels": _labels(planned, (*before, *after)),
                "status": status,
                "reason": reason,
                "name": removals.name_of(planned),
                "removed": removals.removed_with(planned),
            }
        )
    return reported


def _shown(planned: Planned, values: Mapping[str, Any], removals: Removals) -> dict[str, Any]:
    """Return the fields of a change without hidden values. Whether a record is archived is never hidden."""
    own = "" if _ARCHIVED in planned.schema.fields else _ARCHIVED
    return {key: VAULTED if key != own and removals.hides(planned, key) else value for key, value in values.items()}


def _labels(planned: Planned, keys: Iterable[str]) -> dict[str, str]:
    """Return the labels of the fields of a change that differ from their keys."""
    fields = {key: planned.schema.fields[key] for key in keys if key in planned.schema.fields}
    return {key: field.label for key, field in fields.items() if field.label and field.label != key}


# ---- origin

#: The inventory host that says nothing about an instance.
_THIS_MACHINE = "localhost"

_COLLECTION = Path(__file__).parents[3]
_MANIFESTS = ("MANIFEST.json", "galaxy.yml")


def made_by(set_name: str, host: str = "") -> dict[str, str]:
    """Return the set, the time in UTC, user and machine, the version, and the inventory host of the instance.

    Unknown texts are empty.
    """
    now = datetime.datetime.now(datetime.UTC)
    origin = {"set": set_name, "date": now.strftime("%Y-%m-%dT%H:%M:%SZ"), "user": _user(), "version": version()}
    return {**origin, "host": "" if host == _THIS_MACHINE else host}


def _user() -> str:
    try:
        user = getpass.getuser()
    except (KeyError, OSError):
        # The user of a container may be a number without a name.
        return ""
    return f"{user}@{socket.gethostname()}"


@functools.cache
def version() -> str:
    """Return the version of the collection.

    An installed collection has a manifest, a checkout the source of the manifest.
    """
    path = next((path for name in _MANIFESTS if (path := _COLLECTION / name).is_file()), None)
    document: dict[str, Any] = {} if path is None else yaml.safe_load(path.read_text("utf-8"))
    return str(document.get("collection_info", document).get("version", ""))
