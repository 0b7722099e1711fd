# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An instance as code: guard, plan, plan file, apply, and one account of it for every report."""

from __future__ import annotations

import contextlib
import gc
import hashlib
import json
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from ansible_collections.community.seventhings.plugins.module_utils.client.client import Client
from ansible_collections.community.seventhings.plugins.module_utils.client.connection import named_root
from ansible_collections.community.seventhings.plugins.module_utils.client.files import Contents
from ansible_collections.community.seventhings.plugins.module_utils.client.roots import identity_of
from ansible_collections.community.seventhings.plugins.module_utils.errors import (
    IncompleteList,
    InvalidInput,
    SeventhingsError,
)
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import KINDS
from ansible_collections.community.seventhings.plugins.module_utils.plan.change import CREATE

from ..apply.executor import Executor, Outcome, Progress
from ..apply.journal import Journal, JournalBroken, JournalRefused, protected_by_others
from ..apply.journal_place import earlier_journal
from ..desired.desired import DesiredInstance, Limits, digest_of
from ..desired.sealing import PlanOutdated, Written, scrypted
from ..desired.telling import tell
from ..set_plan.held import without_held
from ..set_plan.plan import (
    MOST_OF_A_RUN,
    SAMPLE,
    InstancePlan,
    Planned,
    PlanOptions,
    drop_changes,
    shield_mark,
)
from ..set_plan.planner import plan_instance
from .ceilings import Ceilings
from .forecast import NOTHING, forecast_of
from .outcome import RunResult, failures_of, summary_of, told_changes
from .plan_file import PlanFile, StoredPlan
from .provenance import made_by
from .suspected_renames import suspected_renames
from .validation import validate

_DIGEST_BYTES = 32
_PLAN_AGAIN = 2
"""How often a plan is made anew because a list that it was made from was not complete."""

_NO_LIMITS = dict.fromkeys(vars(Limits()), math.inf)


