# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Duplicates: a natural key that stands twice after a record was made, because somebody else made the same at the same
time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..model.schema import Schema
from .state import InstanceState


def uuids_of_duplicates(
    state: InstanceState, schema: Schema, keys: Sequence[str], desired: Mapping[str, Any], template: str = ""
) -> list[str]:
    """The uuids of the records that share a natural key, where there are several; else none.

    :param state: read after the record was made.
    """
    found = sorted(record.uuid for record in state.find_existing(schema, keys, desired, template))
    return found if len(found) > 1 else []
