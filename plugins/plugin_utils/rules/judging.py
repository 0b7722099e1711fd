# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Evaluate schemas, and report their violations."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Context, Decimal
from functools import cache, lru_cache
from typing import Any

from ...module_utils.model.field import Way, shorten
from ...module_utils.model.patterns import finds
from .schemas import Schema

#: Maximum number of problems that are reported for one record and one rule.
_MOST_PROBLEMS = 10
_MOST_KEPT = 4096
#: Number of digits that is enough for the quotient of any two JSON numbers.
_WIDE = Context(prec=1000)
_LONGEST = 200
#: The parts of a pattern that contain a ``$``, or could: escapes, sets of characters, and the sign itself.
_PARTS = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\$", re.DOTALL)


class NotJudged(Exception):
    """Raised if a pattern takes too long for a value, so that the result is unknown."""


@dataclass(frozen=True)
class Problem:
    """One violation of a schema.

    :ivar way: path from the record to the value; for a missing field it ends with the field.
    :ivar words: what the schema requires. They quote nothing of the record.
    """

    way: Way
    words: str


@lru_cache(maxsize=_MOST_KEPT)
def _matches(pattern: str, text: str) -> bool:
    """Return True if a pattern of a schema matches a text.

    :raises NotJudged: if the pattern takes too long for the text.
    """
    found = finds(_for_this_engine(pattern), 0, text)
    if found is None:
        raise NotJudged
    return found


@lru_cache(maxsize=_MOST_KEPT)
def _for_this_engine(pattern: str) -> str:
    """Return a pattern in which ``$`` only matches the end of the text, as in JSON Schema.

    In Python, ``$`` also matches before a final line end, so a text would match although a line end follows it.
    """
    if re.compile(pattern).flags & re.MULTILINE:
        return pattern
    return _PARTS.sub(lambda part: r"\Z" if part[0] == "$" else part[0], pattern)


def _is_multiple(value: Any, of: float) -> bool:
    """Return True if a number is a multiple of another in decimal notation: 0.3 is a multiple of 0.1."""
    number = Decimal(repr(value))
    return number.is_finite() and bool(_WIDE.remainder(number, Decimal(repr(of))) == 0)


# ---- violations


def problems(validator: Any, value: Any) -> list[Problem]:
    """Return the violations of a schema by a value that does not satisfy it."""
    found: dict[Problem, None] = {}
    for error in validator.iter_errors(value):
        found.update(dict.fromkeys(_problems_of(error)))
        if len(found) >= _MOST_PROBLEMS:
            break
    return list(found)


def _problems_of(error: Any) -> Iterator[Problem]:
    way: Way = tuple(error.absolute_path)
    if error.validator == "required":
        yield from (
            Problem((*way, name), "expected a value") for name in error.validator_value if name not in error.instance
        )
    else:
        words = _WORDS.get(error.validator, f"{error.validator} does not allow this")
        yield Problem(way, words.format(shorten(error.validator_value, _LONGEST)))


#: What a keyword requires. The words only quote the rule.
_WORDS = {
    "const": "expected {}",
    "pattern": "expected a text that matches the pattern {}",
    "minimum": "expected at least {}",
    "maximum": "expected at most {}",
    "exclusiveMinimum": "expected more than {}",
    "exclusiveMaximum": "expected less than {}",
    "minLength": "expected at least {} characters",
    "maxLength": "expected at most {} characters",
    "minItems": "expected at least {} item(s)",
    "maxItems": "expected at most {} item(s)",
    "multipleOf": "expected a multiple of {}",
    "enum": "expected one of {}",
    "type": "expected a value of the type {}",
    None: "expected nothing here",
    "not": "the rule forbids this",
    "anyOf": "none of the alternatives of the rule fits",
    "oneOf": "expected exactly one of the alternatives of the rule",
    "contains": "the rule expects another item in this list, or fewer",
    "uniqueItems": "expected every item once",
}


@cache
def _validator_class() -> Any:
    # Import late: only runs with rules need the library, and it loads slowly.
    import jsonschema

    known: dict[int, Any] = {}

    def fits(validator: Any, schema: Schema, value: Any) -> bool:
        # The library makes a validator of a part for each value, which takes longer than the check.
        part = known.get(id(schema)) or known.setdefault(id(schema), validator.evolve(schema=schema))
        return bool(part.is_valid(value))

    def properties(validator: Any, wanted: Mapping[str, Schema], value: Any, _schema: Any) -> Iterator[Any]:
        for name, schema in wanted.items() if isinstance(value, dict) else ():
            if name in value and not fits(validator, schema, value[name]):
                yield from validator.descend(value[name], schema, path=name, schema_path=name)

    def not_(validator: Any, unwanted: Schema, value: Any, _schema: Any) -> Iterator[Any]:
        if fits(validator, unwanted, value):
            yield jsonschema.ValidationError("")

    def pattern(_validator: Any, wanted: str, value: Any, _schema: Any) -> Iterator[Any]:
        if isinstance(value, str) and not _matches(wanted, value):
            yield jsonschema.ValidationError("")

    def multiple_of(_validator: Any, wanted: float, value: Any, _schema: Any) -> Iterator[Any]:
        if value.__class__ in (int, float) and not _is_multiple(value, wanted):
            yield jsonschema.ValidationError("")

    own = {"properties": properties, "not": not_, "pattern": pattern, "multipleOf": multiple_of}
    validators: Any = jsonschema.validators
    return validators.extend(jsonschema.Draft202012Validator, own)


def validator_of(schema: Schema) -> Any:
    """Return the validator of a schema. It raises :class:`NotJudged` if a pattern takes too long."""
    return _validator_class()(schema)
