# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How a run approves its plan: check mode writes an approval, and an apply executes only what an approval covers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from ...module_utils.client.client import Client
from ...module_utils.client.files import Contents
from ...module_utils.model.kinds import Kind
from ...module_utils.resolve.field_visibility import LIMITED
from ...module_utils.resolve.hidden_records import NO, YES, Visibility
from ..apply.journal import Journal
from ..desired.desired import DesiredInstance
from ..set_plan.limits import recounted
from ..set_plan.plan import InstancePlan, Planned
from ..undo.undo import Undo
from .approval import REFUSE, Approval, Digests, Gate
from .approval_file import ApprovalFile


@dataclass(frozen=True)
class Approving:
    """How a plan is approved.

    :ivar file: receives the approval of the plan in check mode.
    :ivar approval: what a real run may execute; None: the plan must have the digest.
    :ivar digest: the SHA-256 of the approval that the task accepts; empty if it accepts any.
    :ivar stale: what to do with a change whose record changed since the approval.
    """

    file: ApprovalFile | None = None
    approval: Approval | None = None
    digest: str = ""
    stale: str = REFUSE

    @property
    def removals(self) -> frozenset[str]:
        """Return the uuids that a digest of the task approves to remove. They are known even without a journal."""
        return self.approval.removed if self.approval is not None and self.digest else frozenset()

    @property
    def unarchived(self) -> frozenset[str]:
        """Return kind and key of the archived records that the approval restores."""
        return self.approval.unarchived if self.approval is not None else frozenset()


@dataclass(frozen=True)
class Approver:
    """Approves the plans of one run.

    :ivar undo: the apply record to undo; None: the files are applied.
    :ivar is_whole: True unless only a part of the set is planned.
    """

    client: Client
    approving: Approving
    undo: Undo | None
    is_whole: bool

    def approval_of(self, plan: InstancePlan, desired: DesiredInstance, journal: Journal) -> Approval:
        """Return the approval of a plan. Files without a ``set_id`` get that of the journal."""
        named = replace(desired, set_id=journal.set_id)
        return Approval.from_plan(plan, named, self.client.transport.root, self._files(plan), self._digests(plan))

    def judge(
        self, plan: InstancePlan, desired: DesiredInstance, journal: Journal, is_resumed: bool
    ) -> tuple[InstancePlan, list[str]]:
        """Return the approved part of a plan, and why it must not be applied."""
        approval = self.approving.approval
        if approval is None:
            return plan, self._another_plan(self.approval_of(plan, desired, journal).digest)
        why = self._another_set(approval, desired, journal)
        if why:
            return plan, [why]

        def is_begun(planned: Planned) -> bool:
            """Return True if an earlier run of the same plan created a record or began to change it."""
            current = planned.change.current
            names = {planned.journal_name, current.uuid if current is not None else ""}
            return is_resumed and bool(names & journal.memory.touched)

        def why_hidden(kind: Kind, uuid: str) -> str:
            # The memory forgets the records that this set removed.
            is_removed = bool(journal.known) and uuid not in journal.known
            visible = Visibility(NO) if plan.state is None else plan.state.visibility(reads_proof=not is_removed)
            may_exist = visible.may_hide(kind) and not (is_removed and visible.hidden_records != YES)
            return (visible.evidence or LIMITED) if may_exist else ""

        digests = self._digests(plan, approval.creations)
        gate = Gate(approval, digests, self._files(plan), is_begun, self.is_whole, self.approving.stale, why_hidden)
        approved, refusals = gate.judge(plan)
        before = journal.memory.existing if is_resumed else {}
        approved.exceeded_limits = recounted(plan, approved, desired.policy, before)
        desired.policy = replace(desired.policy, notify=desired.policy.notify and approval.notify)
        return approved, refusals

    def _another_plan(self, digest: str) -> list[str]:
        """Return why a plan is not the one that the task approves by its digest alone."""
        if digest == self.approving.digest:
            return []
        why = (
            f"plan_digest: the plan that was made now is another one (sha256:{digest}) than the approved one "
            f"(sha256:{self.approving.digest}). Files or records have changed since. Plan again."
        )
        return [why]

    def _another_set(self, approval: Approval, desired: DesiredInstance, journal: Journal) -> str:
        """Return why an approval is about other files; empty if it is about these."""
        is_other_id = bool(desired.set_id) and approval.set_id != journal.set_id
        if approval.set_name != desired.set_name or is_other_id:
            return (
                f"plan_file: this plan is for the set {approval.set_name!r} with the set_id {approval.set_id!r}, and "
                f"src is another set."
            )
        if self.undo is not None and approval.files != self.undo.record.digest:
            return "plan_file: this plan undoes another apply record than applied names. Plan again."
        return ""

    def _files(self, plan: InstancePlan) -> str:
        """Return the digest of what the files ask for, or of the apply record to undo."""
        return plan.asked.digest if self.undo is None else self.undo.record.digest

    def _digests(self, plan: InstancePlan, creations: Mapping[str, str] = MappingProxyType({})) -> Digests:
        return Digests(plan, Contents(self.client), plan.asked.key, creations)
