# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rooms, locations or objects of an instance as an inventory."""

from __future__ import annotations

DOCUMENTATION = r"""
name: places
short_description: Rooms, locations or objects of a seventhings instance as hosts
version_added: 1.0.0
author:
  - Contributors to the community.seventhings collection (@ansible-collections)
description:
  - Creates an inventory from the places of a seventhings instance. Each room is a host, and each location is a group.
  - With O(hosts), locations or objects are the hosts instead.
  - The name of the inventory file must end in C(seventhings.yml) or C(seventhings.yaml).
  - >-
    The plugin reads complete lists and joins them in memory. It sends one request for each 1,000 records of a kind, one
    for the field definitions of rooms and of objects, and one to sign in if O(access_token) is not set.
  - >-
    Text from the instance is data. It is never rendered as a template or evaluated as an expression.
  - >-
    Names from the instance never take over existing names. The plugin refuses the name of a host or a group that
    another source created, or that has a meaning in Ansible, unless O(existing) says otherwise.
extends_documentation_fragment:
  - community.seventhings.connection_plugin
  - ansible.builtin.constructed
  - ansible.builtin.inventory_cache
options:
  plugin:
    description:
      - Marks the file as an inventory of this plugin.
    type: str
    required: true
    choices:
      - community.seventhings.places
  hosts:
    description:
      - The records that become hosts.
      - >-
        V(rooms): Each room is a host, and each location is a group. A room is in the group of its location. A room
        without a location is C(ungrouped).
      - >-
        V(locations): Each location is a host. The only groups are the groups of O(groups) and O(keyed_groups).
      - >-
        V(objects): Each object is a host, and each room and each location is a group. An object is in the group of its
        room, and the rooms are in the groups of their locations. An object without a room is in the group of its
        location. An object without both is C(ungrouped).
    type: str
    default: rooms
    choices: [rooms, locations, objects]
  filters:
    description:
      - >-
        The records to read, as a map of V(locations), V(rooms) and V(objects) to filters. The filters have the form of
        the info modules, such as M(community.seventhings.room_info).
      - A filter is a map of field key to operator and value, or of field key to value.
      - If a filter excludes a place, the rooms and objects in it are excluded too. For example, with a filter for
        locations, only the rooms of these locations are hosts.
      - A filter for a kind that O(hosts) does not use has no effect, and a warning says so.
    type: dict
    default: {}
  room_field:
    description:
      - Key of the field by which an object links to its room. Used with O(hosts=objects).
      - V(target_room) is where an object belongs, and V(actual_room) is where it was last scanned. A new object has
        not been scanned yet.
    type: str
    default: target_room
  location_field:
    description:
      - Key of the field by which an object without a room links to its location. Used with O(hosts=objects).
      - Beside O(room_field=actual_room) it is V(actual_building).
    type: str
    default: target_building
  hostname:
    description:
      - The name of a host, as a Jinja template or a field key, or a list of these. The plugin uses the first entry that
        yields a name.
      - Templates can use the variables of the host, both with and without O(variable_prefix), and the variables of its
        groups. A variable without a value counts as undefined. A template that uses it without a default yields no
        name.
      - >-
        If no entry yields a name, or the option is not set, a room is named after its location and itself, such as
        V(Dresden/Lab). Without a location it is V(room/Lab). A location is named V(location/Dresden). An object is
        named after its barcode, such as V(object/100001), or, without a barcode, after its C(inventory_name). A C(/) in
        one of these parts becomes C(_).
      - >-
        A name without a C(/) could be the name of a machine, so it is refused, unless O(host_prefix) contains a C(/) or
        O(existing) is V(join). A name with an empty part, or with a part C(.) or C(..), is refused too, because Ansible
        searches for files with that name.
      - Control characters and invisible characters are written as escapes. A C($) before a possible name of an
        environment variable becomes C(_), because Ansible would search for files with the value of the variable.
      - If two records have the same name, the second gets a suffix, and a warning says so.
    type: raw
  host_prefix:
    description:
      - The prefix of the name of each host, such as V(places/).
    type: str
    default: ""
  group_prefix:
    description:
      - >-
        The prefix of the name of each group that is created from a location or a room, so that the name does not
        collide with a group of another source. The names of O(groups) and O(keyed_groups) do not get this prefix.
    type: str
    default: seventhings_
  existing:
    description:
      - The action if a host or a group has the same name as a host or a group of an earlier inventory source.
      - >-
        A name with a meaning in Ansible, such as C(localhost), C(all) or the name of a magic variable, is always
        refused.
      - >-
        The plugin does not know later sources, so put this source last. If the command line names sources after it, a
        warning says so.
      - >-
        V(refuse): The source fails, and the message names the option that changes the name.
      - >-
        V(join): The host or group keeps its own variables and members, and also gets the variables and members of the
        record. Hosts may have names without a C(/). O(connection_local) has no effect, because the host may be a
        machine.
    type: str
    default: refuse
    choices: [refuse, join]
  variable_prefix:
    description:
      - The prefix of the name of each variable of hosts and groups, so that no name has a meaning in Ansible.
      - >-
        A field whose variable would begin with C(ansible_), or would be a magic variable, is left out, and a warning
        says so.
    type: str
    default: seventhings_
  connection_local:
    description:
      - >-
        Whether each host gets C(ansible_connection=local) and, like Ansible's own localhost, the interpreter that
        Ansible runs with. The reason is that rooms are not machines to connect to. It has no effect with
        O(existing=join).
    type: bool
    default: true
notes:
  - >-
    The variables of a host are all fields of its record, in the form in which the info modules return them. Their names
    are the keys of the fields with O(variable_prefix). For a room these are at least C(seventhings_uuid),
    C(seventhings_id), C(seventhings_name), C(seventhings_number) and C(seventhings_building_id); for a location
    C(seventhings_uuid), C(seventhings_id), C(seventhings_name), C(seventhings_address), C(seventhings_zip),
    C(seventhings_city) and C(seventhings_country); for an object C(seventhings_uuid), C(seventhings_id),
    C(seventhings_inventory_name) and C(seventhings_barcode).
  - A room also has C(seventhings_location_name), which is the name of its location or null. An object has
    C(seventhings_location_name) and C(seventhings_room_name).
  - >-
    Each host has C(seventhings_is_active), which is V(true) if the record is not archived. Use it for the option
    C(enabled_var) of AWX, and the integer C(seventhings_id) for C(instance_id_var).
  - >-
    C(ansible-inventory --list) shows texts of the instance as maps with the key C(__ansible_unsafe). To read the texts,
    use C(ansible-inventory --list --yaml) or C(ansible-inventory --graph --vars). Never use the output of these as an
    inventory, because all texts would then be templates.
  - Each host has C(ansible_connection) and C(ansible_python_interpreter), unless O(connection_local=false). O(compose)
    can set others.
  - Variables of a group are the fields of its location or room. If a host has a variable of the same name, such as
    C(seventhings_name), the variable of the host wins.
  - O(compose), O(groups) and O(keyed_groups) can use the variables of the host and of its groups.
  - >-
    Names of groups are created from names of locations and rooms, with O(group_prefix). A character that Ansible does
    not allow in the name of a group becomes C(_). A name that begins with a digit gets a C(_) in front. If two places
    have the same name, the second gets a suffix, and a warning says so.
  - A link is a map of C(id), C(uuid) and C(display_name), as with the info modules. The link of a room to its location,
    and of an object to its room, is complete even if the instance returns only an id.
  - If O(cache) is on and the cache is valid, no request is sent, not even to sign in. The cache is ignored if
    O(base_url), O(username), O(access_token), O(hosts) or O(filters) have changed since.
  - >-
    Cache plugins that write files, such as P(ansible.builtin.jsonfile#cache), let all users read them. So keep them in
    a directory of your own that does not exist yet, or that has the mode C(0700). If other users can write to
    O(cache_connection), or to a directory above it, the cache is ignored, and a warning says so.
  - >-
    If the instance can't be reached, Ansible only warns and continues with an empty inventory. Set the environment
    variable E(ANSIBLE_INVENTORY_ANY_UNPARSED_IS_FAILED) to V(true), or C(any_unparsed_is_failed=true) in the section
    C([inventory]) of C(ansible.cfg), to make it an error.
  - Options of the connection and O(filters) may contain templates, such as a lookup. Values from the environment are
    not rendered.
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

# Rooms of one city, named by location and number, cached for an hour:
#
# plugin: community.seventhings.places
# filters:
#   locations:
#     city: Dresden
# hostname:
#   - "{{ location_name }}/{{ number }}"
# cache: true
# cache_plugin: ansible.builtin.jsonfile
# cache_connection: ~/.cache/seventhings
# cache_timeout: 3600

# Locations as hosts, grouped by country:
#
# plugin: community.seventhings.places
# hosts: locations
# keyed_groups:
#   - key: seventhings_country
#     prefix: country

# Objects in their rooms and locations, with the root of the instance from a lookup:
#
# plugin: community.seventhings.places
# base_url: "{{ lookup('ansible.builtin.env', 'SEVENTHINGS_BASE_URL') }}"
# hosts: objects
# filters:
#   objects:
#     inventory_name:
#       not_empty: true
# hostname: "{{ inventory_name }} {{ barcode }}"
# host_prefix: assets/
# variable_prefix: asset_
# compose:
#   label: asset_inventory_name ~ ' (' ~ asset_barcode ~ ')'
# groups:
#   expensive: (asset_purchasing_price | default(0, true) | float) > 1000
"""

