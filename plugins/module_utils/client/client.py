# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The operations on kinds of records: list completely, get, create, change, delete (section 4 of the interface)."""

from __future__ import annotations

import contextlib
import datetime as dt
import itertools
import json
import math
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from http import HTTPStatus
from typing import Any, TypeVar
from urllib.parse import quote

from ..errors import (
    AccessTokenRefused,
    Ambiguous,
    IncompleteList,
    InternalError,
    InvalidRequest,
    ListMissing,
    MethodNotAllowed,
    NotFound,
    NotJson,
    NotProcessable,
    OutcomeUnknown,
    PermissionMissing,
    SeventhingsError,
    VersionTooOld,
)
from ..model.field import EMPTY, integer_of, is_uuid, shorten
from ..model.kinds import ARCHIVED_AT, FIELD_DEFINITION, Kind, flatten
from ..model.schema import Schema
from ..runtime.creations import Creations
from ..runtime.leftovers import Leftovers
from ..runtime.unpaged import UnpagedLists
from . import query
from .limits import MOST_FIELDS, LimitExceeded, ListLimit
from .prefetch import Prefetch
from .profile import HIDDEN_RECORDS, Profile
from .query import PER_PAGE, Condition
from .redaction import hide
from .rows import CompressedPage
from .tokens import Tokens
from .transport import Effect, Response, Transport

_READ_AGAIN = 2
"""How often a list whose pages do not add up is read again before it is an error."""
_MANY = 150_000
"""Number of records above which a list is kept compressed, because compressing takes time."""
_SAMPLE = 20
"""Number of records that is enough to learn which keys an instance returns."""
_MOST_WAITING = 8 << 20
"""Maximum number of bytes of a long list that wait to be compressed."""


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
            if is_uuid(flat.get(key)):
                # Reuse the text if it is in lower case already: most are, and lists are long.
                uuid = flat[key] if flat[key].islower() else flat[key].lower()
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


