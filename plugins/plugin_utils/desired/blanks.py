# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Blanks at the edges of texts. Nobody sees them, and the service takes them for a part of the text.

Reading changes no text. So a natural key with such a blank is a finding, and other texts are written as they are, with
a warning.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ansible_collections.community.seventhings.plugins.module_utils.model.field import edge_blanks, shorten
from ansible_collections.community.seventhings.plugins.module_utils.model.schema import FieldError, Misfit, Schema

from .desired import Entry, Place
from .hiding import Hiding
from .parsing import written_as


def blanks_in_key(
    schema: Schema, entry: Entry, keys: Iterable[str], values: Mapping[str, Any]
) -> Iterator[tuple[Place, FieldError]]:
    """Yield a finding for each part of a natural key that has a blank at an edge."""
    for key in keys:
        text = values.get(key)
        blanks = edge_blanks(text) if isinstance(text, str) else ""
        if blanks:
            name = written_as(schema, entry, key)
            words = f"{name}: {shorten(text)} {blanks}, and it identifies a record"
            misfit = Misfit(text, f"it {blanks}, and it identifies a record")
            yield entry.place_of(name), FieldError.at((name,), words, misfit=misfit)


class BlankCounter:
    """Counts the texts that have a blank at an edge, by file and field."""

    def __init__(self, hiding: Hiding) -> None:
        self._hiding = hiding
        self._texts: dict[tuple[str, str], list[tuple[Place, str, str]]] = {}

    def look(self, schema: Schema, entry: Entry, values: Mapping[str, Any]) -> None:
        """Count the texts of a record.

        :param values: canonical values by field key.
        """
        for key, value in values.items():
            if value.__class__ is not str or value == value.strip():
                continue
            field = schema.fields.get(key)
            # The last line of a long text may have an end, and an instance may have such a choice.
            text = value.rstrip("\r\n") if field is not None and field.type == "LONG_TEXT" else value
            blanks = edge_blanks(text)
            if blanks and (field is None or value not in field.allowed):
                name = written_as(schema, entry, key)
                place = entry.place_of(name)
                shown = "a text" if self._hiding.hides(entry, name, key) else shorten(value)
                # Inline, each text has a source of its own.
                same = (place.source if place.line else "", name)
                self._texts.setdefault(same, []).append((place, shown, blanks))

    def warnings(self) -> list[str]:
        """Return a line for each file and field."""
        return [_line(name, texts) for (_source, name), texts in self._texts.items()]


def _line(name: str, texts: Sequence[tuple[Place, str, str]]) -> str:
    place, shown, blanks = texts[0]
    if len(texts) == 1:
        return f"{place}: {name}: {shown} {blanks}; it is written as it is"
    return (
        f"{name}: {len(texts):,} texts such as {shown} (first at {place}) begin or end with a blank; "
        "they are written as they are"
    )
