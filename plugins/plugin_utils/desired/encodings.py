# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Decide the encoding of a file by its mark, the settings and strict UTF-8, never by a guess.

If none of them fits, the error shows how words of the file read in likely encodings, and a person decides.
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections.abc import Iterator, Sequence

#: Byte order marks and their encodings. The mark of UTF-32 begins with that of UTF-16, so it comes first.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

#: How files without the mark that their encoding allows are read: in the order of bytes of almost all computers.
_UNMARKED = {"utf-8-sig": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}

_ONE_BYTE = re.compile(r"cp(125[0-8]|874|437|850)|iso8859-\d+|mac-\w+|koi8-[rut]")
_MANY_BYTES = re.compile(
    r"utf-8(-sig)?|utf-(16|32)(-[lb]e)?|cp9(32|49|50)|gbk|shift_jis\w*|euc_(jp|kr|jis_2004|jisx0213)|gb2312|gb18030"
)

#: Control characters, which ISO 8859 has where Windows has signs.
_CONTROLS = re.compile("[\x80-\x9f]")

_WEST = "äöüß" * 3 + "éèàçñÄÖÜ" * 2 + "áâãåæêëîïíóôõøœùúûìòýÿðþÉÈÀÇÅØÑÁÂÃÆÊËÌÍÎÏÒÓÔÕÙÚÛÝÐÞŒ"
_CENTRAL = "ąćęłńśźżčěřšžýáíéó" * 2 + "ďňťůúőűöüäĄĆĘŁŃŚŹŻČŘŠŽ"
_RUSSIAN = "оеаинтслвр" * 3 + "бгджзйкмпуфхцчшщъыьэюяАБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЭЮЯ" * 2 + "ёіїєґ"
_GREEK = "αοιετσνηυρ" * 3 + "βγδζθκλμξπςφχψωάέήίόύώΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩ" * 2

#: Encodings in which words are shown, with their letters: the more frequent a letter, the more often.
_CANDIDATES = (
    *((name, _WEST) for name in ("cp1252", "mac_roman", "cp850", "iso-8859-15")),
    *((name, _CENTRAL) for name in ("cp1250", "iso-8859-2", "mac_latin2")),
    *((name, _RUSSIAN) for name in ("cp1251", "koi8_r", "mac_cyrillic")),
    ("cp1253", _GREEK),
    ("cp1254", _WEST + "ığşİĞŞ" * 2),
    ("cp1257", "ąčęėįšųūžāēģīķļņõäöüĄČĘĖĮŠŲŪŽĀĒĢĪĶĻŅ" * 2),
    *((name, "") for name in ("shift_jis", "euc_jp", "gb18030")),
)

_WIDE = ("utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be")

#: Signs that are also between letters: apostrophes, dashes, dots, the soft hyphen, and the sign of products.
_IN_WORDS = frozenset("—…·\u00b4\u00ad\u2013\u2018\u2019\u00d7")
_BESIDE_WORDS = _IN_WORDS | set("€£¥¢§°¹²³ªºµ„\u201c\u201d\u201a«»\u2039\u203a®©™½¼¾•†‡‰±¿¡\u00a0")
#: Signs that are rare before a word or between capitals, and signs that nobody writes directly behind a letter.
_NOT_FIRST, _NOT_BEHIND = "§…€™®†", "§„\u201a"
#: Letters that CP850 leaves in German words: few words of other languages have á where German has ß, or Ž for Ä.
_MISREAD = re.compile(r"(?i:(?<=[ao])|(?<=e[iu]|ie|fu)|(?<=\bau))á|\bŽ(?=[^\WaeiouyAEIOUY])")

_A = "À-ÖØ-öø-ÿŒœŠšŽžŸ"
#: What other code pages of Windows leave in words: letters of Icelandic, three accented letters, signs for letters, and
#: letters that no other language of Western Europe has in one word.
_FOREIGN = re.compile(
    rf"[ðþýÐÞÝ]|(?![äöüßåæøÄÖÜÅÆØ]{{3}})[{_A}]{{3}}|[à-ÿ]³|[a-zA-Z{_A}](?:[£¥¯¼¾]|(?<!m)[¹³])[a-zA-Z{_A}]|[a-z]¿[a-zà-ÿ]"
    r"|(?i:ù\B|è[aiou]|[èìòø][áíóú]|[áíóú][èìòø]|õ\b|[áéíóúû].*õ(?!e)|õ(?!e).*[áéíóúû])"
)

