# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The visible results of a run: report files, progress and the result of the task."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...module_utils.errors import InvalidInput
from ...module_utils.printing.cleaner import amount
from ..apply.executor import Progress
from ..controller.controller_run import ControllerRun
from ..printing.screen import print_line as tell_on_screen
from .on_screen import findings_in_short, in_short
from .result import ONLY_VALIDATED, RunResult
from .sides import diff_of
from .text_report import as_text, check_report, in_brief, write_report

_EVERY_SECONDS = 4.0


def report_paths(options: Mapping[str, Any], plan_file: Path | None) -> list[Path]:
    """Return the paths of the reports.

    :raises InvalidInput: if one of them can't be written, or two are the same file.
    """
    paths = [Path(text).expanduser() for text in options.get("report") or () if text]
    used = {} if plan_file is None else {os.path.realpath(plan_file): "the plan_file"}
    for path in paths:
        check_report(path)
        real = os.path.realpath(path)
        if real in used:
            raise InvalidInput(f"report: {path} is {used[real]} too; give each a file of its own")
        used[real] = "another report"
    return paths


def write_reports(result: RunResult, paths: Iterable[Path], src: Path | None, secrets: Iterable[str], url: str) -> None:
    """Write the reports of a run. A report that can't be written is a warning of the run."""
    for path in paths:
        try:
            write_report(result, path, src, secrets, url)
        except (OSError, InvalidInput) as error:
            # The result of the run must still be reported.
            result.warnings.append(f"report: {path} can't be written ({error})")


def progress_printer(
    show: Callable[[str], None] = tell_on_screen, clock: Callable[[], float] = time.monotonic, host: str = ""
) -> Callable[[Progress], None]:
    """Return a function that prints the progress of a run every few seconds. For a short run it prints nothing.

    :param show: prints a line.
    :param host: prefix of the line, unless it is this machine.
    """
    begins = "" if host in ("", "localhost") else f"{host}: "
    last = clock()
    begun: dict[str, float] = {}

    def on_progress(progress: Progress) -> None:
        nonlocal last
        now = clock()
        # Progress arrives when a record is done, so the duration of the first record of a section is unknown.
        started = begun.setdefault(progress.section, now)
        if now - last < _EVERY_SECONDS:
            return
        last = now
        seconds = (now - started) / max(progress.done - 1, 1) * (progress.total - progress.done)
        left = "no rate limit" if progress.left is None else f"{amount(progress.left, 'request')} left this minute"
        done = f"{progress.section}: {progress.done} of {progress.total}"
        show(f"{begins}{done}, {left}, about {seconds:.0f} s left")

    return on_progress


def result_of(result: RunResult, reports: Sequence[Path], fails_if_different: bool = False) -> dict[str, Any]:
    """Return the result of a run as Ansible expects it.

    :param fails_if_different: fail if there are changes.
    """
    drifted = fails_if_different and result.outcome in ("changed", "drift")
    failed = result.failed or drifted
    return {
        **{name: value for name, value in result.document().items() if name != ONLY_VALIDATED},
        "changed": result.outcome in ("changed", "drift", "partly_applied"),
        "msg": in_short(result, reports, drifted) if failed else as_text(result),
        "brief": in_brief(result),
        "diff": diff_of(result),
        **({"failed": True} if failed else {}),
    }


def with_findings(run: ControllerRun, findings: Sequence[str]) -> dict[str, Any]:
    """Return the result of a run that found mistakes in files."""
    return {**run.failed(findings_in_short(findings)), "findings": [*findings]}
