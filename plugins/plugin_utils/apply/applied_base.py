# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The file ``applied.base`` beside the journal: salted hashes of what was applied last."""

from __future__ import annotations

import json
import os
import re
import secrets
from pathlib import PurePosixPath
from typing import Any

from ...module_utils.client.roots import identity_of
from ...module_utils.errors import InvalidInput
from ..desired.desired import DesiredInstance
from ..set_plan.baseline import Baseline
from .journal_place import JournalPlace

NAME = "applied.base"
_SIZE_LIMIT = 256 << 20
_SALT_BYTES = 16
_SALT = re.compile(f"[0-9a-f]{{{2 * _SALT_BYTES}}}")


class AppliedBase:
    """The hashes of one set of files. A directory of journals may also have hashes of other sets, which are left alone.

    :param place: of the journal. :param instance: root of the instance.
    """

    def __init__(self, place: JournalPlace, instance: str, desired: DesiredInstance) -> None:
        self._folder = place.folder
        self._name = str(PurePosixPath(place.name).with_name(NAME))
        source = "" if desired.set_id else os.path.realpath(desired.origin) if desired.origin else ""
        self._owner = [identity_of(instance), desired.set_name, desired.set_id, source]

    def read(self) -> Baseline | None:
        """Return what was applied last; None if that is not known."""
        noted = next((base for base in self._all() if base["owner"] == self._owner), None)
        if noted is None:
            return None
        return Baseline(bytes.fromhex(noted["salt"]), noted["records"], noted["highest"])

    def write(self, baseline: Baseline) -> None:
        """Write atomically what was applied.

        :raises OSError: or :class:`InvalidInput`, if the file cannot be written.
        """
        own = {
            "owner": self._owner,
            "salt": baseline.salt.hex(),
            "highest": baseline.highest,
            "records": baseline.records,
        }
        others = [base for base in self._all() if base["owner"] != self._owner]
        self._folder.write(self._name, json.dumps([*others, own]).encode("ascii"))

    def _all(self) -> list[dict[str, Any]]:
        """Return the hashes of all sets; none if the file is missing or is not such a file."""
        try:
            found = json.loads(self._folder.read(self._name, _SIZE_LIMIT))
        except (OSError, ValueError, RecursionError, InvalidInput):
            return []
        return [base for base in found if _is_base(base)] if isinstance(found, list) else []


def new_baseline() -> Baseline:
    """Return a baseline without records, with a salt of its own."""
    return Baseline(secrets.token_bytes(_SALT_BYTES))


def _is_base(value: Any) -> bool:
    if not isinstance(value, dict) or set(value) != {"owner", "salt", "highest", "records"}:
        return False
    texts = isinstance(value["records"], dict) and all(isinstance(text, str) for text in value["records"].values())
    numbers = isinstance(value["highest"], dict) and all(
        isinstance(number, int) for number in value["highest"].values()
    )
    return texts and numbers and isinstance(value["salt"], str) and _SALT.fullmatch(value["salt"]) is not None
