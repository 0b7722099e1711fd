# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read desired state from YAML, CSV, JSON Lines, workbooks and inline values, each value with its place.

This package sends nothing. Every other package on the controller may import it.
"""
