# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Document the reports of the modules of a whole set, and what they hide."""


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  report:
    description:
      - Files for a report, each in the format of its suffix.
      - V(.md) is a comment on a pull request, V(.html) a page, V(.csv) a row for each changed field, V(.sarif) findings
        at their lines, and V(.json) everything that the task returns.
    type: list
    elements: path
    default: []
  hide:
    description:
      - Fields, by their keys or labels, whose values are shown as V((vaulted\)), such as those that a template computes
        from a vaulted value.
    type: list
    elements: str
    default: []
  show_vaulted:
    description:
      - Show values that are vaulted or named by O(hide) in findings, plans, reports and messages.
    type: bool
    default: false
"""
