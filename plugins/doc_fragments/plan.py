# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Document the options of modules that plan changes of objects and then apply the plan."""


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  limits:
    description:
      - Limits of the plan, as in O(community.seventhings.instance#module:limits).
    type: dict
    default: {}
  allow:
    description:
      - >-
        V(limited_account): Accept that this account may not see all records, as in
        O(community.seventhings.instance#module:allow).
    type: list
    elements: str
    choices: [limited_account]
  report:
    description:
      - Files to which the plan or the result is written, as in O(community.seventhings.instance#module:report).
      - Only their owner can read the files. They are written in check mode too.
    type: list
    elements: path
    default: []
"""
