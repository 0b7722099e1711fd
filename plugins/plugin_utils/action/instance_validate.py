# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The action ``instance_validate``: check files without a connection."""

from __future__ import annotations

from typing import Any

from ...module_utils.printing.cleaner import amount
from ...module_utils.resolve.hidden_records import UNKNOWN
from ..desired.desired import DesiredInstance
from ..desired.grouped_findings import GroupedFindings, group_findings
from ..instance.merged_records import merged_records
from ..instance.offline import offline_findings
from ..report.on_screen import findings_in_short
from ..report.result import RunResult, made_by
from ..rules.found import lines_of
from ..rules.rule import RuleSet
from .set_run import SetRun


def validate_files(run: SetRun) -> dict[str, Any]:
    """Check the files of a task. All findings are reported at once."""
    reports, rules = run.reports, run.rules()
    desired = run.load_all(rules)
    findings = offline_findings(desired, rules)
    grouped = group_findings(findings, desired)
    of_rules = lines_of(desired.rule_warnings, desired)
    warnings = [*desired.warnings, *of_rules]
    if reports:
        result = _judged(run, grouped, desired)
        result.warnings = warnings
        result.warning_places = {line: place for line, (place, _rule) in of_rules.items()}
        result.rules = (rules or RuleSet()).by_message(findings, of_rules)
        if any(path.suffix == ".json" for path in reports):
            result.records = merged_records(desired)
        run.write_reports(result, reports)
    fine = f"{amount(len(desired.entries), 'record')}, nothing wrong"
    warned = {"warnings": warnings} if warnings else {}
    shown = findings_in_short(grouped.lines, reports) if grouped.lines else fine
    return {"changed": False, "failed": bool(grouped.lines), "findings": grouped.lines, "msg": shown, **warned}


def _judged(run: SetRun, grouped: GroupedFindings, desired: DesiredInstance) -> RunResult:
    """Return the findings of a run without a plan in the form of a report."""
    return RunResult(
        outcome="failed" if grouped.lines else "unchanged",
        instance=", ".join(desired.instances),
        check_mode=run.check_mode,
        findings=grouped.lines,
        warnings=desired.warnings,
        every_finding=grouped.every,
        located=grouped.shown,
        made_by=made_by(desired.set_name, run.host),
        hidden_records=UNKNOWN,
    )
