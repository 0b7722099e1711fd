# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Field definitions (interface 2.2) as the service uses them: type, constraints and attributes of a field."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from . import dates
from .fieldtypes import TYPES, FieldType
from .messages import Refusal, bad_request

_TRANSLATIONS = "itexia_"
_TRANSLATED: Mapping[str, str] = {"barcode": "scancode"}
"""Only ``itexia_scancode`` was observed on instances. The other translation keys are inferred from the field keys."""


@dataclass(frozen=True)
class Definition:
    """One definition. ``body`` is the body that a client wrote, without uuid and field_key.

    :ivar builtin: the original label of a built-in field; empty for the fields that clients created.
    """

    uuid: str
    template: str
    key: str
    body: Mapping[str, Any]
    builtin: str = ""

    @cached_property
    def type(self) -> FieldType:
        return TYPES[self.body["field_type"]["name"]]

    @property
    def label_key(self) -> str:
        """The translation key that some instances send in place of the label of a built-in field."""
        return f"{_TRANSLATIONS}{_TRANSLATED.get(self.key, self.key)}"

    @cached_property
    def constraints(self) -> Mapping[str, Any]:
        return {constraint["type"]: constraint["value"] for constraint in self.body["field_type"]["constraints"]}

    def constraint(self, name: str) -> Any:
        return self.constraints.get(name)

    def attribute(self, name: str) -> Any:
        """Return the first value of an attribute; some occur more than once."""
        return next((attribute["value"] for attribute in self.body["attributes"] if attribute["type"] == name), None)

    @cached_property
    def mandatory(self) -> bool:
        return bool(self.attribute("mandatory") == "yes")

    @cached_property
    def unique(self) -> bool:
        return bool(self.attribute("unique") == "yes")

    @cached_property
    def fraction_digits(self) -> int | None:
        digits = self.attribute("fraction_digits")
        return None if digits is None else int(digits)

    @property
    def default(self) -> Any:
        return self.body.get("default_value")

    @cached_property
    def allowed(self) -> frozenset[Any] | None:
        """The values that a field accepts; None for any. The definition of a dropdown has them in one of two places."""
        values = list(self.constraint("allowed_values") or [])
        if self.type.name == "DROPDOWN":
            values += self.body.get("possible_values") or []
        return frozenset(values) if values else None

    @cached_property
    def pattern(self) -> re.Pattern[str] | None:
        text = self.constraint("regular_expression")
        return None if text is None else compiled(text)

    def related(self, relation: str) -> str | None:
        """Return the uuid of the related field."""
        relations = self.body.get("relations") or []
        return next((written["field_uuid"] for written in relations if written["type"] == relation), None)

    def check(self, value: Any) -> None:
        """Check a value of the right shape against the constraints. Raise a 422 if it violates one."""
        problem = self._problem(value)
        if problem:
            raise Refusal(422, f"Field {self.key}: {problem}", key=self.key)

    def _problem(self, value: Any) -> str | None:
        if self.allowed is not None:
            for item in value if isinstance(value, list) else [value]:
                # Allowed values are texts in a constraint, whatever the type of the field is.
                if item not in self.allowed and str(item) not in self.allowed and item != "":
                    return f"{item!r} is not one of {', '.join(map(repr, sorted(map(str, self.allowed))))}"
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return self._bounds(value, value, "the value")
        if isinstance(value, list):
            return self._bounds(len(value), value, "the number of entries")
        if isinstance(value, str):
            return self._text_problem(value)
        return None

    def _bounds(self, measure: float, value: Any, what: str) -> str | None:
        least, most = self.constraint("min_value"), self.constraint("max_value")
        if least is not None and measure < least:
            return f"{what} of {value!r} is below {least}"
        if most is not None and measure > most:
            return f"{what} of {value!r} is above {most}"
        return None

    def _text_problem(self, value: str) -> str | None:
        longest = self.constraint("max_length")
        if longest is not None and len(value) > longest:
            return f"longer than {longest} characters"
        if value == "":
            return None
        if self.pattern is not None and not self.pattern.search(value):
            return f"{value!r} does not match {self.constraint('regular_expression')}"
        for name in ("date_format", "date_time_format"):
            form = self.constraint(name)
            if form and not dates.matches_format(value, form):
                return f"{value!r} is not of the form {form}"
        return None


def compiled(text: str) -> re.Pattern[str]:
    """Compile a pattern of the service, with or without slashes around it. Raise a 400 if it is invalid."""
    body, flags = text, 0
    wrapped = re.fullmatch(r"/(.*)/([imsux]*)", text, re.DOTALL)
    if wrapped:
        body = wrapped.group(1)
        flags = sum(getattr(re, flag.upper()) for flag in set(wrapped.group(2)) if flag != "u")
    try:
        return re.compile(body, flags)
    except (re.error, OverflowError, RecursionError) as error:
        raise bad_request(f"{text!r} is not a regular expression: {error}") from None
