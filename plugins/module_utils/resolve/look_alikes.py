# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Look-alikes: natural keys that people take for the key of another record, although they are not equal.

They differ only in spelling, see :func:`shape`. Keys of objects are often numbers, which spreadsheets write with
separators and without zeros. Numbers of rooms that differ in zeros, dots or blanks may be two rooms.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ..client.query import Condition, split_long
from ..client.record import Record
from ..model.field import shorten
from ..model.kinds import Kind
from ..model.names import escaped, normal_name, plain_name, shape, shape_of_digits, shape_with_dot
from ..model.schema import Schema
from ..model.types_links import Reference
from .natural_keys import Key, by_any_of, narrowing

_ZEROS = re.compile("(?<![0-9])0+(?=[0-9])")

#: Maximum number of words in a name of which each is tried in upper and lower case.
_WORDS = 3

#: Length of the longest number that is tried with zeros in front.
_WIDTH = 12

_WIDE = {code: code + 0xFEE0 for code in range(0x21, 0x7F)}


def shapes(kind: Kind, key: Key) -> Iterator[Key]:
    """Yield the forms of a natural key. Keys that share one of them look alike."""
    if isinstance(key, str):
        yield from _shapes(kind, key)
    elif isinstance(key, tuple):
        yield from itertools.product(*(shapes(kind, part) for part in key))
    else:
        yield key


def _shapes(kind: Kind, text: str) -> Sequence[str]:
    if kind.barcode_key:
        return (shape_of_digits(text),)
    own = shape(text)
    if not _is_room_number(kind, own):
        return (own,)
    own = own.replace(" ", "")
    return tuple(dict.fromkeys((_ZEROS.sub("", own), own.replace(".", "").lstrip("0"))))


def may_differ(kind: Kind, one: Key, other: Key) -> bool:
    """Return True if two keys that look alike may name two records: rooms with other zeros, dots or blanks."""
    if isinstance(one, tuple) and isinstance(other, tuple):
        return any(may_differ(kind, *parts) for parts in zip(one, other, strict=True))
    if not isinstance(one, str) or not isinstance(other, str) or not _is_room_number(kind, one):
        return False
    return shape_with_dot(one) != shape_with_dot(other)


def _is_room_number(kind: Kind, text: str) -> bool:
    return bool(kind.parent_key) and any(map(str.isdigit, text))


def about(name: str, text: str, other: str, where: str, way_out: str) -> str:
    """Return a message about a name that looks like that of another record.

    :param where: the other record, or the place where it is written.
    :param way_out: how to accept the name; empty if nothing can.
    """
    # People can't tell two Unicode forms of one name apart.
    quoted = ascii if normal_name(text) == normal_name(other) else escaped
    words = f"{name}: {quoted(text)} looks like {quoted(other)}, {where}; use one spelling"
    return f"{words}, or {way_out}" if way_out else words


# ---- one request for the look-alikes of one key


