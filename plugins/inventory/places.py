# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rooms, locations or objects of an instance as an inventory."""

from __future__ import annotations

DOCUMENTATION = r"""
name: places
short_description: Rooms, locations or objects of a seventhings instance as hosts
version_added: 0.1.0
author:
  - Contributors to the community.seventhings collection (@ansible-collections)
description:
  - Makes an inventory from the places of a seventhings instance. Each room is a host, each location a group.
  - With O(hosts) locations or objects are the hosts instead.
  - The name of the inventory file ends in C(seventhings.yml) or C(seventhings.yaml).
  - >-
    Complete lists are read and joined in memory: one request for each 1,000 records of a kind, one for the field
    definitions of rooms and of objects, and one to sign in where no O(access_token) is given.
  - Text from the instance is data. A template in it is never rendered.
extends_documentation_fragment:
  - community.seventhings.connection.plugin
  - ansible.builtin.constructed
  - ansible.builtin.inventory_cache
options:
  plugin:
    description:
      - Says that the file is for this plugin.
    type: str
    required: true
    choices:
      - community.seventhings.places
  hosts:
    description:
      - What becomes a host.
    type: str
    default: rooms
    choices:
      rooms: >-
        Each room is a host, each location a group. A room stands in the group of its location; one without a location
        is C(ungrouped).
      locations: Each location is a host. There are no groups but those of O(groups) and O(keyed_groups).
      objects: >-
        Each object is a host, each room and each location a group. An object stands in the group of its room, the
        rooms stand in the groups of their locations. An object without a room stands in the group of its location, one
        without both is C(ungrouped).
  filters:
    description:
      - >-
        Which records are read: a map of V(locations), V(rooms) and V(objects) to filters in the language of the info
        modules, such as M(community.seventhings.room_info).
      - A filter is a map of field key to operator and value, or of field key to value.
      - What stands in a place that is left out is left out with it. So with a filter for locations only the rooms of
        these locations are hosts.
      - A filter for a kind that O(hosts) does not need has no effect, and a warning says so.
    type: dict
    default: {}
  room_field:
    description:
      - Key of the field by which an object links to its room. Used with O(hosts=objects).
    type: str
    default: actual_room
  location_field:
    description:
      - Key of the field by which an object without a room links to its location. Used with O(hosts=objects).
    type: str
    default: location
  hostname:
    description:
      - The name of a host, as a Jinja template or a field key, or a list of these. The first that gives a name is
        taken.
      - Templates see the host's variables, both with and without O(variable_prefix), and the variables of its groups.
        What has no value counts as undefined, and a template that uses it without a default gives no name.
      - Where none gives a name, or the option is not set, a room is called by its location and itself, such as
        V(Head office/Lab) or, without a location, V(Lab). A location is called by its name, an object by its
        barcode or, without one, its C(inventory_name).
      - Where a name is taken, the host gets a suffix, and a warning says so.
    type: raw
  variable_prefix:
    description:
      - What stands before the name of each variable of hosts and groups, so that no name that means something to
        Ansible is hit.
    type: str
    default: seventhings_
  connection_local:
    description:
      - >-
        Whether each host gets C(ansible_connection=local) and, as Ansible's own localhost, the interpreter that Ansible
        runs with: rooms are no machines to connect to.
    type: bool
    default: true
notes:
  - >-
    Variables of a host: all fields of its record by their keys, in the shape in which the info modules return them,
    with O(variable_prefix). For a room these are at least C(seventhings_uuid), C(seventhings_id), C(seventhings_name),
    C(seventhings_number) and C(seventhings_building_id); for a location C(seventhings_uuid), C(seventhings_id),
    C(seventhings_name), C(seventhings_address), C(seventhings_zip), C(seventhings_city) and C(seventhings_country); for
    an object C(seventhings_uuid), C(seventhings_id), C(seventhings_inventory_name) and C(seventhings_barcode).
  - A room has C(seventhings_location_name) besides, the name of its location or null. An object has
    C(seventhings_location_name) and C(seventhings_room_name).
  - Each host has C(ansible_connection) and C(ansible_python_interpreter), unless O(connection_local=false). O(compose)
    can set others.
  - Variables of a group are the fields of its location or room. Where a host has a variable of the same name, such as
    C(seventhings_name), the host's is seen.
  - O(compose), O(groups) and O(keyed_groups) see the variables of the host and of its groups.
  - >-
    Names of groups are made from names of locations and rooms: what Ansible does not take in the name of a group
    becomes C(_). A name that begins with a digit gets a C(_) in front. Where a name is taken, the group gets a suffix,
    and a warning says so.
  - A link is a map of C(id), C(uuid) and C(display_name), as with the info modules. That of a room to its location, and
    of an object to its room, is complete even where the instance answers a bare id.
  - With O(cache) on and a valid cache no request is made at all, not even to sign in. The cache is left aside when
    O(base_url), O(hosts) or O(filters) have changed since.
  - >-
    Where the instance can't be reached, Ansible only warns and goes on with an empty inventory. Set the environment
    variable E(ANSIBLE_INVENTORY_ANY_UNPARSED_IS_FAILED) to V(true), or C(any_unparsed_is_failed=true) in the section
    C([inventory]) of C(ansible.cfg), to make it an error.
  - Options of the connection and O(filters) may hold templates, such as a lookup. Values from the environment are
    taken as they are.
seealso:
  - module: community.seventhings.room_info
  - module: community.seventhings.location_info
  - module: community.seventhings.object_info
  - plugin: community.seventhings.record
    plugin_type: lookup
"""

