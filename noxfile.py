# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

# /// script
# dependencies = ["nox>=2025.02.09", "antsibull-nox"]
# ///

"""Sessions of antsibull-nox, as antsibull-nox.toml configures them, and one for the unit tests."""

from __future__ import annotations

import antsibull_nox
import nox

antsibull_nox.load_antsibull_nox_toml()


@nox.session(python=False)
def units(session: nox.Session) -> None:
    """Run linters, types and unit tests in the environment of the repository."""
    session.run("make", "test-fast", external=True)
