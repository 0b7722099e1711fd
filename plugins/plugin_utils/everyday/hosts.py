# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The action ``hosts``: write facts of managed hosts to the objects with their serial numbers.

A managed host decides what its facts say. So a fact is data and never a template. A host changes only the mapped fields
of the one object with its serial number. A host that can't be distinguished from another changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from itertools import count
from typing import Any

from ...module_utils.client.record import Record
from ...module_utils.client.redaction import is_masked
from ...module_utils.errors import InvalidInput
from ...module_utils.model.field import Field, shorten
from ...module_utils.model.kinds import OBJECT, SERVER_KEYS
from ...module_utils.model.schema import type_of
from ...module_utils.plan.change import CREATE
from ...module_utils.resolve.hidden_records import NO
from ..desired.entry import Entry
from ..desired.lifecycle import Lifecycle
from ..desired.nodes import plain_node
from ..desired.positions import Place
from ..desired.scan_codes import SCAN_CODES, ScanCodeSettings, read_scan_codes
from ..report.result import DONE, NOT_TRIED
from ..set_plan.plan import MOST_OF_A_RUN, SAMPLE
from .call import Call, named, run_call
from .lists import ObjectLists

#: Maximum characters of a fact. A longer text does not describe a device.
_LONGEST = 1000

#: Texts that firmware has if nobody filled in a value, and texts of tools that can't read a value.
#:
#: They are compared by their letters and digits only, without case.
_UNSET = re.compile(
    r"""(system|chassis|baseboard|board|product|enclosure|oem)?(serial|assettag|manufacturer|productname|version)
    |(system|chassis|baseboard|board|product|enclosure|oem)?serial(number|no|num)
    |(tobe|willbe)?filled(in)?(by.*)?|tobefilled.*|tbd
    |not?(asset(tag)?|applicable|available|assigned|defined|present|provided|serial(number)?|set|settable)?
    |notspecified|unspecified|undefined|unknown|invalid|empty|void
    |default(string)?|standard|oem|none|null|nil|na""",
    re.VERBOSE,
)

#: More texts that are not serial numbers: one repeated character, and characters in order.
_FILLERS = re.compile(r"(.)\1*|0?1234(5(6(7(8(90?)?)?)?)?)?(abcdef)?|abcd(e(f(gh?)?)?)?")

_DIGITS = 6

#: Beginnings of the types whose values are other records or files. A host must not name any of these.
_SCALARS = ("LINKED_", "ATTACHMENT")


def feed_objects(
    options: Mapping[str, Any], check_mode: bool, facts: Mapping[str, Mapping[str, Any]], host: str = ""
) -> dict[str, Any]:
    """Run the module ``hosts``. Return its result.

    :param facts: host to its facts, as data.
    :param host: the inventory host of the task.
    """
    return run_call(Call(options, check_mode, host), lambda call: _Hosts(call, facts).run())


