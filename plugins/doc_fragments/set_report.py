# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Document the reports of the modules of a whole set, and what they hide."""

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  report:
    description:
      - Files for a report of what was planned, done or found. The suffix of each file selects its format.
      - V(.md) is for a comment on a pull request, V(.html) is a single page, and V(.csv) has a row for each field of
        each change. V(.sarif) has the findings, warnings and removals at their lines. V(.json) has everything that the
        task returns.
    type: list
    elements: path
    default: []
  hide:
    description:
      - Fields, by their keys or labels, whose values are shown as V((vaulted\)), in all sections and files.
      - A vaulted value is only recognised if it is passed unchanged. If a template computes a value from it, or if it
        comes from a file that is vaulted as a whole, name the field here.
      - Before ansible-core 2.19, this option is required with O(desired) if Ansible has a vault password. Write V([])
        if O(desired) has no vaulted value.
    type: list
    elements: str
    default: []
  show_vaulted:
    description:
      - Show values that are vaulted or named by O(hide) in findings, plans, reports and messages.
      - From ansible-core 2.22 on, Ansible masks values that an earlier task of the same run hid.
    type: bool
    default: false
"""
