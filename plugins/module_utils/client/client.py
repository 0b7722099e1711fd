# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The operations on kinds of records: list completely, get, create, change, delete (section 4 of the interface)."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Mapping, Sequence
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

from .. import errors
from ..model.field import EMPTY, Field, integer_of, shorten
from ..model.kinds import FIELD_DEFINITION, Kind
from ..model.schema import Schema, field_from_definition
from ..runtime.creations import Creations
from ..runtime.unpaged import UnpagedLists
from . import query
from .attempts import Effect
from .paging import Lists, order_pairs
from .query import Condition
from .record import Record, created_uuid, flat_record
from .redaction import hide
from .tokens import Tokens
from .transport import Response, Transport

#: The part of a path that identifies a record: its uuid, or the path to its integer id.
_RECORD = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|^/.+/[0-9]+(?=/|$)", re.IGNORECASE)
#: Number of records that is enough to learn which keys an instance returns.
_SAMPLE = 20


class Client:
    """A connection of one user to one instance. It caches definitions, and of records only their keys.

    :ivar creations: the locks for creations, which all processes of this user share.
    :ivar lists: its complete lists.
    :ivar workers: how many requests may run at the same time.
    """

    workers = 8

    def __init__(
        self,
        transport: Transport,
        tokens: Tokens,
        creations: Creations | None = None,
        unpaged: UnpagedLists | None = None,
    ) -> None:
        self.transport = transport
        self.tokens = tokens
        self.creations = Creations() if creations is None else creations
        unpaged = UnpagedLists() if unpaged is None else unpaged
        self.lists = Lists(self.read, transport.limits, unpaged, self._unique_keys)
        self._definitions: dict[str, list[dict[str, Any]]] = {}
        self._fields: dict[str, list[Field]] = {}
        self._samples: dict[str, list[Record]] = {}
        self._found_by: dict[tuple[str, Condition], list[Record] | None] = {}

    def send(self, method: str, path: str, effect: Effect = Effect.SAFE, **options: Any) -> Response:
        """Send a request with a token.

        If the token is refused, send the request once more with a new token: the service did not execute it. A request
        that changes a record waits for earlier changes whose answers were lost.

        :raises CreatedMeanwhile: after such a wait, so that the caller reads the record again.
        """
        record = None if effect is Effect.SAFE or self.transport.read_only else _RECORD.search(path)
        with self.creations.changing(record[0].lower()) if record else contextlib.nullcontext():
            token = self.tokens.current()
            try:
                return self.transport.request(method, path, effect=effect, token=token, **options)
            except errors.AccessTokenRefused:
                token = self.tokens.replace(token)
                return self.transport.request(method, path, effect=effect, token=token, **options)

    def read(self, path: str, pairs: Sequence[tuple[str, str]] = ()) -> Response:
        """Read something that is never empty: a list, even without records, has brackets.

        :raises NotJson: if the answer has no body, and after the repetitions still none.
        """
        return self.send("GET", path, pairs=pairs, check=Response.require_body)

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
                    raise errors.SeventhingsError(
                        f"The definition {label} of the template {template} has no field_key or no name of a "
                        "field_type, so its field is unknown. Nothing is decided from such a list."
                    )
            self._definitions[template] = found
        return self._definitions[template]

    def forget_definitions(self) -> None:
        """Forget the definitions after a change, so that the next use reads them again."""
        self._definitions.clear()
        self._fields.clear()
        self._samples.clear()
        self._found_by.clear()

    def schema(self, kind: Kind) -> Schema:
        """Return the fields that a kind has on this instance.

        This takes one request per template whose definitions were not read yet.
        """
        return Schema(kind, self._fields_of(kind))

    def _fields_of(self, kind: Kind) -> Sequence[Field]:
        if not kind.template:
            return kind.fields
        if kind.template not in self._fields:
            self._fields[kind.template] = [field_from_definition(raw) for raw in self.definitions(kind.template)]
        return self._fields[kind.template]

    def _unique_keys(self, kind: Kind) -> set[str]:
        """Return the keys of a kind that are unique according to the definitions read so far."""
        is_known = not kind.key_prefix and kind.template in ("", *self._definitions)
        known = self._fields_of(kind) if is_known else ()
        return {"id", *kind.uuid_keys, *(field.wire_key for field in known if field.unique)}

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
        narrowed = list(conditions) if kind.filters == "query" and query.fits_url(conditions) else []
        try:
            return self.lists.read(kind, narrowed, parameters or {}, template)
        except (errors.NotFound, errors.MethodNotAllowed) as missing:
            if kind.is_later:
                words = f"This instance has no {kind.plural}: its version is too old for them."
                raise errors.VersionTooOld(words) from missing
            if kind.identity or kind.defines_fields:
                raise
            words = f"This instance has no list of {kind.plural}. ({missing.message})"
            raise errors.ListMissing(words) from missing
        except (errors.InvalidRequest, errors.NotProcessable, errors.InternalError) as refused:
            # Not every instance supports every operator and field (a bad filter is a 400 or a 500), so read the whole
            # list.
            if not narrowed or refused.status > HTTPStatus.INTERNAL_SERVER_ERROR:
                raise
            return self.lists.read(kind, [], parameters or {}, template)

    def count(self, kind: Kind) -> int | None:
        """Return the number of records of a kind with one request, or None if the service does not report it."""
        if kind.count_path:
            decoded = self.read(kind.count_path).json()
            return integer_of(decoded.get("count")) if isinstance(decoded, Mapping) else None
        return self.lists.first(kind, 1, []).total if kind.sort else None

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

    def sample(self, kind: Kind) -> list[Record]:
        """Return a few records of a kind, to learn which keys the instance returns.

        They are cached as long as the definitions, so that a loop of creations takes one request.
        """
        if kind.name not in self._samples:
            # An instance may return more records than requested.
            self._samples[kind.name] = self.lists.first(kind, _SAMPLE, []).records[:_SAMPLE]
        return self._samples[kind.name]

    def found_by(self, kind: Kind, condition: Condition) -> list[Record] | None:
        """Return a few of the records that match a condition, or None if the service rejects it.

        They are cached like those of :meth:`sample`.
        """
        key = (kind.name, condition)
        if key not in self._found_by:
            try:
                records = self.lists.first(kind, _SAMPLE, [*condition.pairs(), *order_pairs(kind, "ASC")]).records
            except (errors.InvalidRequest, errors.NotProcessable, errors.InternalError, errors.PermissionMissing):
                self._found_by[key] = None
            else:
                self._found_by[key] = records[:_SAMPLE]
        return self._found_by[key]

    def get_by_barcode(self, kind: Kind, barcode: str) -> Record | None:
        """Return the record with a barcode, archived or not, or None if there is none.

        None also means that the instance does not look up barcodes.
        """
        # Every spelling of these path segments leads to another path.
        if barcode in ("", ".", ".."):
            return None
        step = quote(barcode, safe="", errors="surrogatepass")
        return self._read_record(kind, kind.barcode_path.format(**{kind.barcode_key: step}))

    def looks_up_barcodes(self, kind: Kind, listed: Iterable[Any]) -> bool | None:
        """Return True if the instance has a lookup by barcode, or None if that is not known.

        A lookup without a result proves nothing.

        :param listed: barcodes of listed records. One of them is looked up.
        """
        # A proxy in front of the service may reject a path with an escape.
        plain = (
            barcode
            for barcode in listed
            if isinstance(barcode, str) and quote(barcode, safe="", errors="replace") == barcode
        )
        known = next((barcode for barcode in plain if barcode.strip(".")), None)
        try:
            return None if known is None else self.get_by_barcode(kind, known) is not None
        except (errors.InvalidRequest, errors.NotProcessable):
            # The path exists, but rejects this barcode.
            return None

    def _read_record(self, kind: Kind, path: str, mark: str = "") -> Record | None:
        """Return a record, or None if it does not exist.

        :param mark: the requested uuid or id, if any. A proxy may answer anything, and a record that only seems missing
            would be created again or skipped.
        """
        try:
            answer = self.send("GET", path)
        except errors.NotFound:
            return None
        raw = answer.json()
        if raw in EMPTY and kind.missing_is_empty:
            return None
        record = Record.from_flat(kind, flat_record(kind, raw, answer)) if isinstance(raw, Mapping) else None
        if record is None or not record.is_known or mark not in ("", record.uuid, str(record.id)):
            raise errors.SeventhingsError(f"{answer.endpoint}: expected the requested record, got something else.")
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
        self._count(kind, 1, template)
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
        except errors.NotJson:
            # The status and the headers suffice as the answer to a write.
            return None
        record = Record.from_answer(kind, raw) if isinstance(raw, Mapping) else None
        return record if record is not None and record.uuid == uuid and body.keys() <= record.flat.keys() else None

    def delete(self, kind: Kind, uuid: str) -> None:
        """Delete a record. A record that is already deleted is not an error."""
        with contextlib.suppress(errors.NotFound):
            self.send("DELETE", _path_of(kind.item_path, kind, uuid), Effect.IDEMPOTENT)
            self._count(kind, -1)

    def _count(self, kind: Kind, by: int, template: str = "") -> None:
        """Count a created or deleted record where the length of lists is noted."""
        if not kind.sort:
            self.lists.unpaged.changed(kind.name, by, template)

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
        raise errors.SeventhingsError(f"The service returned {kind.singular} without a uuid; nothing was sent for it.")
    return path.format(uuid=uuid, template=template)


def has_key_and_type(definition: Mapping[str, Any]) -> bool:
    """Return True if a definition says which field it defines."""
    field_type = definition.get("field_type")
    name = field_type.get("name") if isinstance(field_type, Mapping) else None
    return all(isinstance(text, str) and text for text in (definition.get("field_key"), name))
