# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The action ``probe`` on the controller: look, touch, write the profile; or sweep."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...module_utils.client.client import Client
from ...module_utils.client.connection import connect, from_environment, named_root
from ...module_utils.errors import InvalidInput
from ...module_utils.local.local_files import LocalFiles, Target, sides
from ...module_utils.model.kinds import OBJECT
from ..controller.controller_run import ControllerRun
from . import trace
from .account import account_of
from .catalogue import LOOK, TRACE
from .evidence import Evidence
from .exchange import MOST_LOOKS, Asker
from .look import Look
from .profile import profile_file, profile_of, summary_of
from .records import ObservedRecords
from .scratch import Journal, Scratch, object_keys, sweep
from .session import observe_session
from .touch import Touch

_JOURNAL = ".journal"


def probe(options: Mapping[str, Any], check_mode: bool) -> dict[str, Any]:
    """Run the module ``probe``. Return its result as Ansible wants it."""
    with ControllerRun(options, connect, about="dest: ") as run:
        run.result = _probe(run, check_mode)
    return run.result


def _probe(run: ControllerRun, check_mode: bool) -> dict[str, Any]:
    options = run.options = from_environment(run.options)
    target = _target(options)
    local = LocalFiles.from_options(options, check_mode)
    journal = Journal(target.path.with_name(target.path.name + _JOURNAL))
    writes = options["tier"] != LOOK or options["sweep"]
    if writes:
        _require_permission(options)
    if options["tier"] != LOOK and not options["sweep"] and journal.exists():
        raise InvalidInput(
            f"dest: {journal.path} is the journal of an interrupted probe; delete what it left first, with sweep: true"
        )
    reads_only = check_mode or not writes
    client = run.connect(read_only=reads_only)
    if options["sweep"]:
        return _with_notes(client, _swept(client, journal, check_mode))
    tier = LOOK if reads_only else options["tier"]
    profile = probe_instance(client, tier, options, journal)
    # The answers of a tier that was not run are unknown. It would certainly create a missing profile, but no more.
    is_known = tier == options["tier"] or not target.exists()
    return _with_notes(client, _written(profile, target, local, is_known))


def _target(options: Mapping[str, Any]) -> Target:
    """Return the place of the profile.

    :raises InvalidInput: if it cannot be written there.
    """
    dest = Path(options["dest"]).expanduser()
    if dest.is_dir():
        raise InvalidInput(f"dest: {dest} is a directory; expected the path of a file")
    if not dest.parent.is_dir():
        raise InvalidInput(f"dest: the directory {dest.parent} does not exist")
    return Target.at(dest)


def _require_permission(options: Mapping[str, Any]) -> None:
    """Check that the instance to write to is the instance that the user named.

    :raises InvalidInput: if it is not.
    """
    root = named_root(options.get("base_url"))
    written = options.get("allow_writes")
    why = "sweep: true deletes" if options["sweep"] else f"the tier {options['tier']} writes"
    if not written:
        raise InvalidInput(
            f"allow_writes is missing: {why}, so it must name the root of the instance, as base_url does"
        )
    try:
        allowed = named_root(written)
    except InvalidInput:
        # The original error would name the other option.
        allowed = ""
    if allowed != root:
        raise InvalidInput(f"allow_writes does not name the instance that base_url names, and {why}; expected {root}")


def probe_instance(
    client: Client,
    tier: str,
    account: Mapping[str, Any],
    journal: Journal,
    today: dt.date | None = None,
) -> dict[str, Any]:
    """Probe an instance and return its profile.

    :param account: username, password and client_id, as far as known, for one more login.
    :param journal: notes scratch records.
    """
    is_look = tier == LOOK
    today = today or dt.datetime.now(dt.UTC).date()
    evidence = Evidence()
    asker = Asker(client, gets_only=is_look, most=MOST_LOOKS if is_look else 0)
    look = Look(asker, evidence, ObservedRecords(evidence), today)
    with asker.listening():
        look.run()
        account_facts = account_of(client)
        if not is_look:
            # The reads above prove that the instance is the user's, so writing may follow.
            more = (trace.bare_filter, trace.files, trace.labels) if tier == TRACE else ()
            Touch(asker, evidence, look, Scratch(asker, journal), more=more).run()
            observe_session(asker, evidence, account)
    look.conclude()
    return profile_of(look, account_facts, tier, today)


def _swept(client: Client, journal: Journal, check_mode: bool) -> dict[str, Any]:
    if check_mode:
        return {"changed": journal.exists(), "swept": 0, "msg": "Check mode deletes nothing."}
    number = sweep(client, journal, object_keys(client.definitions(OBJECT.template)))
    removed = (
        f"{number} scratch record{'' if number == 1 else 's'} of interrupted probes {'was' if number == 1 else 'were'}"
    )
    return {"changed": number > 0, "swept": number, "msg": f"{removed} deleted."}


def _written(profile: Mapping[str, Any], target: Target, local: LocalFiles, is_known: bool) -> dict[str, Any]:
    content = profile_file(profile)
    path = {"dest": str(target.path)}
    exists = target.has_content(lambda: content, len(content)) or not is_known
    differing = local.keep(target) if exists else local.write(target, lambda: content)
    was, now = sides(differing)
    changed = not exists or bool(differing)
    before = {**(path if target.exists() and changed else {}), **was}
    result = {
        "changed": changed,
        "dest": str(target.path),
        "profile": profile,
        "outcome": profile["outcome"],
        "msg": "\n".join(summary_of(profile)),
        "diff": {"before": before, "after": {**path, **now} if changed else {}},
    }
    return {**result, "backup_files": local.backups} if local.backups else result


def _with_notes(client: Client, result: dict[str, Any]) -> dict[str, Any]:
    warnings = client.transport.notes()
    notes = {"warnings": warnings} if warnings else {}
    return {**result, "requests": client.transport.sent, **notes}
