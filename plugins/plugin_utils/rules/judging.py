# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Evaluate schemas: as plain comparisons if possible, otherwise with jsonschema, which also reports the violations."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Context, Decimal
from functools import cache, lru_cache
from typing import Any

from ...module_utils.model.field import Way, shorten
from ...module_utils.model.patterns import finds
from .schemas import Schema

Test = Callable[[Any], bool]
"""Returns True if a value satisfies a schema. Raises :class:`NotJudged`."""

_MOST_PROBLEMS = 10
"""Maximum number of problems that are reported for one record and one rule."""
_MOST_KEPT = 4096
_WIDE = Context(prec=1000)
"""Number of digits that is enough for the quotient of any two JSON numbers."""
_LONGEST = 200
_PARTS = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\$", re.DOTALL)
"""The parts of a pattern that contain a ``$``, or could: escapes, sets of characters, and the sign itself."""


class NotJudged(Exception):
    """Raised if a pattern takes too long for a value, so that the result is unknown.

    :ivar pattern: the pattern.
    """

    def __init__(self, pattern: str) -> None:
        super().__init__(pattern)
        self.pattern = pattern


@dataclass(frozen=True)
class Problem:
    """One violation of a schema.

    :ivar way: path from the record to the value; for a missing field it ends with the field.
    :ivar expected: what the schema requires, in words that quote nothing of the record.
    """

    way: Way
    expected: str


# ---- evaluate a schema


def compiled(schema: Schema) -> Test:
    """Return the test of a schema."""
    if isinstance(schema, bool):
        return lambda _value: schema
    if not schema.keys() <= _TESTS.keys():
        is_valid: Test = _validator(schema).is_valid
        return is_valid
    tests = [_TESTS[keyword](value) for keyword, value in schema.items()]
    if not tests:
        return lambda _value: True
    if len(tests) == 1:
        return tests[0]
    if len(tests) == 2:
        first, second = tests
        return lambda value: first(value) and second(value)
    return lambda value: all(test(value) for test in tests)


def _properties(schemas: Mapping[str, Schema]) -> Test:
    tests = [(name, compiled(schema)) for name, schema in schemas.items()]
    if len(tests) == 1:
        only, test = tests[0]
        return lambda value: value.__class__ is not dict or only not in value or test(value[only])

    def is_met(value: Any) -> bool:
        if value.__class__ is not dict:
            return True
        return all(name not in value or test(value[name]) for name, test in tests)

    return is_met


def _required(names: list[str]) -> Test:
    if len(names) == 1:
        only = names[0]
        return lambda value: value.__class__ is not dict or only in value
    return lambda value: value.__class__ is not dict or all(name in value for name in names)


def _equals(constant: Any) -> Test:
    if isinstance(constant, bool) or constant is None:
        return lambda value: value is constant
    if isinstance(constant, (int, float)):
        return lambda value: value.__class__ is not bool and bool(value == constant)
    if isinstance(constant, str):
        return lambda value: bool(value == constant)
    is_valid: Test = _validator({"const": constant}).is_valid
    return is_valid


def _one_of(constants: list[Any]) -> Test:
    if all(isinstance(constant, str) for constant in constants):
        texts = frozenset(constants)
        return lambda value: value.__class__ is str and value in texts
    tests = [_equals(constant) for constant in constants]
    return lambda value: any(test(value) for test in tests)


def _is_number(value: Any) -> bool:
    return value.__class__ is int or value.__class__ is float


_TYPES: Mapping[str, Test] = {
    "string": lambda value: value.__class__ is str,
    "number": _is_number,
    "integer": lambda value: value.__class__ is int or (value.__class__ is float and value.is_integer()),
    "boolean": lambda value: value.__class__ is bool,
    "null": lambda value: value is None,
    "array": lambda value: value.__class__ is list,
    "object": lambda value: value.__class__ is dict,
}


def _type(names: str | list[str]) -> Test:
    if isinstance(names, str):
        return _TYPES[names]
    tests = [_TYPES[name] for name in names]
    return lambda value: any(test(value) for test in tests)


def _matches(pattern: str, text: str) -> bool:
    """Return True if a pattern of a schema matches a text.

    :raises NotJudged: if the pattern takes too long for the text.
    """
    found = finds(_for_this_engine(pattern), 0, text)
    if found is None:
        raise NotJudged(pattern)
    return found


@lru_cache(maxsize=_MOST_KEPT)
def _for_this_engine(pattern: str) -> str:
    """Return a pattern in which ``$`` only matches the end of the text, as in JSON Schema.

    In Python, ``$`` also matches before a final line end, so a text would match although a line end follows it.
    """
    if re.compile(pattern).flags & re.MULTILINE:
        return pattern
    return _PARTS.sub(lambda part: r"\Z" if part[0] == "$" else part[0], pattern)


