# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Convert plain data to the text of YAML, CSV and JSON Lines files, with the same bytes for the same data.

A text that some YAML reader, old or new, would not read as text is quoted. Numbers and dates that are :class:`Plain`
are written unchanged.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import yaml

from ...module_utils.model.field import Plain
from ..desired.dialect import PRESETS, Dialect
from ..desired.sources.formulas import escaped
from ..desired.words import NULL_WORDS

PLAIN = PRESETS["plain"]

#: Texts that need no quotes, also inside brackets: they begin with a letter and have no special YAML characters.
#:
#: A question mark is special in brackets for readers without libyaml.
_HARMLESS = re.compile(r"[^\W\d_](?:[\w ./@+()%&;=*!$~^<>|'-]*[\w./@+()%&;=*!$~^<>|'-])?")

_WORDS = frozenset(
    ["y", "n", "yes", "no", "on", "off", "true", "false", "null", "none", "nan", "undefined", "inf", "void"]
)
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")
_WIDTH = 110
#: Maximum characters of a name, quotes and escapes included; YAML accepts up to 1,024 for an implicit key.
_LONGEST_KEY = 1000
_RESOLVER: Any = yaml.resolver.Resolver()


class Unwritable(Exception):
    """Raised if a file cannot have a value in its place. The message says why, in words that follow its name."""


class Incomplete(dict[str, Any]):
    """A record without values that no file can have. Where empty cells clear, no table can have the record."""


# ---- scalars


@lru_cache(maxsize=100_000)
def _text(value: str) -> str:
    """Return a text on one line: plain if it is unambiguous, in quotes otherwise."""
    return value if _HARMLESS.fullmatch(value) and is_text(value) else _quoted(value)


def _quoted(value: str) -> str:
    """Return a text in double quotes, as YAML and JSON both read it, with invisible characters escaped."""
    return _UNPRINTABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", json.dumps(value, ensure_ascii=False))


def is_text(value: str) -> bool:
    """Return True if readers of YAML read unquoted characters as a text."""
    is_word = value.lower() in _WORDS or value in NULL_WORDS
    return not is_word and str(_RESOLVER.resolve(yaml.ScalarNode, value, (True, False))) == "tag:yaml.org,2002:str"


def is_unprintable(text: str) -> bool:
    """Return True if a text has invisible characters, and so is escaped."""
    return _UNPRINTABLE.search(text) is not None


def scalar(value: Any) -> str:
    """Return a single value on one line."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (Plain, int)):
        return str(value)
    if isinstance(value, (str, float)):
        # Some instances return floats for fields that are not numbers. Written like this, the value reads back
        # unchanged.
        return _text(str(value))
    raise TypeError(f"{value!r} is not a plain value")


def _is_block(value: Any) -> bool:
    """Return True if a text is most readable line by line, and is read back unchanged."""
    if not isinstance(value, str) or isinstance(value, Plain) or "\n" not in value.strip("\n"):
        return False
    return (
        not value.startswith((" ", "\n", "\t"))
        and not value.endswith("\n\n")
        and not _UNPRINTABLE.search(value)
        and all(line == line.rstrip() for line in value.split("\n"))
    )


def flow(value: Any) -> str:
    """Return a value on one line, lists and maps in brackets."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key(str(key), ' ')} {flow(member)}" for key, member in value.items()) + "}"
    return "[" + ", ".join(map(flow, value)) + "]" if isinstance(value, (list, tuple)) else scalar(value)


def _key(name: str, before_its_value: str) -> str:
    """Return the name of a member with its colon. A name that is too long for YAML is marked as an explicit key.

    :param before_its_value: separates such a name from the colon.
    """
    text = _text(name)
    return f"{text}:" if len(text) <= _LONGEST_KEY else f"? {text}{before_its_value}:"


# ---- YAML


