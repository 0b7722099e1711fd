#!/usr/bin/python
# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: hub_item
short_description: Offer objects on the circularity hub
version_added: 1.0.0
description:
  - Offers an object on the circularity hub, changes the price of the offer, or takes it off.
  - An object that stands in an order which is not cancelled is left as it is, and a warning says so.
  - The circularity hub is a module of the instance that can be switched off. The error says so.
options:
  object:
    description:
      - The object, by barcode, UUID, integer id, or as a map of field keys.
    type: raw
    required: true
  category:
    description:
      - Category of the offer. Where it is left out, the instance suggests one.
      - It is sent when the object is offered. An offer that is there already keeps its category.
    type: str
  price:
    description:
      - Price to ask for, in the currency of the instance, as a number from 0 with a decimal point, or the same as a
        text. It is compared to two decimal places.
      - Where it is left out, the instance suggests one for a new offer, and an offer that is there keeps its price.
    type: raw
  state:
    description:
      - What is wanted.
      - >-
        V(present): The object is offered, at the price that is written.
      - >-
        V(absent): The object is not offered. Orders are left as they are.
    type: str
    choices: [present, absent]
    default: present
notes:
  - The request that publishes the offer is sent once, whatever happens to its answer. Where no answer comes, the offer
    is looked for. Where it is not there, the task fails and says so.
  - Takes one request for the object and one for every 1,000 hub items, and two more to change the price or one to take
    the object off. An object that is not offered takes one more for every 1,000 orders, one for each of O(category) and
    O(price) that is left out, and two to offer it.
seealso:
  - module: community.seventhings.hub_item_info
  - module: community.seventhings.hub_suggestion_info
  - module: community.seventhings.hub_order
extends_documentation_fragment:
  - community.seventhings.record.references
  - community.seventhings.connection
  - community.seventhings.connection.execution
  - community.seventhings.attributes
  - community.seventhings.attributes.changes
author:
  - Contributors to the community.seventhings collection (@ansible-collections)
"""

EXAMPLES = r"""
---
- name: Ensure that an object is offered, in the category and at the price that the instance suggests
  community.seventhings.hub_item:
    object: "100007"
  register: offer

- name: Show the price
  ansible.builtin.debug:
    msg: "{{ offer.record.price }}"

- name: Ensure that another object is offered at this price
  community.seventhings.hub_item:
    object: "100005"
    price: 25.50

- name: Ensure that an object is not offered any more
  community.seventhings.hub_item:
    object: "100006"
    state: absent
"""

RETURN = r"""
record:
  description:
    - The hub item as it is now. Empty where there is none, and where the object stands in an order.
    - In check mode, of an item that would be made, only C(asset_id) and C(price).
  returned: success
  type: dict
  contains:
    id:
      description: Integer id of the hub item.
      type: int
    asset_id:
      description: Integer id of the object.
      type: int
    price:
      description: Price that is asked for.
      type: float
    suggested_price:
      description: Price that the instance suggests.
      type: float
    category_id:
      description: Integer id of the category.
      type: int
    deleted:
      description: Whether the item was taken off.
      type: bool
    permission:
      description: What the signed-in user may do with the item, as a number.
      type: int
    object_data:
      description: What the hub shows of the object, by field key.
      type: dict
    created_at:
      description: When the object was offered.
      type: str
    updated_at:
      description: When the offer was last changed.
      type: str
  sample:
    id: 4
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
uuid:
  description:
    - Always null. A hub item has no UUID but an integer id, which is in RV(record).
  returned: success
  type: str
  sample: null
diff:
  description:
    - Those of O(object), O(category) and O(price) that change, as they were written. Both sides are empty where nothing
      changes.
  returned: success
  type: dict
  contains:
    before:
      description: The price before. Empty for an object that was not offered.
      type: dict
    after:
      description: The written options, for a new offer. The price after a change. Empty for an offer that is taken off.
      type: dict
  sample:
    before: {price: 519.8}
    after: {price: 450.0}
requests:
  description:
    - How many requests the task sent, login and repeats included.
  returned: always
  type: int
  sample: 4
"""

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.registry import run


def main() -> None:
    run("hub_item")


if __name__ == "__main__":
    main()