def _pattern(pattern: str) -> Test:
    kept: dict[str, bool] = {}

    def is_met(value: Any) -> bool:
        if value.__class__ is not str:
            return True
        known = kept.get(value)
        if known is None:
            known = _matches(pattern, value)
            if len(kept) < _MOST_KEPT:
                kept[value] = known
        return known

    return is_met


def _of_numbers(is_met: Callable[[Any, Any], bool]) -> Callable[[Any], Test]:
    return lambda bound: lambda value: not _is_number(value) or is_met(value, bound)


def _of_texts(is_met: Callable[[Any, Any], bool]) -> Callable[[Any], Test]:
    return lambda bound: lambda value: value.__class__ is not str or is_met(len(value), bound)


def _of_lists(is_met: Callable[[Any, Any], bool]) -> Callable[[Any], Test]:
    return lambda bound: lambda value: value.__class__ is not list or is_met(len(value), bound)


def _is_multiple(value: Any, of: float) -> bool:
    """Return True if a number is a multiple of another in decimal notation: 0.3 is a multiple of 0.1."""
    number = Decimal(repr(value))
    return number.is_finite() and bool(_WIDE.remainder(number, Decimal(repr(of))) == 0)


def _not(schema: Schema) -> Test:
    test = compiled(schema)
    return lambda value: not test(value)


def _all_of(schemas: list[Schema]) -> Test:
    tests = [compiled(schema) for schema in schemas]
    return lambda value: all(test(value) for test in tests)


def _any_of(schemas: list[Schema]) -> Test:
    tests = [compiled(schema) for schema in schemas]
    return lambda value: any(test(value) for test in tests)


_TESTS: Mapping[str, Callable[[Any], Test]] = {
    "properties": _properties,
    "required": _required,
    "const": _equals,
    "enum": _one_of,
    "type": _type,
    "pattern": _pattern,
    "minimum": _of_numbers(lambda value, bound: bool(value >= bound)),
    "maximum": _of_numbers(lambda value, bound: bool(value <= bound)),
    "exclusiveMinimum": _of_numbers(lambda value, bound: bool(value > bound)),
    "exclusiveMaximum": _of_numbers(lambda value, bound: bool(value < bound)),
    "multipleOf": _of_numbers(_is_multiple),
    "minLength": _of_texts(lambda value, bound: bool(value >= bound)),
    "maxLength": _of_texts(lambda value, bound: bool(value <= bound)),
    "minItems": _of_lists(lambda value, bound: bool(value >= bound)),
    "maxItems": _of_lists(lambda value, bound: bool(value <= bound)),
    "not": _not,
    "allOf": _all_of,
    "anyOf": _any_of,
}
"""Keywords that do not depend on other keywords of their schema. The rest is left to jsonschema."""


# ---- violations


def problems(schema: Schema, value: Any) -> list[Problem]:
    """Return the violations of a schema by a value that fails its test."""
    found: dict[Problem, None] = {}
    for error in _validator(schema).iter_errors(value):
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
        yield Problem(way, _expected(error.validator, error.validator_value))


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
}
_SENTENCES = {
    None: "expected nothing here",
    "not": "the rule forbids this",
    "anyOf": "none of the alternatives of the rule fits",
    "oneOf": "expected exactly one of the alternatives of the rule",
    "contains": "the rule expects another item in this list, or fewer",
    "uniqueItems": "expected every item once",
}


def _expected(keyword: str | None, wanted: Any) -> str:
    """Say what a keyword requires. It only quotes the rule."""
    if keyword in _SENTENCES:
        return _SENTENCES[keyword]
    if keyword == "enum":
        return f"expected one of {shorten(', '.join(shorten(value) for value in wanted), _LONGEST)[1:-1]}"
    if keyword == "type":
        return f"expected a value of the type {wanted if isinstance(wanted, str) else ' or '.join(wanted)}"
    if keyword in _WORDS:
        return _WORDS[keyword].format(shorten(wanted, _LONGEST))
    return f"{keyword} does not allow this"


@cache
def _validator_class() -> Any:
    # Import late: only runs with rules need the library, and it loads slowly.
    import jsonschema

    def pattern(_validator: Any, wanted: str, value: Any, _schema: Any) -> Iterator[Any]:
        if isinstance(value, str) and not _matches(wanted, value):
            yield jsonschema.ValidationError("")

    def multiple_of(_validator: Any, wanted: float, value: Any, _schema: Any) -> Iterator[Any]:
        if _is_number(value) and not _is_multiple(value, wanted):
            yield jsonschema.ValidationError("")

    validators: Any = jsonschema.validators
    return validators.extend(jsonschema.Draft202012Validator, {"pattern": pattern, "multipleOf": multiple_of})


def _validator(schema: Schema) -> Any:
    return _validator_class()(schema)
