# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Determine the behaviour of an instance: send requests, find its side of each switch, and write a profile.

The switches are those of the embedded service, which is another program. Only their names are shared.
"""

from __future__ import annotations
