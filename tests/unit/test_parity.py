# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The table about the vendor's client is complete, and everything that it names exists."""

from __future__ import annotations

import dataclasses
import enum
import inspect
from collections.abc import Iterator
from typing import Any

import documentation
import parity
import pytest
import yaml
from project import ROOT

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.registry import MODULES
from ansible_collections.community.seventhings.plugins.module_utils.model.field import Field
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import SERVER_KEYS
from ansible_collections.community.seventhings.plugins.module_utils.model.schema import type_of
from ansible_collections.community.seventhings.plugins.module_utils.model.types_links import Attachment

vendor = pytest.importorskip("seventhings")

PREFIX = "/customer-api/v1"


def public(of_type: type) -> set[str]:
    members = inspect.getmembers(of_type, lambda member: inspect.isfunction(member) or isinstance(member, property))
    return {name for name, _member in members if not name.startswith("_")}


def services(client: Any) -> Iterator[tuple[str, Any]]:
    yield "Client", client
    yield from ((name, service) for name, service in vars(client).items() if type(service).__name__.endswith("Service"))


def test_every_operation_of_the_client_is_in_the_table() -> None:
    with vendor.Client("https://acme.seventhings.com", token="t") as client:
        offered = {name: public(type(service)) for name, service in services(client)}
    offered["Client"].add("with_credentials")
    written = {name: set(methods) for name, methods in parity.table()["operations"].items()}
    assert written == offered


def test_every_request_of_the_interface_is_in_the_table() -> None:
    described = yaml.load((ROOT / "tests" / "emulator" / "openapi.yaml").read_bytes(), Loader=yaml.CSafeLoader)["paths"]
    verbs = ("get", "post", "put", "patch", "delete")
    known = {
        f"{verb.upper()} {path.removeprefix(PREFIX)}".strip(): operation["tags"][0]
        for path, operations in described.items()
        for verb, operation in operations.items()
        if verb in verbs
    }
    written = parity.requests()
    assert written <= known.keys()
    # Kinds of records that the client does not support have their own tags.
    tags = {known[number] for number in written}
    assert {module for module, tag in known.items() if tag in tags} == written


def model_classes() -> dict[str, type]:
    members = inspect.getmembers(vendor.models, inspect.isclass)
    return {name: member for name, member in members if dataclasses.is_dataclass(member)}


def test_every_field_of_every_model_is_in_the_table() -> None:
    offered = {name: {field.name for field in dataclasses.fields(model)} for name, model in model_classes().items()}
    written: dict[str, set[str]] = {}
    for model, field, _text in parity.fields():
        written.setdefault(model, set()).add(field)
    assert written == offered


def test_every_set_of_fixed_values_and_every_option_is_in_the_table() -> None:
    members = inspect.getmembers(vendor.models, inspect.isclass)
    enums = {name for name, member in members if issubclass(member, enum.Enum) and not name.startswith("_")}
    assert set(parity.table()["values"]) == enums
    options = {
        name
        for function in (vendor.Client.__init__, vendor.Client.with_credentials)
        for name in inspect.signature(function).parameters
    }
    assert set(parity.table()["options"]) == options - {"self", "cls"}


@pytest.mark.parametrize(
    ("values", "module", "option"),
    [
        ("AssetTrackingTemplate", "field_definition", "template"),
        ("FieldTypeName", "field_definition", "type"),
        ("RentalCaseStatus", "rental_case", "status"),
        ("SSOAppTarget", "auth_token", "app_target"),
        ("TaskStatus", "task", "status"),
    ],
)
def test_fixed_values_are_choices(values: str, module: str, option: str) -> None:
    offered = {member.value for member in getattr(vendor.models, values)}
    assert offered <= set(MODULES[module].spec[option]["choices"])


def test_whatever_the_table_names_is_there() -> None:
    named = {link for text in parity.texts() for link in parity.links(text)}
    unknown = [link for link in named if link.module not in MODULES]
    unknown += [link for link in named if link.mark == ":" and link.name not in MODULES[link.module].spec]
    unknown += [link for link in named if link.mark == "=" and link.name not in documentation.returned(link.module)]
    assert unknown == []
    assert len(named) > len(MODULES)


def _names(documented: Any) -> Iterator[str]:
    """Yield every key in the documentation of a return value, including its sample."""
    if isinstance(documented, dict):
        for name, value in documented.items():
            yield name
            yield from _names(value)
    elif isinstance(documented, list):
        for entry in documented:
            yield from _names(entry)


def test_the_members_that_the_table_names_are_returned() -> None:
    of_files = type_of(Field("files", "ATTACHMENT")).show([Attachment()])
    unknown = [
        (model, name)
        for model, about in parity.table()["models"].items()
        for field, written in about["fields"].items()
        for part in ([] if written.startswith("~") else written.split())
        if part[0] == "="
        for name, module in [(part[1:] or field, about["read"].partition("=")[0])]
        if name not in {*_names(documentation.returned(module)), *_names(of_files), *SERVER_KEYS}
    ]
    assert unknown == []


def test_a_path_names_no_module() -> None:
    assert "`GET /object/{objectUuid}`" in parity.page()
