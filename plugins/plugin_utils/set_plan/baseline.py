# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What was last applied, as a short keyed digest of each field. It shows whose change a difference is."""

from __future__ import annotations

import base64
import datetime as dt
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from ...module_utils.client.files import content_of
from ...module_utils.errors import SeventhingsError
from ...module_utils.model.field import EMPTY, in_digits
from ...module_utils.model.names import normal_name
from ...module_utils.model.schema import Schema, type_of
from ...module_utils.model.types_links import Attachment, Reference

FILES, APPLICATION, BOTH, UNKNOWN = "files", "application", "both", "unknown"
#: Who changed a value since it was last applied.
SIDES = (FILES, APPLICATION, BOTH, UNKNOWN)

_NAME_BYTES = 4
_VALUE_BYTES = 6
_FIELD_BYTES = _NAME_BYTES + _VALUE_BYTES

#: Attachments have a second digest, of what the files say, because the instance shows only the uuids of its files.
_WRITTEN = " files"

#: Follows the name of a field with a value that absorb wrote. The files may never get it, such as from a pull request
#: that nobody merges, so the value that they had is noted, too.
TAKEN = " taken"

#: Whether the files, and the instance, have what was noted, to the side that changed it. If both have it, the
#: application undid a change that absorb wrote.
_SIDES = {(False, True): FILES, (True, False): APPLICATION, (False, False): BOTH, (True, True): APPLICATION}


@dataclass
class Baseline:
    """The digests of the records of a set, as they were last applied.

    :ivar key: of all digests.
    :ivar records: identifier of a record to the digests of its fields, in base64.
    :ivar highest: name of a kind to the highest id in its list.
    :ivar noted: the digests of the records that this run notes.
    """

    key: bytes
    records: Mapping[str, str] = field(default_factory=dict)
    highest: dict[str, int] = field(default_factory=dict)
    noted: dict[str, str] = field(default_factory=dict)
    _heads: dict[str, bytes] = field(default_factory=dict, repr=False)

    def digest(self, schema: Schema, values: Mapping[str, Any], part: str = "") -> bytes:
        """Return the digests of some fields: of each, four bytes for its name and six for its value.

        :param values: canonical values by field key; references are resolved. :param part: follows the names.
        """
        found = []
        for key, value in values.items():
            name = name_of(schema, key)
            if isinstance(value, tuple) and type_of(schema.fields[key]).shape == "renter":
                found += [self._field(name, _normal(schema, key, ("text", text)), part) for text in _texts_of(value)]
            found.append(self._field(name, _normal(schema, key, value), part))
            if _is_of_files(schema, key):
                found.append(self._field(name + _WRITTEN, json.dumps(sorted(map(_written, value), key=str))))
        return b"".join(found)

    def verdict(self, noted: bytes, now: bytes, name: str, also: str = "") -> bool | None:
        """Return True if a field is as it was noted, or None if nothing was noted about it.

        :param name: of the field, see :func:`name_of`. :param also: :data:`TAKEN` if it may be as absorb wrote it.
        """
        head = self._head(name)
        before = {*_values(noted, head), *_values(noted, self._head(name + also))}
        return not before.isdisjoint(_values(now, head)) if before else None

    def side(self, mark: str, schema: Schema, key: str, written: Any, now: Any) -> str:
        """Return whose change a difference is.

        :param mark: the identifier of the record. :param written: the value in the files.
        :param now: the value of the instance.
        """
        name, noted = name_of(schema, key), self._noted(mark)
        if isinstance(written, Mapping) and isinstance(now, Mapping):
            # Maps are merged, so only the written members count.
            now = {part: now.get(part) for part in written}
        of_files = name + _WRITTEN if _is_of_files(schema, key) else name
        # The last digest is that of the value itself. Texts in place of a renter do not say who it is.
        ours = self.verdict(noted, self.digest(schema, {key: written})[-_FIELD_BYTES:], of_files, TAKEN)
        theirs = self.verdict(noted, self.digest(schema, {key: now}), name)
        return UNKNOWN if ours is None or theirs is None else _SIDES[ours, theirs]

    def is_as_noted(self, mark: str, schema: Schema, values: Mapping[str, Any], also: str = TAKEN) -> bool | None:
        """Return True if no noted field of a record was changed since, or None if nothing was noted about them.

        :param also: empty if values that absorb wrote count as changed.
        """
        noted, now = self._noted(mark), self.digest(schema, values)
        found = {self.verdict(noted, now, name_of(schema, key), also) for key in values} - {None}
        return all(found) if found else None

    def note(
        self, mark: str, schema: Schema, values: Mapping[str, Any], kept: Iterable[str] = (), more: bytes = b""
    ) -> None:
        """Note a record.

        :param values: the fields whose values the files and the instance share now, or which the files had before.
        :param kept: the keys of fields that keep what was noted about them.
        :param more: digests of other values.
        """
        noted = self._noted(mark)
        heads = [self._head(name_of(schema, key) + part) for key in kept for part in ("", _WRITTEN, TAKEN)]
        old = b"".join(head + value for head in heads for value in _values(noted, head))
        self.noted[mark] = base64.b64encode(self.digest(schema, values) + old + more).decode("ascii")

    def _noted(self, mark: str) -> bytes:
        """Return what was noted about a record. Whoever wrote the memory may have written anything."""
        try:
            return base64.b64decode(self.records.get(mark, ""))
        except ValueError:
            return b""

    def _head(self, name: str) -> bytes:
        if name not in self._heads:
            self._heads[name] = hashlib.blake2b(name.encode(), digest_size=_NAME_BYTES, key=self.key).digest()
        return self._heads[name]

    def _field(self, name: str, value: str, part: str = "") -> bytes:
        content = f"{name}\0{value}".encode(errors="surrogatepass")
        return self._head(name + part) + hashlib.blake2b(content, digest_size=_VALUE_BYTES, key=self.key).digest()


