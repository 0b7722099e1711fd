# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Generate files: lists in documents, routing of the modules, JSON Schemas, table of switches.

Run as ``make generate``. A test fails if a file is outdated.
"""

from __future__ import annotations

from generated import files, outdated
from project import ROOT


def main() -> None:
    """Write the outdated files, and report them."""
    wanted = files()
    for path in outdated():
        if path in wanted:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(wanted[path])
        else:
            path.unlink()
        print(path.relative_to(ROOT))


if __name__ == "__main__":
    main()
