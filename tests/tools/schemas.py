# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Write the JSON Schemas that are shipped; a test holds them equal to the code that describes them."""

from __future__ import annotations

import sys

from project import BUILD, ROOT

sys.path.insert(0, str(BUILD / "link"))

from ansible_collections.community.seventhings.plugins.plugin_utils.export.json_schema import static_files

FOLDER = ROOT / "docs" / "schema"


def main() -> None:
    """Writes every file."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, text in static_files().items():
        (FOLDER / name).write_bytes(text)
        print((FOLDER / name).relative_to(ROOT))


if __name__ == "__main__":
    main()
