# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Days and times that people write: the window of a stocktake, and the times of scans."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from ...module_utils.errors import InvalidInput
from ...module_utils.model.dates import DateReader
from ...module_utils.model.field import InvalidValue, shorten
from ...module_utils.model.zones import zone_of

#: Reads days as people write them in options and lists without settings.
READER = DateReader(["%d.%m.%Y"])

Moment = dt.datetime


def ends_of(time: dt.date, zone: dt.tzinfo) -> tuple[Moment, Moment]:
    """Return the beginning and the end of a day, or a time twice.

    :param zone: of a day, and of a time without an offset.
    """
    if isinstance(time, dt.datetime):
        moment = time if time.tzinfo is not None else time.replace(tzinfo=zone)
        return moment, moment
    first = dt.datetime.combine(time, dt.time(), zone)
    return first, first + dt.timedelta(days=1, microseconds=-1)


@dataclass(frozen=True)
class Window:
    """The time span of a stocktake, both ends included.

    :ivar since: None if there is no beginning.
    :ivar until: None if there is no end.
    :ivar zone: the time zone of days, because a field may have days instead of times.
    """

    since: Moment | None = None
    until: Moment | None = None
    zone: dt.tzinfo = dt.UTC

    @classmethod
    def from_task(cls, since: str | None, until: str | None, timezone: str) -> Window:
        """Return the window that two options of a task name.

        :raises InvalidInput: if one of them is neither a day nor a time, the end comes first, or there is no such zone.
        """
        zone = zone_of(timezone) if timezone else dt.UTC
        ends: list[Moment | None] = []
        for side, (name, text) in enumerate((("since", since), ("until", until))):
            try:
                ends.append(ends_of(READER.moment(text), zone)[side] if text else None)
            except InvalidValue as unfit:
                expected = "expected a day such as 2025-11-17 or a time such as 2025-11-17T08:30:00+01:00"
                raise InvalidInput(f"{name}: {shorten(text)} does not fit; {expected}") from unfit
        begins, ends_at = ends
        if begins is not None and ends_at is not None and begins > ends_at:
            raise InvalidInput(f"until: {shorten(until)} is before since ({since}); swap them")
        return cls(begins, ends_at, zone)

    def contains(self, time: dt.date | None) -> bool:
        """Return True if a time, or any part of a day, is inside."""
        if time is None:
            return False
        first, last = ends_of(time, self.zone)
        return (self.since is None or last >= self.since) and (self.until is None or first <= self.until)
