#!/usr/bin/python
# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

DOCUMENTATION = r"""
module: instance_absorb
short_description: Write changes from the application into the files
version_added: 1.0.0
description:
  - Writes changes that people made in the application since the last apply back into the files, in place. Afterwards,
    M(community.seventhings.instance) only changes what RV(not_changed) names.
  - Only the values change. Spacing, comments, order, quotes and line ends stay. A changed number or date in a table has
    the first form that the settings of the table name. In a workbook, only cells change.
  - Labels that replaced scan codes are written too, with the references to them. Observed fields, such as the actual
    room, are never changed. In C(tables) of another system, values become the words of the table again.
  - Nothing is written to the instance, or outside of O(src). The guide R(Changes made in the
    application,ansible_collections.community.seventhings.docsite.guide_drift) shows the steps.
options:
  src:
    description:
      - The files, as in O(community.seventhings.instance#module:src), but no link, because the task writes to them.
      - With layers, a value is written to the layer that it came from. If O(into) names a file in a later layer for the
        section, it is only reported.
    type: raw
    required: true
  src_below:
    description:
      - A directory that must contain O(src) and O(files_root) after all links are followed. Set it to the checkout if
        others can commit to it.
    type: path
  into:
    description:
      - >-
        A map of section to the file for its new records, such as V({objects: objects/new.csv}), relative to O(src), or
        below the path of a layer. A missing file is created. Field definitions have the keys V(fields/asset),
        V(fields/room) and V(fields/person).
      - A field without a column in an existing CSV file is left out and reported. A record that CSV can't represent is
        written to a JSON Lines file beside it.
      - New records of other sections, or outside of C(scope), are only listed in RV(reported).
    type: dict
    default: {}
  gone:
    description:
      - What to do with a record that was deleted or archived in the application. It stays if it is protected, or
        if the journal does not know it.
      - >-
        V(keep): It stays in the files and is reported.
      - >-
        V(remove): It is removed from the files.
      - >-
        V(absent): It gets C(_state) V(absent), or V(archived) if it is archived, which takes one request for each
        object. A CSV file needs a column C(_state).
    type: str
    choices: [keep, remove, absent]
    default: keep
  variables:
    description:
      - Values of the variables that C(instance.yml) declares.
    type: dict
    default: {}
  files_root:
    description:
      - The directory that attachments come from, if it is not O(src). New attachments are then only reported.
    type: path
  allow:
    description:
      - >-
        V(limited_account): Count a record that no list shows as deleted, although this account may not see all records.
        Without it, such a record stays in the files unless RV(hidden_records) is V(no).
      - >-
        V(assumed_archived): Count an object that no list shows as archived if its barcode finds it.
    type: list
    elements: str
    choices: [limited_account, assumed_archived]
  limits:
    description:
      - How many records O(gone) may remove from the files. If a section exceeds a limit, all of its deleted records
        stay and are reported. Archived records do not count.
      - C(delete_percent) (10) is a percentage of the records of the section, if there are at least C(from_existing)
        (10) or none would be left. C(deletes) is a number of records.
    type: dict
  expect_instance:
    description:
      - Roots of the instances that are allowed, instead of those in C(instance.yml).
    type: list
    elements: str
  backup:
    description:
      - Keep a copy of each changed file in the same directory.
    type: bool
    default: false
  journal:
    description:
      - The directory of the journal, as in O(community.seventhings.instance#module:journal). From the values of the
        last apply, it knows which side changed a field. Absorb
        notes what it writes.
      - Without it, the application wins, and a warning says so.
    type: path
  on_conflict:
    description:
      - What to do with a field that the files and the application both changed since the last apply. RV(conflicts)
        names each with both values.
      - >-
        V(keep): The files are not changed.
      - >-
        V(take): The files get the values of the application.
    type: str
    choices: [keep, take]
    default: keep
  new:
    description:
      - Which records of the sections in O(into) are added if they are in no file.
      - >-
        V(since_apply): Records that were created since the last apply, if that is known. It is not known of tasks,
        rental cases and offers.
      - >-
        V(all): All such records.
    type: str
    choices: [since_apply, all]
    default: since_apply
  patch:
    description:
      - A file for the changes as a patch, which C(git apply) accepts in O(src), or in the common parent directory of
        all layers. Each part has the encoding of its file. Cells of workbooks and of UTF-16 files are only listed.
      - Only its owner can read it. It is written in check mode too.
    type: path
attributes:
  check_mode:
    support: full
    details:
      - No file is changed, except O(patch).
  diff_mode:
    support: full
    details:
      - Shows the lines that change, for reading, and the cells of a workbook.
  idempotent:
    support: full
notes:
  - A value that came through an anchor or an alias of YAML, through a variable, from a vaulted file or from a formula
    is reported in RV(not_changed) with its place and is not changed.
  - Texts of the service are escaped so that they keep their meaning. In YAML they are quoted if necessary. A C(${) is
    escaped if variables are declared.
  - After an interrupted run, run the task again. It writes the remaining changes.
  - If the natural key of a record was changed in the application, RV(not_changed) names both keys, and the record stays
    as it is in the files. Plans are refused until the files have the new key.
  - Fields that C(lifecycle) excludes are not compared, so they do not change in the files.
  - Sends the requests of a plan, and one for each attachment that is not in the files yet.
seealso:
  - module: community.seventhings.instance
  - module: community.seventhings.instance_export
extends_documentation_fragment:
  - community.seventhings.connection
  - community.seventhings.attributes
  - community.seventhings.attributes_controller
author:
  - Contributors to the community.seventhings collection (@ansible-collections)
"""

