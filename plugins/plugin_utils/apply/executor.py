# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Execute the plan for an instance: level by level, concurrently inside a level, with a journal.

If a record fails, its dependents are skipped and everything else goes on. If an answer is lost, the record is put aside
and looked up at the end of its level.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from ...module_utils import errors
from ...module_utils.client.client import Client
from ...module_utils.client.files import Contents, recognise, upload_missing
from ...module_utils.client.record import Record
from ...module_utils.model.field import EMPTY
from ...module_utils.model.kinds import HUB_ITEM, OBJECT, USER, Level
from ...module_utils.model.types_links import attachments_in, references_in
from ...module_utils.operations.accounts import make_user
from ...module_utils.operations.hub_items import change_item, offer
from ...module_utils.plan.change import ARCHIVE, CREATE, DELETE, UPDATE, Change, plan_present
from ...module_utils.plan.replacing import unread_members, without_unreadable
from ...module_utils.plan.state import find_now
from ...module_utils.reconcile.apply import Applier
from ...module_utils.reconcile.refusals import perhaps_hidden_owner
from ...module_utils.resolve.field_visibility import unreadable
from ...module_utils.runtime.creations import CreatedMeanwhile
from ..set_plan.duplicates import creations_in, duplicates_of, listed_now
from ..set_plan.listed_state import ListedState
from ..set_plan.order import in_turns
from ..set_plan.plan import InstancePlan, Planned
from .definitions import learn_keys, relate
from .effects import Effects, Failure
from .journal import Journal, JournalBroken
from .lost_answers import LostAnswers, PutAside
from .readiness import Readiness
from .uploads import Uploads

_WRITES = (CREATE, UPDATE, DELETE, ARCHIVE)


@dataclass(frozen=True)
class Progress:
    """The progress of an apply: the completed records of one section of a level.

    :ivar requests: number of requests sent.
    :ivar left: number of requests that the rate limit allows now; None without a limit.
    """

    section: str
    done: int
    total: int
    requests: int
    left: int | None = None


@dataclass
class Outcome:
    """The outcome of an apply.

    :ivar done: section and action to number. :ivar failures: records and reasons. :ivar skipped: records that were not
        sent because a record that they need was not created. :ivar not_tried: records that were not sent because the
        run stopped. :ivar refused: the failures of which the service certainly carried out nothing.
    :ivar twice: natural keys that exist twice after the creations, with both uuids.
    :ivar is_partial: True if a failed record was written in part. :ivar is_stopped: True if the run stopped early.
    """

    done: Counter[tuple[str, str]] = field(default_factory=Counter)
    failures: list[tuple[Planned, str]] = field(default_factory=list)
    skipped: list[tuple[Planned, str]] = field(default_factory=list)
    not_tried: list[tuple[Planned, str]] = field(default_factory=list)
    refused: list[Planned] = field(default_factory=list)
    twice: list[str] = field(default_factory=list)
    is_partial: bool = False
    is_stopped: bool = False

    @property
    def has_changed(self) -> bool:
        """Return True if the run changed anything."""
        return self.is_partial or any(number for (_section, action), number in self.done.items() if action in _WRITES)

    @property
    def has_failed(self) -> bool:
        """Return True if the run did not do everything as planned."""
        return bool(self.failures or self.skipped or self.not_tried or self.twice)


