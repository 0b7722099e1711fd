#!/usr/bin/python
# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

DOCUMENTATION = r"""
module: stocktake
short_description: Prepare, evaluate and close a stocktake
version_added: 1.0.0
description:
  - Compares where objects belong (the target room, which files own) with where people scanned them (the actual room).
  - An object is V(ok) if both are the same room, a V(deviation) if it was found in another room, V(missing) if it was
    not found, V(new) if it was found without a target room, and V(unknown) if neither room is known.
  - Never writes to the instance. Only O(mode=close) changes files, and writes the room in which an accepted object was
    found as its new target room. The guide
    R(Stocktake,ansible_collections.community.seventhings.docsite.guide_stocktake) shows all steps.
options:
  mode:
    description:
      - >-
        V(prepare): Before a stocktake, list the objects that have a placeholder in place of a scan code, no target
        room, or a room of O(placeholder_rooms).
      - >-
        V(evaluate): Compute the status of each object, and the counts and values of each location and room.
      - >-
        V(close): Evaluate, and write the rooms of the objects in O(accept) into the files in O(src). It needs both
        options.
    type: str
    choices: [prepare, evaluate, close]
    default: evaluate
  since:
    description:
      - The beginning of the stocktake, as a day or as a time, such as V(2025-11-17). A day begins at midnight.
      - An object counts as scanned if its O(time_field) is between O(since) and O(until). Its status does not depend on
        that.
    type: str
  until:
    description:
      - The end of the stocktake, as a day or as a time. A day is included.
    type: str
  time_field:
    description:
      - The field that says when an object was scanned. The default is C(inventory_time).
    type: str
  scans:
    description:
      - A table with scanned codes (C(.csv) or C(.xlsx)) with the columns C(code), C(room), such as V(Dresden/1.04), and
        perhaps C(time).
      - >-
        The list of another scanner has the keys of C(tables) in C(instance.yml), with C(files) as paths or patterns,
        such as C({files: scans-*.csv, columns: {EAN: code, Standort: room}, dates: ["%d.%m.%y"]}).
      - For these codes, the room of the last scan replaces the actual room of the instance. An unknown room, an invalid
        time, and a code that is in two rooms at once are findings.
    type: raw
  accept:
    description:
      - The scan codes whose new room is accepted, as a list, or a table as for O(scans) with C(code) and C(accept),
        such as a report. V(true), V(yes), V(ja), V(x) and V(1) accept a row, while its C(actual_room) is right.
    type: raw
  patch:
    description:
      - A file for the changes of files as a patch for C(git apply).
    type: path
  placeholder_rooms:
    description:
      - Rooms for things that are in no real room or have no label, such as land and licences. RV(unlabelled) lists
        their objects.
    type: list
    elements: str
    default: []
  report:
    description:
      - Files to write the stocktake to, each in the format of its suffix. C(.html) is a page that prints on A4, C(.csv)
        and C(.xlsx) have a row for each object, and C(.json) has everything.
      - In check mode no report is written.
    type: list
    elements: path
    default: []
  src:
    description:
      - The files of the instance, as in O(community.seventhings.instance#module:src). C(scan_codes) of their
        C(instance.yml) describes placeholders. Vaulted values are not shown. O(mode=close) refuses a link.
    type: raw
  src_below:
    description:
      - A directory that must contain O(src) after all links are followed. Set it to the checkout if others can commit
        to it.
    type: path
  variables:
    description:
      - Values of the variables that C(instance.yml) declares.
    type: dict
    default: {}
attributes:
  check_mode:
    support: full
    details:
      - Writes no file and no report, except O(patch).
  diff_mode:
    support: full
    details:
      - The changes of the files by O(mode=close), for reading.
  idempotent:
    support: full
notes:
  - Sends one request for every 1,000 objects, rooms and locations, and none for single objects.
  - Nothing is evaluated if a role hides one of the two rooms from the account, or may hide it.
  - Archived objects are in no list, so they are not counted.
seealso:
  - module: community.seventhings.instance
  - module: community.seventhings.instance_absorb
  - ref: Stocktake <ansible_collections.community.seventhings.docsite.guide_stocktake>
    description: A stocktake from the preparation to the end.
extends_documentation_fragment:
  - community.seventhings.connection
  - community.seventhings.paper
  - community.seventhings.object_scope
  - community.seventhings.attributes
  - community.seventhings.attributes_controller
author:
  - Contributors to the community.seventhings collection (@ansible-collections)
"""

