#!/usr/bin/python
# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

DOCUMENTATION = r"""
module: instance_export
short_description: Export a whole instance as files
version_added: 1.0.0
description:
  - Writes an instance as files that M(community.seventhings.instance) reads. A plan from an export changes nothing, and
    a second export has the same bytes. Applied to an empty instance, an export creates a copy.
  - Other records are named by their natural key, and fields with a generated key by their label, so the files mean the
    same on every instance. Attachments are downloaded into C(files/).
  - Values that the service generates, and observed fields such as the actual room, are left out. See RV(left_out). So
    is the location beside a room that is in it.
  - Writes a JSON Schema of the fields of this instance into C(schema/), for editors. Never writes to the instance.
options:
  dest:
    description:
      - The directory to write to. It is created if missing. Links below it are never followed.
      - Obsolete files of an earlier export are removed. C(.export.json) and C(.seventhings) note what an export wrote.
      - Edited records are overwritten. If an edited file would be removed, or a file that no export wrote would be
        replaced or is read too, nothing is written without O(force).
      - An edited C(instance.yml) is kept, and its C(identity) is used. A new one gets a random C(set_id).
    type: path
    required: true
  force:
    description:
      - Also replace and remove files of the exported sections that no export wrote, and edited files that are obsolete.
        An edited C(instance.yml) is still kept.
    type: bool
    default: false
  mode:
    description:
      - The permissions of the files, as in M(ansible.builtin.file). Quote an octal number, such as V("0640").
      - By default, a new file has V("0600"), because it may contain personal data, and an existing file keeps its mode.
      - Whoever may read the files may also enter a new directory, so it has V("0700") by default.
    type: raw
  only:
    description:
      - Sections to export. Files of other sections do not change.
      # generated: sections
      - The sections are V(fields), V(locations), V(rooms), V(persons), V(users), V(objects), V(tasks), V(rental_cases),
        V(catalog) and V(hub).
      # end of sections
    type: list
    elements: str
    default: []
  filters:
    description:
      - A map of section to filters, in the form of the modules that read records. Only records that match are exported.
    type: dict
    default: {}
  format:
    description:
      - The format for locations, rooms, persons and objects. CSV and JSON Lines are read much faster, which matters
        above about ten thousand records. Everything else is always YAML.
      - CSV is written in the dialect that C(csv) in the C(instance.yml) of O(dest) names.
      - V(xlsx) writes one workbook, C(instance.xlsx), with a sheet for each of these sections and labels in the
        header. It needs openpyxl on the controller. A workbook is always exported as a whole. If the workbook of an
        earlier export contains a section that O(only) leaves out, its other sections are not exported either.
      - A record that CSV or the workbook can't represent is written as JSON Lines beside it.
    type: str
    choices: [yaml, csv, jsonl, xlsx]
    default: yaml
attributes:
  check_mode:
    support: full
    details:
      - Reports which files would be written, and writes no file.
  diff_mode:
    support: full
    details:
      - Shows the names of the files, and changes of their mode, owner and group. It does not show their content.
  idempotent:
    support: full
notes:
  - Sends one request for every 1,000 records of each list, and one or two for each new attachment.
  - Archived objects are not exported, because no list shows them. Orders of the hub, and users who are not persons, are
    not exported either. Passwords and rights of users can't be read at all.
  - A record is left out if files can't name it, or if one of its mandatory values can't be written. Values that refer
    to it are left out too. So are records for which such a value is mandatory. In the end, no exported value refers to
    such a record. RV(left_out) lists everything that was left out. Exported values may still refer to records that
    O(only) or O(filters) leave out.
  - If the instance has no list of a section, no file contains that section. RV(left_out) names it. If earlier versions
    of the service had no such list either, a warning names it instead.
  - If the role of the account hides a field, no file contains it, and RV(left_out) names it. If the hidden field is the
    natural key of a section, that is an error.
  - A field is named by its generated key if its label is a word of the files, such as C(_state), or also names another
    field. Such files are only for this instance.
seealso:
  - module: community.seventhings.instance
extends_documentation_fragment:
  - community.seventhings.files
  - community.seventhings.connection
  - community.seventhings.attributes
  - community.seventhings.attributes_controller
author:
  - Contributors to the community.seventhings collection (@ansible-collections)
"""

EXAMPLES = r"""
---
- name: Export everything
  community.seventhings.instance_export:
    dest: acme

- name: Export objects in use as CSV
  community.seventhings.instance_export:
    dest: acme-objects
    only: [objects]
    filters:
      objects:
        condition: in use
    format: csv

- name: Export locations, rooms, persons and objects as a workbook
  community.seventhings.instance_export:
    dest: acme-book
    format: xlsx

- name: Show which files would change
  community.seventhings.instance_export:
    dest: acme
  check_mode: true
"""

RETURN = r"""
dest:
  description:
    - The directory.
  returned: success
  type: str
  sample: acme
summary:
  description:
    - A map of section to number of records.
  returned: success
  type: dict
  sample: {fields: 35, locations: 3, objects: 25, rooms: 12}
files:
  description:
    - The paths of the files, by what was done to them. The task is changed if any file was written, removed or
      adjusted.
  returned: success
  type: dict
  contains:
    written:
      description: Paths of new files, and of files whose bytes changed.
      type: list
      elements: str
    removed:
      description: Paths of files of an earlier export that were removed.
      type: list
      elements: str
    adjusted:
      description: Paths of files (including the notes of the export) that keep their bytes and get another mode, owner
        or group.
      type: list
      elements: str
    unchanged:
      description: How many files keep their bytes.
      type: int
  sample:
    written: [objects/0001.yml]
    removed: []
    adjusted: []
    unchanged: 21
not_cloned:
  description:
    - The records of the instance that can't be written to files, by kind.
  returned: success
  type: dict
  sample:
    hub_orders: [7THX-24-4570-61]
    users: [operator@acme.example]
left_out:
  description:
    - Single values and records that were left out, and why. Values of a field that is left out as a whole are only
      counted. So are values of types that this collection never writes, such as COORDINATES.
  returned: success
  type: list
  elements: str
  sample:
    - "object 100240: accessories: the object 5ad6a0ae-6d05-4f3b-9a57-1c9f6f3a8b11 is in no list (archived or
      deleted)"
observed:
  description:
    - Observed fields, which scans and people write, by section. A field is listed if a record has a value in it. No
      file contains these values. C(observed) in the C(instance.yml) of O(dest) names the observed fields. If it does
      not, the instance decides.
  returned: success
  type: dict
  sample:
    objects: [actual_building, actual_room]
hidden_records:
  description:
    - Whether records are hidden from this account, so that the export is incomplete. V(yes) if another record refers to
      a record that is in no list, can be read and is not archived. A warning names it. V(no) if the account sees an
      object in each location that has rooms. Otherwise V(unknown). C(.export.json) in O(dest) says the same.
  returned: success
  type: str
  sample: "no"
diff:
  description:
    - The files that are written, removed or adjusted, for C(--diff).
  returned: success
  type: dict
  contains:
    before:
      description: Lines with the files that are removed, overwritten or get other permissions.
      type: str
    after:
      description: Lines with the files that are written or have other permissions.
      type: str
  sample:
    before: ""
    after: "objects/0001.yml"
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
