# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Mode, owner and group of written files, as Ansible's own modules accept them."""

from __future__ import annotations

import contextlib
import grp
import os
import pwd
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from ansible.module_utils.basic import AnsibleModule

from ..errors import InvalidInput

PRIVATE_FILE = 0o600
PRIVATE_FOLDER = 0o700

Sides: TypeAlias = tuple[dict[str, Any], dict[str, Any]]
"""Changed attributes (mode, owner, group) with their old and new values."""

_PERMISSIONS = 0o777
_ALL_PERMISSIONS = 0o7777
_LARGEST_ID = 2**32 - 2
_GROUP = 0o070
_READ = 0o444


@dataclass(frozen=True)
class Access:
    """The access to a file: its mode and its owners.

    :ivar mode: a number, or symbolic as chmod accepts it. With None, an existing file keeps its mode, and a new file
        has 0600.
    :ivar uid: the owner. With None, an existing file keeps its owner.
    :ivar gid: the group. With None, an existing file keeps its group.
    """

    mode: int | str | None = None
    uid: int | None = None
    gid: int | None = None

    @classmethod
    def from_options(cls, options: Mapping[str, Any]) -> Access:
        """Read ``mode``, ``owner`` and ``group`` of a task, each as Ansible's modules accept them.

        :raises InvalidInput: for an invalid mode, or a user or group that does not exist on this machine.
        """
        access = cls(
            _mode_from(options.get("mode")),
            _number_of("owner", options.get("owner"), lambda name: pwd.getpwnam(name).pw_uid),
            _number_of("group", options.get("group"), lambda name: grp.getgrnam(name).gr_gid),
        )
        # Report an invalid symbolic mode before anything is done.
        access.mode_of_new()
        return access

    def mode_of_new(self, folder: bool = False) -> int:
        """Return the mode of a new file, or of a directory created for it."""
        mode = self._changed(PRIVATE_FILE)
        if not folder:
            return mode
        # Users who may read the file may enter its directory. Users who may write the file may write there.
        return mode | (mode & _READ) >> 2

    def differences(self, found: os.stat_result) -> Sides:
        """Return mode, owner or group of an existing file if they differ: as found, and as wanted."""
        pairs = {
            "mode": (_shown(stat.S_IMODE(found.st_mode)), _shown(self._changed(stat.S_IMODE(found.st_mode)))),
            "owner": (found.st_uid, found.st_uid if self.uid is None else self.uid),
            "group": (found.st_gid, found.st_gid if self.gid is None else self.gid),
        }
        before, after = ({name: pair[side] for name, pair in pairs.items() if pair[0] != pair[1]} for side in (0, 1))
        return before, after

    def adjust(self, descriptor: int) -> None:
        """Apply this access to an open file.

        :raises OSError: if this user may not do that.
        """
        self._apply(descriptor, self._changed(stat.S_IMODE(os.fstat(descriptor).st_mode)))

    def settle(self, descriptor: int, replaced: os.stat_result | None) -> None:
        """Apply mode, owner and group to a new file before anything is written to it.

        A file of another user does not pass its access on to the file that replaces it: that user could read it.

        :param replaced: the status of the file in its place, if any.
        :raises OSError: if this user may not do that.
        """
        mode = PRIVATE_FILE
        if replaced and stat.S_ISREG(replaced.st_mode) and replaced.st_uid in (os.geteuid(), self.uid):
            mode = stat.S_IMODE(replaced.st_mode) & _PERMISSIONS
            if self.gid is None and not _gave_group(descriptor, replaced.st_gid):
                mode &= ~_GROUP
        self._apply(descriptor, self._changed(mode))

    def settle_folder(self, descriptor: int) -> None:
        """Apply mode, owner and group to a new directory."""
        self._apply(descriptor, self.mode_of_new(folder=True))

    def _apply(self, descriptor: int, mode: int) -> None:
        if self.uid is not None or self.gid is not None:
            os.fchown(descriptor, -1 if self.uid is None else self.uid, -1 if self.gid is None else self.gid)
        os.fchmod(descriptor, mode)

    def _changed(self, mode: int) -> int:
        """Return the mode after a change."""
        if self.mode is None or isinstance(self.mode, int):
            return mode if self.mode is None else self.mode
        try:
            changed: int = AnsibleModule._symbolic_mode_to_octal(_stat_of(mode), self.mode)
        except ValueError as error:
            raise InvalidInput(f"mode: {error}; expected an octal number such as '0640', or u=rw,g=r") from error
        return changed


def _mode_from(written: Any) -> int | str | None:
    mode = written
    if isinstance(written, str):
        try:
            mode = int(written, 8)
        except ValueError:
            return written
    if mode is None or (type(mode) is int and 0 <= mode <= _ALL_PERMISSIONS):
        return mode
    raise InvalidInput(f"mode: {written!r} does not fit; expected an octal number such as '0640', or u=rw,g=r")


def _number_of(option: str, name: str | None, look_up: Callable[[str], int]) -> int | None:
    """Return the number of a user or group, given by name or number."""
    if name is None:
        return None
    with contextlib.suppress(ValueError):
        if 0 <= (number := int(name)) <= _LARGEST_ID:
            return number
    try:
        return look_up(name)
    except (KeyError, ValueError) as missing:
        # The lookup raises ValueError for a name with a NUL character.
        raise InvalidInput(f"{option}: this machine knows no {name!r}") from missing


def _stat_of(mode: int) -> os.stat_result:
    return os.stat_result((stat.S_IFREG | mode, *[0] * 9))


def _gave_group(descriptor: int, gid: int) -> bool:
    try:
        os.fchown(descriptor, -1, gid)
    except OSError:
        return False
    return True


def _shown(mode: int) -> str:
    return f"0{mode:03o}"
