#!/usr/bin/python
# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

DOCUMENTATION = r"""
module: api_info
short_description: Send any read request to the API
version_added: 1.0.0
description:
  - Sends a request that changes nothing, and returns the answer unchanged. Use it for operations that no other module
    offers, such as operations of a newer version.
  - It shares the connection, the tokens, the rate limit and the retries with the other modules. Unlike them, it does
    not convert answers to a form that is the same on every instance.
options:
  method:
    description:
      - The HTTP method. V(POST) is only for the operations that read and need a body, which are
        C(circularity-hub/suggest-category), C(circularity-hub/suggest-rest-price) and C(report). V(POST) to any other
        path is an error.
    type: str
    choices: [GET, POST]
    default: GET
  path:
    description:
      - Path of the operation after C(/customer-api/v1/), such as C(objects) or C(task-management/tasks). A leading
        slash, or the whole prefix, is accepted too.
      - Paths of tokens are refused, because the result would show the tokens. Use M(community.seventhings.auth_token).
    type: str
    required: true
  query:
    description:
      - >-
        Query parameters. A map is sent with brackets, and a list with C([]). Write a filter as C(filter: {barcode: {eq:
        "100234"}}) and a sort order as C(sort: {barcode: ASC}).
    type: dict
    default: {}
  body:
    description:
      - The body, sent as JSON with V(POST).
    type: raw
notes:
  - >-
    A list is read to its end, unless O(query) names a C(page). Sort it by a unique field, such as C(sort: {id: ASC}),
    so that no record moves to another page while the list is read.
  - Sends one request, or one for each page of a list.
seealso:
  - module: community.seventhings.api
extends_documentation_fragment:
  - community.seventhings.connection
  - community.seventhings.attributes
  - community.seventhings.attributes_reads
author:
  - Contributors to the community.seventhings collection (@ansible-collections)
"""

EXAMPLES = r"""
---
- name: Count the objects that are in use
  community.seventhings.api_info:
    path: objects
    query:
      filter:
        condition:
          eq: in use
      page: 1
      per_page: 1
  register: answer

- name: Show the count
  ansible.builtin.debug:
    msg: "{{ answer.json.total }}"
"""

RETURN = r"""
status:
  description:
    - HTTP status of the answer. An error status fails the task.
  returned: success
  type: int
  sample: 200
json:
  description:
    - The answer. Null if it is empty or not JSON.
  returned: success
  type: raw
  sample: {items: [], page: 1, per_page: 1, total: 42}
requests:
  description:
    - Number of requests that the task sent, including the login and repeated requests.
  returned: always
  type: int
  sample: 1
"""

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.registry import run


def main() -> None:
    run("api_info")


if __name__ == "__main__":
    main()
