# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Argument specifications, generated from the catalogue. A test compares the documentation with them."""

from __future__ import annotations

import os
from typing import Any

from ansible.module_utils.common.parameters import AnsibleFallbackNotFound

from ..client.connection import ENVIRONMENT
from ..model.field import Field, Spelling
from ..model.kinds import KINDS, TEMPLATES, Kind
from ..model.schema import type_of
from ..plan.allowed import ASSUMED_ARCHIVED, DESTRUCTIVE, SIMILAR_NAMES
from ..runtime.pace import SERVICE_LIMIT

Spec = dict[str, dict[str, Any]]


def _first_variable(*names: str) -> str:
    """Return a variable of the process that the module runs in, in place of the default of an option."""
    for name in names:
        if os.environ.get(name):
            return os.environ[name]
    raise AnsibleFallbackNotFound


_OF_RATE_LIMIT = (_first_variable, list(ENVIRONMENT["rate_limit"]))
#: Options of every module. ``no_log`` hides every credential.
CONNECTION: Spec = {
    "base_url": {"type": "str"},
    "access_token": {"type": "str", "no_log": True},
    "refresh_token": {"type": "str", "no_log": True},
    "username": {"type": "str"},
    "password": {"type": "str", "no_log": True},
    "client_id": {"type": "str"},
    "timeout": {"type": "float", "default": 30.0},
    "rate_limit": {"type": "int", "default": SERVICE_LIMIT, "fallback": _OF_RATE_LIMIT},
    "validate_certs": {"type": "bool", "default": True},
    "ca_path": {"type": "path"},
    "client_cert": {"type": "path"},
    "client_key": {"type": "path", "no_log": False},
    "tuning": {"type": "dict"},
}

#: Options of everything that writes files to the machine where it runs.
WRITTEN: Spec = {
    "backup": {"type": "bool", "default": False},
    "mode": {"type": "raw"},
    "owner": {"type": "str"},
    "group": {"type": "str"},
}


def option_of(field: Field) -> dict[str, Any]:
    """Return the option for a fixed field. The engine checks the value as written, before Ansible converts it."""
    option = dict(type_of(field).option or {"type": "raw"})
    if field.allowed:
        option["choices"] = list(field.allowed)
    if field.key.endswith("key"):
        # The value is the name of a field. Ansible would treat the option as a secret because of its name.
        option["no_log"] = False
    return option


def record_spec(kind: Kind) -> Spec:
    """Return the options of a record module.

    They are connection, identity, state, and ``fields`` or an option for each fixed field.
    """
    spec: Spec = {
        **CONNECTION,
        "uuid": {"type": "str"},
        "state": {"type": "str", "choices": list(kind.states), "default": "present"},
    }
    own = [DESTRUCTIVE] * kind.defines_fields + [ASSUMED_ARCHIVED] * kind.can_be_archived
    spec["allow"] = {"type": "list", "elements": "str", "choices": [*own, SIMILAR_NAMES]}
    if kind.template or any(type_of(field).spelling is Spelling.INSTANT for field in kind.fields):
        spec["timezone"] = {"type": "str"}
    if kind.has_own_fields:
        spec |= {
            "fields": {"type": "dict", "default": {}},
            "match_on": {"type": "list", "elements": "str", "no_log": False},
            "allow_unknown_fields": {"type": "bool", "default": False},
        }
        return spec
    spec |= {field.key: option_of(field) for field in (*kind.fields, *kind.write_only)}
    if kind.defines_fields:
        spec |= {"template": {"type": "str", "choices": list(TEMPLATES), "required": True}}
    else:
        spec["match_on"] = {"type": "list", "elements": "str", "no_log": False}
    return spec


def info_spec(kind: Kind) -> Spec:
    """Return the options of an info module."""
    spec: Spec = {
        **CONNECTION,
        **({"id": {"type": "int"}} if kind.numbered else {"uuid": {"type": "str"}}),
        "filters": {"type": "dict", "default": {}},
        "sort": {"type": "list", "elements": "str", "default": []},
        "limit": {"type": "int"},
        "count": {"type": "bool", "default": False},
        "keys": {"type": "str", "choices": ["key", "label"], "default": "key", "no_log": False},
    }
    if kind.barcode_key:
        spec[kind.barcode_key] = {"type": "str"}
    if kind.defines_fields:
        spec["template"] = {"type": "str", "choices": list(TEMPLATES), "required": True}
    return spec


HUB_ITEM: Spec = {
    "object": {"type": "raw", "required": True},
    "category": {"type": "str"},
    "price": {"type": "raw"},
    "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
}

HUB_ORDER: Spec = {
    "items": {"type": "list", "elements": "raw"},
    "id": {"type": "int"},
    "order_number": {"type": "str"},
    "completed": {"type": "bool"},
    "cancelled": {"type": "bool"},
    "cancellation_reason": {"type": "str"},
}

HUB_SUGGESTION_INFO: Spec = {
    "filters": {"type": "dict", "default": {}},
    "sort": {"type": "list", "elements": "str", "default": []},
    "limit": {"type": "int"},
    "category": {"type": "str"},
}

FILE: Spec = {
    "object": {"type": "raw"},
    "room": {"type": "raw"},
    "person": {"type": "raw"},
    "field": {"type": "str"},
    "path": {"type": "path"},
    "name": {"type": "str"},
    "uuid": {"type": "str"},
    "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
}

FILE_DOWNLOAD: Spec = {
    "uuid": {"type": "str"},
    "object": {"type": "raw"},
    "field": {"type": "str"},
    "thumbnail": {
        "type": "dict",
        "options": {"width": {"type": "int"}, "height": {"type": "int"}},
        "required_together": [("width", "height")],
    },
    "dest": {"type": "path", "required": True},
    "force": {"type": "bool"},
    **WRITTEN,
}

_API: Spec = {
    "path": {"type": "str", "required": True},
    "query": {"type": "dict", "default": {}},
    "body": {"type": "raw"},
}

API: Spec = {
    "method": {"type": "str", "choices": ["GET", "POST", "PUT", "PATCH", "DELETE"], "required": True},
    **_API,
}

API_INFO: Spec = {"method": {"type": "str", "choices": ["GET", "POST"], "default": "GET"}, **_API}

REPORT: Spec = {
    "template": {"type": "str", "required": True},
    "objects": {"type": "list", "elements": "raw", "required": True},
    "dest": {"type": "path", "required": True},
    "force": {"type": "bool", "default": False},
    **WRITTEN,
}

HISTORY_INFO: Spec = {
    "kind": {"type": "str", "choices": [kind.name for kind in KINDS.values() if kind.has_history], "required": True},
    "record": {"type": "raw", "required": True},
    "limit": {"type": "int"},
}

USER_FROM_PERSON: Spec = {"person": {"type": "raw"}, "filters": {"type": "dict"}}

AUTH_TOKEN: Spec = {
    "grant_type": {"type": "str", "choices": ["password", "refresh_token", "sso_auth_code"], "default": "password"},
    "provider_name": {"type": "str"},
    "auth_code": {"type": "str", "no_log": True},
    "app_target": {"type": "str", "choices": ["web", "mobile"]},
    "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
}
