#!/usr/bin/python
# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

DOCUMENTATION = r"""
module: history_info
short_description: Read the history of a record
version_added: 1.0.0
description:
  - Returns the complete history of a record, with the newest event first.
  - Instances of an earlier version have no histories. The task then fails.
options:
  kind:
    description:
      - The kind of O(record).
    type: str
    # generated: choices
    choices: [location, room, person, object, task, rental_case]
    # end of choices
    required: true
  record:
    description:
      - The record, by its natural key, UUID, integer id, or as a map of field keys. An object may be archived.
      - Name a task or a rental case by UUID, by title, or by a map of fields that identifies it, such as C(title) and
        C(issue_date). If a task with that title is open, closed tasks are ignored.
    type: raw
    required: true
  limit:
    description:
      - Return at most this number of events, the newest first. RV(count) is the number of all events.
    type: int
notes:
  - Sends one request for every 200 events, and up to two more to find the record.
seealso:
  - module: community.seventhings.object_info
  - module: community.seventhings.task_info
extends_documentation_fragment:
  - community.seventhings.record_references
  - community.seventhings.connection
  - community.seventhings.attributes
  - community.seventhings.attributes_reads
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

- name: Show one line for each event
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
      description: Kind of event.
      type: str
    description:
      description: Description of the event.
      type: str
    details:
      description: Details of the event, such as the fields that were written. Null if the instance returns none.
      type: raw
    user_uuid:
      description: UUID of the user who caused the event.
      type: str
    type:
      description: >-
        For an object, the subject of the event, such as C(asset), C(task), C(rental_case) or C(object_merge). The other
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
    - Number of all events, regardless of O(limit).
  returned: success
  type: int
  sample: 1
complete:
  description:
    - Whether these are all events. False if the instance reports more events than its pages contain.
  returned: success
  type: bool
  sample: true
requests:
  description:
    - Number of requests that the task sent, including the login and repeated requests.
  returned: always
  type: int
  sample: 2
"""

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.registry import run


def main() -> None:
    run("history_info")


if __name__ == "__main__":
    main()
