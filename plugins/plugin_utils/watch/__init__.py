# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Watching an instance: what changed since the last look, as events for Event-Driven Ansible. Reads only."""

from __future__ import annotations
