# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings that match nothing.

For example, a scope without records has no effect, and a field whose name is misspelt in ``hide`` stays visible.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...module_utils.plan.change import CREATE
from .context import PlanContext


def idle_settings(context: PlanContext) -> Iterator[str]:
    """Yield a warning for each scope without records and each name in ``hide`` that is no field."""
    result = context.result
    created = {planned.section for planned in result.changes if planned.change.action == CREATE}
    for section in context.desired.scope:
        number = result.everywhere[section]
        if number and not result.existing[section] and section not in created:
            yield (
                f"scope.{section}: none of the {number} records that this account sees is in the scope, so nothing is "
                "compared and nothing is removed. Look at the values of the scope."
            )
    # A plan file contains only changed records, which need not have every field.
    for name in () if context.options.is_approved else context.hiding.idle(context.desired.entries):
        yield (
            f"hide: {name!r} is no field of the sections in these files, so it hides nothing. Write the key or the "
            "label of a field."
        )
