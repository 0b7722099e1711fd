# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the actions of the module family ``instance`` share: options, files, rules, and the result."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from ...module_utils.ansible_module.argument_specs import CONNECTION
from ...module_utils.client.client import Client
from ...module_utils.client.connection import connect, secrets_of
from ...module_utils.client.session import missing_library
from ...module_utils.errors import InvalidInput, SeventhingsError
from ...module_utils.model.field import shorten
from ..controller.controller_run import ControllerRun
from ..controller.heap import many_objects
from ..desired.desired import DesiredInstance
from ..desired.hiding import NOT_SHOWN, Hiding
from ..instance.approval_file import ApprovalFile, sha256_of
from ..instance.approving import Approving
from ..instance.options import RunOptions
from ..instance.run import run_instance
from ..layers.given import sources_of
from ..printing.screen import print_line as tell_on_screen
from ..report.on_screen import message_in_short
from ..report.result import RunResult, made_by
from ..report.task import progress_printer, report_paths, write_reports
from ..rules.rule import RuleSet, read_rules
from ..undo.record_file import RecordRefused


class PlanRefused(InvalidInput):
    """Raised if a ``plan_file`` is not the approved plan."""


class SetRun(ControllerRun):
    """One run of an action on a set of records.

    :ivar check_mode: True if nothing may be written to the instance.
    :ivar written: the options as written in the task.
    :ivar host: the inventory host of the task. With many hosts at once, each line of progress names its host.
    """

    def __init__(
        self, options: Mapping[str, Any], check_mode: bool, loader: Any, written: Mapping[str, Any], host: str = ""
    ) -> None:
        hiding = Hiding(show=options["show_vaulted"], names=set(options["hide"]))
        super().__init__(options, connect, loader, written, hiding, shorten=message_in_short)
        self.check_mode = check_mode
        self.host = host

    def carry_out(self, work: Callable[[SetRun], dict[str, Any]]) -> dict[str, Any]:
        """Do the work of an action. Return its result as Ansible wants it."""
        try:
            with self:
                self.result = work(self)
            return self.result
        except Exception as error:
            if not self.hiding.is_on:
                raise
            # The error may quote a secret.
            return {
                "failed": True,
                "changed": False,
                "outcome": "failed",
                "msg": f"{type(error).__name__}. {NOT_SHOWN}",
            }

    def failed(self, message: str, error: BaseException | None = None) -> dict[str, Any]:
        """Return the result of a failed run.

        It is "refused" if the plan or the apply record is not the approved one.
        """
        is_refused = isinstance(error, (PlanRefused, RecordRefused))
        return {**super().failed(message, error), "outcome": "refused" if is_refused else "failed"}

    # ---- options

    def path(self, name: str) -> Path | None:
        """Return the path of an option; None if it is not set."""
        return Path(self.options[name]).expanduser() if self.options.get(name) else None

    @property
    def sources(self) -> list[Path]:
        """The layers that ``src`` names.

        :raises InvalidInput: if one of them may lead out of where it belongs.
        """
        is_protected = bool(self.options.get("protected"))
        found = sources_of(self.options, refuse_links=is_protected)
        if is_protected and found and not self.options.get("src_below"):
            raise InvalidInput(
                "protected: src_below must be given too, because a commit can replace a directory above src with a "
                "link; name the checkout"
            )
        return found

    @property
    def has_files(self) -> bool:
        """Return True if the task says what to plan."""
        return bool(self.sources) or self.options.get("desired") is not None

    @property
    def reports(self) -> list[Path]:
        """The paths of the reports."""
        return report_paths(self.options, self.path("plan_file"))

    @many_objects()
    def load_all(self, rules: RuleSet | None = None) -> DesiredInstance:
        """Read everything that ``src`` and ``desired`` name. It has the findings of the rules, too.

        :raises InvalidInput: if they name nothing.
        """
        if not self.has_files:
            raise InvalidInput("src: neither src nor desired says what is wanted")
        desired = self.load(self.sources)
        desired.findings += rules.findings if rules is not None else []
        return desired

    def rules(self) -> RuleSet | None:
        """Return the rules of the task; None if it names none.

        :raises InvalidInput: if a file can't be read, is not the expected file, or may be changed by strangers.
        :raises SeventhingsError: if the library for JSON Schemas is missing.
        """
        options = self.options
        written_paths = options.get("rules") or ()
        if not all(written_paths):
            # A template that evaluates to an empty text must not switch the rules off.
            raise InvalidInput("rules: '' does not fit; expected the path of a file")
        paths = [Path(text).expanduser() for text in written_paths]
        if not paths:
            if options.get("rules_digest"):
                raise InvalidInput("rules_digest: give rules too")
            return None
        if find_spec("jsonschema") is None:
            raise SeventhingsError(missing_library("jsonschema"))
        return read_rules(paths, options.get("rules_digest"), self._not_rules())

    def _not_rules(self) -> list[Path]:
        """Return the places that strangers may write, where no rules may be."""
        if not self.options.get("protected"):
            return []
        outside, below = self.sources, self.path("src_below")
        if self.options.get("rules_digest") is None:
            # A user who can write a single file can also write the directory of its attachments.
            outside += [source.parent for source in outside if source.is_file()]
            outside += [] if below is None else [below]
        return outside

    def approving(self) -> Approving | None:
        """Return how the task approves the plan; None if it does not.

        :raises InvalidInput: if the approval is missing, or is not the one that the task names.
        """
        given = self.options.get("plan_digest")
        if given is None and "plan_digest" in self.written:
            # A template that evaluates to null must not approve every plan.
            raise InvalidInput("plan_digest: null does not fit; expected a SHA-256, 64 hexadecimal digits")
        digest = "" if given is None else sha256_of(given, "plan_digest")
        path = self.path("plan_file")
        if path is None:
            return Approving(digest=digest) if digest else None
        file = ApprovalFile(path)
        if self.check_mode:
            return Approving(file)
        approval = file.read()
        if digest not in ("", approval.digest):
            raise PlanRefused(
                f"plan_digest: {path} is another plan (sha256:{approval.digest}) than the one that was approved "
                f"(sha256:{digest})"
            )
        return Approving(None, approval, digest, self.options["stale"])

    def report_url(self) -> str:
        """Return the address of the full report; empty if the task names none.

        :raises InvalidInput: if it is not an address that people open in a browser.
        """
        url = str(self.options.get("report_url") or "")
        if url and (urlsplit(url).scheme not in ("http", "https") or not urlsplit(url).netloc):
            raise InvalidInput(
                f"report_url: {shorten(url)} does not fit; expected an address that begins with https://"
            )
        return url

    # ---- run

    def connected(self) -> Client:
        """Connect to the instance, and tell people about long waits."""
        client = self.client or self.connect(read_only=self.check_mode)
        client.creations.on_wait = tell_on_screen
        return client

    def run(self, desired: DesiredInstance, run_options: RunOptions) -> RunResult:
        """Plan and, in a real run, apply a desired state. Write the reports."""
        reports, url = self.reports, self.report_url()
        client = self.connected()
        result = run_instance(client, desired, run_options, progress_printer(host=self.host))
        result.made_by = made_by(desired.set_name, self.host)
        result.warnings += client.transport.notes()
        self.write_reports(result, reports, url, secrets_of(CONNECTION, self.options) | client.tokens.secrets)
        return result

    def write_reports(
        self, result: RunResult, reports: Sequence[Path], url: str = "", secrets: Set[str] = frozenset()
    ) -> None:
        """Write the reports of a run."""
        sources = self.sources
        write_reports(result, reports, sources[0] if sources else None, secrets, url)
