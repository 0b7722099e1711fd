# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The origin of a report: the set, the time, the user and the version of the collection."""

from __future__ import annotations

import datetime
import functools
import getpass
import socket
from pathlib import Path
from typing import Any

import yaml

_THIS_MACHINE = "localhost"
"""The inventory host that says nothing about an instance."""

_COLLECTION = Path(__file__).parents[3]
_MANIFESTS = ("MANIFEST.json", "galaxy.yml")


def made_by(set_name: str, host: str = "") -> dict[str, str]:
    """Return the set, the time in UTC, user and machine, the version, and the inventory host of the instance.

    Unknown texts are empty.
    """
    now = datetime.datetime.now(datetime.UTC)
    origin = {"set": set_name, "date": now.strftime("%Y-%m-%dT%H:%M:%SZ"), "user": _user(), "version": version()}
    return {**origin, "host": "" if host == _THIS_MACHINE else host}


def _user() -> str:
    try:
        user = getpass.getuser()
    except (KeyError, OSError):
        # The user of a container may be a number without a name.
        return ""
    return f"{user}@{socket.gethostname()}"


@functools.cache
def version() -> str:
    """Return the version of the collection.

    An installed collection has a manifest, a checkout the source of the manifest.
    """
    path = next((path for name in _MANIFESTS if (path := _COLLECTION / name).is_file()), None)
    document: dict[str, Any] = {} if path is None else yaml.safe_load(path.read_text("utf-8"))
    return str(document.get("collection_info", document).get("version", ""))
