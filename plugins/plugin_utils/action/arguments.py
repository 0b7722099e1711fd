# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The options of a task that is carried out on the controller: judged, and refused in the words of a module process."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible.module_utils.common.validation import check_type_dict
from ansible.module_utils.errors import UnsupportedError

from ansible_collections.community.seventhings.plugins.module_utils.client.connection import (
    secrets_of,
)
from ansible_collections.community.seventhings.plugins.module_utils.client.redaction import hide
from ansible_collections.community.seventhings.plugins.module_utils.model.field import shorten
from ansible_collections.community.seventhings.plugins.module_utils.printing.cleaner import clean_lines


@dataclass(frozen=True)
class Arguments:
    """The options of a task.

    :ivar options: with defaults filled in.
    :ivar refusal: what is wrong with them, without secrets; empty where nothing is.
    :ivar secrets: texts that no result shows.
    """

    options: dict[str, Any]
    refusal: str
    secrets: frozenset[str]


def read_arguments(
    action: str, spec: Mapping[str, Mapping[str, Any]], rules: Mapping[str, Any], written: Mapping[str, Any]
) -> Arguments:
    """Judges options as a module process does, which tells the first thing that is wrong.

    :param action: the name by which the task calls the module.
    :param rules: how options go together, by the names that Ansible has for them.
    """
    wrong = misshapen(spec, written)
    if wrong:
        return Arguments(dict(written), wrong, secrets_of(spec, written))
    validator = ArgumentSpecValidator(spec, **rules)
    validated = validator.validate(dict(written))
    if validated.error_messages:
        # A process gets its options as JSON, without what Ansible notes beside a value on the controller, and its
        # message may name the type of a value.
        validated = validator.validate(json.loads(json.dumps(dict(written), default=str)))
    options: dict[str, Any] = validated.validated_parameters
    secrets = secrets_of(spec, options)
    refusal = ""
    if validated.error_messages:
        refusal = str(validated.errors.msg)
        if isinstance(validated.errors[0], UnsupportedError):
            refusal = f"Unsupported parameters for ({action}) module: {refusal}"
    return Arguments(options, clean_lines(hide(secrets, refusal)), secrets)


def misshapen(spec: Mapping[str, Mapping[str, Any]], written: Mapping[str, Any]) -> str:
    """Says which option is no map that has to be one, without secrets; empty where none is. Ansible does not name it,
    or breaks off.
    """
    for name, option in spec.items():
        for value in _members(option, written.get(name)) if "options" in option else ():
            try:
                check_type_dict(value)
            except TypeError:
                keys = ", ".join(_with_choices(key, option["options"][key]) for key in option["options"])
                words = f"{name}: {shorten(value)} does not fit; expected a map with {keys}"
                return clean_lines(hide(secrets_of(spec, written), words))
    return ""


def _members(option: Mapping[str, Any], value: Any) -> Iterator[Any]:
    if value is None:
        return
    if option["type"] == "list" and isinstance(value, (list, tuple)):
        yield from value
    else:
        yield value


def _with_choices(key: str, option: Mapping[str, Any]) -> str:
    return f"{key} ({' or '.join(map(str, option['choices']))})" if "choices" in option else key
