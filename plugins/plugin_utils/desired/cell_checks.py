# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Find cells of tables with other content than they show, and tables with the columns of another system."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from ...module_utils.model.field import BrokenCell, Field, shorten
from ...module_utils.model.schema import FieldError, Misfit, Schema, type_of
from ...module_utils.resolve.natural_keys import identifying_fields
from .desired import DesiredInstance
from .dialect import Dialect, Oddity
from .entry import Entry
from .words import NULL_WORDS, BareWord

_LIST_MARKS = re.compile(r"[;,|\n]")
_TEXT = "text"
_LIST_SETTING = 'list_separator: ";"'
_LINKS = "links"
"""The shape of lists that may be written as the text of their only item."""

NUMBER_AS_KEY = re.compile(r"\d+[.,]0+|\d{1,3}(,\d{3})+")
"""A number as programs write it, and few people write keys: with zeros as fraction, or grouped by commas."""

GROUPED = re.compile("\\d{1,3}([.'\u2019\u00a0\u202f ]\\d{3})+")
"""A number in groups of three digits, as some people write all of their keys."""

_BARE = "this is how a program writes an empty value; write null, or quotes around it"

_PLAIN_NAME = re.compile(r"[^\W\d_][\w./-]*(?: [\w./-]+)*")
_WORDS_OF_YAML = frozenset(("true", "false", "yes", "no", "on", "off", "null", "y", "n"))


class CellChecks:
    """Find cells in tables that a type accepts although they look like a mistake."""

    def __init__(self, desired: DesiredInstance) -> None:
        self._desired = desired
        self._lists: dict[Schema, frozenset[str]] = {}
        self._nulls: dict[str, str] = {}

    def odd(self, schema: Schema, entry: Entry, fields: Mapping[str, Any]) -> Iterator[tuple[str, FieldError]]:
        """Yield the names of fields whose cells are rejected, each with a finding."""
        for name, value in fields.items():
            if value.__class__ not in (str, BrokenCell, BareWord):
                continue
            kind = Dialect.oddity(value)
            is_bare = value.__class__ is BareWord
            if not (entry.is_table or is_bare or (entry.places.is_mapped and kind is not None and kind.is_null)):
                continue
            if kind:
                field = schema.find(name)
                dialect = self._desired.tables.format_of(_file_of(entry, name))
                if dialect.accepts_as_written(kind) or (field is not None and value in field.allowed):
                    continue
                if kind.is_null and dialect.has_texts(self._column(entry, name)):
                    continue
                is_text = field is not None and self._is_plain_text(schema, field)
                if kind.is_shortened and (not is_text or dialect.has_texts(self._column(entry, name))):
                    continue
                if is_bare:
                    yield name, _error(name, f": {_BARE}", value, _BARE)
                elif not kind.is_blank:
                    setting = self._null(schema, entry) if kind.is_null else self._setting(kind, entry, name)
                    why = f"{kind.why}{self._remedy(_file_of(entry, name), setting)}"
                    yield name, _error(name, f": {why}", value, why)
                elif field is not None and self._is_plain_text(schema, field):
                    why = f"{self.remedy(entry, name, value)}, or `trim: false` to write spaces"
                    yield name, _error(name, f" {kind.why}{why}", value, f"it {kind.why}{why}")
            elif value.__class__ is str and name in self._names_of_lists(schema):
                field = schema.find(name)
                is_one = field is not None and type_of(field).shape == _LINKS and not _LIST_MARKS.search(value)
                dialect = self._desired.tables.format_of(_file_of(entry, name))
                if not is_one and not dialect.list_separator:
                    remedy = self._remedy(_file_of(entry, name), _LIST_SETTING)
                    why = f'a list is written as a;b{remedy}, or as JSON: ["a", "b"]'
                    yield name, _error(name, f": {why}", value, why)

    def _setting(self, kind: Oddity, entry: Entry, name: str) -> str:
        """Return the setting that reads a cell; empty if there is none.

        Tables of other systems can't be edited, so a setting may accept their texts that look like formulas.
        """
        if self._desired.tables.for_file(_file_of(entry, name)) is None or not kind.is_formula:
            return kind.setting
        return f"text_columns: [{in_yaml(self._column(entry, name))}]"

    def _null(self, schema: Schema, entry: Entry) -> str:
        """Return the setting that clears the words for nothing of a file.

        It is empty if a record would lose its key or a mandatory value, or if a word is also a choice of a field.
        """
        source = entry.place.source
        if source not in self._nulls:
            dialect = self._desired.tables.format_of(entry.place.file)
            words = dict.fromkeys(dialect.null_words)
            is_safe = True
            for name, word, field in self._null_words(schema, source):
                is_key = field is not None and (field.mandatory or not self._is_free(schema, field))
                if not dialect.has_texts(self._column(entry, name)):
                    words[word] = None
                    is_safe = is_safe and not is_key and (field is None or word not in field.allowed)
            shown = json.dumps(list(words) if len(words) > 1 else "".join(words))
            self._nulls[source] = f'"null": {shown}' if is_safe else ""
        return self._nulls[source]

    def _null_words(self, schema: Schema, source: str) -> Iterator[tuple[str, str, Field | None]]:
        """Yield the words for nothing in a file, each with the name of its field and the field."""
        for entry in self._desired.entries:
            if entry.place.source == source:
                for name, value in entry.fields.items():
                    if value.__class__ is str and value in NULL_WORDS:
                        yield name, value, schema.find(name)

    def _column(self, entry: Entry, name: str) -> str:
        """Return the name of a column in the file, by the name of its field."""
        table = self._desired.tables.for_file(_file_of(entry, name))
        columns = {} if table is None else {field: column for column, field in table.columns.items()}
        return columns.get(name, name)

    def remedy(self, entry: Entry, name: str, value: Any) -> str:
        """Say what to set if a cell of a table has a space at an edge; empty if it has none."""
        oddity = Dialect.oddity(value) if entry.is_table and isinstance(value, str) else None
        return self._remedy(_file_of(entry, name), oddity.setting) if oddity is not None and oddity.is_blank else ""

    def _is_plain_text(self, schema: Schema, field: Field) -> bool:
        """Return True for a field with any text that does not identify records. Other fields check their own text."""
        return type_of(field).shape == _TEXT and not field.allowed and self._is_free(schema, field)

    def _is_free(self, schema: Schema, field: Field) -> bool:
        """Return True for a field that does not identify records."""
        named = self._desired.identity.get(schema.kind.section, ())
        return field.key not in identifying_fields(schema, {*named, *self._desired.tables.match_names})

    def _remedy(self, path: str, setting: str) -> str:
        return f"; {self._desired.how_to_set(path, setting)}" if setting else ""

    def _names_of_lists(self, schema: Schema) -> frozenset[str]:
        """Return the keys and labels of the fields that are lists."""
        if schema not in self._lists:
            fields = [field for field in schema.fields.values() if type_of(field).empty == ()]
            self._lists[schema] = frozenset(name for field in fields for name in (field.key, field.label) if name)
        return self._lists[schema]


