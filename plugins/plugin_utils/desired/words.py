# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The words of the file format, and the names by which files call a field.

Labels and keys are texts of the service and may be anything, also a word of the format. Files never name a field by
such a word, because the reader gives its own words to the format alone.
"""

from __future__ import annotations

import json
import re

from ...module_utils.model.field import Field, edge_blanks, is_generated_key
from ...module_utils.model.kinds import SERVER_KEYS
from ...module_utils.model.names import normal_name
from ...module_utils.model.schema import Schema

STATE, MANAGED, OWN_LIFECYCLE, OWN_MATCH = "_state", "_managed", "_lifecycle", "_match"

#: Members of a record that are not fields.
OF_RECORDS = frozenset((STATE, MANAGED, OWN_LIFECYCLE, OWN_MATCH))

#: The words for nothing that programs write as texts.
NULL_WORDS = frozenset(("NULL", "null", "(null)", "\\N", "None", "nan", "NaN", "<NA>", "#N/A", "undefined"))


class BareWord(str):
    """A word for nothing in YAML, without quotes."""

    __slots__ = ()


class SettingText(str):
    """A text of ``constant`` or ``values``: YAML, whatever the format of the table."""

    __slots__ = ()


class NullCell(str):
    """An empty text instead of a cell with a word that clears its field.

    :ivar word: the cell. If it is a choice of the field, it means that choice.
    """

    word: str

    @classmethod
    def from_word(cls, word: str) -> NullCell:
        """Create the cell from its word."""
        found = cls()
        found.word = word
        return found


#: Sheets and columns whose names begin with this are comments.
COMMENT = "#"

_PLAIN_NAME = re.compile(r"[^\W\d_][\w./-]*(?: [\w./-]+)*")
_WORDS_OF_YAML = frozenset(("true", "false", "yes", "no", "on", "off", "null", "y", "n"))


def folded(title: str) -> str:
    """Return the name of a sheet as names of sheets are compared."""
    return normal_name(title).strip().casefold()


def in_yaml(text: str) -> str:
    """Return a text as YAML writes it in brackets."""
    is_plain = _PLAIN_NAME.fullmatch(text) and text.casefold() not in _WORDS_OF_YAML
    return text if is_plain else json.dumps(text, ensure_ascii=False)


def names_of(schema: Schema, field: Field) -> list[str]:
    """Return the names by which files can call a field, the best first: its key, and its label.

    A label comes before a key that the service generated, because such a key differs between instances.
    """
    if field.key in SERVER_KEYS:
        return []
    names = (field.label, field.key) if is_generated_key(field.key) else (field.key, field.label)
    return [name for name in names if _is_name_of(schema, field, name)]


def _is_name_of(schema: Schema, field: Field, name: str) -> bool:
    if not name or name in OF_RECORDS or name in SERVER_KEYS or edge_blanks(name):
        return False
    found = schema.find(name)
    return found is not None and found.key == field.key and (name == field.key or schema.is_unique(field))
