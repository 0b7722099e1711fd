# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Turn the records of an instance into hosts and groups, joined in memory instead of one request per record."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...module_utils.client.client import Client
from ...module_utils.errors import InvalidInput
from ...module_utils.model.field import EMPTY, Field, first_of, integer_of
from ...module_utils.model.kinds import ARCHIVED_AT, LOCATION, OBJECT, ROOM, Kind
from ...module_utils.model.schema import Schema
from ...module_utils.model.suggestions import did_you_mean
from ...module_utils.model.types_links import Reference, read_reference
from ...module_utils.printing.cleaner import clean
from ...module_utils.resolve.field_visibility import FieldVisibility, hidden_field_message
from ...module_utils.resolve.listing import list_records
from ..ansible_compat import as_data, as_name
from .inventory_names import Variables, as_part, check_host_name, group_name, literal, one_line, variable_key

#: A record in its normalised form, as the info modules return it.
Shown = Mapping[str, Any]

#: The records of an instance by plural name of their kind. Plain data, so that it can be cached.
Records = Mapping[str, Sequence[Shown]]

#: The kinds that may become hosts, by plural name.
#:
#: A record of each kind is inside a record of the kind before it, so these are read, too.
KINDS: dict[str, Kind] = {"locations": LOCATION, "rooms": ROOM, "objects": OBJECT}

_NAMED_IN_WARNING = 5
_ANY = Field("", "")


# ---- options


def read_along(hosts: str) -> list[str]:
    """Return the plural names of the kinds to read if the records of ``hosts`` become hosts."""
    names = list(KINDS)
    return names[: names.index(hosts) + 1]


def check_filters(written: Mapping[str, Any]) -> None:
    """Check the option ``filters``.

    :raises InvalidInput: for another kind, and for filters that are not a map.
    """
    for name, filters in written.items():
        if name not in KINDS:
            raise InvalidInput(f"filters.{name}: no such kind; {did_you_mean(name, KINDS)}")
        if not isinstance(filters, Mapping):
            raise InvalidInput(f"filters.{name}: expected a map of field key to operator and value, or to a value")


# ---- parts of an inventory


@dataclass
class Node:
    """A record as a host or a group.

    :ivar plural: of its kind.
    :ivar above: the place that it is in; None without one.
    :ivar name: of the host or the group.
    :ivar variables: its own, with the prefix.
    """

    record: Shown
    plural: str
    above: Node | None
    name: str = ""
    variables: dict[str, Any] = field(default_factory=dict)

    @property
    def group(self) -> str | None:
        """Return the name of its group; None without one."""
        return None if self.above is None else self.above.name

    @property
    def chain(self) -> Iterator[Node]:
        """Yield this node and the places above it."""
        yield self
        if self.above:
            yield from self.above.chain

    @property
    def visible(self) -> dict[str, Any]:
        """Return the variables that a template sees. The nearest have precedence."""
        return {name: value for node in reversed([*self.chain]) for name, value in node.variables.items()}

    @property
    def own_name(self) -> str:
        """Return the name of the record for people: its first naming field with a value, else its kind and id."""
        kind = KINDS[self.plural]
        texts = (self.record.get(key) for key in (*kind.titles, *kind.names))
        # Any other value can't be read. Its Python text is the name of no record.
        name = next((name for text in texts if isinstance(text, str) and (name := one_line(text))), "")
        return name or f"{kind.name} {self.record.get('id') or self.record.get('uuid')}"

    @property
    def path(self) -> str:
        """Return the path of the record: rooms by their location and name, everything else by name."""
        own = as_part(self.own_name)
        return f"{as_part(self.above.own_name)}/{own}" if self.plural == "rooms" and self.above else own


@dataclass
class Layout:
    """The inventory: groups (parents before children), hosts, and warnings."""

    groups: list[Node] = field(default_factory=list)
    hosts: list[Node] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Plan:
    """The layout of the records as hosts and groups.

    :ivar hosts: plural name of what becomes a host.
    :ivar prefix: the prefix of each variable.
    :ivar filtered: the kinds with a filter; records inside an excluded place are excluded, too.
    :ivar room_field: the field of an object that links to its room.
    :ivar location_field: the field of an object that links to its location, used without a room.
    :ivar hostname: a function from variables to a host's name; None for the default name.
    :ivar host_prefix: the prefix of each host's name.
    :ivar group_prefix: the prefix of each group's name.
    :ivar may_join: True if a host may have a name without a slash, like a machine.
    """

    hosts: str
    prefix: str = "seventhings_"
    filtered: frozenset[str] = frozenset()
    room_field: str = "target_room"
    location_field: str = "target_building"
    hostname: Callable[[Node], str | None] = lambda _node: None
    host_prefix: str = ""
    group_prefix: str = "seventhings_"
    may_join: bool = False

    def links(self, plural: str) -> list[tuple[str, str]]:
        """Return the fields that link a record to a place, each with the kind of the place. The first link counts."""
        return {
            "locations": [],
            "rooms": [("locations", ROOM.identity[0].key)],
            "objects": [("rooms", self.room_field), ("locations", self.location_field)],
        }[plural]


