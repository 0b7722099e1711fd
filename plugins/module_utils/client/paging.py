# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read lists of records completely (section 4 of the interface).

An answer is the whole list only if the service proves it: by a total, or by a further page without new records.
"""

from __future__ import annotations

import itertools
import math
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from http import HTTPStatus
from typing import Any

from .. import errors
from ..model.field import integer_of, shorten
from ..model.kinds import Kind
from ..runtime.unpaged import UnpagedLists
from . import query
from .limits import Limits, ListLimit
from .query import PER_PAGE, Condition
from .record import Record, flat_record
from .transport import Response

#: Members of an answer that say that something failed, whatever its status is.
_ERRORS = ("error", "errors", "message", "detail", "title")
#: The forms of links in filters.
_LINK_FORMS = ("id", "uuid")
#: The errors with which an instance refuses the second page of a list that has no pages.
_NO_PAGES = (errors.InvalidRequest, errors.NotFound, errors.NotProcessable)
_SECOND = 2
_AT_A_TIME = 2
#: How often a list whose pages do not add up is read again before it is an error.
_READ_AGAIN = 3


@dataclass
class Lists:
    """The lists of one instance.

    :ivar ask: :meth:`.client.Client.read`.
    :ivar unpaged: the lists that are known to be complete in one answer.
    :ivar unique_keys: returns the keys of a kind that are unique according to the definitions read so far.
    """

    ask: Callable[[str, Sequence[tuple[str, str]]], Response]
    limits: Limits
    unpaged: UnpagedLists
    unique_keys: Callable[[Kind], Collection[str]]
    _link_forms: dict[tuple[str, tuple[str, ...]], str] = field(default_factory=dict)

    def read(
        self, kind: Kind, conditions: Sequence[Condition], parameters: Mapping[str, str], template: str
    ) -> list[Record]:
        """Return every record that the service finds, each once. The conditions may narrow the answer.

        :raises IncompleteList: if the pages do not add up, even after reading them again.
        """
        if any(condition.links for condition in conditions):
            return self._read_by_links(kind, conditions, template)
        return self._read_parts(kind, conditions, parameters, template)

    def _read_parts(
        self, kind: Kind, conditions: Sequence[Condition], parameters: Mapping[str, str], template: str
    ) -> list[Record]:
        found: dict[str, Record] = {}
        for part in query.split_long(conditions):
            found |= self._read_pages(_ListRequest(kind, part, parameters, template))
        if kind.cap and len(found) >= kind.cap:
            return self._read_capped(kind, parameters, template)
        return list(found.values())

    def _read_by_links(self, kind: Kind, conditions: Sequence[Condition], template: str) -> list[Record]:
        """Return the records with some links, and perhaps other records.

        Some instances compare the ids of links, others their uuids. The form that finds records is remembered. Until
        then, an empty answer proves nothing, and the list is read without these conditions.
        """
        by_links = tuple(condition.field for condition in conditions if condition.links)
        known = self._link_forms.get((kind.name, by_links))
        for form in (known,) if known else _LINK_FORMS:
            narrowed = [found for condition in conditions if (found := condition.in_form(form))]
            if len(narrowed) < len(conditions):
                continue
            records = self._read_parts(kind, narrowed, {}, template)
            if records or known:
                self._link_forms[kind.name, by_links] = form
                return records
        return self._read_parts(kind, [condition for condition in conditions if not condition.links], {}, template)

    def _read_capped(self, kind: Kind, parameters: Mapping[str, str], template: str) -> list[Record]:
        """Return a list that the service cuts, read by status."""
        if "status" in parameters:
            raise errors.IncompleteList(
                f"The list of {kind.plural} with the status {parameters['status']} has {kind.cap} records, which is "
                "the most that the service lists; it may be incomplete, so nothing is decided from it. Name the record "
                "by its uuid, or filter by deadline, assignees or author."
            )
        statuses = next(field.allowed for field in kind.fields if field.key == "status")
        parts = [{**parameters, "status": status} for status in statuses]
        found = {record.identity: record for part in parts for record in self._read_parts(kind, (), part, template)}
        return list(found.values())

    def _read_pages(self, request: _ListRequest) -> dict[str, Record]:
        """Return the records of a list.

        If somebody deletes a record while pages are read, a later record moves to an earlier page and is missed.
        """
        earlier: dict[str, Record] = {}
        for _attempt in range(_READ_AGAIN + 1):
            reading = self._read_once(request)
            if self._is_whole(request, reading, earlier):
                # Some instances also list archived records and include them in the total.
                records = _oldest_first(request.kind, reading.found.values())
                can_be_archived = request.kind.can_be_archived
                return {found.identity: found for found in records if not (can_be_archived and found.archived)}
            earlier = reading.found
        raise errors.IncompleteList.of_the_list(request.kind.plural, reading.total, len(reading.found), _READ_AGAIN + 1)

    def _is_whole(self, request: _ListRequest, reading: _Reading, earlier: Mapping[str, Record]) -> bool:
        """Return True if no record can be missing.

        If the newest records come first, a record that is created meanwhile is on no later page. So it can't make up
        for a missed one in the total of the first page. Otherwise two readings must agree.

        :param earlier: the records of the reading before.
        """
        if reading.total is not None and (reading.total != len(reading.found) or reading.is_newest_first):
            return reading.total == len(reading.found)
        if reading.pages < _SECOND or request.template or self._has_all_values(request, reading.found.values()):
            return True
        if not earlier:
            return False
        newest = max(record.id or 0 for record in earlier.values())
        old = {key for key, record in reading.found.items() if (record.id or 0) <= newest}
        return old == earlier.keys()

    def _read_once(self, request: _ListRequest) -> _Reading:
        """Read a list to its end. A short page is not the end."""
        reading = _Reading()
        found = reading.found
        for page in self._pages(request):
            reading.total = page.total if reading.total is None else reading.total
            if self._is_last(request, page, found):
                break
            reading.pages += 1
            found |= page.by_identity
            total, records = reading.total, found.values()
            if len(found) >= total if total is not None else self._needs_no_proof(request, records, reading.pages):
                break
        return reading

    def _is_last(self, request: _ListRequest, page: Page, found: Mapping[str, Record]) -> bool:
        """Return True if a page is empty or repeats earlier ones.

        :param found: the records of earlier pages.
        """
        if not page.by_identity.keys() <= found.keys():
            return False
        if page.number > page.size:
            # The page has more records than requested, so the instance does not page this list.
            self.unpaged.note(request.kind.name, request.part, len(found))
        return True

    def _needs_no_proof(self, request: _ListRequest, found: Collection[Record], pages: int) -> bool:
        """Return True if a list without a total needs no further proof.

        Each requested value of a unique key has its record, or the list is known to be complete in one answer.

        :param pages: the number of pages with these records. A second one disproves what is known of the list.
        """
        kind = request.kind
        if not kind.sort and pages == 1 and (kind.newest or self.unpaged.has(kind.name, request.part, len(found))):
            return True
        return self._has_all_values(request, found)

    def _has_all_values(self, request: _ListRequest, found: Collection[Record]) -> bool:
        """Return True if each requested value of a unique key has its record."""
        unique = self.unique_keys(request.kind)
        for condition in request.conditions:
            if condition.field in unique and condition.operator in ("eq", "in"):
                have = {str(record.flat.get(condition.field)) for record in found}
                return have.issuperset(map(str, condition.values))
        return False

    def _pages(self, request: _ListRequest) -> Iterator[Page]:
        """Yield the pages of a list in order.

        If the total is reported, later pages are requested while an earlier page is read: never more pages than exist,
        and none of a list that is too long. A list that has no pages according to the description may refuse a second
        one (4xx), which proves that it has none. A service that fails (5xx) proves nothing.
        """
        kind = request.kind
        limit = ListLimit(self.limits, kind.plural, PER_PAGE)
        page = Page.from_answer(kind, self._ask_page(request, 1))
        limit.add(page.length, page.number, page.total)
        yield page
        size = PER_PAGE if kind.sort else _size_unlike(page.number)
        ask = partial(self._ask_page, request, size=size)
        answers = _prefetched(ask, range(2, math.ceil((page.total or 0) / size) + 1))
        for number in itertools.count(2):
            try:
                answer = next(answers, None) or ask(number)
            except (*_NO_PAGES, errors.MethodNotAllowed, errors.InternalError) as refused:
                if refused.status > HTTPStatus.INTERNAL_SERVER_ERROR:
                    raise
                if kind.sort or page.total is not None or not isinstance(refused, _NO_PAGES):
                    length = "no total" if page.total is None else f"{page.total} records"
                    raise errors.IncompleteList(
                        f"The list of {kind.plural} has {length}, and its page {number} can't be read, so the rest of "
                        f"the list is unknown. Nothing is decided from it. ({refused.message})"
                    ) from refused
                if number == _SECOND:
                    self.unpaged.note(kind.name, request.part, page.number)
                return
            page = Page.from_answer(kind, answer, size)
            limit.add(page.length, page.number, page.total)
            yield page

    def _ask_page(self, request: _ListRequest, number: int, size: int = PER_PAGE) -> Response:
        kind, paging = request.kind, []
        if kind.sort or number > 1:
            paging = [("page", str(number)), ("per_page", str(size)), *order_pairs(kind, "DESC")]
        return self.ask(kind.list_path.format(template=request.template), [*request.pairs, *paging])

    def first(self, kind: Kind, number: int, pairs: Sequence[tuple[str, str]]) -> Page:
        """Return the first records of a list with one request.

        :param number: the number of records. :param pairs: further query parameters, such as the order.
        """
        paging = [("page", "1"), ("per_page", str(number))]
        return Page.from_answer(kind, self.ask(kind.list_path, [*paging, *pairs]))

    def first_page(self, kind: Kind) -> tuple[list[Record], bool]:
        """Return the first page of a kind, and whether the service proves that it has all records."""
        request = _ListRequest(kind)
        pages = self._pages(request)
        page = next(pages)
        records = _oldest_first(kind, page.records)
        if page.total is not None or not records:
            return records, page.number >= (page.total or 0)
        if kind.sort or not self.unpaged.has(kind.name, request.part, page.number):
            try:
                following = next(pages, None)
            except errors.IncompleteList:
                return records, False
            if following and not self._is_last(request, following, page.by_identity):
                return records, False
        return records, not kind.newest or page.number < kind.newest


def _prefetched(ask: Callable[[int], Response], numbers: Iterable[int]) -> Iterator[Response]:
    """Yield answers in order, and request the next two meanwhile. More requests at a time would be a burst.

    :param ask: sends the request for the page with a number.
    """
    rest = iter(numbers)
    with ThreadPoolExecutor() as pool:
        requested = deque(pool.submit(ask, number) for number in itertools.islice(rest, _AT_A_TIME))
        while requested:
            answer = requested.popleft().result()
            requested.extend(pool.submit(ask, number) for number in itertools.islice(rest, 1))
            yield answer


def _oldest_first(kind: Kind, records: Iterable[Record]) -> list[Record]:
    """Return records in the order of their ids, or else of their uuids. An unsorted list stays as it is."""
    return sorted(records, key=lambda record: (record.id or 0, record.uuid)) if kind.sort else list(records)


def _size_unlike(length: int) -> int:
    """Return the page size for the second request of a list that the interface describes as unpaged.

    It is smaller than the first answer. So if the second answer is as long as the first, the list has no pages.

    :param length: number of records in the first answer. A list of up to two records gets pages of its length.
    """
    return min(length - 1 if length > 2 else max(length, 1), PER_PAGE)


def order_pairs(kind: Kind, direction: str) -> list[tuple[str, str]]:
    """Return the parameters that sort a list; none for a kind whose list can't be sorted."""
    if not kind.sort:
        return []
    by_name = [("sort_by", kind.sort), ("order", direction.lower())] if "sort_by" in kind.sort_parameters else []
    return [*by_name, (f"sort[{kind.sort}]", direction)] if "sort" in kind.sort_parameters else by_name


