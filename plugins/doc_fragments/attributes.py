# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Document what every module has: check mode, diff mode, idempotence, and its action group."""

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
attributes:
  check_mode:
    description: Can run in check mode and predict its result without changing anything on the instance.
  diff_mode:
    description: Shows in diff mode what changes, or in check mode what would change.
  idempotent:
    description: Changes nothing, and reports no change, when it runs again with the same options.
  action_group:
    description: Accepts defaults from C(group/community.seventhings.all) in C(module_defaults).
    support: full
    membership:
      - community.seventhings.all
"""

    CHANGES = r"""
attributes:
  check_mode:
    support: full
    details:
      - Nothing is written. C(changed) and the diff are the same as in a real run.
      - A field definition or a referenced record may be missing because an earlier task of the play only creates it in
        a real run. That is a warning, not an error. A name that is most likely a typo is an error, as in a real run.
  diff_mode:
    support: full
    details:
      - Shows only fields that the task sets and that change. References are shown as the task writes them. In diff
        mode, the previous targets of references are read, so that both sides show natural keys. Several targets of one
        field are read in one list, and no more than ten records are read one by one. The others are shown as the
        service names them.
  idempotent:
    support: full
"""

    READS = r"""
attributes:
  check_mode:
    support: full
    details:
      - This action does not change anything. Its result is the same as in a real run. A record that an earlier task of
        the play would create is missing in check mode, and an option that refers to it is an error.
  diff_mode:
    support: N/A
    details:
      - This action does not change anything.
  idempotent:
    support: full
    details:
      - This action does not change anything.
"""

    CONTROLLER = r"""
attributes:
  action:
    description: Runs on the controller.
    support: full
  async:
    description: Can be run with the C(async) keyword.
    support: none
"""

    # Not PLAN, because ansible-core takes attributes.plan for the file plan.py.
    PLANS = r"""
attributes:
  check_mode:
    support: full
    details:
      - The plan. Nothing is written to the instance.
  diff_mode:
    support: full
    details:
      - Every change with its fields, as text.
  idempotent:
    support: full
"""
