# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One desired state from several layers: a base, differences for some instances, and variables.

A layer is what ``src`` names: a directory or a file. Of the other packages this package imports only ``desired``.
"""
