#!/usr/bin/python
# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

DOCUMENTATION = r"""
module: move
short_description: Move objects to a new target room
version_added: 1.0.0
description:
  - Gives objects a new target room, in one plan. Select the objects by their scan codes, by their current target room
    or location, or by a person who is responsible for them.
  - The actual room does not change, because scans say where an object is. O(actual) changes it as well.
options:
  objects:
    description:
      - The scan codes of the objects. If this account can't see one of them, no object moves.
      - One of O(objects), O(room), O(person) and O(from_location) is required.
    type: list
    elements: str
  room:
    description:
      - The current target room of the objects, by its location and number (or name), such as V(Dresden/1.04), by its
        id, or by its UUID.
    type: raw
  person:
    description:
      - A person, by e-mail address, id or UUID. All objects that name the person, or the user with the same e-mail
        address, move.
    type: raw
  from_location:
    description:
      - A location to close, by name, id or UUID. All objects that belong in it move.
    type: raw
  to:
    description:
      - The new target room, in the same form as O(room). With O(from_location), it may be a map of each room of the
        location to its new room. If a room with objects is not in the map, no object moves.
    type: raw
    required: true
  actual:
    description:
      - Also write the actual room. In a stocktake the objects then count as found there, although they were not
        scanned. Never set it in a play that runs regularly, because each run overwrites what was scanned since.
    type: bool
    default: false
notes:
  - Sends one request for every 1,000 records of each list, and one for each object that changes.
  - Archived objects are in no list, so they don't move.
  - Only rooms are written. Most instances set the location of an object together with its room. If an object
    whose room is in another location shows that this instance does not, a warning names the field.
seealso:
  - module: community.seventhings.handover
  - ref: Somebody leaves <ansible_collections.community.seventhings.docsite.guide_leaving>
    description: Handovers and moves.
extends_documentation_fragment:
  - community.seventhings.connection
  - community.seventhings.plan
  - community.seventhings.object_scope
  - community.seventhings.attributes
  - community.seventhings.attributes_plans
  - community.seventhings.attributes_controller
author:
  - Contributors to the community.seventhings collection (@ansible-collections)
"""

EXAMPLES = r"""
---
- name: Move two notebooks to another room
  community.seventhings.move:
    objects: ["100007", "100008"]
    to: Leipzig/3.01

- name: Plan the move of everything that belongs in a room
  community.seventhings.move:
    room: Dresden/1.10
    to: Leipzig/3.03
    report: [move.html]
  check_mode: true

- name: Close a location
  community.seventhings.move:
    from_location: Werkstatt
    to:
      "0.01": Dresden/1.10
      "0.02": Dresden/1.10
      "0.03": Leipzig/3.03
  check_mode: true

- name: Move the objects of a person who changes to another office
  community.seventhings.move:
    person: frank.petersen@nordhain.example
    to: Leipzig/3.01
"""

RETURN = r"""
moved:
  description:
    - The scan codes of the objects that now have the new target room. An object without a scan code is listed by its
      UUID.
  returned: success
  type: list
  elements: str
  sample: ["100007", "100008"]
left_out:
  description:
    - The scan codes of objects that were not moved because they are not in O(scope).
  returned: success
  type: list
  elements: str
  sample: []
outcome:
  description:
    - The outcome, as in RV(community.seventhings.instance#module:outcome).
  returned: if a record is planned
  type: str
  sample: changed
summary:
  description:
    - A map of section to counts of records. In check mode, it counts what would be done.
  returned: if a record is planned
  type: dict
  sample:
    objects: {created: 0, updated: 2, deleted: 0, archived: 0, unchanged: 0, errors: 0, skipped: 0}
changes:
  description:
    - Every change, as in RV(community.seventhings.instance#module:changes).
  returned: if a record is planned
  type: list
  elements: dict
sees:
  description:
    - What the account can see. C(objects), C(rooms) and C(locations) are numbers.
    - C(hidden_records) is V(no) if the account sees in each location that has rooms an object that belongs and was
      scanned there, and otherwise V(unknown). C(locations_without_objects) names the other locations. C(hidden_fields)
      are the fields of objects that a role hides. C(words) says all of this as a text.
  returned: success
  type: dict
  sample:
    objects: 60
    rooms: 21
    locations: 4
    hidden_records: "no"
    locations_without_objects: []
    hidden_fields: []
    words: this account sees an object in every location that has rooms
msg:
  description:
    - The outcome in a few lines.
  returned: always
  type: str
  sample: "changed, 11 requests, 1.2 s"
requests:
  description:
    - How many requests were sent, including logins and repeats.
  returned: always
  type: int
  sample: 11
"""