@dataclass(frozen=True)
class RunOptions:
    """The wishes of the user.

    :ivar plan_file: written in check mode; taken away in a real run when all of it was applied.
    :ivar stored: what ``plan_file`` holds, in a real run; its changes are all that is desired then.
    :ivar drift: only compare: no limit holds anything back, because nothing is applied.
    :ivar twin_of: root of the instance whose twin is connected: its journal counts, and nothing is noted. Empty where
        no twin is.
    :ivar stale: what to do with a change whose record is not as it was planned from: ``refuse`` or ``skip``.
    :ivar archived_duplicates: ``check`` looks up all records in the archive that are to be created; ``trust_service``
        a sample of very many.
    :ivar prune: ceilings, as :class:`.ceilings.Ceilings` has them; so are ``limits``, ``create_users``,
        ``expect_instance``, ``protected``.
    :ivar written: reads what a plan file was made from, where the plan holds only hashes of it.
    """

    check_mode: bool = False
    plan_file: Path | None = None
    stored: StoredPlan | None = None
    drift: bool = False
    journal: Path | None = None
    twin_of: str = ""
    only: Sequence[str] = ()
    exclude: Sequence[str] = ()
    prune: Mapping[str, str] = field(default_factory=dict)
    limits: Mapping[str, Any] = field(default_factory=dict)
    create_users: bool | None = None
    workers: int = 8
    stale: str = "refuse"
    confirm_empty: bool = False
    allow_destructive: bool = False
    assume_archived: bool = False
    limited_account: bool = False
    archived_duplicates: str = "trust_service"
    expect_instance: Sequence[str] = ()
    protected: bool = False
    written: Written | None = None


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
            # To the oldest of its generations with them, without a look at each.
            gc.freeze()
            gc.unfreeze()
            gc.enable()


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
    :raises SeventhingsError: where nothing could be planned.
    """
    return _Run(client, desired, run_options, on_progress, clock, sleep or client.transport.sleep).run()


class _Run:
    def __init__(
        self,
        client: Client,
        desired: DesiredInstance,
        run_options: RunOptions,
        on_progress: Callable[[Progress], None],
        clock: Callable[[], float],
        sleep: Callable[[float], None],
    ) -> None:
        self._client = client
        self._desired = desired
        self._run_options = run_options
        self._on_progress = on_progress
        self._clock = clock
        self._sleep = sleep
        self._started = clock()
        self._before = client.transport.sent
        self._stored = run_options.stored
        self._told: list[str] = []
        self._ceilings = Ceilings.of(
            run_options.limits,
            run_options.prune,
            run_options.create_users,
            run_options.expect_instance,
            run_options.protected,
        )
        twin_of = run_options.twin_of
        self._twin_of = named_root(twin_of, "twin_of") if twin_of else ""
        self._asked = desired.policy
        self._digest = run_options.stored.digest if run_options.stored else ""
        self._forecast = dict(NOTHING)

    def run(self) -> RunResult:
        if self._twin_of and identity_of(self._twin_of) == identity_of(self._client.transport.root):
            raise InvalidInput(
                f"twin_of: the connection is to {self._twin_of} itself, and nothing would be noted of it; expected the "
                f"root of the instance whose twin is connected"
            )
        if self._run_options.workers < 1:
            raise InvalidInput(f"workers: {self._run_options.workers} does not fit; expected 1 or more")
        plan_file = self._plan_file()
        if self._run_options.check_mode and plan_file is not None:
            plan_file.require_writable()
            # Whatever becomes of this plan, the one before is not it.
            plan_file.discard()
        if self._stored is not None:
            try:
                self._stored.holes.fill(str(self._run_options.plan_file), self._run_options.written)
            except PlanOutdated as outdated:
                return self._account("refused", InstancePlan(), refusals=[outdated.message])
        refusal = self._guard()
        if refusal:
            return self._account("refused", InstancePlan(), refusals=[refusal])
        self._client.transport.secrets |= self._desired.hiding.texts(self._desired.entries)
        self._desired.policy = self._ceilings.policy(self._asked)
        if self._run_options.drift:
            self._desired.policy = replace(self._desired.policy, limits=_NO_LIMITS)
        try:
            journal = self._journal()
            if self._run_options.check_mode or self._desired.findings:
                self._told += journal.warnings
                return self._planned(journal)
            # From before the first look: what another run is about to make must not be planned once more.
            with journal:
                self._told += journal.warnings
                # Others may make the same until the locks of what is made are taken.
                self._client.creations.watch(KINDS)
                return self._planned(journal)
        except JournalRefused as refused:
            return self._account("refused", InstancePlan(), refusals=[refused.message])
        finally:
            self._client.creations.leave()

    def _planned(self, journal: Journal) -> RunResult:
        plan_options = PlanOptions(
            self._run_options.only,
            self._run_options.exclude,
            frozenset(journal.known),
            self._run_options.allow_destructive or self._run_options.drift,
            self._run_options.confirm_empty or self._run_options.drift,
            frozenset(journal.memory.made) if self._is_resumed(journal) else frozenset(),
            self._run_options.workers,
            self._run_options.assume_archived,
            protected=frozenset(journal.memory.protected),
            protected_by_others=partial(protected_by_others, journal),
            names=journal.memory.names,
            existing_before=journal.memory.existing if self._is_resumed(journal) else {},
            refused=frozenset(journal.memory.refused),
            most_lookups=self._most_lookups(is_planned_only=self._run_options.check_mode and self._plan_file() is None),
            most_lookups_of_apply=self._most_lookups(is_planned_only=False),
            is_approved=self._stored is not None,
            sources_before={} if self._run_options.confirm_empty else journal.memory.sources,
            limited_account=self._run_options.limited_account or self._run_options.drift,
            is_protected=self._run_options.protected,
        )
        try:
            with many_objects():
                made = self._plan(plan_options)
        except SeventhingsError:
            if not self._desired.findings:
                raise
            # Without an instance, at least what is wrong with the files.
            made = InstancePlan(findings=validate(self._desired))
        if made.findings:
            # With any finding nothing of the plan holds.
            return self._account("failed", InstancePlan(findings=made.findings, warnings=made.warnings))
        if self._stored is not None:
            made, refusals = self._without_stale(made, self._stored, journal)
            if refusals:
                return self._account("refused", made, refusals=refusals)
        made.warnings += suspected_renames(made)
        read = self._client.transport.sent - self._before
        # What a plan file holds was looked up, and an apply of it does not repeat that.
        read += made.more_lookups if self._plan_file() is None else -made.lookups
        self._forecast = forecast_of(made, read, self._client.transport.rate.per_minute)
        if self._run_options.drift:
            # Nothing is taken away.
            made.warnings += made.protected
            made.protected = []
        refusals = [*made.protected, *self._ceilings.forbidden(made.changes), *made.exceeded_limits]
        if refusals:
            made.warnings += self._ceilings.narrowed(self._asked)
            return self._account("refused", made, refusals=refusals)
        plan_file = self._plan_file()
        if self._run_options.check_mode:
            if plan_file is not None:
                # Files without a set_id take that of the journal: whoever applies the plan may not know the files.
                self._desired.set_id = journal.set_id
                self._digest = plan_file.write(self._client.transport.root, self._desired, made, Contents(self._client))
            differs = "drift" if self._run_options.drift else "changed"
            return self._account(differs if made.changes else "unchanged", made)
        if self._must_look_again(made, journal):
            return self._planned(journal)
        account = self._apply(made, journal)
        is_whole = not account.failed and not self._run_options.only and not self._run_options.exclude
        if self._stored is not None and plan_file is not None and is_whole:
            try:
                plan_file.remove(self._digest)
            except InvalidInput as error:
                # The result of the run must still be told.
                account.warnings.append(error.message)
        return account

    def _most_lookups(self, is_planned_only: bool) -> int | None:
        """Return the number of missing records of a section up to which all are looked up in the archive; None: all.

        :param is_planned_only: whether the plan is neither applied nor written to a file.
        """
        if self._run_options.archived_duplicates == "check":
            return None
        return SAMPLE if is_planned_only else MOST_OF_A_RUN

    def _plan(self, plan_options: PlanOptions) -> InstancePlan:
        """The plan. Where a list can't be told to be complete, nothing is made because of it before it was read twice.

        :raises IncompleteList: where there is more each time.
        """
        for _attempt in range(_PLAN_AGAIN + 1):
            made = plan_instance(self._client, self._desired, plan_options)
            # A record that no list shows, but that is found in another way, is taken to be archived.
            # A record that refers to one that is taken away must be in a list, too.
            unlisted = {one.kind.name for one in made.changes if one.change.action == CREATE or one.archived}
            unlisted |= made.searched
            doubtful = unlisted & self._client.unsure
            if made.state is None or made.findings or not any(map(made.state.has_missed, sorted(doubtful))):
                return made
        raise IncompleteList.of_the_list(KINDS[min(doubtful)].several)

    def _must_look_again(self, made: InstancePlan, journal: Journal) -> bool:
        """Take the locks of the kinds that the plan creates, in the order of the catalogue. Return True if others
        created such records since the lists were read, or may have. Wait for the requests of interrupted runs.

        :raises LockTimeout: if another process does not give a lock back in time.
        """
        creations = self._client.creations
        made_anew = [(one.kind.name, one.noted) for one in made.changes if one.change.action == CREATE]
        kinds = {name for name, _key in made_anew}
        moved = creations.hold(name for name in KINDS if name in kinds)
        waits = [
            creations.seconds_to_settle(),
            journal.seconds_to_settle(made_anew, self._client.transport.settle) if made.changes else None,
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

    def _guard(self) -> str:
        """Says why this instance is not the meant one; empty where it is, or where nothing says which one is."""
        connected, instances = self._client.transport.root, self._desired.instances
        if self._stored is not None and connected not in instances:
            return (
                f"plan_file: this plan is for {', '.join(instances)}, and the connection is to {connected}. Plan again."
            )
        return self._ceilings.wrong_instance(connected, instances)

    def _plan_file(self) -> PlanFile | None:
        return None if self._run_options.plan_file is None else PlanFile(self._run_options.plan_file)

    def _journal(self) -> Journal:
        desired = self._desired
        journal = Journal(
            self._run_options.journal,
            self._twin_of or self._client.transport.root,
            desired.set_name,
            self._sleep,
            self._clock,
            set_id=desired.set_id,
            src=desired.origin,
            is_kept=not self._twin_of,
            lock_wait=self._client.creations.lock_wait,
            on_wait=self._client.creations.on_wait,
        )
        earlier = earlier_journal(desired.src, journal.place)
        if earlier is not None:
            self._told.append(
                f"{earlier} is the journal of an earlier version. It is not read; the journal is {journal.place.path} "
                f"now. Take the old one away."
            )
        return journal

    def _run_of(self, journal: Journal) -> str:
        """The changes to be made, as a digest: a later run goes on with it only where it is to do the very same."""
        digest = self._stored.digest if self._stored else digest_of(self._desired)
        names = json.dumps((journal.instance, self._desired.set_name, journal.set_id, digest))
        if self._desired.hiding.has_any:
            # The journal stays: nobody shall try values against it.
            return scrypted(names, journal.set_id.encode())[:_DIGEST_BYTES].hex()
        return hashlib.sha256(names.encode()).hexdigest()

    def _is_resumed(self, journal: Journal) -> bool:
        return journal.memory.run != "" and journal.memory.run == self._run_of(journal)

    def _apply(self, made: InstancePlan, journal: Journal) -> RunResult:
        executor = Executor(
            self._client,
            made,
            journal,
            self._run_options.workers,
            self._on_progress,
            self._desired.policy.notify,
            self._stored is not None,
        )
        for kind, key, uuid in made.released:
            if uuid in journal.known:
                journal.gone(kind, key, uuid)
        if not made.changes:
            journal.managed(made.managed, made.names)
            self._note_protections(made, Outcome(), journal)
            self._note_sources(made, journal)
            return self._account("unchanged", made)
        journal.begun(self._run_of(journal), made.existing_before)
        outcome = executor.run()
        self._note_protections(made, outcome, journal)
        self._note_sources(made, journal)
        bad = outcome.failures or outcome.skipped or outcome.not_tried or outcome.twice
        if not bad:
            journal.ended()
        name = "changed" if not bad else "partly_applied" if outcome.done else "failed"
        return self._account(name, made, outcome)

    def _note_sources(self, made: InstancePlan, journal: Journal) -> None:
        """Note what the sources held, unless only a part of them was applied."""
        if self._run_options.only or self._run_options.exclude:
            return
        try:
            journal.applied(self._desired.sources)
        except JournalBroken as broken:
            # Everything was done, and the result must say so.
            made.warnings.append(broken.message)

    def _note_protections(self, made: InstancePlan, outcome: Outcome, journal: Journal) -> None:
        """Notes which records must stay. One that need not any more was applied so once."""
        stored = {} if self._stored is None else self._stored.protections
        left = {id(one): one for one, _why in (*outcome.failures, *outcome.skipped, *outcome.not_tried)}
        left |= {id(one): one for one in made.dropped}
        marks = {
            shield_mark(one.kind, one.change.current.uuid if one.change.current else "", one.desired)
            for one in left.values()
        }
        for mark, is_protected in stored.items():
            if is_protected or mark not in marks:
                journal.protect(mark, is_protected)
        entries = {id(one.entry) for one in left.values()}
        for one in made.protections:
            if one.is_protected or id(one.planned.entry) not in entries:
                journal.protect(one.mark, one.is_protected)

    # ---- plan files

    def _without_stale(
        self, made: InstancePlan, stored: StoredPlan, journal: Journal
    ) -> tuple[InstancePlan, list[str]]:
        is_resumed = self._is_resumed(journal)

        def is_own(one: Planned) -> bool:
            """Tells whether an earlier run of the same plan made a record, or began to change it, and left it so."""
            names = {one.change.current.uuid if one.change.current else "", f"{one.kind.name} {one.noted}"}
            return is_resumed and bool(names & journal.memory.touched) and stored.is_half_done(one)

        stale = stored.stale(made, Contents(self._client), is_own)
        if not stale:
            return made, []
        if self._run_options.stale == "skip":
            made.warnings += [
                f"{planned}: skipped, because it is not as it was when the plan was made." for planned in stale
            ]
            left = drop_changes(made, stale)
            held = list(without_held(made.state, left.changes)) if made.state is not None else []
            left.warnings += [f"{planned}: skipped, because {why}." for planned, why in held]
            return drop_changes(left, (planned for planned, _why in held)), []
        return made, [
            f"{planned} is not as it was when the plan was made. Plan again, or set stale: skip." for planned in stale
        ]

    # ---- account

    def _account(
        self, name: str, made: InstancePlan, outcome: Outcome | None = None, refusals: Sequence[str] = ()
    ) -> RunResult:
        told = tell(made.findings, self._desired)
        return RunResult(
            outcome=name,
            instance=self._client.transport.root,
            check_mode=self._run_options.check_mode,
            summary=summary_of(made, outcome, self._run_options.check_mode),
            changes=told_changes(made, self._desired.hiding, outcome),
            failures=failures_of(made, outcome or Outcome()),
            refusals=list(refusals),
            findings=told.lines,
            warnings=[*made.cautions, *self._told, *self._desired.warnings, *made.warnings],
            cautions=made.cautions,
            hidden_records=made.visibility.hidden_records,
            reported={section: names for section, names in made.reported.items() if names},
            requests=self._client.transport.sent - self._before,
            duration=round(self._clock() - self._started, 3),
            plan_digest=self._digest,
            every_finding=told.every,
            located=told.shown,
            forecast=self._forecast,
            made_by=made_by(self._desired.set_name),
        )
