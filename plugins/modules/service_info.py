#!/usr/bin/python
# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

DOCUMENTATION = r"""
module: service_info
short_description: Read the state of an instance
version_added: 1.0.0
description:
  - Reports whether an instance answers, who is signed in, which modules of the instance are switched on, and which
    fields and objects are hidden from the account. It is a good first task in a play.
notes:
  - The instance reports the user when it issues a token. If O(access_token) is set, no login takes place, and RV(user)
    is null.
  - Sends 11 or 12 requests, seven of them to find out what is hidden from the account.
seealso:
  - module: community.seventhings.auth_token
  - module: community.seventhings.user_info
extends_documentation_fragment:
  - community.seventhings.connection
  - community.seventhings.attributes
  - community.seventhings.attributes_reads
author:
  - Contributors to the community.seventhings collection (@ansible-collections)
"""

EXAMPLES = r"""
---
- name: Read the state of the instance
  community.seventhings.service_info:
  register: service

- name: Show the status
  ansible.builtin.debug:
    msg: "{{ service.status }}, {{ service.description }}"

- name: Stop if a role hides fields from the service account
  ansible.builtin.assert:
    that: not service.restricted_fields

- name: Read a rental case if the instance has rental cases
  community.seventhings.rental_case_info:
    limit: 1
  when: service.modules.rental is truthy
"""

RETURN = r"""
status:
  description:
    - Status that the instance reports, usually V(OK).
  returned: success
  type: str
  sample: OK
description:
  description:
    - Description of the status.
  returned: success
  type: str
  sample: seventhings API is ready
user:
  description:
    - The user who signed in. Null with O(access_token) alone.
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
    - The modules of the instance, and whether each is switched on. The value is false if the instance does not have the
      list of the module, and null if the user has no access to it.
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
    - Kind of record to the keys of the fields that the role of the account hides. Kinds without hidden fields are left
      out.
    - A field counts as hidden if no record of the page has its key, although the same page has other fields that are
      empty. Hidden fields cannot be detected if there are no records, or if the instance leaves out all empty fields.
  returned: success
  type: dict
  sample:
    object: [purchasing_price]
hidden_records:
  description:
    - Whether active objects are hidden from the account because its access is limited to locations.
    - V(yes) if an object that the account sees refers to a hidden object. Up to 20 such references are checked. V(no)
      if the account sees an object in each location that has rooms, and in each room whose location is not known.
      V(unknown) if neither is proven.
  returned: success
  type: str
  sample: "no"
requests:
  description:
    - Number of requests that the task sent, including the login and repeated requests.
  returned: always
  type: int
  sample: 13
"""

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.registry import run


def main() -> None:
    run("service_info")


if __name__ == "__main__":
    main()