EXAMPLES = r"""
---
- name: List what needs a label or a room before the stocktake
  community.seventhings.stocktake:
    mode: prepare
    src: acme
    placeholder_rooms: [Dresden/000]
    report: [before.html]

- name: Evaluate the stocktake of November
  community.seventhings.stocktake:
    since: "2025-11-10"
    until: "2025-11-21"
    report: [stocktake.html, stocktake.csv]

- name: Evaluate it with the codes of a hand-held scanner
  community.seventhings.stocktake:
    scans: scanned.csv

- name: Show what accepting the deviations changes
  community.seventhings.stocktake:
    mode: close
    src: acme
    accept: stocktake.csv
  check_mode: true
  diff: true
"""

RETURN = r"""
mode:
  description:
    - What was done.
  returned: success
  type: str
instance:
  description:
    - The root of the instance.
  returned: success
  type: str
date:
  description:
    - When the lists were read (UTC).
  returned: success
  type: str
  sample: "2025-11-21T15:04:05+00:00"
window:
  description:
    - The period of the stocktake (C(since), C(until)), and the C(time_field).
  returned: success
  type: dict
sees:
  description:
    - What the account can see, as numbers of C(objects), C(rooms) and C(locations), and in C(words).
    - C(hidden_records) is V(no) if the account sees in each location that has rooms an object that belongs and was
      scanned there, and otherwise V(unknown). C(locations_without_objects) and C(hidden_fields) are lists of names.
  returned: success
  type: dict
counts:
  description:
    - A map of status to the number of objects in scope.
  returned: success
  type: dict
scanned:
  description:
    - The number of objects that were scanned in their room (C(in_place)) and C(elsewhere), that were C(not_scanned),
      and that were not scanned because they have no label (C(unlabelled)).
  returned: success
  type: dict
reasons:
  description:
    - The number of objects that have a C(placeholder) in place of a scan code, C(no_target_room), or a room of
      O(placeholder_rooms) (C(placeholder_room)).
  returned: success
  type: dict
amounts:
  description:
    - A map of each field of the type C(MONEY) to its sum over all objects in scope.
  returned: success
  type: dict
  sample: {purchasing_price: "530999.90"}
totals:
  description:
    - The same sums over the objects of each status.
  returned: success
  type: dict
by_place:
  description:
    - The numbers of objects by status, and sums of money (C(amounts)), for each location (C(room) is null) and each of
      its rooms. An object counts in its target room, or if it has none, in its actual room. C(visitors) belong
      elsewhere.
  returned: success
  type: list
  elements: dict
objects:
  description:
    - The objects in scope, with O(mode=prepare) only those that have C(reasons) (as in RV(reasons)).
    - C(scanned) is V(in_place), V(elsewhere), V(not_scanned) or V(unlabelled). C(target_room), C(actual_room) and
      C(time) are null if they are not known. C(from_scans) says whether the actual room comes from O(scans).
      C(service_status) is the status that the service reports, if it differs. C(asset_number) and C(serial_number) come
      from the fields with these keys or labels.
  returned: success
  type: list
  elements: dict
unknown_codes:
  description:
    - The codes in O(scans) and O(accept) that no object in scope has.
  returned: success
  type: list
  elements: str
unlabelled:
  description:
    - The scan codes of the objects that have no label, to confirm by hand. These are placeholders, and codes of objects
      in O(placeholder_rooms). An object without a code is listed by its uuid.
  returned: success
  type: list
  elements: str
accepted:
  description:
    - How many objects were accepted.
  returned: when O(mode=close)
  type: int
files:
  description:
    - The paths of the files that changed, or in check mode would change.
  returned: when O(mode=close)
  type: list
  elements: str
  sample: [objects/it.yml]
not_changed:
  description:
    - Accepted objects that were not changed, and why.
  returned: when O(mode=close)
  type: list
  elements: str
  sample:
    - "object '100019': not changed, because it was not found, so no room is known"
diff:
  description:
    - The parts of the files that differ, for C(--diff).
  returned: when O(mode=close)
  type: dict
findings:
  description:
    - The mistakes in O(scans), O(accept) or O(src), each with its file and line. If there are any, nothing is
      evaluated.
  returned: failure
  type: list
  elements: str
  sample:
    - "scanned.csv:3:8: room: there is no room 'Dresden/9.99'"
msg:
  description:
    - The outcome in a few lines.
  returned: always
  type: str
  sample: "60 objects: 46 ok, 5 deviation, 7 missing, 1 new, 1 unknown"
requests:
  description:
    - How many requests were sent, including logins and repeats.
  returned: always
  type: int
  sample: 5
"""
