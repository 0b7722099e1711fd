# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Look up records of an instance in an expression."""

from __future__ import annotations

DOCUMENTATION = r"""
name: record
short_description: Records of a seventhings instance
version_added: 1.0.0
author:
  - Contributors to the community.seventhings collection (@ansible-collections)
description:
  - Returns records, or one field of each record. The references have the same form as in the modules.
  - A reference that matches no record, or more than one record, is an error that names candidates.
  - The lookup never writes to the instance.
extends_documentation_fragment:
  - community.seventhings.connection_plugin
options:
  _terms:
    description:
      - The first term is the kind of record.
      # generated: looked_up
      - The kinds of records are V(location), V(room), V(person), V(user), V(object), V(task), V(rental_case) and
        V(catalog_item).
      # end of looked_up
      - >-
        The other terms are one or more references. An integer is an id. A text in UUID form is a UUID. Any other text
        is a natural key. A map is the record with these fields. The items of a list count as separate references.
      - >-
        The natural key of an object is its barcode. The natural key of a location is its name. The natural key of a
        room is C(LOCATION/ROOM) with its number or its name, or the number or name alone. The natural key of a person
        or a user is the e-mail address. The natural key of any other kind is the first field by which its module finds
        a record, such as the title of a task.
      - >-
        If a task with that title is open, closed tasks are ignored. Archived objects are found by barcode or UUID.
    type: list
    elements: raw
    required: true
  field:
    description:
      - Key, or unique label, of a field. Its value is returned instead of the record.
    type: str
notes:
  - >-
    Ansible passes neither C(module_defaults) nor the keyword C(environment) of plays and tasks to a lookup. Write the
    options of the connection in the expression, such as C(base_url=my_instance), or set environment variables for
    C(ansible-playbook) itself.
  - >-
    For one natural key, the lookup reads the list of the kind (for a room also the list of locations), the record, and
    the field definitions if the kind has them. It also signs in if O(access_token) is not set. Lookups in one process
    share the login, but each task runs in its own process. For many records, use an info module once.
  - Several texts are joined with commas unless C(wantlist=True) is given, as in every lookup.
seealso:
  - module: community.seventhings.room_info
  - module: community.seventhings.object_info
  - plugin: community.seventhings.places
    plugin_type: inventory
"""

EXAMPLES = r"""
---
- name: Show the record of the lab
  ansible.builtin.debug:
    msg: "{{ lookup('community.seventhings.record', 'room', 'Dresden/0.12') }}"

- name: Show only its UUID
  ansible.builtin.debug:
    msg: "{{ lookup('community.seventhings.record', 'room', 'Dresden/0.12', field='uuid') }}"

- name: Show several records as a list
  ansible.builtin.debug:
    msg: >-
      {{ query('community.seventhings.record', 'object', '100001', '100002', field='inventory_name') }}

- name: Show a room by its fields, from another instance than the instance in the environment
  ansible.builtin.debug:
    msg: >-
      {{ lookup('community.seventhings.record', 'room', {'building_id': 'Dresden', 'number': '0.12'},
         base_url='https://acme.seventhings.com', access_token=my_token) }}
"""

RETURN = r"""
_raw:
  description:
    - The record of each reference, in the form in which the modules return it, with its C(uuid).
    - With O(field), the value of that field in each record, or null if the record has no value.
  type: list
  elements: raw
  sample:
    - building_id:
        display_name: Dresden
        id: 1
        uuid: 6b0f3f0e-0d0b-4c5c-9d8c-0f5d3a6d4c11
      id: 12
      name: Lab
      number: "0.12"
      uuid: 0f8fad5b-d9cb-469f-a165-70867728950e
"""

from collections.abc import Mapping
from typing import Any

from ansible.errors import AnsibleLookupError
from ansible.plugins.lookup import LookupBase

from ansible_collections.community.seventhings.plugins.module_utils.client.connection import from_environment
from ansible_collections.community.seventhings.plugins.module_utils.errors import InvalidInput, SeventhingsError
from ansible_collections.community.seventhings.plugins.plugin_utils.ansible_compat import KnowsOrigins, as_data
from ansible_collections.community.seventhings.plugins.plugin_utils.printing.screen import warn
from ansible_collections.community.seventhings.plugins.plugin_utils.readers.connection import (
    connection_options,
    shared_reader,
)
from ansible_collections.community.seventhings.plugins.plugin_utils.readers.lookup import kind_named, look_up

_NO_BASE_URL = (
    "base_url is missing. A lookup gets neither the module_defaults nor the environment of a play or task: write it "
    "in the expression, such as base_url='https://acme.seventhings.com', or set SEVENTHINGS_BASE_URL for "
    "ansible-playbook itself"
)
#: Origins of options whose templates are still to be rendered. Ansible renders the arguments of a lookup itself.
_WRITTEN = ("var",)


class LookupModule(KnowsOrigins, LookupBase):
    """The lookup plugin."""

    def run(self, terms: list[Any], variables: Mapping[str, Any] | None = None, **kwargs: Any) -> list[Any]:
        """Return the record of each reference, or one field of it.

        :raises AnsibleLookupError: with the engine's message.
        """
        self.set_options(var_options=variables, direct=kwargs)
        field = self.get_option("field")
        try:
            if unknown := sorted(kwargs.keys() - self.option_definitions.keys()):
                raise InvalidInput(f"{unknown[0]}: no such option")
            if len(terms) < 2:
                raise InvalidInput("expected a kind of record and at least one reference, such as 'room', 'Lab/0.12'")
            kind = kind_named(terms[0])
            options = from_environment(connection_options(self, self._templar.template, _WRITTEN))
            if not options["base_url"]:
                raise InvalidInput(_NO_BASE_URL)
            client = shared_reader(options)
            found = look_up(client, kind, self._flatten(terms[1:]), field)
            shown: list[Any] = as_data(client.without_credentials(found))
            for warning in client.transport.notes():
                warn(warning)
            return shown
        except SeventhingsError as error:
            raise AnsibleLookupError(error.message) from None
