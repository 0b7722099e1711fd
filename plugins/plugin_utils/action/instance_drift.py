# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The action ``instance_drift``: compare the instance with the files."""

from __future__ import annotations

from typing import Any

from ..instance.caps import Caps
from ..instance.options import RunOptions
from ..report.task import result_of
from .set_run import SetRun


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
    result = run.run(run.load_all(rules), run_options)
    return {**result_of(result, run.reports, options["fail"]), "changed": False}
