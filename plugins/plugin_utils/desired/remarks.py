# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Warn of valid values that may be unintended: spaces at the edges of texts, and ambiguous amounts.

Reading changes no text. Such a space is invisible, but the service treats it as a part of the text. So it is a finding
in the natural key of a new record, and other texts are written unchanged, with a warning. The same holds for invisible
characters, which come along when people copy from a web page.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Any

from ...module_utils.model.field import edge_blanks, shorten
from ...module_utils.model.names import escaped, first_invisible, why_unfit
from ...module_utils.model.schema import FieldError, Misfit, Schema
from .cells import Cells
from .entry import Entry
from .hiding import Hiding
from .parsing import with_remedy, written_as
from .positions import Place

#: The control characters that texts need.
_IN_TEXTS = "\t\r\n"


def unfit_keys(
    schema: Schema,
    entry: Entry,
    keys: Iterable[str],
    values: Mapping[str, Any],
    checks: Cells,
    why_not: Callable[[str], str] = why_unfit,
) -> Iterator[tuple[Place, FieldError]]:
    """Yield a finding for each part of a natural key that no new record may have.

    :param checks: returns what to do about it in a table.
    :param why_not: returns why a text does not fit; an empty text if it does.
    """
    for key in keys:
        text = values.get(key)
        if isinstance(text, str) and (why := why_not(text)):
            name = written_as(schema, entry, key)
            words = f"{name}: {escaped(text)} {why}, and it identifies a record"
            misfit = Misfit(text, f"it {why}, and it identifies a record")
            error = with_remedy(FieldError.at((name,), words, misfit=misfit), checks.remedy(entry, name, text))
            yield entry.place_of(name), error


class Remarks:
    """Collect remarks on the values of records, by file and field."""

    def __init__(self, hiding: Hiding) -> None:
        self._hiding = hiding
        self._remarks: dict[tuple[str, str, str], list[str]] = {}

    def check(self, schema: Schema, entry: Entry, values: Mapping[str, Any]) -> None:
        """Check the written values of a record.

        :param values: canonical values by field key.
        """
        for key, value in values.items():
            if value.__class__ is Decimal:
                self._check_amount(schema, entry, key)
            if value.__class__ is not str:
                continue
            if value != value.strip():
                self._check_text(schema, entry, key, value)
            is_plain = value.isascii() and value.isprintable()
            if not is_plain and (found := first_invisible(value, _IN_TEXTS)):
                words = f"has an invisible character (U+{ord(found):04X}); it is written unchanged"
                self._note(entry, written_as(schema, entry, key), key, words)

    def _check_amount(self, schema: Schema, entry: Entry, key: str) -> None:
        name = written_as(schema, entry, key)
        table, cell = entry.places.format_of(name), entry.fields.get(name)
        if table is not None and cell.__class__ is str and (number := table.decided(schema.fields[key], cell)):
            self._note(entry, name, key, f"is read as {number}", "is read as the settings of the file say")

    def _check_text(self, schema: Schema, entry: Entry, key: str, value: str) -> None:
        field = schema.fields.get(key)
        # A long text may end with a line end, and a choice of the instance may have such spaces.
        blanks = edge_blanks(value.rstrip("\r\n") if field is not None and field.type == "LONG_TEXT" else value)
        if blanks and (field is None or value not in field.allowed):
            self._note(entry, written_as(schema, entry, key), key, f"{blanks}; it is written unchanged")

    def _note(self, entry: Entry, name: str, key: str, words: str, gist: str = "") -> None:
        """Note a remark.

        :param gist: the same in words that do not quote the value.
        """
        place, gist = self._hiding.shown_place(entry.place_of(name)), gist or words
        is_hidden = self._hiding.hides(entry, name, key)
        remark = f"a value {gist}" if is_hidden else f"{shorten(entry.fields.get(name))} {words}"
        # Inline, each value has a source of its own.
        same = (place.source if place.line else "", name, gist)
        self._remarks.setdefault(same, []).append(f"{place}: {name}: {remark}")

    def warnings(self) -> list[str]:
        """Return a line for each file, field and remark: the first one, and the number of the others."""
        return [
            remarks[0] + (f" ({len(remarks) - 1:,} more in this column)" if len(remarks) > 1 else "")
            for remarks in self._remarks.values()
        ]
