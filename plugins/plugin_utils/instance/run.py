# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Manage an instance as code: guard, plan, approval, apply, and one result for every report."""

from __future__ import annotations

import contextlib
import datetime as dt
import hashlib
import json
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

from ...module_utils.client.client import Client
from ...module_utils.errors import InvalidInput, SeventhingsError
from ...module_utils.model.kinds import KINDS
from ...module_utils.plan.allowed import DESTRUCTIVE, EMPTY_SOURCES, LIMITED_ACCOUNT
from ...module_utils.plan.change import CREATE, UPDATE
from ...module_utils.printing.cleaner import clean
from ..apply.executor import Executor, Outcome, Progress
from ..apply.journal import Journal, JournalRefused, others_of
from ..apply.journal_place import place_of
from ..controller.heap import many_objects
from ..desired.desired import SECTIONS, DesiredInstance, Limits, SourceCount, digest_of
from ..desired.grouped_findings import group_findings
from ..desired.hiding import scrypted
from ..report.reading import reading_of
from ..report.removals import Removals
from ..report.result import RunResult, failures_of, forecast_of, made_by, reported_changes, sides_of, summary_of
from ..report.table_rows import rows_by_table
from ..rules.found import lines_of
from ..rules.rule import RuleSet
from ..set_plan.baseline import Baseline
from ..set_plan.plan import MOST_OF_A_RUN, SAMPLE, InstancePlan, PlanOptions
from ..set_plan.planner import plan_instance
from ..undo.inverse import inverse_of
from ..undo.lasting import lasting_words
from ..undo.record import ApplyRecord
from ..undo.record_file import NOT_KEPT, RecordPlace
from ..undo.recorder import Hides, Recording, recorded_changes
from ..undo.removals import too_many_removals
from .approving import Approver, Approving
from .editors import Editors, overwritten
from .in_use import objects_in_use
from .meaning import meaning_of
from .notes import Notes
from .odd import Oddity, by_field, odd_values
from .options import RunOptions
from .sides import Sides
from .suspected_renames import suspected_renames
from .validation import validate

_DIGEST_BYTES = 32

#: What a comparison allows, because it applies nothing.
_NOTHING_IS_APPLIED = frozenset((DESTRUCTIVE, EMPTY_SOURCES, LIMITED_ACCOUNT))

_NO_LIMITS = dict.fromkeys(vars(Limits()), math.inf)
#: Limits in percent without effect, in numbers that JSON supports.
_NO_PERCENTS = dict.fromkeys((name for name in vars(Limits()) if name.endswith("_percent")), 1e9)


def run_instance(
    client: Client,
    desired: DesiredInstance,
    run_options: RunOptions,
    on_progress: Callable[[Progress], None] = lambda _progress: None,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] | None = None,
) -> RunResult:
    """Plan an instance and, in a real run, apply the plan.

    :param sleep: waits for other processes and for interrupted runs; None: as the connection does.
    :raises SeventhingsError: if nothing could be planned.
    """
    return _Run(client, desired, run_options, on_progress, clock, sleep or client.transport.sleep).run()


def _only_findings(plan: InstancePlan) -> InstancePlan:
    """Return the parts of a plan that stay valid in spite of findings."""
    return InstancePlan(
        findings=plan.findings,
        live_findings=plan.live_findings,
        rule_warnings=plan.rule_warnings,
        warnings=plan.warnings,
    )


def _archived(journal: Journal) -> frozenset[str]:
    """Return the uuids of records that the set archived or found in the archive. The journal still has their keys."""
    return frozenset(journal.memory.names.keys() - journal.known)


