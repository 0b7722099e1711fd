#!/usr/bin/python
# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: field_definition
short_description: Manage field definitions
version_added: 1.0.0
description:
  - Creates and changes the field definitions of an instance, which say what fields objects, rooms and persons have.
  - A definition is found by its O(uuid), else by its O(field_key), else by its O(label).
  - The instance makes the key of a new field. It is returned as RV(field_key), and records may name the field by its
    label as well.
  - A definition cannot be deleted through this interface, so O(state) has no C(absent).
options:
  template:
    description:
      - Whose fields the definition belongs to. V(asset) is for objects. Locations have no definitions.
    type: str
    choices: [asset, room, person]
    required: true
  uuid:
    description:
      - UUID of the definition. It identifies the definition in place of O(field_key) and O(label). An error where there
        is none.
    type: str
  field_key:
    description:
      - Key of the field. It only finds a definition, and is the way to change the O(label). An error where there is
        none.
    type: str
  label:
    description:
      - Label of the field. It identifies the definition where neither O(uuid) nor O(field_key) is given.
      - Required for a new definition.
    type: str
  type:
    description:
      - Type of the field. The guide to field definitions has a table of what each type holds and how its values are
        written. V(LINKED_ASSET) and V(LINKED_ASSETS) are the same. No type holds several choices.
      - V(FIELD_VALUE_COMPARISON) compares two other fields, which O(relations) names as C(actual_field) and
        C(expected_field). The service computes its value, so nothing can be written to it.
      - Required for a new definition. Changing it needs O(allow_destructive).
    type: str
    # generated: field_types
    choices:
      - ATTACHMENT
      - BARCODE
      - BOOLEAN
      - COORDINATES
      - DATE
      - DATETIME
      - DECIMAL
      - DROPDOWN
      - FIELD_VALUE_COMPARISON
      - LINK
      - LINKED_ASSET
      - LINKED_ASSETS
      - LINKED_LOCATION
      - LINKED_PERSON
      - LINKED_ROOM
      - LINKED_USER
      - LONG_TEXT
      - MONEY
      - NUMBER
      - REMINDER
      - TEXT
    # end of field_types
  constraints:
    description:
      - Constraint type to value. Types that are not named stay as they are, null removes one. Null in place of the map
        removes all.
      - C(allowed_values) (list of texts), C(min_value), C(max_value), C(max_length) (integers), C(regular_expression),
        C(date_format), C(date_time_format) (texts).
      - Where a V(DROPDOWN) has C(allowed_values), they follow O(possible_values) unless they are written here.
    type: dict
  attributes:
    description:
      - Attribute type to value, or to a list of values. Types that are not named stay as they are, null removes one,
        and what is written replaces all values of its type. Null in place of the map removes all.
      - C(mandatory), C(unique), C(mutable), C(internal), C(system), C(name_component) and C(piechart_on_dashboard) take
        V(true) or V(false) (the instance's words are V(yes) and V(no)).
      - C(editable) takes V(mobile_app) and V(web_app). C(visible) takes V(mobile_app), V(web_app_details_view) and
        V(web_app_list_view). C(preselected) takes V(mobile_app), C(exposed) V(mobile_app_api), C(indexed) V(search).
        C(sorted) takes V(ascending) or V(descending).
      - C(generated) takes V(on_create), V(on_update) and V(on_import). C(formatted) takes V(user_as_email),
        V(user_as_firstname_lastname) or V(user_as_lastname_firstname).
      - C(form_group) takes a text, C(currency_code) three letters such as V(EUR), C(fraction_digits) an integer from 0
        to 20.
    type: dict
  relations:
    description:
      - The whole list of relations to other field definitions. Each is a map with C(type), and with
        C(field) (key or label of the other field) or C(field_uuid).
      - C(type) is V(actual_field), V(expected_field), or V(active_When_value_equals_one_of), which also takes the list
        C(comparison_values).
    type: list
    elements: dict
  comment:
    description:
      - What the field is for. Null clears it.
    type: str
  default_value:
    description:
      - Value of the field in a new record, as a text, a number or a boolean. Null clears it.
    type: raw
  possible_values:
    description:
      - The whole list of values that can be chosen, in their order, each of them once.
      - Taking one away that a record has needs O(allow_destructive). Archived objects are not looked at.
    type: list
    elements: raw
  allow_destructive:
    description:
      - Allow a change that can cost data, which is another O(type), or a possible or allowed value that is taken away
        although a record has it.
    type: bool
    default: false
  state:
    description:
      - The definition is there, with the values that are written.
    type: str
    choices: [present]
    default: present
notes:
  - The instance replaces a definition as a whole. What was not written is sent as it is.
  - Takes one request where nothing changes (with O(uuid) the definition, else all of the template), and two more for a
    change.
seealso:
  - module: community.seventhings.field_definition_info
extends_documentation_fragment:
  - community.seventhings.record
  - community.seventhings.connection
  - community.seventhings.connection.execution
  - community.seventhings.attributes
  - community.seventhings.attributes.changes
author:
  - Contributors to the community.seventhings collection (@ansible-collections)
"""

EXAMPLES = r"""
---
- name: Ensure a field of objects with values to choose from
  community.seventhings.field_definition:
    template: asset
    label: Condition
    type: DROPDOWN
    possible_values: [new, used, broken]
    default_value: new
    attributes:
      form_group: General
      mandatory: false
      editable: [mobile_app, web_app]
  register: condition

- name: Ensure one attribute, found by the key of the field, and leave the others as they are
  community.seventhings.field_definition:
    template: asset
    field_key: "{{ condition.field_key }}"
    attributes:
      visible: [web_app_list_view, web_app_details_view]

- name: Ensure exactly these values, even if one goes that an object uses
  community.seventhings.field_definition:
    template: asset
    uuid: "{{ condition.uuid }}"
    possible_values: [new, used, broken]
    allow_destructive: true

- name: Ensure a number with limits in the template of rooms
  community.seventhings.field_definition:
    template: room
    label: Seats
    type: NUMBER
    constraints:
      min_value: 0
      max_value: 500
    comment: Chairs at the tables, not along the wall

- name: Ensure an object that uses the field, by its label
  community.seventhings.object:
    fields:
      barcode: "100234"
      inventory_name: Laptop Ada
      Condition: used
"""

RETURN = r"""
record:
  description:
    - The definition as it is now (in check mode, as it would be).
  returned: success
  type: dict
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
    uuid: 5ad6a0ae-6d05-4f3b-9a57-1c9f6f3a8b11
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
uuid:
  description:
    - UUID of the field definition. Null if there is none, or where check mode would create it.
  returned: success
  type: str
  sample: 5ad6a0ae-6d05-4f3b-9a57-1c9f6f3a8b11
field_key:
  description:
    - Key of the field, by which records name it. The instance makes it, so check mode has none for a field that would
      be created (null).
  returned: success
  type: str
  sample: condition_b0eb3192
diff:
  description:
    - The fields that changed, out of those that were written, as they were and as they are (in check mode, as they
      would be).
    - C(before) is empty for a field definition that is created. Both are empty where nothing changed.
  returned: success
  type: dict
  contains:
    before:
      description: Field to value, before.
      type: dict
    after:
      description: Field to value, after.
      type: dict
  sample:
    before: {comment: null}
    after: {comment: As seen at the last check}
requests:
  description:
    - How many requests the task sent, login and repeats included.
  returned: always
  type: int
  sample: 3
"""

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.registry import run


def main() -> None:
    run("field_definition")


if __name__ == "__main__":
    main()
