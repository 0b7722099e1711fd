#!/usr/bin/python
# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: instance_undo
short_description: Undo an apply of a set
version_added: 1.0.0
description:
  - Undoes what an apply of M(community.seventhings.instance) changed, from the apply record of that run.
  - Check mode is the plan. It shows what the undo would change, and sends no write.
  - The plan is made from O(applied) and the current state of the instance. It is reported, approved, refused and
    applied like a plan from files. The files are not needed. O(src) and O(desired) only say which set to undo and which
    records are protected.
options:
  applied:
    description:
      - >-
        The apply record to undo. V(last) is the newest record at the default path, of the set that O(src) names, or
        without O(src) of any set of the instance. Any other value is the path of a file.
      - If the newest record is that of an undo, V(last) changes nothing, and a warning says why. If that undo was
        interrupted, V(last) finishes it.
      - The file must belong to the user who runs the task, and not be writable by others. A record of another instance
        or set is refused.
      - An undo restores fields that an update changed, records that were archived or deleted, field definitions and
        offers on the hub. It archives or deletes created records, but only if they have not changed since, nothing
        refers to them, and the journal or O(record_digest) proves that this set created them. RV(not_restored) lists
        what stays. See R(the guide,ansible_collections.community.seventhings.docsite.guide_going_back).
    type: str
    required: true
  changed_since:
    description:
      - What to do with a field that was changed since the apply.
      - >-
        V(skip): The field stays, and a warning names it.
      - >-
        V(refuse): Nothing is undone.
      - >-
        V(force): The field gets its value from before the apply. Created records that were changed are not removed.
    type: str
    choices: [skip, refuse, force]
    default: skip
  record_digest:
    description:
      - SHA-256 of the apply record that was reviewed and approved. The apply returns it as RV(apply_record_digest). Any
        other O(applied) is refused.
      - Lets the undo remove records that the journal does not know, for example on another machine.
      - Required with O(protected) if O(applied) is a file.
    type: str
  allow:
    description:
      - What this run may do besides. No file can allow it.
      - >-
        V(destructive): Change the type of a field definition, or remove values that records use.
      - >-
        V(limited_account): Remove records, or risk duplicates, although records are hidden from this account.
      - >-
        V(assumed_archived): Count an unlisted record that its key finds as archived, if the instance does not say so.
    type: list
    elements: str
    choices: [destructive, limited_account, assumed_archived]
attributes:
  check_mode:
    support: full
    details:
      - The plan. Nothing is written to the instance. O(plan_file) and O(report) are written.
  diff_mode:
    support: full
    details:
      - Every change with its fields, as text.
  idempotent:
    support: full
notes:
  - It reads one list of each kind that the apply changed, and sends one request for each change.
  - The numbers in O(limits) apply, the percentages do not.
  - The files still want what was undone, so the next apply makes the same changes again. Change the files, too.
seealso:
  - module: community.seventhings.instance
extends_documentation_fragment:
  - community.seventhings.set_files
  - community.seventhings.set_report
  - community.seventhings.set_run
  - community.seventhings.set_apply
  - community.seventhings.connection
  - community.seventhings.attributes
  - community.seventhings.attributes_controller
author:
  - Contributors to the community.seventhings collection (@ansible-collections)
"""

EXAMPLES = r"""
---
- name: Show what an undo of the last apply would do
  community.seventhings.instance_undo:
    applied: last
  check_mode: true

- name: Undo an apply from its record, and refuse if any of it was changed since
  community.seventhings.instance_undo:
    applied: /srv/records/2026-11-24.json.gz
    changed_since: refuse
  when: go_back | default(false)