#: The score of one frequent letter, by which another encoding is clearly better.
_CLEARLY = 3
_SEPARATORS = re.compile(r"[\s,;|\"\t]+")
_SHOWN_WORDS, _SHOWN_READINGS = 3, 3
_LONGEST_WORD = 30
#: Number of characters whose words are compared.
_SAMPLE = 1 << 16


class WrongEncoding(Exception):
    """Raised if the bytes of a file are not text in its encoding. The message quotes nothing from the file.

    :ivar line: of the first byte that does not fit. :ivar column: of it, in characters.
    :ivar readings: settings to choose from, each with words of the file as a comment.
    """

    def __init__(self, message: str, before: str = "", readings: Sequence[str] = ()) -> None:
        super().__init__(message)
        lines = before.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
        self.line, self.column = len(lines), len(lines[-1]) + 1
        self.readings = readings

    def words(self, where: str) -> str:
        """Return what is wrong, and what to do about it.

        :param where: the place of a setting; empty if no setting says how the file is read.
        """
        if not self.readings or not where:
            return str(self)
        lines = " or ".join(f"`{reading}`" for reading in self.readings)
        return f"{self}, or write the line with the right words into {where}: {lines}"


def encoding_of(name: str) -> str:
    """Return the name of an accepted encoding as Python spells it; empty if it is not accepted."""
    try:
        codec = codecs.lookup(name).name
    except (LookupError, ValueError):
        return ""
    return codec if _ONE_BYTE.fullmatch(codec) or _MANY_BYTES.fullmatch(codec) else ""


def decoded(content: bytes, explicit: str = "", fallback: str = "") -> tuple[str, str]:
    """Return the text of a file, with its byte order mark, and the codec that writes the same bytes.

    :param explicit: the encoding of the settings. :param fallback: the encoding of a preset, if UTF-8 does not fit.
    :raises WrongEncoding: if none of them fits.
    """
    marked = next((codec for mark, codec in _MARKS if content.startswith(mark)), "")
    if not marked and _ONE_BYTE.fullmatch(explicit):
        _check_not_utf8(content, explicit)
    codec = marked or _UNMARKED.get(explicit, explicit) or "utf-8"
    if codec == "utf-8" and content.count(b"\0") > len(content) // 4:
        raise _unread(content, "this file is not UTF-8, and has no byte order mark", "utf-8", 0)
    try:
        text = content.decode(codec)
    except UnicodeDecodeError as error:
        wrong = error
    else:
        if _ONE_BYTE.fullmatch(codec) and (control := _CONTROLS.search(text)):
            words = f"in {codec}, this file has control characters (U+{ord(control[0]):04X}); save the file as UTF-8"
            raise WrongEncoding(words, text[: control.start()], _readings(content))
        return text, codec
    # These are valid sequences of several bytes. A letter that the fallback has, too, is not an accident of its bytes.
    letters = content.decode("utf-8", "ignore") if codec == "utf-8" else ""
    found = "".join(letter for letter in letters if not letter.isascii())
    if fallback and not explicit and not marked and not found.encode(fallback, "ignore"):
        try:
            text = content.decode(fallback)
        except UnicodeDecodeError as error:
            codec, wrong = fallback, error
        else:
            if odd := b" ".join(word.encode(fallback) for word in _odd_words(content, fallback)):
                words = f"in {fallback}, the encoding of the preset, words of this file look wrong"
                words += f" (`encoding: {fallback}` accepts them); save the file as UTF-8"
                before = content[: content.index(odd.split()[0])].decode(fallback)
                raise WrongEncoding(words, before, _readings(content, odd))
            return text, fallback
    elif marked == "utf-8" or found:
        is_utf8 = bool(marked) or len(found) >= content.decode("utf-8", "replace").count("\ufffd")
        raise _mixed(content, wrong.start, is_utf8)
    name = codec.upper() if codec == "utf-8" else codec
    raise _unread(content, f"expected {name}: {wrong.reason} at byte {wrong.start}", codec, wrong.start)


def _check_not_utf8(content: bytes, explicit: str) -> None:
    try:
        text = "" if content.isascii() else content.decode("utf-8")
    except UnicodeDecodeError:
        return
    if text:
        start = next(number for number, letter in enumerate(text) if not letter.isascii())
        words = f"this file is UTF-8, and `encoding` says {explicit}; set `encoding: utf-8`"
        raise WrongEncoding(words, text[:start])


