#!/usr/bin/python
# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

DOCUMENTATION = r"""
module: field_definition
short_description: Manage field definitions
version_added: 1.0.0
description:
  - Creates and changes the field definitions of an instance. They define the fields of objects, rooms and persons.
  - A definition is found by its O(uuid), otherwise by its O(field_key), otherwise by its O(label).
  - The instance generates the key of a new field. The module returns it as RV(field_key). Tasks for records can also
    name the field by its label.
  - The API cannot delete a definition, so O(state) has no C(absent).
options:
  template:
    description:
      - The template that the definition belongs to. V(asset) is the template of objects. Locations have no field
        definitions.
    type: str
    choices: [asset, room, person]
    required: true
  uuid:
    description:
      - UUID of the definition. It identifies the definition instead of O(field_key) and O(label). The task fails if no
        definition has it.
    type: str
  field_key:
    description:
      - Key of the field. It only identifies an existing definition, for example to change its O(label). The task fails
        if no definition has it.
    type: str
  label:
    description:
      - Label of the field. It identifies the definition if neither O(uuid) nor O(field_key) is set.
      - Required for a new definition.
    type: str
  type:
    description:
      - Type of the field. The guide to field definitions lists the types and how to write their values. V(LINKED_ASSET)
        links to one object, V(LINKED_ASSETS) to any number. No type accepts several choices.
      - V(FIELD_VALUE_COMPARISON) compares two other fields, which O(relations) names as C(actual_field) and
        C(expected_field). The service computes its value, so you cannot write it.
      - Required for a new definition. Changing it requires O(allow=destructive).
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
      - A map of constraint type to value. Constraints that are not named stay unchanged. A null value removes the
        constraint. Null instead of the map removes all constraints.
      - The types are C(allowed_values) (list of texts), C(min_value), C(max_value), C(max_length) (integers),
        C(regular_expression), C(date_format), C(date_time_format) (texts).
      - If a V(DROPDOWN) has C(allowed_values), they are set to O(possible_values), unless you set them here.
    type: dict
  attributes:
    description:
      - A map of attribute type to value, or to a list of values. Attributes that are not named stay unchanged. A value
        replaces all values of its type. A null value removes the attribute. Null instead of the map removes all
        attributes.
      - C(mandatory), C(unique), C(mutable), C(internal), C(system), C(name_component) and C(piechart_on_dashboard)
        accept V(true) or V(false). The instance calls them V(yes) and V(no).
      - C(editable) accepts V(mobile_app) and V(web_app). C(visible) accepts V(mobile_app), V(web_app_details_view) and
        V(web_app_list_view). C(preselected) accepts V(mobile_app), C(exposed) accepts V(mobile_app_api), and C(indexed)
        accepts V(search). C(sorted) accepts V(ascending) or V(descending).
      - C(generated) accepts V(on_create), V(on_update) and V(on_import). C(formatted) accepts V(user_as_email),
        V(user_as_firstname_lastname) or V(user_as_lastname_firstname).
      - C(form_group) accepts a text, C(currency_code) accepts three letters such as V(EUR), and C(fraction_digits)
        accepts an integer from 0 to 20.
    type: dict
  relations:
    description:
      - The complete list of relations to other field definitions. Each is a map with C(type), and with C(field) (key or
        label of the other field) or C(field_uuid).
      - C(type) is V(actual_field), V(expected_field), or V(active_When_value_equals_one_of), which also accepts the
        list C(comparison_values).
    type: list
    elements: dict
  comment:
    description:
      - Purpose of the field. Null clears it.
    type: str
  default_value:
    description:
      - Value of the field in a new record, as a text, a number or a boolean. Null clears it.
    type: raw
  possible_values:
    description:
      - The complete list of values to choose from, in order and without duplicates.
      - Removing a value that a record uses requires O(allow=destructive). Archived objects are not checked.
    type: list
    elements: raw
  allow:
    description:
      - >-
        V(destructive): Make a change that can lose data. This is a change of the O(type), or the removal of a possible
        or allowed value that a record uses.
      - >-
        V(similar_names): Accept a name that looks like another.
    type: list
    elements: str
    choices: [destructive, similar_names]
  state:
    description:
      - The definition exists with the values of the task.
    type: str
    choices: [present]
    default: present
notes:
  - The instance replaces the whole definition, so the module also sends the values that the task does not set.
  - Sends one request if nothing changes, and two more for a change.
seealso:
  - module: community.seventhings.field_definition_info
extends_documentation_fragment:
  - community.seventhings.record
  - community.seventhings.connection
  - community.seventhings.attributes
  - community.seventhings.attributes_changes
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

- name: Ensure one attribute of the field with this key, and keep the others
  community.seventhings.field_definition:
    template: asset
    field_key: "{{ condition.field_key }}"
    attributes:
      visible: [web_app_list_view, web_app_details_view]

- name: Ensure exactly these values, even if an object uses a value that is removed
  community.seventhings.field_definition:
    template: asset
    uuid: "{{ condition.uuid }}"
    possible_values: [new, used, broken]
    allow: [destructive]

- name: Ensure a number field of rooms with limits
  community.seventhings.field_definition:
    template: room
    label: Seats
    type: NUMBER
    constraints:
      min_value: 0
      max_value: 500
    comment: Chairs at the tables, not along the wall

- name: Ensure an object, and name the field by its label
  community.seventhings.object:
    fields:
      barcode: "100234"
      inventory_name: Laptop Ada
      Condition: used
"""

RETURN = r"""
record:
  description:
    - The definition after the task (in check mode, as it would be).
  returned: success
  type: dict
  contains:
    uuid:
      description: UUID of the field definition.
      type: str
    field_key:
      description: Key of the field, generated by the instance.
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
      description: Attribute type to value, or to the list of values if there are several.
      type: dict
    relations:
      description: Relations to other field definitions.
      type: list
      elements: dict
    comment:
      description: Purpose of the field.
      type: str
    default_value:
      description: Value of the field in a new record. Its type is that of the field.
      type: raw
    possible_values:
      description: Values to choose from, in order.
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
    - UUID of the field definition. Null if there is none, or if check mode would create it.
  returned: success
  type: str
  sample: 5ad6a0ae-6d05-4f3b-9a57-1c9f6f3a8b11
field_key:
  description:
    - Key of the field in records. The instance generates it, so it is null in check mode if the field would be created.
  returned: success
  type: str
  sample: condition_b0eb3192
diff:
  description:
    - The fields that the task sets and that changed, before and after (in check mode, as they would be).
    - C(before) is empty for a new field definition. Both are empty if nothing changed.
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
    - Number of requests that the task sent, including the login and repeated requests.
  returned: always
  type: int
  sample: 3
"""

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.registry import run


def main() -> None:
    run("field_definition")


if __name__ == "__main__":
    main()