def _error(name: str, words: str, value: str, why: str) -> FieldError:
    return FieldError.at((name,), f"{name}: {shorten(value)}{words}", "", Misfit(value, why))


def _file_of(entry: Entry, name: str) -> str:
    return entry.place_of(name).file


def keys_without_column(
    desired: DesiredInstance, schema: Schema, path: str, present: Collection[str]
) -> list[list[str]]:
    """Return the missing fields of each choice of fields that may identify records; empty if one choice is complete.

    :param path: of the table. :param present: the keys of the fields that have a column.
    """
    choices = desired.key_choices(schema.kind, desired.rules_of(path))
    missing = [[key for key in (_key_of(schema, name) for name in choice) if key not in present] for choice in choices]
    return missing if all(missing) else []


def _key_of(schema: Schema, name: str) -> str:
    found = schema.find(name)
    return name if found is None else found.key


def in_yaml(text: str) -> str:
    """Return a text as YAML writes it in brackets."""
    is_plain = _PLAIN_NAME.fullmatch(text) and text.casefold() not in _WORDS_OF_YAML
    return text if is_plain else json.dumps(text, ensure_ascii=False)


def listed(names: Iterable[str]) -> str:
    """Return names in words; if there are very many, only the first of them."""
    shown = list(names)
    return ", ".join(shown[:_MOST_NAMED]) + (
        f" and {len(shown) - _MOST_NAMED} more" if len(shown) > _MOST_NAMED else ""
    )


_MOST_NAMED = 8