def _member(key: str, value: Any, indent: str) -> Iterable[str]:
    """Yield the lines of one member of a map."""
    name = _key(key, f"\n{indent}")
    if _is_block(value):
        yield f"{indent}{name} |{'' if value.endswith(chr(10)) else '-'}"
        for line in value.removesuffix("\n").split("\n"):
            yield f"{indent}  {line}" if line else ""
        return
    short = f"{indent}{name} {flow(value)}" if isinstance(value, (Mapping, list, tuple)) else ""
    if not short or len(short) <= _WIDTH or not value:
        yield short or f"{indent}{name} {scalar(value)}"
        return
    yield f"{indent}{name}"
    if isinstance(value, Mapping):
        for inner, member in value.items():
            yield from _member(str(inner), member, indent + "  ")
    else:
        for item in value:
            yield f"{indent}  - {flow(item)}"


def yaml_record(record: Any) -> str:
    """Return one item of a YAML list, with the end of its last line."""
    if not isinstance(record, Mapping):
        return f"- {scalar(record)}\n"
    lines = [line for key, value in record.items() for line in _member(str(key), value, "  ")]
    if not lines:
        return "- {}\n"
    return "\n".join([f"- {lines[0][2:]}", *lines[1:]]) + "\n"


def yaml_map(members: Mapping[str, Any]) -> str:
    """Return the members of a map at the top of a file."""
    return "".join(line + "\n" for key, value in members.items() for line in _member(key, value, ""))


# ---- JSON Lines and CSV


def json_record(record: Any) -> str:
    """Return one line of JSON Lines."""
    return json_cell(record) + "\n"


def json_cell(value: Any) -> str:
    """Return a value as JSON on one line, as JSON Lines and the cells of tables have it."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{json_cell(str(key))}: {json_cell(member)}" for key, member in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(json_cell, value)) + "]"
    if isinstance(value, Plain):
        return str(value) if _NUMBER.fullmatch(value) else json.dumps(str(value))
    return _quoted(value) if isinstance(value, str) else json.dumps(value)


_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?")


def csv_header(records: Sequence[Mapping[str, Any]], dialect: Dialect = PLAIN) -> list[str]:
    """Return the columns of some records: every name in any of them, in the order of their first use.

    :raises Unwritable: if a reader would confuse the columns.
    """
    names = list(dict.fromkeys(str(name) for record in records for name in record))
    for name in names:
        if (
            name != name.strip()
            or not dialect.reads_column(name)
            or _NO_COLUMN.search(name)
            or _UNPRINTABLE.search(name)
        ):
            raise Unwritable(f"{name!r} can't be a column")
    return names


#: Parts of a name that a reader could read as a delimiter, or as the end of a column.
_NO_COLUMN = re.compile(r"^sep=|[\n\r;\t|\x00]", re.IGNORECASE)


def csv_record(header: Sequence[str], record: Mapping[str, Any], dialect: Dialect = PLAIN) -> str:
    """Return the row of a record.

    :raises Unwritable: if a cell would be read as something else, or the encoding has no such character.
    """
    if dialect.clears and isinstance(record, Incomplete):
        raise Unwritable("an empty cell would clear what is left out")
    return csv_row([cell_of(record[name], dialect) if name in record else "" for name in header], dialect)


def csv_row(cells: Sequence[str], dialect: Dialect = PLAIN) -> str:
    """Return one row of texts with the line end of CSV. No spreadsheet runs a cell as a formula.

    :raises Unwritable: if the encoding has no such character.
    """
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n", delimiter=dialect.delimiter or ",").writerow(map(escaped, cells))
    row = stream.getvalue()
    if dialect.encoding:
        try:
            row.encode(dialect.writes)
        except UnicodeEncodeError as error:
            raise Unwritable(f"{dialect.writes} has no such letter") from error
    return row


def cell_of(value: Any, dialect: Dialect) -> str:
    """Return a value as the text of a cell.

    :raises Unwritable: if it would be read as something else.
    """
    if value is None and dialect.null is not None:
        return dialect.null
    if isinstance(value, (Mapping, list, tuple)):
        return json_cell(value)
    text = "" if value is None else dialect.write(value)
    if not text or text[0] in "[{" or "\r" in text or "\x00" in text or _UNPRINTABLE.search(text):
        raise Unwritable("a cell would be read as something else")
    if text == dialect.null:
        raise Unwritable("a cell would be read as nothing")
    if dialect.why_not_written(text):
        raise Unwritable("a cell would change it")
    return text
