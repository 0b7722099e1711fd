# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The options of the modules that only run on the controller, as their documentation declares them."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from importlib import import_module
from typing import Any

import yaml

from ...module_utils.ansible_module.argument_specs import CONNECTION, Spec

_PLUGINS = __name__.partition(".plugin_utils.")[0]
#: What the documentation of an option says about its values.
_OF_AN_OPTION = ("type", "elements", "default", "required", "choices")


@functools.cache
def documented_spec(name: str) -> Spec:
    """Return the options of a module."""
    return spec_in(import_module(f"{_PLUGINS}.modules.{name}").DOCUMENTATION)


def spec_in(documentation: str) -> Spec:
    """Return the options of a plugin. Its own text has precedence over its fragments."""
    document = yaml.safe_load(documentation)
    fragments = (_fragment(fragment) for fragment in document.get("extends_documentation_fragment", ()))
    options = {name: option for part in (*fragments, document) for name, option in part.get("options", {}).items()}
    return {name: CONNECTION.get(name) or _spec_of(option) for name, option in options.items()}


@functools.cache
def _fragment(name: str) -> Mapping[str, Any]:
    module = import_module(f"{_PLUGINS}.doc_fragments.{name.rpartition('.')[2]}")
    fragment: Mapping[str, Any] = yaml.safe_load(module.ModuleDocFragment.DOCUMENTATION)
    return fragment


def _spec_of(option: Mapping[str, Any]) -> dict[str, Any]:
    spec = {key: option[key] for key in _OF_AN_OPTION if key in option}
    if "suboptions" in option:
        spec["options"] = {name: _spec_of(part) for name, part in option["suboptions"].items()}
    return spec
