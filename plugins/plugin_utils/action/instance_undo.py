# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The action ``instance_undo``: undo an apply, from its apply record."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from ...module_utils.client.client import Client
from ...module_utils.errors import InvalidInput
from ..desired.desired import DesiredInstance
from ..instance.approval_file import sha256_of
from ..instance.caps import Caps, require_caps
from ..instance.options import RunOptions
from ..report.task import result_of
from ..undo.record_file import LAST, RecordRefused, last_record, read_record
from ..undo.undo import Undo
from .set_run import SetRun

#: Members of the report of an undo that its result does not have.
_ONLY_DOCUMENTED = ("check_mode", "every_finding", "forecast")


def undo_apply(run: SetRun) -> dict[str, Any]:
    """Plan and, in a real run, apply the inverse of an apply record."""
    options = run.options
    if options["protected"]:
        require_caps(run.written, without=("prune",))
    approving = run.approving()
    undo = _undo_of(run, run.connected(), run.load_all() if run.has_files else None)
    desired = undo.base(run.hiding)
    undo.protect(desired, run.desired)
    run_options = RunOptions(
        check_mode=run.check_mode,
        journal=run.path("journal"),
        caps=Caps.from_task(options),
        approving=approving,
        undo=undo,
        apply_record=run.path("apply_record"),
    )
    members = result_of(run.run(desired, run_options), run.reports)
    return {name: value for name, value in members.items() if name not in _ONLY_DOCUMENTED}


def _undo_of(run: SetRun, client: Client, written: DesiredInstance | None) -> Undo:
    """Return the undo that the task wants.

    :param written: the files of the set; None if the task names none.
    :raises InvalidInput: if there is no such record, or if it is not a record of these files.
    """
    options, applied = run.options, str(run.options["applied"])
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
    own = run.path("apply_record")
    if own is not None and os.path.realpath(own) == os.path.realpath(path):
        raise InvalidInput(f"apply_record: {path} is the record to undo; give the record of the undo a file of its own")
    digest = options.get("record_digest")
    if digest is not None and sha256_of(digest, "record_digest") != record.digest:
        raise RecordRefused(f"record_digest: {path} is another record (sha256:{record.digest}) than the approved one")
    return Undo(record, str(path), options["changed_since"], digest is not None)