# ---- reading


@dataclass
class Read:
    """The lists of an inventory. Plain data, so that they can be cached.

    :ivar hidden: plural name of a kind to the keys of the fields that the account does not see.
    """

    records: Records
    hidden: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def warnings(self) -> list[str]:
        """Return a warning for each kind with fields that the account does not see."""
        return [
            f"{plural}: {'; '.join(map(hidden_field_message, keys))}, so names, groups and variables do not contain it."
            for plural, keys in self.hidden.items()
        ]


def read_records(client: Client, plan: Plan, filters: Mapping[str, Mapping[str, Any]]) -> Read:
    """Return complete lists of everything that the inventory needs.

    :raises InvalidInput: if the account does not see the fields that select the records.
    """
    records: dict[str, Sequence[Shown]] = {}
    hidden: dict[str, list[str]] = {}
    for plural in read_along(plan.hosts):
        kind = KINDS[plural]
        listed = list_records(client, kind, None, filters.get(plural, {}), [], None, option=f"filters.{plural}")
        visibility = listed.visibility or FieldVisibility(kind)
        links = [key for _above, key in plan.links(plural) if key in visibility.hidden]
        for place in sorted(plan.filtered.intersection(records)) if links else ():
            why = f"{hidden_field_message(links[0])}, so it is unknown which {plural} are in these {place}"
            raise InvalidInput(f"filters.{place}: {why}")
        if visibility.hidden:
            hidden[plural] = sorted(visibility.hidden)
        records[plural] = listed.records
        if kind is OBJECT:
            _require_links(plan, client.schema(kind), listed.records)
    return Read(records, hidden)


def _require_links(plan: Plan, schema: Schema, objects: Sequence[Shown]) -> None:
    """Check the fields that link objects to rooms and locations. Not every instance has a field for locations.

    :raises InvalidInput: if one is another field.
    """
    for place, option, key in (
        ("room", "room_field", plan.room_field),
        ("location", "location_field", plan.location_field),
    ):
        links = [field.key for field in schema.fields.values() if field.type == f"LINKED_{place.upper()}"]
        is_shown = place == "location" or any(key in record for record in objects)
        if objects and key not in links and (key in schema.fields or not is_shown):
            raise InvalidInput(f"{option}: no object has a link to a {place} in {key}; {did_you_mean(key, links)}")


# ---- hosts and groups


def lay_out(records: Records, plan: Plan) -> Layout:
    """Return hosts and groups of the records.

    Every name is unique: if several records have one name, all except the one with the lowest id get a suffix, with a
    warning.

    :raises InvalidInput: for the name of a host that could mean a machine, or a file outside ``host_vars``.
    """
    layout = Layout()
    places: dict[str, _Places] = {}
    variables = Variables(plan.prefix)
    group_names = _Names("groups", ())
    *above, last = read_along(plan.hosts)
    for plural in above:
        placed = [*_placed(records.get(plural, ()), plural, plan, places)]
        places[plural] = _Places(KINDS[plural].name)
        for node in placed:
            node.variables = _variables(node, plan, variables)
            node.name = group_names.give(as_name(group_name(plan.group_prefix, node.path)), node.record)
            layout.groups.append(node)
            places[plural].add(node)
    # In a pattern, a host with the name of a group can't be distinguished from it.
    host_names = _Names("hosts", (group.name for group in layout.groups))
    for node in _placed(records.get(last, ()), last, plan, places):
        node.variables = _variables(node, plan, variables)
        # No machine has a name with a slash.
        default = node.path if "/" in node.path else f"{KINDS[last].name}/{node.path}"
        wanted = clean(one_line(plan.hostname(node))) or default
        node.name = host_names.give(as_name(f"{plan.host_prefix}{literal(wanted)}"), node.record)
        check_host_name(node.name, plan.may_join)
        layout.hosts.append(node)
    layout.warnings = [*group_names.warnings(), *host_names.warnings(), *_left_out(variables)]
    return layout


