#!/usr/bin/python
# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

DOCUMENTATION = r"""
module: catalog_item
short_description: Manage items of the product catalog
version_added: 1.0.0
description:
  - Creates, changes and deletes the items of the product catalog of an instance. An item is master data, such as a
    laptop model, from which objects are created. Existing objects do not change if their item changes.
  - An item has the fields of objects, with keys that begin with C(catalog_object_). O(fields) and O(match_on) also
    accept the key of the object's field. For example, C(inventory_name) means C(catalog_object_inventory_name).
  - No field of an item is mandatory or unique. O(match_on) or O(uuid) identifies the item. One of them is required.
  - The task fails if the instance has no product catalog. Earlier versions have none, and it can be switched off.
options:
  match_on:
    description:
      - Keys of the fields that together identify the item. Each of them must have a value in O(fields).
      - One of O(match_on) and O(uuid) is required.
    type: list
    elements: str
notes:
  - The instance replaces the whole item, so the module also sends the fields that the task does not set. It changes no
    item if a role hides fields of objects from the account.
  - Sends two requests if nothing changes, three more for a change, and four for a new item.
seealso:
  - module: community.seventhings.catalog_item_info
  - module: community.seventhings.object
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
- name: Ensure a laptop model
  community.seventhings.catalog_item:
    match_on: [inventory_name]
    fields:
      inventory_name: Laptop 17
      description: 32 GB, 1 TB
  register: laptop

- name: Ensure the price of the model with this UUID
  community.seventhings.catalog_item:
    uuid: "{{ laptop.uuid }}"
    fields:
      catalog_object_purchasing_price: 1199.50

- name: Ensure that a laptop model is absent
  community.seventhings.catalog_item:
    match_on: [inventory_name]
    fields:
      inventory_name: Laptop 13
    state: absent
"""

RETURN = r"""
record:
  description:
    - The item after the task (in check mode, as it would be), with all fields. Empty if there is none.
  returned: success
  type: dict
  sample:
    id: 4
    catalog_object_inventory_name: Laptop 17
    catalog_object_purchasing_price: 1299.5
    uuid: 5ad6a0ae-6d05-4f3b-9a57-1c9f6f3a8b11
uuid:
  description:
    - UUID of the item. Null if there is none, or if check mode would create it.
  returned: success
  type: str
  sample: 5ad6a0ae-6d05-4f3b-9a57-1c9f6f3a8b11
diff:
  description:
    - The fields that the task sets and that changed, before and after (in check mode, as they would be).
    - C(before) is empty for a new item, C(after) for a deleted item. Both are empty if nothing changed.
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
    - Number of requests that the task sent, including the login and repeated requests.
  returned: always
  type: int
  sample: 3
"""

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.registry import run


def main() -> None:
    run("catalog_item")


if __name__ == "__main__":
    main()