EXAMPLES = r"""
---
# lab.seventhings.yml: every room, by location. The connection is in the environment.
# ANSIBLE_INVENTORY_ANY_UNPARSED_IS_FAILED=true ansible-inventory -i lab.seventhings.yml --graph
plugin: community.seventhings.places

---
# Rooms of one city, named by location and number, cached for an hour
plugin: community.seventhings.places
filters:
  locations:
    city: Dresden
hostname:
  - "{{ location_name }} {{ number }}"
  - name
cache: true
cache_plugin: ansible.builtin.jsonfile
cache_connection: /tmp/seventhings
cache_timeout: 3600

---
# Locations as hosts, grouped by country
plugin: community.seventhings.places
hosts: locations
keyed_groups:
  - key: seventhings_country
    prefix: country

---
# Objects in their rooms and locations; credentials from other places than the environment
plugin: community.seventhings.places
base_url: "{{ lookup('ansible.builtin.env', 'SEVENTHINGS_BASE_URL') }}"
hosts: objects
filters:
  objects:
    inventory_name:
      not_empty: true
hostname: "{{ inventory_name }} {{ barcode }}"
variable_prefix: asset_
compose:
  label: asset_inventory_name ~ ' (' ~ asset_barcode ~ ')'
groups:
  expensive: (asset_purchasing_price | default(0, true) | float) > 1000
"""

import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from hashlib import sha256
from json import dumps
from typing import Any

from ansible.errors import AnsibleError, AnsibleParserError
from ansible.plugins.inventory import BaseInventoryPlugin, Cacheable, Constructable
from ansible.template import trust_as_template

from ansible_collections.community.seventhings.plugins.module_utils.errors import InvalidInput, SeventhingsError
from ansible_collections.community.seventhings.plugins.plugin_utils.inventory_layout import (
    Layout,
    Node,
    Plan,
    Records,
    filters_by_kind,
    lay_out,
    one_line,
    read_along,
    read_records,
)
from ansible_collections.community.seventhings.plugins.plugin_utils.plugin_connection import (
    connection_options,
    option,
    reader,
)

_WRITTEN = ("Direct", "var")
"""Origins of options whose templates are rendered: the inventory file and extra variables."""

_CACHE_FORMAT = 1

_LOCAL = {"ansible_connection": "local", "ansible_python_interpreter": "{{ ansible_playbook_python }}"}
"""As Ansible sets them for its own localhost; without the second it looks for an interpreter, and may find one that
lacks the library requests."""

_TEMPLATE = re.compile(r"[{}]|\A#jinja2:")
"""What every text has that Ansible could take for a template."""


