# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes on a seventhings instance as events for ansible-rulebook."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

DOCUMENTATION = r"""
---
short_description: Changes on a seventhings instance, and dates that come near
version_added: 1.0.0
author:
  - Contributors to the community.seventhings collection (@ansible-collections)
description:
  - Looks at an instance again and again, and sends an event for each record that is new, changed, archived, unarchived
    or deleted, and for each date that comes near or passes.
  - The service has no webhooks, so the source polls. A list is read whole, one request for each 1,000 records. Where a
    whole list takes more than two requests, only what changed since the last look is read, with the filter
    C(updated_at), and the records are counted. An instance that does not honour the filter is found out.
  - >-
    Each event is sent at least once: the cursor moves only after its events were taken. After a restart an event may
    come again, with the same C(id).
  - At the first start nothing is sent. What is there is remembered, and changes are told from then on.
  - An event carries no text that somebody wrote on the instance, because Ansible evaluates the texts of an event. It
    has identifiers, numbers, booleans, dates, the status of tasks and rental cases, and names in the spelling of the
    rulebook. A playbook reads the texts of a record by its C(uuid), for example with
    M(community.seventhings.object_info).
  - ansible-rulebook and ansible-core must be installed in one environment, with the Python packages of the collection.
requirements:
  - python >= 3.11
  - requests >= 2.32.4
options:
  base_url:
    description: Root of the instance. Where it is not given, E(SEVENTHINGS_BASE_URL) is read.
    type: str
  username:
    description: User to sign in with. Where it is not given, E(SEVENTHINGS_USERNAME) is read.
    type: str
  password:
    description: Password of the user. Where it is not given, E(SEVENTHINGS_PASSWORD) is read.
    type: str
  client_id:
    description: Identifier of the client. Where it is not given, E(SEVENTHINGS_CLIENT_ID) is read.
    type: str
  access_token:
    description: Access token to work with. Where it is not given, E(SEVENTHINGS_TOKEN) is read.
    type: str
  refresh_token:
    description: Renews the access token. Where it is not given, E(SEVENTHINGS_REFRESH_TOKEN) is read.
    type: str
  kinds:
    description: The kinds of records to look at.
    type: list
    elements: str
    choices: [location, room, person, object, task, rental_case]
    default: [location, room, person, object, task, rental_case]
  dates:
    description:
      - Further fields whose dates are told before they come, with events of the type V(due).
      - The first look at a field only remembers the dates that are near already.
    type: list
    elements: dict
    default: []
    suboptions:
      kind:
        description: The kind of the records. It must be one of O(kinds).
        type: str
        choices: [location, room, person, object, task, rental_case]
        default: object
      field:
        description: Key or label of a field of the type DATE or DATETIME.
        type: str
        required: true
      days:
        description: How many days before the date the event comes.
        type: int
        default: 0
  fields:
    description:
      - Fields that events may name, by key or label, of any of the O(kinds).
      - C(changed) lists those of them that changed, in this spelling. C(values) has their values if these are numbers,
        booleans or dates, and null for others. All other changed fields are counted in C(other_fields).
    type: list
    elements: str
    default: []
  matches:
    description:
      - Filters that are evaluated here. C(matches) of an event lists the O(matches[].id) of each filter that the record
        passes, so a rule can depend on a text without having it in the event.
    type: list
    elements: dict
    default: []
    suboptions:
      id:
        description: Name of the filter in the event.
        type: str
        required: true
      kind:
        description: The kind of the records. It must be one of O(kinds).
        type: str
        choices: [location, room, person, object, task, rental_case]
        default: object
      where:
        description: Filters as the option C(filters) of the info modules accepts them.
        type: dict
        required: true
  due_days:
    description:
      - How many days before its date a task or a rental case is due. The event of the type V(due) comes once.
      - An open task has its C(deadline), a confirmed rental case its C(issue_date), a borrowed one its C(due_date).
        When the date has passed, or the service says so, an event of the type V(overdue) comes, once.
    type: int
    default: 0
  existing:
    description:
      - What is done at the first start with what is there already.
      - >-
        V(remember): It is remembered, and nothing is sent.
      - >-
        V(tell): Each record is sent as V(new), and each date that is near or passed is told.
    type: str
    default: remember
    choices: [remember, tell]
  interval:
    description: Seconds from one look to the next.
    type: float
    default: 60
  whole_interval:
    description:
      - Seconds after which a list is read whole again where only changes were read. What the filter does not show, such
        as a record that was replaced by another one, is noticed then.
    type: float
    default: 3600
  requests_per_minute:
    description:
      - At most so many requests of this source in any 60 seconds. 0 for no limit.
      - O(rate_limit) is for all processes of this user together, this source included.
    type: int
    default: 20
  timezone:
    description: Time zone in which a day begins, such as V(Europe/Berlin). By default that of the machine.
    type: str
  name:
    description: Tells the cursors of several sources for one instance apart.
    type: str
    default: changes
  cursor:
    description:
      - File that holds what was seen, for this user alone. The only values of records in it are their integer ids and
        the dates of O(dates).
      - By default it is in C($XDG_STATE_HOME/seventhings), C(~/.local/state/seventhings) where that is not set. In a
        container, name a file on a volume.
      - Only one source at a time can use it.
    type: path
  feedback:
    description:
      - Whether ansible-rulebook tells when it took an event. Then the cursor moves at once, else after the next
        O(interval). The source needs a C(name) in the rulebook then, and ansible-rulebook its persistence
        (C(--persistence-id), or that of the activation).
    type: bool
    default: false
  rate_limit:
    description: Requests a minute of all processes of this user. As with the modules of the collection.
    type: int
    default: 200
  rate_limit_wait:
    description: Seconds to wait where the instance refuses requests for coming too early.
    type: float
    default: 300
  timeout:
    description: Seconds to wait for the answer to one request.
    type: float
    default: 30
  retries:
    description: How often a request is repeated.
    type: int
    default: 3
  token_cache:
    description: Whether processes of this user share a token.
    type: bool
    default: true
  validate_certs:
    description: Whether the certificate of the instance is checked.
    type: bool
    default: true
  ca_path:
    description: File or directory with certificates of authorities.
    type: path
  client_cert:
    description: File with a client certificate.
    type: path
  client_key:
    description: File with the key of O(client_cert).
    type: path
  allow_http:
    description: Whether credentials may be sent over plain HTTP to another machine.
    type: bool
    default: false
  profile:
    description: File with the profile of the instance. Where an answer contradicts it, a warning is logged.
    type: path
  tuning:
    description:
      - >-
        Settings that few users need: C(settle), C(outage_wait), C(lock_wait), C(rate_share), C(request_deadline),
        C(max_answer_size), C(max_pages), C(max_list_size). As with the modules of the collection.
    type: dict
"""

