# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Shares between the processes of one user on one machine: the rate limit, tokens, locks for records that are made.

Ansible forks a worker for each host and task, and nothing in memory outlives it. So it lies in files, under locks that
the kernel releases when a process dies. A single process is right without any of it.
"""

from __future__ import annotations
