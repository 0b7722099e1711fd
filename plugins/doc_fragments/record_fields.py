# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Document the options of modules that manage one record whose fields are a map."""

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
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
