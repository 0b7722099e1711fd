# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From the options of an inventory or a lookup to a client that only reads."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from ansible import constants
from ansible.errors import AnsibleError
from ansible.module_utils.basic import missing_required_lib

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.argument_specs import CONNECTION
from ansible_collections.community.seventhings.plugins.module_utils.client.client import Client
from ansible_collections.community.seventhings.plugins.module_utils.client.connection import connect, risks_of
from ansible_collections.community.seventhings.plugins.module_utils.client.session import REQUESTS_IMPORT_ERROR
from ansible_collections.community.seventhings.plugins.module_utils.errors import InvalidInput, SeventhingsError

from ..printing.screen import warn


class Plugin(Protocol):
    """The part of an Ansible plugin that is used."""

    option_definitions: dict[str, Any]

    def get_option_and_origin(self, option: str) -> tuple[Any, str]:
        """Return the value of an option, and Ansible's words for its origin."""


def option(plugin: Plugin, name: str, render: Callable[[Any], Any], written: tuple[str, ...]) -> Any:
    """One option, rendered where its author may have written a template.

    Ansible calls values from the environment templates too, but a password may hold braces: it is never rendered.

    :param render: renders a template; what is none passes unchanged.
    :param written: how the origins begin whose values are rendered (``Direct``, ``var``).
    :returns: the value; None for an empty text, as a template over an unset variable gives.
    :raises InvalidInput: where the template can't be rendered.
    """
    value, origin = plugin.get_option_and_origin(name)
    if isinstance(value, (str, dict)) and origin.startswith(written):
        try:
            value = render(value)
        except AnsibleError as error:
            raise InvalidInput(f"{name}: the template can't be rendered: {error}") from error
    return None if value == "" else value


def connection_options(plugin: Plugin, render: Callable[[Any], Any], written: tuple[str, ...]) -> dict[str, Any]:
    """The options of the connection that a plugin has, as :func:`option` gives them."""
    names = [name for name in CONNECTION if name in plugin.option_definitions]
    return {name: option(plugin, name, render, written) for name in names}


def reader(options: dict[str, Any]) -> Client:
    """A client that refuses to write. Sends nothing yet.

    :raises SeventhingsError: where an option can't be right, or the library requests is missing.
    """
    if REQUESTS_IMPORT_ERROR is not None:
        raise SeventhingsError(missing_required_lib("requests"))
    client = connect(options, read_only=True, run_folder=Path(constants.DEFAULT_LOCAL_TMP))
    for risk in risks_of(options):
        warn(risk)
    return client


_CLIENTS: dict[tuple[Any, ...], Client] = {}


def shared_reader(options: dict[str, Any]) -> Client:
    """A client that refuses to write, the same one for the same options in one process: one login for many lookups.

    A worker that was forked does not take over the connection of the process that it came from.

    :raises SeventhingsError: as :func:`reader`.
    """
    key = (os.getpid(), *sorted((name, str(value)) for name, value in options.items()))
    if key not in _CLIENTS:
        _CLIENTS[key] = reader(options)
    # The play may have changed definitions since.
    _CLIENTS[key].forget_definitions()
    return _CLIENTS[key]
