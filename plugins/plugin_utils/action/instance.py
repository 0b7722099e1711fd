# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The action ``instance`` on the controller: load, plan, apply, report, and show the progress."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from ...module_utils.ansible_module.argument_specs import INSTANCE
from ...module_utils.client.client import Client
from ...module_utils.client.connection import connect, secrets_of
from ...module_utils.client.session import missing_library
from ...module_utils.errors import InvalidInput, SeventhingsError
from ...module_utils.model.field import shorten
from ...module_utils.resolve.hidden_records import UNKNOWN
from ..controller.controller_run import ControllerRun
from ..controller.heap import many_objects
from ..desired.desired import DesiredInstance
from ..desired.grouped_findings import GroupedFindings, group_findings
from ..desired.hiding import NOT_SHOWN, Hiding
from ..desired.observed import together
from ..instance.approval_file import ApprovalFile, sha256_of
from ..instance.caps import Caps, require_caps
from ..instance.merged_records import merged_records
from ..instance.offline import offline_findings
from ..instance.run import Approving, RunOptions, Scope, run_instance
from ..layers.given import sources_of
from ..printing.screen import print_line as tell_on_screen
from ..report.on_screen import findings_in_short, message_in_short
from ..report.provenance import made_by
from ..report.result import RunResult
from ..report.task import progress_printer, report_paths, result_of, write_reports
from ..rules.found import lines_of
from ..rules.rule import RuleSet, read_rules
from ..undo.inverse import Undo
from ..undo.record_file import LAST, RecordRefused, last_record, read_record


class PlanRefused(InvalidInput):
    """Raised if a plan file is not the approved plan."""


def provision(
    options: Mapping[str, Any], check_mode: bool, loader: Any, written: Mapping[str, Any], host: str = ""
) -> dict[str, Any]:
    """Run the module ``instance``. Return its result as Ansible wants it.

    :param host: the inventory host of the task. With many hosts at once, each line of progress names its host.
    """
    hiding = Hiding(show=options["show_vaulted"], names=set(options["hide"]))
    run = InstanceRun(options, connect, loader, written, hiding, shorten=message_in_short)
    run.host = host
    try:
        with run:
            run.result = _provision(run, check_mode, written)
        return run.result
    except Exception as error:
        if not hiding.is_on:
            raise
        # The error may quote a secret.
        return {"failed": True, "changed": False, "outcome": "failed", "msg": f"{type(error).__name__}. {NOT_SHOWN}"}


class InstanceRun(ControllerRun):
    """One run of the action ``instance``.

    :ivar host: the inventory host of the task.
    """

    host = ""

    def failed(self, message: str, error: BaseException | None = None) -> dict[str, Any]:
        """Return the result of a failed run.

        It is "refused" if the plan or the apply record is not the approved one.
        """
        is_refused = isinstance(error, (PlanRefused, RecordRefused))
        return {**super().failed(message, error), "outcome": "refused" if is_refused else "failed"}


