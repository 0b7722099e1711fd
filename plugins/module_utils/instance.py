# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An instance as code: guard, plan, plan file, apply, and one account of it for every report."""

from __future__ import annotations

import contextlib
import datetime as dt
import gc
import json
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from . import plan
from .client import Client
from .connection import instance_root
from .desired import SECTIONS, DesiredInstance, Entry, Limits, Place, limit_of, prune_actions
from .errors import InvalidInput, SeventhingsError
from .fields import Plain
from .journal import Journal, JournalHeld
from .kinds import HUB_ITEM, KINDS
from .levels import Levels, Outcome, Progress
from .many import plan_instance
from .planned import Choices, InstancePlan, Planned, drop_changes
from .validation import judge

PLAN_VERSION = 1
ACTIONS = {plan.CREATE: "created", plan.UPDATE: "updated", plan.DELETE: "deleted", plan.ARCHIVE: "archived"}


@dataclass(frozen=True)
class Order:
    """What the user wants done.

    :ivar plan_file: written in check mode; applied in a real run where it is there.
    :ivar stale: what to do with a change whose record is not as it was planned from: ``refuse`` or ``skip``.
    :ivar expect_instance: the root that the connection must have, in place of what the files say.
    """

    check_mode: bool = False
    plan_file: Path | None = None
    journal: Path | None = None
    only: Sequence[str] = ()
    exclude: Sequence[str] = ()
    prune: Mapping[str, str] = field(default_factory=dict)
    limits: Mapping[str, float] = field(default_factory=dict)
    workers: int = 8
    stale: str = "refuse"
    confirm_empty: bool = False
    allow_destructive: bool = False
    expect_instance: Sequence[str] = ()


