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
short_description: Changes on a seventhings instance, and approaching dates
version_added: 1.0.0
author:
  - Contributors to the community.seventhings collection (@ansible-collections)
description:
  - Polls an instance, and sends an event for each record that is new, changed, archived, unarchived or deleted, and for
    each date that is near or has passed.
  - The source polls because the service has no webhooks. It reads each list completely, with one request for each 1,000
    records. If a complete list takes more than two requests, polls after the second only read the records that changed
    since the last poll began, with the filter C(updated_at), and count the records. The source detects an instance that
    ignores the filter.
  - >-
    Each event is sent at least once, because the cursor moves only after ansible-rulebook accepted its events. After a
    restart, an event may be sent again, with the same C(id).
  - At the first start nothing is sent. The source records the existing records, and reports changes from then on.
  - An event contains no text that users wrote on the instance, because Ansible evaluates the texts of an event. It
    contains identifiers, numbers, booleans, dates, the status of tasks and rental cases, and names in the spelling of
    the rulebook. A playbook reads the texts of a record by its C(uuid), for example with
    M(community.seventhings.object_info).
  - ansible-rulebook and ansible-core must be installed in one environment, with the Python packages of the collection.
requirements:
  - python >= 3.11
  - requests >= 2.32.4
options:
  base_url:
    description: Root of the instance. If it is not set, E(SEVENTHINGS_BASE_URL) is read.
    type: str
  username:
    description: User to sign in with. If it is not set, E(SEVENTHINGS_USERNAME) is read.
    type: str
  password:
    description: Password of the user. If it is not set, E(SEVENTHINGS_PASSWORD) is read.
    type: str
  client_id:
    description: Identifier of the client. If it is not set, E(SEVENTHINGS_CLIENT_ID) is read.
    type: str
  access_token:
    description: Access token to use. If it is not set, E(SEVENTHINGS_TOKEN) is read.
    type: str
  refresh_token:
    description: Refresh token, which renews the access token. If it is not set, E(SEVENTHINGS_REFRESH_TOKEN) is read.
    type: str
  kinds:
    description: The kinds of records to watch.
    type: list
    elements: str
    choices: [location, room, person, object, task, rental_case]
    default: [location, room, person, object, task, rental_case]
  dates:
    description:
      - Further fields with dates. An event of the type V(due) is sent before each date.
      - The first poll of a field only records the dates that are already near.
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
        description: How many days before the date the event is sent.
        type: int
        default: 0
  fields:
    description:
      - Fields that events may name, by key or label, of any of the O(kinds).
      - C(changed) lists the fields of this list that changed, in this spelling. C(values) contains their values if they
        are numbers, booleans or dates, and null otherwise. C(other_fields) is the number of all other changed fields.
    type: list
    elements: str
    default: []
  matches:
    description:
      - Filters that the source evaluates. C(matches) of an event lists the O(matches[].id) of each filter that the
        record passes. A rule can thus depend on a text that is not in the event.
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
        description: Filters in the form of the option C(filters) of the info modules.
        type: dict
        required: true
  due_days:
    description:
      - How many days before its date a task or a rental case is due. The event of the type V(due) is sent once.
      - The date of an open task is its C(deadline). The date of a confirmed rental case is its C(issue_date), and of a
        borrowed rental case its C(due_date). When the date has passed, or the service says so, an event of the type
        V(overdue) is sent once.
    type: int
    default: 0
  existing:
    description:
      - What to do with existing records at the first start.
      - >-
        V(remember): Record them, and send nothing.
      - >-
        V(tell): Send each record as V(new), and send an event for each date that is near or has passed.
    type: str
    default: remember
    choices: [remember, tell]
  interval:
    description: Seconds between polls.
    type: float
    default: 60
  whole_interval:
    description:
      - Seconds after which a list is read completely again if only changes were read. This detects changes that the
        filter does not show, such as a record that was replaced by another record.
    type: float
    default: 3600
  requests_per_minute:
    description:
      - Maximum number of requests of this source in any 60 seconds. 0 means no limit.
      - O(rate_limit) applies to all processes of this user together, including this source.
    type: int
    default: 20
  timezone:
    description: >-
      Time zone that determines when a day begins, such as V(Europe/Berlin). The default is the time zone of the
      machine.
    type: str
  name:
    description: Name of the cursor, if there are several sources for one instance.
    type: str
    default: changes
  cursor:
    description:
      - File that records what was observed. Only this user can read it. The only values of records in it are their
        integer ids and the dates of O(dates).
      - By default it is in C($XDG_STATE_HOME/seventhings), or in C(~/.local/state/seventhings) if that variable is not
        set. In a container, use a file on a volume.
      - Only one source at a time can use it.
    type: path
  feedback:
    description:
      - Whether ansible-rulebook confirms each event that it accepted. With V(true), the cursor moves at once. Otherwise
        it moves after the next O(interval). V(true) requires a C(name) of the source in the rulebook, and persistence
        of ansible-rulebook (C(--persistence-id), or the persistence of the activation).
    type: bool
    default: false
  rate_limit:
    description: >-
      Maximum number of requests per minute of all processes of this user, as with the modules of the collection.
    type: int
    default: 200
  timeout:
    description: Seconds to wait for the answer to one request.
    type: float
    default: 30
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
  tuning:
    description:
      - >-
        Settings that few users need: C(settle), C(outage_wait), C(lock_wait), C(rate_share), C(request_deadline),
        C(max_answer_size), C(max_pages), C(max_list_size). They are the same as in the modules of the collection.
    type: dict
"""

EXAMPLES = r"""
- name: React to changes of objects and rental cases
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
    await source.run(queue, args, DOCUMENTATION)
