#!/usr/bin/python
# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: api_info
short_description: Read with any operation of the interface
version_added: 1.0.0
description:
  - Sends a request that changes nothing and returns the answer as the instance gives it. It is for what no other module
    reads, such as operations of a newer version.
  - It has the connection, the tokens, the rate limit and the repeats of the other modules. What they make of the
    answers (the same shapes on every instance) it does not do.
options:
  method:
    description:
      - How the instance is asked. V(POST) is for operations that read and take a body, which are
        C(circularity-hub/suggest-category), C(circularity-hub/suggest-rest-price) and C(report). Any other is an error.
    type: str
    choices: [GET, POST]
    default: GET
  path:
    description:
      - Path of the operation after C(/customer-api/v1/), such as C(objects) or C(task-management/tasks). A slash at its
        beginning, or the whole prefix, does no harm.
      - Paths of tokens are an error, because the answer would show them. Use M(community.seventhings.auth_token).
    type: str
    required: true
  query:
    description:
      - >-
        Parameters of the query. A map in it is sent in brackets, a list with C([]), so that a filter stands as
        C(filter: {barcode: {eq: "100234"}}) and a sort as C(sort: {barcode: ASC}).
    type: dict
    default: {}
  body:
    description:
      - The body, sent as JSON with V(POST).
    type: raw
notes:
  - >-
    A list is read to its end, unless O(query) names a C(page). If the instance reports no total, this takes one more
    request. Sort the list by something unique, such as C(sort: {id: ASC}), so that no record changes its page.
seealso:
  - module: community.seventhings.api
extends_documentation_fragment:
  - community.seventhings.connection
  - community.seventhings.connection.execution
  - community.seventhings.attributes
  - community.seventhings.attributes.reads
author:
  - Contributors to the community.seventhings collection (@ansible-collections)
"""

EXAMPLES = r"""
---
- name: Ask how many objects are in use
  community.seventhings.api_info:
    path: objects
    query:
      filter:
        condition:
          eq: in use
      page: 1
      per_page: 1
  register: answer

- name: Show it
  ansible.builtin.debug:
    msg: "{{ answer.json.total }}"
"""

RETURN = r"""
status:
  description:
    - HTTP status of the answer. An error of the instance fails the task.
  returned: success
  type: int
  sample: 200
json:
  description:
    - The answer. Null where it is empty, or no JSON.
  returned: success
  type: raw
  sample: {items: [], page: 1, per_page: 1, total: 42}
requests:
  description:
    - How many requests the task sent, login and repeats included.
  returned: always
  type: int
  sample: 1
"""

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.registry import run


def main() -> None:
    run("api_info")


if __name__ == "__main__":
    main()
