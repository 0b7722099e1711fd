#!/usr/bin/python
# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: api
short_description: Send any operation of the interface
version_added: 1.0.0
description:
  - Sends a request and returns the answer as the instance gives it. It is for what no other module does, such as
    operations of a newer version.
  - It has the connection, the tokens and the rate limit of the other modules. It knows nothing of what it sends, so it
    is not idempotent. Every V(POST), V(PUT), V(PATCH) and V(DELETE) counts as a change.
  - V(GET), and the operations that read with a V(POST) (C(circularity-hub/suggest-category),
    C(circularity-hub/suggest-rest-price) and C(report)), change nothing, and are sent in check mode too. See
    M(community.seventhings.api_info).
options:
  method:
    description:
      - What is done.
    type: str
    choices: [GET, POST, PUT, PATCH, DELETE]
    required: true
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
      - The body, sent as JSON. A template that is a whole value becomes a text, a number or a boolean, so use filters
        such as P(ansible.builtin.int#filter) where the type matters.
    type: raw
attributes:
  check_mode:
    support: full
    details:
      - A request that may change something is not sent, and reported as changed.
  diff_mode:
    support: none
    details:
      - Nobody knows what the request changes.
  idempotent:
    support: none
    details:
      - Use the modules for single kinds of records where they do what is wanted.
notes:
  - A request that may change something is sent once. Where its answer is lost, the error says that the outcome is
    unknown. Only a request that the instance did not take (HTTP 429, a token that has expired) is sent again.
  - Files cannot be uploaded with it. Use M(community.seventhings.file).
seealso:
  - module: community.seventhings.api_info
extends_documentation_fragment:
  - community.seventhings.connection
  - community.seventhings.connection.execution
  - community.seventhings.attributes
author:
  - Contributors to the community.seventhings collection (@ansible-collections)
"""

EXAMPLES = r"""
---
- name: Read a location with the operation itself
  community.seventhings.api:
    method: GET
    path: locations
  register: found

- name: Change a location with the operation itself
  community.seventhings.api:
    method: PATCH
    path: location/{{ (found.json['items'] | selectattr('name', 'equalto', 'Dresden') | first).uuid }}
    body:
      city: Dresden
"""

RETURN = r"""
status:
  description:
    - HTTP status of the answer. An error of the instance fails the task. Null in check mode, where nothing was sent.
  returned: success
  type: int
  sample: 200
json:
  description:
    - The answer. Null where it is empty, or no JSON.
  returned: success
  type: raw
  sample: {location_uuid: 5ad6a0ae-6d05-4f3b-9a57-1c9f6f3a8b11, name: Depot, city: Dresden}
uuid:
  description:
    - UUID of what was made, where the instance tells one.
  returned: success
  type: str
  sample: 5ad6a0ae-6d05-4f3b-9a57-1c9f6f3a8b11
id:
  description:
    - Integer id of what was made, where the instance tells one.
  returned: success
  type: int
  sample: null
requests:
  description:
    - How many requests the task sent, login and repeats included.
  returned: always
  type: int
  sample: 1
"""

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.registry import run


def main() -> None:
    run("api")


if __name__ == "__main__":
    main()
