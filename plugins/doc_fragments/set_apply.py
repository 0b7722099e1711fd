# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Document the approval, the limits and the record of an apply."""


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  plan_file:
    description:
      - The approval of a plan, without any value. Check mode writes it. A real run makes the plan again and executes
        the changes that were approved.
      - See the guide R(Apply the plan that was
        approved,ansible_collections.community.seventhings.docsite.guide_approval).
    type: path
  plan_digest:
    description:
      - SHA-256 of the approved O(plan_file), which the plan shows as RV(plan_digest). No other plan is applied.
    type: str
  stale:
    description:
      - What to do with an approved change if its record, or what is wanted of it, has changed since the plan.
      - >-
        V(refuse): Nothing is applied.
      - >-
        V(skip): The change is left out, with a warning.
    type: str
    choices: [refuse, skip]
    default: refuse
  apply_record:
    description:
      - The file for the apply record of this run, with which M(community.seventhings.instance_undo) can undo it. It
        contains personal data.
      - The default is a new file in C($XDG_STATE_HOME/seventhings/applied/INSTANCE/SET), or the same in
        C(~/.local/state).
    type: path
  protected:
    description:
      - Set this for files that strangers may change. Then O(limits), O(allow), O(expect_instance), C(prune) if the
        module has it, and O(src_below) with O(src) are required.
    type: bool
    default: false
  limits:
    description:
      - Limits of the plan. A plan that exceeds one is refused. Files can only lower them.
      - C(create_percent) (30), C(update_percent) (30) and C(delete_percent) (10) are percentages of the records of a
        section in scope, if there are at least C(from_existing) (10) records.
      - C(creates), C(updates) and C(deletes) are numbers of records of a section, and C(users) (10) of new users.
        Archived records count as deleted.
    type: dict
"""
