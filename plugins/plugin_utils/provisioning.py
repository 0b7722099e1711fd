# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the action ``instance`` does on the controller: load, plan, apply, report, and tell how far it is."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ansible.errors import AnsibleError
from ansible.module_utils.basic import missing_required_lib
from ansible.utils.display import Display

from ansible_collections.community.seventhings.plugins.module_utils.client import Client
from ansible_collections.community.seventhings.plugins.module_utils.connection import connect
from ansible_collections.community.seventhings.plugins.module_utils.desired import DesiredInstance
from ansible_collections.community.seventhings.plugins.module_utils.errors import InvalidInput, SeventhingsError
from ansible_collections.community.seventhings.plugins.module_utils.instance import (
    Order,
    many_objects,
    run_instance,
)
from ansible_collections.community.seventhings.plugins.module_utils.instance_account import Account
from ansible_collections.community.seventhings.plugins.module_utils.levels import Progress
from ansible_collections.community.seventhings.plugins.module_utils.printed import clean

from .loading import load
from .offline import JSONSCHEMA_IMPORT_ERROR, offline_findings
from .on_screen import findings_in_short, in_short, message_in_short
from .reports import as_text, check_report, write_report

_EVERY_SECONDS = 4.0
_display = Display()


def provision(options: Mapping[str, Any], check_mode: bool, loader: Any, written: Mapping[str, Any]) -> dict[str, Any]:
    """One call of the module ``instance``: its result as Ansible wants it."""
    parent = os.getppid()
    connected: list[Client] = []
    try:
        return _provision(options, check_mode, loader, written, connected)
    except (SeventhingsError, OSError) as error:
        requests = connected[0].transport.sent if connected else 0
        message = error.message if isinstance(error, SeventhingsError) else str(error)
        return {
            "failed": True,
            "changed": False,
            "msg": message_in_short(message),
            "outcome": "failed",
            "requests": requests,
        }
    finally:
        if os.getppid() != parent:
            # Nobody takes the result any more (kill -9 of ansible-playbook), and to hand it over would last for ever.
            os._exit(1)


def _provision(
    options: Mapping[str, Any], check_mode: bool, loader: Any, written: Mapping[str, Any], connected: list[Client]
) -> dict[str, Any]:
    src = Path(options["src"]).expanduser() if options.get("src") else None
    plan_file = Path(options["plan_file"]).expanduser() if options.get("plan_file") else None
    report = Path(options["report"]).expanduser() if options.get("report") else None
    if report is not None:
        check_report(report)
    applies_plan = plan_file is not None and plan_file.exists() and not check_mode
    if not applies_plan and src is None and options.get("desired") is None:
        missing = "check mode makes it anew" if check_mode else f"there is no {plan_file}"
        raise InvalidInput(f"plan_file: {missing}, and neither src nor desired says what to plan")
    with many_objects():
        inline = written.get("desired")
        # The option as it was written; a text (a template gave it) as Ansible reads it.
        inline = options.get("desired") if isinstance(inline, str) else inline
        desired = load(None if applies_plan else src, None if applies_plan else inline, _reader(loader))
    if options["mode"] == "validate":
        if JSONSCHEMA_IMPORT_ERROR is not None:
            raise SeventhingsError(missing_required_lib("jsonschema"))
        problems = [str(finding) for finding in offline_findings(desired)]
        if report is not None:
            _write_report(_judged(problems, desired, check_mode), report)
        fine = f"{len(desired.entries)} records, nothing wrong"
        told = findings_in_short(problems, report) if problems else fine
        return {"changed": False, "failed": bool(problems), "findings": problems, "msg": told}
    order = Order(
        check_mode=check_mode,
        plan_file=plan_file,
        journal=Path(options["journal"]).expanduser() if options.get("journal") else None,
        only=options["only"],
        exclude=options["exclude"],
        prune=options["prune"],
        limits=options["limits"],
        workers=options["workers"],
        stale=options["stale"],
        confirm_empty=options["confirm_empty"],
        allow_destructive=options["allow_destructive"],
        expect_instance=options["expect_instance"],
    )
    client = connect(options, read_only=check_mode)
    connected.append(client)
    account = run_instance(client, desired, order, teller())
    if report is not None:
        _write_report(account, report)
    return _result(account, check_mode and options["drift_fail"], report)


def _judged(problems: list[str], desired: DesiredInstance, check_mode: bool) -> Account:
    """What a validation came to, as a report has it."""
    return Account(
        outcome="failed" if problems else "unchanged",
        instance=", ".join(desired.instances),
        check_mode=check_mode,
        summary={},
        changes=[],
        failures=[],
        refusals=[],
        findings=problems,
        warnings=[],
        reported={},
        requests=0,
        duration=0.0,
    )


def _write_report(account: Account, path: Path) -> None:
    try:
        write_report(account, path)
    except OSError as error:
        # What was done must still be told.
        account.warnings.append(f"report: {path} can't be written ({error})")


def _reader(loader: Any) -> Callable[[Path], str]:
    """Reads a file, decrypted where it is vaulted as a whole."""

    def read(path: Path) -> str:
        if path.read_bytes().startswith(b"$ANSIBLE_VAULT"):
            try:
                # The loader takes a relative path to be beside the playbook.
                return str(loader.get_text_file_contents(str(path.absolute())))
            except AnsibleError as error:
                raise OSError(f"it is vaulted, and was not decrypted ({error})") from error
        return path.read_text("utf-8")

    return read


def teller(
    show: Callable[[str], None] = _display.display, clock: Callable[[], float] = time.monotonic
) -> Callable[[Progress], None]:
    """Tells how far the work is, every few seconds at the most, and nothing when nothing takes long.

    :param show: takes a line.
    """
    last = clock()
    begun: dict[str, float] = {}

    def tell(progress: Progress) -> None:
        nonlocal last
        now = clock()
        # The first of a section is done when it is told of; what it took is not known.
        started = begun.setdefault(progress.section, now)
        if now - last < _EVERY_SECONDS:
            return
        last = now
        seconds = (now - started) / max(progress.done - 1, 1) * (progress.total - progress.done)
        left = "no rate limit" if progress.left is None else f"{progress.left} requests left this minute"
        done = f"{clean(progress.section)}: {progress.done} of {progress.total}"
        show(f"{done}, {left}, about {seconds:.0f} s left")

    return tell


def _result(account: Account, drift_fail: bool, report: Path | None) -> dict[str, Any]:
    drifted = drift_fail and account.outcome == "changed"
    failed = account.failed or drifted
    text = as_text(account)
    result: dict[str, Any] = {
        **account.document(),
        "changed": account.outcome in ("changed", "partly_applied"),
        "msg": in_short(account, report, drifted) if failed else text,
        "diff": {"prepared": f"{text}\n"},
    }
    if failed:
        result["failed"] = True
    return result
