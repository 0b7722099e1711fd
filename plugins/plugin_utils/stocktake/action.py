# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The action ``stocktake`` on the controller: read the lists, compute, report, and for ``close`` edit the files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ansible import constants

from ...module_utils.client.connection import connect
from ...module_utils.errors import InvalidInput
from ...module_utils.model.field import shorten
from ...module_utils.model.kinds import OBJECT
from ...module_utils.model.names import normal_name
from ...module_utils.printing.cleaner import amount, clean, cleaned
from ...module_utils.resolve.look_alikes import about_unmatched
from ..absorb.files import Files, check_patch, diff_of, write_patch
from ..controller.controller_run import ControllerRun
from ..controller.heap import many_objects
from ..desired.desired import DesiredInstance
from ..desired.grouped_findings import group_findings
from ..desired.positions import Finding
from ..desired.scan_codes import ScanCodeSettings
from ..export.downloads import Downloads
from ..instance.caps import Caps
from ..layers.given import sources_of
from ..layers.layers import layers_of
from ..papers.catalogue import Catalogue
from ..papers.writer import paths_of, write_paper
from ..report.on_screen import message_in_short
from ..report.task import with_findings
from ..report.view import Block
from ..report.words import MOST
from .closing import Closed, Closing
from .evaluation import CLOSE, NOT_SCANNED, PREPARE, Evaluation, Evaluator
from .moments import Window
from .paper import paper_of
from .reading import InstanceLists
from .tables import ACCEPT, SCANS, named_tables, read_accepted, read_scans

_TIME_FIELD = "inventory_time"


def take_stock(options: Mapping[str, Any], check_mode: bool, loader: Any, written: Mapping[str, Any]) -> dict[str, Any]:
    """Run the module ``stocktake``. Return its result as Ansible wants it."""
    with ControllerRun(options, connect, loader, written, shorten=message_in_short) as run, many_objects():
        run.result = _Call(run, check_mode).run()
    return run.result


