#!/usr/bin/python
# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

DOCUMENTATION = r"""
module: location_info
short_description: List locations
version_added: 1.0.0
description:
  - Returns one location of an instance by its O(uuid), or the complete list of locations that match O(filters).
notes:
  - Sends one request for every 1,000 locations.
seealso:
  - module: community.seventhings.location
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
- name: List all locations
  community.seventhings.location_info:
    sort: [country, name]
  register: all_locations

- name: Find one location by its name
  community.seventhings.location_info:
    filters:
      name: Dresden
  register: dresden

- name: Read the location by its UUID
  community.seventhings.location_info:
    uuid: "{{ dresden.records[0].uuid }}"

- name: List locations in Dresden or Leipzig whose name contains "e"
  community.seventhings.location_info:
    filters:
      city:
        in: [Dresden, Leipzig]
      name:
        like: e
"""

RETURN = r"""
records:
  description:
    - All locations that match, at most O(limit) of them, in the order of O(sort). Empty if none matches.
  returned: success
  type: list
  elements: dict
  sample:
    - id: 4
      name: Head office
      address: Long Street 1
      zip: "01067"
      city: Dresden
      country: Germany
      uuid: 5ad6a0ae-6d05-4f3b-9a57-1c9f6f3a8b11
count:
  description:
    - Number of locations that match, regardless of O(limit).
  returned: success
  type: int
  sample: 1
complete:
  description:
    - Whether these are all locations that match. Always true, because an incomplete list is an error.
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
    run("location_info")


if __name__ == "__main__":
    main()
