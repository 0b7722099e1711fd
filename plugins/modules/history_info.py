#!/usr/bin/python
# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: history_info
short_description: Read what happened to a record
version_added: 1.0.0
description:
  - Returns the history of a record, completely, the newest event first.
  - Instances of an earlier version have no histories. That is an error.
options:
  kind:
    description:
      - What O(record) is.
    type: str
    # generated: choices
    choices: [location, room, person, object, task, rental_case]
    # end of choices
    required: true
  record:
    description:
      - The record, by its natural key, UUID, integer id, or as a map of field keys. An object may be archived.
      - A task and a rental case by UUID, by title, or as a map of fields that tells it from others, such as C(title)
        and C(issue_date). If a task of that title is open, only open ones count.
    type: raw
    required: true
  limit:
    description:
      - Return at most so many of the newest events. RV(count) still tells how many there are.
    type: int
notes:
  - Takes one request for every 200 events, and one for a O(record) that is not given by its UUID (a room by its path
    takes two).
seealso:
  - module: community.seventhings.object_info
  - module: community.seventhings.task_info
extends_documentation_fragment:
  - community.seventhings.record.references
  - community.seventhings.connection
  - community.seventhings.connection.execution
  - community.seventhings.attributes
  - community.seventhings.attributes.reads
author:
  - Contributors to the community.seventhings collection (@ansible-collections)
"""

EXAMPLES = r"""
---
- name: Read the last changes of an object
  community.seventhings.history_info:
    kind: object
    record: "100007"
    limit: 10
  register: events

- name: Show them in lines
  ansible.builtin.debug:
    msg: "{{ item.occurred_at }} {{ item.description }}"
  loop: "{{ events.records }}"
  loop_control:
    label: "{{ item.event_name }}"

- name: Read the history of a location
  community.seventhings.history_info:
    kind: location
    record: Dresden
"""

RETURN = r"""
records:
  description:
    - All events, at most O(limit) of them, the newest first.
  returned: success
  type: list
  elements: dict
  contains:
    occurred_at:
      description: When it happened.
      type: str
    event_name:
      description: What kind of event it is.
      type: str
    description:
      description: What happened, in words.
      type: str
    details:
      description: More about it, such as the fields that were written. Null where the instance tells nothing.
      type: raw
    user_uuid:
      description: UUID of the user who did it.
      type: str
    type:
      description: >-
        For an object, what the event is about, such as C(asset), C(task), C(rental_case) or C(object_merge). Other
        members depend on it.
      type: str
    asset_uuid:
      description: UUID of the object, for an object.
      type: str
    location_uuid:
      description: UUID of the location, for a location.
      type: str
    room_uuid:
      description: UUID of the room, for a room.
      type: str
    person_uuid:
      description: UUID of the person, for a person.
      type: str
    task_uuid:
      description: UUID of the task, for a task.
      type: str
    rental_case_uuid:
      description: UUID of the rental case, for a rental case.
      type: str
  sample:
    - type: asset
      asset_uuid: 5ad6a0ae-6d05-4f3b-9a57-1c9f6f3a8b11
      user_uuid: 7c1f7d39-1f0c-4c0f-8c62-5b1d7e3f9a20
      occurred_at: "2031-05-02T09:14:10+00:00"
      event_name: created
      description: The object was created
      details:
        barcode: "100234"
        inventory_name: Laptop Ada
        purchasing_price: 1299.5
count:
  description:
    - How many events there are, whatever O(limit) is.
  returned: success
  type: int
  sample: 1
complete:
  description:
    - Whether these are all events. False if the instance reports more of them than its pages have.
  returned: success
  type: bool
  sample: true
requests:
  description:
    - How many requests the task sent, login and repeats included.
  returned: always
  type: int
  sample: 2
"""

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.registry import run


def main() -> None:
    run("history_info")


if __name__ == "__main__":
    main()
