# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything that is no plain record: users made from persons, files, the hub, what a service tells of itself.

Each stands on its own, beside ``reconcile``.
"""

from __future__ import annotations
