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
  - Rental cases are a module of the instance that can be switched off. The error says so.
options:
  title:
    description:
      - Title of the rental case. Required for a new one.
    type: str
  status:
    description:
      - Status of the rental case. A new one has what the instance gives it if this is left out.
      - An instance can move V(borrowed) to V(return_overdue) and V(confirmed) to V(pickup_overdue) when the day has
        passed. Either one of a pair therefore counts as the other one. It is left as it is, and a warning says so.
    type: str
    choices: [requested, confirmed, borrowed, rejected, completed, return_overdue, pickup_overdue]
  references:
    description:
      - The whole list of objects that are lent, 1 to 100. Each is given by its barcode, UUID, id, or as a map of
        fields. Required for a new rental case.
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
          - How many of them before the pickup date. V(0) reminds on the day itself.
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
          - How many of them before the return date. V(0) reminds on the day itself.
        type: int
        required: true
  is_full_day:
    description:
      - Whether the objects are lent for whole days (V(true)) or from O(issue_at) to O(due_at) (V(false)).
      - Where it is left out, a new rental case is by the hour if times are written, and an existing one stays as it is.
        V(true) clears both times.
      - Instances of earlier versions know whole days only. For those it is an error to write V(false) or a time.
    type: bool
  issue_at:
    description:
      - Time of the pickup, with its offset to UTC or in the zone of O(timezone), such as
        C("2031-05-05T10:00:00+02:00"). O(issue_date) is written all the same.
    type: str
  due_at:
    description:
      - Time of the return, written as O(issue_at). It is not part of the loan. O(due_date) is written all the same.
      - Where a rental case is by the hour, a change of O(due_date) without O(due_at), or of O(issue_date) without
        O(issue_at), is an error, because nobody can say what the instance makes of the time.
    type: str
  responsible_user:
    description:
      - The user who is responsible, by e-mail address, UUID, id, or as a map of fields. Required for a new rental case.
    type: raw
  renter:
    description:
      - The renter. A new rental case is made without one where none is written. Some instances demand one.
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
      - Names of the options that together identify the rental case. Each of them needs a value. V(title) and
        V(issue_date) where it is left out.
    type: list
    elements: str
notes:
  - An instance may refuse to lend an object twice at a time. The error then names the other rental case.
  - The instance replaces a rental case as a whole. What was not written is sent as it is.
  - Takes one request where nothing changes, one more for objects and one more for users that are named by a natural
    key, and two more for a change. Clearing a reminder can take another two.
seealso:
  - module: community.seventhings.rental_case_info
  - module: community.seventhings.task
extends_documentation_fragment:
  - community.seventhings.record
  - community.seventhings.record.attachments
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

- name: Ensure that the comment of this one is empty, and leave everything else as it is
  community.seventhings.rental_case:
    uuid: "{{ fair.uuid }}"
    comment: null

- name: Ensure a confirmed one, for a user
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
    - The rental case as it is now (in check mode, as it would be). Empty if there is none.
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
        - The objects that are lent, as C(id), C(uuid) and C(display_name). What the instance did not tell is null.
      type: list
      elements: dict
    issue_date:
      description: Day of the pickup, as C(YYYY-MM-DD).
      type: str
    issue_date_reminder:
      description: Lead time before the pickup, as C(unit) and C(value). Null where there is no reminder.
      type: dict
    due_date:
      description: Day of the return, as C(YYYY-MM-DD).
      type: str
    due_date_reminder:
      description: Lead time before the return, as C(unit) and C(value). Null where there is no reminder.
      type: dict
    is_full_day:
      description: Whether it is for whole days, where the instance tells it.
      type: bool
    issue_at:
      description: Time of the pickup with its offset to UTC. Null for whole days.
      type: str
    due_at:
      description: Time of the return with its offset to UTC. Null for whole days.
      type: str
    responsible_user:
      description:
        - The user who is responsible, as C(id), C(uuid), C(email) and C(display_name). Instances tell the UUID.
          The rest is there where users were read anyway, because one was named by e-mail address; else it is null.
      type: dict
    renter:
      description:
        - Who borrows, as C(type) and C(value). The value for the type C(user) is the UUID of the user. The type is null
          where the instance tells no more than a text.
      type: dict
    comment:
      description: Remarks.
      type: str
    attachments:
      description: The files of the rental case.
      type: list
      elements: dict
    author:
      description: The user who made it, in the same form as C(responsible_user), where the instance tells it.
      type: dict
    created_at:
      description: When it was made, where the instance tells it.
      type: str
    updated_at:
      description: When it was last changed, where the instance tells it.
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
    - UUID of the rental case. Null if there is none, or where check mode would create it.
  returned: success
  type: str
  sample: 5ad6a0ae-6d05-4f3b-9a57-1c9f6f3a8b11
diff:
  description:
    - The fields that changed, out of those that were written, as they were and as they are (in check mode, as they
      would be).
    - C(before) is empty for a rental case that is created, C(after) for one that is deleted. Both are empty where
      nothing changed.
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
    - How many requests the task sent, login and repeats included.
  returned: always
  type: int
  sample: 5
"""

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.registry import run


def main() -> None:
    run("rental_case")


if __name__ == "__main__":
    main()
