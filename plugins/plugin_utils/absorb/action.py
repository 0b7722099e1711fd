# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The action ``instance_absorb`` on the controller: read the files and the instance, edit the files, write them."""

from __future__ import annotations

import contextlib
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...module_utils.client.client import Client
from ...module_utils.client.connection import connect
from ...module_utils.errors import InvalidInput
from ...module_utils.printing.cleaner import amount, clean, cleaned
from ..apply.journal import Journal, JournalBroken
from ..controller.controller_run import ControllerRun
from ..controller.heap import many_objects
from ..desired.desired import DesiredInstance, Limits
from ..desired.grouped_findings import group_findings
from ..export.downloads import Downloads
from ..instance.caps import Caps
from ..layers.given import sources_of
from ..layers.layers import layers_of
from ..report.on_screen import message_in_short
from ..report.task import with_findings
from .absorb import absorb
from .editing import Absorbed
from .files import FileChange, Files, check_patch, diff_of, write_patch
from .patch import cells_of


def absorb_instance(
    options: Mapping[str, Any], check_mode: bool, loader: Any, written: Mapping[str, Any]
) -> dict[str, Any]:
    """Run the module ``instance_absorb``. Return its result as Ansible wants it."""
    with ControllerRun(options, connect, loader, written, shorten=message_in_short) as run:
        run.result = _take_in(run, check_mode)
    return run.result


def _take_in(run: ControllerRun, check_mode: bool) -> dict[str, Any]:
    options = run.options
    check_patch(options["patch"])
    sources = sources_of(options, refuse_links=True)
    layers = layers_of(sources)
    with many_objects():
        desired = run.load(sources)
    if desired.findings:
        return with_findings(run, group_findings(desired.findings, desired).lines)
    client = run.connect()
    caps = Caps.from_task(
        # The files only lower the limits, as in a protected run.
        {"expect_instance": options["expect_instance"], "limits": options["limits"], "protected": True}
    )
    wrong = caps.wrong_instance(client.transport.root, desired.instances)
    if wrong:
        raise InvalidInput(wrong)
    client.transport.secrets |= run.vaulted
    path = options["journal"]
    journal = Journal.for_files(client, Path(path).expanduser() if path else None, desired)
    with contextlib.nullcontext() if check_mode else journal:
        return _absorbed(run, client, Files(layers, desired), desired, journal, caps, check_mode)


def _absorbed(
    run: ControllerRun,
    client: Client,
    files: Files,
    desired: DesiredInstance,
    journal: Journal,
    caps: Caps,
    check_mode: bool,
) -> dict[str, Any]:
    options, started = run.options, time.monotonic()
    limits = Limits(**caps.policy(desired.policy).limits)
    with tempfile.TemporaryDirectory() as directory, many_objects():
        absorbed = absorb(
            client, desired, files, Downloads(client, Path(directory), {}), options, limits, journal.memory
        )
    if absorbed.planned.findings:
        return with_findings(run, group_findings(absorbed.planned.findings, desired).lines)
    changes = list(files.changes())
    write_patch(check_patch(options["patch"]), changes)
    backups = []
    if not check_mode:
        backups = files.write(changes, options["backup"])
        absorbed.note()
        try:
            journal.note_values(absorbed.baseline)
        except JournalBroken as broken:
            absorbed.warnings.append(broken.message)
    result = {
        "changed": bool(changes),
        "files": [files.label(change.target) for change in changes],
        "summary": absorbed.summary,
        "not_changed": cleaned(absorbed.not_changed),
        "conflicts": cleaned(absorbed.conflicts),
        "offers": cleaned(absorbed.offers),
        "reported": cleaned(absorbed.reported),
        "hidden_records": absorbed.planned.visibility.hidden_records,
        "diff": diff_of(changes),
        "msg": _in_words(absorbed, changes),
        "requests": client.transport.sent,
        "duration": round(time.monotonic() - started, 3),
    }
    warnings = [*desired.warnings, *absorbed.warnings, *journal.warnings, *client.transport.notes()]
    return {**result, **({"warnings": warnings} if warnings else {}), **({"backup_files": backups} if backups else {})}


#: Maximum lines of a message about what was not changed. The result has all of them.
_SHOWN = 40


def _in_words(absorbed: Absorbed, changes: Sequence[FileChange]) -> str:
    counts = [
        f"{section}: "
        + ", ".join(
            f"{amount(number, 'value') if word == 'changed' else number} {word}"
            for word, number in numbers.items()
            if number
        )
        for section, numbers in absorbed.summary.items()
    ]
    cells = [cell for change in changes if change.edited.parts is None for cell in cells_of(change.edited)]
    lines = _first(cells, " cells") + _first(
        [clean(line) for line in absorbed.not_changed], "; not_changed has all of them"
    )
    lines += [
        f"{section}: {len(absorbed.reported.get(section, ()))} record(s) in no file; set {line} to add them"
        for section, line in absorbed.offers.items()
    ]
    head = "; ".join([*counts, f"{len(changes)} file(s) differ"] if changes else ["nothing to absorb"])
    return "\n".join([head, *lines])


def _first(lines: list[str], what: str) -> list[str]:
    """Return the first lines, and a line that counts the others."""
    more = len(lines) - _SHOWN
    return lines[:_SHOWN] + ([f"and {more} more{what}"] if more > 0 else [])