class _Call:
    """One call of the module."""

    def __init__(self, run: ControllerRun, check_mode: bool) -> None:
        self._run = run
        self._options = run.options
        self._check_mode = check_mode
        self._desired = DesiredInstance()
        self._warned: list[str] = []

    def run(self) -> dict[str, Any]:
        options, mode = self._options, self._options["mode"]
        reports = paths_of(options["report"])
        sources = sources_of(options, refuse_links=mode == CLOSE)
        self._desired = self._run.load(sources)
        if self._desired.findings:
            return with_findings(self._run, group_findings(self._desired.findings, self._desired).lines)
        scan_codes = self._desired.scan_codes
        window = Window.from_task(options["since"], options["until"], self._desired.timezone)
        files, table = named_tables(SCANS, options["scans"])
        findings: list[Finding] = []
        scans = [scan for file in files for scan in read_scans(file, table, findings, self._warned)]
        accepted = _accepted(options["accept"], findings)
        if findings:
            return with_findings(self._run, list(map(str, findings)))
        client = self._run.connect()
        wrong = Caps.from_task({}).wrong_instance(client.transport.root, self._desired.instances)
        if wrong:
            raise InvalidInput(wrong)
        client.transport.secrets |= self._run.vaulted
        time_field = options["time_field"] or _TIME_FIELD
        lists = InstanceLists(client, scan_codes.field if scan_codes else OBJECT.barcode_key, time_field)
        needed = (lists.fields.actual, lists.fields.target, lists.fields.code)
        lists.check_visible(needed, "no status can be computed")
        if any(options[name] for name in ("since", "until", "time_field")):
            lists.check_time_field()
        rooms = lists.rooms_named("placeholder_rooms", options["placeholder_rooms"])
        edits = Files(layers_of(sources), self._desired)
        closing = Closing(lists, self._desired, edits, Downloads(client, Path(constants.DEFAULT_LOCAL_TMP), {}))
        evaluator = Evaluator(lists, window, scan_codes, rooms, closing.masked, accepted if mode == CLOSE else ())
        evaluation, findings = evaluator.run(lists.in_scope(options["scope"]), scans)
        if findings:
            return with_findings(self._run, list(map(str, findings)))
        more, closed = self._close(closing, edits, evaluation, accepted) if mode == CLOSE else ({}, None)
        document = evaluation.document(mode, window, lists)
        if reports and not self._check_mode:
            catalogue = Catalogue(options["language"])
            paper = paper_of(client.without_credentials(document), lists.schema.fields, catalogue)
            write_paper(paper, reports, catalogue)
        warnings = [*self._warnings(scan_codes, evaluation, lists), *client.transport.notes()]
        return {
            "changed": False,
            **document,
            **more,
            "msg": _in_words(document, closed),
            "requests": self._run.requests,
            **({"warnings": warnings} if warnings else {}),
        }

    def _close(
        self, closing: Closing, files: Files, evaluation: Evaluation, accepted: Mapping[str, set[str]]
    ) -> tuple[dict[str, Any], Closed]:
        """Edit the files. Return further members of the result, and a summary."""
        patch = check_patch(self._options["patch"])
        wanted = {normal_name(code): rooms for code, rooms in accepted.items()}
        known = [(item, wanted[name]) for item in evaluation.objects for name in wanted.keys() & item.names]
        closed = closing.run(known)
        changes = list(files.changes())
        write_patch(patch, changes)
        if not self._check_mode:
            files.write(changes, backup=False)
        result = {
            "changed": bool(changes),
            "accepted": closed.accepted,
            "files": [files.label(change.target) for change in changes],
            "not_changed": cleaned(closed.not_changed),
            "diff": diff_of(changes),
        }
        return result, closed

    def _warnings(self, scan_codes: ScanCodeSettings | None, evaluation: Evaluation, lists: InstanceLists) -> list[str]:
        found = [*self._warned, *self._desired.warnings]
        if self._options["mode"] == PREPARE and scan_codes is None:
            found.append(
                "No placeholder of scan codes is known, so none is found: name in src the files whose instance.yml has "
                "scan_codes."
            )
        if evaluation.left_out:
            scans = amount(evaluation.left_out, "scan is", "scans are")
            found.append(f"scans: {scans} outside of the window, and left out.")
        left = (item.shown["scan_code"] for item in evaluation.objects if item.shown["scanned"] == NOT_SCANNED)
        found += about_unmatched("Scan codes", evaluation.unknown_codes, left)
        number = sum(bool(item.shown["service_status"]) for item in evaluation.objects)
        if number:
            found.append(
                f"The service reports another status for {amount(number, 'object')} than follows from their rooms; "
                "service_status in objects has it."
            )
        if not lists.shows_times:
            found.append("This account sees no time of a scan, so every object counts as not scanned.")
        return found


def _accepted(written: Any, findings: list[Finding]) -> dict[str, set[str]]:
    """Return the scan codes that are accepted, each with its rooms in a table: a list of codes, or tables.

    :param findings: collects what is wrong in the tables.
    :raises InvalidInput: for anything else.
    """
    if written and isinstance(written, (str, Mapping)):
        return read_accepted(*named_tables(ACCEPT, written), findings)
    codes = written if isinstance(written, list) else [] if written is None else [written]
    wrong = [code for code in codes if not isinstance(code, str) or not code]
    if wrong:
        words = f"{shorten(wrong[0])} does not fit; expected scan codes in quotes, or the path of a table"
        raise InvalidInput(f"accept: {words}")
    return {code: set() for code in codes}


def _in_words(document: Mapping[str, Any], closed: Closed | None) -> str:
    numbers = {
        name: ", ".join(f"{number:,} {word.replace('_', ' ')}" for word, number in document[name].items())
        for name in ("counts", "reasons", "scanned")
    }
    lines = [f"{amount(sum(document['counts'].values()), 'object')}: {numbers['counts']}"]
    name = "reasons" if document["mode"] == PREPARE else "scanned"
    lines.append(f"{name.capitalize()}: {numbers[name]}")
    if document["unknown_codes"]:
        lines.append(amount(len(document["unknown_codes"]), "unknown scan code"))
    lines.append(f"Visible: {document['sees']['words']}")
    if closed is not None:
        lines.append(f"{closed.accepted:,} accepted, {closed.changed:,} changed in the files")
        lines += Block("", [(clean(text),) for text in closed.not_changed]).cut(MOST).lines
    return "\n".join(lines)
