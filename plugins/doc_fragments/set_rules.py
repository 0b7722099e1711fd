# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Document the rules that records and changes of a set must follow."""


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  rules:
    description:
      - Files with rules that records and changes must follow. See the guide
        R(Rules,ansible_collections.community.seventhings.docsite.guide_rules).
    type: list
    elements: path
    default: []
  rules_digest:
    description:
      - SHA-256 of each file in O(rules), in the same order. Any other content is refused.
    type: list
    elements: str
"""
