#!/usr/bin/python
# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

DOCUMENTATION = r"""
module: instance_undo
short_description: Undo an apply of a set
version_added: 1.0.0
description:
  - Undoes an apply of M(community.seventhings.instance) from its apply record. The files are not needed.
  - Check mode is the plan. It is reported, approved and applied like a plan from files.
options:
  applied:
    description:
      - The file of the apply record, or V(last), the newest record of the set that O(src) names, or of any set.
      - A created record is only removed if what the apply wrote is unchanged, nothing refers to it, and the journal or
        O(record_digest) proves that this set created it. RV(not_restored) lists what stays. See the guide R(Going
        back,ansible_collections.community.seventhings.docsite.guide_going_back).
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
        V(force): It gets its old value. In a record that the apply created, it stays.
    type: str
    choices: [skip, refuse, force]
    default: skip
  record_digest:
    description:
      - SHA-256 of the approved apply record, which the apply returned as RV(apply_record_digest). No other O(applied)
        is undone. It also proves which records the apply created.
    type: str
  src:
    description:
      - The files of the set to undo. They also say which records are protected.
    type: raw
  limits:
    description:
      - Limits in numbers, as in O(community.seventhings.instance#module:limits). Percentages do not apply.
    type: dict
  allow:
    description:
      - >-
        V(destructive): Change the type of a field definition, or remove values that records use.
      - >-
        V(limited_account): Remove records, or risk duplicates, although records are hidden from this account.
      - >-
        V(assumed_archived): Count a record that no list shows as archived.
    type: list
    elements: str
    choices: [destructive, limited_account, assumed_archived]
attributes:
  check_mode:
    support: full
  diff_mode:
    support: full
  idempotent:
    support: full
notes:
  - Sends one request for every 1,000 records of each list that the apply changed, and one for each change.
  - Change the files too, or the next apply makes the same changes again.
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
  when: go_back | default(false) | bool
"""

RETURN = r"""
msg:
  description:
    - As in M(community.seventhings.instance).
  returned: always
  type: str
outcome:
  description:
    - As in M(community.seventhings.instance), or V(partly_undone) if nothing is left to change and RV(not_restored) is
      not empty.
  returned: always
  type: str
instance:
  description:
    - As in M(community.seventhings.instance).
  returned: always
  type: str
summary:
  description:
    - As in M(community.seventhings.instance).
  returned: if the task did not fail or changed something
  type: dict
changes:
  description:
    - As in M(community.seventhings.instance).
  returned: if the task did not fail
  type: list
  elements: dict
failures:
  description:
    - As in M(community.seventhings.instance).
  returned: always
  type: list
  elements: dict
refusals:
  description:
    - As in M(community.seventhings.instance).
  returned: always
  type: list
  elements: str
findings:
  description:
    - As in M(community.seventhings.instance).
  returned: always
  type: list
  elements: str
cautions:
  description:
    - As in M(community.seventhings.instance).
  returned: if the task did not fail
  type: list
  elements: str
hidden_records:
  description:
    - As in M(community.seventhings.instance).
  returned: always
  type: str
moves:
  description:
    - As in M(community.seventhings.instance).
  returned: if the task did not fail
  type: list
  elements: dict
money:
  description:
    - As in M(community.seventhings.instance).
  returned: if the task did not fail
  type: list
  elements: dict
persons:
  description:
    - As in M(community.seventhings.instance).
  returned: if the task did not fail
  type: list
  elements: dict
mails:
  description:
    - As in M(community.seventhings.instance).
  returned: if the task did not fail
  type: list
  elements: dict
undone:
  description:
    - The apply that is undone, with its C(time) (UTC), C(set), C(user) (and machine), number of C(changes), and the
      file of its C(record).
  returned: if the task did not fail
  type: dict
not_restored:
  description:
    - What the undo does not restore, each with C(section), C(key), C(field) (empty for the whole record) and C(reason).
  returned: if the task did not fail
  type: list
  elements: dict
undo:
  description:
    - As in M(community.seventhings.instance).
  returned: always
  type: str
made_by:
  description:
    - As in M(community.seventhings.instance).
  returned: if the task did not fail
  type: dict
brief:
  description:
    - As in M(community.seventhings.instance).
  returned: always
  type: list
  elements: str
apply_record:
  description:
    - As in M(community.seventhings.instance).
  returned: always
  type: str
apply_record_digest:
  description:
    - As in M(community.seventhings.instance).
  returned: always
  type: str
plan_digest:
  description:
    - As in M(community.seventhings.instance).
  returned: always
  type: str
requests:
  description:
    - As in M(community.seventhings.instance).
  returned: always
  type: int
duration:
  description:
    - As in M(community.seventhings.instance).
  returned: always
  type: float
diff:
  description:
    - As in M(community.seventhings.instance).
  returned: always
  type: dict
"""
