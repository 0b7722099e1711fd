#!/usr/bin/python
# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

DOCUMENTATION = r"""
module: location
short_description: Manage locations
version_added: 1.0.0
description:
  - Creates, changes and deletes the locations of an instance, which are the buildings or sites that rooms belong to.
  - A location is found by its C(name), by other fields (O(match_on)), or by its O(uuid).
  - The fields are C(name), C(address), C(zip), C(city), C(country), and every other key that the instance shows in a
    location. All values are texts.
notes:
  - When a location is deleted, the instance decides what happens to its rooms and other records in it.
  - Sends one request if nothing changes, two more for a change, and three for a new record.
seealso:
  - module: community.seventhings.location_info
  - module: community.seventhings.room
extends_documentation_fragment:
  - community.seventhings.record
  - community.seventhings.record_fields
  - community.seventhings.record_references
  - community.seventhings.connection
  - community.seventhings.attributes
  - community.seventhings.attributes_changes
author:
  - Contributors to the community.seventhings collection (@ansible-collections)
"""

EXAMPLES = r"""
---
- name: Ensure that the head office exists
  community.seventhings.location:
    fields:
      name: Head office
      address: Long Street 1
      zip: "01067"
      city: Dresden
      country: Germany

- name: Ensure its address, and keep all other fields
  community.seventhings.location:
    fields:
      name: Head office
      address: Long Street 1

- name: Ensure a branch in Leipzig, found by its name and city
  community.seventhings.location:
    match_on: [name, city]
    fields:
      name: Branch
      city: Leipzig
  register: branch

- name: Clear a field of the location with this UUID
  community.seventhings.location:
    uuid: "{{ branch.uuid }}"
    fields:
      address: null

- name: Ensure several sites
  community.seventhings.location:
    fields:
      name: "{{ item.name }}"
      city: "{{ item.city }}"
  loop:
    - {name: Warehouse north, city: Hamburg}
    - {name: Warehouse south, city: Munich}
  loop_control:
    label: "{{ item.name }}"

- name: Ensure that a closed site is absent
  community.seventhings.location:
    fields:
      name: Old depot
    state: absent
"""

RETURN = r"""
record:
  description:
    - The location after the task (in check mode, as it would be), with all fields. Empty if there is none.
  returned: success
  type: dict
  sample:
    id: 4
    name: Head office
    address: Long Street 1
    zip: "01067"
    city: Dresden
    country: Germany
    uuid: 5ad6a0ae-6d05-4f3b-9a57-1c9f6f3a8b11
uuid:
  description:
    - UUID of the location. Null if there is none, or if check mode would create it.
  returned: success
  type: str
  sample: 5ad6a0ae-6d05-4f3b-9a57-1c9f6f3a8b11
diff:
  description:
    - The fields that the task sets and that changed, before and after (in check mode, as they would be).
    - C(before) is empty for a new location, C(after) for a deleted location. Both are empty if nothing changed.
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
    before: {address: null}
    after: {address: Long Street 1}
requests:
  description:
    - Number of requests that the task sent, including the login and repeated requests.
  returned: always
  type: int
  sample: 3
"""

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.registry import run


def main() -> None:
    run("location")


if __name__ == "__main__":
    main()
