# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One run of an action on the controller: its connection, the files it read, and its result."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

from ansible import constants

from ...module_utils.client.client import Client
from ...module_utils.client.redaction import without
from ...module_utils.errors import SeventhingsError
from ...module_utils.printing.cleaner import clean
from ..desired.desired import DesiredInstance
from ..desired.hiding import VAULTED, Hiding
from ..layers.given import load_files


@dataclass
class ControllerRun:
    """One run, as a context manager: an error of the service, of an option or of a file becomes its failed result.

    :ivar client: the connection; None if there is none yet. :ivar result: the result of the action.
    :ivar hiding: the texts that must not be shown. :ivar desired: the states that were read.
    :ivar opens: opens a connection. :ivar loader: reads vaulted files.
    :ivar written: the options as written in the task.
    :ivar shorten: fits the message of an error on a screen. :ivar about: words before an error of a file.
    """

    options: Mapping[str, Any]
    opens: Callable[..., Client]
    loader: Any = None
    written: Mapping[str, Any] = field(default_factory=dict)
    hiding: Hiding = field(default_factory=Hiding)
    shorten: Callable[[str], str] = str
    about: str = ""
    client: Client | None = None
    desired: list[DesiredInstance] = field(default_factory=list)
    result: dict[str, Any] = field(default_factory=dict)

    @property
    def requests(self) -> int:
        """The number of requests that were sent."""
        return 0 if self.client is None else self.client.transport.sent

    @property
    def vaulted(self) -> set[str]:
        """The texts of vaulted files, which no message shows."""
        return {text for desired in self.desired for text in self.hiding.texts(desired.entries)}

    def connect(self, read_only: bool = True) -> Client:
        """Connect to the instance."""
        self.client = self.opens(self.options, read_only=read_only, run_folder=Path(constants.DEFAULT_LOCAL_TMP))
        return self.client

    def load(self, sources: Sequence[Path]) -> DesiredInstance:
        """Read a desired state."""
        read = load_files(self.options, sources, self.loader, self.written, self.hiding)
        self.desired.append(read)
        return self.desired[-1]

    def failed(self, message: str, _error: BaseException | None = None) -> dict[str, Any]:
        """Return the result of a failed run."""
        return {"failed": True, "changed": False, "msg": message, "requests": self.requests}

    def __enter__(self) -> ControllerRun:
        return self

    def __exit__(
        self, _type: type[BaseException] | None, error: BaseException | None, _trace: TracebackType | None
    ) -> bool:
        is_expected = isinstance(error, (SeventhingsError, OSError))
        if is_expected:
            message = error.message if isinstance(error, SeventhingsError) else clean(f"{self.about}{error}")
            self.result = self.failed(self.shorten(without(self.vaulted, message, VAULTED)), error)
        if self.client is not None:
            self.client.creations.leave()
            self.result = dict(self.client.without_credentials(self.result))
        return is_expected
