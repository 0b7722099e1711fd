# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tells how an instance behaves: asks it, notes on which side of each switch it is, and writes that down as a profile.

The switches are those of the embedded service, which is another program: nothing is shared but their names.
"""

from __future__ import annotations
