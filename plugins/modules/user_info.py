#!/usr/bin/python
# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

DOCUMENTATION = r"""
module: user_info
short_description: List users
version_added: 1.0.0
description:
  - Returns one user of an instance by its O(uuid), or the complete list of users that match O(filters).
  - The fields of a user are C(email), C(firstname), C(lastname) and C(display_name).
notes:
  - Sends one request for every 1,000 users, whatever the O(filters) are.
seealso:
  - module: community.seventhings.user_from_person
  - module: community.seventhings.person_info
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
- name: List all users by last name
  community.seventhings.user_info:
    sort: [lastname, firstname]
  register: users

- name: Show their e-mail addresses
  ansible.builtin.debug:
    msg: "{{ users.records | map(attribute='email') }}"

- name: Read a user by UUID
  community.seventhings.user_info:
    uuid: "{{ users.records[0].uuid }}"

- name: List users of one domain
  community.seventhings.user_info:
    filters:
      email:
        like: "@example.com"
"""

RETURN = r"""
records:
  description:
    - All users that match, at most O(limit) of them, in the order of O(sort). Empty if none matches.
  returned: success
  type: list
  elements: dict
  contains:
    uuid:
      description: UUID of the user.
      type: str
    id:
      description: Integer id of the user.
      type: int
    email:
      description: E-mail address, which is the natural key of the user.
      type: str
    firstname:
      description: First name.
      type: str
    lastname:
      description: Last name.
      type: str
    display_name:
      description: The name that the instance shows.
      type: str
  sample:
    - uuid: 5ad6a0ae-6d05-4f3b-9a57-1c9f6f3a8b11
      id: 7
      email: ada.lovelace@example.com
      firstname: Ada
      lastname: Lovelace
      display_name: Ada Lovelace
count:
  description:
    - Number of users that match, regardless of O(limit).
  returned: success
  type: int
  sample: 1
complete:
  description:
    - Whether these are all users that match. Always true, because an incomplete list is an error.
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
  sample: 1
"""

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.registry import run


def main() -> None:
    run("user_info")


if __name__ == "__main__":
    main()
