#!/usr/bin/python
# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

DOCUMENTATION = r"""
module: rental_case
short_description: Manage rental cases
version_added: 1.0.0
description:
  - Creates, changes and deletes the rental cases of an instance. A rental case lends objects to a renter, from a pickup
    date to a return date.
  - A rental case is found by its O(title) and O(issue_date), by other options (O(match_on)), or by its O(uuid).
  - The task fails if this module of the instance is switched off.
options:
  title:
    description:
      - Title. Required for a new rental case.
    type: str
  status:
    description:
      - Status. If it is not set, the instance chooses that of a new rental case.
      - The instance shows V(confirmed) as V(pickup_overdue), and V(borrowed) as V(return_overdue), if it is late.
    type: str
    choices: [requested, confirmed, borrowed, rejected, completed, return_overdue, pickup_overdue]
  references:
    description:
      - All objects that are lent, 1 to 100. Required for a new rental case.
    type: list
    elements: raw
  issue_date:
    description:
      - Day of the pickup, as C("YYYY-MM-DD"). Required for a new rental case.
    type: str
  issue_date_reminder:
    description:
      - Lead time of a reminder. Null means none.
    type: dict
    suboptions:
      unit:
        description: Unit of time.
        type: str
        choices: [days, weeks, months, years]
        required: true
      value:
        description: Number of units. V(0) means the day itself.
        type: int
        required: true
  due_date:
    description:
      - Day of the return, as C("YYYY-MM-DD"). Required for a new rental case.
    type: str
  due_date_reminder:
    description:
      - Lead time of a reminder. Null means none.
    type: dict
    suboptions:
      unit:
        description: Unit of time.
        type: str
        choices: [days, weeks, months, years]
        required: true
      value:
        description: Number of units. V(0) means the day itself.
        type: int
        required: true
  is_full_day:
    description:
      - Whether the objects are lent for whole days (V(true)) or from O(issue_at) to O(due_at) (V(false)). The default
        depends on whether times are set.
    type: bool
  issue_at:
    description:
      - Time of the pickup, with its offset to UTC or in the zone of O(timezone). Set O(issue_date) too.
    type: str
  due_at:
    description:
      - Time of the return, in the form of O(issue_at), which is not part of the loan. Set O(due_date) too. If a rental
        case has times, a date can't change without its time.
    type: str
  responsible_user:
    description:
      - The responsible user, by e-mail address, UUID, id, or as a map of fields. Required for a new rental case.
    type: raw
  renter:
    description:
      - The renter, whom some instances require.
    type: dict
    suboptions:
      type:
        description:
          - Whether the renter is a name (V(plain)) or a user of the instance (V(user)).
        type: str
        choices: [plain, user]
        required: true
      value:
        description:
          - The name for V(plain), or the user for V(user), as in O(responsible_user).
        type: raw
        required: true
  comment:
    description:
      - Remarks. Null clears them.
    type: str
  match_on:
    description:
      - Options that identify it, by default V(title) and V(issue_date).
    type: list
    elements: str
notes:
  - The module also sends the values that the task does not set.
  - Sends up to three requests, and six for a change.
seealso:
  - module: community.seventhings.rental_case_info
  - module: community.seventhings.task
extends_documentation_fragment:
  - community.seventhings.record
  - community.seventhings.record_attachments
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
- name: Ensure that an object is reserved, with a reminder on the day before the pickup
  community.seventhings.rental_case:
    title: Notebook for the trade fair
    references: ["100007"]
    issue_date: "2031-05-05"
    due_date: "2031-05-09"
    issue_date_reminder: {unit: days, value: 1}
    responsible_user: anna.lindner@nordhain.example
    renter:
      type: plain
      value: Trade fair team
  register: fair

- name: Ensure that its comment is empty, and keep everything else
  community.seventhings.rental_case:
    uuid: "{{ fair.uuid }}"
    comment: null

- name: Ensure a confirmed rental case for a user
  community.seventhings.rental_case:
    title: Notebook for the home office
    status: confirmed
    references: ["100007"]
    issue_date: "2031-06-02"
    due_date: "2031-06-30"
    responsible_user: anna.lindner@nordhain.example
    renter:
      type: user
      value: anna.lindner@nordhain.example

- name: Ensure that an object is lent for three hours
  community.seventhings.rental_case:
    title: Notebook for the workshop
    references: ["100007"]
    issue_date: "2031-08-04"
    due_date: "2031-08-04"
    issue_at: "2031-08-04 09:00"
    due_at: "2031-08-04 12:00"
    timezone: Europe/Berlin
    responsible_user: anna.lindner@nordhain.example
    renter:
      type: plain
      value: Workshop team

- name: Ensure that a rental case is absent
  community.seventhings.rental_case:
    title: Notebook for a journey that was called off
    issue_date: "2031-07-01"
    state: absent
"""

RETURN = r"""
record:
  description:
    - The rental case after the task (in check mode, as it would be), with C(uuid) and the options that describe it.
      Empty if there is none. C(author), C(created_at) and C(updated_at) are set if the instance reports them.
    - Objects are maps of C(id), C(uuid) and C(display_name), and users have an C(email) too. A value that is not known
      is null. A renter of the type C(user) has the UUID of the user as its C(value).
  returned: success
  type: dict
  sample:
    uuid: 5ad6a0ae-6d05-4f3b-9a57-1c9f6f3a8b11
    status: requested
    title: Laptop for the trade fair
    references:
      - id: 245
        uuid: 8f3f5c36-5a0c-4b1e-a2df-6d6b3f1ed3c5
        display_name: Laptop Ada
    issue_date: "2031-05-05"
    issue_date_reminder:
      unit: days
      value: 1
    due_date: "2031-05-09"
    due_date_reminder: null
    is_full_day: true
    issue_at: null
    due_at: null
    responsible_user:
      id: null
      uuid: 7c1f7d39-1f0c-4c0f-8c62-5b1d7e3f9a20
      email: ada@example.com
      display_name: Ada Lovelace
    renter:
      type: plain
      value: Trade fair team
    comment: null
    attachments: []
uuid:
  description:
    - UUID of the rental case. Null if there is none, or if check mode would create it.
  returned: success
  type: str
  sample: 5ad6a0ae-6d05-4f3b-9a57-1c9f6f3a8b11
diff:
  description:
    - The fields that the task sets and that changed, before and after (in check mode, as they would be).
    - C(before) is empty for a new rental case, C(after) for a deleted rental case. Both are empty if nothing changed.
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
    before: {due_date: "2031-05-08"}
    after: {due_date: "2031-05-09"}
requests:
  description:
    - Number of requests that the task sent, including the login and repeated requests.
  returned: always
  type: int
  sample: 5
"""

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.registry import run


def main() -> None:
    run("rental_case")


if __name__ == "__main__":
    main()
