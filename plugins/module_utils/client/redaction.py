# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Remove secrets from texts of the service, in every spelling.

An answer may echo a secret as JSON, HTML or a URL writes it, and base64 or hexadecimal digits are no better than the
secret itself. So each of its characters is matched in all of its spellings.
"""

from __future__ import annotations

import base64
import functools
import html
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, groupby
from typing import Any
from urllib.parse import unquote

MASK = "********"
HIDDEN = "VALUE_SPECIFIED_IN_NO_LOG_PARAMETER"
"""Replaces a value in a result that is a secret as a whole. Ansible uses these words."""

_SHORTEST_ENCODED = 5
"""Minimum number of base64 digits to search for. Fewer digits would match anywhere."""
_ENCODED_IN = 4
"""How often one encoding may be nested in another."""
_BACKSLASHES = 2**_ENCODED_IN
"""Number of backslashes that represent one backslash in nested JSON. Before a quotation mark it is one less."""
_BLANKS = " \t\n\r\f\v\xa0"
_HEX = "[0-9a-fA-F]"
_NEXT = f"%[89abAB]{_HEX}"
_ESCAPE = re.compile(
    rf"""
    \\[uU]([dD][89abAB]{_HEX}{{2}})\\{{1,{_BACKSLASHES}}}[uU]([dD][c-fC-F]{_HEX}{{2}})    # JSON: halves of a pair,
    | \\(?:[uU]({_HEX}{{4}})|x({_HEX}{{2}}))                                # or one character
    | &\#0*([0-9]{{1,7}});? | &\#[xX]0*({_HEX}{{1,6}});?                            # HTML
    | (&[a-zA-Z][a-zA-Z0-9]{{1,31}};?)
    | ((?:%[0-7]{_HEX} | %[cdCD]{_HEX}{_NEXT} | %[eE]{_HEX}(?:{_NEXT}){{2}} | %[fF][0-7](?:{_NEXT}){{3}}))   # URLs
    """,
    re.VERBOSE,
)
"""One escaped character, in the spellings of all formats. More backslashes may precede it."""
_SHORTEST_IN_NAMES = 8
_MARK = re.compile(r"[\\&%+]")
"""Every text with escapes has one of these characters."""
_HEX_DIGITS = re.compile("[0-9a-f]+|[0-9A-F]+")
_SEPARATORS = str.maketrans("", "", ":.-")
_LEFT_OUT = re.compile(r"[\Wnrtfv]+")
"""Characters that may be part of an escape. They include letters, because some formats escape spaces with letters."""


def without(secrets: Iterable[str], text: str) -> str:
    """Return a text with all secrets replaced, the longest first."""
    folded = None
    for secret in sorted((secret for secret in secrets if secret), key=len, reverse=True):
        folded = _folded(text) if folded is None else folded
        # There may be many secrets, and hardly any of them occurs in a text.
        if secret in text or any(form in folded for form in _folded_forms(secret)):
            text = _without_matches(_pattern_of(secret), text)
    return text


def hide(secrets: Iterable[str], value: Any) -> Any:
    """Return data without secrets in any spelling.

    Ansible does this with the result of a module for the plain spelling.

    :param value: maps, lists and plain values. A name in a map is replaced only if it has a secret of 8 or more
        characters: a shorter secret may well be a word that a result needs.
    :returns: the same data, with :data:`HIDDEN` for a value that is a secret or a number with a secret in it, and stars
        in texts.
    """
    ordered = sorted((secret for secret in secrets if secret), key=len, reverse=True)
    if not _may_contain(ordered, value):
        return value
    long = [secret for secret in ordered if len(secret) >= _SHORTEST_IN_NAMES]
    # A result of many records repeats most of its texts.
    masked = functools.cache(functools.partial(_masked, tuple(ordered)))
    masked_names = functools.cache(functools.partial(_masked, tuple(long)))
    return _hidden(ordered, masked, masked_names, value)


def hide_in_result(secrets: Iterable[str], result: Mapping[str, Any]) -> dict[str, Any]:
    """Return the result of a module without secrets. Requested tokens stay: the caller keeps them hidden."""
    tokens = {key: result[key] for key in ("access_token", "refresh_token") if result.get(key)}
    return {**hide(secrets, result), **tokens}


def _may_contain(secrets: Sequence[str], value: Any) -> bool:
    """Return False if no text, name or number in some data has a secret in any spelling.

    A result of many records has a great many texts, and almost never a secret, so all of them are searched as one text.
    Everything that :func:`_masked` finds in a single text is found in this joined text too, because no spelling of a
    secret continues after a null character. It may find too much, because texts may join when separators are left out,
    but never too little.
    """
    if not secrets:
        return False
    texts = _texts_in(value)
    whole = "\0".join(texts)
    joined = _without_separators(whole)
    if any(secret in whole or any(form in joined for form in _joined(secret)) for secret in secrets):
        return True
    if not _MARK.search(whole):
        return False
    folded = _folded("\0".join(filter(_MARK.search, texts)))
    return any(form in folded for secret in secrets for form in _folded_forms(secret))


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


def _without_separators(text: str) -> str:
    """Return a text without the characters that may stand between the digits of an encoded secret."""
    return "".join(text.split()).translate(_SEPARATORS)


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


def _masked(secrets: Sequence[str], text: str) -> str:
    # Results contain a great many texts, and hardly any of them is escaped or encoded.
    is_spelled = _MARK.search(text) is not None
    if not is_spelled:
        # The digits of an encoded secret may be spread over lines or separated.
        plain = text if text.isalnum() else _without_separators(text)
        is_spelled = any(form in plain for secret in secrets for form in _joined(secret))
    if is_spelled:
        text = without(secrets, text)
    for secret in secrets:
        text = text.replace(secret, MASK)
    return text


def _without_matches(pattern: re.Pattern[str], text: str) -> str:
    """Return a text without the matches of a pattern, whether or not they are escaped."""
    spans: list[tuple[int, int]] = []
    places = [(at, at + 1) for at in range(len(text))]
    for layer in _undone(text):
        found = [match.span() for match in pattern.finditer(layer)]
        spans += [(places[begin][0], places[end - 1][1]) for begin, end in found]
        places = _places_undone(layer, places)
    parts, at = [], 0
    for begin, end in sorted(spans):
        if begin >= at:
            parts += [text[at:begin], MASK]
        at = max(at, end)
    return "".join([*parts, text[at:]])


def _places_undone(text: str, places: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the positions of each character after undoing the escapes once, in the text as received.

    :param places: the positions of each character before.
    """
    undone, at = [], 0
    for match in _ESCAPE.finditer(text):
        begin, end = match.span()
        undone += [*places[at:begin], *[(places[begin][0], places[end - 1][1])] * len(_character(match))]
        at = end
    return undone + places[at:]


