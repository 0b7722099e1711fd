# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The embedded service: ``python tests/emulator --help``."""

from __future__ import annotations

import sys

from embedded.cli import main

if __name__ == "__main__":
    sys.exit(main())
