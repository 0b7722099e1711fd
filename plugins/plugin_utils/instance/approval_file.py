# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Approval files on this machine. Whoever can write such a file can write anything, so its members are checked."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Any, NoReturn

from ...module_utils.errors import InvalidInput
from ...module_utils.local.access import PRIVATE_FILE, Access
from ...module_utils.local.safe_files import Folder
from ...module_utils.model.field import is_uuid, shorten
from ...module_utils.model.kinds import KINDS
from ...module_utils.plan.change import CREATE
from ..apply.strict_json import Digest, Root, decode, read_members, version_of
from ..desired.desired import SECTIONS
from .approval import VERSION, Approval, ApprovedChange

#: Maximum size of an approval file in bytes: about 500,000 changes.
MOST_BYTES = 268_435_456

_DEEPEST = 4
_MEMBERS = {
    "approval": int,
    "instance": Root,
    "set": str,
    "set_id": str,
    "files": Digest,
    "notify": bool,
    "changes": tuple[ApprovedChange, ...],
}
_WRITTEN_DIGEST = re.compile("(?:sha256:)?([0-9a-fA-F]{64})")


class ApprovalFile:
    """An approval file: a regular file, not a link.

    :param path: its present or future place.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._folder = Folder(path.parent)

    def read(self) -> Approval:
        """Return the approval.

        :raises InvalidInput: if there is no such file, or it is not an approval of this version of the collection.
        """
        content = self._content()
        if content is None:
            raise InvalidInput(f"plan_file: there is no {self.path}. Plan again with check mode and this plan_file.")
        try:
            return _approval_from(decode(content, _DEEPEST), hashlib.sha256(content).hexdigest())
        except ValueError as error:
            raise InvalidInput(
                f"plan_file: {self.path} is not a plan of this version of the collection ({error}). Plan again."
            ) from error

    def write(self, approval: Approval) -> None:
        """Write an approval with private access.

        :raises InvalidInput: if it cannot be written.
        """
        content = approval.content()
        if len(content) > MOST_BYTES:
            raise InvalidInput(
                f"plan_file: the plan has {len(content)} bytes; expected at most {MOST_BYTES}. Choose less with only."
            )
        try:
            self._folder.write(self.path.name, content, Access(mode=PRIVATE_FILE))
        except OSError as error:
            self._refuse(f"can't be written ({error.strerror})", error)

    def discard(self) -> None:
        """Check that an approval can be written here, and remove an earlier one, which is obsolete.

        :raises InvalidInput: if the directory does not exist, or something else than a regular file has the name.
        """
        if not self.path.parent.is_dir():
            raise InvalidInput(f"plan_file: {self.path} can't be written (there is no such directory)")
        if self._content() is None:
            return
        try:
            self.read()
        except InvalidInput:
            # A file that is not an approval is left alone until a new one replaces it.
            return
        try:
            self._folder.remove(self.path.name)
        except OSError as error:
            self._refuse(f"can't be removed ({error.strerror})", error)

    def _content(self) -> bytes | None:
        try:
            return self._folder.read(self.path.name, MOST_BYTES)
        except FileNotFoundError:
            return None
        except InvalidInput as error:
            raise InvalidInput(f"plan_file: {error.message}") from error
        except OSError as error:
            self._refuse(f"can't be read ({error.strerror})", error)

    def _refuse(self, why: str, error: OSError) -> NoReturn:
        raise InvalidInput(f"plan_file: {self.path} {why}") from error


def sha256_of(written: str, option: str) -> str:
    """Return a digest written in an option in its normalised form.

    :raises InvalidInput: if it is not a digest.
    """
    found = _WRITTEN_DIGEST.fullmatch(written.strip())
    if found is None:
        raise InvalidInput(f"{option}: {shorten(written)} does not fit; expected a SHA-256, 64 hexadecimal digits")
    return found.group(1).lower()


def _approval_from(document: Any, digest: str) -> Approval:
    """Return the approval of a decoded file.

    :raises ValueError: if a member is missing, unknown, or does not fit.
    """
    if version_of(document, "approval") != VERSION:
        raise ValueError(f"expected approval: {VERSION}")
    members = read_members(document, _MEMBERS)
    changes = members["changes"]
    for number, change in enumerate(changes):
        _check_uuid(change, f"changes[{number}].")
    if len({change.name for change in changes}) < len(changes):
        raise ValueError("two changes are about the same record")
    del members["approval"]
    return Approval(set_name=members.pop("set"), **members, digest=digest)


def _check_uuid(change: ApprovedChange, prefix: str) -> None:
    has_none = change.action == CREATE or KINDS[SECTIONS[change.section]].numbered
    if not (change.uuid == "" if has_none else is_uuid(change.uuid)):
        raise ValueError(f"{prefix}uuid: {shorten(change.uuid)} does not fit; expected that of the record")
