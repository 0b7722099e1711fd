# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of this machine, opened so that no name, no link and no device leads elsewhere.

Knows nothing of the service. Everything may import it; it imports only ``errors``.
"""

from __future__ import annotations
