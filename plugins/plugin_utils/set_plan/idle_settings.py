# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings without effect: a scope without records, and names to hide that are no fields."""

from __future__ import annotations

from collections.abc import Iterator

from ...module_utils.plan.change import CREATE
from .aspect import Aspect


class IdleSettings(Aspect):
    """Warn of settings without effect, unless a finding may be the reason."""

    def complete(self) -> None:
        """Add the warnings to the plan."""
        if not self._context.findings:
            self._context.result.warnings += [*self._idle_scopes(), *self._idle_hiding()]

    def _idle_scopes(self) -> Iterator[str]:
        result = self._context.result
        created = {planned.section for planned in result.changes if planned.change.action == CREATE}
        for section in self._context.desired.scope:
            number = result.everywhere[section]
            if number and not result.existing[section] and section not in created:
                yield (
                    f"scope.{section}: none of the {number} records that this account sees is in the scope, so nothing "
                    "is compared and nothing is removed. Look at the values of the scope."
                )

    def _idle_hiding(self) -> Iterator[str]:
        for name in self._context.hiding.idle(self._context.desired.entries):
            yield (
                f"hide: {name!r} is no field of the sections in these files, so it hides nothing. Write the key or the "
                "label of a field."
            )
