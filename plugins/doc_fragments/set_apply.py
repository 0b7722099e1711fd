# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Document the approval, the limits and the record of an apply."""

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  plan_file:
    description:
      - The approval of a plan. Check mode writes it to this file, which only its owner can read. It has a digest for
        each change, and no value.
      - A real run makes the plan again, and executes the changes with the same digests. A change that was not approved
        is left out, and a warning says so. The file stays, and a second run with it changes nothing.
      - A real run refuses a missing file, and a file for another instance or set.
    type: path
  plan_digest:
    description:
      - SHA-256 of the approved O(plan_file), which a plan shows in RV(plan_digest), in its text and in the O(report).
        Only this digest proves that nobody edited the file.
      - A real run refuses any other O(plan_file). Without O(plan_file), the plan that it makes must have this digest.
    type: str
  stale:
    description:
      - What to do with an approved change if its record, or what is wanted of it, has changed since the plan.
      - >-
        V(refuse): Nothing is applied.
      - >-
        V(skip): The change is left out, and a warning says so.
    type: str
    choices: [refuse, skip]
    default: refuse
  apply_record:
    description:
      - The file for the apply record of this run, so that M(community.seventhings.instance_undo) can undo it. Only its
        owner can read it.
      - The default is a new file in C($XDG_STATE_HOME/seventhings/applied/INSTANCE/SET), or the same in
        C(~/.local/state). The last 20 records of each set are kept.
      - It contains personal data. Keep it as a protected artifact of the CI job, and never cache it.
    type: path
  protected:
    description:
      - Set this for files that strangers may change, as in a pull request. O(limits), O(allow) (which may be V([])),
        O(expect_instance), and C(prune) if the module has it, are then required, and O(src_below) with O(src).
      - A O(src) that is a link is refused. Records of a section that C(prune) does not name are only reported. Without
        C(notify), no assignee is notified.
    type: bool
    default: false
  limits:
    description:
      - Limits of the plan. A plan that exceeds one is refused. Files can only lower them.
      - C(create_percent) (30), C(update_percent) (30) and C(delete_percent) (10) are percentages of the records of a
        section in scope. C(delete_percent) also refers to the records of the set. They apply if there are at least
        C(from_existing) (10) records.
      - C(creates), C(updates) and C(deletes) (none) are numbers of records of a section, and C(users) (10) is the
        number of users that one run may create. Archived records count as deleted.
    type: dict
"""
