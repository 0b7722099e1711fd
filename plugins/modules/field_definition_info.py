#!/usr/bin/python
# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: field_definition_info
short_description: List field definitions
version_added: 1.0.0
description:
  - Returns one field definition of a template by its O(uuid), or all that match O(filters).
  - This is how to find out what fields objects, rooms and persons have on an instance.
options:
  template:
    description:
      - Whose fields to return. V(asset) is for objects. Locations have no definitions.
    type: str
    choices: [asset, room, person]
    required: true
notes:
  - Takes one request.
seealso:
  - module: community.seventhings.field_definition
extends_documentation_fragment:
  - community.seventhings.info
  - community.seventhings.info.uuid
  - community.seventhings.connection
  - community.seventhings.connection.execution
  - community.seventhings.attributes
  - community.seventhings.attributes.reads
author:
  - Contributors to the community.seventhings collection (@ansible-collections)
"""

EXAMPLES = r"""
---
- name: List the fields of objects
  community.seventhings.field_definition_info:
    template: asset
    sort: [label]
  register: definitions

- name: Show their keys and types
  ansible.builtin.debug:
    msg: "{{ definitions.records | items2dict(key_name='field_key', value_name='type') }}"

- name: Read one by its UUID
  community.seventhings.field_definition_info:
    template: asset
    uuid: "{{ definitions.records[0].uuid }}"

- name: List the amounts and numbers among them
  community.seventhings.field_definition_info:
    template: asset
    filters:
      type: [MONEY, DECIMAL, NUMBER]
"""

RETURN = r"""
records:
  description:
    - All field definitions that match, at most O(limit) of them, in the order of O(sort). Empty where none does.
  returned: success
  type: list
  elements: dict
  contains:
    uuid:
      description: UUID of the field definition.
      type: str
    field_key:
      description: Key of the field, which the instance made.
      type: str
    label:
      description: Label of the field.
      type: str
    type:
      description: Type of the field.
      type: str
    constraints:
      description: Constraint type to value. C(allowed_values) is a list.
      type: dict
    attributes:
      description: Attribute type to value, or to the list of values where there are several.
      type: dict
    relations:
      description: Relations to other field definitions.
      type: list
      elements: dict
    comment:
      description: What the field is for.
      type: str
    default_value:
      description: Value of the field in a new record. Its type is that of the field.
      type: raw
    possible_values:
      description: Values that can be chosen, in their order.
      type: list
      elements: raw
  sample:
    - uuid: 5ad6a0ae-6d05-4f3b-9a57-1c9f6f3a8b11
      field_key: condition_b0eb3192
      label: Condition
      type: DROPDOWN
      constraints:
        allowed_values: [new, used, broken]
      attributes:
        form_group: General
        mandatory: "no"
        editable: [mobile_app, web_app]
      relations: []
      comment: As seen at the last check
      default_value: new
      possible_values: [new, used, broken]
count:
  description:
    - How many field definitions match, whatever O(limit) is.
  returned: success
  type: int
  sample: 1
complete:
  description:
    - Whether these are all field definitions that match. True, because a list that is not complete is an error.
  returned: success
  type: bool
  sample: true
hidden_records:
  description:
    - Whether records are hidden from this account because it is limited to locations. V(no) for kinds that every
      account sees. V(yes), with a warning, if the O(profile) says that records are hidden. Else V(unknown), because
      nothing is read to find out.
  returned: success
  type: str
  sample: unknown
requests:
  description:
    - How many requests the task sent, login and repeats included.
  returned: always
  type: int
  sample: 1
"""

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.registry import run


def main() -> None:
    run("field_definition_info")


if __name__ == "__main__":
    main()