EXAMPLES = r"""
- name: Tell what happens to objects and rental cases
  hosts: localhost
  sources:
    - name: instance
      community.seventhings.changes:
        base_url: https://acme.seventhings.com
        kinds: [object, rental_case]
        dates:
          - field: Warranty until
            days: 30
        fields: [condition]
        matches:
          - id: laptop
            where: {inventory_name: {like: [Laptop]}}
  rules:
    - name: A rental case is overdue
      condition: event.type == "overdue" and event.kind == "rental_case"
      action:
        run_playbook:
          name: remind.yml

    - name: The condition of a laptop changed
      condition: >-
        event.type == "changed" and event.changed contains "condition" and event.matches contains "laptop"
      action:
        run_playbook:
          name: check_laptop.yml
"""

try:
    from ansible_collections.community.seventhings.plugins.plugin_utils.watch import source
except ImportError:
    # ansible-rulebook loads this file by its path, so Python does not know collections here. Ansible's own collection
    # finder would change how ansible-rulebook reads its other files.
    sys.path.append(str(Path(__file__).parents[7]))
    from ansible_collections.community.seventhings.plugins.plugin_utils.watch import source


async def main(queue: asyncio.Queue[Any], args: dict[str, Any]) -> None:
    """Send the changes of an instance, until cancelled.

    :param queue: receives the events.
    :param args: the options above.
    """
    await source.run(queue, args)
