# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The choices of the option ``allow``: what only the task can allow, and no file."""

from __future__ import annotations

#: New users, who get an e-mail.
USERS = "users"

#: Changes of field definitions that may cost data.
DESTRUCTIVE = "destructive"

#: Removals because a section or a source of the files is empty or missing.
EMPTY_SOURCES = "empty_sources"

#: Changes that may be wrong because the account may not see all records.
LIMITED_ACCOUNT = "limited_account"

#: Unlisted records count as archived on an instance that does not say.
ASSUMED_ARCHIVED = "assumed_archived"

#: New natural keys that look like those of other records.
SIMILAR_NAMES = "similar_names"


def how_to_allow(choice: str) -> str:
    """Return how the task allows something, in words for a message."""
    return f"allow: [{choice}]"