@dataclass
class Account:
    """What was planned and what became of it; the one source of every report.

    :ivar outcome: unchanged, changed, failed, refused or partly_applied.
    """

    outcome: str
    instance: str
    check_mode: bool
    summary: dict[str, dict[str, int]]
    changes: list[dict[str, Any]]
    failures: list[dict[str, str]]
    refusals: list[str]
    findings: list[str]
    warnings: list[str]
    reported: dict[str, list[str]]
    requests: int
    duration: float

    @property
    def failed(self) -> bool:
        return self.outcome in ("failed", "refused", "partly_applied")

    def document(self) -> dict[str, Any]:
        """As JSON: the same members, in this order."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


@contextlib.contextmanager
def many_objects() -> Iterator[None]:
    """Makes very many objects that stay: looking through all of them for garbage, again and again, takes as long as
    making them.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def run_instance(
    client: Client,
    desired: DesiredInstance,
    order: Order,
    tell: Callable[[Progress], None] = lambda _progress: None,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> Account:
    """Plans an instance, and in a real run applies the plan.

    :raises SeventhingsError: where nothing could be planned.
    """
    return _Run(client, desired, order, tell, clock, sleep).run()


class _Run:
    def __init__(
        self,
        client: Client,
        desired: DesiredInstance,
        order: Order,
        tell: Callable[[Progress], None],
        clock: Callable[[], float],
        sleep: Callable[[float], None],
    ) -> None:
        self._client = client
        self._desired = desired
        self._order = order
        self._tell = tell
        self._clock = clock
        self._sleep = sleep
        self._started = clock()
        self._before = client.transport.sent
        self._images: dict[int, str] = {}

    def run(self) -> Account:
        stored = self._stored_plan()
        refusal = self._guard()
        if refusal:
            return self._account("refused", InstancePlan(), refusals=[refusal])
        policy = self._desired.policy
        limits = _limits(policy.limits, self._order.limits)
        self._desired.policy = replace(policy, prune={**policy.prune, **self._chosen_prune()}, limits=limits)
        journal = self._journal()
        if self._order.check_mode or self._desired.findings:
            return self._planned(journal, stored)
        try:
            # From before the first look: what another run is about to make must not be planned once more.
            with journal:
                return self._planned(journal, stored)
        except JournalHeld as held:
            return self._account("refused", InstancePlan(), refusals=[held.message])

    def _planned(self, journal: Journal, stored: bool) -> Account:
        choices = Choices(
            self._order.only,
            self._order.exclude,
            frozenset(journal.known),
            self._order.allow_destructive,
            self._order.confirm_empty,
            journal.approved,
            self._order.workers,
        )
        try:
            with many_objects():
                made = plan_instance(self._client, self._desired, choices)
        except SeventhingsError:
            if not self._desired.findings:
                raise
            # Without an instance, at least what is wrong with the files.
            made = InstancePlan(findings=judge(self._desired))
        if made.findings:
            return self._account("failed", made)
        if stored:
            made, refusals = self._without_stale(made)
            if refusals:
                return self._account("refused", made, refusals=refusals)
        if made.brakes:
            return self._account("refused", made, refusals=made.brakes)
        if self._order.check_mode:
            self._store_plan(made)
            return self._account("changed" if made.changes else "unchanged", made)
        account = self._apply(made, journal)
        if stored and self._order.plan_file is not None:
            self._order.plan_file.unlink(missing_ok=True)
        return account

    def _guard(self) -> str:
        """Why this instance is not the one that is meant; empty where it is, or where nothing says which one is."""
        wanted = list(self._order.expect_instance) or list(self._desired.instances)
        roots = [instance_root(root, allow_http=True) for root in wanted]
        here = self._client.transport.root
        if wanted and here not in roots:
            meant = ", ".join(roots)
            return f"These files are for {meant}, and the connection is to {here}. expect_instance overrides it."
        return ""

    def _chosen_prune(self) -> dict[str, str]:
        for section, action in self._order.prune.items():
            if section not in SECTIONS:
                raise InvalidInput(f"prune.{section}: expected one of the sections {', '.join(SECTIONS)}")
            if action not in prune_actions(section):
                allowed = " or ".join(prune_actions(section))
                raise InvalidInput(f"prune.{section}: {action!r} does not fit; expected {allowed}")
        return dict(self._order.prune)

    def _journal(self) -> Journal:
        directory = self._order.journal or Path(self._desired.root or ".") / ".seventhings"
        return Journal(directory, self._client.transport.root, self._desired.set_name, self._sleep, self._clock)

    def _apply(self, made: InstancePlan, journal: Journal) -> Account:
        levels = Levels(
            self._client, made, journal, self._order.workers, self._tell, self._sleep, self._desired.policy.notify
        )
        if not made.changes:
            journal.managed(made.managed)
            return self._account("unchanged", made)
        journal.begun(planned.approval for planned in made.changes)
        outcome = levels.run()
        bad = outcome.failures or outcome.skipped or outcome.twice
        if not bad:
            journal.ended()
        name = "changed" if not bad else "partly_applied" if outcome.done else "failed"
        return self._account(name, made, outcome)

    # ---- plan files

    def _stored_plan(self) -> bool:
        """Reads the plan file of a real run where there is one: its changes are all that is desired then."""
        path = self._order.plan_file
        if path is None or self._order.check_mode or not path.exists():
            return False
        try:
            document = json.loads(path.read_text("utf-8"))
            if document["version"] != PLAN_VERSION:
                raise InvalidInput(
                    f"plan_file: {path} is of version {document['version']}; expected {PLAN_VERSION}. Plan again."
                )
            self._desired = _desired_from(document)
            self._images = {
                id(entry): change["image"]
                for entry, change in zip(self._desired.entries, document["changes"], strict=True)
            }
        except (ValueError, KeyError, TypeError) as error:
            raise InvalidInput(
                f"plan_file: {path} is not a plan of this collection ({error!r}). Plan again."
            ) from error
        return True

    def _without_stale(self, made: InstancePlan) -> tuple[InstancePlan, list[str]]:
        stale = [
            planned for planned in made.changes if self._images.get(id(planned.entry), planned.image) != planned.image
        ]
        if not stale:
            return made, []
        if self._order.stale == "skip":
            made.warnings += [
                f"{planned}: skipped, because it is not as it was when the plan was made." for planned in stale
            ]
            return drop_changes(made, stale), []
        return made, [
            f"{planned} is not as it was when the plan was made. Plan again, or set stale: skip." for planned in stale
        ]

    def _store_plan(self, made: InstancePlan) -> None:
        path = self._order.plan_file
        if path is None:
            return
        document = {
            "version": PLAN_VERSION,
            "instance": self._client.transport.root,
            "set": self._desired.set_name,
            "timezone": self._desired.timezone,
            "root": self._desired.root,
            "identity": {section: list(keys) for section, keys in self._desired.identity.items()},
            "create_users": self._desired.policy.create_users,
            "notify": self._desired.policy.notify,
            "changes": [_stored(planned) for planned in made.changes],
        }
        path.write_text(json.dumps(document, indent=1, ensure_ascii=False, default=str) + "\n", "utf-8")

    # ---- account

    def _account(
        self, name: str, made: InstancePlan, outcome: Outcome | None = None, refusals: Sequence[str] = ()
    ) -> Account:
        done = outcome or Outcome()
        failures = [
            *(
                {"change": str(planned), "place": str(planned.entry.place), "reason": reason}
                for planned, reason in done.failures
            ),
            *(
                {"change": str(planned), "place": str(planned.entry.place), "reason": reason}
                for planned, reason in done.skipped
            ),
            *(
                {"change": text, "place": "", "reason": "somebody else made the same at the same time"}
                for text in done.twice
            ),
        ]
        return Account(
            outcome=name,
            instance=self._client.transport.root,
            check_mode=self._order.check_mode,
            summary=_summary(made, outcome),
            changes=[_shown(planned) for planned in made.changes],
            failures=failures,
            refusals=list(refusals),
            findings=[str(finding) for finding in made.findings],
            warnings=made.warnings,
            reported={section: names for section, names in made.reported.items() if names},
            requests=self._client.transport.sent - self._before,
            duration=round(self._clock() - self._started, 3),
        )


def _limits(given: Limits, narrowed: Mapping[str, Any]) -> Limits:
    """The limits with those that an option gives in their place."""
    values = dict(vars(given))
    for name, value in narrowed.items():
        number = limit_of(value)
        if name not in values or number is None:
            known = ", ".join(values)
            raise InvalidInput(f"limits.{name}: {value!r} does not fit; expected a number for one of {known}")
        values[name] = number
    return Limits(**values)


def _summary(made: InstancePlan, outcome: Outcome | None) -> dict[str, dict[str, int]]:
    """Section to counts; of a plan what would be, of an apply what was."""
    summary: dict[str, dict[str, int]] = {}
    for section in SECTIONS:
        counts = dict.fromkeys((*ACTIONS.values(), "unchanged", "errors", "skipped"), 0)
        counts["unchanged"] = made.unchanged[section]
        counts["skipped"] = made.skipped[section]
        for action, word in ACTIONS.items():
            planned = sum(1 for one in made.changes if one.section == section and one.change.action == action)
            counts[word] = planned if outcome is None else outcome.done[section, action]
        if outcome is not None:
            counts["errors"] = sum(1 for one, _reason in outcome.failures if one.section == section)
            counts["skipped"] += sum(1 for one, _reason in outcome.skipped if one.section == section)
        if any(counts.values()):
            summary[section] = counts
    return summary


def _shown(planned: Planned) -> dict[str, Any]:
    return {
        "section": planned.section,
        "key": planned.key,
        "action": planned.change.action,
        "uuid": planned.made or (planned.change.current.uuid if planned.change.current else None),
        "before": dict(planned.change.before),
        "after": dict(planned.change.after),
        "place": str(planned.entry.place),
    }


def _stored(planned: Planned) -> dict[str, Any]:
    return {
        **_shown(planned),
        "kind": planned.kind.name,
        "template": planned.entry.template,
        "state": planned.entry.state,
        "fields": {name: _storable(value) for name, value in planned.entry.fields.items()}
        or {key: planned.schema.brief(key, value) for key, value in planned.desired.items()},
        "image": planned.image,
    }


def _desired_from(document: Mapping[str, Any]) -> DesiredInstance:
    desired = DesiredInstance(
        instances=[document["instance"]],
        set_name=document["set"],
        timezone=document["timezone"],
        identity=document["identity"],
        root=document["root"],
    )
    desired.policy = replace(
        desired.policy,
        create_users=document["create_users"],
        notify=document["notify"],
        # The plan was judged when it was made.
        limits=Limits(math.inf, math.inf, math.inf, math.inf, math.inf),
    )
    for change in document["changes"]:
        entry = Entry(
            KINDS[change["kind"]],
            {name: _restored(value) for name, value in change["fields"].items()},
            Place(change["place"]),
            {},
            change["state"],
            change["template"],
            "" if change["action"] == plan.CREATE or change["kind"] == HUB_ITEM.name else change["uuid"] or "",
        )
        desired.entries.append(entry)
    return desired


_SOURCE_TEXT = "!plain"
"""Marks a plain scalar of the files in a plan file, so that ``1.50`` stays the number that it was."""


def _storable(value: Any) -> Any:
    if isinstance(value, Plain):
        return {_SOURCE_TEXT: str(value)}
    if isinstance(value, Mapping):
        return {name: _storable(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_storable(one) for one in value]
    return value.isoformat() if isinstance(value, dt.date) else value


def _restored(value: Any) -> Any:
    if isinstance(value, Mapping):
        if set(value) == {_SOURCE_TEXT}:
            return Plain(value[_SOURCE_TEXT])
        return {name: _restored(one) for name, one in value.items()}
    return [_restored(one) for one in value] if isinstance(value, list) else value