def _provision(run: InstanceRun, check_mode: bool, written: Mapping[str, Any]) -> dict[str, Any]:
    options = run.options
    is_undo = options["mode"] == "undo"
    if options["mode"] in ("apply", "undo") and options["protected"]:
        require_caps(written)
    reads_only = check_mode or options["mode"] == "drift"
    sources = sources_of(options, refuse_links=options["protected"])
    if options["protected"] and sources and not options.get("src_below"):
        raise InvalidInput(
            "protected: src_below must be given too, because a commit can replace a directory above src with a link; "
            "name the checkout"
        )
    src = sources[0] if sources else None
    plan_file = _path(options, "plan_file")
    reports = report_paths(options, plan_file)
    url = _report_url(options)
    apply_record = _path(options, "apply_record")
    approving = None
    if options["mode"] in ("apply", "undo"):
        approving = _approving(options, plan_file, check_mode, written)

    def all_that_is_written() -> DesiredInstance:
        return run.load(sources)

    rules = _rules(options, sources)
    has_files = src is not None or options.get("desired") is not None
    client: Client | None = None
    undo: Undo | None = None
    if is_undo:
        client = _connected(run, reads_only)
        with many_objects():
            undo = _undo(options, client, all_that_is_written() if has_files else None)
    if undo is not None:
        desired = undo.base()
        desired.hiding = run.hiding
        undo.protect(desired, run.desired)
    elif has_files:
        with many_objects():
            desired = all_that_is_written()
    else:
        raise InvalidInput("src: neither src nor desired says what to plan. A plan_file only approves it.")
    desired.findings += rules.findings if rules is not None else []
    if options["mode"] == "validate":
        caps = Caps.from_task(options)
        # A plan that follows reports these together with all others.
        desired.findings += [] if options["plan_follows"] else caps.raised(desired)
        desired.observed = together(caps.observed, desired.observed)
        return _validated(desired, reports, check_mode, src, url, run.host, options["plan_follows"], rules)
    is_drift = options["mode"] == "drift"
    run_options = RunOptions(
        check_mode=reads_only,
        drift=is_drift,
        journal=_path(options, "journal"),
        workers=options["workers"],
        assume_archived=options["assume_archived"],
        archived_duplicates=options["archived_duplicates"],
        scope=Scope(options["only"], options["exclude"]),
        caps=Caps.from_task(options),
        approving=approving,
        rules=rules,
        undo=undo,
        apply_record=apply_record,
    )
    client = client or _connected(run, reads_only)
    result = run_instance(client, desired, run_options, progress_printer(host=run.host))
    result.made_by = made_by(desired.set_name, run.host)
    result.warnings += client.transport.notes()
    write_reports(result, reports, src, secrets_of(INSTANCE, options) | client.tokens.secrets, url)
    return result_of(result, reads_only and options["drift_fail"], reports)


def _connected(run: InstanceRun, reads_only: bool) -> Client:
    client = run.connect(read_only=reads_only)
    client.creations.on_wait = tell_on_screen
    return client


def _undo(options: Mapping[str, Any], client: Client, written: DesiredInstance | None) -> Undo:
    """Return the undo that the task wants.

    :param written: the files of the set; None if the task names none.
    :raises InvalidInput: if there is no such record, or if it is not a record of these files.
    """
    applied = str(options.get("applied") or "")
    if not applied:
        raise InvalidInput(f"applied: mode undo needs the apply record to undo; expected {LAST} or a file")
    if options["protected"] and applied != LAST and options.get("record_digest") is None:
        raise InvalidInput("protected: record_digest must be given too, so that no file decides what is undone")
    if applied == LAST:
        path, record = last_record(client.transport.root, written.set_name if written is not None else None)
    else:
        path = Path(applied).expanduser()
        record = read_record(path)
    if written is not None and (written.set_name, written.set_id or record.set_id) != (record.set_name, record.set_id):
        raise RecordRefused(
            f"applied: {path} belongs to the set {record.set_name!r} with the set_id {record.set_id!r}, and src to "
            f"another set"
        )
    own = _path(options, "apply_record")
    if own is not None and os.path.realpath(own) == os.path.realpath(path):
        raise InvalidInput(f"apply_record: {path} is the record to undo; give the record of the undo a file of its own")
    digest = options.get("record_digest")
    if digest is not None and sha256_of(digest, "record_digest") != record.digest:
        raise RecordRefused(f"record_digest: {path} is another record (sha256:{record.digest}) than the approved one")
    return Undo(record, str(path), options["changed_since"], digest is not None)


def _report_url(options: Mapping[str, Any]) -> str:
    """Return the address of the full report; empty if the task names none.

    :raises InvalidInput: if it is not an address that people open in a browser.
    """
    url = str(options.get("report_url") or "")
    if url and (urlsplit(url).scheme not in ("http", "https") or not urlsplit(url).netloc):
        raise InvalidInput(f"report_url: {shorten(url)} does not fit; expected an address that begins with https://")
    return url


