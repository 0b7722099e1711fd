# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The base class of the actions on a set of records."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..report.on_screen import on_screen
from .controller_action import ControllerAction
from .set_run import SetRun


class SetAction(ControllerAction):
    """An action that reads the files of a set on the controller.

    :cvar work: what it does, with one run.
    """

    work: Callable[[SetRun], dict[str, Any]]

    def carry_out(self, options: dict[str, Any]) -> dict[str, Any]:
        """Do the work. The result fits on a screen if the task failed."""
        run = SetRun(options, self._task.check_mode, self._loader, self._task.args, self.host)
        return on_screen(run.carry_out(type(self).work))
