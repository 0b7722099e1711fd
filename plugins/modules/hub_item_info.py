#!/usr/bin/python
# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

DOCUMENTATION = r"""
module: hub_item_info
short_description: List offers on the circularity hub
version_added: 1.0.0
description:
  - Returns one hub item of an instance by its O(id), or the complete list of hub items that match O(filters).
  - Fields to filter and sort by are C(id), C(asset_id), C(price), C(suggested_price), C(category_id), C(created_at)
    and C(updated_at).
  - The circularity hub is a module of the instance. If it is switched off, the task fails and says so.
notes:
  - Sends one request for every 1,000 hub items.
seealso:
  - module: community.seventhings.hub_item
  - module: community.seventhings.hub_suggestion_info
extends_documentation_fragment:
  - community.seventhings.info
  - community.seventhings.info_number
  - community.seventhings.connection
  - community.seventhings.attributes
  - community.seventhings.attributes_reads
author:
  - Contributors to the community.seventhings collection (@ansible-collections)
"""

EXAMPLES = r"""
---
- name: List the offers for 500 or less, the most expensive first
  community.seventhings.hub_item_info:
    filters:
      price:
        lte: 500
    sort: [-price]
  register: cheap

- name: Read the first offer by its id
  community.seventhings.hub_item_info:
    id: "{{ cheap.records[0].id }}"

- name: Find the offer of the object with this id
  community.seventhings.hub_item_info:
    filters:
      asset_id: 28
"""

RETURN = r"""
records:
  description:
    - All hub items that match, at most O(limit) of them, in the order of O(sort). Empty if none matches.
  returned: success
  type: list
  elements: dict
  contains:
    id:
      description: Integer id of the hub item.
      type: int
    asset_id:
      description: Integer id of the object.
      type: int
    price:
      description: Price of the offer.
      type: float
    suggested_price:
      description: Price that the instance suggests.
      type: float
    category_id:
      description: Integer id of the category.
      type: int
    deleted:
      description: Whether the offer was withdrawn.
      type: bool
    permission:
      description: What the signed-in user may do with the item, as a number.
      type: int
    object_data:
      description: Fields of the object that the hub shows, by key.
      type: dict
    created_at:
      description: When the object was offered.
      type: str
    updated_at:
      description: When the offer was last changed.
      type: str
  sample:
    - id: 4
      asset_id: 245
      price: 450.0
      suggested_price: 519.8
      category_id: 1
      deleted: false
      permission: 1
      object_data:
        item_title: Laptop Ada
        internal_identifier: "100234"
        item_original_purchase_price: 1299.5
        inventory_name: Laptop Ada
        barcode: "100234"
      created_at: "2031-05-02T09:14:11+00:00"
      updated_at: "2031-05-02T09:14:11+00:00"
count:
  description:
    - Number of hub items that match, regardless of O(limit).
  returned: success
  type: int
  sample: 1
complete:
  description:
    - Whether these are all hub items that match. Always true, because an incomplete list is an error.
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
  sample: 1
"""

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.registry import run


def main() -> None:
    run("hub_item_info")


if __name__ == "__main__":
    main()
