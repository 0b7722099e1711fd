# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From what is desired and what is there to a change. Sends nothing.

Modules for one record and whole sets plan with it alike.
"""

from __future__ import annotations
