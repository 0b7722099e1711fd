# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The action ``instance_drift``: compare the instance with the files."""

from __future__ import annotations

from typing import Any

from ..controller.heap import many_objects
from ..instance.caps import Caps
from ..instance.options import RunOptions
from ..report.task import result_of
from .set_run import SetRun

_OF_AN_APPLY = frozenset(
    ("apply_record", "apply_record_digest", "failures", "forecast", "mails", "plan_digest", "undo")
)
"""Members of a result that say nothing about a comparison."""


def find_drift(run: SetRun) -> dict[str, Any]:
    """Compare the instance with the files of a task. Nothing is written to the instance, whatever the mode."""
    run.check_mode = True
    options, rules = run.options, run.rules()
    run_options = RunOptions(
        check_mode=True,
        drift=True,
        journal=run.path("journal"),
        only=options["only"],
        exclude=options["exclude"],
        caps=Caps.from_task(options),
        rules=rules,
    )
    with many_objects():
        desired = run.load_all()
    desired.findings += rules.findings if rules is not None else []
    members = result_of(run.run(desired, run_options), run.reports, options["fail"])
    return {name: value for name, value in members.items() if name not in _OF_AN_APPLY} | {"changed": False}
