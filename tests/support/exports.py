# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Helpers that the tests of exports share."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml
from instance_site import Site

from ansible_collections.community.seventhings.plugins.plugin_utils.export.action import export


def export_of(site: Site, dest: Path | None = None, check_mode: bool = False, **options: Any) -> dict[str, Any]:
    """Run an export, and return the result of the module."""
    given = {
        **site.service.options(),
        "rate_limit": 0,
        "dest": str(dest or site.root),
        "only": [],
        "filters": {},
        "format": "yaml",
        **options,
    }
    return export(given, check_mode)


def contents(root: Path) -> dict[str, bytes]:
    """Return every file of an export except the settings, which name the instance, and the note about attachments."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and path.name != "instance.yml" and ".seventhings" not in path.parts
    }


def loaded(root: Path, name: str) -> Any:
    """Return the data of a file as an ordinary YAML reader sees it."""
    return yaml.safe_load((root / name).read_text("utf-8"))


def records(root: Path, name: str, key: str) -> dict[str, Any]:
    """Return one field of all records of a file."""
    return {record[key]: record for record in loaded(root, name)}