class _Hosts:
    """One plan for the objects of all hosts."""

    def __init__(self, call: Call, facts: Mapping[str, Mapping[str, Any]]) -> None:
        self._call = call
        self._options = call.options
        self._facts = facts
        self._matched = 0
        self._created: dict[str, str] = {}
        self._without_record: list[str] = []
        self._skipped: dict[str, str] = {}
        self._left_out: dict[str, list[str]] = {}
        self._check_options()
        call.reports()
        self._client = call.connect()
        self._lists = call.read_lists(self._client)
        self._key, self._mapped, self._code = self._fields(self._lists)

    def run(self) -> dict[str, Any]:
        lists, key, code = self._lists, self._key, self._code
        lists.check_visible([key, *([code] if code else [])], "no host can be found by it")
        serials = self._serials()
        entries = list(self._entries(serials))
        if self._options["create"] and code is not None:
            missing, self._without_record = self._without_record, []
            entries += self._new(code, {name: serials[name] for name in missing})
        sees = lists.sees(has_new_records=bool(self._created))
        self._warn(sees)
        limits = {"creates": len(self._created), **self._options["limits"]}
        scope = {section: _listed(fields) for section, fields in self._options["scope"].items()}
        if entries:
            result = self._call.carry_out(lists, entries, limits, identity={OBJECT.section: [key.key]}, scope=scope)
            # An object may come back from the archive, or its creation may fail.
            statuses = {NOT_TRIED, DONE} if self._call.check_mode else {DONE}
            changes = [change for change in result["changes"] if change["action"] == CREATE]
            places = {change["place"] for change in changes if change["status"] in statuses}
            self._created = {host: given for host, given in self._created.items() if str(_place(host)) in places}
        else:
            result = {"changed": False, "msg": "no host has an object"}
        document: dict[str, Any] = self._client.without_credentials(
            {
                "matched": self._matched,
                "created": [{"host": host, "scan_code": code} for host, code in self._created.items()],
                "without_record": self._without_record,
                "skipped_hosts": [{"host": host, "reason": reason} for host, reason in self._skipped.items()],
                "sees": sees,
            }
        )
        return {**result, **document, "msg": f"{self._in_words()}\n{result['msg']}"}

    # ---- options

    def _check_options(self) -> None:
        wrong = [
            f"map.{name}: {shorten(fact)} does not fit; expected the name of a fact, such as product_name"
            for name, fact in self._options["map"].items()
            if not isinstance(fact, str) or not fact
        ]
        if not self._options["map"]:
            wrong.append("map: expected fields and their facts, such as {manufacturer: system_vendor}")
        if self._options["create"] and not self._options["scan_codes"]:
            wrong.append(
                "create: a new object needs a scan code; expected scan_codes: {field: barcode, placeholder: IMP-}"
            )
        if self._options["scan_codes"]:
            node = plain_node(dict(self._options["scan_codes"]), "")
            read_scan_codes(node, SCAN_CODES, lambda _node, message: wrong.append(message))
        if wrong:
            raise InvalidInput(wrong)

    def _fields(self, lists: ObjectLists) -> tuple[Field, dict[str, str], Field | None]:
        """Return the field of the serial number, mapped field keys with their facts, and the field of the scan code.

        :raises InvalidInput: if a field does not exist, or a host must not fill it.
        """
        codes = self._options["scan_codes"]
        code = lists.field_named("scan_codes.field", codes["field"]) if codes else None
        key = lists.field_named("key.field", self._options["key"]["field"])
        labels = {OBJECT.barcode_key, code.key if code else ""}
        named = {f"map.{name}": lists.field_named(f"map.{name}", name) for name in self._options["map"]}
        keys = [field.key for field in named.values()]
        wrong = [f"{option}: {why}" for option, field in named.items() if (why := _why_not_mapped(field, key, labels))]
        wrong += [f"map: the field {name} is mapped twice" for name in dict.fromkeys(keys) if keys.count(name) > 1]
        if why := _why_not_mapped(key, None, labels):
            wrong.append(f"key.field: {why}")
        if wrong:
            raise InvalidInput(wrong)
        return key, dict(zip(keys, self._options["map"].values(), strict=True)), code

    # ---- hosts

    def _serials(self) -> dict[str, str]:
        """Return the serial number of each host whose serial number is unique."""
        fact = self._options["key"]["fact"]
        found: dict[str, str] = {}
        for host, facts in self._facts.items():
            if not facts:
                self._skipped[host] = "no facts were gathered"
                continue
            raw = fact_of(facts, fact)
            serial = serial_of(raw, self._options["key"]["placeholders"])
            if serial is None:
                self._skipped[host] = f"{fact} is {shorten(raw)}, which is not a serial number"
            else:
                found[host] = serial
        sharing: dict[str, list[str]] = {}
        for host, serial in found.items():
            sharing.setdefault(serial.casefold(), []).append(host)
        for hosts in sharing.values():
            if len(hosts) > 1:
                words = f"{len(hosts)} hosts have the serial number {shorten(found[hosts[0]])}, so it identifies none"
                self._skipped |= dict.fromkeys(hosts, words)
        return {host: serial for host, serial in found.items() if host not in self._skipped}

    def _entries(self, serials: Mapping[str, str]) -> Iterator[Entry]:
        """Yield the desired state of each object that has the serial number of a host."""
        lists, key = self._lists, self._key
        in_scope = {record.uuid for record in lists.in_scope(self._options["scope"])}
        by_serial: dict[str, list[Record]] = {}
        for record in lists.objects:
            value = lists.schema.read_field(key.key, record.flat)
            if isinstance(value, str) and value.strip():
                by_serial.setdefault(" ".join(value.split()).casefold(), []).append(record)
        for host, serial in serials.items():
            records = by_serial.get(serial.casefold(), [])
            if not records:
                self._without_record.append(host)
            elif len(records) > 1:
                names = " and ".join(lists.state.name_of(record) or record.uuid for record in records[:3])
                self._skipped[host] = f"{len(records)} objects have its serial number {shorten(serial)}: {names}"
            elif records[0].uuid not in in_scope:
                self._skipped[host] = "its object is not in scope"
            else:
                record = records[0]
                self._matched += 1
                fields = {key.key: lists.schema.read_field(key.key, record.flat), **self._values(host)}
                yield Entry(OBJECT, fields, _place(host), uuid=record.uuid, inline=True)

    def _values(self, host: str) -> dict[str, Any]:
        """Return the values of the mapped fields that a host has. A missing fact leaves its field unchanged."""
        found, schema = {}, self._lists.schema
        for key, fact in self._mapped.items():
            raw = fact_of(self._facts[host], fact)
            text, why = text_of(raw)
            value = raw if isinstance(raw, (bool, int, float)) else text
            if value == "":
                if why:
                    self._left_out.setdefault(f"{fact} {why}", []).append(host)
                continue
            for choice in (value, str(value)):
                _parsed, findings = schema.parse({key: choice}, "")
                if not findings.errors:
                    found[key] = choice
                    break
            else:
                self._left_out.setdefault(f"{fact} does not fit {key} ({schema.fields[key].type})", []).append(host)
        return found

    def _new(self, code: Field, serials: Mapping[str, str]) -> Iterator[Entry]:
        """Yield new objects, each with the next free placeholder as its scan code."""
        most = SAMPLE if self._call.check_mode else MOST_OF_A_RUN
        free = _free_codes(self._lists, code, self._options["scan_codes"]["placeholder"], most)
        fields = self._lists.schema.fields
        # An object that somebody else creates meanwhile keeps its scan code.
        lifecycle = Lifecycle(initial=(code.key,))
        for host, serial in serials.items():
            values = self._values(host)
            missing = [key for key in self._mapped if fields[key].mandatory and key not in values]
            if missing:
                self._skipped[host] = f"no usable fact for {', '.join(missing)}, which a new object must have"
                continue
            self._created[host] = next(free)
            given = {code.key: self._created[host], self._key.key: serial, **values}
            yield Entry(OBJECT, given, _place(host), inline=True, lifecycle=lifecycle)

    # ---- words

    def _warn(self, sees: Mapping[str, Any]) -> None:
        warnings, key = self._call.warnings, self._key
        by_reason: dict[str, list[str]] = {}
        for host, reason in self._skipped.items():
            by_reason.setdefault(reason, []).append(host)
        if self._without_record:
            words = f"Hosts that were left out, because no object that this account sees has their {key.key}: "
            words += f"{named(self._without_record)}."
            warnings.append(words if sees["hidden_records"] == NO else f"{words} Also, {sees['words']}.")
        elif self._created and sees["hidden_records"] != NO:
            warnings.append(
                f"{len(self._created):,} new objects, and {sees['words']}. If a hidden object has the {key.key} of a "
                f"host, that device then has two objects."
            )
        warnings += [f"Hosts that were skipped: {named(hosts)} ({reason})." for reason, hosts in by_reason.items()]
        for reason, hosts in self._left_out.items():
            warnings.append(f"{reason}, so the field was left alone. Hosts: {named(hosts)}.")

    def _in_words(self) -> str:
        return (
            f"{len(self._facts):,} hosts: {self._matched:,} with an object, {len(self._created):,} new, "
            f"{len(self._without_record):,} without an object, {len(self._skipped):,} skipped"
        )


