#!/usr/bin/python
# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

DOCUMENTATION = r"""
module: room_info
short_description: List rooms
version_added: 1.0.0
description:
  - Returns one room of an instance by its O(uuid), or the complete list of rooms that match O(filters).
notes:
  - Sends one request, one for every 1,000 rooms, and one more for a location in O(filters).
seealso:
  - module: community.seventhings.room
  - plugin: community.seventhings.places
    plugin_type: inventory
    description: Rooms as hosts, locations as groups.
extends_documentation_fragment:
  - community.seventhings.info
  - community.seventhings.info_uuid
  - community.seventhings.connection
  - community.seventhings.attributes
  - community.seventhings.attributes_reads
author:
  - Contributors to the community.seventhings collection (@ansible-collections)
"""

EXAMPLES = r"""
---
- name: List the rooms of one location
  community.seventhings.room_info:
    filters:
      building_id: Dresden
    sort: [number]
  register: rooms

- name: Show their numbers and names
  ansible.builtin.debug:
    msg: "{{ item.number }} {{ item.name }}"
  loop: "{{ rooms.records }}"
  loop_control:
    label: "{{ item.uuid }}"

- name: List rooms on the ground floor, at most ten
  community.seventhings.room_info:
    filters:
      number:
        like: "0."
    limit: 10
"""

RETURN = r"""
records:
  description:
    - All rooms that match, at most O(limit) of them, in the order of O(sort). Empty if none matches.
    - Fields that link to another record are maps of C(id), C(uuid) and C(display_name). A value that the instance did
      not return is null.
  returned: success
  type: list
  elements: dict
  sample:
    - id: 31
      name: Workshop
      number: "0.12"
      building_id:
        id: 4
        uuid: 0f4b1b0e-3f0c-4d8c-8a51-50e1c22c7b5d
        display_name: Head office
      uuid: 5ad6a0ae-6d05-4f3b-9a57-1c9f6f3a8b11
count:
  description:
    - Number of rooms that match, regardless of O(limit).
  returned: success
  type: int
  sample: 1
complete:
  description:
    - Whether these are all rooms that match. Always true, because an incomplete list is an error.
  returned: success
  type: bool
  sample: true
hidden_records:
  description:
    - Whether records are hidden from this account because it is limited to locations. V(no) for kinds that every
      account can see. Otherwise V(unknown), because the task sends no request to find out.
  returned: success
  type: str
  sample: unknown
requests:
  description:
    - Number of requests that the task sent, including the login and repeated requests.
  returned: always
  type: int
  sample: 3
"""

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.registry import run


def main() -> None:
    run("room_info")


if __name__ == "__main__":
    main()