"""

RETURN = r"""
msg:
  description:
    - As in RV(community.seventhings.instance#module:msg).
  returned: always
  type: str
outcome:
  description:
    - As in RV(community.seventhings.instance#module:outcome). V(partly_undone) means that nothing is left to change,
      although RV(not_restored) is not empty.
  returned: always
  type: str
instance:
  description:
    - As in RV(community.seventhings.instance#module:instance).
  returned: always
  type: str
check_mode:
  description:
    - As in RV(community.seventhings.instance#module:check_mode).
  returned: always
  type: bool
summary:
  description:
    - As in RV(community.seventhings.instance#module:summary).
  returned: always
  type: dict
changes:
  description:
    - As in RV(community.seventhings.instance#module:changes).
  returned: always
  type: list
  elements: dict
failures:
  description:
    - As in RV(community.seventhings.instance#module:failures).
  returned: always
  type: list
  elements: dict
refusals:
  description:
    - As in RV(community.seventhings.instance#module:refusals).
  returned: always
  type: list
  elements: str
findings:
  description:
    - As in RV(community.seventhings.instance#module:findings).
  returned: always
  type: list
  elements: str
cautions:
  description:
    - As in RV(community.seventhings.instance#module:cautions).
  returned: always
  type: list
  elements: str
hidden_records:
  description:
    - As in RV(community.seventhings.instance#module:hidden_records).
  returned: always
  type: str
moves:
  description:
    - As in RV(community.seventhings.instance#module:moves).
  returned: always
  type: list
  elements: dict
money:
  description:
    - As in RV(community.seventhings.instance#module:money).
  returned: always
  type: list
  elements: dict
persons:
  description:
    - As in RV(community.seventhings.instance#module:persons).
  returned: always
  type: list
  elements: dict
mails:
  description:
    - As in RV(community.seventhings.instance#module:mails).
  returned: always
  type: list
  elements: dict
undone:
  description: The apply that is undone, and how to recognise it.
  returned: always
  type: dict
  contains:
    time:
      description: The time of the apply in UTC.
      type: str
    set:
      description: The name of its set.
      type: str
    user:
      description: The user and the machine.
      type: str
    changes:
      description: The number of its changes.
      type: int
    record:
      description: The file of its apply record.
      type: str
not_restored:
  description: What the undo does not restore.
  returned: always
  type: list
  elements: dict
  contains:
    section:
      description: The section.
      type: str
    key:
      description: The natural key of the record.
      type: str
    field:
      description: The field. Empty if it is the whole record.
      type: str
    reason:
      description: Why it stays as the apply wrote it, or as somebody changed it since.
      type: str
undo:
  description:
    - As in RV(community.seventhings.instance#module:undo).
  returned: always
  type: str
reported:
  description:
    - As in RV(community.seventhings.instance#module:reported).
  returned: always
  type: dict
every_finding:
  description:
    - As in RV(community.seventhings.instance#module:every_finding).
  returned: always
  type: list
  elements: str
scan_codes:
  description:
    - As in RV(community.seventhings.instance#module:scan_codes).
  returned: always
  type: dict
forecast:
  description:
    - As in RV(community.seventhings.instance#module:forecast).
  returned: always
  type: dict
made_by:
  description:
    - As in RV(community.seventhings.instance#module:made_by).
  returned: always
  type: dict
brief:
  description:
    - As in RV(community.seventhings.instance#module:brief).
  returned: always
  type: list
  elements: str
apply_record:
  description:
    - As in RV(community.seventhings.instance#module:apply_record).
  returned: always
  type: str
apply_record_digest:
  description:
    - As in RV(community.seventhings.instance#module:apply_record_digest).
  returned: always
  type: str
plan_digest:
  description:
    - As in RV(community.seventhings.instance#module:plan_digest).
  returned: always
  type: str
requests:
  description:
    - As in RV(community.seventhings.instance#module:requests).
  returned: always
  type: int
duration:
  description:
    - As in RV(community.seventhings.instance#module:duration).
  returned: always
  type: float
diff:
  description:
    - As in RV(community.seventhings.instance#module:diff).
  returned: always
  type: dict
"""

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.argument_specs import INSTANCE_UNDO


def main() -> None:
    module = AnsibleModule(
        argument_spec=INSTANCE_UNDO,
        supports_check_mode=True,
    )
    module.fail_json(
        msg="community.seventhings.instance_undo runs on the controller, through the action of the same name."
    )


if __name__ == "__main__":
    main()
