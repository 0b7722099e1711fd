# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Document the rules that records and changes of a set must follow."""

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  rules:
    description:
      - Files with rules that records and changes must follow, whatever the other files say. See R(the
        guide,ansible_collections.community.seventhings.docsite.guide_rules).
      - A record is checked as it will be after the apply. If it breaks a rule with the level C(error), that is a
        finding, and nothing is sent.
      - A protected run refuses a rules file inside of O(src). Without O(rules_digest), it refuses a file inside of
        O(src_below) or beside a O(src) that is a file too.
    type: list
    elements: path
    default: []
  rules_digest:
    description:
      - SHA-256 of each file in O(rules), 64 hexadecimal digits, in the same order. Any other content is refused.
    type: list
    elements: str
"""