def _mixed(content: bytes, start: int, is_utf8: bool) -> WrongEncoding:
    """Return the error about a file in UTF-8 with a byte of something else.

    :param is_utf8: True if most of it is UTF-8. Otherwise its sequences of several bytes may be accidents.
    """
    byte = content[start : start + 1]
    shown = f"{byte.decode('cp1252', 'ignore') or 'no character'} in Windows-1252"
    words = f"expected UTF-8, found byte 0x{byte[0]:02X}, {shown}; save the file as UTF-8"
    return WrongEncoding(words, content[:start].decode("utf-8", "replace"), () if is_utf8 else _readings(content))


def _unread(content: bytes, found: str, codec: str, start: int) -> WrongEncoding:
    """Return the error about a file that is not in its encoding, with words of it in other encodings."""
    before = content[:start].decode(codec, "replace")
    return WrongEncoding(f"{found}; save the file as UTF-8", before, _readings(content))


def _odd_words(content: bytes, codec: str) -> list[str]:
    """Return the words that no file in this encoding has, or all words if they are clearly better in another one."""
    lines = b"\n".join(dict.fromkeys(line for line in content.splitlines() if not line.isascii()))
    if odd := [word for word in _words(lines.decode(codec)) if _FOREIGN.search(word)]:
        return odd
    sample = lines[:_SAMPLE]
    words = _words(sample.decode(codec))
    score = _score(words, _WEST)
    # Without letters of its language, all letters count for an encoding.
    others = (_score(_words(text), letters) for _codec, letters, text in _texts(sample) if letters) if score < 0 else ()
    return words if any(other > 0 and other - score >= _CLEARLY for other in others) else []


def _readings(content: bytes, odd: bytes = b"") -> list[str]:
    """Return settings for the likeliest encodings, the likeliest first, and one setting for each reading.

    :param odd: the words that decide. Without any, all words do.
    """
    read = [(name, own, _words((odd.decode(name, "replace") or text)[:_SAMPLE])) for name, own, text in _texts(content)]
    scores = {encoding: _score(words, letters) for encoding, letters, words in read}
    best = max(scores.values(), default=0)
    shown: dict[str, str] = {}
    for encoding, _letters, words in sorted(read, key=lambda found: -scores[found[0]]):
        if scores[encoding] * 2 >= best or not shown:
            shown.setdefault(", ".join(words[:_SHOWN_WORDS]), encoding)
    return [f"encoding: {encoding}   # {words}" for words, encoding in shown.items()][:_SHOWN_READINGS]


def _texts(content: bytes) -> Iterator[tuple[str, str, str]]:
    """Yield the encodings in which a whole file is text, each with its letters and the text."""
    is_wide = b"\0" in content
    for encoding, letters in [(name, "") for name in _WIDE] if is_wide else _CANDIDATES:
        try:
            text = content.decode(encoding)
        except UnicodeError:
            continue
        if not any(unicodedata.category(letter) in ("Cc", "Cn", "Co") for letter in set(text) - {"\t", "\r", "\n"}):
            yield encoding, letters, text


def _words(text: str) -> list[str]:
    """Return the different words with letters that encodings read differently; without any, all words."""
    words = dict.fromkeys(word[:_LONGEST_WORD] for word in _SEPARATORS.split(text) if word)
    return [word for word in words if not word.isascii()] or list(words)


def _score(words: Sequence[str], letters: str) -> int:
    """Return how well words fit a language: frequent letters count for it, signs and capitals in words against it."""
    return sum(
        _score_of(letter, word[max(number - 1, 0) : number], word[number + 1 : number + 2], letters)
        for word in words
        for number, letter in enumerate(_MISREAD.sub("\u00a4", word))
    )


def _score_of(letter: str, before: str, after: str, letters: str) -> int:
    if letter.isascii():
        return 0
    beside = [near for near in (before, after) if near.isalpha()]
    if letter in _BESIDE_WORDS:
        is_first = after.isalpha() and (not before or (before + after).isupper())
        is_odd = (letter in _NOT_FIRST and is_first) or (letter in _NOT_BEHIND and before.isalpha())
        return -4 if is_odd or (len(beside) == 2 and letter not in _IN_WORDS) else 2 - len(beside)
    if not letter.isalpha() or "\uff61" <= letter <= "\uff9f":
        return -4
    if letter.isupper() and before.islower():
        return -4
    if any(_is_latin(near) is not _is_latin(letter) for near in beside):
        return -4
    # A foreign name may begin with any capital.
    foreign = 0 if letter.isupper() and not before else -1
    return letters.count(letter) or (foreign if letters else 3)


def _is_latin(letter: str) -> bool:
    return unicodedata.name(letter, "").startswith("LATIN")
