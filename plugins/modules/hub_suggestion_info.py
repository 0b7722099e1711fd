#!/usr/bin/python
# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

DOCUMENTATION = r"""
module: hub_suggestion_info
short_description: Read suggested categories and prices from the circularity hub
version_added: 1.0.0
description:
  - Returns the category and the price that an instance suggests for each object that matches O(filters). To offer the
    objects, use M(community.seventhings.hub_item). This module changes nothing.
  - The circularity hub is a module of the instance. If it is switched off, the task fails and says so.
options:
  filters:
    description:
      - Which objects to read, as a map of field key to operator to value. A record must meet all conditions. An empty
        map means all objects.
      - Operators and values are the same as in M(community.seventhings.object_info). A reference may be a natural key,
        and a time may have an offset. Only the instance applies these filters.
    type: dict
    default: {}
  sort:
    description:
      - Field keys to sort the objects by, the first one first. A C(-) before a key sorts in descending order.
    type: list
    elements: str
    default: []
  category:
    description:
      - Return the prices for this category, instead of the suggested category of each object.
    type: str
  limit:
    description:
      - Return at most this number of suggestions. RV(count) is the number of all objects that match.
    type: int
notes:
  - Sends three requests, and one or more for the records to which O(filters) refer.
seealso:
  - module: community.seventhings.hub_item
  - module: community.seventhings.object_info
extends_documentation_fragment:
  - community.seventhings.connection
  - community.seventhings.attributes
  - community.seventhings.attributes_reads
author:
  - Contributors to the community.seventhings collection (@ansible-collections)
"""

EXAMPLES = r"""
---
- name: Read the suggested prices of notebooks that cost 1000 or more
  community.seventhings.hub_suggestion_info:
    filters:
      inventory_name:
        like: Notebook
      purchasing_price:
        gte: 1000
    sort: [barcode]
  register: suggested

- name: Ensure that they are offered at these prices
  community.seventhings.hub_item:
    object: "{{ item.uuid }}"
    category: "{{ item.category }}"
    price: "{{ item.price }}"
  loop: "{{ suggested.records }}"
  loop_control:
    label: "{{ item.uuid }}"
"""

RETURN = r"""
records:
  description:
    - A suggestion for each object that matches, at most O(limit) of them, in the order of O(sort). Empty if there are
      none.
  returned: success
  type: list
  elements: dict
  contains:
    uuid:
      description: UUID of the object.
      type: str
    category:
      description:
        - The suggested category, or O(category) if it is set. Use it as
          O(community.seventhings.hub_item#module:category).
      type: str
    price:
      description: The suggested price. Null if the instance suggests none.
      type: float
  sample:
    - uuid: 5ad6a0ae-6d05-4f3b-9a57-1c9f6f3a8b11
      category: category_it
      price: 519.8
count:
  description:
    - Number of objects that match, regardless of O(limit).
  returned: success
  type: int
  sample: 1
complete:
  description:
    - Always true, because the instance answers for all objects at once.
  returned: success
  type: bool
  sample: true
requests:
  description:
    - Number of requests that the task sent, including the login and repeated requests.
  returned: always
  type: int
  sample: 3
"""

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.registry import run


def main() -> None:
    run("hub_suggestion_info")


if __name__ == "__main__":
    main()
