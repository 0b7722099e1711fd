#!/usr/bin/python
# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: catalog_item
short_description: Manage items of the product catalog
version_added: 1.0.0
description:
  - Creates, changes and deletes the items of the product catalog of an instance. An item is master data, such as a
    model of a laptop, that objects are made from. Objects that were made from an item do not change with it.
  - An item has the fields of objects. Their keys begin with C(catalog_object_). In O(fields) and O(match_on) the key of
    the object's field may stand in its place, so that C(inventory_name) is C(catalog_object_inventory_name).
  - No field is mandatory or unique here. What identifies an item is said by O(match_on), or it is named by its O(uuid).
    One of them is required.
  - Instances of an earlier version have no product catalog, and it can be switched off. That is an error.
options:
  match_on:
    description:
      - Keys of the fields that together identify the item. Each of them needs a value in O(fields).
      - One of O(match_on) and O(uuid) is required.
    type: list
    elements: str
notes:
  - The instance replaces an item as a whole. What was not written is sent as it is. An account that does not see all
    fields of objects (a role may hide some) changes no item, because what it does not see would be lost.
  - Takes one request for the field definitions and one for the item where nothing changes, and three more for a change,
    one of them to see whether fields of objects are hidden from the account. A field that the item does not have takes
    that one too.
seealso:
  - module: community.seventhings.catalog_item_info
  - module: community.seventhings.object
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
- name: Ensure a model of a laptop
  community.seventhings.catalog_item:
    match_on: [inventory_name]
    fields:
      inventory_name: Laptop 17
      description: 32 GB, 1 TB
  register: laptop

- name: Ensure another price of it
  community.seventhings.catalog_item:
    uuid: "{{ laptop.uuid }}"
    fields:
      catalog_object_purchasing_price: 1199.50

- name: Ensure that a model is absent
  community.seventhings.catalog_item:
    match_on: [inventory_name]
    fields:
      inventory_name: Laptop 13
    state: absent
"""

RETURN = r"""
record:
  description:
    - The item as it is now (in check mode, as it would be), all fields included. Empty if there is none.
  returned: success
  type: dict
  sample:
    id: 4
    catalog_object_inventory_name: Laptop 17
    catalog_object_purchasing_price: 1299.5
    uuid: 5ad6a0ae-6d05-4f3b-9a57-1c9f6f3a8b11
uuid:
  description:
    - UUID of the item. Null if there is none, or where check mode would create it.
  returned: success
  type: str
  sample: 5ad6a0ae-6d05-4f3b-9a57-1c9f6f3a8b11
diff:
  description:
    - The fields that changed, out of those that were written, as they were and as they are (in check mode, as they
      would be).
    - C(before) is empty for an item that is created, C(after) for one that is deleted. Both are empty where nothing
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
    before: {purchasing_price: 1199.0}
    after: {purchasing_price: 1299.5}
requests:
  description:
    - How many requests the task sent, login and repeats included.
  returned: always
  type: int
  sample: 3
"""

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.registry import run


def main() -> None:
    run("catalog_item")


if __name__ == "__main__":
    main()
