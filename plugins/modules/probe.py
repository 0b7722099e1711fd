#!/usr/bin/python
# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: probe
short_description: Find out how an instance behaves
version_added: 1.0.0
description:
  - Instances differ in how they answer. This module finds out how an instance behaves for each known difference, and
    whether this collection supports it.
  - It writes a profile, a file that says how the instance behaves. The file contains nothing of the content of the
    instance, so no value, label, name, host or key of a custom field. With C(--like profile.json), the embedded service
    behaves like the instance. You can also send in the file, so that this collection is tested with it.
  - Runs on the controller.
options:
  tier:
    description:
      - What the module may send.
      - >-
        V(look): A login and GETs, at most 80 requests. The client itself refuses everything else. Suitable for any
        instance.
      - >-
        V(touch): Also creates scratch records, whose names begin with C(zz-probe-) and random digits. A journal records
        each of them before it is created, and all are deleted at the end. No notifications are sent. Tasks are assigned
        to the caller with C(notify=false), all dates are in 2099, and renters are plain texts. The probe signs in once
        more, and uses the refresh token of that login. Suitable for instances in which a scratch record may exist for a
        minute.
      - >-
        V(trace): Also creates 24 small files and two field definitions, which can't be deleted, and sends a request
        that may cause an error of the service. An instance that deletes unreferenced files may then delete such files
        of other users. Suitable for test instances.
    type: str
    choices: [look, touch, trace]
    default: look
  dest:
    description:
      - The file for the profile. Its directory must exist.
      - A file beside it, with C(.journal) at the end of its name, lists the created records until all of them are
        deleted.
    type: path
    default: profile.json
  allow_writes:
    description:
      - The root of the instance, as in O(base_url). It is required for O(sweep), and for every O(tier) except V(look),
        to prevent writes to an instance by mistake.
    type: str
  sweep:
    description:
      - Only delete what interrupted probes left. These are the records in the journal beside O(dest), and every listed
        task, rental case, object, room and location that has the name of a scratch record.
      - Don't use it while another probe runs on the instance.
    type: bool
    default: false
attributes:
  check_mode:
    support: partial
    details:
      - Probes with V(look), whatever O(tier) is, and writes no profile. So the result may contain less than in a real
        run, and an existing profile of another tier counts as unchanged. O(sweep) deletes nothing.
  diff_mode:
    support: full
    details:
      - Shows the name of the file, and changes of its mode, owner and group.
  idempotent:
    support: full
    details:
      - The profile contains its date. A second probe of an unchanged instance on the same day writes the same profile.
notes:
  - A probe never creates users, orders or offers anything on the hub, revokes tokens, sends wrong passwords, or exceeds
    the rate limit. Behaviour that only such requests could show is not probed, and the profile says why.
  - O(tier=touch) takes about 140 requests, O(tier=trace) about 170.
seealso:
  - module: community.seventhings.service_info
extends_documentation_fragment:
  - community.seventhings.files
  - community.seventhings.connection
  - community.seventhings.attributes
  - community.seventhings.attributes.controller
author:
  - Contributors to the community.seventhings collection (@ansible-collections)
"""

EXAMPLES = r"""
---
- name: Probe an instance without writing to it
  community.seventhings.probe:
    dest: profile.json

- name: Probe with scratch records, which are deleted at the end
  community.seventhings.probe:
    tier: touch
    allow_writes: "{{ seventhings_base_url }}"
    dest: touched.json

- name: Delete what an interrupted probe left
  community.seventhings.probe:
    sweep: true
    allow_writes: "{{ seventhings_base_url }}"
"""

RETURN = r"""
profile:
  description:
    - The profile, as it is written to the file.
  returned: when O(sweep) is false
  type: dict
  contains:
    version:
      description: Version of the profile format (C(profile)), and of the collection (C(collection)).
      type: dict
    date:
      description: Date of the probe.
      type: str
    tier:
      description: What the probe was allowed to send.
      type: str
    outcome:
      description: The same as RV(outcome).
      type: str
    unable:
      description: What this collection can't do with the instance. Each entry has the C(task), and C(why).
      type: list
      elements: dict
    new:
      description: What is new, and is harmless.
      type: list
      elements: str
    account:
      description: What the account can't see. C(restricted_fields) has the number of fields by kind, C(hidden_records)
        is V(yes), V(no) or V(unknown), and C(not_readable) lists kinds whose list is refused.
      type: dict
    absent:
      description: Kinds that the instance does not have, or whose module is switched off.
      type: list
      elements: str
    switches:
      description: Each switch with its C(state) (V(yes) for the documented side, V(no) for another side, V(not
        probed)), its C(side), the requests that showed it (C(seen)), and the reason if it is not known (C(why)).
      type: dict
    contradictions:
      description: Switches for which several sides were observed.
      type: list
      elements: dict
    unknown_keys:
      description: A map of kind to the members of its records that this collection does not know. C(names) lists
        members of the service. Members that may be custom are only C(counted).
      type: dict
    fields:
      description: A map of template to the number of its field definitions.
      type: dict
  sample:
    version: {profile: 1, collection: 1.0.0}
    date: "2031-05-31"
    tier: look
    outcome: fine
    unable: []
    new: []
    account: {restricted_fields: {}, hidden_records: "no", not_readable: []}
    absent: []
    switches:
      list_total:
        state: "yes"
        side: given
        seen: GET /objects (25 records)
        why: ""
    contradictions: []
    unknown_keys: {}
    fields: {asset: 25, person: 7, room: 5}
outcome:
  description:
    - V(fine), V(new but safe), V(can't handle) or V(restricted account). With V(can't handle), C(unable) of RV(profile)
      says which tasks are affected and why.
  returned: when O(sweep) is false
  type: str
  sample: fine
dest:
  description:
    - Path of the profile.
  returned: when O(sweep) is false
  type: str
  sample: profile.json
swept:
  description:
    - The number of scratch records that were deleted.
  returned: when O(sweep) is true
  type: int
  sample: 3
msg:
  description:
    - The outcome in a few lines.
  returned: success
  type: str
  sample: "Outcome: fine. Of 78 switches, 36 are known; 4 of them are not on the documented side."
diff:
  description:
    - The file if it is written, and changes of its mode, owner and group.
  returned: when O(sweep) is false
  type: dict
  contains:
    before:
      description: Before.
      type: dict
    after:
      description: After.
      type: dict
backup_files:
  description:
    - The path of the copy that O(backup) kept.
  returned: when a copy was kept
  type: list
  elements: str
  sample: [profile.json.4711.2031-05-31@14:30:00.b3e81f~]
requests:
  description:
    - How many requests were sent, including logins and repeats.
  returned: always
  type: int
  sample: 36
"""

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.argument_specs import PROBE


def main() -> None:
    module = AnsibleModule(argument_spec=PROBE, supports_check_mode=True)
    module.fail_json(msg="community.seventhings.probe runs on the controller, through the action of the same name.")


if __name__ == "__main__":
    main()
