# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The texts of papers, and the forms of dates and amounts, in each language. A language is one file."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import yaml

from ...module_utils.model.field import in_digits
from .table import Cell, Column, Phrase, Word

ENGLISH = "en"
_TEXTS = Path(__file__).parent / "texts"


class Catalogue:
    """The texts and forms of a language.

    :param language: the name of a file in ``texts``, without its suffix.
    :ivar texts: by their keys.
    :ivar columns: the titles of columns by their keys.
    """

    def __init__(self, language: str) -> None:
        self.language = language
        content = yaml.safe_load((_TEXTS / f"{language}.yml").read_text("utf-8"))
        self.texts: Mapping[str, str] = content["texts"]
        self._forms: Mapping[str, str] = content["forms"]
        self.columns: Mapping[str, str] = content["columns"]
        self._words: Mapping[str, str] = content["words"]

    def say(self, key: str, **values: Cell) -> str:
        """Return a text with some values in it."""
        return self.texts[key].format(**{name: self.shown(value) for name, value in values.items()})

    def title(self, column: Column) -> str:
        """Return the title of a column for people."""
        return self.columns.get(column.key) or column.label or column.key

    def shown(self, cell: Cell) -> str:
        """Return a value as people read it in this language."""
        if isinstance(cell, tuple):
            return ", ".join(map(self.shown, cell))
        if isinstance(cell, Phrase):
            return self.say(cell.key, details=cell.details)
        if isinstance(cell, Column):
            return self.title(cell)
        if isinstance(cell, Word):
            return self._words.get(cell, str(cell))
        if isinstance(cell, dt.date):
            return self._date(cell)
        if isinstance(cell, (int, Decimal)):
            written = in_digits(cell, 2, ",") if isinstance(cell, Decimal) else f"{cell:,}"
            return written.translate({ord(","): self._forms["thousands"], ord("."): self._forms["decimal"]})
        return cell or ""

    def _date(self, date: dt.date) -> str:
        day = self._forms["day"].format(date)
        if not isinstance(date, dt.datetime):
            return day
        offset = date.isoformat()[-6:] if date.utcoffset() else "UTC" if date.tzinfo else ""
        return f"{day} {date:%H:%M} {offset}".rstrip()

    def visible(self, sees: Mapping[str, Any]) -> str:
        """Say what an account sees."""
        numbers = {name: sees[name] for name in ("objects", "rooms", "locations")}
        parts = [self.say("all_records", **numbers), self.say(f"sees_{sees['hidden_records']}")]
        places, fields = (", ".join(sees[name]) for name in ("locations_without_objects", "hidden_fields"))
        parts += [self.say("sees_none_in", places=places)] if places else []
        return "; ".join(parts) + (f". {self.say('hidden_fields', fields=fields)}" if fields else ".")


def titles_of(key: str) -> list[str]:
    """Return the key of a column, and its titles in all languages, without case."""
    languages = sorted(path.stem for path in _TEXTS.glob("*.yml"))
    return [key, *(Catalogue(language).columns[key].casefold() for language in languages)]
