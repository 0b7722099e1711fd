# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Write every task result of a run to a file, one JSON object a line, for the tests to read."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

from ansible.plugins.callback import CallbackBase

DOCUMENTATION = """
name: record_results
type: notification
short_description: write every task result to a file
description:
  - Appends one JSON object for each task result to the file that the environment variable RECORD_RESULTS_FILE names,
    with the seconds since its task began.
"""


class CallbackModule(CallbackBase):
    """Appends results as they come."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "notification"
    CALLBACK_NAME = "record_results"
    CALLBACK_NEEDS_ENABLED = True

    def v2_playbook_on_task_start(self, task: Any, is_conditional: bool) -> None:
        self._started = time.monotonic()

    def _note(self, outcome: str, result: Any) -> None:
        seconds = time.monotonic() - self._started
        # From 2.19 on a callback gets the result as a class with public names.
        task, content = getattr(result, "task", None) or result._task, getattr(result, "result", None) or result._result
        entry = {"name": task.name, "outcome": outcome, "result": content, "seconds": seconds}
        if "RECORD_RESULTS_FILE" in os.environ:
            with Path(os.environ["RECORD_RESULTS_FILE"]).open("a", encoding="utf-8") as stream:
                stream.write(json.dumps(entry, default=str) + "\n")

    def v2_runner_on_ok(self, result: Any) -> None:
        self._note("ok", result)

    def v2_runner_on_failed(self, result: Any, ignore_errors: bool = False) -> None:
        self._note("ignored" if ignore_errors else "failed", result)

    def v2_runner_on_skipped(self, result: Any) -> None:
        self._note("skipped", result)

    def v2_runner_item_on_ok(self, result: Any) -> None:
        self._note("item", result)
