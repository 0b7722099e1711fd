# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Find the belongings of a person: the objects that name the person, or the user with the same e-mail address."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from ...module_utils.client.record import Record
from ...module_utils.errors import InvalidInput
from ...module_utils.model.field import EMPTY, readable
from ...module_utils.model.kinds import OBJECT, PERSON, SERVER_KEYS, USER, Kind
from ...module_utils.model.names import normal_address
from ...module_utils.model.schema import type_of
from ...module_utils.printing.cleaner import clean
from .lists import ObjectLists

_TO_PERSONS, _TO_USERS = "LINKED_PERSON", "LINKED_USER"
_Named = tuple[Record, list[str]]


@dataclass(frozen=True)
class Person:
    """A person.

    :ivar user: the user with the same e-mail address; None if there is none.
    :ivar doubt: why there may be a user although none was found; empty without a doubt.
    """

    record: Record
    user: Record | None
    doubt: str = ""

    @classmethod
    def from_option(cls, lists: ObjectLists, option: str, written: Any) -> Person:
        """Return the person that an option names.

        :raises InvalidInput: if there is none, or if two users have the e-mail address.
        """
        record = lists.record_named(option, PERSON, written)
        email = record.flat.get("email")
        accounts = lists.state.records(USER)
        linked = [user for user in accounts if user.uuid == record.flat.get("user_uuid")]
        users = linked or [user for user in accounts if email and _is_same(user.flat.get("email"), email)]
        if len(users) > 1:
            raise InvalidInput(f"{option}: {len(users)} users have the e-mail address of this person")
        if users:
            return cls(record, users[0])
        emails = [of.flat.get("email") for of in (record, *accounts)]
        is_known = all(isinstance(email, str) or email in EMPTY for email in emails)
        doubt = "" if is_known else "an e-mail address is in an unknown form"
        return cls(record, None, "no list shows the user of this person" if record.flat.get("user_uuid") else doubt)

    @property
    def email(self) -> str:
        """The e-mail address; empty if unknown."""
        return readable(self.record.flat.get("email"))

    @property
    def full_name(self) -> str:
        """The first and the last name."""
        names = (self.record.flat.get("first_name"), self.record.flat.get("last_name"))
        return " ".join(filter(None, map(readable, names)))

    @property
    def words(self) -> str:
        """The name of the person in reports."""
        words = f"{self.full_name} ({self.email})" if self.full_name and self.email else self.full_name or self.email
        return clean(words)

    def in_field(self, type_name: str) -> Record | None:
        """Return the record by which a field of a type names this person, or None if the type names no persons."""
        return self.record if type_name == _TO_PERSONS else self.user if type_name == _TO_USERS else None


def _is_same(address: Any, other: Any) -> bool:
    return isinstance(address, str) and isinstance(other, str) and normal_address(address) == normal_address(other)


def fields_of_people(lists: ObjectLists, kind: Kind = OBJECT) -> list[str]:
    """Return the keys of the writable fields of a kind that name persons or users."""
    return [
        field.key
        for field in lists.schema_of(kind).fields.values()
        if field.type in (_TO_PERSONS, _TO_USERS) and field.key not in SERVER_KEYS and type_of(field).writable
    ]


def records_of(lists: ObjectLists, person: Person, records: Iterable[Record], kind: Kind = OBJECT) -> Iterator[_Named]:
    """Yield each record of a kind that names a person, with the keys of the fields that do."""
    fields = lists.schema_of(kind).fields
    people = {key: person.in_field(fields[key].type) for key in fields_of_people(lists, kind)}
    for record in records:
        named = [key for key, known in people.items() if lists.refers_to(key, record, known)]
        if named and record.uuid != person.record.uuid:
            yield record, named
