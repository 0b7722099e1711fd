# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later
"""The JSON Schemas of desired-state files of every instance."""

from __future__ import annotations

import json

from ansible_collections.community.seventhings.plugins.module_utils.printing.cleaner import clean_lines
from ansible_collections.community.seventhings.plugins.plugin_utils.export.export import Exported
from ansible_collections.community.seventhings.plugins.plugin_utils.export.json_schema import DRAFT, schema_files

from .parts import ADDRESS


def static_files() -> dict[str, bytes]:
    """Return one file, and a small file for each section. Each names the address where it is published."""
    found = {}
    for name, content in schema_files(Exported()).items():
        document = {"$schema": DRAFT, "$id": ADDRESS + name, **json.loads(content)}
        found[name] = f"{clean_lines(json.dumps(document, indent=1, ensure_ascii=False))}\n".encode()
    return found
