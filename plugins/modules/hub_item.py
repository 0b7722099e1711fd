#!/usr/bin/python
# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

DOCUMENTATION = r"""
module: hub_item
short_description: Offer objects on the circularity hub
version_added: 1.0.0
description:
  - Offers an object on the circularity hub, changes the price of the offer, or withdraws the offer.
  - An object in an order that is not cancelled is left unchanged, and a warning says so.
  - The circularity hub is a module of the instance. If it is switched off, the task fails and says so.
options:
  object:
    description:
      - The object, by barcode, UUID, integer id, or as a map of field keys.
    type: raw
    required: true
  category:
    description:
      - Category of the offer. If it is not set, the instance suggests a category.
      - It only applies to a new offer. An existing offer keeps its category.
    type: str
  price:
    description:
      - Price of the offer, in the currency of the instance. It is a number with a decimal point, 0 or more, or a text
        of the same form. It is compared to two decimal places.
      - If it is not set, the instance suggests the price of a new offer, and an existing offer keeps its price.
    type: raw
  state:
    description:
      - The desired state.
      - >-
        V(present): The object is offered at O(price).
      - >-
        V(absent): The object is not offered. Orders do not change.
    type: str
    choices: [present, absent]
    default: present
notes:
  - The request that publishes the offer is sent only once. If no answer arrives, the module searches for the offer. If
    the offer does not exist, the task fails and says so.
  - Sends two requests if nothing changes, and up to five more for a change.
seealso:
  - module: community.seventhings.hub_item_info
  - module: community.seventhings.hub_suggestion_info
  - module: community.seventhings.hub_order
extends_documentation_fragment:
  - community.seventhings.record_references
  - community.seventhings.connection
  - community.seventhings.attributes
  - community.seventhings.attributes_changes
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

- name: Ensure that an object is no longer offered
  community.seventhings.hub_item:
    object: "100006"
    state: absent
"""

RETURN = r"""
record:
  description:
    - The hub item after the task. Empty if there is none, or if the object is in an order.
    - In check mode, a new item has only C(asset_id) and C(price).
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
    - Always null. A hub item has no UUID. Its integer id is in RV(record).
  returned: success
  type: str
  sample: null
diff:
  description:
    - The options O(object), O(category) and O(price) that change, as they are in the task. Both sides are empty if
      nothing changes.
  returned: success
  type: dict
  contains:
    before:
      description: The price before. Empty for an object that was not offered.
      type: dict
    after:
      description: For a new offer, the options of the task. For a change, the new price. Empty for a withdrawn offer.
      type: dict
  sample:
    before: {price: 519.8}
    after: {price: 450.0}
requests:
  description:
    - Number of requests that the task sent, including the login and repeated requests.
  returned: always
  type: int
  sample: 4
"""

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.registry import run


def main() -> None:
    run("hub_item")


if __name__ == "__main__":
    main()
