# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One call of a module of everyday work: its connection, one plan for all its records, and what failed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...module_utils.ansible_module.argument_specs import CONNECTION
from ...module_utils.client.client import Client
from ...module_utils.client.connection import connect, secrets_of
from ...module_utils.model.field import first_of
from ...module_utils.model.kinds import KINDS, Kind
from ...module_utils.printing.cleaner import clean
from ..controller.controller_run import ControllerRun
from ..desired.desired import DesiredInstance
from ..desired.entry import Entry
from ..instance.caps import Caps
from ..instance.options import RunOptions
from ..instance.run import run_instance
from ..printing.screen import print_line as tell_on_screen
from ..report.on_screen import message_in_short, on_screen
from ..report.result import made_by
from ..report.task import progress_printer, report_paths, result_of, write_reports
from .lists import ObjectLists

#: Maximum number of records or hosts that a warning names. The result has all of them.
MOST_NAMED = 20


class Call(ControllerRun):
    """One call of a module.

    :ivar host: the inventory host of the task.
    :ivar warnings: warnings for the user.
    """

    def __init__(self, options: Mapping[str, Any], check_mode: bool, host: str = "") -> None:
        super().__init__(options, connect, shorten=message_in_short)
        self.check_mode = check_mode
        self.host = host
        self.warnings: list[str] = []

    def connect(self, read_only: bool = False) -> Client:
        """Connect to the instance. In check mode the connection refuses every write."""
        client = super().connect(read_only or self.check_mode)
        client.creations.on_wait = tell_on_screen
        return client

    def reports(self) -> list[Path]:
        """Return the paths of the reports of the plan.

        :raises InvalidInput: if one of them can't be written.
        """
        return report_paths(self.options, None)

    def read_lists(self, client: Client, *others: Kind) -> ObjectLists:
        """Return the lists on which the plan rests. A real run notices what other processes create from here on."""
        if not self.check_mode:
            client.creations.watch(KINDS)
        return ObjectLists(client, *others)

    def carry_out(
        self, lists: ObjectLists, entries: Sequence[Entry], limits: Mapping[str, Any], **settings: Any
    ) -> dict[str, Any]:
        """Plan all records at once and, in a real run, apply the plan. Return the result of the run.

        :param lists: as returned by :meth:`read_lists`. :param limits: the limits of the task.
        :param settings: members of the desired state, such as ``scope``.
        """
        client = lists.client
        reports = self.reports()
        sections = {entry.kind.section for entry in entries}
        desired = DesiredInstance(entries=list(entries), sections=sections, **settings)
        task = {"limits": dict(limits), "allow": self.options.get("allow")}
        run_options = RunOptions(check_mode=self.check_mode, caps=Caps.from_task(task), lists=lists.state)
        result = run_instance(client, desired, run_options, progress_printer(host=self.host))
        result.made_by = made_by("", self.host)
        result.warnings += self.all_warnings()
        result.requests = client.transport.sent
        # A list that names only the records to change omits no record by mistake.
        result.reported = {}
        write_reports(result, reports, None, secrets_of(CONNECTION, self.options) | client.tokens.secrets, "")
        return result_of(result, reports)

    def all_warnings(self) -> list[str]:
        """Return the warnings of this call, and those of its connection."""
        return [*self.warnings, *(self.client.transport.notes() if self.client else ())]


def run_call(call: Call, work: Callable[[Call], dict[str, Any]]) -> dict[str, Any]:
    """Return the result of a call as Ansible wants it."""
    with call:
        result = work(call)
        # The result of a plan has them already.
        warnings = [] if "outcome" in result else call.all_warnings()
        call.result = {**result, **({"warnings": warnings} if warnings else {}), "requests": call.requests}
    return on_screen(call.result)


def named(names: Iterable[str]) -> str:
    """Return some names in words: the first of them, and the number of the others."""
    return first_of([clean(name) for name in names], MOST_NAMED)