import os
from collections.abc import Iterator, Mapping
from hashlib import sha256
from json import dumps
from pathlib import Path
from typing import Any

from ansible import context
from ansible.errors import AnsibleError, AnsibleParserError
from ansible.inventory.data import InventoryData
from ansible.inventory.group import to_safe_group_name
from ansible.inventory.manager import IGNORED
from ansible.plugins.inventory import BaseInventoryPlugin, Cacheable, Constructable
from ansible.utils.path import unfrackpath

from ansible_collections.community.seventhings.plugins.module_utils.errors import InvalidInput, SeventhingsError
from ansible_collections.community.seventhings.plugins.module_utils.model.suggestions import did_you_mean
from ansible_collections.community.seventhings.plugins.module_utils.printing.cleaner import clean
from ansible_collections.community.seventhings.plugins.plugin_utils.ansible_compat import (
    KnowsOrigins,
    as_name,
    trusted,
    untrusted,
)
from ansible_collections.community.seventhings.plugins.plugin_utils.printing.screen import warn
from ansible_collections.community.seventhings.plugins.plugin_utils.readers import inventory as reading
from ansible_collections.community.seventhings.plugins.plugin_utils.readers import inventory_cache
from ansible_collections.community.seventhings.plugins.plugin_utils.readers.connection import (
    connection_options,
    option,
    reader,
)
from ansible_collections.community.seventhings.plugins.plugin_utils.readers.inventory_names import Earlier, one_line

