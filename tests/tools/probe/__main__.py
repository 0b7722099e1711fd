# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later
"""Probe the instance of the environment variables ``SEVENTHINGS_*``, and write its profile."""

from __future__ import annotations

import sys

from .command import main

sys.exit(main(sys.argv[1:]))