class InventoryModule(BaseInventoryPlugin, Constructable, Cacheable):
    """The inventory plugin. No text of the instance that could be a template is trusted, so Ansible renders none."""

    NAME = "community.seventhings.places"

    def verify_file(self, path: str) -> bool:
        """Whether a file is for this plugin, by the end of its name."""
        return bool(super().verify_file(path)) and path.endswith(("seventhings.yml", "seventhings.yaml"))

    def parse(self, inventory: Any, loader: Any, path: str, cache: bool = True) -> None:
        """Adds hosts and groups to the inventory.

        :raises AnsibleParserError: with a message for people where an option is wrong or the instance can't be read.
        """
        super().parse(inventory, loader, path, cache)
        self.templar.available_variables = self._vars
        config = self._read_config_data(path)
        try:
            self._check_names(config)
            filters = filters_by_kind(self._filters())
            plan = self._plan(filters)
            layout = lay_out(self._records(path, cache, filters), plan)
        except SeventhingsError as error:
            raise AnsibleParserError(f"{path}: {error.message}") from None
        self._populate(layout)

    # ---- options

    def _check_names(self, config: Iterable[str]) -> None:
        known = set(self.option_definitions)
        for name in config:
            if name not in known:
                near = get_close_matches(name, known, n=1)
                hint = f"; did you mean {near[0]}?" if near else ""
                raise InvalidInput(f"{name}: no such option{hint}")

    def _filters(self) -> dict[str, Any]:
        try:
            filters: dict[str, Any] = self.templar.template(self.get_option("filters") or {})
        except AnsibleError as error:
            raise InvalidInput(f"filters: a template can't be rendered: {error}") from error
        return filters

    def _plan(self, filters: Mapping[str, Any]) -> Plan:
        hosts = str(self.get_option("hosts"))
        prefix = self.get_option("variable_prefix") or ""
        if not f"{prefix}x".isidentifier():
            raise InvalidInput(
                f"variable_prefix: {prefix!r} does not fit; "
                "expected letters, digits and underscores, such as seventhings_"
            )
        for plural in filters:
            if plural not in read_along(hosts):
                self.display.warning(f"filters.{plural} has no effect, because hosts is {hosts}.")
        return Plan(
            hosts,
            prefix,
            frozenset(plural for plural in filters if filters[plural]),
            str(self.get_option("room_field")),
            str(self.get_option("location_field")),
            self._hostname,
        )

    # ---- records

    def _records(self, path: str, cache: bool, filters: Mapping[str, Any]) -> Records:
        """The records: from the cache where it may be used and has the answer to the same question, else read and kept.

        Credentials are looked at only when a request is due.
        """
        hosts = self.get_option("hosts")
        caching, key = self.get_option("cache"), self.get_cache_key(path)
        base_url = option(self, "base_url", self.templar.template, _WRITTEN)
        question = sha256(
            dumps([_CACHE_FORMAT, base_url, hosts, filters], sort_keys=True, default=str).encode()
        ).hexdigest()
        if caching and cache:
            kept = self._cache.get(key)
            if isinstance(kept, Mapping) and kept.get("question") == question:
                records: Records = kept["records"]
                return records
        client = reader(connection_options(self, self.templar.template, _WRITTEN))
        records = read_records(client, hosts, filters)
        self._check_room_field(records)
        if caching:
            self._cache[key] = {"question": question, "records": records}
        return records

    def _check_room_field(self, records: Records) -> None:
        objects = records.get("objects", ())
        key = str(self.get_option("room_field"))
        if objects and not any(key in record for record in objects):
            near = get_close_matches(key, objects[0], n=3)
            hint = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(sorted(objects[0]))}"
            raise InvalidInput(f"room_field: no object has a field {key}; {hint}")

    # ---- hosts and groups

    def _hostname(self, node: Node) -> str | None:
        """The first name that the option ``hostname`` gives."""
        written = self.get_option("hostname")
        choices = [written] if isinstance(written, str) else written or []
        if not choices:
            return None
        visible = {key: value for key, value in node.visible.items() if value is not None}
        prefix = self.get_option("variable_prefix") or ""
        known = {**{key.removeprefix(prefix): value for key, value in visible.items()}, **visible}
        self.templar.available_variables = known
        return next((name for choice in choices if (name := self._name(str(choice), choice, known))), None)

    def _name(self, text: str, choice: Any, known: Mapping[str, Any]) -> str:
        if not self.templar.is_template(choice):
            return one_line(known.get(text))
        try:
            return one_line(self.templar.template(choice))
        except AnsibleError as error:
            if self.get_option("strict"):
                raise InvalidInput(f"hostname: {text!r} can't be rendered: {error}") from error
            return ""

    def _populate(self, layout: Layout) -> None:
        for warning in layout.warnings:
            self.display.warning(warning)
        for group in layout.groups:
            self.inventory.add_group(group.name)
            if group.group:
                self.inventory.add_child(group.group, group.name)
            self._set_variables(group)
        for host in layout.hosts:
            self.inventory.add_host(host.name, group=host.group)
            self._set_variables(host)
            if self.get_option("connection_local"):
                for name, value in _LOCAL.items():
                    self.inventory.set_variable(host.name, name, trust_as_template(value))
        for host in layout.hosts:
            self._construct(host)

    def _set_variables(self, node: Node) -> None:
        for name, value in node.variables.items():
            self.inventory.set_variable(node.name, name, _plain(value))

    def _construct(self, host: Node) -> None:
        strict = self.get_option("strict")
        compose, groups, keyed = (self.get_option(name) for name in ("compose", "groups", "keyed_groups"))
        if compose:
            self._set_composite_vars(compose, host.visible, host.name, strict=strict)
            composed = self.inventory.get_host(host.name).vars
            for name in set(compose) & set(composed):
                self.inventory.set_variable(host.name, name, _plain(composed[name]))
        if groups:
            self._add_host_to_composed_groups(groups, host.visible, host.name, strict=strict)
        if keyed:
            self._add_host_to_keyed_groups(keyed, host.visible, host.name, strict=strict)


def _plain(value: Any) -> Any:
    """A value whose texts are trusted where they can't be a template, and nowhere else.

    ``ansible-inventory --list`` wraps each untrusted text into a map, which those who read it do not expect. So only
    what holds a brace, with which everything begins that Jinja renders, or changes what Jinja begins with, is left as
    untrusted as it came.
    """
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, str) and not _TEMPLATE.search(value):
        return trust_as_template(value)
    return value
