#!/usr/bin/python
# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: object
short_description: Manage objects
version_added: 1.0.0
description:
  - Creates, changes, archives and deletes the objects (assets) of an instance.
  - An object is found by its C(barcode), by other fields (O(match_on)), or by its O(uuid).
  - The fields of an object are what the field definitions of the template V(asset) say.
    M(community.seventhings.field_definition) manages them.
  - Rooms come in pairs. C(target_room) is where an object belongs, and a playbook may own it. C(actual_room) is where
    the object was last seen, and scans write it. A task that writes C(actual_room) on each run counts as a sighting
    that nobody made. A stocktake then reports an object as found that is lost, and overwrites what people scanned.
    Write C(actual_room) only for a move that takes place now, in a play that runs once.
options:
  state:
    description:
      - What is wanted.
      - An archived object keeps its data, but lists leave it out. It is found by O(uuid), and by C(barcode) on
        instances that look up single barcodes. Where an instance refuses a new object because of a value that must be
        unique, the error names the object that holds it, or says that an archived one may.
      - An object without a C(barcode) is not looked up in the archive. A service that accepts duplicates then creates a
        second one, and a warning says so, unless the O(profile) says that the service refuses duplicates.
      - >-
        V(present): The object is there, not archived, with the values that are written. An archived one is brought
        back.
      - >-
        V(absent): The object is not there. It is deleted for good, an archived one too if it is found by O(uuid) or by
        its C(barcode).
      - >-
        V(archived): The object, if there is one, is archived. O(fields) only identify it. Where nothing is found,
        nothing is done, and a warning says so.
    type: str
    choices: [present, absent, archived]
    default: present
  assume_archived:
    description:
      - Take an object that is found by its barcode, and that no list shows, to be archived, where the instance sends no
        C(archived_at). It may as well be hidden from this account, so that it is an error without this option.
    type: bool
    default: false
notes:
  - Takes two requests where nothing changes (the field definitions and the object), one more for each kind of record
    that is referred to by a natural key (a room takes two, one of them for locations), one for the lookup of the
    barcode where the list does not show the object, one for each linked file of the same size as a file given by path,
    and two more for a change, plus one for each file that is uploaded. The first object that a task makes takes one
    more, to see whether fields are hidden from the account.
seealso:
  - module: community.seventhings.object_info
  - module: community.seventhings.field_definition
  - module: community.seventhings.room
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
- name: Ensure a laptop and the room where it belongs
  community.seventhings.object:
    fields:
      barcode: "100234"
      inventory_name: Notebook Anna
      purchasing_price: 1299.50
      target_room: Dresden/0.12
  register: laptop

- name: Ensure one field, and leave every other one as it is
  community.seventhings.object:
    fields:
      barcode: "100234"
      inventory_name: Notebook Anna

- name: Clear a field, of the object with this UUID
  community.seventhings.object:
    uuid: "{{ laptop.uuid }}"
    fields:
      description: null

- name: Name the room by its fields, and the object by its name
  community.seventhings.object:
    match_on: [inventory_name]
    fields:
      inventory_name: Notebook Anna
      target_room:
        building_id: Dresden
        number: "0.12"

- name: Keep an invoice as a file
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

- name: Ensure that an object that was sold is archived
  community.seventhings.object:
    fields:
      barcode: "100017"
    state: archived

- name: Ensure that an object that was entered by mistake is absent
  community.seventhings.object:
    fields:
      barcode: "100018"
    state: absent
"""

RETURN = r"""
record:
  description:
    - The object as it is now (in check mode, as it would be), all fields included. Empty if there is none.
    - Fields that link to another record are maps of C(id), C(uuid) and C(display_name). What the instance did not tell
      about the other record is null. Attachments are lists of maps.
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
    - UUID of the object. Null if there is none, or where check mode would create it.
  returned: success
  type: str
  sample: 5ad6a0ae-6d05-4f3b-9a57-1c9f6f3a8b11
diff:
  description:
    - The fields that changed, out of those that were written, as they were and as they are (in check mode, as they
      would be).
    - C(before) is empty for an object that is created, C(after) for one that is deleted. Both are empty where nothing
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
    before: {target_room: Storage, purchasing_price: null}
    after: {target_room: Head office/0.12, purchasing_price: 1299.5}
requests:
  description:
    - How many requests the task sent, login and repeats included.
  returned: always
  type: int
  sample: 6
"""

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.registry import run


def main() -> None:
    run("object")


if __name__ == "__main__":
    main()