def combined(sides: Iterable[str]) -> str:
    """Return the side of a record from those of its fields. Fields of an unknown side don't count."""
    known = {*sides} - {UNKNOWN}
    return BOTH if len(known) > 1 else next(iter(known), UNKNOWN)


def name_of(schema: Schema, key: str) -> str:
    """Return a name of a field that does not depend on its label or on its spelling in the files."""
    return f"{schema.kind.name} {schema.fields[key].wire_key}"


def _is_of_files(schema: Schema, key: str) -> bool:
    return type_of(schema.fields[key]).shape == "attachments"


def _texts_of(renter: tuple[str, Any]) -> Iterable[str]:
    """Return the texts of which some instances return one instead of a renter."""
    kind, who = renter
    return (who.uuid, *who.names) if kind == "user" else (who,)


def _written(file: Attachment) -> list[str | None]:
    """Return an attachment as the files say it: name and content, or a uuid."""
    if file.path is None:
        return [file.uuid]
    try:
        return [file.name, file.digest or hashlib.sha256(content_of(file)).hexdigest()]
    except (OSError, SeventhingsError):
        return []


def _values(digests: bytes, head: bytes) -> Iterator[bytes]:
    """Yield the digests of the values of a field: one, unless another field has the same digest of its name."""
    for at in range(0, len(digests), _FIELD_BYTES):
        if digests.startswith(head, at):
            yield digests[at + _NAME_BYTES : at + _FIELD_BYTES]


def _normal(schema: Schema, key: str, value: Any) -> str:
    """Return a value as a text that is equal for all values with the same meaning."""
    if value.__class__ is str and type_of(schema.fields[key]).same_as is None:
        # Most values are texts, and there are a great many of them.
        return f"text {normal_name(value)}"
    if isinstance(value, tuple) and (len(value) < 2 or schema.equal(key, value, value[::-1])):
        # The order has no meaning, and a record has nothing twice.
        return json.dumps(sorted({str(_plain(schema, key, item)) for item in value}))
    return json.dumps(_plain(schema, key, value), sort_keys=True, default=str)


def _plain(schema: Schema, key: str, value: Any) -> Any:
    if value in EMPTY:
        return None
    if isinstance(value, tuple):
        return [_plain(schema, key, item) for item in value]
    if isinstance(value, Mapping):
        # The values of each member of a definition are a set.
        return {name: sorted(map(str, member or ())) for name, member in value.items()}
    if isinstance(value, Reference):
        return value.uuid or str(value.id)
    if isinstance(value, Attachment):
        return value.uuid
    definition = schema.fields[key]
    same_as = type_of(definition).same_as
    value = same_as(value, definition) if same_as is not None else value
    if isinstance(value, dt.datetime):
        return value.astimezone(dt.UTC).isoformat()
    if isinstance(value, Decimal):
        return in_digits(value, 0)
    return normal_name(value) if isinstance(value, str) else value