class Client:
    """A connection of one user to one instance. It caches definitions, and of records only their keys.

    :ivar creations: the locks for creations, which all processes of this user share.
    :ivar leftovers: uploads of failed tasks.
    :ivar uncertain: names of kinds whose list has several pages and no total. If somebody deletes a record while the
        pages are read, another record moves to an earlier page and is missed without a sign.
    :ivar unpaged: the kinds whose list is known to be complete in one answer.
    :ivar profile: the behaviour of the instance when it was probed, if known.
    """

    def __init__(
        self,
        transport: Transport,
        tokens: Tokens,
        creations: Creations | None = None,
        profile: Profile | None = None,
        leftovers: Leftovers | None = None,
        unpaged: UnpagedLists | None = None,
    ) -> None:
        self.transport = transport
        self.profile = profile
        self.tokens = tokens
        self.creations = Creations() if creations is None else creations
        self.leftovers = leftovers or Leftovers()
        self.unpaged = UnpagedLists() if unpaged is None else unpaged
        self.uncertain: set[str] = set()
        self._link_forms: dict[tuple[str, tuple[str, ...]], str] = {}
        self._definitions: dict[str, list[dict[str, Any]]] = {}
        self._samples: dict[str, list[Record]] = {}
        self._found_by: dict[tuple[str, Condition], list[Record] | None] = {}
        self._unknown_totals = threading.Lock()

    def send(self, method: str, path: str, effect: Effect = Effect.SAFE, **options: Any) -> Response:
        """Send a request with a token.

        If the token is refused, send the request once more with a new token: the service did not execute it.
        """
        token = self.tokens.current()
        try:
            answer = self.transport.request(method, path, effect=effect, token=token, **options)
        except AccessTokenRefused:
            answer = self.transport.request(method, path, effect=effect, token=self.tokens.replace(token), **options)
        if self.profile is not None:
            self.profile.check_answer(method, path, answer, self._known_types)
        return answer

    def _known_types(self, kind: Kind) -> Mapping[str, str]:
        """Return the types of the fields of a kind by key, or an empty map if its definitions were not read yet."""
        definitions = self._definitions.get(kind.template, ())
        fixed = {field.key: field.type for field in kind.fields}
        return fixed or {str(definition.get("field_key")): str(definition.get("type")) for definition in definitions}

    def without_credentials(self, value: Any) -> Any:
        """Return data of the instance without credentials.

        Call it before data is shown, never before data is compared: a masked value is not a different value.
        """
        return hide(self.tokens.secrets, value)

    # ---- definitions

    def definitions(self, template: str) -> list[dict[str, Any]]:
        """Return the field definitions of a template (asset, room, person), which are read once.

        :raises SeventhingsError: for a definition without a key or a type: its field would seem not to exist.
        """
        if template not in self._definitions:
            found = [dict(record.flat) for record in self.list_all(FIELD_DEFINITION, template=template)]
            for definition in found:
                if not has_key_and_type(definition):
                    label = shorten(definition.get("label"))
                    raise SeventhingsError(
                        f"The definition {label} of the template {template} has no field_key or no name of a "
                        "field_type, so its field is unknown. Nothing is decided from such a list."
                    )
            self._definitions[template] = found
        return self._definitions[template]

    def forget_definitions(self) -> None:
        """Forget the definitions after a change, so that the next use reads them again."""
        self._definitions.clear()
        self._samples.clear()
        self._found_by.clear()

    def schema(self, kind: Kind) -> Schema:
        """Return the fields that a kind has on this instance.

        This takes one request per template whose definitions were not read yet.
        """
        return Schema.for_kind(kind, self.definitions(kind.template) if kind.template else ())

    # ---- reading

    def list_all(
        self,
        kind: Kind,
        conditions: Sequence[Condition] = (),
        *,
        parameters: Mapping[str, str] | None = None,
        template: str = "",
    ) -> list[Record]:
        """Return every record of a kind that the service finds, each once.

        The service must prove that the list is complete: by a total, or by a page that is empty or repeats earlier
        records. No proof is needed if every requested value of a unique key has its record. The conditions only narrow
        the answer if the instance supports them, so callers compare each record again.

        :param conditions: the filters of section 4.8; sent only if the kind's list accepts them and they fit into a
            URL.
        :param parameters: the query parameters of tasks.
        :raises IncompleteList: if the pages do not add up, even after reading them again.
        """
        if kind.can_be_hidden and self.hides_records and _HIDDEN not in self.transport.warnings:
            self.transport.warnings.append(_HIDDEN)
        narrowed = list(conditions) if kind.filters == "query" and query.fits_url(conditions) else []
        try:
            if any(condition.links for condition in narrowed):
                return self._list_by_links(kind, narrowed)
            return self._list_all(kind, narrowed, parameters or {}, template)
        except (NotFound, MethodNotAllowed) as missing:
            if kind.is_later:
                words = f"This instance has no {kind.plural}: its version is too old for them."
                raise VersionTooOld(words) from missing
            if kind.identity or kind.defines_fields:
                raise
            words = f"This instance has no list of {kind.plural}. ({missing.message})"
            raise ListMissing(words) from missing
        except (InvalidRequest, NotProcessable, InternalError) as refused:
            # Not every instance supports every operator and field (a bad filter is a 400 or a 500), so read the whole
            # list.
            if not narrowed or refused.status > HTTPStatus.INTERNAL_SERVER_ERROR:
                raise
            return self._list_all(kind, [], parameters or {}, template)

    def _list_all(
        self,
        kind: Kind,
        conditions: Sequence[Condition],
        parameters: Mapping[str, str],
        template: str,
    ) -> list[Record]:
        found: dict[str, Record] = {}
        for part in query.split_long(conditions):
            listed = _ListRequest(kind, part, parameters, template)
            found.update((record.identity, record) for record in self._read_pages(listed))
        if kind.cap and len(found) >= kind.cap:
            return self._list_capped(kind, parameters, found.values())
        return list(found.values())

    def _list_by_links(self, kind: Kind, conditions: Sequence[Condition]) -> list[Record]:
        """Return at least the records that links lead to.

        Instances compare the ids of links, their uuids, or either. A form that found something is remembered. Until
        then an answer without records proves nothing, and the list is read without these conditions.
        """
        by_links = tuple(condition.field for condition in conditions if condition.links)
        side = self.profile.sides.get("filter_links", "") if self.profile else ""
        known = self._link_forms.get((kind.name, by_links)) or {"either": "id"}.get(side, side)
        for form in (known,) if known else ("id", "uuid"):
            narrowed = [found for condition in conditions if (found := condition.in_form(form))]
            if len(narrowed) < len(conditions):
                continue
            records = self._list_all(kind, narrowed, {}, "")
            if records or known:
                self._link_forms[kind.name, by_links] = form
                return records
        return self._list_all(kind, [condition for condition in conditions if not condition.links], {}, "")

    def _list_capped(self, kind: Kind, parameters: Mapping[str, str], read: Iterable[Record]) -> list[Record]:
        """Return a list that the service cuts, read in parts: by status first, then by deadline."""
        if "status" in parameters:
            parts = _deadline_parts(kind, parameters, read)
        else:
            statuses = next(field.allowed for field in kind.fields if field.key == "status")
            parts = [{**parameters, "status": status} for status in statuses]
        found = {record.identity: record for part in parts for record in self._list_all(kind, (), part, "")}
        return list(found.values())

    def _read_pages(self, request: _ListRequest) -> list[Record]:
        for _attempt in range(_READ_AGAIN + 1):
            found: dict[str, Record] = {}
            archived: set[str] = set()
            try:
                total = self._read_pages_into(found, archived, request)
            except LimitExceeded:
                # The error may be kept until somebody reads the list. Release the memory of the records now.
                found.clear()
                raise
            if total is None or total == len(found):
                # Some instances also list archived records and include them in the total.
                return [record for identity, record in found.items() if identity not in archived]
        raise IncompleteList(
            f"The list of {request.kind.plural} is inconsistent: the service reports a total of {total}, and its pages "
            f"have {len(found)} different records, even after reading {_READ_AGAIN + 1} times. Nothing is decided from "
            "it; try again when nobody else is writing."
        )

    def _read_pages_into(self, found: dict[str, Record], archived: set[str], request: _ListRequest) -> int | None:
        """Read a list to its end. A short page is not the end.

        :param found: collects the records, by uuid.
        :param archived: collects the uuids of the archived records.
        :returns: the total that the service reports, or None.
        """
        kind, total = request.kind, None
        limit = ListLimit(self.transport.limits, kind.plural, PER_PAGE)
        with contextlib.ExitStack() as alone:
            for number, page in enumerate(self._pages(request, limit), 1):
                fresh = [record for record in page.records if record.identity not in found]
                # A smaller total means that a record was deleted meanwhile. A record that moved to an earlier page is
                # then missing.
                total = None if page.total is None else max(page.total, total or 0)
                if self._is_last(kind, page, fresh):
                    break
                if number > 1 and not kind.sort:
                    self.unpaged.forget(kind.name)
                if total is None and number > 1 and not request.template:
                    self.uncertain.add(kind.name)
                if kind.can_be_archived:
                    archived.update(record.identity for record in fresh if record.archived)
                if (page.total or 0) > _MANY:
                    page.compress(kind)
                found.update((record.identity, record) for record in fresh)
                if len(found) >= total if total is not None else self._needs_no_proof(request, found.values()):
                    break
                if total is None and number == 2:
                    # The length of the list is unknown, so only one such list at a time may use the memory.
                    alone.enter_context(self._unknown_totals)
        if not kind.sort and not request.pairs:
            self.unpaged.count(kind.name, request.part, len(found))
        return total

    def _is_last(self, kind: Kind, page: Page, fresh: Collection[Record]) -> bool:
        """Return True if a page is empty or repeats earlier ones.

        :param fresh: the records of the page that no earlier page has.
        """
        if len(page.records) > page.size and not fresh:
            # The page has more records than requested, so the instance does not page this list.
            self.unpaged.note(kind.name)
        return not fresh

    def _is_unpaged(self, request: _ListRequest, records: int) -> bool:
        """Return True if a list is known to be complete in one answer, and has not become a page since."""
        kind = request.kind
        is_known = kind.name in self.unpaged or self.is_on("unpaged_lists", "whole", "refuse")
        return is_known and not self.unpaged.may_be_cut(kind.name, request.part, records)

    def _needs_no_proof(self, request: _ListRequest, found: Collection[Record]) -> bool:
        """Return True if a list without a total needs no further proof.

        Each requested value of a unique key has its record, or the list is known to be complete in one answer.
        """
        kind = request.kind
        if not kind.sort and (kind.newest or self._is_unpaged(request, len(found))):
            return True
        known = self.schema(kind).fields if kind.template in ("", *self._definitions) else {}
        unique = {"id", *kind.uuid_keys, *(field.wire_key for field in known.values() if field.unique)}
        for condition in request.conditions:
            if condition.field in unique and condition.operator in ("eq", "in"):
                have = {str(record.flat.get(condition.field)) for record in found}
                return have.issuperset(map(str, condition.values))
        return False

    def _pages(self, request: _ListRequest, limit: ListLimit) -> Iterator[Page]:
        """Yield the pages of a list in order.

        If the total is reported, later pages are requested while an earlier page is read: never more pages than exist,
        and none of a list that is too long.

        :param limit: counts the pages.
        """
        kind = request.kind
        page = self._page(request)
        limit.add(len(page.body), len(page.records), page.total)
        is_many = (page.total or 0) > _MANY
        if not is_many:
            yield page
        last = math.ceil((page.total or 0) / PER_PAGE) if kind.sort else 1
        size = PER_PAGE if kind.sort else _size_unlike(len(page.records))
        ask = partial(self._ask_page, request, size=size)
        with Prefetch(ask, range(2, last + 1), _MOST_WAITING if is_many else 0) as prefetch:
            if is_many:
                yield page
            for number in itertools.count(2):
                try:
                    answer = prefetch.next() or ask(number)
                except (InvalidRequest, NotFound, NotProcessable, InternalError) as refused:
                    if page.total is not None or refused.status > HTTPStatus.INTERNAL_SERVER_ERROR:
                        raise
                    if kind.sort:
                        raise IncompleteList(
                            f"The list of {kind.plural} has no total, and its page {number} can't be read, so the "
                            f"rest of the list is unknown. Nothing is decided from it. ({refused.message})"
                        ) from refused
                    self.unpaged.note(kind.name)
                    return
                page = Page.from_answer(kind, answer, size)
                limit.add(len(page.body), len(page.records), page.total)
                yield page

    def _page(self, request: _ListRequest) -> Page:
        """Return the first page of a list."""
        return Page.from_answer(request.kind, self._ask_page(request, 1))

    def _ask_page(self, request: _ListRequest, number: int, size: int = PER_PAGE) -> Response:
        kind, paging = request.kind, []
        if kind.sort or number > 1:
            paging = [("page", str(number)), ("per_page", str(size)), *(_order(kind) if kind.sort else ())]
        return self.send("GET", kind.list_path.format(template=request.template), pairs=[*request.pairs, *paging])

    def count(self, kind: Kind) -> int | None:
        """Return the number of records of a kind with one request, or None if the service does not report it."""
        if kind.count_path:
            decoded = self.send("GET", kind.count_path).json()
            return integer_of(decoded.get("count")) if isinstance(decoded, Mapping) else None
        return self.first(kind, 1, []).total if kind.sort else None

    def first(self, kind: Kind, number: int, pairs: Sequence[tuple[str, str]]) -> Page:
        """Return the first records of a list with one request.

        :param number: the number of records. :param pairs: further query parameters, such as the order.
        """
        paging = [("page", "1"), ("per_page", str(number))]
        return Page.from_answer(kind, self.send("GET", kind.list_path, pairs=[*paging, *pairs]), number)

    def get(self, kind: Kind, uuid: str, template: str = "") -> Record | None:
        """Return a record by its uuid, or None if it does not exist: 404, or an empty answer if the kind allows it.

        :raises SeventhingsError: for an answer that is anything else than this record.
        """
        return self._read_record(kind, _path_of(kind.item_path, kind, uuid, template), uuid.lower())

    def get_by_id(self, kind: Kind, number: int) -> Record | None:
        """Return a record by its integer id, or None if it does not exist."""
        if kind.by_id_path:
            return self._read_record(kind, kind.by_id_path.format(id=number), str(number))
        hits = [record for record in self.list_all(kind, [Condition("id", "eq", (number,))]) if record.id == number]
        return hits[0] if hits else None

    def some(self, kind: Kind) -> list[Record]:
        """Return the first page of a kind.

        It is enough to name candidates in a message, and not enough for a decision.
        """
        return self._page(_ListRequest(kind)).records

    def sample(self, kind: Kind) -> list[Record]:
        """Return a few records of a kind, to learn which keys the instance returns.

        They are cached as long as the definitions, so that a loop of creations takes one request.
        """
        if kind.name not in self._samples:
            # An instance may return more records than requested.
            self._samples[kind.name] = self.first(kind, _SAMPLE, []).records[:_SAMPLE]
        return self._samples[kind.name]

    def found_by(self, kind: Kind, condition: Condition) -> list[Record] | None:
        """Return a few of the records that match a condition, or None if the service rejects it.

        They are cached like those of :meth:`sample`.
        """
        key = (kind.name, condition)
        if key not in self._found_by:
            try:
                records = self.first(kind, _SAMPLE, [*condition.pairs(), *_order(kind)]).records
            except (InvalidRequest, NotProcessable, InternalError, PermissionMissing):
                self._found_by[key] = None
            else:
                self._found_by[key] = records[:_SAMPLE]
        return self._found_by[key]

    def first_page(self, kind: Kind) -> tuple[list[Record], bool]:
        """Return the first page of a kind, and whether the service proves that it has all records."""
        request = _ListRequest(kind)
        pages = self._pages(request, ListLimit(self.transport.limits, kind.plural, PER_PAGE))
        page = next(pages)
        if page.total is not None or not page.records:
            return page.records, len(page.records) >= (page.total or 0)
        if kind.sort or not self._is_unpaged(request, len(page.records)):
            known = {record.identity for record in page.records}
            following = next(pages, None)
            fresh = [record for record in following.records if record.identity not in known] if following else []
            if following and not self._is_last(kind, following, fresh):
                return page.records, False
        return page.records, not kind.newest or len(page.records) < kind.newest

    def get_by_barcode(self, kind: Kind, barcode: str) -> Record | None:
        """Return the record with a barcode, archived or not, or None if there is none.

        None also means that the instance does not look up barcodes. If a profile says so, nothing is sent.
        """
        # Every spelling of these path segments leads to another path.
        if barcode in ("", ".", "..") or self.is_on("later_endpoints", "absent"):
            return None
        step = quote(barcode, safe="", errors="surrogatepass")
        return self._read_record(kind, kind.barcode_path.format(**{kind.barcode_key: step}))

    def looks_up_barcodes(self, kind: Kind, listed: Iterable[Any]) -> bool | None:
        """Return True if the instance has a lookup by barcode, or None if that is not known.

        A lookup without a result proves nothing.

        :param listed: barcodes of listed records. One of them is looked up unless a profile has the answer.
        """
        for side, exists in (("present", True), ("absent", False)):
            if self.is_on("later_endpoints", side):
                return exists
        # A proxy in front of the service may reject a path with an escape.
        plain = (
            barcode
            for barcode in listed
            if isinstance(barcode, str) and quote(barcode, safe="", errors="replace") == barcode
        )
        known = next((barcode for barcode in plain if barcode.strip(".")), None)
        try:
            return None if known is None else self.get_by_barcode(kind, known) is not None
        except (InvalidRequest, NotProcessable):
            # The path exists, but rejects this barcode.
            return None

    def _read_record(self, kind: Kind, path: str, mark: str = "") -> Record | None:
        """Return a record, or None if it does not exist.

        :param mark: the requested uuid or id, if any. A proxy may answer anything, and a record that only seems missing
            would be created again or skipped.
        """
        try:
            answer = self.send("GET", path)
        except NotFound:
            return None
        raw = answer.json()
        if raw in EMPTY and kind.missing_is_empty:
            return None
        record = Record.from_flat(kind, _flat(kind, raw, answer)) if isinstance(raw, Mapping) else None
        if record is None or not record.is_known or mark not in ("", record.uuid, str(record.id)):
            raise SeventhingsError(f"{answer.endpoint}: expected the requested record, got something else.")
        record.is_whole = True
        return record

    # ---- writing

    def create(self, kind: Kind, body: Mapping[str, Any], template: str = "") -> str:
        """Create a record and return its uuid.

        :raises OutcomeUnknown: if the record may exist. The caller reads before it sends again.
        """
        wrapped = {kind.wrap: body} if kind.wrap else body
        if not self._samples.get(kind.name, True):
            # The sample is empty, and this request creates the first record.
            del self._samples[kind.name]
        answer = self.send("POST", kind.create_path.format(template=template), Effect.UNSAFE, body=wrapped)
        return created_uuid(answer, kind.words)

    def update(
        self, kind: Kind, uuid: str, body: Mapping[str, Any], template: str = "", once: bool = False
    ) -> Record | None:
        """Change a record: PATCH with the changes, or PUT with all fields, as the kind requires.

        :param once: send once, whatever the answer. :class:`OutcomeUnknown` then means that the change may be made.
        :returns: the changed record if the service returns it, else None.
        """
        effect = Effect.UNSAFE if once else Effect.IDEMPOTENT
        # A PUT replaces the whole record, so its body has the form of a creation.
        wrapped = {kind.wrap: body} if kind.wrap and kind.update == "PUT" else body
        answer = self.send(kind.update, _path_of(kind.item_path, kind, uuid, template), effect, body=wrapped)
        if kind.update != "PATCH":
            return None
        try:
            raw = answer.json()
        except NotJson:
            # The status and the headers suffice as the answer to a write.
            return None
        record = Record.from_answer(kind, raw) if isinstance(raw, Mapping) else None
        return record if record is not None and record.uuid == uuid and body.keys() <= record.flat.keys() else None

    @property
    def hides_records(self) -> bool:
        """Return True if the profile says that records are hidden from the account."""
        return self.is_on(HIDDEN_RECORDS, "yes")

    def is_on(self, switch: str, *sides: str) -> bool:
        """Return True if the profile says that the instance is on one of the given sides of a switch."""
        return self.profile is not None and self.profile.sides.get(switch) in sides

    def delete(self, kind: Kind, uuid: str) -> None:
        """Delete a record. A record that is already deleted is not an error."""
        try:
            self.send("DELETE", _path_of(kind.item_path, kind, uuid), Effect.IDEMPOTENT)
        except NotFound:
            return
        if not kind.sort:
            self.unpaged.removed(kind.name)

    def set_status(self, kind: Kind, uuid: str, status: str) -> None:
        """Set the status of a record whose kind has a separate request for it."""
        self.send("PUT", _path_of(kind.status_path, kind, uuid), Effect.IDEMPOTENT, body={"status": status})

    def archive(self, kind: Kind, uuid: str, back: bool = False) -> None:
        """Archive or unarchive a record.

        :raises OutcomeUnknown: if it may be done. The caller reads the state before it sends again.
        """
        path = _path_of(kind.item_path, kind, uuid) + ("/unarchive" if back else "/archive")
        self.send("POST", path, Effect.UNSAFE)

    def is_archived(self, record: Record) -> bool:
        """Return True if a record that was read by its uuid is archived: the record says so, or no list shows it."""
        return not self.is_listed(record) if record.archived is None else record.archived

    def is_listed(self, record: Record) -> bool:
        """Return True if the list of its kind shows a record that was read in another way."""
        listed = self.list_all(record.kind, [Condition(record.kind.uuid_keys[0], "eq", (record.uuid,))])
        return record.uuid in {record.uuid for record in listed}


