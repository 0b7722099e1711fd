# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Document that an action runs on the controller."""


class ModuleDocFragment:
    DOCUMENTATION = r"""
attributes:
  action:
    description: Runs on the controller.
    support: full
  async:
    description: Can be run with the C(async) keyword.
    support: none
"""
