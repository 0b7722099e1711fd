# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Texts as they may be printed: each on its line, and nothing in it that a terminal or a pipeline obeys.

Knows nothing of the service. Everything may import it; it imports nothing of the collection.
"""

from __future__ import annotations
