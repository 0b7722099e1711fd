# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Document the journal of a set, and the instances that it may change."""

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  report_url:
    description:
      - The address of the whole report, such as that of the job that stores it. A O(report) that ends in V(.md) links
        to it, because a comment may be too short for everything.
    type: str
  journal:
    description:
      - Directory of the journal. The default is C($XDG_STATE_HOME/seventhings/INSTANCE/SET), or the same in
        C(~/.local/state).
      - It notes what was sent and which records belong to this set, so that a run can finish an interrupted run, and
        pruning removes no records of others. It has no secrets. Keep it between runs, as a cache of the CI job. See
        R(the guide,ansible_collections.community.seventhings.docsite.guide_runs).
    type: path
  expect_instance:
    description:
      - Roots of the instances that may be changed. They replace the roots in C(instance.yml). If some roots are in
        both, only these are allowed. V([]) leaves it to C(instance.yml).
    type: list
    elements: str
"""
