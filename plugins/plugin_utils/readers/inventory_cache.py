# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The cache between two runs: its place, and which parts of it are trusted."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Collection
from pathlib import Path
from typing import Any

from ..apply.strict_json import read_members

_FORM = {"question": str, "records": dict[str, list[dict[str, Any]]], "hidden": dict[str, list[str]]}
_ROOT = 0
_BITS_TO_READ = 0o044


def plain_records(
    kept: Any, question: str, plurals: Collection[str]
) -> tuple[dict[str, list[dict[str, Any]]], dict[str, list[str]]] | None:
    """Return the records that a cache has for a question, and the keys of the fields that the account did not see.

    Whoever wrote them, they are data: a conversion through JSON removes every tag that would make a text a template.

    :param plurals: the required lists.
    :returns: None if the answer is to another question, or has an unexpected form.
    """
    try:
        plain = read_members(json.loads(json.dumps(kept)), _FORM)
    except (TypeError, ValueError, RecursionError):
        return None
    records, hidden = plain["records"], plain["hidden"]
    fits = plain["question"] == question and set(records) == set(plurals) >= set(hidden)
    return (records, hidden) if fits else None


def why_foreign(folder: Path) -> str | None:
    """Return why others could write to a directory or replace it, or None if they cannot.

    A member of a private group, which some systems create for each user, does not count.
    """
    lexical = Path(os.path.abspath(folder))  # noqa: PTH100 - resolve() would follow the links that are looked for
    for step in (lexical, *lexical.parents):
        if step.is_symlink() and step.lstat().st_uid not in _trusted():
            return f"{step} is a link of another user"
    resolved = lexical.resolve()
    for step in (resolved, *resolved.parents):
        status = step.stat()
        if status.st_uid not in _trusted():
            return f"{step} belongs to another user"
        is_shared_safely = step != resolved and status.st_mode & stat.S_ISVTX
        if _rights_of_others(status) & 0o022 and not is_shared_safely:
            return f"others can write to {step}"
    return None


def is_readable_by_others(folder: Path) -> bool:
    return bool(_rights_of_others(folder.stat()) & _BITS_TO_READ)


def _trusted() -> tuple[int, int]:
    return (os.geteuid(), _ROOT)


def _rights_of_others(status: os.stat_result) -> int:
    is_own_group = status.st_gid in (_ROOT, os.geteuid())
    return status.st_mode & (0o007 if is_own_group else 0o077)
