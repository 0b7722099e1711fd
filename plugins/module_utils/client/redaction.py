# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Secrets taken out of texts of the service, in whatever spelling they stand there.

An answer that echoes a secret may write it as JSON, HTML or a URL does, and base64 or hexadecimal digits are no better
than the secret itself. So each of its characters is looked for in all of its spellings.
"""

from __future__ import annotations

import base64
import functools
import html
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html.entities import codepoint2name
from itertools import groupby
from typing import Any
from urllib.parse import unquote_plus

MASK = "********"
HIDDEN = "VALUE_SPECIFIED_IN_NO_LOG_PARAMETER"
"""Stands in a result for a value that is a secret as a whole: Ansible's own words."""

_SHORTEST_ENCODED = 5
"""Characters of base64 that a shorter secret does not fill; they might stand anywhere."""
_BLANKS = " \t\n\r\f\v\xa0"
_BLANK_ESCAPES = "nrtfv"
_UNICODE = re.compile(r"\\{1,8}[uU]([0-9a-fA-F]{4})")
_BLANK_ESCAPED = re.compile(rf"\\{{1,8}}[{_BLANK_ESCAPES}]")
_LONG_NUMBER = re.compile("(?<=&#)[0-9]{8,}")
"""Python reads no number of some thousand digits."""
_SHORTEST_IN_NAMES = 8
_MARKS = "\\&%+"
"""One of them stands in every text that escapes what it holds."""
_NO_WORD = re.compile(r"\W+")
_ENCODED_IN = 4
"""How often one encoding may stand in another."""


def without(secrets: Iterable[str], text: str) -> str:
    """A text with every one of some secrets replaced, the longest first."""
    folded = None
    for secret in sorted((one for one in secrets if one), key=len, reverse=True):
        folded = _folded(text) if folded is None else folded
        # There may be many secrets, and next to none of them stands in a text.
        if secret in text or _folded_secret(secret) in folded or any(form in text for form in _encoded(secret)):
            text = _pattern_of(secret).sub(MASK, text)
    return text


def hide(secrets: Iterable[str], value: Any) -> Any:
    """Data with every one of some secrets taken out in every spelling, as Ansible does with the result of a module for
    the plain one.

    :param value: maps, lists and plain values. Of names in maps only those go that hold a secret of 8 or more
        characters: a shorter one may well be a word that a result needs.
    :returns: the same with :data:`HIDDEN` for what is a secret or a number with one in it, and stars in texts.
    """
    ordered = sorted((one for one in secrets if one), key=len, reverse=True)
    long = [secret for secret in ordered if len(secret) >= _SHORTEST_IN_NAMES]
    return _hidden(ordered, long, value) if ordered else value


def hide_in_result(secrets: Iterable[str], result: Mapping[str, Any]) -> dict[str, Any]:
    """The result of a module without some secrets. Tokens that were asked for stay; who asked keeps them hidden."""
    tokens = {key: result[key] for key in ("access_token", "refresh_token") if result.get(key)}
    return {**hide(secrets, result), **tokens}


def _hidden(secrets: Sequence[str], long: Sequence[str], value: Any) -> Any:
    if isinstance(value, str):
        return HIDDEN if value in secrets else _masked(secrets, value)
    if isinstance(value, Mapping):
        return {
            (_masked(long, name) if isinstance(name, str) else name): _hidden(secrets, long, member)
            for name, member in value.items()
        }
    if isinstance(value, (list, tuple)):
        return [_hidden(secrets, long, item) for item in value]
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return HIDDEN if any(secret in str(value) for secret in secrets) else value
    return value


def _masked(secrets: Sequence[str], text: str) -> str:
    # Results hold very many texts, and next to none of them escapes or encodes anything.
    is_spelled = any(mark in text for mark in _MARKS) or any(
        form in text for secret in secrets for form in _encoded(secret)
    )
    if is_spelled:
        text = without(secrets, text)
    for secret in secrets:
        text = text.replace(secret, MASK)
    return text


