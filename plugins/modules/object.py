#!/usr/bin/python
# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

DOCUMENTATION = r"""
module: object
short_description: Manage objects
version_added: 1.0.0
description:
  - Creates, changes, archives and deletes the objects (assets) of an instance.
  - An object is found by its C(barcode), by other fields (O(match_on)), or by its O(uuid).
  - M(community.seventhings.field_definition) manages which fields objects have. The guide R(Field
    types,ansible_collections.community.seventhings.docsite.guide_field_definitions.types) says how to write a value of
    each type.
  - C(target_room) is the room where an object belongs. C(actual_room) is where it was last scanned. Leave
    C(actual_room) to the scans, because a stocktake reports a lost object as found if a task writes it on each run.
options:
  state:
    description:
      - The desired state.
      - >-
        V(present): The object exists with the values of the task. An archived object is restored.
      - >-
        V(absent): The object does not exist, not even in the archive. It is deleted permanently.
      - >-
        V(archived): The object is archived if it exists. O(fields) only identify it.
      - No list contains archived objects. They are found by O(uuid), and by C(barcode) if the instance looks up single
        barcodes. A warning says if a second object may be created.
    type: str
    choices: [present, absent, archived]
    default: present
  allow:
    description:
      - >-
        V(assumed_archived): Count an object as archived if no list contains it and the instance sends no
        C(archived_at). It may also be hidden from this account.
      - >-
        V(similar_names): Accept a name that looks like another.
    type: list
    elements: str
    choices: [assumed_archived, similar_names]
notes:
  - Sends two requests if nothing changes, two more for a change, and three for a new record.
seealso:
  - module: community.seventhings.object_info
  - module: community.seventhings.field_definition
  - module: community.seventhings.room
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
- name: Ensure a laptop and the room where it belongs
  community.seventhings.object:
    fields:
      barcode: "100234"
      inventory_name: Notebook Anna
      purchasing_price: 1299.50
      target_room: Dresden/0.12
  register: laptop

- name: Ensure one field, and keep all other fields
  community.seventhings.object:
    fields:
      barcode: "100234"
      inventory_name: Notebook Anna

- name: Clear a field of the object with this UUID
  community.seventhings.object:
    uuid: "{{ laptop.uuid }}"
    fields:
      description: null

- name: Identify the room by its fields, and the object by its name
  community.seventhings.object:
    match_on: [inventory_name]
    fields:
      inventory_name: Notebook Anna
      target_room:
        building_id: Dresden
        number: "0.12"

- name: Write an invoice to a file
  ansible.builtin.copy:
    content: "Invoice 2031-117: one laptop\n"
    dest: /tmp/invoice-2031-117.txt
    mode: "0600"

- name: Ensure that the invoice, and nothing else, is attached
  community.seventhings.object:
    fields:
      barcode: "100234"
      documents:
        - path: /tmp/invoice-2031-117.txt
          name: Invoice 2031-117.txt

- name: Ensure that a sold object is archived
  community.seventhings.object:
    fields:
      barcode: "100017"
    state: archived

- name: Ensure that an object that was created by mistake is absent
  community.seventhings.object:
    fields:
      barcode: "100018"
    state: absent
"""

RETURN = r"""
record:
  description:
    - The object after the task (in check mode, as it would be), with all fields. Empty if there is none.
    - Fields that link to another record are maps of C(id), C(uuid) and C(display_name). A value that the instance did
      not return is null. Attachments are lists of maps.
  returned: success
  type: dict
  sample:
    id: 245
    inventory_name: Laptop Ada
    barcode: "100234"
    purchasing_price: 1299.5
    target_room:
      id: 31
      uuid: 8f3f5c36-5a0c-4b1e-a2df-6d6b3f1ed3c5
      display_name: Workshop
    actual_room: null
    status: missing
    documents:
      - uuid: 1b7c8a2e-90a5-4d0c-9c39-7a14d7f2b3e8
        name: Invoice 2031-117.txt
        type: text/plain
        size: 29
        data_uri: https://acme.seventhings.com/customer-api/v1/file/1b7c8a2e-90a5-4d0c-9c39-7a14d7f2b3e8/data
        file_uri: https://acme.seventhings.com/customer-api/v1/file/1b7c8a2e-90a5-4d0c-9c39-7a14d7f2b3e8
        thumbnail_uri: null
    uuid: 5ad6a0ae-6d05-4f3b-9a57-1c9f6f3a8b11
uuid:
  description:
    - UUID of the object. Null if there is none, or if check mode would create it.
  returned: success
  type: str
  sample: 5ad6a0ae-6d05-4f3b-9a57-1c9f6f3a8b11
diff:
  description:
    - The fields that the task sets and that changed, before and after (in check mode, as they would be).
    - C(before) is empty for a new object, C(after) for a deleted object. Both are empty if nothing changed.
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
    before: {target_room: Head office/Storage, purchasing_price: null}
    after: {target_room: Head office/0.12, purchasing_price: 1299.5}
requests:
  description:
    - Number of requests that the task sent, including the login and repeated requests.
  returned: always
  type: int
  sample: 6
"""

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.registry import run


def main() -> None:
    run("object")


if __name__ == "__main__":
    main()