class _Places:
    """Find places of one kind by integer id or by uuid, because instances use either in links."""

    def __init__(self, kind: str) -> None:
        self._read = read_reference(kind)
        self._by_id: dict[int, Node] = {}
        self._by_uuid: dict[str, Node] = {}

    def add(self, place: Node) -> None:
        # The record's own identity has the form of a link to it.
        own = self._read({"id": place.record.get("id"), "uuid": place.record.get("uuid")}, _ANY)
        if isinstance(own, Reference):
            if own.id is not None:
                self._by_id[own.id] = place
            if own.uuid:
                self._by_uuid[own.uuid] = place

    def find(self, link: Any) -> Node | None:
        """Return the place that a link means, in any of its forms, or None without a known place."""
        reference = self._read(link, _ANY)
        if not isinstance(reference, Reference):
            return None
        by_uuid = self._by_uuid.get(reference.uuid or "")
        return by_uuid or (None if reference.id is None else self._by_id.get(reference.id))


def _placed(records: Sequence[Shown], plural: str, plan: Plan, places: Mapping[str, _Places]) -> Iterator[Node]:
    """Yield each record with its place, in an order that does not depend on the answer."""
    narrowed = plan.filtered.intersection(places)
    for record in sorted(records, key=lambda record: (integer_of(record.get("id")) or 0, str(record.get("uuid")))):
        found = (places[above].find(record.get(key)) for above, key in plan.links(plural))
        node = Node(record, plural, next((place for place in found if place), None))
        if narrowed <= {above.plural for above in node.chain}:
            yield node


def _variables(node: Node, plan: Plan, names: Variables) -> dict[str, Any]:
    variables = {name: node.record[key] for key, name in names.named(node.record)}
    above_names = {above.plural: above.own_name for above in node.chain if above is not node}
    for above, key in plan.links(node.plural):
        variables[f"{plan.prefix}{KINDS[above].name}_name"] = above_names.get(above)
        link = node.record.get(key)
        if node.above and node.above.plural == above and isinstance(link, Mapping):
            variables[f"{plan.prefix}{variable_key(key)}"] = _completed(link, node.above)
    variables[f"{plan.prefix}is_active"] = node.record.get(ARCHIVED_AT) in EMPTY
    return {name: as_data(_encodable(value)) for name, value in variables.items()}


def _encodable(value: Any) -> Any:
    """Return a value whose texts can be written in every format.

    A replacement character replaces a lone surrogate, which would crash ``ansible-inventory --yaml``.
    """
    if isinstance(value, str):
        if value.isascii() or value.isprintable():
            return value
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, Mapping):
        return {_encodable(name): _encodable(member) for name, member in value.items()}
    return [_encodable(item) for item in value] if isinstance(value, list) else value


def _left_out(variables: Variables) -> list[str]:
    """Return the warning about fields that do not become variables, if there are any."""
    if not variables.left_out:
        return []
    names = first_of(sorted(variables.left_out), _NAMED_IN_WARNING)
    return [f"variable_prefix: some fields are left out, because they would set variables of Ansible: {names}."]


def _completed(link: Mapping[str, Any], place: Node) -> dict[str, Any]:
    """Return a link with the members that the instance left out.

    The place is known, so the result is the same on every instance.
    """
    known = {"id": place.record.get("id"), "uuid": place.record.get("uuid"), "display_name": place.own_name}
    return {**known, **{member: value for member, value in link.items() if value is not None}}


# ---- names


class _Names:
    """Give each record a unique name."""

    def __init__(self, noun: str, taken: Iterable[str]) -> None:
        self._noun = noun
        self._taken = set(taken)
        self._renamed: list[tuple[str, str]] = []

    def give(self, wanted: str, record: Shown) -> str:
        name = next(name for name in self._choices(wanted, record) if name not in self._taken)
        self._taken.add(name)
        if name != wanted:
            self._renamed.append((wanted, name))
        return name

    @staticmethod
    def _choices(wanted: str, record: Shown) -> Iterator[str]:
        yield wanted
        for key in ("id", "uuid"):
            if record.get(key):
                yield as_name(f"{wanted}_{variable_key(str(record[key]))}")
        number = 2
        while True:
            yield as_name(f"{wanted}_{number}")
            number += 1

    def warnings(self) -> list[str]:
        if not self._renamed:
            return []
        shown = first_of([f"{name!r} for {wanted!r}" for wanted, name in self._renamed], _NAMED_IN_WARNING)
        return [f"Some {self._noun} would have had a name that is already in use, so they got a suffix: {shown}."]