@dataclass
class _Run:
    _client: Client
    _desired: DesiredInstance
    _options: RunOptions
    _on_progress: Callable[[Progress], None]
    _clock: Callable[[], float]
    _sleep: Callable[[float], None]
    _warnings: list[str] = field(default_factory=list)
    _forecast: dict[str, Any] = field(default_factory=lambda: forecast_of(0, 0, 1))
    _baseline: Baseline = field(default_factory=lambda: Baseline(b""))
    _odd: Sequence[Oddity] = ()
    _overwritten: Sequence[str] = ()
    _record_digest: str = ""
    _undo_refusals: Sequence[str] = ()
    _not_restored: list[dict[str, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._started = self._clock()
        self._before = self._client.transport.sent
        self._approving = self._options.approving or Approving()
        self._approver = Approver(self._client, self._approving, self._options.undo, self._options.is_whole)
        self._digest = self._approving.approval.digest if self._approving.approval is not None else ""
        self._lists = self._options.lists

    def run(self) -> RunResult:
        """Prepare, plan, pass the gate, then write the approval or apply, and report.

        The lists are read before the kinds that are created get locked. If others created such records meanwhile, the
        lists are read again.
        """
        refusal = self._prepare()
        if refusal:
            return self._result("refused", InstancePlan(), refusals=[refusal])
        try:
            with self._locked_journal() as journal:
                while True:
                    plan = self._plan(journal)
                    if plan.findings:
                        # With any finding, nothing of the plan is valid.
                        return self._result("failed", _only_findings(plan))
                    plan, refusals = self._gate(plan, journal)
                    if refusals:
                        return self._result("refused", plan, refusals=refusals)
                    if self._options.check_mode:
                        return self._approve(plan, journal)
                    if not self._must_read_again(plan, journal):
                        return self._apply(plan, journal)
        except JournalRefused as refused:
            return self._result("refused", InstancePlan(), refusals=[refused.message])
        finally:
            self._client.creations.leave()

    # ---- before the plan

    def _prepare(self) -> str:
        """Check the options, and apply the caps.

        :returns: why the run is refused; empty if it is not.
        :raises InvalidInput: if an option does not fit.
        """
        try:
            if not self._options.drift:
                self._record_place.require_writable()
        except InvalidInput as unfit:
            return unfit.message
        if self._options.check_mode and self._approving.file is not None:
            # Whatever happens to the new plan, the earlier one is obsolete.
            self._approving.file.discard()
        refusal = self._wrong_instance()
        if refusal:
            return refusal
        self._client.transport.secrets |= self._desired.hiding.texts(self._desired.entries)
        caps = self._options.caps
        if not self._options.drift:
            self._desired.findings += caps.raised(self._desired)
        self._desired.policy = caps.policy(self._desired.policy)
        if self._options.drift:
            self._desired.policy = replace(self._desired.policy, limits=_NO_LIMITS)
        if self._options.undo is not None:
            self._desired.policy = replace(self._desired.policy, limits={**self._desired.policy.limits, **_NO_PERCENTS})
        return ""

    @cached_property
    def _record_place(self) -> RecordPlace:
        """The place of the apply record."""
        root, set_name = self._client.transport.root, self._desired.set_name
        journal = place_of(self._options.journal, root, set_name).path.parent
        return RecordPlace(self._options.apply_record, root, set_name, journal)

    def _wrong_instance(self) -> str:
        """Return why the connected instance is not the expected instance; empty if it is, or if none is named."""
        connected, approval = self._client.transport.root, self._approving.approval
        if self._options.undo is not None and (why := self._options.undo.wrong_instance(connected)):
            return why
        if approval is not None and approval.instance != connected:
            return f"plan_file: this plan is for {approval.instance}, and the connection is to {connected}."
        return self._options.caps.wrong_instance(connected, self._desired.instances)

    @contextlib.contextmanager
    def _locked_journal(self) -> Iterator[Journal]:
        """Open the journal.

        A real run locks it before the lists are read, so that records that another run is about to create are not
        planned again.
        """
        journal = Journal.for_files(self._client, self._options.journal, self._desired, self._sleep, self._clock)
        is_read_only = self._options.check_mode or bool(self._desired.findings)
        with contextlib.nullcontext() if is_read_only else journal:
            self._warnings += journal.warnings
            if not is_read_only:
                # Until this run locks the kinds that it creates, others may create the same records.
                self._client.creations.watch(KINDS)
            yield journal

    def _run_of(self, journal: Journal) -> str:
        """Return the digest of the changes to make. A later run resumes this one only if it has the same digest."""
        undo = self._options.undo
        digest = f"undo {undo.record.digest}" if undo else self._digest or digest_of(self._desired)
        names = json.dumps((journal.instance, self._desired.set_name, journal.set_id, digest))
        if self._desired.hiding.has_any:
            # The journal persists. A plain hash in it would let anybody test guessed values.
            return scrypted(names, journal.set_id.encode())[:_DIGEST_BYTES].hex()
        return hashlib.sha256(names.encode()).hexdigest()

    def _is_resumed(self, journal: Journal) -> bool:
        return journal.memory.run != "" and journal.memory.run == self._run_of(journal)

    # ---- plan

    def _plan(self, journal: Journal) -> InstancePlan:
        """Return the plan. If the instance can't be read, return what is wrong with the files."""
        try:
            with many_objects():
                # What was read before the run is current only once.
                plan_options, self._lists = replace(self._plan_options(journal), lists=self._lists), None
                plan_options = self._inverted(plan_options, journal)
                return plan_instance(self._client, self._desired, plan_options)
        except SeventhingsError:
            if not self._desired.findings:
                raise
            return InstancePlan(findings=validate(self._desired))

    def _plan_options(self, journal: Journal) -> PlanOptions:
        options, caps, memory = self._options, self._options.caps, journal.memory
        is_resumed = self._is_resumed(journal)
        self._baseline = memory.baseline()
        return PlanOptions(
            options.only,
            options.exclude,
            frozenset(journal.known) | self._approving.removals,
            caps.allow | (_NOTHING_IS_APPLIED if options.drift else frozenset()),
            frozenset(memory.creations) if is_resumed else frozenset(),
            protected=frozenset(memory.protected),
            others=partial(others_of, journal),
            names=memory.names,
            archived=_archived(journal),
            unseen=frozenset(memory.unseen),
            existing_before=memory.existing if is_resumed else {},
            looked_up=self._approving.unarchived,
            most_lookups=self._most_lookups(),
            is_approvable=options.approving is not None,
            origins=memory.origins,
            baseline=self._baseline,
            notes_all=not options.check_mode,
            sources_before={} if EMPTY_SOURCES in caps.allow else memory.sources,
            is_protected=caps.is_protected,
            observed=caps.observed,
            deleted=frozenset() if options.undo is None else options.undo.record.deleted,
            has_changes_only=options.undo is not None,
            rules=options.rules,
            is_drift=options.drift,
        )

    def _most_lookups(self) -> int | None:
        """Return the number of missing records of a section up to which all are looked up; None: no maximum."""
        options = self._options
        if options.archived_lookups == "all":
            return None
        return SAMPLE if options.check_mode and options.approving is None else MOST_OF_A_RUN

    def _inverted(self, plan_options: PlanOptions, journal: Journal) -> PlanOptions:
        """Make the inverse of an apply record the desired state, if the run undoes one."""
        undo = self._options.undo
        if undo is None:
            return plan_options
        # Undoing does not change the sources of the set.
        self._desired.sources = {
            source: SourceCount(number, number) for source, number in journal.memory.sources.items()
        }
        inverse = inverse_of(self._client, undo, self._desired, journal.memory, self._is_resumed(journal))
        self._desired, self._undo_refusals, self._not_restored = inverse.desired, inverse.refusals, inverse.not_restored
        # An undo also restores values that scans or people wrote.
        empty: dict[str, Sequence[str]] = {section: () for section, name in SECTIONS.items() if KINDS[name].is_plain}
        return replace(plan_options, lists=inverse.state, observed=empty)

    # ---- gate

    def _gate(self, plan: InstancePlan, journal: Journal) -> tuple[InstancePlan, list[str]]:
        """Return the approved part of a plan, and why it must not be applied."""
        if self._options.approving is not None and not self._options.check_mode:
            plan, not_approved = self._approver.judge(plan, self._desired, journal, self._is_resumed(journal))
            if not_approved:
                return plan, not_approved
        now = dt.datetime.now(dt.UTC)
        self._odd = odd_values(plan, now.date())
        if self._options.undo is None:
            plan.warnings += suspected_renames(plan)
            Sides(plan, self._desired, journal.memory, self._baseline).note()
            Editors(self._client, plan.state).note(plan.changes, now)
            self._overwritten = [] if self._options.drift else overwritten(plan)
        in_use = [] if self._options.drift else objects_in_use(plan)
        plan.cautions = [*(clean(oddity.text) for oddity in self._odd), *map(clean, in_use), *plan.cautions]
        read = self._client.transport.sent - self._before
        self._forecast = forecast_of(len(plan.changes), read, self._client.transport.rate.per_minute)
        if self._options.drift:
            # Drift removes nothing.
            plan.warnings += plan.protected
            plan.protected = []
        undo = self._options.undo
        too_many = [] if undo is None else too_many_removals(undo.record, plan.changes)
        return plan, [*self._undo_refusals, *too_many, *plan.protected, *plan.exceeded_limits]

    # ---- approve, or apply

    def _approve(self, plan: InstancePlan, journal: Journal) -> RunResult:
        if self._approving.file is not None:
            approval = self._approver.approval_of(plan, self._desired, journal)
            self._approving.file.write(approval)
            self._digest = approval.digest
        differs = "drift" if self._options.drift else "changed"
        if plan.live_findings:
            return self._result("failed", plan)
        return self._result(differs if plan.changes else self._without_changes(), plan)

    def _without_changes(self) -> str:
        """Return the outcome of a run that changes nothing."""
        return "partly_undone" if self._not_restored else "unchanged"

    def _must_read_again(self, plan: InstancePlan, journal: Journal) -> bool:
        """Take the locks of the kinds that the plan creates or replaces, in the order of the catalogue.

        Wait for earlier changes of the same records and for the requests of interrupted runs. Return True if others
        wrote such records since the lists were read, or may have.

        :raises LockTimeout: if another process does not release a lock in time.
        """
        creations = self._client.creations
        current = [planned.change.current for planned in plan.changes if planned.change.current is not None]
        if creations.settle_changes(record.uuid for record in current):
            return True
        created = [
            (planned.kind.name, planned.journal_key) for planned in plan.changes if planned.change.action == CREATE
        ]
        kinds = {name for name, _key in created}
        kinds |= {
            planned.kind.name
            for planned in plan.changes
            if planned.change.action == UPDATE and planned.kind.update == "PUT"
        }
        moved = creations.hold(name for name in KINDS if name in kinds)
        waits = [
            creations.seconds_to_settle(),
            journal.seconds_to_settle(created, self._client.transport.settle) if plan.changes else None,
        ]
        pending = [seconds for seconds in waits if seconds is not None]
        if not pending:
            return bool(moved)
        if max(pending) > 0:
            creations.on_wait(
                f"Waiting {max(pending):.0f} seconds: an interrupted run sent requests that may still take effect."
            )
            self._sleep(max(pending))
        creations.settled()
        journal.settled()
        return True

    def _apply(self, plan: InstancePlan, journal: Journal) -> RunResult:
        recording, outcome = self._recording(plan, journal), Outcome()
        is_whole, is_undo = self._options.is_whole, self._options.undo is not None
        notes = Notes(plan, self._desired, journal, is_whole, is_undo)
        notes.archived(_archived(journal))
        if plan.changes:
            recording.begin(plan)
            journal.begun(self._run_of(journal), plan.existing_before)
            notify = self._desired.policy.notify
            outcome = Executor(self._client, plan, journal, self._on_progress, notify).run()
            recording.end(plan, outcome)
        notes.applied(outcome, self._baseline)
        if not plan.changes:
            recording.finish()
        self._record_digest = recording.digest
        if not plan.changes:
            return self._result(self._without_changes(), plan)
        if not outcome.has_failed:
            journal.ended()
        name = "changed" if outcome.has_changed else self._without_changes()
        if outcome.has_failed:
            name = "partly_applied" if outcome.has_changed else "failed"
        plan.drop_unchanged()
        return self._result(name, plan, outcome)

    def _recording(self, plan: InstancePlan, journal: Journal) -> Recording:
        """Return the apply record to write."""
        undo = self._options.undo
        head = ApplyRecord(
            instance=self._client.transport.root,
            set_name=self._desired.set_name,
            set_id=journal.set_id,
            plan_digest=self._digest,
            provenance=made_by(self._desired.set_name),
            run=self._run_of(journal),
            undoes=undo.record.digest if undo is not None else "",
        )
        hides = self._hides_from_record(plan)
        return Recording(self._record_place, head, hides, self._client.without_credentials, journal.memory)

    def _hides_from_record(self, plan: InstancePlan) -> Hides:
        """Return a function that is true for fields of which the apply record has only fingerprints."""
        # The record outlives the run, so it hides even what the task shows.
        return Removals(plan, self._desired.entries, replace(self._desired.hiding, show=False)).hides

    def _lasting(self, plan: InstancePlan) -> str:
        """Return what an undo of a plan could not restore, in words."""
        hides, without_credentials = self._hides_from_record(plan), self._client.without_credentials
        return lasting_words(recorded_changes(plan, hides, without_credentials, None))

    def _unrecorded(self, plan: InstancePlan) -> list[str]:
        """Return the caution that no apply record is kept."""
        why = "" if self._options.drift or not plan.changes else self._record_place.why_none
        return [f"{NOT_KEPT}. {why}"] if why else []

    # ---- result

    def _result(
        self, name: str, plan: InstancePlan, outcome: Outcome | None = None, refusals: Sequence[str] = ()
    ) -> RunResult:
        plan.cautions = [*self._overwritten, *self._unrecorded(plan), *plan.cautions]
        grouped = group_findings([*plan.findings, *plan.live_findings], self._desired)
        of_rules = lines_of(plan.rule_warnings, self._desired)
        rules = self._options.rules or RuleSet()
        changes = reported_changes(plan, self._desired.hiding, outcome, self._desired.entries)
        return RunResult(
            outcome=name,
            instance=self._client.transport.root,
            check_mode=self._options.check_mode,
            summary=summary_of(plan, changes, self._options.check_mode),
            changes=changes,
            failures=failures_of(changes, outcome.twice if outcome is not None else ()),
            refusals=list(refusals),
            findings=grouped.lines,
            warnings=[*plan.cautions, *self._warnings, *self._desired.warnings, *of_rules, *plan.warnings],
            cautions=plan.cautions,
            undone={} if self._options.undo is None else self._options.undo.apply(),
            not_restored=self._not_restored,
            undo="" if self._options.drift else self._lasting(plan),
            **vars(meaning_of(plan, self._desired.entries, self._desired.policy.notify, self._options.drift)),
            sides=sides_of(changes),
            hidden_records=plan.visibility.hidden_records,
            scan_codes=plan.scan_codes.document(),
            reported={section: names for section, names in plan.reported.items() if names},
            tables=rows_by_table(plan, Removals(plan, self._desired.entries, self._desired.hiding)),
            never_in_a_table=dict(plan.never_in_a_table),
            requests=self._client.transport.sent - self._before,
            duration=round(self._clock() - self._started, 3),
            plan_digest=self._digest,
            apply_record=str(self._record_place.path) if self._record_digest else "",
            apply_record_digest=self._record_digest,
            every_finding=grouped.every,
            located=grouped.shown,
            places=plan.places(),
            odd=by_field(self._odd, plan),
            reading=reading_of(plan),
            compares=self._options.drift,
            warning_places={
                **{clean(oddity.text): oddity.places[0] for oddity in self._odd},
                **{line: place for line, (place, _rule) in of_rules.items()},
            },
            rules=rules.by_message([*plan.findings, *plan.live_findings], of_rules),
            forecast=self._forecast,
            made_by=made_by(self._desired.set_name),
        )
