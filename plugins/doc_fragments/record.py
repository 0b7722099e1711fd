# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Document the options of modules that manage one record.

``record`` is for all of them, ``record.fields`` for those whose fields are a map, ``record.attachments`` for those that
have attachments as an option, ``record.references`` says how references to other records are written.
"""

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  uuid:
    description:
      - UUID of the record. It identifies the record instead of O(match_on). Use it to change a field by which the
        record is otherwise matched.
      - If no record has it, O(state=present) is an error and O(state=absent) changes nothing.
    type: str
  state:
    description:
      - The state to ensure.
      - >-
        V(present): The record exists and has the values that the task sets. If it is missing, it is created.
      - >-
        V(absent): The record does not exist. An existing record is deleted for good. The task does not check what
        belongs to it.
    type: str
    choices: [present, absent]
    default: present
notes:
  - Only fields that the task sets are managed. All other fields stay unchanged. A null clears a field.
  - If two or more records match, the task fails and lists their UUIDs. It never picks the first match.
  - Values are compared by their meaning, and only a different meaning counts as a change. C("12.50") and C(12.5) are
    the same amount. An empty text, null and an empty list are equal. The order of references and attachments does not
    matter.
  - Both sides of a diff use the same name for a referenced record, if the task read that record. In diff mode the names
    of both sides are read, which costs requests only if a reference changes. Otherwise nothing is read for a diff
    alone, and a record that is no longer referenced may have the name that the service gives it.
  - If the creation of a record was not confirmed (a broken connection, a time-out, HTTP 5xx), the record is looked up
    before the request is sent again. So it is not created twice.
"""

    FIELDS = r"""
options:
  fields:
    description:
      - A map of field key to value. The label of a field can replace its key if no other field has that label.
      - An unknown key is an error that names similar keys. A field that the role of the account hides is an error too,
        even if its value is the same.
      - V(TEXT), V(LONG_TEXT), V(LINK), V(BARCODE) and V(DROPDOWN) fields accept a text. Quote what YAML would read as
        another type, such as C("0815"), C("1.10"), C("yes") or C("2031-05-31"). A number or a boolean is an error.
      - V(NUMBER) accepts an integer. V(DECIMAL) and V(MONEY) accept a number with a decimal point, such as C(1299.50).
        Amounts are in the currency of the instance or of the field definition.
      - V(BOOLEAN) accepts V(true) or V(false).
      - A number or a boolean may be written as a text, such as C("1299.50") or C("True"), because templates return
        texts. Other words are refused. The filter P(ansible.builtin.bool#filter) converts C("yes") to a boolean.
      - V(DATE) and V(REMINDER) accept C("YYYY-MM-DD") or C("YYYYMMDD"). V(DATETIME) accepts a time of ISO 8601 with its
        offset to UTC, such as C("2031-05-31T14:30:00+02:00"). A fraction of a second is ignored. If the module has the
        option C(timezone), a time without an offset is in that time zone.
      - V(LINKED_LOCATION), V(LINKED_ROOM), V(LINKED_PERSON), V(LINKED_USER) and V(LINKED_ASSET) accept one reference.
        V(LINKED_ASSETS) accepts one reference to an object, or a list of references.
      - V(ATTACHMENT) accepts the whole list of files. Each file is the UUID of an uploaded file, a path, or a map with
        C(path) and C(name). Linked files that are not in the list are unlinked. Files with the same content count once,
        unless they have different names in C(name).
      - Fields of other types can't be written. Fields that the instance fills in itself, such as C(id) and
        C(created_at), can't be written either.
    type: dict
    default: {}
  match_on:
    description:
      - Keys of the fields that together identify the record. Each of them needs a value in O(fields).
      - If this option is not set, an object is found by C(barcode), a location by C(name), and a person by C(email). A
        room is found by C(building_id) and C(number), or by C(building_id) and C(name) if O(fields) has no number.
    type: list
    elements: str
  allow_unknown_fields:
    description:
      - Accept fields that have no field definition in the instance, and send them as they are written. Without this
        option they are refused.
    type: bool
    default: false
notes:
  - A path is read on the machine where the module runs. A relative path starts from its working directory. A file is
    uploaded only if no file of this field has the same content (and the same name, if C(name) is set). A file must have
    1 to 52,428,800 bytes.
"""

    ATTACHMENTS = r"""
options:
  attachments:
    description:
      - The whole list of files. Linked files that are not in the list are unlinked. Null or C([]) unlinks all files.
      - Each file is the UUID of an uploaded file, a path, or a map with C(path) and C(name). A path is read on the
        machine where the module runs. The file is uploaded only if no linked file has the same content (and the same
        name, if C(name) is set). Files with the same content count once, unless they have different names in C(name).
      - A file must have 1 to 52,428,800 bytes. Its name has at most 255 characters.
    type: list
    elements: raw
"""

    TIMEZONE = r"""
options:
  timezone:
    description:
      - Time zone of times that are written without an offset to UTC, such as C(Europe/Berlin).
      - A time is an error if the clock of the zone skips it or shows it twice. Without this option every time needs its
        offset.
    type: str
"""

    REFERENCES = r"""
options: {}
notes:
  - A reference to another record is an integer (its id), a text in UUID form (its UUID), or any other text (its natural
    key). The natural key is the barcode of an object, the name of a location, or the e-mail address of a person or user
    (not case-sensitive). For a room it is the location and the number or name, such as C(Head office/0.12). Quote a
    natural key that consists of digits. The natural key of a new record has no blanks at its edges, no line breaks and
    no invisible characters.
  - >-
    Before ansible-core 2.19, most templates result in text, so C("{{ laptop.record.id }}") is a natural key there.
    Write C({id: "{{ laptop.record.id }}"}) or C("{{ laptop.uuid }}"), which mean the same on every version. With
    C(jinja2_native), these versions do the opposite: they make an integer of a text that consists of digits. Write
    C("{{ code | string }}") then.
  - >-
    A reference may also be a map of field keys, such as C({building_id: Head office, number: "0.12"}).
  - A reference by natural key that finds nothing, or more than one record, is an error that lists candidates. An
    integer that is the natural key of another record, too, is an error that shows both spellings.
"""
