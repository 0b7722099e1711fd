#!/usr/bin/python
# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: instance_absorb
short_description: Write changes from the application into the files
version_added: 1.0.0
description:
  - Takes the direction back. What somebody changed in the application since the files were applied goes into these
    files, in place, so that M(community.seventhings.instance) changes nothing afterwards but what RV(not_changed)
    names.
  - A changed value is put where the old one stands, in the quoting that it has. Everything else in the file stays as
    it is. Spacing, comments, order, quotes, a byte order mark, line ends and the dialect of a CSV file are not touched,
    so a review shows only the lines that changed.
  - Labels that replaced the scan codes in the files come in too, with the references to them, if C(scan_codes) is set
    in C(instance.yml). A code stays as it is if a reference to it can't be written.
  - Observed fields (C(observed) in C(instance.yml)) are never taken in. The actual room of an object is one, because
    scans own it.
  - Reads YAML, CSV, JSON Lines and workbooks, in a directory, in one file and in layers. Nothing is written to the
    instance, and nothing outside of O(src).
  - In a workbook only the values of cells change; formats, formulas and everything else stay. Its rows stay, too. A
    table of another system (C(tables) in C(instance.yml)) is never changed.
  - Runs on the controller.
options:
  src:
    description:
      - The files, as O(community.seventhings.instance#module:src) takes them. A list of them is layers.
      - A link is refused, because files are written there.
      - A value goes into the layer that it came from. Where O(into) names a file in a later layer for the section, it
        is overridden there, and the earlier layer stays as it is.
    type: raw
    required: true
  src_below:
    description:
      - A directory that O(src) and O(files_root) must not lead out of once all links are followed. If it
        does, nothing is read.
      - A commit can put a link in the place of the directory. Name the checkout here if others can commit to it.
    type: path
  into:
    description:
      - >-
        Section to the file that its new records go into, such as V({objects: objects/new.csv}). The path is relative to
        O(src), and begins with that of the layer where there are several. The file is made where it is not there, and
        must be one from which records of the section are read.
      - In a CSV file that is there, fields of new records that have no column are left out and reported. A record that
        CSV can't hold, such as one with the line ends of Windows in a text, goes into a JSON Lines file beside it.
      - Field definitions have one file for each template, named V(fields/asset), V(fields/room) and V(fields/person).
      - Of a section that is not named, new records are only named in RV(reported). What is out of C(scope), marked
        for another set, or written with C(_managed) V(false) is never taken in.
    type: dict
    default: {}
  gone:
    description:
      - What to do with a record of the files that is gone or archived in the application.
      - A record that C(lifecycle) or C(_lifecycle) protects is always kept, and reported.
      - A CSV file needs a column C(_state) for V(absent).
      - >-
        V(keep): It stays in the files and is reported.
      - >-
        V(remove): It is taken out of the files.
      - >-
        V(absent): It gets C(_state) V(absent), or V(archived) if it is archived. To tell that, each such object is
        looked up by its barcode, with one request. A record that can't be looked up is reported and stays as it is.
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
      - The directory that attachments come from, where it is not O(src). New attachments are written to C(files/) in
        O(src) only, so with this option they are reported.
    type: path
  formulas:
    description:
      - The form in CSV of a text that a spreadsheet would run.
      - >-
        V(escape): With an apostrophe before it, as exports write it. A cell that begins with C(=) and has none is a
        formula. It is reported and not changed.
      - >-
        V(keep): As it is.
    type: str
    choices: [escape, keep]
    default: escape
  assume_archived:
    description:
      - Take an object that is found by its barcode, and that no list shows, to be archived, where the instance sends no
        C(archived_at).
    type: bool
    default: false
  limited_account:
    description:
      - Take an object, a task or the like that no list shows to be deleted, although this account may not see all
        records, because its access may be limited to locations.
      - Without this option such a record stays in the files if another record proves that the lists are not whole, or
        if the files put it into a location in which the account sees no object at all. A C(scope) of its section lets
        it be taken out.
    type: bool
    default: false
  expect_instance:
    description:
      - Roots of the instances that may be read, instead of those in C(instance.yml). If both share some, only
        those count.
    type: list
    elements: str
  workers:
    description:
      - How many requests may be under way at once.
    type: int
    default: 8
  backup:
    description:
      - Keep a copy of each file that is changed beside it.
    type: bool
    default: false
  journal:
    description:
      - The directory of the journal, as O(community.seventhings.instance#module:journal) has it. The file
        C(applied.base) in it says what was applied last, as salted hashes.
      - A record of the files that is as it was applied last was changed in the application, and is taken. A record of
        the instance that is as it was applied last was changed in the files, and the files are kept.
      - Without that file, for example on another machine, the application wins, and a warning says so.
    type: path
  on_conflict:
    description:
      - What to do with a record that the files and the application both changed since the last apply. RV(conflicts)
        names each with its fields.
      - >-
        V(keep): The files are not changed.
      - >-
        V(take): The values of the application are taken.
    type: str
    choices: [keep, take]
    default: keep
  new:
    description:
      - Which records of the sections in O(into) are taken in that are in no file.
      - >-
        V(since_apply): Those that were created since the last apply. The others are named in RV(reported). If the last
        apply is not known, none is taken.
      - >-
        V(all): All of them.
    type: str
    choices: [since_apply, all]
    default: since_apply
attributes:
  check_mode:
    support: full
    details:
      - Returns the patch. No file is changed.
  diff_mode:
    support: full
    details:
      - The patch, which C(git apply) takes in O(src), or in the directory that all layers have in common. A file that
        is no UTF-8, or that holds what a terminal obeys, is a binary patch in it.
  idempotent:
    support: full
notes:
  - A value that came through an anchor or an alias of YAML, through a variable, from a vaulted file or from a formula
    is reported in RV(not_changed) with its place and stays as it is.
  - Texts of the service are written so that they mean themselves. In YAML they stand in quotes where they need to, a
    C(${) is escaped where variables are declared, and CSV is written as O(formulas) says.
  - A run that was killed is run again, and takes in what is left.
  - A record that was renamed in the application is one that is gone, and a new one.
  - Fields that C(lifecycle) leaves alone are not compared, so they stay as they are written.
  - Takes the requests of a plan, and one for each attachment that is not in the files yet.
seealso:
  - module: community.seventhings.instance
  - module: community.seventhings.instance_export
extends_documentation_fragment:
  - community.seventhings.connection
  - community.seventhings.attributes
  - community.seventhings.attributes.controller
author:
  - Contributors to the community.seventhings collection (@ansible-collections)
"""

EXAMPLES = r"""
---
- name: Show what changed in the application as a patch
  community.seventhings.instance_absorb:
    src: acme
  check_mode: true
  diff: true

- name: Take it into the files, new objects into a table of their own
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
    - The paths of the files that changed, or would.
  returned: success
  type: list
  elements: str
  sample: [objects/it.yml]
summary:
  description:
    - Section to how many values were changed, and how many records were added and removed.
  returned: success
  type: dict
  sample:
    objects: {changed: 2, added: 1, removed: 0}
not_changed:
  description:
    - What differs and was not changed, each with its place and the reason.
  returned: success
  type: list
  elements: str
  sample:
    - "objects/it.yml:7:9: object 100401: condition is 'In use' in the instance: not changed, because it came through
      an anchor"
conflicts:
  description:
    - Records that the files and the application both changed since the last apply, each with its fields.
  returned: success
  type: list
  elements: str
  sample:
    - "objects/it.yml:3:3: object 100017: quantity is '3' in the files and 4 in the instance: both sides changed since
      the last apply"
offers:
  description:
    - Section of RV(reported) to the line that would take these records in.
  returned: success
  type: dict
  sample:
    rooms: "into: {rooms: rooms/new.yml}"
reported:
  description:
    - Section to natural keys of records that are in no file and stay so, because O(into) names no file for them, or
      because they are older than the last apply.
  returned: success
  type: dict
  sample:
    rooms: [Workshop/0.99]
hidden_records:
  description:
    - Whether records are hidden from this account, as in
      RV(community.seventhings.instance#module:hidden_records).
  returned: success
  type: str
  sample: "no"
patch:
  description:
    - The changes of the files as a patch.
  returned: success
  type: str
  sample: |
    --- a/objects/it.yml
    +++ b/objects/it.yml
    @@ -1,3 +1,3 @@
     - barcode: "100401"
    -  quantity: 3
    +  quantity: 4
       condition: In use
diff:
  description:
    - The parts of the files that differ, each below the name of its file, for C(--diff). Of a workbook only size and
      digest are shown.
  returned: success
  type: dict
  contains:
    before:
      description: The lines as they were.
      type: str
    after:
      description: The lines as they are now, or in check mode would be.
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
    - The mistakes in the files. Where there is any, nothing is changed.
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

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.argument_specs import INSTANCE_ABSORB


def main() -> None:
    module = AnsibleModule(argument_spec=INSTANCE_ABSORB, supports_check_mode=True)
    module.fail_json(
        msg="community.seventhings.instance_absorb runs on the controller, through the action of the same name."
    )


if __name__ == "__main__":
    main()
