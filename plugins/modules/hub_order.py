#!/usr/bin/python
# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

DOCUMENTATION = r"""
module: hub_order
short_description: Place, complete and cancel orders on the circularity hub
version_added: 1.0.0
description:
  - Places an order for offers on the circularity hub, and completes or cancels it. The same order is placed only once.
  - An order is found by its O(id), by its O(order_number), or by O(items). O(items) finds the order that is not
    cancelled and has exactly these articles, whether it is completed or not. If there is no such order, the module
    places it.
  - Orders cannot be deleted, so there is no C(state).
  - The circularity hub is a module of the instance. If it is switched off, the task fails and says so.
options:
  items:
    description:
      - The complete list of ordered items, in any sequence.
      - Each item is an object (by barcode, UUID, or as a map of field keys), or the integer id of a hub item. An
        integer is never the id of an object.
      - >-
        Before ansible-core 2.19, most templates result in text. To order by an id from a template, write the whole list
        as one template there, such as C("{{ [offer.id] }}").
      - One of O(items), O(id) and O(order_number) is required. They are mutually exclusive.
    type: list
    elements: raw
  id:
    description:
      - Integer id of an existing order.
    type: int
  order_number:
    description:
      - Number of an existing order.
    type: str
  completed:
    description:
      - Whether the order is completed. If it is not set, this does not change.
    type: bool
  cancelled:
    description:
      - Whether the order is cancelled. If it is not set, this does not change.
      - With O(items), V(true) cancels the order for these items that is not cancelled yet. If there is none, no order
        is placed, and nothing changes.
    type: bool
  cancellation_reason:
    description:
      - Reason for the cancellation. Required if O(cancelled=true).
    type: str
notes:
  - An order checks out its items, so the request that places it is sent only once. If no answer arrives, the module
    searches for the order. If the order does not exist, the task fails and says so.
  - Sends up to three requests if nothing changes, two more for a change, and three more for a new order.
seealso:
  - module: community.seventhings.hub_order_info
  - module: community.seventhings.hub_item
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
- name: Ensure that an offered object is ordered
  community.seventhings.hub_order:
    items: ["100028"]
  register: hub_order

- name: Ensure that the order is completed
  community.seventhings.hub_order:
    order_number: "{{ hub_order.record.order_number }}"
    completed: true

- name: Ensure that there is no order for another object
  community.seventhings.hub_order:
    items: ["100005"]
    cancelled: true
    cancellation_reason: It is broken
"""

RETURN = r"""
record:
  description:
    - The order after the task. Empty if there is none.
    - In check mode, a new order has only the options of the task.
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
      description: Reason for the cancellation. Null if the order is not cancelled.
      type: str
    billing_data:
      description: Name and address of the user who placed the order.
      type: dict
    articles:
      description: The ordered items.
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
            - Fields of the object that the hub shows, by key. A deleted object is shown as it was at the time of the
              order.
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
    - Always null. A hub order has no UUID. Its integer id is in RV(record).
  returned: success
  type: str
  sample: null
diff:
  description:
    - The options of the task that change. Both sides are empty if nothing changes.
  returned: success
  type: dict
  contains:
    before:
      description: Option to value, before. Empty for a new order.
      type: dict
    after:
      description: Option to value, after. For a new order, all options of the task.
      type: dict
  sample:
    before: {completed: false}
    after: {completed: true}
requests:
  description:
    - Number of requests that the task sent, including the login and repeated requests.
  returned: always
  type: int
  sample: 5
"""

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.registry import run


def main() -> None:
    run("hub_order")


if __name__ == "__main__":
    main()
