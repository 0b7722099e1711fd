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
  - Instances differ in how they answer. This module finds out on which side of each known difference an instance is,
    and whether this collection is right for it.
  - It writes a profile. That is a file which says how the instance behaves and nothing of what is in it. No value,
    label, name, host or key of a custom field stands in it. The embedded service behaves like the instance with
    C(--like profile.json), and the file can be sent in, so that this collection is tested with it.
  - Runs on the controller.
options:
  tier:
    description:
      - What the module may send.
      - >-
        V(look): A login and GETs, at most 80 requests. The client itself refuses everything else. Good for any
        instance.
      - >-
        V(touch): Besides, scratch records whose names begin with C(zz-probe-) and random digits. Each is noted in a
        journal before it is made, and all are taken away in the end. Nobody is notified. Tasks are assigned to the
        caller with C(notify=false), all days are in 2099, and renters are plain texts. It signs in once more, and uses
        the refresh token of that login. Good for instances where a scratch record may live for a minute.
      - >-
        V(trace): Besides, 24 small files and two field definitions, which nothing can delete, and a request that may
        provoke an error of the service. An instance that forgets files to which nothing refers may forget those of
        others. Good for test instances.
    type: str
    choices: [look, touch, trace]
    default: look
  dest:
    description:
      - The file that the profile is written to. Its directory must be there.
      - Beside it, in a file with C(.journal) at the end of its name, stands what was made, until all of it is gone.
    type: path
    default: profile.json
  allow_writes:
    description:
      - The root of the instance, as O(base_url) has it. Every O(tier) but V(look), and O(sweep), need it written out,
        so that nobody writes to an instance by mistake.
    type: str
  sweep:
    description:
      - Take away what probes left that were killed, and do nothing else. That is what the journal beside O(dest) names,
        and every task, rental case, object, room and location that a list shows under the name of a scratch record.
      - Don't use it while another probe runs on the instance.
    type: bool
    default: false
attributes:
  check_mode:
    support: partial
    details:
      - Looks, whatever O(tier) is, and writes no profile. So what is returned may hold less than in a real run, and a
        profile of another tier that is there counts as unchanged. Nothing is swept.
  diff_mode:
    support: full
    details:
      - The name of the file, and what changes of its mode, owner and group.
  idempotent:
    support: full
    details:
      - The profile holds its day. Probed again on the same day, an instance that did not change has the same profile.
notes:
  - Never creates users, orders or offers anything on the hub, revokes tokens, sends wrong passwords, or provokes the
    rate limit. What only that could tell is not probed, and the profile says why.
  - O(tier=touch) takes some 140 requests, O(tier=trace) some 170.
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
- name: Look at an instance
  community.seventhings.probe:
    dest: profile.json

- name: Make scratch records too, and take them away
  community.seventhings.probe:
    tier: touch
    allow_writes: "{{ seventhings_base_url }}"
    dest: touched.json

- name: Take away what a killed probe left
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
      description: Version of this form (C(profile)), and of the collection (C(collection)).
      type: dict
    date:
      description: Day of the probe.
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
      description: What is new, and does no harm.
      type: list
      elements: str
    account:
      description: What the account does not see. C(restricted_fields) holds the number of fields by kind,
        C(hidden_records) is V(yes), V(no) or V(unknown), and C(not_readable) lists kinds whose list is refused.
      type: dict
    absent:
      description: Kinds that the instance does not have, or whose module is switched off.
      type: list
      elements: str
    switches:
      description: Each switch with its C(state) (V(yes) for the documented side, V(no) for another one, V(not probed)),
        its C(side), the requests that showed it (C(seen)), and C(why) it is not known.
      type: dict
    contradictions:
      description: Switches of which several sides were seen.
      type: list
      elements: dict
    unknown_keys:
      description: Kind to the members of its records that this collection does not know. Those of the service have
        their C(names), those that may be custom are C(counted).
      type: dict
    fields:
      description: Template to the number of its field definitions.
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
    - V(fine), V(new but safe), V(can't handle) (then C(unable) of RV(profile) says which tasks and why), or
      V(restricted account).
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
    - What it came to, in lines for people.
  returned: success
  type: str
  sample: "Outcome: fine. Of 78 switches 36 are told; 4 of them are not on the documented side."
diff:
  description:
    - The file where it is written, and what changes of its mode, owner and group.
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
    - How many requests were sent, login and repeats included.
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
