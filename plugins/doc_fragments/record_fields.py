# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Document the options of modules that manage one record whose fields are a map."""


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  fields:
    description:
      - A map of field key to value. The label of a field can replace its key if no other field has that label.
      - Quote a text that YAML would read as another type, such as C("0815") or C("yes").
      - An unknown key is an error that names similar keys. Fields that the instance fills in itself can't be written.
    type: dict
    default: {}
  match_on:
    description:
      - Keys of the fields that together identify the record. Each of them needs a value in O(fields).
    type: list
    elements: str
  allow_unknown_fields:
    description:
      - Accept fields without a field definition, and send them as they are written.
    type: bool
    default: false
"""
