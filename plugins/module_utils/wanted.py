# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What was written for one record, as values: types, files on this machine, time zone; each finding with its place."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from .attachments import check_local
from .desired import DesiredInstance, Entry, Place
from .links import Attachment, attachments_in
from .quick import Quick
from .schema import Schema

_NAIVE = re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2})?")


class Wanted:
    """Reads records as they shall be.

    :param find: is told what is wrong, and where.
    """

    def __init__(self, desired: DesiredInstance, find: Callable[[Place, str], None]) -> None:
        self._find = find
        self._zone = ZoneInfo(desired.timezone) if desired.timezone else None
        self._quick: dict[str, Quick] = {}
        self._given_root = desired.root
        self._root = Path(desired.root or ".").resolve()

    def parse(self, schema: Schema, entry: Entry, fields: Mapping[str, Any], partial: bool = False) -> dict[str, Any]:
        """Canonical values of what fits.

        :param fields: those of the entry, or what is meant in their place.
        :param partial: the schema does not know every field there is, so one that it does not know is no finding.
        """
        if partial:
            fields = {name: value for name, value in fields.items() if schema.find(name) is not None}
        fields = self._with_offsets(schema, fields)
        quick = self._quick.get(schema.kind.name) or self._quick.setdefault(schema.kind.name, Quick(schema))
        values = quick.parse(fields)
        if values is None:
            values, findings = schema.parse(fields, "")
            if findings.errors or findings.unknown:
                self._judge_one_by_one(schema, entry, fields, [*findings.errors, *findings.unknown])
        for name, value in values.items():
            if value and isinstance(value, tuple):
                for attachment in attachments_in(value):
                    if attachment.path is not None:
                        self._localise(attachment, entry.place_of(name), name)
        return values

    def _judge_one_by_one(
        self, schema: Schema, entry: Entry, fields: Mapping[str, Any], messages: Iterable[str]
    ) -> None:
        """Each field once more by itself, to know which one is meant by which message."""
        left = dict.fromkeys(messages)
        for name, value in fields.items():
            _value, wrong = schema.parse({name: value}, "")
            for message in wrong.errors:
                self._find(entry.place_of(name), message)
                left.pop(message, None)
            for message in wrong.unknown:
                self._find(entry.place_of_name(name), message)
                left.pop(message, None)
        for message in left:
            self._find(entry.place_of(message.partition(":")[0]), message)

    def _localise(self, attachment: Attachment, place: Place, name: str) -> None:
        """Makes a path absolute; one that leads outside the directory of the files is refused."""
        attachment.written = str(attachment.path)
        path = (self._root / attachment.written).resolve()
        if self._given_root and not path.is_relative_to(self._root):
            self._find(place, f"{name}: {attachment.written} leads outside of {self._given_root}")
            return
        attachment.path = str(path)
        for problem in check_local(attachment, name):
            self._find(place, problem)

    def _with_offsets(self, schema: Schema, fields: Mapping[str, Any]) -> Mapping[str, Any]:
        if self._zone is None:
            return fields
        completed = {}
        for name, value in fields.items():
            of = schema.find(name)
            if of is None or of.type != "DATETIME":
                continue
            if isinstance(value, str) and _NAIVE.fullmatch(value):
                try:
                    value = dt.datetime.fromisoformat(value)
                except ValueError:
                    continue
            if isinstance(value, dt.datetime) and value.tzinfo is None:
                completed[name] = value.replace(tzinfo=self._zone).isoformat(timespec="seconds")
        return {**fields, **completed} if completed else fields
