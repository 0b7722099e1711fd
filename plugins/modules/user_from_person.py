#!/usr/bin/python
# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: user_from_person
short_description: Create a user from a person
version_added: 1.0.0
description:
  - Creates a user from an existing person. The instance sends an e-mail to the new user.
  - The person is found in the complete list of persons. Exactly one must be meant, it must have an e-mail address, and
    no other person may have the same (upper and lower case are the same). Anything else is an error, and nothing is
    sent.
  - A person who has a user already is left as it is.
  - A user cannot be deleted through this interface, so there is no C(state).
options:
  person:
    description:
      - The person, by e-mail address, UUID, integer id, or as a map of field keys.
      - Required if O(filters) is not given, and mutually exclusive with it.
    type: raw
  filters:
    description:
      - Conditions that exactly one person fulfils, as M(community.seventhings.person_info) takes them. They are
        evaluated by this module. What is sent to the instance is always the e-mail address of the one person.
      - Required if O(person) is not given, and mutually exclusive with it.
    type: dict
notes:
  - With single sign-on, users are created at their first login. Do not create them with this module then.
  - The request that creates the user is sent once, whatever happens to its answer. Where no answer comes, the user is
    looked for. Where it is not there, the task fails and says so.
  - In check mode, a person who is not there yet is a warning, because an earlier task of the play may be the one that
    creates the person.
  - Takes one request for every 1,000 persons, one to read the user (one for every 1,000 users where the person does not
    tell which one it is), and two more to create a user. A map or O(filters) takes one more for the field definitions.
seealso:
  - module: community.seventhings.person
  - module: community.seventhings.user_info
extends_documentation_fragment:
  - community.seventhings.connection
  - community.seventhings.connection.execution
  - community.seventhings.attributes
  - community.seventhings.attributes.changes
author:
  - Contributors to the community.seventhings collection (@ansible-collections)
"""

EXAMPLES = r"""
---
- name: Ensure that a person can sign in
  community.seventhings.user_from_person:
    person: elif.yildiz@nordhain.example
  register: elif

- name: Show the user
  ansible.builtin.debug:
    var: elif.record

- name: Do the same for the only person that matches these filters
  community.seventhings.user_from_person:
    filters:
      last_name: Yildiz
      email:
        like: "@nordhain.example"
"""

RETURN = r"""
record:
  description:
    - The user. In check mode, of a user who would be created, the e-mail address only.
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
      description: E-mail address, by which others refer to the user.
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
    - UUID of the user. Null if there is none, or where check mode would create it.
  returned: success
  type: str
  sample: 5ad6a0ae-6d05-4f3b-9a57-1c9f6f3a8b11
diff:
  description:
    - The fields that changed, out of those that were written, as they were and as they are (in check mode, as they
      would be).
    - C(before) is empty for a user that is created. Both are empty where nothing changed.
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
    - How many requests the task sent, login and repeats included.
  returned: always
  type: int
  sample: 4
"""

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.registry import run


def main() -> None:
    run("user_from_person")


if __name__ == "__main__":
    main()
