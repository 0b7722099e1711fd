#!/usr/bin/python
# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

DOCUMENTATION = r"""
module: ledger
short_description: Compare the asset ledger with the instance
version_added: 1.0.0
description:
  - Compares a table from accounting with the objects of an instance. Never writes to the instance.
  - Lists objects that are in the books but were not found, objects that were found but are not in the books, and fields
    that differ.
options:
  file:
    description:
      - The ledger, a CSV file (C(.csv)) or a workbook (C(.xlsx), needs openpyxl on the controller).
    type: path
    required: true
  table:
    description:
      - How to read the ledger, as an entry of C(tables) in C(instance.yml) without C(files). C(columns) maps its
        columns to fields. C(preset) and C(decimal) say how it was saved. C(ignore), C(skip_rows) and C(sheets) leave
        parts of it out. C(match) names the fields that identify an object, such as the asset number; by default that is
        the scan code. C(empty_keys), C(repeated_keys) and C(unknown_rows) can skip rows, and C(unknown_values) cells.
      - A column that is not a field is left out, and a warning names it.
    type: dict
    default: {}
  compare:
    description:
      - The fields to compare. The default is every column that is a field and does not identify an object.
      - An empty cell differs from a value of the instance.
    type: list
    elements: str
    default: []
  report:
    description:
      - Files to write the comparison to. The suffix of each file selects its format.
      - C(.html) is a page that prints on A4, with totals and lines for signatures. C(.csv) and C(.xlsx) have a row for
        each finding. C(.json) has everything, and C(docs/schema/ledger.schema.json) describes it.
      - Only their owner can read the files. The directories must exist. In check mode no report is written.
    type: list
    elements: path
    default: []
attributes:
  check_mode:
    support: full
    details:
      - Compares, and writes no report.
  diff_mode:
    support: none
  idempotent:
    support: full
notes:
  - Sends one request for every 1,000 objects, rooms and locations, and none for single rows.
  - A cell that does not fit the type of its field is an error that names its place, and nothing is compared.
  - Nothing is compared if a role hides one of the compared fields from the account, or if it can't be determined
    whether it does.
  - If no room or other target of a reference has a field by which the books name it, a warning says that the
    differences are doubtful. A role may hide that field.
  - Archived objects are in no list. If the books still have one, it counts as not found.
seealso:
  - module: community.seventhings.instance
  - module: community.seventhings.stocktake
  - ref: Stocktake <ansible_collections.community.seventhings.docsite.guide_stocktake>
    description: A stocktake from the preparation to the asset ledger.
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
- name: Compare the asset list of accounting with the instance
  community.seventhings.ledger:
    file: ledger.csv
    table:
      preset: excel-de
      columns:
        Anlage: Anlagennummer
        Kst: Kostenstelle
        AHK: purchasing_price
      ignore: [Restbuchwert, "AfA*"]
      match: [Anlagennummer]
    compare: [Kostenstelle, purchasing_price]
    report: [ledger.html, ledger.xlsx]
"""

RETURN = r"""
instance:
  description:
    - The root of the instance.
  returned: success
  type: str
  sample: https://acme.seventhings.com
date:
  description:
    - When the lists were read (UTC).
  returned: success
  type: str
  sample: "2026-11-24T11:04:05+00:00"
file:
  description:
    - The name of the ledger.
  returned: success
  type: str
  sample: ledger.csv
match:
  description:
    - The keys of the fields that identify an object, as a list for each choice.
  returned: success
  type: list
  elements: list
  sample: [[anlagennummer_9d6956cb]]
compared:
  description:
    - The keys of the fields that were compared.
  returned: success
  type: list
  elements: str
  sample: [kostenstelle_32fa3f23, purchasing_price]
counts:
  description:
    - The number of C(rows), of objects that are C(equal) or that C(differ), of rows that were C(not_found), of objects
      that are C(not_in_books), and of rows that are C(doubtful) or C(skipped), or whose object is C(not_in_scope).
  returned: success
  type: dict
  sample: {rows: 412, equal: 396, differ: 7, not_found: 6, not_in_books: 11, doubtful: 3, skipped: 0, not_in_scope: 0}
totals:
  description:
    - Sums of the compared amounts by field, in the C(books) and in the C(instance), and of what is between them. The
      books, less C(not_found), C(doubtful), C(skipped) and C(not_in_scope), plus C(differences) (instance minus books),
      C(not_in_books) and C(doubtful_objects), are the instance.
  returned: success
  type: dict
  sample: {books: {purchasing_price: "4409.00"}, not_found: {purchasing_price: "10.00"}}
not_found:
  description:
    - The rows whose object this account can't see, each with its C(key), C(place), C(values) and C(amounts).
  returned: success
  type: list
  elements: dict
  sample:
    - key: 9999-0
      place: ledger.csv:4
      values: {purchasing_price: "10.0"}
      amounts: {purchasing_price: "10.00"}
not_in_books:
  description:
    - The objects that no row names, each with its C(key), C(scan_code), C(name), C(uuid) and C(amounts).
  returned: success
  type: list
  elements: dict
  sample:
    - {key: "", scan_code: "100003", name: Chair, uuid: 5ad6a0ae-6d05-4f3b-9a57-1c9f6f3a8b11, amounts: {}}
differences:
  description:
    - Each field that differs, with the object as in RV(not_in_books), the C(field) and its C(label), the value in the
      C(books), the value in the C(instance), and the C(place) of the row.
  returned: success
  type: list
  elements: dict
  sample:
    - key: 0433-0
      scan_code: "100002"
      name: Table
      uuid: 324e18a5-6374-5db1-8f73-658eb527373d
      field: purchasing_price
      label: Purchasing price
      books: "1300.0"
      instance: "1249.5"
      place: ledger.csv:3
doubtful:
  description:
    - The rows that can't be distinguished from others, each with its C(key), its C(place), the C(reason), and the
      C(uuids) of the objects. These objects are in no other list. C(why) and C(details) are the parts of the reason.
  returned: success
  type: list
  elements: dict
  sample:
    - key: 4703-0
      place: ledger.csv:7
      reason: is in the books again at ledger.csv:8
      why: repeated
      details: ["ledger.csv:8"]
      uuids: []
skipped:
  description:
    - The rows that O(table) skips, in the form of RV(doubtful).
  returned: success
  type: list
  elements: dict
  sample: []
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
  sample: "412 rows: 396 equal, 7 differ, 6 not found, 3 doubtful, 0 skipped, 0 not in scope"
requests:
  description:
    - How many requests were sent, including logins and repeats.
  returned: always
  type: int
  sample: 6
"""
