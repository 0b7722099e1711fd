#!/usr/bin/python
# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

DOCUMENTATION = r"""
module: file_info
short_description: List files
version_added: 1.0.0
description:
  - Returns the metadata of one file of an instance by its O(uuid), or of the newest files that match O(filters).
  - Instances list only the 20 files that were uploaded last. RV(complete) says whether the list is complete. Every file
    can be read by its O(uuid).
  - Fields to filter and sort by are C(name), C(type), C(size), C(creator_id) and C(created_at).
notes:
  - Unlike other lists, this list can be incomplete. RV(complete) is then false.
  - Sends one request.
seealso:
  - module: community.seventhings.file
  - module: community.seventhings.file_download
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
- name: List the text files among the newest files, the largest first
  community.seventhings.file_info:
    filters:
      type: text/plain
      size:
        gt: 10
    sort: [-size]
  register: texts

- name: Show whether the list is complete
  ansible.builtin.debug:
    msg: "{{ 'The list is complete' if texts.complete else 'There may be older files' }}"

- name: Read the metadata of the first file
  community.seventhings.file_info:
    uuid: "{{ texts.records[0].uuid }}"
"""

RETURN = r"""
records:
  description:
    - All listed files that match, at most O(limit) of them, in the order of O(sort). Empty if none matches.
  returned: success
  type: list
  elements: dict
  contains:
    uuid:
      description: UUID of the file.
      type: str
    name:
      description: Name of the file.
      type: str
    type:
      description: Media type of the file.
      type: str
    size:
      description: Size in bytes.
      type: int
    creator_id:
      description: Integer id of the user who uploaded it.
      type: int
    created_at:
      description: When it was uploaded.
      type: str
    data_uri:
      description: Address of the content of the file.
      type: str
    thumbnail_uri:
      description: Address of a thumbnail.
      type: str
  sample:
    - uuid: 1b7c8a2e-90a5-4d0c-9c39-7a14d7f2b3e8
      name: Invoice 2031-117.txt
      type: text/plain
      size: 29
      creator_id: 7
      created_at: "2031-05-02T09:14:12+00:00"
      data_uri: https://acme.seventhings.com/customer-api/v1/file/1b7c8a2e-90a5-4d0c-9c39-7a14d7f2b3e8/data
      thumbnail_uri: https://acme.seventhings.com/customer-api/v1/file/1b7c8a2e-90a5-4d0c-9c39-7a14d7f2b3e8/thumbnail
count:
  description:
    - Number of listed files that match, regardless of O(limit).
  returned: success
  type: int
  sample: 1
complete:
  description:
    - Whether these are all files that match. False if the instance lists 20 files, or if nothing proves that there are
      no older files.
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
    run("file_info")


if __name__ == "__main__":
    main()
