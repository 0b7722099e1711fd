#!/usr/bin/python
# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

DOCUMENTATION = r"""
module: handover
short_description: Hand over everything that belongs to a person
version_added: 1.0.0
description:
  - Lists what a person has. This includes objects that name the person or the user with the same e-mail address, and
    open rental cases and tasks of that user.
  - Writes a handover sheet to sign. If O(to) is set, gives everything to another person in one plan.
  - Never removes a person. With O(require_clear), the task fails if the person still has something.
options:
  person:
    description:
      - The person, by e-mail address, id or UUID.
    type: raw
    required: true
  to:
    description:
      - The person who gets everything, in the same form as O(person). If a record names a user, this person must be a
        user too.
    type: raw
  sheet:
    description:
      - The path of a handover sheet (C(.html), C(.xlsx), C(.csv) or C(.json)). C(.html) prints on A4, with totals and
        lines for signatures. Only its owner can read it.
      - It lists what the person has before the handover. Check mode does not write it. With O(to), or if the person has
        nothing, an existing sheet does not change.
    type: path
  require_clear:
    description:
      - Fail if the person still has something at the end, or if it can't be proven that the person has nothing.
    type: bool
    default: false
notes:
  - Sends one request for every 1,000 records of each list, and one to four for each change.
  - Closed tasks, and completed or rejected rental cases, are history. They do not change.
  - A task or rental case with a status that this collection does not know may be history, too. It is listed, but does
    not change, and RV(is_clear) is V(false).
  - Fields of rooms and of other persons that name the person do not change, and RV(is_clear) is V(false) until you
    change them.
  - Archived objects are in no list, so they are not handed over. A renter that is a plain text is not recognised.
  - O(scope) only applies to objects, not to rental cases and tasks.
seealso:
  - module: community.seventhings.move
  - module: community.seventhings.person
  - module: community.seventhings.user_from_person
  - ref: Somebody leaves <ansible_collections.community.seventhings.docsite.guide_leaving>
    description: Handovers and moves.
extends_documentation_fragment:
  - community.seventhings.connection
  - community.seventhings.paper
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
- name: Print what a person has
  community.seventhings.handover:
    person: bernd.kowalski@nordhain.example
    sheet: bernd.html

- name: Give everything to another person
  community.seventhings.handover:
    person: bernd.kowalski@nordhain.example
    to: david.okafor@nordhain.example

- name: Fail if the person still has something
  community.seventhings.handover:
    person: bernd.kowalski@nordhain.example
    require_clear: true
"""

RETURN = r"""
person:
  description:
    - The person, with C(name), C(email), C(uuid), and C(is_user).
  returned: success
  type: dict
  sample:
    name: Bernd Kowalski
    email: bernd.kowalski@nordhain.example
    uuid: 5ad6a0ae-6d05-4f3b-9a57-1c9f6f3a8b11
    is_user: true
to:
  description:
    - The person who gets everything, in the same form. Null if O(to) is not set.
  returned: success
  type: dict
objects:
  description:
    - The objects in scope that the person had when the task began. C(fields) are the labels of the fields that name the
      person.
  returned: success
  type: list
  elements: dict
  sample:
    - scan_code: "100101"
      name: Panel saw
      asset_number: 0510-0
      serial_number: PS-3200-18
      target_room: Workshop/0.01
      actual_room: Workshop/0.01
      fields: [Responsible person]
      uuid: f7fe6619-3618-57b3-bf42-a8cc2935081e
      amounts: {purchasing_price: "8990.00"}
totals:
  description:
    - Sums of the amounts of RV(objects) by field, as C(objects).
  returned: success
  type: dict
  sample: {objects: {purchasing_price: "8990.00"}}
rental_cases:
  description:
    - The open rental cases, each with C(title), C(status), C(from), C(until), C(fields) and C(uuid).
  returned: success
  type: list
  elements: dict
tasks:
  description:
    - The open tasks, in the same form. C(from) is empty, and C(until) is the deadline.
  returned: success
  type: list
  elements: dict
is_clear:
  description:
    - Whether it is proven that the person has nothing at the end (in check mode, would have nothing).
  returned: success
  type: bool
  sample: true
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
  sample: "Bernd Kowalski (bernd.kowalski@nordhain.example) has 6 objects, 2 rental cases, 2 tasks"
requests:
  description:
    - How many requests were sent, including logins and repeats.
  returned: always
  type: int
  sample: 34
"""
