#!/usr/bin/python
# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: person
short_description: Manage persons
version_added: 1.0.0
description:
  - Creates, changes and deletes the persons of an instance.
  - A person is found by the e-mail address (C(email)), in upper or lower case, by other fields (O(match_on)), or by
    O(uuid).
  - A person is not a user. M(community.seventhings.user_from_person) creates a user from a person.
  - The fields of a person are what the field definitions of the template V(person) say.
    M(community.seventhings.field_definition) manages them.
notes:
  - If an HR system such as Personio feeds the persons of an instance, it owns them. Leave the persons and the field
    that it fills to that system, and refer to persons by their e-mail address.
  - Takes one request for the field definitions and one for every 1,000 persons (their list is read completely, because
    not every instance filters it), and two more for a change.
seealso:
  - module: community.seventhings.person_info
  - module: community.seventhings.user_from_person
  - module: community.seventhings.field_definition
extends_documentation_fragment:
  - community.seventhings.record
  - community.seventhings.record.fields
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
- name: Ensure a person
  community.seventhings.person:
    fields:
      email: ada.lovelace@example.com
      first_name: Ada
      last_name: Lovelace
      department: Research
  register: ada

- name: Ensure an e-mail address, which is what a person is otherwise found by
  community.seventhings.person:
    uuid: "{{ ada.uuid }}"
    fields:
      email: ada.lovelace@example.com

- name: Ensure a person who has no e-mail address, found by the names
  community.seventhings.person:
    match_on: [first_name, last_name]
    fields:
      first_name: Charles
      last_name: Babbage
      department: null

- name: Ensure that a person who left is absent
  community.seventhings.person:
    fields:
      email: left.long.ago@example.com
    state: absent
"""

RETURN = r"""
record:
  description:
    - The person as it is now (in check mode, as it would be), all fields included. Empty if there is none.
    - Fields that link to another record are maps of C(id), C(uuid) and C(display_name). What the instance did not tell
      about the other record is null.
  returned: success
  type: dict
  sample:
    id: 12
    user_uuid: null
    email: ada.lovelace@example.com
    first_name: Ada
    last_name: Lovelace
    department: Research
    uuid: 5ad6a0ae-6d05-4f3b-9a57-1c9f6f3a8b11
uuid:
  description:
    - UUID of the person. Null if there is none, or where check mode would create it.
  returned: success
  type: str
  sample: 5ad6a0ae-6d05-4f3b-9a57-1c9f6f3a8b11
diff:
  description:
    - The fields that changed, out of those that were written, as they were and as they are (in check mode, as they
      would be).
    - C(before) is empty for a person that is created, C(after) for one that is deleted. Both are empty where nothing
      changed.
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
    before: {department: null}
    after: {department: Research}
requests:
  description:
    - How many requests the task sent, login and repeats included.
  returned: always
  type: int
  sample: 4
"""

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.registry import run


def main() -> None:
    run("person")


if __name__ == "__main__":
    main()
