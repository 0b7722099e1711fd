#!/usr/bin/python
# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

DOCUMENTATION = r"""
module: task
short_description: Manage tasks
version_added: 1.0.0
description:
  - Creates, changes, closes, reopens and deletes the tasks of an instance. A task reminds a user of work on objects.
  - A task is found by its O(title), by other options (O(match_on)), or by its O(uuid). Closed tasks are ignored if an
    open task matches. A closed task stays closed unless O(status=open).
  - Errors are two open matches, any two for O(state=absent) without O(status), and two closed ones for more than
    O(status=closed).
options:
  title:
    description:
      - Title of the task. Required for a new task.
    type: str
  comment:
    description:
      - Details. Null clears them.
    type: str
  deadline:
    description:
      - Day on which the task is due, as C("YYYY-MM-DD"). Required for a new task.
    type: str
  reminders:
    description:
      - Lead times before the deadline at which a reminder is sent, at most two. Null or C([]) means none, which is also
        the default for a new task. Some instances require at least one.
    type: list
    elements: dict
    suboptions:
      unit:
        description:
          - Unit of time.
        type: str
        choices: [days, weeks, months, years]
        required: true
      value:
        description:
          - Number of units before the deadline. V(0) means the deadline itself.
        type: int
        required: true
  recurring_schedule:
    description:
      - Time after which the task recurs. Null means that it does not recur.
    type: dict
    suboptions:
      unit:
        description:
          - Unit of time.
        type: str
        choices: [days, weeks, months, years]
        required: true
      value:
        description:
          - Number of units from one deadline to the next.
        type: int
        required: true
  assignees:
    description:
      - A list of one user, as in the API, by e-mail address, UUID, id, or map of fields. Required for a new task.
    type: list
    elements: raw
  references:
    description:
      - The complete list of objects that the task is about. Name each by barcode, UUID, id, or as a map of fields. Null
        or C([]) means none, which is also the default for a new task. Some instances require at least one.
    type: list
    elements: raw
  status:
    description:
      - Status of the task. A new task is open.
      - With O(state=absent) and without O(uuid), only a task with this status is deleted.
    type: str
    choices: [open, closed]
  notify:
    description:
      - Whether the instance notifies the assignee of a task that this run creates or changes. The option alone is not a
        change. A change of the status alone sends no notification. If it is not set, the instance decides.
    type: bool
  match_on:
    description:
      - Options that together identify the task. Each must have a value. By default, V(title).
    type: list
    elements: str
notes:
  - The module also sends the values that are not set.
  - Sends up to three requests if nothing changes, and up to three more for a change.
seealso:
  - module: community.seventhings.task_info
  - module: community.seventhings.rental_case
extends_documentation_fragment:
  - community.seventhings.record
  - community.seventhings.record_attachments
  - community.seventhings.record_references
  - community.seventhings.connection
  - community.seventhings.attributes
  - community.seventhings.attributes_changes
author:
  - Contributors to the community.seventhings collection (@ansible-collections)
"""

EXAMPLES = r"""
---
- name: Ensure a yearly task, with a reminder one week and one day before
  community.seventhings.task:
    title: Check the battery
    deadline: "2031-05-31"
    assignees: [anna.lindner@nordhain.example]
    references: ["100007"]
    reminders:
      - {unit: weeks, value: 1}
      - {unit: days, value: 1}
    recurring_schedule: {unit: years, value: 1}
  register: battery

- name: Clear the comment of the task with this UUID
  community.seventhings.task:
    uuid: "{{ battery.uuid }}"
    comment: null

- name: Ensure a task that exists once for each deadline
  community.seventhings.task:
    match_on: [title, deadline]
    title: Count the laptops
    deadline: "2031-12-01"
    assignees: [anna.lindner@nordhain.example]
    references: ["100007"]
    reminders:
      - {unit: days, value: 0}
    notify: false
  register: count

- name: Ensure that the task is closed
  community.seventhings.task:
    uuid: "{{ count.uuid }}"
    status: closed

- name: Ensure that a task is absent
  community.seventhings.task:
    title: Return the borrowed charger
    state: absent
"""

RETURN = r"""
record:
  description:
    - The task after the run (in check mode, as it would be). Empty if there is none.
  returned: success
  type: dict
  contains:
    uuid:
      description: UUID of the task.
      type: str
    slug:
      description: Readable key of the task. Not every instance has it.
      type: str
    status:
      description: V(open) or V(closed).
      type: str
    author:
      description: The user who created the task, in the same form as C(assignees).
      type: dict
    title:
      description: Title of the task.
      type: str
    comment:
      description: Details.
      type: str
    deadline:
      description: Day on which the task is due, as C(YYYY-MM-DD).
      type: str
    reminders:
      description: Lead times before the deadline, as C(unit) and C(value).
      type: list
      elements: dict
    recurring_schedule:
      description: Time after which the task recurs, as C(unit) and C(value). Null if it does not recur.
      type: dict
    assignees:
      description:
        - The assigned user, as C(id), C(uuid), C(email) and C(display_name), as far as they are known.
      type: list
      elements: dict
    references:
      description:
        - The objects of the task, as C(id), C(uuid) and C(display_name). A value that the instance did not return is
          null. If the instance reports whether the task is done for an object, C(status) is V(open) or V(done).
      type: list
      elements: dict
    attachments:
      description: The files of the task.
      type: list
      elements: dict
  sample:
    uuid: 5ad6a0ae-6d05-4f3b-9a57-1c9f6f3a8b11
    slug: TASK-17
    status: open
    author:
      id: 1
      uuid: 0d9b7f6a-95b2-4c5c-8a40-0a7f5f2a9c11
      email: ada@example.com
      display_name: Ada Lovelace
    title: Check the battery
    comment: null
    deadline: "2031-05-31"
    reminders:
      - unit: days
        value: 1
    recurring_schedule:
      unit: years
      value: 1
    assignees:
      - id: 4
        uuid: 7c1f7d39-1f0c-4c0f-8c62-5b1d7e3f9a20
        email: ada@example.com
        display_name: Ada Lovelace
    references:
      - id: 245
        uuid: 8f3f5c36-5a0c-4b1e-a2df-6d6b3f1ed3c5
        display_name: Laptop Ada
    attachments: []
uuid:
  description:
    - UUID of the task. Null if there is none, or if check mode would create it.
  returned: success
  type: str
  sample: 5ad6a0ae-6d05-4f3b-9a57-1c9f6f3a8b11
diff:
  description:
    - The fields that the task sets and that changed, before and after (in check mode, as they would be).
    - C(before) is empty for a new task, C(after) for a deleted task. Both are empty if nothing changed.
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
    before: {deadline: "2031-04-30", status: closed}
    after: {deadline: "2031-05-31", status: open}
requests:
  description:
    - Number of requests that the task sent, including the login and repeated requests.
  returned: always
  type: int
  sample: 5
"""

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.registry import run


def main() -> None:
    run("task")


if __name__ == "__main__":
    main()