#: Origins of options whose templates are rendered: the inventory file and extra variables.
_WRITTEN = ("Direct", "var")

_ENDINGS = ("seventhings.yml", "seventhings.yaml")

_CACHE_FORMAT = 3

#: The options of the connection on which the answer depends.
_ASKED = ("base_url", "username", "access_token")

#: The groups that Ansible creates itself.
_EVERYBODY = ("all", "ungrouped")

#: The variables that Ansible sets for each host of a source.
_OF_THE_SOURCE = ("inventory_dir", "inventory_file")

#: The permissions of a cache directory that is created here, which exclude other users.
_PRIVATE = 0o077

#: The variables that Ansible sets for its own localhost.
#:
#: Without the second variable, Ansible searches for an interpreter, and may find one without the library requests.
_LOCAL = {"ansible_connection": "local", "ansible_python_interpreter": "{{ ansible_playbook_python }}"}


class InventoryModule(KnowsOrigins, BaseInventoryPlugin, Constructable, Cacheable):
    """The inventory plugin.

    No text of the instance is trusted, so Ansible treats none as a template. No name of the instance replaces something
    that belongs to others: all names are checked before the first reaches the inventory.
    """

    NAME = "community.seventhings.places"
    inventory: Any

    @staticmethod
    def _sanitize_group_name(name: object) -> str:
        # Ansible prints each replaced name at -vvvv and can be configured to keep names. A template can return any
        # type.
        return as_name(str(to_safe_group_name(clean(str(name)))))

    def verify_file(self, path: str) -> bool:
        """Return True if the name of a file has a suffix of this plugin."""
        return bool(super().verify_file(path)) and path.endswith(_ENDINGS)

    def parse(self, inventory: Any, loader: Any, path: str, cache: bool = True) -> None:
        """Add hosts and groups to the inventory: all of them, or none.

        :raises AnsibleParserError: with a message for users if an option is wrong or the instance cannot be read.
        """
        super().parse(inventory, loader, path, cache)
        self.templar.available_variables = self._vars
        config = self._configured(path)
        try:
            self._check_options(config)
            filters = option(self, "filters", self.templar.template, _WRITTEN) or {}
            reading.check_filters(filters)
            plan = self._plan(filters)
            read = self._read(path, cache, plan, filters)
            layout = reading.lay_out(read.records, plan)
            built = self._built(layout)
            earlier = Earlier.from_names(inventory.hosts, inventory.groups, self.get_option("existing"))
            self._check_names(built, layout, earlier)
        except SeventhingsError as error:
            raise AnsibleParserError(f"{clean(path)}: {error.message}") from None
        except AnsibleParserError as error:
            # Ansible's constructed features quote names and values.
            raise AnsibleParserError(clean(f"{path}: {error}")) from None
        self._transfer(built)
        for warning in (*read.warnings, *layout.warnings, *_warnings_about_later(path)):
            warn(warning)

    # ---- options

    def _configured(self, path: str) -> Any:
        """Read the options from the inventory file. Create a missing cache directory with private access."""
        mask = os.umask(_PRIVATE)
        try:
            return self._read_config_data(path)
        finally:
            os.umask(mask)

    def _check_options(self, config: Mapping[str, Any]) -> None:
        known = set(self.option_definitions)
        for name in config:
            if name not in known:
                raise InvalidInput(f"{name}: no such option; {did_you_mean(name, sorted(known))}")

    def _prefix(self, name: str) -> str:
        """Return an option with a prefix for names of variables or groups.

        :raises InvalidInput: if no such name can begin with it.
        """
        prefix: str = self.get_option(name) or ""
        if not f"{prefix}x".isidentifier():
            raise InvalidInput(
                f"{name}: {prefix!r} does not fit; expected letters, digits and underscores, such as seventhings_"
            )
        return prefix

    def _hostnames(self) -> list[str]:
        """Return the entries of the option ``hostname``.

        :raises InvalidInput: if an entry is not a text.
        """
        written = self.get_option("hostname") or []
        choices = written if isinstance(written, list) else [written]
        for choice in choices:
            if not isinstance(choice, str):
                raise InvalidInput(f"hostname: {choice!r} does not fit; expected a template, a field key, or a list")
        return choices

    def _plan(self, filters: Mapping[str, Any]) -> reading.Plan:
        self._hostnames()
        hosts = str(self.get_option("hosts"))
        prefix = self._prefix("variable_prefix")
        if prefix.startswith("ansible_"):
            raise InvalidInput(f"variable_prefix: {prefix!r} would turn all fields into variables of Ansible")
        for plural in filters:
            if plural not in reading.read_along(hosts):
                warn(f"filters.{plural} has no effect, because hosts is {hosts}.")
        return reading.Plan(
            hosts,
            prefix,
            frozenset(plural for plural in filters if filters[plural]),
            str(self.get_option("room_field")),
            str(self.get_option("location_field")),
            self._hostname,
            self.get_option("host_prefix") or "",
            self._prefix("group_prefix"),
            self.get_option("existing") == "join",
        )

    # ---- records

    def _read(self, path: str, cache: bool, plan: reading.Plan, filters: Mapping[str, Any]) -> reading.Read:
        """Return the records from the cache if it may be used and has the same options, else read and cache them.

        The password is needed only if a request is sent.
        """
        hosts = self.get_option("hosts")
        caching, key = self._may_cache(), self.get_cache_key(path)
        # Another account may see other records.
        asked = [option(self, name, self.templar.template, _WRITTEN) for name in _ASKED]
        question = sha256(
            dumps([_CACHE_FORMAT, asked, hosts, filters], sort_keys=True, default=str).encode()
        ).hexdigest()
        if (
            caching
            and cache
            and (kept := inventory_cache.plain_records(self._kept(key), question, reading.read_along(hosts)))
            is not None
        ):
            return reading.Read(*kept)
        client = reader(connection_options(self, self.templar.template, _WRITTEN))
        read = reading.read_records(client, plan, filters)
        read = reading.Read(client.without_credentials(read.records), read.hidden)
        for warning in client.transport.notes():
            warn(warning)
        if caching:
            self._cache[key] = {"question": question, "records": read.records, "hidden": read.hidden}
        return read

    def _may_cache(self) -> bool:
        """Return True if there is a cache, in a directory that nobody else can write to."""
        if not self.get_option("cache"):
            return False
        folder = Path(unfrackpath(self.get_option("cache_connection") or "", follow=False))
        if not self.get_option("cache_connection") or not folder.is_dir():
            return True
        reason = inventory_cache.why_foreign(folder)
        if reason:
            warn(
                f"cache_connection: nothing is read from {folder} or kept there, because {reason}. "
                "Give a directory of your own, such as ~/.cache/seventhings."
            )
        elif inventory_cache.is_readable_by_others(folder):
            warn(f"cache_connection: others can read what is kept in {folder}. Set its mode to 0700.")
        return not reason

    def _kept(self, key: str) -> Any:
        try:
            return self._cache.get(key)
        # Cache plugins raise all kinds of errors for a file with foreign content.
        except Exception as error:
            warn(f"What the cache keeps can't be read, so the instance is asked: {error}")
            return None

    # ---- hosts and groups

    def _hostname(self, node: reading.Node) -> str | None:
        """Return the first name that the option ``hostname`` yields."""
        choices = self._hostnames()
        if not choices:
            return None
        valued = {key: value for key, value in node.visible.items() if value is not None}
        prefix = self.get_option("variable_prefix") or ""
        known = {**{key.removeprefix(prefix): value for key, value in valued.items()}, **valued}
        self.templar.available_variables = known
        return next((name for choice in choices if (name := self._name(choice, known))), None)

    def _name(self, choice: str, known: Mapping[str, Any]) -> str:
        if not self.templar.is_template(choice):
            return one_line(known.get(str(choice)))
        try:
            return one_line(self.templar.template(choice))
        except AnsibleError as error:
            if self.get_option("strict"):
                raise InvalidInput(f"hostname: {str(choice)!r} can't be rendered: {error}") from error
            return ""

    def _populate(self, layout: reading.Layout) -> None:
        """Add hosts and groups of the records."""
        for group in layout.groups:
            self.inventory.add_group(group.name)
            if group.group:
                self.inventory.add_child(group.group, group.name)
            self._set_variables(group.name, group.variables)
        connection = self._connection()
        for host in layout.hosts:
            self.inventory.add_host(host.name, group=host.group)
            self._set_variables(host.name, {**host.variables, **connection})

    def _set_variables(self, name: str, variables: Mapping[str, Any]) -> None:
        for variable, value in variables.items():
            self.inventory.set_variable(name, variable, value)

    def _connection(self) -> dict[str, str]:
        """Return the variables of the connection. A host that may belong to another source keeps its own."""
        if not self.get_option("connection_local") or self.get_option("existing") == "join":
            return {}
        return {name: trusted(value) for name, value in _LOCAL.items()}

    # ---- an inventory of its own

    def _built(self, layout: reading.Layout) -> InventoryData:
        """Return all hosts and groups, with those of the constructed features, in an inventory of their own."""
        strict = self.get_option("strict")
        built, ours = InventoryData(), self.inventory
        self.inventory = built
        try:
            self._populate(layout)
            for host in layout.hosts:
                self._compose_variables(host, strict)
                groups, keyed = self.get_option("groups"), self.get_option("keyed_groups")
                self._add_host_to_composed_groups(groups, host.visible, host.name, strict=strict)
                self._add_host_to_keyed_groups(keyed, host.visible, host.name, strict=strict)
        finally:
            self.inventory = ours
        return built

    def _compose_variables(self, host: reading.Node, strict: bool) -> None:
        """Set the variables of ``compose`` for a host as untrusted texts."""
        variables = self.inventory.hosts[host.name].vars
        before = variables.copy()
        self._set_composite_vars(self.get_option("compose"), host.visible, host.name, strict=strict)
        # None is a valid value.
        composed = (name for name, value in variables.items() if name not in before or value is not before[name])
        variables.update({name: untrusted(variables[name]) for name in composed})

    def _check_names(self, built: InventoryData, layout: reading.Layout, earlier: Earlier) -> None:
        """Check that no host or group has a name that another source or Ansible uses.

        :raises InvalidInput: if a name is in use, or if a group has the name of a host.
        """
        laid_out = {group.name for group in layout.groups}
        by_hand = {self._sanitize_group_name(name) for name in self.get_option("groups") or ()}
        for name, group in built.groups.items():
            if name in built.hosts:
                raise InvalidInput(
                    f"hostname: no host can be called {name!r}, because a group has that name; set another hostname"
                )
            is_joined = group.hosts or [child for child in group.child_groups if child.name not in _EVERYBODY]
            if name in laid_out or name not in _EVERYBODY or is_joined:
                option = "group_prefix" if name in laid_out else "groups" if name in by_hand else "keyed_groups"
                earlier.check_group(name, option)
        for name in built.hosts:
            earlier.check_host(name)

    def _transfer(self, built: InventoryData) -> None:
        """Add all hosts and groups."""
        groups = [group for group in built.groups.values() if group.name not in _EVERYBODY]
        for group in groups:
            self.inventory.add_group(group.name)
            self._set_variables(group.name, group.vars)
        for host in built.hosts.values():
            self.inventory.add_host(host.name)
            own = {name: value for name, value in host.vars.items() if name not in _OF_THE_SOURCE}
            self._set_variables(host.name, own)
        for group in groups:
            for member in (*group.child_groups, *group.hosts):
                self.inventory.add_child(group.name, member.name)


def _warnings_about_later(path: str) -> Iterator[str]:
    """Yield a warning if sources come after this source: their hosts and groups are not known yet."""
    later = [source for source in _later_sources(path) if not source.endswith(_ENDINGS)]
    if later:
        yield (
            f"{path}: put this inventory source last. {', '.join(later)} is read after it, so a host or a group there "
            "that has the name of a record can't be distinguished from it."
        )


def _later_sources(path: str) -> Iterator[str]:
    """Yield the inventory sources of the command line that are read after a file."""
    sources = [
        source if "," in source else unfrackpath(source, follow=False)
        for source in context.CLIARGS.get("inventory") or ()
    ]
    position = next((number for number, source in enumerate(sources) if Path(path).is_relative_to(source)), None)
    if position is None:
        return
    # Every entry of a directory is a source. Ansible reads them sorted by name.
    step = Path(sources[position])
    for part in Path(path).relative_to(step).parts:
        for entry in sorted(step.iterdir()):
            if entry.name > part and not IGNORED.search(os.fsencode(entry.name)):
                yield str(entry)
        step /= part
    yield from sources[position + 1 :]
