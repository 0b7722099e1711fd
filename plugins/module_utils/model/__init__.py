# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kinds of records, fields and values: the catalogue, the schema, the types. No requests.

Everything that knows of records imports it; it imports only ``errors`` and ``local``.
"""

from __future__ import annotations
