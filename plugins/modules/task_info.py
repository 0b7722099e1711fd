#!/usr/bin/python
# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

DOCUMENTATION = r"""
module: task_info
short_description: List tasks
version_added: 1.0.0
description:
  - Returns one task of an instance by its O(uuid), or all tasks that match O(filters).
  - Fields to filter and sort by are C(title), C(comment), C(status), C(deadline), C(assignees), C(references),
    C(author) (a user), C(slug), C(reminders), C(recurring_schedule), C(attachments) and C(uuid).
notes:
  - Sends one request, and one more each for objects and users in O(filters).
  - An instance lists at most 10,000 tasks. If it has more, the module reads the tasks by status. If a list is still cut
    off, the task fails. A filter on C(status), C(deadline), C(assignees) or C(author) shortens the list.
seealso:
  - module: community.seventhings.task
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
- name: List open tasks of one user, the most urgent first
  community.seventhings.task_info:
    filters:
      status: open
      assignees: anna.lindner@nordhain.example
    sort: [deadline, title]
  register: todo

- name: Show the deadlines and titles
  ansible.builtin.debug:
    msg: "{{ item.deadline }}: {{ item.title }}"
  loop: "{{ todo.records }}"
  loop_control:
    label: "{{ item.uuid }}"

- name: List tasks of one month
  community.seventhings.task_info:
    filters:
      deadline:
        gte: "2027-01-01"
        lt: "2027-02-01"

- name: List tasks about one object
  community.seventhings.task_info:
    filters:
      references: "100012"
"""

RETURN = r"""
records:
  description:
    - All tasks that match, at most O(limit) of them, in the order of O(sort). Empty if none matches.
  returned: success
  type: list
  elements: dict
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
        - The assigned user, as C(id), C(uuid), C(email) and C(display_name). Instances return the UUID. The other
          values are null, unless users were read anyway because a user was named by e-mail address.
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
    - uuid: 5ad6a0ae-6d05-4f3b-9a57-1c9f6f3a8b11
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
      attachments:
        - uuid: 1b7c8a2e-90a5-4d0c-9c39-7a14d7f2b3e8
          name: Checklist.pdf
          type: application/pdf
          size: 48213
          data_uri: https://acme.seventhings.com/customer-api/v1/file/1b7c8a2e-90a5-4d0c-9c39-7a14d7f2b3e8/data
          file_uri: null
          thumbnail_uri: null
count:
  description:
    - Number of tasks that match, regardless of O(limit).
  returned: success
  type: int
  sample: 1
complete:
  description:
    - Whether these are all tasks that match. Always true, because an incomplete list is an error.
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
  sample: 2
"""

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.registry import run


def main() -> None:
    run("task_info")


if __name__ == "__main__":
    main()
