# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The action ``instance``: plan the files, and apply the plan in a real run."""

from __future__ import annotations

from typing import Any

from ..instance.caps import Caps, require_caps
from ..instance.options import RunOptions
from ..report.task import result_of
from .set_run import SetRun


def provision(run: SetRun) -> dict[str, Any]:
    """Plan and, in a real run, apply the files of a task."""
    options = run.options
    if options["protected"]:
        require_caps(run.written)
    approving, rules = run.approving(), run.rules()
    run_options = RunOptions(
        check_mode=run.check_mode,
        journal=run.path("journal"),
        archived_lookups=options["archived_lookups"],
        only=options["only"],
        exclude=options["exclude"],
        caps=Caps.from_task(options),
        approving=approving,
        rules=rules,
        apply_record=run.path("apply_record"),
    )
    return result_of(run.run(run.load_all(rules), run_options), run.reports)
