#!/usr/bin/python
# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

DOCUMENTATION = r"""
module: hosts
short_description: Write facts of managed hosts to their objects
version_added: 1.0.0
description:
  - Finds the object of each host by its serial number, and writes facts such as model and vendor to fields of the
    object.
  - One plan covers all hosts, however many there are. Run the task once for all of them.
  - Only the fields in O(map) change. A host never changes a scan code, a room or another record.
  - Facts are data. A template in a fact is used as a plain text. If a value does not fit its field, the field does not
    change.
options:
  allow:
    description:
      - What the plan may do besides, as in O(community.seventhings.instance#module:allow).
    type: list
    elements: str
    choices: [limited_account, similar_names]
  map:
    description:
      - >-
        A map of fields of objects, by their keys or labels, to the names of facts without C(ansible_), such as
        V({manufacturer: system_vendor}). Use dots to select a value in a fact that is a map.
      - If a fact is missing, or firmware left it unset (such as V(To be filled by O.E.M.)), its field does not change.
      - Scan codes, fields that refer to other records, attachments, and fields that the service fills in are refused.
    type: dict
    required: true
  key:
    description:
      - The serial number, as a field of objects and as a fact.
    type: dict
    required: true
    suboptions:
      field:
        description:
          - The field with the serial number of an object.
        type: str
        required: true
      fact:
        description:
          - The fact with the serial number of a host, such as V(product_serial).
        type: str
        required: true
      placeholders:
        description:
          - >-
            Patterns of texts that are not serial numbers, such as V(ACME-DEMO-*). Case does not matter. The
            placeholders of many makers are known, such as V(To Be Filled By O.E.M.), V(System Serial Number),
            V(0123456789), V(N.A.) and one repeated character.
        type: list
        elements: str
        default: []
  create:
    description:
      - Create an object for each host whose serial number no visible object has. Without this option such hosts are
        left out, and a warning names them.
      - A serial number need not be unique, so the service accepts a second object for the same device. No object is
        created if something proves that objects are hidden from this account (RV(sees) has C(hidden_records) V(yes)),
        unless O(allow=limited_account) accepts that. If nothing proves that this account sees all objects, the objects
        are created with a warning. Use an account that is not limited to locations.
      - Archived objects are in no list, and can only be looked up by scan code. So a device whose object is archived
        gets a new object.
      - Requires O(scan_codes).
    type: bool
    default: false
  scan_codes:
    description:
      - The scan codes of new objects. Each new object gets the next free placeholder (see the notes). A label
        replaces it later.
    type: dict
    suboptions:
      field:
        description:
          - The field with the scan codes.
        type: str
        required: true
      placeholder:
        description:
          - The prefix of a placeholder. It has at least two characters and does not end in a digit, such as V(IMP-).
        type: str
        required: true
  hosts:
    description:
      - The hosts whose facts are read, such as C(groups.all) in a play that runs on the controller after another play
        gathered the facts. The default is every host of the play. A host without facts is skipped.
    type: list
    elements: str
notes:
  - A host is skipped, and a warning names it, if it has no serial number or only a placeholder, if another host has the
    same number, or if several objects have it. Serial numbers that differ only by case are the same. The other hosts
    are not affected.
  - Sends one request for every 1,000 objects, rooms and locations, and one to three for each object that changes.
  - The next free placeholder follows the highest placeholder of all objects. New placeholders are looked up, each with
    a request, because an archived object keeps its scan code. In check mode up to 40 of them are looked up, and in a
    real run up to 200. A warning says if others were not looked up.
seealso:
  - module: community.seventhings.instance
  - ref: Devices of your inventory as objects <ansible_collections.community.seventhings.docsite.guide_hosts>
    description: From gathered facts to objects.
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
- name: Write vendor and model of all hosts of the play to their objects
  community.seventhings.hosts:
    map:
      manufacturer: system_vendor
      description: product_name
    key:
      field: serial_number
      fact: product_serial
  run_once: true

- name: Also create objects for new devices, as a plan first
  community.seventhings.hosts:
    map:
      inventory_name: product_name
      manufacturer: system_vendor
    key:
      field: serial_number
      fact: product_serial
    create: true
    scan_codes:
      field: barcode
      placeholder: IMP-
    report: [hosts.html]
  run_once: true
  check_mode: true
"""

RETURN = r"""
matched:
  description:
    - The number of hosts that have an object.
  returned: success
  type: int
  sample: 1942
created:
  description:
    - The hosts that got a new object, or in check mode would get it, each with its C(scan_code).
  returned: success
  type: list
  elements: dict
  sample: [{host: pc17, scan_code: IMP-000004}]
without_record:
  description:
    - The hosts whose serial number no visible object has, and that get no new object.
  returned: success
  type: list
  elements: str
  sample: [pc18]
skipped_hosts:
  description:
    - The hosts that were skipped, each with the C(reason).
  returned: success
  type: list
  elements: dict
  sample: [{host: pc19, reason: "product_serial is 'None', which is not a serial number"}]
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
      scanned there. It is V(yes) if O(create) finds a hidden object, and otherwise V(unknown).
      C(locations_without_objects) names the other locations. C(hidden_fields) are the fields of objects that a role
      hides. C(words) says all of this as a text.
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
  sample: "2,000 hosts: 1,942 with an object, 0 new, 51 without an object, 7 skipped"
requests:
  description:
    - How many requests were sent, including logins and repeats.
  returned: always
  type: int
  sample: 9
"""