@dataclass
class Executor:
    """Apply one plan.

    :ivar on_progress: called after each record.
    """

    client: Client
    plan: InstancePlan
    journal: Journal
    on_progress: Callable[[Progress], None] = lambda _progress: None
    notify: bool = False
    outcome: Outcome = field(default_factory=Outcome)

    def __post_init__(self) -> None:
        self._parent = os.getppid()
        self._ready = Readiness(self.plan.changes, self.plan.hiding, self.plan.later_uploads)
        self._stopped = ""
        self._mutex = threading.Lock()
        self._uploads = Uploads(self.client, self.journal)
        self._contents = Contents(self.client)
        self._effects = Effects(self.client)
        self._lost = LostAnswers(self.client, self.plan)

    def run(self) -> Outcome:
        """Send everything in the plan. Removals come last, in the opposite order."""
        for kind, keys in self.plan.managed.items():
            self.journal.managed(kind, keys)
        self.client.transport.rate.expect(len(self.plan.changes))
        for level, batch in self._ready.batches():
            self._run_level(batch)
            if level == Level.FIELDS:
                self._settle_definitions(batch)
        self.outcome.is_stopped = bool(self._stopped)
        if not self._stopped:
            self._check_results()
        return self.outcome

    def _first_values(self, planned: Planned, change: Change) -> dict[str, Any]:
        """Return the written values of fields that no listed record had."""
        state = self.plan.state
        if state is None or change.action not in (CREATE, UPDATE):
            return {}
        missing = state.field_visibility(planned.schema).missing
        return {key: value for key, value in change.values.items() if key in missing and value not in EMPTY}

    def _settle_definitions(self, level: Sequence[Planned]) -> None:
        try:
            learn_keys(self.client, self.plan.changes)
        except errors.SeventhingsError as error:
            self._stopped = f"not sent, because the keys of new fields could not be read: {error.message}"
            return
        for planned in level:
            if not planned.relations or self._ready.has_failed(planned):
                continue
            try:
                self._relate(planned)
            except errors.SeventhingsError as error:
                self._uncount(planned)
                self._fail_with(planned, error)

    def _relate(self, planned: Planned) -> None:
        """Write the relations of a definition. Start again if an earlier change of it was pending."""
        while True:
            with contextlib.suppress(CreatedMeanwhile):
                return relate(self.client, planned)

    def _check_results(self) -> None:
        """Check for duplicate creations and for writes without effect, in the same lists."""
        created = creations_in(self.plan.changes)
        lists = self._effects.lists(self.plan.state, {planned.kind.name for planned in created})

        def read_again() -> ListedState:
            self.client.forget_definitions()
            return self._listed_now(created, lists)

        try:
            state = self._listed_now(created, lists)
            self.outcome.twice += duplicates_of(state, created)
            failures = self._effects.failures(state, lists, read_again)
        except errors.SeventhingsError as error:
            # All changes were sent, so report the failed read as a warning.
            self.plan.warnings.append(
                f"Whether the changes had an effect, and whether somebody else created the same, was not looked up: "
                f"{error.message}"
            )
            return
        for failure in failures:
            self._note_without_effect(failure)

    def _listed_now(self, created: Sequence[Planned], lists: Collection[str]) -> ListedState:
        return listed_now(self.client, self.plan.state, {*lists, *(one.kind.name for one in created)}, created)

    def _note_without_effect(self, failure: Failure) -> None:
        write = failure.write
        planned, kind = write.planned, write.kind.name
        created = planned.created_uuid if write.change.action == CREATE and not failure.is_partial else None
        if created and self.plan.visibility.may_hide(planned.kind):
            # The service answered its uuid, so it was created where the account sees nothing.
            words = f"{planned} was created, {unreadable(created)}. Later runs of this account are refused."
            self.plan.warnings.append(words)
            with contextlib.suppress(JournalBroken):
                self.journal.unseen(created)
            return
        if self._ready.begun(planned) is None:
            self._uncount(planned, failure.is_partial)
        self._fail_with(planned, errors.SeventhingsError(failure.reason))
        with contextlib.suppress(JournalBroken):
            if write.was_managed:
                self.journal.managed(kind, {write.identity: planned.journal_key})
            elif created:
                self.journal.note_removal(kind, planned.journal_key, created)

    # ---- one level

    def _run_level(self, level: Sequence[Planned]) -> None:
        totals = Counter(planned.section for planned in level)
        done: Counter[str] = Counter()
        with ThreadPoolExecutor(max_workers=self.client.workers) as pool:
            settled = self._lost.settled(lambda: bool(self._stopped), self._fail_with)
            for turn in (*in_turns(level), settled):
                running = {pool.submit(self._try, planned): planned for planned in turn}
                for future in as_completed(running):
                    planned = running[future]
                    if not future.result():
                        continue
                    done[planned.section] += 1
                    section, transport = planned.section, self.client.transport
                    self.on_progress(
                        Progress(section, done[section], totals[section], transport.sent, transport.rate.left)
                    )
        self._lost.forget()

    def _try(self, planned: Planned) -> bool:
        """Execute a change. Return False if its answer was lost, so that it is put aside."""
        if self._stopped:
            self._leave(planned, self._stopped, self.outcome.not_tried)
            return True
        why_not_ready = self._ready.why_not_ready(planned)
        if why_not_ready:
            self._leave(planned, why_not_ready, self.outcome.skipped)
            return True
        try:
            self._stop_if_orphaned()
            self._carry_out_until_done(planned)
        except PutAside:
            return False
        except Exception as error:
            # Most errors, whatever they are, let the other changes go on, and the result reports them.
            # Everything was checked during planning, so only the login can be invalid input now.
            is_locked_out = isinstance(error, errors.InvalidInput) and planned.kind.can_be_looked_up
            if isinstance(error, _ENDS_THE_RUN) or is_locked_out:
                self._stopped = f"not sent, because of an earlier failure: {self._reason(planned, error)}"
            if planned.created_uuid:
                self.outcome.is_partial = True
            elif (
                isinstance(error, (*errors.REFUSED_VALUES, errors.PermissionMissing))
                and self._lost.error_of(planned) is None
            ):
                self.outcome.refused.append(planned)
            self._fail_with(planned, error)
        else:
            if self._ready.completes(planned):
                with self._mutex:
                    self.outcome.done[planned.section, planned.change.action] += 1
        return True

    @contextlib.contextmanager
    def _sending(self, planned: Planned) -> Iterator[None]:
        """Note a creation before it is sent, and note afterwards if the service did not carry it out."""
        self.journal.sent(planned.kind.name, planned.journal_key)
        try:
            with self._lost.deferred(planned):
                yield
        except errors.SeventhingsError as error:
            if planned.created_uuid is None and not (isinstance(error, errors.OutcomeUnknown) and error.is_lost):
                # Without this note, the next run would wait for a record that is never created.
                with contextlib.suppress(JournalBroken):
                    self.journal.not_created(planned.kind.name, planned.journal_key)
            raise

    # ---- one record

    def _reason(self, planned: Planned, error: Exception) -> str:
        """Return why a record failed, without secrets: the words of the service may quote what was sent."""
        if isinstance(error, (JournalBroken, _Orphaned)):
            return error.message
        return self.plan.hiding.reason(planned.entry, error)

    def _fail_with(self, planned: Planned, error: Exception) -> None:
        self._leave(planned, self._reason(planned, error), self.outcome.failures)

    def _leave(self, planned: Planned, reason: str, entries: list[tuple[Planned, str]]) -> None:
        """Note a change that was not written.

        :param entries: the list of the outcome to which the change is added.
        """
        self._ready.fail(planned)
        begun = self._ready.begun(planned)
        if begun is not None:
            self._uncount(begun)
            reason = f"written without {', '.join(sorted(planned.change.values))}: {reason}"
        entries.append((planned, reason))

    def _uncount(self, planned: Planned, is_partial: bool = True) -> None:
        """Stop counting a partly written record as done: it counts when its remaining part is written."""
        with self._mutex:
            self.outcome.done[planned.section, planned.change.action] -= 1
            self.outcome.is_partial |= is_partial

    def _stop_if_orphaned(self) -> None:
        # After kill -9 of ansible-playbook its workers go on. They must not write at the same time as the next run.
        if os.getppid() != self._parent:
            raise _Orphaned("not sent: the process that started this run has ended")

    def _carry_out_until_done(self, planned: Planned) -> None:
        """Execute a change. Start again if others created records of its kind, or changed the record meanwhile."""
        while True:
            try:
                self._carry_out(planned)
            except CreatedMeanwhile:
                if planned.change.current is not None:
                    self._lost.is_pending(planned)
            else:
                return

    def _carry_out(self, planned: Planned) -> None:
        write = {USER.name: self._make_user, HUB_ITEM.name: self._write_offer}.get(planned.kind.name)
        if write is not None:
            write(planned)
        else:
            self._write(planned, self._ready.without_later_links(planned))

    def _make_user(self, planned: Planned) -> None:
        email = str(planned.change.values["email"])
        found = self._found_after_loss(planned)
        if found is None:
            with self._sending(planned):
                found = make_user(self.client, email, defers=True)
        self._note_effect(planned, found.uuid)

    def _note_effect(self, planned: Planned, uuid: str) -> None:
        """Note the record of a change as soon as one of its requests took effect, because a later one may fail."""
        planned.created_uuid = uuid
        if planned.change.action == CREATE:
            self.journal.note_creation(planned.kind.name, planned.journal_key, uuid)

    def _found_after_loss(self, planned: Planned) -> Record | None:
        """Return the result of a creation that is never sent twice, or None if it was not sent before.

        :raises OutcomeUnknown: if there is no result.
        """
        again = self._lost.outcome_of(planned)
        if again is None:
            return None
        lost, found = again
        if not found:
            raise lost
        return found[0]

    def _write_offer(self, planned: Planned) -> None:
        change = planned.change
        if change.current is not None:
            price = None if change.action == DELETE else change.values["price"]
            with self._lost.deferred(planned):
                change_item(self.client, change.current, price, True, self._lost.error_of(planned))
            self._effects.note(planned, change)
            return
        if self._found_after_loss(planned) is not None:
            return
        reference = next(references_in(change.values["object"]))
        offered = Record(OBJECT, str(reference.uuid), reference.id)
        if reference.id is None:
            offered = self.client.get(OBJECT, str(reference.uuid)) or offered
        # By this note a run that resumes this one recognises its own offers.
        with self._sending(planned):
            offer(self.client, offered, change.values.get("category"), change.values.get("price"))
        self._effects.note(planned, change)

    def _write(self, planned: Planned, change: Change) -> None:
        extra = {field.key: True for field in planned.kind.write_only} if self.notify else {}
        noted = partial(self._note_effect, planned)
        applier = Applier(self.client, planned.schema, planned.entry.template, extra, defers=True, on_effect=noted)
        if self._ready.is_link(planned) and change.current is None:
            change = replace(change, current=Record(planned.kind, self._ready.uuid_to_link(planned), None, {}))
        if not change.values and change.action == UPDATE and not change.unarchive:
            return
        if change.action == CREATE:
            self._create(applier, planned, change)
            if planned.change.action == CREATE:
                self._effects.note(planned, change, first=self._first_values(planned, change))
            return
        self._upload(planned, change)
        if change.action == UPDATE and change.current is not None:
            self.journal.changing(change.current.uuid)
        if change.unarchive and change.current is not None:
            self.journal.unarchiving(change.current.uuid)
        was_managed = change.current is not None and change.current.uuid in self.journal.known
        with self._lost.deferred(planned):
            applier.write(change, lambda: self._find(planned), lost=self._lost.error_of(planned))
        answered = applier.answered
        if change.action in (DELETE, ARCHIVE):
            note = self.journal.note_removal if change.action == DELETE else self.journal.archived
            note(planned.kind.name, planned.journal_key, planned.created_uuid or "")
        elif planned.kind.update == "PUT" and planned.created_uuid:
            answered = applier.read_back(change, planned.created_uuid)
            self._leave_out_unreadable(planned, change, answered)
        was_managed = was_managed and change.action in (DELETE, ARCHIVE)
        self._effects.note(planned, change, answered, was_managed, self._first_values(planned, change))

    def _leave_out_unreadable(self, planned: Planned, change: Change, now: Record) -> None:
        """Count no change if all written fields turn out to be fields that the instance does not return."""
        unreadable = unread_members(planned.schema, change, now)
        if change is planned.change and unreadable:
            planned.change = without_unreadable(change, unreadable)
            with self._mutex:
                self.plan.warnings += [f"{planned}: {warning}" for warning in planned.change.warnings[-1:]]

    def _upload(self, planned: Planned, change: Change) -> None:
        files = [file for value in change.values.values() for file in attachments_in(value)]
        with self._lost.deferred(planned, is_upload=True):
            upload_missing(self._contents, files, self._uploads.upload)

    def _create(self, applier: Applier, planned: Planned, change: Change) -> None:
        again = self._lost.outcome_of(planned)
        if again is None and self.client.creations.have_moved(planned.kind.name):
            found = next(iter(self._find(planned)), None)
            if found is not None:
                self._adopt(applier, planned, change, found)
                return
        self._upload(planned, change)
        hits = [] if again is None else [again[1]]
        try:
            with self._sending(planned):
                applier.write(change, lambda: hits.pop() if hits else self._find(planned), lost=again and again[0])
        except errors.REFUSED_VALUES as refused:
            owner = perhaps_hidden_owner(planned.schema, planned.keys, change.values, refused)
            if owner:
                refused.message += f"{owner} The next plan looks it up in the archive (archived_lookups)."
            raise

    def _adopt(self, applier: Applier, planned: Planned, change: Change, found: Record) -> None:
        """Give a record that somebody else created the planned values.

        The change becomes the rest: an update, or nothing.

        :raises SeventhingsError: if the record has other values, because overwriting them was not planned.
        """
        for key, value in change.values.items():
            linked = list(attachments_in(planned.schema.read_field(key, found.flat)))
            recognise(self._contents, attachments_in(value), linked)
        rest = plan_present(planned.schema, change.values, found)
        if rest.changed and not rest.is_half_created:
            raise errors.SeventhingsError(
                f"The {planned.kind.words} {found.uuid} was created meanwhile, with other values than those that were "
                "planned. Plan again."
            )
        # Links that are written later also make this an update of the record.
        action = rest.action if change is planned.change else UPDATE
        planned.change = replace(rest, action=action, current=found)
        if rest.changed:
            self._upload(planned, rest)
            applier.write(rest, list)
            self._effects.note(planned, rest, applier.answered)
        planned.created_uuid = found.uuid
        self.journal.note_creation(planned.kind.name, planned.journal_key, found.uuid)

    def _find(self, planned: Planned) -> list[Record]:
        """Return the present records with the natural key of a planned record. None had it when the plan was made."""
        return find_now(self.client, planned.schema, planned.keys, planned.desired, planned.entry.template)


class _Orphaned(errors.SeventhingsError):
    """Raised if the process that started this run no longer exists."""


#: Errors that would also occur for every other record.
_ENDS_THE_RUN = (JournalBroken, errors.AccessTokenRefused, errors.TooManyRequests, errors.ServiceUnavailable, _Orphaned)
