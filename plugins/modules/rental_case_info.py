#!/usr/bin/python
# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

DOCUMENTATION = r"""
module: rental_case_info
short_description: List rental cases
version_added: 1.0.0
description:
  - Returns one rental case of an instance by its O(uuid), or the complete list of rental cases that match O(filters).
  - Fields to filter and sort by are the options of M(community.seventhings.rental_case), and C(uuid).
  - Rental cases are a module of the instance. If it is switched off, the task fails and says so.
notes:
  - Sends one request for every 1,000 rental cases, one for every 1,000 users, and one more for objects in O(filters).
seealso:
  - module: community.seventhings.rental_case
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
- name: List rental cases with a pickup in April
  community.seventhings.rental_case_info:
    filters:
      issue_date:
        gte: "2027-04-01"
        lte: "2027-04-30"
      status: [requested, confirmed]
    sort: [issue_date]
  register: april

- name: Read the first rental case by its UUID
  community.seventhings.rental_case_info:
    uuid: "{{ april.records[0].uuid }}"

- name: List rental cases that one user is responsible for
  community.seventhings.rental_case_info:
    filters:
      responsible_user: anna.lindner@nordhain.example
"""

RETURN = r"""
records:
  description:
    - All rental cases that match, at most O(limit) of them, in the order of O(sort). Empty if none matches.
  returned: success
  type: list
  elements: dict
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
        - The user who is responsible, as C(id), C(uuid), C(email) and C(display_name).
        - The task reads the list of users to complete these values. If the account has no access to that list, all
          values except the UUID are null.
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
    - uuid: 5ad6a0ae-6d05-4f3b-9a57-1c9f6f3a8b11
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
count:
  description:
    - Number of rental cases that match, regardless of O(limit).
  returned: success
  type: int
  sample: 1
complete:
  description:
    - Whether these are all rental cases that match. Always true, because an incomplete list is an error.
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
    run("rental_case_info")


if __name__ == "__main__":
    main()
