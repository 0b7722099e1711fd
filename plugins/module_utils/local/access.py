# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Mode, owner and group of written files, applied by the functions of Ansible's own modules."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, TypeAlias

from ansible.module_utils.basic import AnsibleModule

from ..errors import InvalidInput

PRIVATE_FILE = 0o600
PRIVATE_FOLDER = 0o700

#: Changed attributes (mode, owner, group) with their old and new values.
Sides: TypeAlias = tuple[dict[str, Any], dict[str, Any]]

_PERMISSIONS = 0o777
_READ = 0o444


class _Attributes(AnsibleModule):
    """The functions for files of a module, in any process. Nothing else of a module is set up."""

    def __init__(self, check_mode: bool) -> None:
        self.check_mode = check_mode

    def fail_json(self, msg: str, **more: Any) -> NoReturn:
        raise InvalidInput(f"{more['details']}; {msg}" if "details" in more else msg)


@dataclass(frozen=True)
class Access:
    """The access to a file, as ``ansible.builtin.file`` accepts it.

    :ivar mode: with None, an existing file keeps its mode, and a new file has 0600.
    :ivar owner: a user by name or number; with None, not changed. :ivar group: likewise.
    """

    mode: Any = None
    owner: str | None = None
    group: str | None = None

    @classmethod
    def from_options(cls, options: Mapping[str, Any]) -> Access:
        """Read ``mode``, ``owner`` and ``group`` of a task.

        :raises InvalidInput: for an invalid mode, or a user or group that does not exist on this machine.
        """
        given = {name: options.get(name) for name in ("mode", "owner", "group")}
        for name, value in given.items():
            try:
                cls(**{name: value}).adjust(Path("/"), check_mode=True)
            except InvalidInput as unfit:
                raise InvalidInput(f"{name}: {unfit.message}") from unfit
        return cls(**given)

    def adjust(self, path: Path, check_mode: bool = False) -> Sides:
        """Apply this access to a file or directory, unless it is check mode. Return what changes.

        :raises InvalidInput: if this user may not do that.
        """
        module, diff = _Attributes(check_mode), dict[str, dict[str, Any]]()
        module.set_owner_if_different(path, self.owner, False, diff, expand=False)
        module.set_group_if_different(path, self.group, False, diff, expand=False)
        module.set_mode_if_different(path, self.mode, False, diff, expand=False)
        return diff.get("before", {}), diff.get("after", {})

    def settle(self, fresh: Path, replaced: os.stat_result | None) -> None:
        """Apply this access to a new private file before it takes its place.

        A file of another user does not pass its access on to the file that replaces it: that user could read it.

        :param replaced: the status of what is in its place, if anything is.
        """
        self.adjust(fresh)
        if replaced and stat.S_ISREG(replaced.st_mode) and replaced.st_uid == fresh.stat().st_uid:
            with contextlib.suppress(PermissionError):
                os.chown(fresh, -1, replaced.st_gid)
                fresh.chmod(replaced.st_mode & _PERMISSIONS)
            self.adjust(fresh)

    def settle_folder(self, path: Path) -> None:
        """Apply this access to a new private directory. Users who may read its files may enter it."""
        self.adjust(path)
        mode = path.stat().st_mode & _PERMISSIONS
        path.chmod(mode | (mode & _READ) >> 2)