def _path_of(path: str, kind: Kind, uuid: str, template: str = "") -> str:
    """Return the path of one record.

    :param path: one of the paths of its kind, with ``{uuid}``.
    :raises SeventhingsError: without a uuid, because the path would address something else.
    """
    if not uuid:
        raise SeventhingsError(f"The service returned {kind.singular} without a uuid; nothing was sent for it.")
    return path.format(uuid=uuid, template=template)


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


def _deadline_parts(kind: Kind, parameters: Mapping[str, str], read: Iterable[Record]) -> list[dict[str, str]]:
    """Split a query by deadline: the days before the median of the records seen, that day, and the days after it."""
    days = sorted(str(record.flat.get("deadline"))[:10] for record in read)
    middle = days[len(days) // 2]
    low, high = parameters.get("deadline_from", ""), parameters.get("deadline_to", "")
    if low == high == middle:
        raise IncompleteList(
            f"The list of {kind.plural} with the deadline {middle} and status {parameters['status']} has {kind.cap} "
            "records, which is the most that the service lists; it may be incomplete, so nothing is decided from it. "
            "Name the record by its uuid."
        )
    try:
        day = dt.date.fromisoformat(middle)
        before, after = (day - dt.timedelta(days=1)).isoformat(), (day + dt.timedelta(days=1)).isoformat()
    except (ValueError, OverflowError):
        day = None
    if day is None or not (low or middle) <= middle <= (high or middle):
        raise IncompleteList(
            f"The list of {kind.plural} with the status {parameters['status']} is cut by the service, and can't be "
            f"read in parts: it returns other deadlines than requested. Nothing is decided from it."
        )
    parts = [{**parameters, "deadline_from": middle, "deadline_to": middle}]
    if not low or low <= before:
        parts.append({**parameters, "deadline_to": before})
    if not high or after <= high:
        parts.append({**parameters, "deadline_from": after})
    return parts


def _size_unlike(length: int) -> int:
    """Return the page size to request for a list that the description calls unpaged.

    If the answer is longer than this size, the list has no pages. Otherwise it could be mistaken for the last page.

    :param length: number of records in the first answer. Two pages overlap by a record, so a short list needs pages of
        its length.
    """
    return min(length - 1 if length > 2 else max(length, 1), PER_PAGE)


def _order(kind: Kind) -> list[tuple[str, str]]:
    pairs = []
    if "sort_by" in kind.sort_parameters:
        pairs += [("sort_by", kind.sort), ("order", "asc")]
    if "sort" in kind.sort_parameters:
        pairs.append((f"sort[{kind.sort}]", "ASC"))
    return pairs


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


@dataclass(frozen=True)
class Page:
    """One answer of a list: its records, the total if reported, the requested page size, and the answer itself."""

    records: list[Record]
    total: int | None
    size: int
    body: bytes

    @classmethod
    def from_answer(cls, kind: Kind, answer: Response, size: int = PER_PAGE) -> Page:
        decoded = answer.json()
        envelope: Mapping[str, Any] = decoded if isinstance(decoded, Mapping) else {}
        items = envelope.get("items") if envelope else decoded
        if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
            raise SeventhingsError(
                f"{answer.endpoint}: expected a list of records or {{items: [...]}}, got something else."
            )
        records = [Record.from_flat(kind, _flat(kind, item, answer)) for item in items]
        if not all(record.is_known for record in records):
            # In an unknown shape no record would be recognised, and all of them would be created again.
            mark = "an id" if kind.numbered else "a uuid"
            besides = f" and a {kind.guaranteed_key}" if kind.guaranteed_key else ""
            raise SeventhingsError(f"{answer.endpoint}: expected records with {mark}{besides}, got something else.")
        shared = _ambiguous_identity(records)
        if shared:
            raise SeventhingsError(
                f"{answer.endpoint}: expected each record once, got different records with the identity {shared}."
            )
        return cls(records, integer_of(envelope.get("total")), size, answer.body)

    def compress(self, kind: Kind) -> None:
        """Drop all fields of the records except those used to find them. Other fields are parsed again on demand."""
        names = dict.fromkeys((*kind.uuid_keys, "id", *(field.wire_key for field in kind.identity)))
        page = CompressedPage(self.body, partial(_read_page, kind))
        rows = page.rows([record.flat for record in self.records], tuple(names))
        for record, row in zip(self.records, rows, strict=True):
            record.flat = row


def _flat(kind: Kind, raw: Mapping[str, Any], answer: Response) -> dict[str, Any]:
    """Return a record of an answer as a flat map.

    :raises LimitExceeded: if it has too many fields.
    """
    flat = flatten(kind, raw)
    if len(flat) > MOST_FIELDS:
        raise LimitExceeded(
            f"{answer.endpoint}: a record in the answer has more than {MOST_FIELDS} fields; nothing of it was used."
        )
    return flat


def has_key_and_type(definition: Mapping[str, Any]) -> bool:
    """Return True if a definition says which field it defines."""
    field_type = definition.get("field_type")
    name = field_type.get("name") if isinstance(field_type, Mapping) else None
    return all(isinstance(text, str) and text for text in (definition.get("field_key"), name))


def _ambiguous_identity(records: Sequence[Record]) -> str:
    """Return the identity that different records of a page share, or an empty text."""
    by_identity = {record.identity: record for record in records}
    if len(by_identity) == len(records):
        return ""
    return next((name for record in records if by_identity[name := record.identity].flat != record.flat), "")


def _read_page(kind: Kind, body: bytes) -> list[dict[str, Any]]:
    """Parse the records of a page that was parsed before and is within all limits."""
    decoded = json.loads(body)
    return [flatten(kind, item) for item in (decoded["items"] if isinstance(decoded, dict) else decoded)]


_Found = TypeVar("_Found")

ANSWERED_SECONDS = 4.0
"""Seconds in which the result of a request is looked up if the service itself answered with an error."""


def poll_after_lost_response(
    transport: Transport, lost: OutcomeUnknown, find: Callable[[], _Found | None], seconds: float | None = None
) -> _Found | None:
    """Look for the result of a request whose answer was lost, at 0, 1, 4, 10, 20, 40 seconds and so on.

    :param find: reads once and returns a false value if nothing was found.
    :param seconds: the time of the last read. None: the settling horizon if the request may still take effect,
        otherwise 4 seconds.
    :returns: the first result, or None if the last read found nothing.
    :raises OutcomeUnknown: the given error, if the last read failed.
    """
    last = seconds if seconds is not None else transport.settle if lost.is_lost else ANSWERED_SECONDS
    now, failed = 0.0, None
    for moment in _poll_times(last):
        if moment > now:
            transport.sleep(moment - now)
            now = moment
        try:
            found, failed = find(), None
        except Ambiguous:
            raise
        except SeventhingsError as error:
            # A service that loses answers may be down for a while.
            found, failed = None, error
        if found:
            return found
    if failed is not None:
        lost.message += f" Whether it took effect could not be looked up: {failed.message}"
        raise lost from failed
    return None


def await_effect(transport: Transport, read: Callable[[], _Found | None], words: Callable[[], str]) -> _Found:
    """Poll until a write becomes visible, up to the settling horizon, with a warning if the instance is slow.

    :param read: returns None if the write is not visible yet.
    :param words: returns the message of the error, the beginning of a sentence.
    :raises SeventhingsError: if the write never becomes visible.
    """
    found = poll_until_visible(transport, read)
    if found is None:
        raise SeventhingsError(had_no_effect(transport, words()))
    return found


def poll_until_visible(transport: Transport, read: Callable[[], _Found | None]) -> _Found | None:
    """Poll until a write becomes visible, up to the settling horizon. Return None if it never does."""
    now = 0.0
    for moment in _poll_times(transport.settle):
        if moment > now:
            transport.sleep(moment - now)
            now = moment
        found = read()
        if found is not None:
            if moment and _SLOW not in transport.warnings:
                transport.warnings.append(_SLOW)
            return found
    return None


def had_no_effect(transport: Transport, words: str) -> str:
    """Return the message that a write never became visible.

    :param words: what is wrong, as the beginning of a sentence.
    """
    return (
        f"{words} {transport.settle:g} seconds after the service accepted the change. The change had no effect, so "
        "every run would send it again. Look at the record in the application, and at the rights of this account."
    )


_HIDDEN = (
    "This account does not see all records: the profile says that records are hidden from it. It may be limited to "
    "locations."
)
_SLOW = "This instance shows a change only some seconds after it accepted it. Each change waits for that."


def _poll_times(last: float) -> Iterator[float]:
    """Return the times at which to look for the result of a lost request."""
    moments = itertools.chain((0.0, 1.0, 4.0), (10.0 * 2.0**times for times in itertools.count()))
    yield from itertools.takewhile(lambda moment: moment < last, moments)
    yield last