@dataclass(frozen=True)
class _ListRequest:
    """The requested list: the records of a kind that match some conditions.

    :ivar parameters: the query parameters of tasks.
    """

    kind: Kind
    conditions: Sequence[Condition] = ()
    parameters: Mapping[str, str] = field(default_factory=dict)
    template: str = ""

    @property
    def pairs(self) -> list[tuple[str, str]]:
        return [*self.parameters.items(), *(pair for condition in self.conditions for pair in condition.pairs())]

    @property
    def part(self) -> str:
        """Return the key of this list among the lists of its kind."""
        return " ".join((self.template, *("=".join(pair) for pair in self.pairs)))


@dataclass
class _Reading:
    """One reading of a list.

    :ivar found: its records, by identity. :ivar pages: number of its pages with new records.
    :ivar total: the total of the first page, or None.
    """

    found: dict[str, Record] = field(default_factory=dict)
    pages: int = 0
    total: int | None = None

    @property
    def is_newest_first(self) -> bool:
        """Return True if the ids of the records decrease."""
        ids = [record.id for record in self.found.values() if record.id is not None]
        return len(ids) == len(self.found) and all(one > following for one, following in itertools.pairwise(ids))


@dataclass(frozen=True)
class Page:
    """One answer of a list.

    :ivar by_identity: its records. :ivar number: of records, those that are repeated included.
    :ivar total: as reported, or None. :ivar size: as requested.
    :ivar length: of the answer in bytes.
    """

    by_identity: dict[str, Record]
    number: int
    total: int | None
    size: int
    length: int

    @property
    def records(self) -> list[Record]:
        """Return the records, each once."""
        return list(self.by_identity.values())

    @classmethod
    def from_answer(cls, kind: Kind, answer: Response, size: int = PER_PAGE) -> Page:
        decoded = answer.json()
        envelope: Mapping[str, Any] = decoded if isinstance(decoded, Mapping) else {}
        items = envelope.get("items") if envelope else decoded
        error = next((envelope[name] for name in _ERRORS if envelope.get(name)), None)
        if error is not None:
            # An error beside an empty list does not mean that there are no records.
            raise errors.SeventhingsError(
                f"{answer.endpoint}: expected a list of records, got the error {shorten(error)}."
            )
        if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
            raise errors.SeventhingsError(
                f"{answer.endpoint}: expected a list of records or {{items: [...]}}, got something else."
            )
        records = [Record.from_flat(kind, flat_record(kind, item, answer)) for item in items]
        if not all(record.is_known for record in records):
            # In an unknown shape no record would be recognised, and all of them would be created again.
            mark = "an id" if kind.numbered else "a uuid"
            besides = f" and a {kind.guaranteed_key}" if kind.guaranteed_key else ""
            raise errors.SeventhingsError(
                f"{answer.endpoint}: expected records with {mark}{besides}, got something else."
            )
        found = _by_identity(records, answer)
        return cls(found, len(records), integer_of(envelope.get("total")), size, len(answer.body))


def _by_identity(records: Iterable[Record], answer: Response) -> dict[str, Record]:
    """Return the records of a page by their identities.

    :raises SeventhingsError: if different records share one.
    """
    found: dict[str, Record] = {}
    for record in records:
        identity = record.identity
        first = found.setdefault(identity, record)
        if first is not record and first.flat != record.flat:
            raise errors.SeventhingsError(
                f"{answer.endpoint}: expected each record once, got different records with the identity {identity}."
            )
    return found
