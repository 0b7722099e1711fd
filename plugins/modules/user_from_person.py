#!/usr/bin/python
# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

DOCUMENTATION = r"""
module: user_from_person
short_description: Create a user from a person
version_added: 1.0.0
description:
  - Creates a user from an existing person. The instance sends an e-mail to the new user.
  - The module searches the complete list of persons. Exactly one person must match. The person must have an e-mail
    address that no other person has, regardless of case. Otherwise the task fails, and no user is created.
  - If the person already has a user, nothing changes.
  - The API cannot delete a user, so there is no C(state).
options:
  person:
    description:
      - The person, by e-mail address, UUID, integer id, or as a map of field keys.
      - Required if O(filters) is not given, and mutually exclusive with it.
    type: raw
  filters:
    description:
      - Conditions that match exactly one person, in the form that M(community.seventhings.person_info) accepts. This
        module evaluates them. The instance always receives the e-mail address of the person.
      - Required if O(person) is not given, and mutually exclusive with it.
    type: dict
notes:
  - With single sign-on, users are created at their first login. In that case, do not create users with this module.
  - The request that creates the user is sent only once. If no answer arrives, the module searches for the user. If the
    user does not exist, the task fails and says so.
  - In check mode, a missing person is a warning, because an earlier task of the play may create the person.
  - Sends one request for every 1,000 persons and users, and up to three more.
seealso:
  - module: community.seventhings.person
  - module: community.seventhings.user_info
extends_documentation_fragment:
  - community.seventhings.connection
  - community.seventhings.record_references
  - community.seventhings.attributes
  - community.seventhings.attributes_changes
author:
  - Contributors to the community.seventhings collection (@ansible-collections)
"""

EXAMPLES = r"""
---
- name: Ensure that a person can sign in
  community.seventhings.user_from_person:
    person: elif.yildiz@nordhain.example
  register: yildiz

- name: Show the user
  ansible.builtin.debug:
    var: yildiz.record

- name: Ensure that the only person who matches these filters can sign in
  community.seventhings.user_from_person:
    filters:
      last_name: Yildiz
      email:
        like: "@nordhain.example"
"""

RETURN = r"""
record:
  description:
    - The user. In check mode, a new user has only the e-mail address.
  returned: success
  type: dict
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
    uuid: 5ad6a0ae-6d05-4f3b-9a57-1c9f6f3a8b11
    id: 7
    email: ada.lovelace@example.com
    firstname: Ada
    lastname: Lovelace
    display_name: Ada Lovelace
uuid:
  description:
    - UUID of the user. Null if there is none, or if check mode would create it.
  returned: success
  type: str
  sample: 5ad6a0ae-6d05-4f3b-9a57-1c9f6f3a8b11
diff:
  description:
    - The fields that the task sets and that changed, before and after (in check mode, as they would be).
    - C(before) is empty for a new user. Both are empty if nothing changed.
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
    before: {}
    after: {email: ada.lovelace@example.com}
requests:
  description:
    - Number of requests that the task sent, including the login and repeated requests.
  returned: always
  type: int
  sample: 4
"""

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.registry import run


def main() -> None:
    run("user_from_person")


if __name__ == "__main__":
    main()
