# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes whose answers were lost: they are put aside, and looked up together at the end of their level."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator, Sequence

from ...module_utils.client.client import Client
from ...module_utils.client.record import Record
from ...module_utils.errors import OutcomeUnknown, SeventhingsError
from ...module_utils.model.kinds import HUB_ITEM
from ...module_utils.plan.change import CREATE
from ...module_utils.printing.cleaner import amount
from ...module_utils.reconcile.effects import without_effect
from ..set_plan.duplicates import created_now
from ..set_plan.plan import InstancePlan, Planned


class PutAside(Exception):
    """Raised if the answer to a request is lost, so that its record is looked up at the end of the level."""


class LostAnswers:
    """The lost answers of one level."""

    def __init__(self, client: Client, plan: InstancePlan) -> None:
        self._client = client
        self._plan = plan
        self._mutex = threading.Lock()
        self._aside: list[tuple[Planned, OutcomeUnknown, float]] = []
        self.forget()

    def forget(self) -> None:
        """Begin the next level."""
        self._lost: dict[int, OutcomeUnknown] = {}
        self._found: dict[int, list[Record]] | None = None

    def error_of(self, planned: Planned) -> OutcomeUnknown | None:
        """Return the error of an earlier attempt to send a change."""
        return self._lost.get(id(planned))

    def is_pending(self, planned: Planned) -> None:
        """Note that an earlier change of a record was pending. Then it is read before anything is sent."""
        self._lost.setdefault(id(planned), OutcomeUnknown("An earlier change of the record was pending."))

    @contextlib.contextmanager
    def deferred(self, planned: Planned, is_upload: bool = False) -> Iterator[None]:
        """Put a record aside if the answer to a request is lost. Raise the error the second time.

        :param is_upload: the request only uploads a file for the record.
        :raises PutAside: if the record was put aside.
        """
        try:
            yield
        except OutcomeUnknown as lost:
            if self._found is not None or not lost.is_lost:
                raise
            with self._mutex:
                self._aside.append((planned, lost, self._client.transport.rate.clock()))
            if not is_upload:
                self._lost[id(planned)] = lost
            raise PutAside from lost

    def settled(self, is_stopped: Callable[[], bool], fail: Callable[[Planned, Exception], None]) -> Iterator[Planned]:
        """Yield the records that were put aside, after looking them up together.

        If some are missing, look them up once more when the latest loss is as old as the settling horizon.

        :param is_stopped: returns True if nothing may be sent any more. :param fail: notes a record as failed.
        """
        aside, self._aside = self._aside, []
        if not aside:
            return
        transport = self._client.transport
        left = max(moment for _planned, _error, moment in aside) + transport.settle - transport.rate.clock()
        waiting = [planned for planned, _error, _moment in aside]
        lost = [planned for planned in waiting if id(planned) in self._lost]
        creations = [planned for planned in lost if planned.change.action == CREATE]
        try:
            if is_stopped():
                raise SeventhingsError("the run has stopped.")
            found = self._created(creations)
            pending = len(waiting) - len(found) - sum(map(self._took_effect, lost))
            if pending and left > 0:
                self._client.creations.on_wait(
                    f"Waiting {left:.0f} seconds for {amount(pending, 'request')} whose answers were lost."
                )
                transport.sleep(left)
                found |= self._created([planned for planned in creations if id(planned) not in found])
        except SeventhingsError as problem:
            for planned, error, _moment in aside:
                error.message += f" Whether it took effect could not be looked up: {problem.message}"
                fail(planned, error)
            return
        self._client.creations.settled()
        self._found = found
        yield from waiting

    def _took_effect(self, planned: Planned) -> bool:
        """Return True if a change of an existing record whose answer was lost shows its effect."""
        current = planned.change.current
        if current is None or planned.kind is HUB_ITEM:
            return False
        now = self._client.get(planned.kind, current.uuid, planned.entry.template)
        return not without_effect(self._client, planned.schema, planned.change, now)

    def _created(self, creations: Sequence[Planned]) -> dict[int, list[Record]]:
        """Return the new records with the natural keys of creations whose answers were lost."""
        return created_now(self._client, self._plan.state, self._plan.changes, creations)

    def outcome_of(self, planned: Planned) -> tuple[OutcomeUnknown, list[Record]] | None:
        """Return the lost answer of a deferred creation, and the new records with its natural key."""
        lost = self.error_of(planned)
        return None if lost is None or self._found is None else (lost, self._found.get(id(planned), []))
