#!/usr/bin/python
# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: hub_order
short_description: Place, complete and cancel orders on the circularity hub
version_added: 1.0.0
description:
  - Places an order for what is offered on the circularity hub, once, and completes or cancels it.
  - An order is found by its O(id), by its O(order_number), or by O(items). By items it is the one that is not
    cancelled, completed or not, and has exactly these articles. Only where there is none, one is placed.
  - Orders cannot be deleted, so there is no C(state).
  - The circularity hub is a module of the instance that can be switched off. The error says so.
options:
  items:
    description:
      - The whole list of the ordered items, in any order.
      - Each is an object (by barcode, UUID, or as a map of field keys), or the integer id of a hub item. An integer is
        never the id of an object here.
      - One of O(items), O(id) and O(order_number) is required. They are mutually exclusive.
    type: list
    elements: raw
  id:
    description:
      - Integer id of an order that is there.
    type: int
  order_number:
    description:
      - Number of an order that is there.
    type: str
  completed:
    description:
      - Whether the order is completed. Where it is left out, that stays as it is.
    type: bool
  cancelled:
    description:
      - Whether the order is cancelled. Where it is left out, that stays as it is.
      - With O(items), V(true) cancels the order of them that is not cancelled yet. Where there is none, none is placed,
        and nothing is changed.
    type: bool
  cancellation_reason:
    description:
      - Why the order is cancelled. Required if O(cancelled=true).
    type: str
notes:
  - An order checks its items out. The request that places it is sent once, whatever happens to its answer. Where no
    answer comes, the order is looked for. Where it is not there, the task fails and says so.
  - An order that is named by O(id) or O(order_number) takes one request, and two more to change it.
  - O(items) take one request for every 1,000 orders, one for all objects by barcode and one for all by UUID, and two
    more to change the order. To place one takes one more for every 1,000 hub items, one for each item id
    that these do not show, and two to place it.
seealso:
  - module: community.seventhings.hub_order_info
  - module: community.seventhings.hub_item
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
- name: Ensure that an object that is offered is ordered
  community.seventhings.hub_order:
    items: ["100028"]
  register: order

- name: Ensure that the order is completed
  community.seventhings.hub_order:
    order_number: "{{ order.record.order_number }}"
    completed: true

- name: Ensure that there is no order of another object
  community.seventhings.hub_order:
    items: ["100005"]
    cancelled: true
    cancellation_reason: It is broken
"""

RETURN = r"""
record:
  description:
    - The order as it is now. Empty if there is none.
    - In check mode, of an order that would be placed, only the options that were written.
  returned: success
  type: dict
  contains:
    id:
      description: Integer id of the order.
      type: int
    order_number:
      description: Number of the order.
      type: str
    created_at:
      description: When the order was placed.
      type: str
    user_id:
      description: Integer id of the user who placed the order.
      type: int
    total_price:
      description: Price of all articles.
      type: float
    completed:
      description: Whether the order is completed.
      type: bool
    cancelled:
      description: Whether the order is cancelled.
      type: bool
    cancellation_reason:
      description: Why it is cancelled. Null where it is not.
      type: str
    billing_data:
      description: Name and address of the user who placed the order.
      type: dict
    articles:
      description: What was ordered.
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
          description: Price of the article.
          type: float
        suggested_price:
          description: Price that the instance suggested.
          type: float
        category_id:
          description: Integer id of the category.
          type: int
        deleted:
          description: Whether the article was deleted, as 0 or 1.
          type: int
        created_at:
          description: When the object was offered.
          type: str
        updated_at:
          description: When the offer was last changed.
          type: str
        mappedAssetData:
          description:
            - What the hub shows of the object, by field key. For an object that was deleted, as it was when it was
              ordered.
          type: dict
  sample:
    id: 2
    order_number: 7THX-31-4571-25
    created_at: "2031-05-02T09:14:12+00:00"
    user_id: 1
    total_price: 450.0
    completed: false
    cancelled: false
    cancellation_reason: null
    billing_data:
      firstName: Ada
      lastName: Lovelace
      street: Long Street
      house_number: "1"
      zip_code: "01067"
      city: Dresden
    articles:
      - id: 4
        deleted: 0
        asset_id: 245
        created_at: "2031-05-02T09:14:11+00:00"
        price: 450.0
        category_id: 1
        suggested_price: 519.8
        updated_at: "2031-05-02T09:14:11+00:00"
        mappedAssetData:
          item_title: Laptop Ada
          internal_identifier: "100234"
          barcode: "100234"
uuid:
  description:
    - Always null. A hub order has no UUID but an integer id, which is in RV(record).
  returned: success
  type: str
  sample: null
diff:
  description:
    - The written options that change. Both sides are empty where nothing changes.
  returned: success
  type: dict
  contains:
    before:
      description: Those options that change, before. Empty for a new order.
      type: dict
    after:
      description: The same after. For a new order, all that was written.
      type: dict
  sample:
    before: {completed: false}
    after: {completed: true}
requests:
  description:
    - How many requests the task sent, login and repeats included.
  returned: always
  type: int
  sample: 5
"""

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.registry import run


def main() -> None:
    run("hub_order")


if __name__ == "__main__":
    main()