def _listed(fields: Mapping[str, Any]) -> dict[str, list[Any]]:
    return {name: list(values) if isinstance(values, list) else [values] for name, values in fields.items()}


def fact_of(facts: Mapping[str, Any], name: str) -> Any:
    """Return a fact by its name; None if there is none. Dots in the name lead into maps."""
    if name in facts:
        return facts[name]
    found: Any = facts
    for part in name.split("."):
        if not isinstance(found, Mapping) or part not in found:
            return None
        found = found[part]
    return found


def text_of(raw: Any) -> tuple[str, str]:
    """Return a fact as a text, and why it can't be one. The text is empty if it does not describe the device."""
    if not isinstance(raw, (str, int)) or isinstance(raw, bool):
        return "", "" if raw is None else "is a map or a list"
    text = " ".join(str(raw).split())
    if is_masked(text):
        return "", "was masked by Ansible (no_log)"
    if len(text) > _LONGEST:
        return "", f"has more than {_LONGEST:,} characters"
    if not text.isprintable():
        return "", "has characters that can't be printed"
    letters = _letters(text)
    return "" if not letters or _UNSET.fullmatch(letters) else text, ""


def _letters(text: str) -> str:
    """Return the letters and digits of a text without case: makers write the same placeholder in many ways."""
    return re.sub(r"[\W_]", "", text).casefold()