def conditions(schema: Schema, keys: Iterable[str], values: Mapping[str, Any]) -> list[Condition]:
    """Return the filters of one request that lists the records with the likeliest other spellings of a natural key.

    Return nothing if the service can't narrow a list by them.
    """
    texts = {key: value for key, value in narrowing(schema, keys, values).items() if isinstance(value, str)}
    spelled = {key: variants(schema.kind, value) for key, value in texts.items()}
    while any(spelled.values()):
        forms = {key: [*spelled[key], texts[key]] if len(texts) > 1 else spelled[key] for key in texts}
        found = [by_any_of(schema.fields[key].wire_key, values) for key, values in forms.items()]
        if len(list(split_long(found))) == 1:
            return found
        spelled = {key: forms[: len(forms) * 3 // 4] for key, forms in spelled.items()}
    return []


def about_unmatched(what: str, written: Iterable[str], left: Iterable[str]) -> Iterator[str]:
    """Yield a warning of texts that differ from others only in what programs change, such as leading zeros.

    :param what: what the texts are, in the plural. :param left: the texts of records that no text names.
    """
    shapes = {shape_of_digits(text): text for text in left if text}
    pairs = {text: shapes[shape_of_digits(text)] for text in written if text and shape_of_digits(text) in shapes}
    if pairs:
        example = " like ".join(map(shorten, next(iter(pairs.items()))))
        yield (
            f"{what} that were not found look like those of objects that are left ({len(pairs):,}), such as {example}. "
            f"A program may have changed them; correct the file."
        )


def variants(kind: Kind, text: str) -> list[str]:
    """Return the likeliest other spellings of a name that look like it, the likeliest first."""
    plain = plain_name(text)
    cases = [plain, plain.lower(), plain.upper(), plain.title(), plain.capitalize()]
    numbers = _numbers(kind, plain)
    found = [*cases, *numbers, *_spelled(text), *_mixed(plain), *(form for case in cases for form in _spelled(case))]
    found += _turkish(plain)
    forms = (form for name in found for form in (name, unicodedata.normalize("NFD", name)))
    mine = set(shapes(kind, normal_name(text)))
    return [form for form in dict.fromkeys(forms) if form != text and not mine.isdisjoint(shapes(kind, form))]


def _spelled(text: str) -> Iterator[str]:
    unbroken, wide = text.replace(" ", "\u00a0"), text.translate(_WIDE)
    yield from (f"{text} ", f"{text}.", text.rstrip("."), unbroken, f" {text}", wide)
    yield from (text.replace("-", dash) for dash in "\u2013\u2010\u2011\u2014")


def _turkish(text: str) -> Iterator[str]:
    """Yield a name in capitals, and with capitals only where they begin words, if it is Turkish."""
    yield text.replace("i", "\u0130").upper()
    yield " ".join(word[:1] + word[1:].replace("I", "\u0131").replace("\u0130", "i").lower() for word in text.split())


def _mixed(text: str) -> Iterator[str]:
    words = text.split(" ")
    if len(words) <= _WORDS:
        cases = ((word, word.lower(), word.capitalize(), word.upper()) for word in words)
        yield from map(" ".join, itertools.product(*cases))


def _numbers(kind: Kind, text: str) -> Iterator[str]:
    if kind.barcode_key and (digits := shape_of_digits(text)).isdecimal():
        yield from (digits, *(digits.zfill(width) for width in range(len(digits) + 1, _WIDTH + 1)))
        yield from (f"{digits}.0", f"{digits},0")
        yield from (f"{int(digits):,}".replace(",", sign) for sign in ",.' ")
    elif _is_room_number(kind, text):
        bare = text.replace(".", "")
        yield from (bare, _ZEROS.sub("", text), bare.lstrip("0"), f"0{text}", f"00{text}")
        yield from (text.replace(" ", ""), re.sub("(?<=[A-Za-z])(?=[0-9])", " ", text))
        yield from (f"{bare[:at]}.{bare[at:]}" for at in range(1, len(bare)))
        yield re.sub("(?<![0-9])([0-9])(?![0-9])", r"0\1", text)


def alike(
    schema: Schema, keys: Sequence[str], values: Mapping[str, Any], records: Iterable[Record]
) -> Iterator[tuple[Record, dict[str, Any]]]:
    """Yield the records whose natural key looks like that of some values and differs, each with its own values."""
    kind = schema.kind
    texts = [key for key in keys if isinstance(values.get(key), str)]
    for record in records:
        if kind.open_status and record.flat.get(kind.status_key) != kind.open_status:
            continue
        have = {key: schema.read_field(key, record.flat) for key in keys}
        is_equal = all(schema.equal(key, values[key], have[key]) for key in texts)
        if not is_equal and all(_is_alike(schema, key, values[key], have[key]) for key in keys):
            yield record, have


def _is_alike(schema: Schema, key: str, value: Any, other: Any) -> bool:
    if isinstance(value, str) and isinstance(other, str):
        return not set(shapes(schema.kind, value)).isdisjoint(shapes(schema.kind, other))
    if isinstance(value, Reference) and isinstance(other, Reference):
        return value.same(other) is not False
    return schema.equal(key, value, other)
