# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A record in an answer of the service."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..errors import OutcomeUnknown
from ..model.field import EMPTY, integer_of, is_uuid
from ..model.kinds import ARCHIVED_AT, Kind, flatten
from .limits import MOST_FIELDS, LimitExceeded
from .transport import Response


@dataclass(slots=True)
class Record:
    """A record as the service returns it: its uuid, its integer id if reported, and its fields.

    :ivar flat: the fields as a map of unparsed values.
    :ivar is_whole: True if the record was read by itself. A list may leave members out.
    """

    kind: Kind
    uuid: str
    id: int | None
    flat: Mapping[str, Any] = field(default_factory=dict)
    is_whole: bool = False

    @classmethod
    def from_answer(cls, kind: Kind, raw: Mapping[str, Any]) -> Record:
        """Create a record from a member of an answer."""
        return cls.from_flat(kind, flatten(kind, raw))

    @classmethod
    def from_flat(cls, kind: Kind, flat: Mapping[str, Any]) -> Record:
        """Create a record from a flat map of fields."""
        uuid = ""
        for key in kind.uuid_keys:
            if is_uuid(found := flat.get(key)):
                # Reuse the text if it is in lower case already: most are, and lists are long.
                uuid = found if found.islower() else found.lower()
                break
        return cls(kind, uuid, integer_of(flat.get("id")), flat)

    def completed_by(self, alone: Record) -> Record:
        """Return the record with all members that it has in a list or by itself."""
        return Record(self.kind, self.uuid, self.id, {**self.flat, **alone.flat}, is_whole=True)

    @property
    def identity(self) -> str:
        """Return the value that identifies the record in the paths of its kind: its uuid or its id."""
        return self.uuid or str(self.id)

    @property
    def is_known(self) -> bool:
        """Return True if the record can be distinguished from others.

        That takes a uuid, or the id that the paths of some kinds use, and the members that every record of the kind
        has.
        """
        key = self.kind.guaranteed_key
        is_marked = self.id is not None if self.kind.numbered else bool(self.uuid)
        return is_marked and (not key or isinstance(self.flat.get(key), str))

    @property
    def archived(self) -> bool | None:
        """Return True if the record is archived, and None if the answer does not say."""
        return self.flat[ARCHIVED_AT] not in EMPTY if ARCHIVED_AT in self.flat else None


def flat_record(kind: Kind, raw: Mapping[str, Any], answer: Response) -> Mapping[str, Any]:
    """Return a record of an answer as a flat map.

    :raises LimitExceeded: if it has too many fields.
    """
    flat = flatten(kind, raw)
    if len(flat) > MOST_FIELDS:
        raise LimitExceeded(
            f"{answer.endpoint}: a record in the answer has more than {MOST_FIELDS} fields; nothing of it was used."
        )
    return flat


def created_uuid(answer: Response, words: str) -> str:
    """Return the uuid of a created record, from a header of the answer.

    :param words: what was created, for the message.
    :raises OutcomeUnknown: if no header names it. The record may exist, or may be created later.
    """
    # The Location of a file ends in /data.
    path = answer.headers.get("Location", "").rstrip("/").removesuffix("/data")
    uuid = answer.headers.get("Location-UUID") or path.rpartition("/")[2]
    if not is_uuid(uuid):
        raise OutcomeUnknown(
            f"{answer.endpoint}: HTTP {answer.status}, but no header names the uuid of the new {words}.",
            answer.status,
            may_follow=True,
        )
    return uuid.lower()
