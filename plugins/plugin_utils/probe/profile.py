# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The profile of an instance: its behaviour, and none of its data. Its JSON Schema (draft 2020-12)."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Mapping
from typing import Any

from ...module_utils.client.profile import PROFILE_VERSION
from ...module_utils.model.kinds import KINDS
from ..export.json_schema import ADDRESS, DRAFT
from ..report.provenance import version
from .catalogue import LOOK, SWITCHES, TIERS, TOUCH
from .evidence import NO, NOT_PROBED, YES
from .look import Look

NAME = "profile.schema.json"

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
        "version": {"profile": PROFILE_VERSION, "collection": version()},
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


# ---- the schema

_TEXT = {"type": "string"}
_COUNT = {"type": "integer", "minimum": 0}


def profile_schema() -> Json:
    """Return the schema, with every member described."""
    document = _closed(
        {
            "version": {
                **_closed({"profile": {"const": PROFILE_VERSION}, "collection": _TEXT}),
                "description": "Version of the profile format, and of the collection that probed.",
            },
            "date": {"type": "string", "format": "date", "description": "The day of the probe."},
            "tier": {"enum": list(TIERS), "description": "The tier, which limits what the probe may send."},
            "outcome": {"enum": list(OUTCOMES), "description": "The outcome."},
            "unable": {
                "type": "array",
                "items": _closed({"task": _TEXT, "why": _TEXT}),
                "description": "What the collection can't do with this instance.",
            },
            "new": {"type": "array", "items": _TEXT, "description": "What is new, and is harmless."},
            "account": {**_account(), "description": "What the account can't see."},
            "absent": {
                "type": "array",
                "items": {"enum": list(KINDS)},
                "description": "Kinds that the instance does not have, or whose module is switched off.",
            },
            "switches": {
                **_closed({name: _entry(switch.sides) for name, switch in SWITCHES.items()}),
                "description": "Each switch of the embedded service.",
            },
            "contradictions": {
                "type": "array",
                "items": _closed({"switch": {"enum": list(SWITCHES)}, "sides": _map_of(_TEXT)}),
                "description": "Switches for which several sides were observed, with the requests that "
                "showed each side.",
            },
            "unknown_keys": {
                **_map_of(_closed({"names": {"type": "array", "items": _TEXT}, "counted": _COUNT})),
                "description": "Kinds to members of their records that the collection does not know: the names of "
                "members of the service, and the number of members that may be custom fields.",
            },
            "fields": {**_map_of(_COUNT), "description": "Templates to the numbers of their field definitions."},
        }
    )
    return {
        "$schema": DRAFT,
        "$id": ADDRESS + NAME,
        "title": "The profile that community.seventhings.probe writes",
        **document,
    }


def profile_schema_file() -> bytes:
    """Return the content of the shipped schema file."""
    return (json.dumps(profile_schema(), indent=2) + "\n").encode()


def _account() -> Json:
    return _closed(
        {
            "restricted_fields": {
                **_map_of(_COUNT),
                "description": "Kinds to the numbers of their hidden fields, which are in no record.",
            },
            "hidden_records": {
                "enum": [YES, NO, "unknown"],
                "description": "Whether records are hidden from the account.",
            },
            "not_readable": {
                "type": "array",
                "items": {"enum": list(KINDS)},
                "description": "Kinds whose list is refused.",
            },
        }
    )


def _entry(sides: tuple[str, ...]) -> Json:
    return _closed(
        {
            "state": {
                "enum": [YES, NO, NOT_PROBED],
                "description": "Whether the instance is on the documented side, which is the first side.",
            },
            "side": {"enum": [*sides, None], "description": "The observed side; null if it is not known."},
            "seen": {**_TEXT, "description": "The requests that showed the side, with their numbers of records."},
            "why": {**_TEXT, "description": "Why the side is not known; empty if it is known."},
        }
    )


def _map_of(value: Json) -> Json:
    return {"type": "object", "additionalProperties": value}


def _closed(members: Json) -> Json:
    """Return an object with these members and no others."""
    return {"type": "object", "properties": members, "required": list(members), "additionalProperties": False}
