#!/usr/bin/python
# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

DOCUMENTATION = r"""
module: person
short_description: Manage persons
version_added: 1.0.0
description:
  - Creates, changes and deletes the persons of an instance.
  - A person is found by C(email), regardless of case, by other fields (O(match_on)), or by O(uuid).
  - A person is not a user. M(community.seventhings.user_from_person) creates a user from a person.
  - M(community.seventhings.field_definition) manages which fields persons have. The guide R(Field
    types,ansible_collections.community.seventhings.docsite.guide_field_definitions.types) says how to write a value of
    each type.
notes:
  - If an HR system such as Personio manages the persons, leave them to it, and refer to them by e-mail address.
  - Sends one request, one for every 1,000 persons, and two more for a change.
seealso:
  - module: community.seventhings.person_info
  - module: community.seventhings.user_from_person
  - module: community.seventhings.field_definition
extends_documentation_fragment:
  - community.seventhings.record
  - community.seventhings.record_fields
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
- name: Ensure a person
  community.seventhings.person:
    fields:
      email: ada.lovelace@example.com
      first_name: Ada
      last_name: Lovelace
      department: Research
  register: ada

- name: Ensure the e-mail address of the person with this UUID
  community.seventhings.person:
    uuid: "{{ ada.uuid }}"
    fields:
      email: ada.lovelace@example.com

- name: Ensure a person without an e-mail address, found by name
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
    - The person after the task (in check mode, as it would be), with all fields. Empty if there is none.
    - Fields that link to another record are maps of C(id), C(uuid) and C(display_name). A value that the instance did
      not return is null.
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
    - UUID of the person. Null if there is none, or if check mode would create it.
  returned: success
  type: str
  sample: 5ad6a0ae-6d05-4f3b-9a57-1c9f6f3a8b11
diff:
  description:
    - The fields that the task sets and that changed, before and after (in check mode, as they would be).
    - C(before) is empty for a new person, C(after) for a deleted person. Both are empty if nothing changed.
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
    - Number of requests that the task sent, including the login and repeated requests.
  returned: always
  type: int
  sample: 4
"""

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.registry import run


def main() -> None:
    run("person")


if __name__ == "__main__":
    main()
