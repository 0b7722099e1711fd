#!/usr/bin/python
# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

DOCUMENTATION = r"""
module: room
short_description: Manage rooms
version_added: 1.0.0
description:
  - Creates, changes and deletes the rooms of an instance.
  - A room is found by C(building_id) (its location) and C(number), or by C(building_id) and C(name) if O(fields) has no
    number. You can also identify it by other fields (O(match_on)) or by its O(uuid).
  - M(community.seventhings.field_definition) manages which fields rooms have. The guide R(Field
    types,ansible_collections.community.seventhings.docsite.guide_field_definitions.types) says how to write a value of
    each type.
notes:
  - Sends two or three requests if nothing changes, two more for a change, and three for a new record.
seealso:
  - module: community.seventhings.room_info
  - module: community.seventhings.location
  - module: community.seventhings.field_definition
  - plugin: community.seventhings.places
    plugin_type: inventory
    description: Rooms as hosts, locations as groups.
extends_documentation_fragment:
  - community.seventhings.record
  - community.seventhings.record_fields
  - community.seventhings.record_references
  - community.seventhings.record_timezone
  - community.seventhings.connection
  - community.seventhings.attributes
  - community.seventhings.attributes_changes
author:
  - Contributors to the community.seventhings collection (@ansible-collections)
"""

EXAMPLES = r"""
---
- name: Ensure a room, found by its location and its number
  community.seventhings.room:
    fields:
      building_id: Dresden
      number: "0.12"
      name: Workshop
  register: workshop

- name: Ensure the name of the room with this UUID
  community.seventhings.room:
    uuid: "{{ workshop.uuid }}"
    fields:
      name: Workshop

- name: Ensure meeting rooms
  community.seventhings.room:
    fields:
      building_id: Dresden
      number: "{{ item.number }}"
      name: "{{ item.name }}"
  loop:
    - {number: "1.01", name: Ada}
    - {number: "1.02", name: Grace}
  loop_control:
    label: "{{ item.number }}"

- name: Ensure that a room is absent
  community.seventhings.room:
    fields:
      building_id: Dresden
      number: "9.99"
    state: absent
"""

RETURN = r"""
record:
  description:
    - The room after the task (in check mode, as it would be), with all fields. Empty if there is none.
    - Fields that link to another record are maps of C(id), C(uuid) and C(display_name). A value that the instance did
      not return is null.
  returned: success
  type: dict
  sample:
    id: 31
    name: Workshop
    number: "0.12"
    building_id:
      id: 4
      uuid: 0f4b1b0e-3f0c-4d8c-8a51-50e1c22c7b5d
      display_name: Head office
    uuid: 5ad6a0ae-6d05-4f3b-9a57-1c9f6f3a8b11
uuid:
  description:
    - UUID of the room. Null if there is none, or if check mode would create it.
  returned: success
  type: str
  sample: 5ad6a0ae-6d05-4f3b-9a57-1c9f6f3a8b11
diff:
  description:
    - The fields that the task sets and that changed, before and after (in check mode, as they would be).
    - C(before) is empty for a new room, C(after) for a deleted room. Both are empty if nothing changed.
  returned: success
  type: dict
  contains:
    before:
      description: Field to value, before.
      type: dict
    after:
      description: Field to value, after.
      type: dict
  sample:
    before: {name: Storage}
    after: {name: Workshop}
requests:
  description:
    - Number of requests that the task sent, including the login and repeated requests.
  returned: always
  type: int
  sample: 5
"""

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.registry import run


def main() -> None:
    run("room")


if __name__ == "__main__":
    main()
