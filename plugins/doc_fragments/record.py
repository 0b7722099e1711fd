# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documents the options of modules that manage one record.

``record`` is for all of them, ``record.fields`` for those whose fields are a map, ``record.attachments`` for those that
have attachments as an option, ``record.references`` says how references to other records are written.
"""

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  uuid:
    description:
      - UUID of the record. It identifies the record in place of O(match_on), and is the way to change a field that the
        record is otherwise matched on.
      - Where no record has it, O(state=present) is an error and O(state=absent) has nothing to do.
    type: str
  state:
    description:
      - What is wanted.
      - >-
        V(present): The record is there, with the values that are written. It is created where there is none.
      - >-
        V(absent): The record is not there. It is deleted for good, and what belongs to it is not asked for.
    type: str
    choices: [present, absent]
    default: present
notes:
  - Only what is written is managed. What is left out stays as it is, null clears.
  - Two or more records that match are an error that lists their UUIDs. Never is the first one taken.
  - Values are compared by their meaning, and only what differs counts as a change. C("12.50") and C(12.5) are the same
    amount, an empty text, null and an empty list are the same nothing, and the order of references and attachments does
    not matter.
  - Both sides of a diff call the records that they refer to alike, as far as what was read anyway tells it. Nothing is
    read for a diff alone, so a record that is referred to no more may have the name that the service gives it.
  - A record whose creation was not confirmed (a broken connection, a time-out, HTTP 5xx) is looked for before the
    request is sent again, so that it is not made twice.
"""

    FIELDS = r"""
options:
  fields:
    description:
      - Field key to value. The label of a field may stand in place of its key where no other field has that label.
      - A key that is not known is an error that names the nearest ones. So is a field that the account does not see,
        because its role hides it, even where the value is the same.
      - V(TEXT), V(LONG_TEXT), V(LINK), V(BARCODE) and V(DROPDOWN) fields take a text. Quote what YAML would read as
        something else, such as C("0815"), C("1.10"), C("yes") or C("2031-05-31"); a number or a boolean is an error.
      - V(NUMBER) takes an integer; V(DECIMAL) and V(MONEY) a number with a decimal point, such as C(1299.50). Amounts
        are in the currency of the instance or of the field definition.
      - V(BOOLEAN) takes V(true) or V(false).
      - The same as a text is taken for a number or a boolean, because templates make texts, such as C("1299.50") or
        C("True"). Other words are not. The filter P(ansible.builtin.bool#filter) makes a boolean of C("yes").
      - V(DATE) and V(REMINDER) take C("YYYY-MM-DD"); V(DATETIME) a time with its offset to UTC, such as
        C("2031-05-31T14:30:00+02:00"), or one without it in the zone of the option C(timezone) where the module has it.
      - V(LINKED_LOCATION), V(LINKED_ROOM), V(LINKED_PERSON) and V(LINKED_USER) take one reference. V(LINKED_ASSETS),
        which some instances call V(LINKED_ASSET), takes one reference to an object or a list of them.
      - V(ATTACHMENT) takes the whole list of files. Each is the UUID of a file that was uploaded, a path, or a map with
        C(path) and C(name). Linked files that are not named are taken off. Files with the same content count once,
        unless their names are told apart by C(name).
      - Fields of other types, and those that the instance fills in itself, such as C(id) and C(created_at), cannot be
        written.
    type: dict
    default: {}
  match_on:
    description:
      - Keys of the fields that together identify the record. Each of them needs a value in O(fields).
      - Where it is left out, an object is found by C(barcode), a location by C(name), a person by C(email), a room by
        C(building_id) and C(number), or by C(building_id) and C(name) if O(fields) has no number.
    type: list
    elements: str
  allow_unknown_fields:
    description:
      - Send fields whose keys are not known to the instance's field definitions as they are written, instead of
        refusing them.
    type: bool
    default: false
notes:
  - Files that are given by path are read where the module runs. A relative path starts from its working directory. A
    file is uploaded only if no file of this field has the same content (and name, where one is told). Files have 1 to
    52,428,800 bytes.
"""

    ATTACHMENTS = r"""
options:
  attachments:
    description:
      - The whole list of files. Linked files that are not named are taken off; null or C([]) takes off all.
      - Each is the UUID of a file that was uploaded, a path, or a map with C(path) and C(name). A file that is given by
        path is read where the module runs, and uploaded only if no linked file has the same content (and name, where
        one is told). Files with the same content count once, unless their names are told apart by C(name).
      - Files have 1 to 52,428,800 bytes, their names at most 255 characters.
    type: list
    elements: raw
"""

    TIMEZONE = r"""
options:
  timezone:
    description:
      - Time zone of times that are written without an offset to UTC, such as C(Europe/Berlin).
      - A time that the clock of the zone leaves out or shows twice is an error. Without this option every time needs
        its offset.
    type: str
"""

    REFERENCES = r"""
options: {}
notes:
  - A reference to another record is an integer (its id), a text in UUID form (its UUID), or any other text, which is
    its natural key. That is the barcode of an object, the name of a location, the e-mail address of a person or user
    (upper and lower case are the same), and for a room its location and its number or name, such as C(Head
    office/0.12). Quote a natural key that consists of digits.
  - >-
    A reference may also be a map of field keys, such as C({building_id: Head office, number: "0.12"}).
  - A reference by natural key that finds nothing, or more than one record, is an error that lists candidates. A UUID or
    an integer ID is not looked up; what it means is for the service to judge.
"""
