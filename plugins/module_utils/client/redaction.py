# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Remove secrets from texts of the service, in the spellings that answers and logs have.

An answer may repeat a secret as it is, escaped as in JSON, HTML or a URL, in base64 or in hexadecimal digits. So each
text is searched as it is and with its escapes undone, for the secret and for its digits.
"""

from __future__ import annotations

import base64
import functools
import html
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, takewhile
from typing import Any
from urllib.parse import unquote

from ..model.field import Way

MASK = "********"
#: Replaces a value in a result that is a secret as a whole. Ansible uses these words.
HIDDEN = "VALUE_SPECIFIED_IN_NO_LOG_PARAMETER"

#: Minimum number of base64 digits to search for. Fewer digits would match anywhere.
_SHORTEST_ENCODED = 5
_SHORTEST_IN_NAMES = 8
#: Minimum number of characters of a secret before the dots of a shortened text.
_SHORTEST_CUT = 16
#: How often one escape may be inside another: answers in JSON contain HTML.
_ESCAPED_IN = 2
#: Every text with escapes has one of these characters.
_MARK = re.compile(r"[\\&%]")
_HEX = "[0-9a-fA-F]"
_NEXT = f"%[89abAB]{_HEX}"
_SHORT = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
#: What follows the base64 digits of a secret and depends on its last character, too.
_LAST_DIGITS = re.compile("[A-Za-z0-9+/_-]?={0,2}")


def _json_character(match: re.Match[str]) -> str:
    high, low, unit, short = match.groups()
    if short:
        return _SHORT.get(short, short)
    return bytes.fromhex(high + low).decode("utf-16-be") if high else chr(int(unit, 16))


#: The escapes of JSON, HTML and URLs: the character that each begins with, its pattern, and the decoder.
_ESCAPES: tuple[tuple[str, re.Pattern[str], Callable[[re.Match[str]], str]], ...] = (
    (
        "\\",
        re.compile(rf"""\\u([dD][89abAB]{_HEX}{{2}})\\u([dD][c-fC-F]{_HEX}{{2}})|\\u({_HEX}{{4}})|\\(["\\/bfnrt])"""),
        _json_character,
    ),
    (
        "&",
        re.compile(rf"&(?:\#[0-9]{{1,7}}|\#[xX]{_HEX}{{1,6}}|[a-zA-Z][a-zA-Z0-9]{{1,31}});"),
        lambda match: html.unescape(match[0]),
    ),
    (
        "%",
        re.compile(rf"%[0-7]{_HEX}|%[cdCD]{_HEX}{_NEXT}|%[eE]{_HEX}(?:{_NEXT}){{2}}|%[fF][0-7](?:{_NEXT}){{3}}"),
        lambda match: unquote(match[0]),
    ),
)


def without(secrets: Iterable[str], text: str, mask: str = MASK) -> str:
    """Return a text with all secrets replaced.

    :param mask: what replaces them.
    """
    parts, at = [], 0
    for begin, end in sorted(_spans([secret for secret in secrets if secret], text)):
        if begin >= at:
            parts += [text[at:begin], mask]
        at = max(at, end)
    return "".join([*parts, text[at:]])


def hide(secrets: Iterable[str], value: Any) -> Any:
    """Return data without secrets in any spelling.

    Ansible does this with the result of a module for the plain spelling.

    :param value: maps, lists and plain values. A name in a map is replaced only if it has a secret of 8 or more
        characters: a shorter secret may well be a word that a result needs.
    :returns: the same data, with :data:`HIDDEN` for a value that is a secret or a number with a secret in it, and stars
        in texts.
    """
    known = [secret for secret in secrets if secret]
    if not _may_contain(known, value):
        return value
    long = [secret for secret in known if len(secret) >= _SHORTEST_IN_NAMES]
    # A result of many records repeats most of its texts.
    masked = functools.cache(functools.partial(without, known))
    masked_names = functools.cache(functools.partial(without, long))
    return _hidden(known, masked, masked_names, value)


def hide_in_result(secrets: Iterable[str], result: Mapping[str, Any]) -> dict[str, Any]:
    """Return the result of a module without secrets. Requested tokens stay: the caller keeps them hidden."""
    tokens = {key: result[key] for key in ("access_token", "refresh_token") if result.get(key)}
    return {**hide(secrets, result), **tokens}


def _may_contain(secrets: Sequence[str], value: Any) -> bool:
    """Return False if no text, name or number in some data has a secret in any spelling.

    A result of many records has a great many texts, and almost never a secret, so all of them are searched as one text.
    No spelling of a secret continues after a null character.
    """
    if not secrets:
        return False
    texts = _texts_in(value)
    escaped = "\0".join(filter(_MARK.search, texts))
    return bool(_spans(secrets, "\0".join(texts), 0) or _spans(secrets, escaped))


