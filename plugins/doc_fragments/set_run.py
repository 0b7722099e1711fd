# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Document the journal of a set, and the instances that it may change."""


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  report_url:
    description:
      - The address of the whole report, to which a O(report) that ends in V(.md) links.
    type: str
  journal:
    description:
      - Directory of the journal, which notes what was sent and which records belong to this set. Keep it between runs.
        See the guide R(Keep what is remembered,ansible_collections.community.seventhings.docsite.guide_remembered).
      - The default is C($XDG_STATE_HOME/seventhings/INSTANCE/SET), or the same in C(~/.local/state).
    type: path
  expect_instance:
    description:
      - Roots of the instances that are allowed, instead of those in C(instance.yml).
    type: list
    elements: str
"""
