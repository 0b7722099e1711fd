#!/usr/bin/python
# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: rental_case
short_description: Manage rental cases
version_added: 1.0.0
description:
  - Creates, changes and deletes the rental cases of an instance. A rental case lends one or more objects to a renter,
    from a pickup date to a return date.
  - A rental case is found by its O(title) and O(issue_date), by other options (O(match_on)), or by its O(uuid).
  - Rental cases are a module of the instance. If it is switched off, the task fails and says so.
options:
  title:
    description:
      - Title of the rental case. Required for a new rental case.
    type: str
  status:
    description:
      - Status of the rental case. If it is not set, the instance chooses the status of a new rental case.
      - When the day has passed, an instance can change V(borrowed) to V(return_overdue), and V(confirmed) to
        V(pickup_overdue). The two values of a pair therefore count as equal. The status is left unchanged, and a
        warning says so.
    type: str
    choices: [requested, confirmed, borrowed, rejected, completed, return_overdue, pickup_overdue]
  references:
    description:
      - The complete list of objects that are lent, 1 to 100. Name each by barcode, UUID, id, or as a map of fields.
        Required for a new rental case.
    type: list
    elements: raw
  issue_date:
    description:
      - Day of the pickup, as C("YYYY-MM-DD"). Required for a new rental case.
    type: str
  issue_date_reminder:
    description:
      - Lead time before the pickup date at which a reminder is sent. Null means no reminder.
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
          - Number of units before the pickup date. V(0) means the day itself.
        type: int
        required: true
  due_date:
    description:
      - Day of the return, as C("YYYY-MM-DD"). Required for a new rental case.
    type: str
  due_date_reminder:
    description:
      - Lead time before the return date at which a reminder is sent. Null means no reminder.
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
          - Number of units before the return date. V(0) means the day itself.
        type: int
        required: true
  is_full_day:
    description:
      - Whether the objects are lent for whole days (V(true)) or from O(issue_at) to O(due_at) (V(false)).
      - If it is not set, a new rental case is by the hour if times are set, and an existing rental case does not
        change. V(true) clears both times.
      - Instances of earlier versions support whole days only. On these, V(false) or a time is an error.
    type: bool
  issue_at:
    description:
      - Time of the pickup, with its offset to UTC or in the zone of O(timezone), such as
        C("2031-05-05T10:00:00+02:00"). Set O(issue_date) too.
    type: str
  due_at:
    description:
      - Time of the return, in the form of O(issue_at). This time is not part of the loan. Set O(due_date) too.
      - If a rental case is by the hour, a change of O(due_date) without O(due_at), or of O(issue_date) without
        O(issue_at), is an error, because it is not known what the instance does with the time.
    type: str
  responsible_user:
    description:
      - The user who is responsible, by e-mail address, UUID, id, or as a map of fields. Required for a new rental case.
    type: raw
  renter:
    description:
      - The renter. If it is not set, a new rental case has no renter. Some instances require a renter.
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
          - For V(plain) the name. For V(user) the user, by e-mail address, UUID, id, or as a map of fields.
        type: raw
        required: true
  comment:
    description:
      - Remarks. Null clears them.
    type: str
  match_on:
    description:
      - Names of the options that together identify the rental case. Each of them must have a value. By default,
        V(title) and V(issue_date).
    type: list
    elements: str
notes:
  - An instance may refuse to lend an object twice at the same time. The error then names the other rental case.
  - The instance replaces the whole rental case, so the module also sends the values that the task does not set.
  - If nothing changes, the task sends one request. It sends one more for objects, and one more for users, that are
    named by a natural key. A change takes two more. Clearing a reminder can take another two.
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
    - The rental case after the task (in check mode, as it would be). Empty if there is none.
  returned: success
  type: dict
  contains:
    uuid:
      description: UUID of the rental case.
      type: str
    status:
      description: One of the values of O(community.seventhings.rental_case#module:status).
      type: str
    title:
      description: Title of the rental case.
      type: str
    references:
      description:
        - The objects that are lent, as C(id), C(uuid) and C(display_name). A value that the instance did not return is
          null.
      type: list
      elements: dict
    issue_date:
      description: Day of the pickup, as C(YYYY-MM-DD).
      type: str
    issue_date_reminder:
      description: Lead time before the pickup, as C(unit) and C(value). Null if there is no reminder.
      type: dict
    due_date:
      description: Day of the return, as C(YYYY-MM-DD).
      type: str
    due_date_reminder:
      description: Lead time before the return, as C(unit) and C(value). Null if there is no reminder.
      type: dict
    is_full_day:
      description: Whether it is for whole days, if the instance reports it.
      type: bool
    issue_at:
      description: Time of the pickup with its offset to UTC. Null for whole days.
      type: str
    due_at:
      description: Time of the return with its offset to UTC. Null for whole days.
      type: str
    responsible_user:
      description:
        - The user who is responsible, as C(id), C(uuid), C(email) and C(display_name). Instances return the UUID. The
          other values are null, unless users were read anyway because a user was named by e-mail address.
      type: dict
    renter:
      description:
        - The renter, as C(type) and C(value). For the type C(user), the value is the UUID of the user. The type is null
          if the instance returns only a text.
      type: dict
    comment:
      description: Remarks.
      type: str
    attachments:
      description: The files of the rental case.
      type: list
      elements: dict
    author:
      description: The user who created it, in the same form as C(responsible_user), if the instance reports it.
      type: dict
    created_at:
      description: When it was created, if the instance reports it.
      type: str
    updated_at:
      description: When it was last changed, if the instance reports it.
      type: str
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
    attachments:
      - uuid: 1b7c8a2e-90a5-4d0c-9c39-7a14d7f2b3e8
        name: Contract.pdf
        type: application/pdf
        size: 48213
        data_uri: https://acme.seventhings.com/customer-api/v1/file/1b7c8a2e-90a5-4d0c-9c39-7a14d7f2b3e8/data
        file_uri: null
        thumbnail_uri: null
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
