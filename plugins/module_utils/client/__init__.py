# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Requests: connection, tokens, rate limit, repeats, complete lists, uploads and downloads.

The only package that speaks to the service. It imports ``model`` and what stands above it.
"""

from __future__ import annotations