def _character(match: re.Match[str]) -> str:
    """Return the character that an escape represents, or the escape itself if it represents none."""
    high, low, unit, byte, decimal, digits, entity, percent = match.groups()
    if entity:
        return html.unescape(entity)
    if percent:
        return unquote(percent)
    if high:
        return bytes.fromhex(high + low).decode("utf-16-be")
    number = int(decimal) if decimal else int(unit or byte or digits, 16)
    return chr(number) if number <= sys.maxunicode else match[0]


def _folded(text: str) -> str:
    """Return most letters and digits of a text and of its decoded forms.

    All spellings of a text yield the same result.
    """
    return "\0".join(_letters(layer) for layer in _undone(text))


def _letters(text: str) -> str:
    return _LEFT_OUT.sub("", text)


def _undone(text: str) -> Iterator[str]:
    """Yield a text, and the text with its escapes undone once, twice, and so on."""
    yield text
    for _encoding in range(_ENCODED_IN):
        plain = _ESCAPE.sub(_character, text)
        if plain == text:
            break
        yield plain
        text = plain


@functools.lru_cache(maxsize=1024)
def _folded_forms(secret: str) -> tuple[str, ...]:
    """Return each form of a secret, escaped or not, reduced to most of its letters and digits."""
    return tuple(dict.fromkeys(map(_letters, (*_forms(secret), *_encoded(secret)))))


def _forms(secret: str) -> list[str]:
    """Return a secret and, if it looks like an escape, its decoded form: decoding a text decodes the secret, too."""
    return [form for form in _undone(secret) if form == secret or len(form) >= _SHORTEST_ENCODED]


@functools.lru_cache(maxsize=1024)
def _pattern_of(secret: str) -> re.Pattern[str]:
    spelled = map(_spelled, _forms(secret))
    return re.compile("|".join([*spelled, *(f"{_wrapped(form)}[A-Za-z0-9+/_-]?={{0,2}}" for form in _encoded(secret))]))


def _wrapped(form: str) -> str:
    """Return a pattern for an encoded secret whose digits may be spread over lines or separated."""
    # In base64 for URLs the minus is a digit, so it can't be a separator there.
    apart = r"\s:.-" if _HEX_DIGITS.fullmatch(form) else r"\s"
    return rf"(?:[{apart}]|\\+[rnt])*+".join(map(_spelled, form))


def _spelled(text: str) -> str:
    return "".join(_spellings(character, len(list(run))) for character, run in groupby(text, _by_run))


def _by_run(character: str) -> str:
    """Return a pattern for a run of one character.

    Spaces often become one space or a plus, and backslashes are doubled.
    """
    return " " if character in _BLANKS or character == "+" else character


def _spellings(character: str, count: int) -> str:
    """Return a pattern for a run of one character with backslashes before it.

    It is linear: no part of a text matches in two ways.
    """
    most = _BACKSLASHES
    if character == " ":
        return rf"(?:\\{{0,{most}}}+[\s+]|\\{{1,{most}}}[nrtfv]){{1,{8 * count}}}"
    if character == "\\":
        return rf"\\{{{count},{most * count}}}"
    return rf"(?:\\{{0,{most}}}+{re.escape(character)}){{{count}}}"


@functools.lru_cache(maxsize=1024)
def _encoded(secret: str) -> tuple[str, ...]:
    """Return the base64 and hexadecimal digits of a secret at every offset in the encoded text."""
    content = secret.encode("utf-8", "surrogatepass")
    found = []
    for before in range(3):
        # Leave out the digits that also depend on the neighbouring bytes.
        digits = base64.b64encode(b"\0" * before + content).decode()
        whole = digits[(0, 2, 3)[before] : (before + len(content)) * 8 // 6]
        found += [whole, whole.replace("+", "-").replace("/", "_")]
    found += [content.hex(), content.hex().upper()]
    return tuple(dict.fromkeys(form for form in found if len(form) >= _SHORTEST_ENCODED))


@functools.lru_cache(maxsize=1024)
def _joined(secret: str) -> tuple[str, ...]:
    """Return the encoded digits of a secret without separators."""
    return tuple(_without_separators(form) for form in _encoded(secret))
