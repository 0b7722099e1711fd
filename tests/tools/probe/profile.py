# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later
"""The profile of an instance: its behaviour, and none of its data."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Mapping
from typing import Any

from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import KINDS

from .catalogue import LOOK, SWITCHES, TIERS, TOUCH
from .evidence import NO, NOT_PROBED, YES
from .look import Look

FINE, NEW, UNABLE, RESTRICTED = "fine", "new but safe", "can't handle", "restricted account"
OUTCOMES = (FINE, NEW, UNABLE, RESTRICTED)
"""The possible outcomes of a probe."""

Json = dict[str, Any]


def profile_of(look: Look, account: Mapping[str, Any], tier: str, today: dt.date) -> Json:
    """Return the profile of the observations.

    :param account: what is known about the account.
    :param tier: the tier that was run.
    """
    evidence = look.evidence
    switches = evidence.entries(_not_in(tier))
    contradictions = evidence.contradictions()
    strange = [
        f"switch {name}: {answers}" for name, answers in sorted(evidence.strange.items()) if not evidence.side(name)
    ]
    unlisted = look.observed_records.unlisted()
    unknown = {
        name: {"names": look.unknown.get(name, []), "counted": unlisted.get(name, 0)}
        for name in sorted({*look.unknown, *unlisted})
    }
    new = [*dict.fromkeys(evidence.new), *strange]
    new += [f"switch {contradiction['switch']}: several sides" for contradiction in contradictions]
    new += [f"members of {KINDS[name].plural} that the collection does not know" for name in unknown]
    profile = {
        "date": today.isoformat(),
        "tier": tier,
        "outcome": "",
        "unable": [{"task": task, "why": why} for task, why in sorted(evidence.unable.items())],
        "new": new,
        "account": {**account, "not_readable": sorted(set(evidence.unread))},
        "absent": sorted(set(evidence.absent)),
        "switches": switches,
        "contradictions": contradictions,
        "unknown_keys": unknown,
        "fields": {template: len(types) for template, types in sorted(look.types.items())},
    }
    return {**profile, "outcome": _outcome(profile)}


def _not_in(tier: str) -> dict[str, str]:
    """Return the reason for each switch that only a later tier determines."""
    if tier == TIERS[-1]:
        return {}
    later = TIERS[TIERS.index(tier) + 1 :]
    return {
        name: f"the tier {switch.tier} determines it: {switch.why}"
        for name, switch in SWITCHES.items()
        if switch.tier in later
    }


def _outcome(profile: Mapping[str, Any]) -> str:
    account = profile["account"]
    if profile["unable"]:
        return UNABLE
    if account["restricted_fields"] or account["not_readable"] or account["hidden_records"] == YES:
        return RESTRICTED
    return NEW if profile["new"] else FINE


def profile_file(profile: Mapping[str, Any]) -> bytes:
    """Return the content of a profile file."""
    return (json.dumps(profile, indent=2) + "\n").encode()


def summary_of(profile: Mapping[str, Any]) -> list[str]:
    """Return the outcome in lines for people."""
    states = [entry["state"] for entry in profile["switches"].values()]
    determined = len(states) - states.count(NOT_PROBED)
    counted = (
        f"Of {len(states)} switches, {determined} are known; {states.count(NO)} of them are not on the documented side."
    )
    lines = [f"Outcome: {profile['outcome']}. {counted}"]
    lines += [f"Can't handle: {entry['task']}: {entry['why']}" for entry in profile["unable"]]
    lines += [f"New: {line}" for line in profile["new"]]
    account = profile["account"]
    lines += [
        f"Restricted: {number} field{'' if number == 1 else 's'} of {KINDS[kind].plural} can't be seen"
        for kind, number in account["restricted_fields"].items()
    ]
    lines += [f"Restricted: the list of {KINDS[kind].plural} is refused" for kind in account["not_readable"]]
    lines += [f"Absent, or switched off: {KINDS[kind].plural}" for kind in profile["absent"]]
    if profile["tier"] == LOOK:
        lines.append(f"The tier {TOUCH} determines more: it creates scratch records and deletes them.")
    return lines
