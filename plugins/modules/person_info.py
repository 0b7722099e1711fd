#!/usr/bin/python
# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

DOCUMENTATION = r"""
module: person_info
short_description: List persons
version_added: 1.0.0
description:
  - Returns one person of an instance by its O(uuid), or the complete list of persons that match O(filters).
notes:
  - Sends one request, and one for every 1,000 persons, whatever the O(filters) are.
seealso:
  - module: community.seventhings.person
  - module: community.seventhings.user_info
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
- name: Find a person by the e-mail address
  community.seventhings.person_info:
    filters:
      email: anna.lindner@nordhain.example
  register: anna

- name: List a department by last name, and by first name within it
  community.seventhings.person_info:
    filters:
      department: Buchhaltung
    sort: [last_name, first_name]

- name: List persons without an e-mail address, who cannot become users
  community.seventhings.person_info:
    filters:
      email:
        empty: true
"""

RETURN = r"""
records:
  description:
    - All persons that match, at most O(limit) of them, in the order of O(sort). Empty if none matches.
    - Fields that link to another record are maps of C(id), C(uuid) and C(display_name). A value that the instance did
      not return is null.
  returned: success
  type: list
  elements: dict
  sample:
    - id: 12
      user_uuid: null
      email: ada.lovelace@example.com
      first_name: Ada
      last_name: Lovelace
      department: Research
      uuid: 5ad6a0ae-6d05-4f3b-9a57-1c9f6f3a8b11
count:
  description:
    - Number of persons that match, regardless of O(limit).
  returned: success
  type: int
  sample: 1
complete:
  description:
    - Whether these are all persons that match. Always true, because an incomplete list is an error.
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
    run("person_info")


if __name__ == "__main__":
    main()