def _texts_in(value: Any) -> set[str]:
    """Return each text, name and number in some data once."""
    found: set[str] = set()
    level = [value]
    while level:
        # A result of many records has millions of values: sort them by type, then handle each type at once.
        by_type: dict[type, list[Any]] = {}
        for part in level:
            by_type.setdefault(part.__class__, []).append(part)
        level = []
        for kind, values in by_type.items():
            if issubclass(kind, str):
                found.update(values)
            elif issubclass(kind, (int, float)) and kind is not bool:
                found.update(map(str, values))
            elif issubclass(kind, (list, tuple)):
                level += chain.from_iterable(values)
            elif issubclass(kind, Mapping):
                found.update(map(str, set(chain.from_iterable(values))))
                level += chain.from_iterable(mapping.values() for mapping in values)
    return found


def _hidden(
    secrets: Sequence[str], masked: Callable[[str], str], masked_names: Callable[[str], str], value: Any
) -> Any:
    if isinstance(value, str):
        return HIDDEN if value in secrets else masked(value)
    if isinstance(value, Mapping):
        return {
            (masked_names(name) if isinstance(name, str) else name): _hidden(secrets, masked, masked_names, member)
            for name, member in value.items()
        }
    if isinstance(value, (list, tuple)):
        return [_hidden(secrets, masked, masked_names, item) for item in value]
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return HIDDEN if any(secret in str(value) for secret in secrets) else value
    return value


def _spans(secrets: Sequence[str], text: str, escapes: int = _ESCAPED_IN) -> list[tuple[int, int]]:
    """Return where a text has one of the secrets.

    :param escapes: how often its escapes are undone to find more of them.
    """
    found = list(_visible_spans(secrets, text))
    for mark, escape, character in _ESCAPES if escapes else ():
        inner = _spans(secrets, escape.sub(character, text), escapes - 1) if mark in text else []
        places = list(_places(text, escape, character)) if inner else []
        found += [(places[begin][0], places[end - 1][1]) for begin, end in inner]
    return found


def _visible_spans(secrets: Sequence[str], text: str) -> Iterator[tuple[int, int]]:
    """Yield where a text has one of the secrets, plain, shortened or in base64."""
    for secret in secrets:
        for form in (secret, secret.replace(" ", "+")):
            yield from ((begin, begin + len(form)) for begin in _found(form, text))
        for begin in _found(secret[:_SHORTEST_CUT], text) if len(secret) > _SHORTEST_CUT else ():
            pairs = zip(secret, text[begin : begin + len(secret)], strict=False)
            end = begin + sum(1 for _pair in takewhile(lambda pair: pair[0] == pair[1], pairs))
            if text.startswith("...", end):
                yield begin, end
        for form in _encoded(secret):
            for begin in _found(form, text):
                last = _LAST_DIGITS.match(text, begin + len(form))
                yield begin, begin + len(form) if last is None else last.end()


def _found(form: str, text: str) -> Iterator[int]:
    begin = text.find(form)
    while begin >= 0:
        yield begin
        begin = text.find(form, begin + len(form))


def _places(text: str, escape: re.Pattern[str], character: Callable[[re.Match[str]], str]) -> Iterator[tuple[int, int]]:
    """Yield the range of each character after undoing the escapes, in the text as received."""
    at = 0
    for match in escape.finditer(text):
        yield from ((index, index + 1) for index in range(at, match.start()))
        yield from [match.span()] * len(character(match))
        at = match.end()
    yield from ((index, index + 1) for index in range(at, len(text)))


@functools.lru_cache(maxsize=1024)
def _encoded(secret: str) -> tuple[str, ...]:
    """Return the base64 digits of a secret at every offset in the encoded text, and its hexadecimal digits."""
    content = secret.encode("utf-8", "surrogatepass")
    found = [content.hex(), content.hex().upper()]
    for before in range(3):
        # Leave out the digits that also depend on the neighbouring bytes.
        digits = base64.b64encode(b"\0" * before + content).decode()
        whole = digits[(0, 2, 3)[before] : (before + len(content)) * 8 // 6]
        found += [whole, whole.replace("+", "-").replace("/", "_")]
    return tuple(dict.fromkeys(form for form in found if len(form) >= _SHORTEST_ENCODED))


#: What is wrong with a masked value, and what to do.
MASKED = (
    "Ansible masked a secret here (no_log), so the true text is lost. Do not take this value from the result of a "
    "task; take it from where that task took it"
)

_STARS = re.escape(MASK)
#: A mask. Equal secrets in a row give several of them; a longer row of stars is a line that somebody drew.
_MASK = re.compile(rf"{HIDDEN}|(?<!\*)(?:{_STARS}){{1,3}}(?!\*)")


def is_masked(text: str) -> bool:
    """Return True if a text contains a mask."""
    return _MASK.search(text) is not None


def masked_in(value: Any, way: Way = ()) -> Iterator[Way]:
    """Yield the place of each masked text in a value, at any depth. The key of a map counts as its member.

    :param way: the place of the value itself.
    """
    if isinstance(value, str):
        if is_masked(value):
            yield way
    elif isinstance(value, Mapping):
        for key, member in value.items():
            if isinstance(key, str) and is_masked(key):
                yield (*way, key)
            yield from masked_in(member, (*way, str(key)))
    elif isinstance(value, (list, tuple)):
        for number, item in enumerate(value):
            yield from masked_in(item, (*way, number))
