# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of records in an inventory. They never replace names of Ansible, of another source, or of another file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import accumulate

from ansible import constants
from ansible.inventory.group import to_safe_group_name
from ansible.vars.reserved import is_reserved_name

from ...module_utils.errors import InvalidInput
from ...module_utils.printing.cleaner import clean

_ANSIBLES_GROUPS = ("all", "ungrouped", "_meta")
_ANSIBLES_NAMES = frozenset([*_ANSIBLES_GROUPS, *constants.LOCALHOST, *constants.INTERNAL_STATIC_VARS])
#: Magic variables, and names that templates call.
#:
#: A variable named like a keyword of a play, such as ``name``, is harmless.
_ANSIBLES_VARIABLES = constants.INTERNAL_STATIC_VARS.union(
    ["cycler", "dict", "joiner", "lipsum", "lookup", "namespace", "now", "omit", "q", "query", "range", "undef", "vars"]
)
#: The characters that begin a variable in ``os.path.expandvars``.
_OF_THE_ENVIRONMENT = re.compile(r"\$(?=\w|\{)")


# ---- texts that become names


def one_line(text: object) -> str:
    """Return a text without line breaks and surplus spaces; empty for None."""
    return "" if text is None else " ".join(str(text).split())


def literal(text: str) -> str:
    """Return a name without references to environment variables.

    Ansible looks for files by the name, and would replace ``$NAME`` by a value that may lead to another file.
    """
    return _OF_THE_ENVIRONMENT.sub("_", text)


def as_part(text: str) -> str:
    """Return a text as one part of a name whose parts are separated by slashes."""
    return clean(text.replace("/", "_"))


def group_name(prefix: str, text: str) -> str:
    """Return a valid group name. A leading digit is kept, so that ``1 Main St`` and ``2 Main St`` stay different."""
    name = f"{prefix}{text}"
    return str(to_safe_group_name(f"_{name}" if name[:1].isdigit() else name, force=True, silent=True))


def check_host_name(name: str, may_join: bool) -> None:
    """Check the name of a host.

    :raises InvalidInput: for a name that Ansible would look for outside ``host_vars``, and for a name without a slash,
        because machines have such names.
    """
    if any(part in ("", ".", "..") for part in name.split("/")):
        raise InvalidInput(
            f"hostname: {name!r} can't be the name of a host: no part between slashes may be empty, "
            ". or .. ; rename the record, or write another hostname"
        )
    if "/" not in name and not may_join:
        raise InvalidInput(
            f"hostname: {name!r} could be the name of a machine of another source; write a name with a /, such as "
            f"host_prefix: 'places/', or set existing: join"
        )


# ---- used names


@dataclass(frozen=True)
class Earlier:
    """Hosts and groups of earlier sources.

    :ivar may_join: True if the option ``existing`` is ``join``: a host or a group may already exist.
    """

    hosts: frozenset[str]
    groups: frozenset[str]
    may_join: bool

    @classmethod
    def from_names(cls, hosts: Iterable[str], groups: Iterable[str], existing: str) -> Earlier:
        return cls(frozenset(hosts), frozenset(groups).difference(_ANSIBLES_GROUPS), existing == "join")

    def check_host(self, name: str) -> None:
        """Check that a host does not belong to another source.

        :raises InvalidInput: if it does.
        """
        options = "host_prefix or another hostname"
        self._check("hostname", options, "host", name, self.hosts, self.groups)
        folders = list(accumulate(name.split("/")[:-1], "{}/{}".format))
        owner = next((folder for folder in folders if folder in self.hosts), None)
        if owner and not self.may_join:
            raise InvalidInput(
                f"hostname: {name!r} would get variables from the directory host_vars/{owner}, which belongs to a host "
                f"of an earlier source; set {options}, or existing: join"
            )

    def check_group(self, name: str, option: str) -> None:
        """Check that a group does not belong to another source.

        :param option: the option with the name.
        :raises InvalidInput: if it does.
        """
        self._check(option, f"another {option}", "group", name, self.groups, self.hosts)

    def _check(
        self, option: str, options: str, noun: str, name: str, same: frozenset[str], others: frozenset[str]
    ) -> None:
        why, join = "", ""
        if name in _ANSIBLES_NAMES or is_reserved_name(name):
            why = "it has a meaning in Ansible"
        elif name in others:
            # Ansible would set the variables of one on the other.
            why = f"a {'group' if noun == 'host' else 'host'} of an earlier source has that name"
        elif name in same and not self.may_join:
            why, join = f"an earlier source has a {noun} of that name", ", or existing: join"
        if why:
            raise InvalidInput(f"{option}: no {noun} can be called {name!r}, because {why}; set {options}{join}")


# ---- variables


def variable_key(key: str) -> str:
    """Return a field key as part of a variable name, for which Ansible accepts only ASCII letters."""
    return re.sub(r"\W", "_", key, flags=re.ASCII)


@dataclass
class Variables:
    """Names of variables from field keys.

    :ivar prefix: the prefix of each variable.
    :ivar left_out: the names that would have set a variable of Ansible.
    """

    prefix: str
    left_out: set[str] = field(default_factory=set)
    _names: dict[str, str | None] = field(default_factory=dict)

    def named(self, keys: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Yield each key that may become a variable, with the name of the variable."""
        for key in keys:
            if key not in self._names:
                self._names[key] = self._name(key)
            name = self._names[key]
            if name is not None:
                yield key, name

    def _name(self, key: str) -> str | None:
        name = self.prefix + variable_key(key)
        if name.startswith("ansible_") or name in _ANSIBLES_VARIABLES:
            self.left_out.add(name)
            return None
        return name
