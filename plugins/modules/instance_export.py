#!/usr/bin/python
# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: instance_export
short_description: Export a whole instance as files
version_added: 1.0.0
description:
  - Writes what an instance holds as the files that M(community.seventhings.instance) reads. What was exported and is
    planned again changes nothing, two exports have the same bytes, and an empty instance becomes a copy.
  - Other records are named by their natural key, and fields whose key the instance made by their label, so that the
    files mean the same on every instance. Attachments are downloaded into C(files/).
  - Only what a person may write is exported. Time stamps and other things that the service makes are not.
  - Observed fields, such as the actual room of an object, are left out, because scans own them. See RV(observed).
  - Writes a JSON Schema of this instance's own fields into C(schema/), for editors that complete names and values.
  - Runs on the controller and never writes to the instance.
options:
  dest:
    description:
      - The directory to write to. It is created if missing.
      - Obsolete files of an earlier export are removed, and no others. What an export wrote is noted in
        C(.export.json), which belongs to the files, and in C(.seventhings), which need not be kept. A note that no
        export could have written is an error.
      - A file that somebody edited since is written anew where there is something to write. Where it would be taken
        away, nothing is written without O(force). Edited attachments and schemas are left alone then.
      - Where the directory holds records that no export wrote, nothing is written without O(force), because they would
        stand there twice. The same goes for a file that no export wrote and that would be replaced.
      - An C(instance.yml) that somebody edited is kept, and its C(identity) is used. A new one gets a random C(set_id),
        by which a journal knows these files again, and a later export keeps it.
      - The directory may be a link. Links below it are never followed. One in the place of a file counts as a file that
        no export wrote, one in the place of a directory is an error.
    type: path
    required: true
  force:
    description:
      - Replace and take away also the files of the exported sections that no export wrote, and those that somebody
        edited and that are gone. An C(instance.yml) that somebody edited is kept all the same.
    type: bool
    default: false
  mode:
    description:
      - The permissions of the files, as in M(ansible.builtin.file). Quote an octal number, such as V("0640"), or write
        it as V(u=rw,g=r).
      - Where it is left out, a new file has V("0600"), because it may hold personal data, and a file that is there
        keeps its mode. A file that belongs to another user passes nothing on to the one that replaces it.
      - Whoever may read the files may enter a directory that is made, so it has V("0700") by default. One that is there
        is left as it is.
    type: raw
  only:
    description:
      - Sections to export. Files of other sections stay as they are.
      # generated: sections
      - The sections are V(fields), V(locations), V(rooms), V(persons), V(users), V(objects), V(tasks), V(rental_cases),
        V(catalog) and V(hub).
      # end of sections
    type: list
    elements: str
    default: []
  filters:
    description:
      - Section to filters, as the modules that read records take them. Only records that match are exported.
    type: dict
    default: {}
  format:
    description:
      - How locations, rooms, persons and objects are written. CSV and JSON Lines are read much faster, which counts
        from some ten thousand records on. All else is always YAML.
      - CSV is written in the dialect that C(csv) of an C(instance.yml) in O(dest) names.
      - V(xlsx) writes one workbook, C(instance.xlsx), with a sheet for each of these sections, labels in the header,
        and drop-down lists. It needs openpyxl on the controller. Where the workbook of an earlier export holds a
        section that O(only) leaves out, none of its sections is exported without that one.
      - A record that CSV or the workbook can't hold is written as JSON Lines beside it.
    type: str
    choices: [yaml, csv, jsonl, xlsx]
    default: yaml
  formulas:
    description:
      - The form in CSV of a text that a spreadsheet would run, because it has C(=), C(+), C(-) or C(@) at its start, or
        behind a C(;), a comma, a C(|), a tab or the end of a line. Spreadsheets split files at any of these, as their
        locale says. Numbers are not changed.
      - >-
        V(escape): With an apostrophe before each such sign, and with one more if an apostrophe is there already.
        M(community.seventhings.instance) takes them back.
      - >-
        V(keep): As it is. Read such files with O(community.seventhings.instance#module:formulas=keep).
    type: str
    choices: [escape, keep]
    default: escape
  twin:
    description:
      - Write C(twin.jsonl) too, with what the files leave out because it differs from instance to instance. It has the
        users, the uuids and ids of the records, the keys that the service made for fields, and archived objects. From
        such a directory the embedded service starts as a twin of the instance, on which a plan can be rehearsed.
      - It holds the names and e-mail addresses of all users, and so does not belong where only files may be read.
      - No list shows archived objects. Known are those that something refers to by their uuid, those that the hub
        offers with a barcode, those that an earlier C(twin.jsonl) in O(dest) noted when they were active, and those in
        the files that O(src) names. Each takes one request. The files of a twin refer to archived objects by their
        uuid. Any other is not on the twin, so a plan that names it makes a new object there, where the instance finds
        the archived one.
      - A twin is a whole instance, so O(only) and O(filters) must be left out.
    type: bool
    default: false
  src:
    description:
      - The files that will be rehearsed on the twin, as O(community.seventhings.instance#module:src) takes them. It
        needs O(twin).
      - Their objects that no list shows are looked up by their barcodes, because they may be archived. Each takes one
        request. Of more than 80 some are looked up, and the others too where one of these is archived.
    type: raw
  src_below:
    description:
      - A directory that O(src) must not lead out of once all links are followed. If it
        does, nothing is read.
      - A commit can put a link in the place of the directory. Name the checkout here if others can commit to it.
    type: path
  variables:
    description:
      - Values of the variables that C(instance.yml) in O(src) declares.
    type: dict
    default: {}
attributes:
  check_mode:
    support: full
    details:
      - Reports which files would be written, and writes none.
  diff_mode:
    support: full
    details:
      - The names of the files, and what changes of their mode, owner and group, not what is in them.
  idempotent:
    support: full
notes:
  - Takes one list of each kind, a page for every 1000 records, three lists of field definitions, and one request for
    each attachment that an earlier export to the same directory did not fetch (one more where records do not tell its
    name, and no earlier export noted it).
  - Archived objects are not exported, because no list shows them. Nor are the orders of the hub, and users who are no
    persons. Passwords and rights of users can't be read at all.
  - A record that files can't name, or of which a mandatory value can't be written, is left out. So is each value that
    refers to it, and each record that must have such a value, until nothing that is written refers to what is not. All
    of that is told in RV(left_out). Records that O(only) or O(filters) leave out are still referred to.
  - A field that the account does not see, because its role hides it, is in no file, and RV(left_out) names it. Where
    it is the natural key of a section, that is an error.
  - A label that two fields share is an error where files would need it to name one of them.
seealso:
  - module: community.seventhings.instance
extends_documentation_fragment:
  - community.seventhings.files
  - community.seventhings.connection
  - community.seventhings.attributes
  - community.seventhings.attributes.controller
author:
  - Contributors to the community.seventhings collection (@ansible-collections)
"""

EXAMPLES = r"""
---
- name: Export everything
  community.seventhings.instance_export:
    dest: acme

- name: Export everything, and what a twin on this machine needs
  community.seventhings.instance_export:
    dest: acme-twin
    twin: true

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

- name: Tell which files would change
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
    - Section to number of records.
  returned: success
  type: dict
  sample: {fields: 35, locations: 3, objects: 25, rooms: 12}
files:
  description:
    - The paths of the files, by what was done to them. The task is changed where any was written, removed or adjusted.
  returned: success
  type: dict
  contains:
    written:
      description: Paths of the files that are new or have other bytes now.
      type: list
      elements: str
    removed:
      description: Paths of files of an earlier export that are gone.
      type: list
      elements: str
    adjusted:
      description: Paths of files that keep their bytes and get another mode, owner or group, notes included.
      type: list
      elements: str
    unchanged:
      description: How many files have the bytes that they had.
      type: int
  sample:
    written: [objects/0001.yml]
    removed: []
    adjusted: []
    unchanged: 21
not_cloned:
  description:
    - The records of the instance that no file can hold, by kind.
  returned: success
  type: dict
  sample:
    hub_orders: [7THX-24-4570-61]
    users: [operator@acme.example]
left_out:
  description:
    - Single values and records that were left out, and why. Values of a field that is left out as a whole, and of types
      that this collection never writes, such as COORDINATES, are counted for each field.
  returned: success
  type: list
  elements: str
  sample:
    - "object 100240: accessories: the object 5ad6a0ae-6d05-4f3b-9a57-1c9f6f3a8b11 stands in no list (archived, or
      gone)"
observed:
  description:
    - Fields that scans and people write, by section, if a record has a value of one. No file with records holds these,
      and C(twin.jsonl) does. C(observed) in the C(instance.yml) of O(dest) says which fields these are, else the
      instance does.
  returned: success
  type: dict
  sample:
    objects: [actual_building, actual_room]
hidden_records:
  description:
    - Whether records are hidden from this account, so that the export is short. V(yes) if a record that another one
      refers to is in no list, can be read and is not archived; a warning names it. V(no) if the account sees an object
      in each location that has rooms. Else V(unknown). C(.export.json) in O(dest) says the same.
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
      description: Lines with the files that are removed, written anew or get other access.
      type: str
    after:
      description: Lines with the files that are written or have other access.
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
    - How many requests were sent, login and repeats included.
  returned: always
  type: int
  sample: 14
duration:
  description:
    - Seconds that it took.
  returned: success
  type: float
  sample: 0.582
"""

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.argument_specs import INSTANCE_EXPORT


def main() -> None:
    module = AnsibleModule(argument_spec=INSTANCE_EXPORT, supports_check_mode=True)
    module.fail_json(
        msg="community.seventhings.instance_export runs on the controller, through the action of the same name."
    )


if __name__ == "__main__":
    main()