def _folded(text: str) -> str:
    """The letters and digits of a text, every encoding undone; spellings of one text are one then."""
    for _encoding in range(_ENCODED_IN):
        plain = _UNICODE.sub(lambda found: chr(int(found.group(1), 16)), _BLANK_ESCAPED.sub(" ", text))
        plain = unquote_plus(html.unescape(_LONG_NUMBER.sub(lambda found: found.group()[-7:], plain)))
        if plain == text:
            break
        text = plain
    return _NO_WORD.sub("", text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))


@functools.lru_cache(maxsize=1024)
def _folded_secret(secret: str) -> str:
    return _folded(secret)


@functools.lru_cache(maxsize=1024)
def _pattern_of(secret: str) -> re.Pattern[str]:
    spelled = "".join(_spellings(character, len(list(run))) for character, run in groupby(secret, _by_run))
    encoded = [re.escape(form) for form in _encoded(secret)]
    return re.compile("|".join([spelled, *(f"{form}[A-Za-z0-9+/_-]?={{0,2}}" for form in encoded)]))


def _by_run(character: str) -> str:
    """Blanks are often made one, and backslashes doubled, so a run of them is looked for as a whole."""
    return " " if character in _BLANKS else character


def _spellings(character: str, count: int) -> str:
    """A pattern for a run of one character. It is linear: no part of a text can be read in two ways."""
    if character == " ":
        code = "(?:20|0[9a-dA-D]|[aA]0)"
        escaped = rf"\\{{1,8}}(?:[{_BLANK_ESCAPES}]|[uU]00{code})|%(?:25){{0,3}}(?:[cC]2%(?:25){{0,3}})?{code}"
        number = r"#0{0,6}(?:32|9|1[0-3]|160)(?![0-9])|#[xX]0{0,6}(?:20|[9a-dA-D]|[aA]0)(?![0-9a-fA-F])"
        return rf"(?:\s|\+|&(?:amp;){{0,3}}(?:{number}|nbsp);?|{escaped})++"
    forms = "|".join(_escapes(character))
    if character == "\\":
        return rf"(?:\\{{{count},{8 * count}}}|(?:{forms}){{{count}}})"
    return rf"(?:\\{{0,8}}+{re.escape(character)}|{forms}){{{count}}}"


def _escapes(character: str) -> Iterator[str]:
    """Patterns for the spellings of a character other than itself."""
    code = ord(character)
    utf16 = character.encode("utf-16-be", "surrogatepass")
    units = [utf16[index : index + 2].hex() for index in range(0, len(utf16), 2)]
    yield "".join(rf"\\{{1,8}}[uU](?i:{unit})" for unit in units)
    entity = f"|{codepoint2name[code]}" if code in codepoint2name else ""
    number = rf"#0{{0,6}}{code}(?![0-9])|#[xX]0{{0,6}}(?i:{code:x})(?![0-9a-fA-F])"
    yield rf"&(?:amp;){{0,3}}(?:{number}{entity});?"
    yield "".join(rf"%(?:25){{0,3}}(?i:{byte:02x})" for byte in character.encode("utf-8", "surrogatepass"))


@functools.lru_cache(maxsize=1024)
def _encoded(secret: str) -> tuple[str, ...]:
    """The base64 and hexadecimal digits of a secret, wherever it stands in the encoded text."""
    content = secret.encode("utf-8", "surrogatepass")
    found = []
    for before in range(3):
        # Digits that also depend on the bytes around the content are left out.
        digits = base64.b64encode(b"\0" * before + content).decode()
        whole = digits[(0, 2, 3)[before] : (before + len(content)) * 8 // 6]
        found += [whole, whole.replace("+", "-").replace("/", "_")]
    found += [content.hex(), content.hex().upper()]
    return tuple(dict.fromkeys(form for form in found if len(form) >= _SHORTEST_ENCODED))