def serial_of(raw: Any, placeholders: Iterable[str] = ()) -> str | None:
    """Return a fact as a serial number, or None if it is not a serial number.

    :param placeholders: patterns of more texts that are not serial numbers.
    """
    text, _why = text_of(raw)
    if not text or _FILLERS.fullmatch(_letters(text)):
        return None
    folded = text.casefold()
    return None if any(fnmatchcase(folded, pattern.casefold()) for pattern in placeholders) else text


def _why_not_mapped(field: Field, key: Field | None, codes: Iterable[str]) -> str:
    """Say why a host must not fill a field; empty if it may."""
    if field.key in codes:
        return f"{field.key} is the scan code, which labels own; expected another field"
    if field.type.startswith(_SCALARS):
        return f"{field.key} ({field.type}) refers to other records or files; expected a field with a plain value"
    if field.key in SERVER_KEYS or not type_of(field).writable:
        return f"{field.key} is set by the service and can't be written"
    if key is not None and field == key:
        return f"{field.key} finds the object, so it is not changed; expected another field"
    return ""


def _place(host: str) -> Place:
    """Return the place of the entry of a host."""
    return Place(f"host {host}")


def _free_codes(lists: ObjectLists, code: Field, prefix: str, most: int) -> Iterator[str]:
    """Yield placeholders that no object has, in order.

    An archived object keeps its scan code, and no list shows it, so placeholders are looked up. An object that has one
    may prove that objects are hidden from the account.

    :param most: number of placeholders that are looked up, without those that are not free.
    """
    settings = ScanCodeSettings(code.key, prefix)
    codes = [str(lists.schema.read_field(code.key, record.flat)) for record in lists.objects]
    used = [code.removeprefix(prefix) for code in codes if settings.is_placeholder(code)]
    width = max(map(len, used), default=_DIGITS)
    listed = map(lists.code_of, lists.objects)
    if code.key != OBJECT.barcode_key or lists.client.looks_up_barcodes(OBJECT, listed) is False:
        most = 0
    for number in count(max(map(int, used), default=0) + 1):
        given = f"{prefix}{number:0{width}}"
        if len(lists.state.free_barcodes) < most:
            unlisted = lists.client.get_by_barcode(OBJECT, given)
            if unlisted is not None:
                lists.state.note_unlisted(unlisted)
                continue
            lists.state.free_barcodes.add(given)
        yield given
