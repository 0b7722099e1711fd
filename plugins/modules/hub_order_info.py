#!/usr/bin/python
# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

DOCUMENTATION = r"""
module: hub_order_info
short_description: List orders on the circularity hub
version_added: 1.0.0
description:
  - Returns one order of an instance by its O(id), or the complete list of orders that match O(filters).
  - Fields to filter and sort by are C(id), C(order_number), C(created_at), C(user_id), C(total_price), C(completed),
    C(cancelled) and C(cancellation_reason).
  - The circularity hub is a module of the instance. If it is switched off, the task fails and says so.
notes:
  - Sends one request for every 1,000 orders.
seealso:
  - module: community.seventhings.hub_order
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
- name: List open orders, the newest first
  community.seventhings.hub_order_info:
    filters:
      completed: false
      cancelled: false
    sort: [-created_at]
  register: waiting

- name: Read the first order by its id
  community.seventhings.hub_order_info:
    id: "{{ waiting.records[0].id }}"

- name: Find an order by its number
  community.seventhings.hub_order_info:
    filters:
      order_number: "{{ waiting.records[0].order_number }}"
"""

RETURN = r"""
records:
  description:
    - All orders that match, at most O(limit) of them, in the order of O(sort). Empty if none matches.
  returned: success
  type: list
  elements: dict
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
    - id: 2
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
count:
  description:
    - Number of orders that match, regardless of O(limit).
  returned: success
  type: int
  sample: 1
complete:
  description:
    - Whether these are all orders that match. Always true, because an incomplete list is an error.
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
    run("hub_order_info")


if __name__ == "__main__":
    main()
