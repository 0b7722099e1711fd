# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The origin of an account: the set, the time, the user and the version of the collection."""

from __future__ import annotations

import datetime
import functools
import getpass
import json
import socket
from pathlib import Path

import yaml

_THIS_MACHINE = "localhost"
"""The host of the inventory that tells nothing of an instance."""

_COLLECTION = Path(__file__).parents[3]


def made_by(set_name: str, host: str = "") -> dict[str, str]:
    """The set, the time in UTC, the user and the machine, the version, and the host of the inventory that stands for
    the instance; empty texts for what is not known.
    """
    now = datetime.datetime.now(datetime.UTC)
    told = {"set": set_name, "date": now.strftime("%Y-%m-%dT%H:%M:%SZ"), "user": _user(), "version": version()}
    return {**told, "host": "" if host == _THIS_MACHINE else host}


def _user() -> str:
    try:
        user = getpass.getuser()
    except (KeyError, OSError):
        # A container may run with a number that has no name.
        return ""
    return f"{user}@{socket.gethostname()}"


@functools.cache
def version() -> str:
    """The version of the collection: an installed one has a manifest, a checkout what the manifest is made from."""
    try:
        return str(json.loads((_COLLECTION / "MANIFEST.json").read_text("utf-8"))["collection_info"]["version"])
    except (OSError, ValueError, KeyError):
        pass
    try:
        return str(yaml.safe_load((_COLLECTION / "galaxy.yml").read_text("utf-8"))["version"])
    except (OSError, yaml.YAMLError, KeyError, TypeError):
        return ""