def _rules(options: Mapping[str, Any], sources: Sequence[Path]) -> RuleSet | None:
    """Return the rules of the task; None if it names none.

    :raises InvalidInput: if a file can't be read, is not the expected file, or may be changed by strangers.
    """
    written_paths = options.get("rules") or ()
    if not all(written_paths):
        # A template that evaluates to an empty text must not switch the rules off.
        raise InvalidInput("rules: '' does not fit; expected the path of a file")
    paths = [Path(text).expanduser() for text in written_paths]
    if not paths:
        if options.get("rules_digest"):
            raise InvalidInput("rules_digest: give rules too")
        return None
    _require_jsonschema()
    digests, below = options.get("rules_digest"), _path(options, "src_below")
    outside = [*sources] if options["protected"] else []
    if outside and digests is None:
        # A user who can write a single file can also write the directory of its attachments.
        outside += [source.parent for source in sources if source.is_file()]
        outside += [] if below is None else [below]
    return read_rules(paths, digests, outside)


def _require_jsonschema() -> None:
    if find_spec("jsonschema") is None:
        raise SeventhingsError(missing_library("jsonschema"))


def _path(options: Mapping[str, Any], name: str) -> Path | None:
    return Path(options[name]).expanduser() if options.get(name) else None


def _approving(
    options: Mapping[str, Any], plan_file: Path | None, check_mode: bool, written: Mapping[str, Any]
) -> Approving | None:
    """Return how the task approves the plan; None if it does not.

    :raises InvalidInput: if the approval is missing, or is not the one that the task names.
    """
    given = options.get("plan_digest")
    if given is None and "plan_digest" in written:
        # A template that evaluates to null must not approve every plan.
        raise InvalidInput("plan_digest: null does not fit; expected a SHA-256, 64 hexadecimal digits")
    digest = "" if given is None else sha256_of(given, "plan_digest")
    if plan_file is None:
        return Approving(digest=digest) if digest else None
    file = ApprovalFile(plan_file)
    if check_mode:
        return Approving(file)
    approval = file.read()
    if digest not in ("", approval.digest):
        raise PlanRefused(
            f"plan_digest: {plan_file} is another plan (sha256:{approval.digest}) than the one that was approved "
            f"(sha256:{digest})"
        )
    return Approving(None, approval, digest, options["stale"])


def _validated(
    desired: DesiredInstance,
    reports: Sequence[Path],
    check_mode: bool,
    src: Path | None,
    url: str,
    host: str,
    plan_follows: bool,
    rules: RuleSet | None,
) -> dict[str, Any]:
    _require_jsonschema()
    findings = offline_findings(desired, plan_follows, rules)
    grouped = group_findings(findings, desired)
    problems = grouped.lines
    of_rules = lines_of(desired.rule_warnings, desired)
    warnings = [*desired.warnings, *of_rules]
    if reports:
        account = _judged(grouped, desired, check_mode, host)
        account.warnings = warnings
        account.warning_places = {line: place for line, (place, _rule) in of_rules.items()}
        account.rules = (rules or RuleSet()).by_message(findings, of_rules)
        if any(path.suffix == ".json" for path in reports):
            account.records = merged_records(desired)
        write_reports(account, reports, src, (), url)
    fine = f"{len(desired.entries)} records, nothing wrong"
    warned = {"warnings": warnings} if warnings else {}
    shown = findings_in_short(problems, reports) if problems else fine
    # A plan of files that can't be read would be about something else.
    failed = bool(desired.findings if plan_follows else problems)
    return {"changed": False, "failed": failed, "findings": problems, "msg": shown, **warned}


def _judged(grouped: GroupedFindings, desired: DesiredInstance, check_mode: bool, host: str) -> RunResult:
    """Return the findings of a run without a plan in the form of a report."""
    return RunResult(
        outcome="failed" if grouped.lines else "unchanged",
        instance=", ".join(desired.instances),
        check_mode=check_mode,
        summary={},
        changes=[],
        failures=[],
        refusals=[],
        findings=grouped.lines,
        warnings=desired.warnings,
        reported={},
        requests=0,
        duration=0.0,
        every_finding=grouped.every,
        located=grouped.shown,
        made_by=made_by(desired.set_name, host),
        hidden_records=UNKNOWN,
    )
