# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

# /// script
# dependencies = ["nox>=2025.02.09", "antsibull-nox"]
# ///

"""Sessions of antsibull-nox, as antsibull-nox.toml configures them."""

from __future__ import annotations

import antsibull_nox

antsibull_nox.load_antsibull_nox_toml()
