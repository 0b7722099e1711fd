#!/usr/bin/python
# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: object_info
short_description: List objects
version_added: 1.0.0
description:
  - Returns one object (asset) of an instance by its O(uuid), or all that match O(filters), completely.
  - Archived objects are in no list. They are returned by O(uuid) only.
options:
  barcode:
    description:
      - Barcode of the one object to read, archived or not. Where no object has it, the list is empty.
      - Instances of an earlier version do not look up barcodes. There only active objects are found.
      - Mutually exclusive with O(uuid) and O(filters).
    type: str
notes:
  - O(barcode) takes one request for the field definitions and one for the object, and one more where it is not found.
  - Takes one request for the field definitions and one for every 1,000 objects, and one or two more for each kind of
    record that O(filters) name by a natural key.
seealso:
  - module: community.seventhings.object
extends_documentation_fragment:
  - community.seventhings.info
  - community.seventhings.info.uuid
  - community.seventhings.connection
  - community.seventhings.connection.execution
  - community.seventhings.attributes
  - community.seventhings.attributes.reads
author:
  - Contributors to the community.seventhings collection (@ansible-collections)
"""

EXAMPLES = r"""
---
- name: Find an object by its barcode
  community.seventhings.object_info:
    filters:
      barcode: "100007"
  register: laptop

- name: Read it also where it is archived
  community.seventhings.object_info:
    barcode: "100007"

- name: Read it by its UUID
  community.seventhings.object_info:
    uuid: "{{ laptop.records[0].uuid }}"

- name: List the five most expensive objects
  community.seventhings.object_info:
    filters:
      purchasing_price:
        gte: 1000
    sort: [-purchasing_price, barcode]
    limit: 5
  register: expensive

- name: Say how many there are
  ansible.builtin.debug:
    msg: "{{ expensive.count }} objects cost 1000 or more"

- name: List laptops that are in no room
  community.seventhings.object_info:
    filters:
      inventory_name:
        like: [Laptop, Notebook]
      actual_room:
        empty: true

- name: Read the field Serial number by its label, whatever its key is on this instance
  community.seventhings.object_info:
    filters:
      barcode: "100007"
    keys: label
  register: labelled

- name: Show it
  ansible.builtin.debug:
    msg: "{{ labelled.records[0]['Serial number'] | default('no such field on this instance') }}"
"""

RETURN = r"""
records:
  description:
    - All objects that match, at most O(limit) of them, in the order of O(sort). Empty where none does.
    - Fields that link to another record are maps of C(id), C(uuid) and C(display_name). What the instance did not tell
      about the other record is null. Attachments are lists of maps.
  returned: success
  type: list
  elements: dict
  sample:
    - id: 245
      inventory_name: Laptop Ada
      barcode: "100234"
      purchasing_price: 1299.5
      actual_room:
        id: 31
        uuid: 8f3f5c36-5a0c-4b1e-a2df-6d6b3f1ed3c5
        display_name: Workshop
      target_room: null
      documents: []
      uuid: 5ad6a0ae-6d05-4f3b-9a57-1c9f6f3a8b11
count:
  description:
    - How many objects match, whatever O(limit) is.
  returned: success
  type: int
  sample: 1
complete:
  description:
    - Whether these are all objects that match. True, because a list that is not complete is an error.
  returned: success
  type: bool
  sample: true
hidden_records:
  description:
    - Whether records are hidden from this account because it is limited to locations. V(no) for kinds that every
      account sees. V(yes), with a warning, if the O(profile) says that records are hidden. Else V(unknown), because
      nothing is read to find out.
  returned: success
  type: str
  sample: unknown
requests:
  description:
    - How many requests the task sent, login and repeats included.
  returned: always
  type: int
  sample: 2
"""

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.registry import run


def main() -> None:
    run("object_info")


if __name__ == "__main__":
    main()
