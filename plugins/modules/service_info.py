#!/usr/bin/python
# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: service_info
short_description: Read the state of an instance
version_added: 1.0.0
description:
  - Tells whether an instance answers, who is signed in, which of its modules are switched on, and what the account does
    not see. It makes a good first task.
notes:
  - The instance tells who is signed in when it hands out a token. Where O(access_token) is given, no login takes place,
    and RV(user) is whom the token names.
  - Takes three requests, and one more for the user. What the account does not see takes seven more, the first page of
    objects, rooms, locations and persons and the field definitions of three templates, and one more where an object
    refers to another one that the page lacks. Pages have up to 1,000 records.
seealso:
  - module: community.seventhings.auth_token
  - module: community.seventhings.user_info
extends_documentation_fragment:
  - community.seventhings.connection
  - community.seventhings.connection.execution
  - community.seventhings.attributes
  - community.seventhings.attributes.reads
author:
  - Contributors to the community.seventhings collection (@ansible-collections)
"""

EXAMPLES = r"""
---
- name: Ask the instance how it is
  community.seventhings.service_info:
  register: service

- name: Say it
  ansible.builtin.debug:
    msg: "{{ service.status }}, {{ service.description }}"

- name: Stop where a role hides fields from the service account
  ansible.builtin.assert:
    that: not service.restricted_fields

- name: Do something with rental cases where the instance has them
  community.seventhings.rental_case_info:
    limit: 1
  when: service.modules.rental
"""

RETURN = r"""
status:
  description:
    - What the instance says of itself, usually V(OK).
  returned: success
  type: str
  sample: OK
description:
  description:
    - The same in more words.
  returned: success
  type: str
  sample: seventhings API is ready
user:
  description:
    - The user who signed in. With O(access_token) alone, the user whom the token names, null where it names
      nobody.
  returned: success
  type: dict
  contains:
    id:
      description: Integer id of the user.
      type: int
    email:
      description: E-mail address of the user.
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
    id: 7
    email: ada.lovelace@example.com
    firstname: Ada
    lastname: Lovelace
    display_name: Ada Lovelace
modules:
  description:
    - Which modules of the instance are switched on. A module whose list the instance does not have is false. A value
      is null where the user may not look.
  returned: success
  type: dict
  contains:
    rental:
      description: Whether there are rental cases.
      type: bool
    hub:
      description: Whether there is a circularity hub.
      type: bool
  sample:
    rental: true
    hub: false
restricted_fields:
  description:
    - Kind of record to the keys of its fields that the account does not see, because its role hides them. Kinds of
      which it sees all fields are not in it.
    - A field counts as hidden where no record of the page has its key, although the same page has other fields that are
      empty. Nothing is known where there are no records, or where the instance leaves out all empty keys.
  returned: success
  type: dict
  sample:
    object: [purchasing_price]
hidden_records:
  description:
    - Whether there are objects that the account does not see although they are not archived, because its access is
      limited to locations.
    - V(yes) where one is found to which another one refers; up to 20 of these are read. V(no) where the account sees an
      object in each of the locations that have rooms, and in each room of which no location is known. V(unknown) where
      nothing tells.
  returned: success
  type: str
  sample: "no"
requests:
  description:
    - How many requests the task sent, login and repeats included.
  returned: always
  type: int
  sample: 13
"""

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.registry import run


def main() -> None:
    run("service_info")


if __name__ == "__main__":
    main()
