# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Validate the options of a task that runs on the controller, with the error messages of a module process."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible.module_utils.common.validation import check_type_dict, check_type_float, check_type_int
from ansible.module_utils.errors import UnsupportedError

from ...module_utils.client.connection import secrets_of
from ...module_utils.client.redaction import hide
from ...module_utils.model.field import shorten
from ...module_utils.printing.cleaner import clean_lines
from ..ansible_compat import IS_TEXT_A_TEMPLATE, without_vault_objects


@dataclass(frozen=True)
class Arguments:
    """The options of a task.

    :ivar options: with defaults.
    :ivar written: as in the task, with names as in JSON.
    :ivar refusal: what is wrong with them, without secrets; empty if nothing is.
    :ivar secrets: texts that no result shows.
    """

    options: dict[str, Any]
    written: dict[str, Any]
    refusal: str
    secrets: frozenset[str]


def read_arguments(
    action: str, spec: Mapping[str, Mapping[str, Any]], rules: Mapping[str, Any], written: Mapping[str, Any]
) -> Arguments:
    """Validate options as a module process does, which reports only the first error.

    :param action: the name by which the task calls the module.
    :param rules: rules between options, by the names that Ansible gives these rules.
    """
    written = {name: _as_in_json(without_vault_objects(value)) for name, value in written.items()}
    wrong = misshapen(spec, written)
    if wrong:
        return Arguments(written, written, wrong, secrets_of(spec, written))
    validator = ArgumentSpecValidator(spec, **rules)
    validated = validator.validate(dict(written))
    if validated.error_messages:
        # A module process gets its options as JSON, without Ansible's tags on the values. Its message may name the type
        # of a value, so validate the same form here.
        validated = validator.validate(json.loads(json.dumps(written, default=str)))
    options: dict[str, Any] = validated.validated_parameters
    secrets = secrets_of(spec, options)
    refusal = ""
    if validated.error_messages:
        refusal = str(validated.errors.msg)
        if isinstance(validated.errors[0], UnsupportedError):
            refusal = f"Unsupported parameters for ({action}) module: {refusal}"
    return Arguments(options, written, clean_lines(hide(secrets, refusal)), secrets)


def _as_in_json(value: Any) -> Any:
    """Return the value of an option as a module process gets it.

    There, numbers, booleans and null are texts if they are names in maps.
    """
    if isinstance(value, Mapping):
        return {_name(name): _as_in_json(member) for name, member in value.items()}
    return [_as_in_json(item) for item in value] if isinstance(value, (list, tuple)) else value


def _name(key: Any) -> str:
    if isinstance(key, str):
        return key
    return json.dumps(key) if key is None or isinstance(key, (int, float)) else str(key)


def misshapen(spec: Mapping[str, Mapping[str, Any]], written: Mapping[str, Any]) -> str:
    """Return the refusal of an option that Ansible would not name.

    That is a text in place of a map, or a number beyond all bounds. Return an empty text if there is none. The refusal
    has no secrets.
    """
    for name, option in spec.items():
        if _is_out_of_range(option, written.get(name)):
            words = f"{name}: {shorten(written[name])} does not fit; expected a number that is not so large"
            return clean_lines(hide(secrets_of(spec, written), words))
        if option["type"] == "dict" and _is_call(written.get(name)):
            words = f"{name}: {shorten(written[name])} does not fit; expected a map. {_QUOTE_DATES}"
            return clean_lines(hide(secrets_of(spec, written), words))
        for value in _members(option, written.get(name)) if "options" in option else ():
            try:
                check_type_dict(value)
            except TypeError:
                keys = ", ".join(_with_choices(key, option["options"][key]) for key in option["options"])
                words = f"{name}: {shorten(value)} does not fit; expected a map with {keys}"
                return clean_lines(hide(secrets_of(spec, written), words))
    return ""


_QUOTE_DATES = "Below version 2.19, ansible-core turns a map with an unquoted date into text: quote the date"


def _is_call(value: Any) -> bool:
    """Return True for the text of a map that contains a date.

    Before ansible-core 2.19, a template that returns a map returns its text, unless the text is a literal. For a text
    with a call, such as ``datetime.date(2027, 5, 31)``, ``check_type_dict`` of 2.16 returns the text unchanged, and
    later versions only say that it is not a map.
    """
    return IS_TEXT_A_TEMPLATE and isinstance(value, str) and value.startswith("{") and "datetime." in value


def _is_out_of_range(option: Mapping[str, Any], value: Any) -> bool:
    """Return True if a value, or a part of it, exceeds the range of its type."""
    if isinstance(value, (list, tuple)):
        return any(_is_out_of_range(option, item) for item in value)
    if "options" in option and isinstance(value, Mapping):
        return any(_is_out_of_range(suboption, value.get(name)) for name, suboption in option["options"].items())
    kind = option.get("elements", option.get("type"))
    if value is None or kind not in _NUMBERS:
        return False
    try:
        _NUMBERS[kind](value)
    except OverflowError:
        return True
    except TypeError:
        return False
    return False


_NUMBERS: Mapping[str, Callable[[Any], object]] = {"int": check_type_int, "float": check_type_float}


def _members(option: Mapping[str, Any], value: Any) -> Iterator[Any]:
    if value is None:
        return
    if option["type"] == "list" and isinstance(value, (list, tuple)):
        yield from value
    else:
        yield value


def _with_choices(key: str, option: Mapping[str, Any]) -> str:
    return f"{key} ({' or '.join(map(str, option['choices']))})" if "choices" in option else key