EXAMPLES = r"""
---
- name: Show what changed in the application, and write it as a patch for git
  community.seventhings.instance_absorb:
    src: acme
    patch: changes.patch
  check_mode: true
  diff: true

- name: Write the changes into the files, and new objects into a separate table
  community.seventhings.instance_absorb:
    src: acme
    into:
      objects: objects/new.csv
      rooms: rooms.yml
    gone: absent
"""

RETURN = r"""
files:
  description:
    - The paths of the files that changed, or in check mode would change.
  returned: success
  type: list
  elements: str
  sample: [objects/it.yml]
summary:
  description:
    - A map of section to the number of changed values, added records and removed records.
  returned: success
  type: dict
  sample:
    objects: {changed: 2, added: 1, removed: 0}
not_changed:
  description:
    - Differences that were not written to the files, each with its place and the reason.
  returned: success
  type: list
  elements: str
  sample:
    - "objects/it.yml:7:9: object 100401: condition is 'In use' in the instance: not changed, because it came through an
      anchor"
conflicts:
  description:
    - Fields that the files and the application both changed since the last apply, each with both values.
  returned: success
  type: list
  elements: str
  sample:
    - "objects/it.yml:3:3: object 100017: quantity is '3' in the files and 4 in the instance: both sides changed since
      the last apply"
offers:
  description:
    - A map of section of RV(reported) to the line that would add these records to the files.
  returned: success
  type: dict
  sample:
    rooms: "into: {rooms: rooms/new.yml}"
reported:
  description:
    - A map of section to natural keys of records that are in no file and were not added, because O(into) names no file
      for them, or because they are older than the last apply.
  returned: success
  type: dict
  sample:
    rooms: [Workshop/0.99]
hidden_records:
  description:
    - Whether records are hidden from this account, as in RV(community.seventhings.instance#module:hidden_records).
  returned: success
  type: str
  sample: "no"
diff:
  description:
    - The parts of the files that differ, each below the name of its file, for C(--diff). Of a workbook, the cells that
      differ with both values.
  returned: success
  type: dict
  contains:
    before:
      description: The lines as they were.
      type: str
    after:
      description: The lines as they are now, or in check mode, as they would be.
      type: str
  sample:
    before: |
      objects/it.yml
      - barcode: "100401"
        quantity: 3
    after: |
      objects/it.yml
      - barcode: "100401"
        quantity: 4
findings:
  description:
    - The mistakes in the files. If there are any, nothing is changed.
  returned: failure
  type: list
  elements: str
  sample:
    - "objects/it.yml:12:3: target_room: there is no room 'Head office/0.21'"
backup_files:
  description:
    - The paths of the copies that O(backup) kept.
  returned: when a copy was kept
  type: list
  elements: str
  sample: [acme/rooms.yml.4711.2031-05-31@14:30:00.b3e81f~]
requests:
  description:
    - How many requests were sent, including logins and repeats.
  returned: always
  type: int
  sample: 14
duration:
  description:
    - How many seconds the task took.
  returned: success
  type: float
  sample: 0.582
"""
