# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds the record that is meant: natural keys, references, filters and lists.

Reads through ``client`` and never writes.
"""

from __future__ import annotations
