# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later
"""The command of the probe."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from ansible_collections.community.seventhings.plugins.module_utils.client.connection import (
    connect,
    from_environment,
    named_root,
)
from ansible_collections.community.seventhings.plugins.module_utils.errors import InvalidInput, SeventhingsError
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import OBJECT

from .catalogue import LOOK, TIERS
from .profile import profile_file, summary_of
from .run import probe_instance
from .scratch import Journal, object_keys, sweep


def main(arguments: Sequence[str]) -> int:
    """Probe or sweep, print the result, and return the exit status."""
    parser = argparse.ArgumentParser(prog="make probe", description="Write how the instance of SEVENTHINGS_* behaves.")
    parser.add_argument("--tier", choices=TIERS, default=LOOK, help="what the probe may send")
    parser.add_argument("--out", type=Path, default=Path("profile.json"), help="the file to write")
    parser.add_argument("--allow-writes", default="", metavar="ROOT", help="the root of the instance, written in full")
    parser.add_argument("--sweep", action="store_true", help="only delete what interrupted probes left")
    try:
        print(_run(parser.parse_args(arguments)))
    except SeventhingsError as error:
        print(error.message)
        return 1
    return 0


def _run(chosen: argparse.Namespace) -> str:
    options = from_environment({})
    journal = Journal(chosen.out.with_name(chosen.out.name + ".journal"))
    is_write = chosen.sweep or chosen.tier != LOOK
    if is_write:
        _require_permission(str(options["base_url"] or ""), chosen.allow_writes)
    if is_write and not chosen.sweep and journal.exists():
        raise InvalidInput(f"{journal.path} is the journal of an interrupted probe; sweep first")
    client = connect(options, read_only=not is_write)
    if chosen.sweep:
        return f"{sweep(client, journal, object_keys(client.definitions(OBJECT.template)))} scratch records deleted"
    profile = probe_instance(client, chosen.tier, options, journal)
    chosen.out.write_bytes(profile_file(profile))
    return "\n".join(summary_of(profile))


def _require_permission(base_url: str, named: str) -> None:
    """Check that the instance to write to is the instance that the user named.

    :raises InvalidInput: if it is not.
    """
    root = named_root(base_url)
    if not named or named_root(named, "--allow-writes") != root:
        raise InvalidInput(f"this writes to the instance, so --allow-writes must name its root, {root}")
