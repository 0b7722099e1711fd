#!/usr/bin/python
# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

DOCUMENTATION = r"""
module: catalog_item_info
short_description: List items of the product catalog
version_added: 1.0.0
description:
  - Returns one item of the product catalog of an instance by its O(uuid), or the complete list of items that match
    O(filters).
  - O(filters) and O(sort) also accept the key of the object's field, such as C(inventory_name) for
    C(catalog_object_inventory_name).
  - The task fails if the instance has no product catalog. Earlier versions have none, and it can be switched off.
notes:
  - Sends one request, and one for every 1,000 items.
seealso:
  - module: community.seventhings.catalog_item
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
- name: List items that cost 1000 or more
  community.seventhings.catalog_item_info:
    filters:
      purchasing_price:
        gte: 1000
    sort: [inventory_name]
  register: expensive

- name: Read an item by its UUID
  community.seventhings.catalog_item_info:
    uuid: "{{ expensive.records[0].uuid }}"
"""

RETURN = r"""
records:
  description:
    - All items that match, at most O(limit) of them, in the order of O(sort). Empty if none matches.
  returned: success
  type: list
  elements: dict
  sample:
    - id: 4
      catalog_object_inventory_name: Laptop 17
      catalog_object_purchasing_price: 1299.5
      uuid: 5ad6a0ae-6d05-4f3b-9a57-1c9f6f3a8b11
count:
  description:
    - Number of items that match, regardless of O(limit).
  returned: success
  type: int
  sample: 1
complete:
  description:
    - Whether these are all items that match. Always true, because an incomplete list is an error.
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
    run("catalog_item_info")


if __name__ == "__main__":
    main()
