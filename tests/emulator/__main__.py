# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The embedded service: ``python tests/emulator --help``."""

from __future__ import annotations

import os
import sys

_FLOOR = (3, 11)

if __name__ == "__main__":
    if sys.version_info[:2] < _FLOOR:
        # Before any import that an older Python does not understand.
        sys.exit(
            f"emulator: the embedded service needs Python {'.'.join(map(str, _FLOOR))} or newer; this is Python "
            f"{'.'.join(map(str, sys.version_info[:3]))} at {sys.executable}."
        )

    # The web library loads the machine's certificates twice on import, for requests that the service never sends.
    # Without them the service starts a sixth faster and uses less memory.
    os.environ["SSL_CERT_FILE"] = os.devnull

    from embedded.cli import main

    sys.exit(main())
