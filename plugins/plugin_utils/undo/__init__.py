# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Apply records, and the plan that undoes one of them.

A real apply writes a record of its changes. The inverse of a record is a desired state: entries by uuid, which the
planner, the gate and the executor treat like any others.
"""
