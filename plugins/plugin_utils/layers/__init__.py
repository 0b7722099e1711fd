# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One desired state from several layers: a base, and what differs for some instances; variables in them.

A layer is what ``src`` is: a directory or a file. Of the packages here it imports ``desired`` alone.
"""

from __future__ import annotations
