# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Create a read-only client from the options of an inventory or a lookup."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ansible import constants
from ansible.errors import AnsibleError

from ...module_utils.ansible_module.argument_specs import CONNECTION
from ...module_utils.client.client import Client
from ...module_utils.client.connection import ACCOUNT, connect, risks_of
from ...module_utils.client.session import REQUESTS_IMPORT_ERROR, missing_library
from ...module_utils.errors import InvalidInput, SeventhingsError
from ..ansible_compat import KnowsOrigins
from ..printing.screen import warn


def option(plugin: KnowsOrigins, name: str, render: Callable[[Any], Any], written: tuple[str, ...]) -> Any:
    """Return one option, rendered if its author may have written a template.

    Ansible also renders values from the environment, but a password may have braces, so it is never rendered.

    :param render: renders a template; other values pass unchanged.
    :param written: the beginnings of the origins whose values are rendered (``Direct``, ``var``).
    :returns: the value; None for an empty text, which a template with an unset variable yields.
    :raises InvalidInput: if the template cannot be rendered.
    """
    value, origin = plugin.get_option_and_origin(name)
    if isinstance(value, (str, dict)) and origin.startswith(written):
        try:
            value = render(value)
        except AnsibleError as error:
            raise InvalidInput(f"{name}: the template can't be rendered: {error}") from error
    return None if value == "" else value


def connection_options(plugin: KnowsOrigins, render: Callable[[Any], Any], written: tuple[str, ...]) -> dict[str, Any]:
    """Return the connection options of a plugin, as :func:`option` returns them.

    Options that name an account are not taken from the environment. The client decides whether they may be.
    """
    names = [name for name in CONNECTION if name in plugin.option_definitions]
    others = {name for name in ACCOUNT if name in names and plugin.get_option_and_origin(name)[1].startswith("env")}
    return {name: option(plugin, name, render, written) for name in names if name not in others}


def reader(options: dict[str, Any]) -> Client:
    """Return a client that refuses to write. Send nothing yet.

    :raises SeventhingsError: if an option is invalid, or the library requests is missing.
    """
    if REQUESTS_IMPORT_ERROR is not None:
        raise SeventhingsError(missing_library())
    client = connect(options, read_only=True, run_folder=Path(constants.DEFAULT_LOCAL_TMP))
    for risk in risks_of(options):
        warn(risk)
    return client


_CLIENTS: dict[tuple[Any, ...], Client] = {}


def shared_reader(options: dict[str, Any]) -> Client:
    """Return a client that refuses to write, shared by equal options in one process: one login for many lookups.

    A forked worker does not use the connection of its parent.

    :raises SeventhingsError: as in :func:`reader`.
    """
    key = (os.getpid(), *sorted((name, str(value)) for name, value in options.items()))
    if key not in _CLIENTS:
        _CLIENTS[key] = reader(options)
    # The play may have changed definitions in between.
    _CLIENTS[key].forget_definitions()
    return _CLIENTS[key]
