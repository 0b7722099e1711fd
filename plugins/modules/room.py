#!/usr/bin/python
# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: room
short_description: Manage rooms
version_added: 1.0.0
description:
  - Creates, changes and deletes the rooms of an instance.
  - A room is found by its location and its number (C(building_id) and C(number)), or by its location and its name
    (C(building_id) and C(name)) if O(fields) has no number. There is never a second try with the other one. Other
    fields (O(match_on)) or the O(uuid) find it too.
  - The fields of a room are what the field definitions of the template V(room) say.
    M(community.seventhings.field_definition) manages them.
notes:
  - Takes two requests where nothing changes (the field definitions and the room), one more where the location is given
    by its name, and two more for a change. The first room that a task makes takes one more, to see whether fields are
    hidden from the account.
seealso:
  - module: community.seventhings.room_info
  - module: community.seventhings.location
  - module: community.seventhings.field_definition
  - plugin: community.seventhings.places
    plugin_type: inventory
    description: Rooms as hosts, locations as groups.
extends_documentation_fragment:
  - community.seventhings.record
  - community.seventhings.record.fields
  - community.seventhings.record.references
  - community.seventhings.record.timezone
  - community.seventhings.connection
  - community.seventhings.connection.execution
  - community.seventhings.attributes
  - community.seventhings.attributes.changes
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
    - The room as it is now (in check mode, as it would be), all fields included. Empty if there is none.
    - Fields that link to another record are maps of C(id), C(uuid) and C(display_name). What the instance did not tell
      about the other record is null.
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
    - UUID of the room. Null if there is none, or where check mode would create it.
  returned: success
  type: str
  sample: 5ad6a0ae-6d05-4f3b-9a57-1c9f6f3a8b11
diff:
  description:
    - The fields that changed, out of those that were written, as they were and as they are (in check mode, as they
      would be).
    - C(before) is empty for a room that is created, C(after) for one that is deleted. Both are empty where nothing
      changed.
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
    - How many requests the task sent, login and repeats included.
  returned: always
  type: int
  sample: 5
"""

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.registry import run


def main() -> None:
    run("room")


if __name__ == "__main__":
    main()
