#!/usr/bin/python
# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

DOCUMENTATION = r"""
module: api
short_description: Send any request to the API
version_added: 1.0.0
description:
  - Sends a request and returns the answer unchanged. Use it for operations that no other module offers, such as
    operations of a newer version.
  - It shares the connection, the tokens and the rate limit with the other modules. It does not interpret the request,
    so it is not idempotent. Every V(POST), V(PUT), V(PATCH) and V(DELETE) counts as a change.
  - V(GET) and the operations that read with V(POST) (C(circularity-hub/suggest-category),
    C(circularity-hub/suggest-rest-price) and C(report)) change nothing. They are sent in check mode too. See
    M(community.seventhings.api_info).
options:
  method:
    description:
      - The HTTP method.
    type: str
    choices: [GET, POST, PUT, PATCH, DELETE]
    required: true
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
      - The body, sent as JSON. A value that consists of a template alone can become a text, a number or a boolean. Use
        a filter such as P(ansible.builtin.int#filter) if the type matters.
    type: raw
attributes:
  check_mode:
    support: full
    details:
      - A request that may change something is not sent. It is reported as changed.
  diff_mode:
    support: none
    details:
      - The module does not know what the request changes.
  idempotent:
    support: none
    details:
      - Use the module for the kind of record if it offers what you need.
notes:
  - A request that may change something is sent once. If its answer is lost, the error says that the outcome is unknown.
    It is sent again only if the instance rejected it (HTTP 429, or an expired token).
  - This module cannot upload files. Use M(community.seventhings.file).
  - Sends one request, or one for each page of a list.
seealso:
  - module: community.seventhings.api_info
extends_documentation_fragment:
  - community.seventhings.connection
  - community.seventhings.attributes
author:
  - Contributors to the community.seventhings collection (@ansible-collections)
"""

EXAMPLES = r"""
---
- name: Read the locations through the API
  community.seventhings.api:
    method: GET
    path: locations
  register: found

- name: Change a location through the API
  community.seventhings.api:
    method: PATCH
    path: location/{{ (found.json['items'] | selectattr('name', 'equalto', 'Dresden') | first).uuid }}
    body:
      city: Dresden
"""

RETURN = r"""
status:
  description:
    - HTTP status of the answer. An error status fails the task. Null in check mode if the request was not sent.
  returned: success
  type: int
  sample: 200
json:
  description:
    - The answer. Null if it is empty or not JSON.
  returned: success
  type: raw
  sample: {location_uuid: 5ad6a0ae-6d05-4f3b-9a57-1c9f6f3a8b11, name: Depot, city: Dresden}
uuid:
  description:
    - UUID of the new record, if the instance returns one.
  returned: success
  type: str
  sample: 5ad6a0ae-6d05-4f3b-9a57-1c9f6f3a8b11
id:
  description:
    - Integer id of the new record, if the instance returns one.
  returned: success
  type: int
  sample: null
requests:
  description:
    - Number of requests that the task sent, including the login and repeated requests.
  returned: always
  type: int
  sample: 1
"""

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.registry import run


def main() -> None:
    run("api")


if __name__ == "__main__":
    main()
