#!/usr/bin/python
# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

DOCUMENTATION = r"""
module: object_info
short_description: List objects
version_added: 1.0.0
description:
  - Returns one object (asset) of an instance by its O(uuid), or the complete list of objects that match O(filters).
  - Lists do not contain archived objects. Read an archived object by O(uuid) or O(barcode).
options:
  barcode:
    description:
      - Barcode of the object to read, archived or not. If no object has it, the list is empty.
      - Instances of an earlier version do not look up barcodes. On these, only active objects are found.
      - Mutually exclusive with O(uuid) and O(filters).
    type: str
notes:
  - Sends one request, one for every 1,000 objects, and up to two more for each kind of record in O(filters).
seealso:
  - module: community.seventhings.object
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
- name: Find an object by its barcode
  community.seventhings.object_info:
    filters:
      barcode: "100007"
  register: laptop

- name: Read the object even if it is archived
  community.seventhings.object_info:
    barcode: "100007"

- name: Read the object by its UUID
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

- name: Show how many there are
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

- name: Show the serial number
  ansible.builtin.debug:
    msg: "{{ labelled.records[0]['Serial number'] | default('no such field on this instance') }}"
"""

RETURN = r"""
records:
  description:
    - All objects that match, at most O(limit) of them, in the order of O(sort). Empty if none matches.
    - Fields that link to another record are maps of C(id), C(uuid) and C(display_name). A value that the instance did
      not return is null. Attachments are lists of maps.
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
    - Number of objects that match, regardless of O(limit).
  returned: success
  type: int
  sample: 1
complete:
  description:
    - Whether these are all objects that match. Always true, because an incomplete list is an error.
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
    run("object_info")


if __name__ == "__main__":
    main()
