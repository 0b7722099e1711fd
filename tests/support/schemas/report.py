# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later
"""JSON Schema (draft 2020-12) of a report as JSON, for policies and other programs that read one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from ansible_collections.community.seventhings.plugins.module_utils.resolve.hidden_records import NO, UNKNOWN, YES
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.desired import SECTIONS
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.row_rules import SKIPPING
from ansible_collections.community.seventhings.plugins.plugin_utils.export.json_schema import DRAFT
from ansible_collections.community.seventhings.plugins.plugin_utils.report.result import (
    ACTIONS,
    DONE,
    FAILED,
    NOT_TRIED,
    OF_APPLY,
    OF_FILES,
    OF_UNDO,
    OUTCOMES,
    SKIPPED,
)
from ansible_collections.community.seventhings.plugins.plugin_utils.set_plan.baseline import SIDES
from ansible_collections.community.seventhings.plugins.plugin_utils.set_plan.plan import ARCHIVED, LEFT, RESTORED

from .parts import ADDRESS

NAME = "report.schema.json"

_TEXT = {"type": "string"}
_TEXT_OR_NULL = {"type": ["string", "null"]}
_COUNT = {"type": "integer", "minimum": 0}
_TEXTS = {"type": "array", "items": _TEXT}
_PLACE = {**_TEXT, "description": "File, line and column, or the path in the playbook."}
_COUNTED = (*ACTIONS.values(), "unchanged", "errors", "skipped")


def report_schema() -> dict[str, Any]:
    """Return the schema of the report, with every member described."""
    document = _closed(
        {
            "outcome": {"enum": list(OUTCOMES), "description": "The outcome."},
            "instance": {**_TEXT, "description": "Root of the instance."},
            "check_mode": {"type": "boolean", "description": "Whether the run only created a plan."},
            "summary": _of_sections(
                _closed(dict.fromkeys(_COUNTED, _COUNT)),
                "Counts of changed records; in check mode, of planned changes.",
            ),
            "changes": {
                "type": "array",
                "items": {"$ref": "#/$defs/change"},
                "description": "Every change, in the order in which the changes are applied.",
            },
            "failures": {
                "type": "array",
                "items": _closed(dict.fromkeys(("change", "place", "reason"), _TEXT)),
                "description": "Changes that failed or were skipped, with the reason.",
            },
            "refusals": {**_TEXTS, "description": "Why nothing was applied."},
            "findings": {**_TEXTS, "description": "Mistakes in the files, one line for each kind of mistake."},
            "warnings": {**_TEXTS, "description": "Warnings: facts to know that are not errors."},
            "reported": _of_sections(_TEXTS, "Natural keys of records that are in no file and were not changed."),
            "tables": {
                "type": "object",
                "additionalProperties": {
                    "type": "object",
                    "propertyNames": {"enum": [LEFT, RESTORED, ARCHIVED, *SKIPPING]},
                    "additionalProperties": {"type": "array", "items": {"$ref": "#/$defs/row"}},
                },
                "description": "Table to reason to the rows that are not used as written, and the records that left "
                "the table. The other reasons are settings of the table, which skip a row or a cell.",
            },
            "never_in_a_table": _of_sections(_COUNT, "Number of records that are in no file and were in no table."),
            "requests": {**_COUNT, "description": "Number of requests that were sent."},
            "duration": {"type": "number", "minimum": 0, "description": "Seconds that the run took."},
            "apply_record": {**_TEXT, "description": "The file with the apply record; empty if none was written."},
            "apply_record_digest": {**_TEXT, "description": "SHA-256 of the apply record; empty if none was written."},
            "plan_digest": {
                "type": "string",
                "pattern": "^([0-9a-f]{64})?$",
                "description": "SHA-256 of the approval in plan_file; empty if there is none.",
            },
            "every_finding": {**_TEXTS, "description": "Each single finding, if findings has fewer lines."},
            "forecast": {
                **_closed({"requests": _COUNT, "minutes": {"type": ["number", "null"], "minimum": 0}}),
                "description": "Requests that an apply needs at least, and their minutes; null without a rate limit.",
            },
            "cautions": {**_TEXTS, "description": "The warnings with which other reports begin."},
            "sides": {
                **_closed(dict.fromkeys(SIDES, _COUNT)),
                "description": "Sides that changed records since the last apply, to the number of changes.",
            },
            "hidden_records": {
                "enum": [YES, NO, UNKNOWN],
                "description": "Whether records are hidden from the account, as far as the lists that were "
                "read show it.",
            },
            "scan_codes": {
                **_closed(dict.fromkeys(("attached", "total", "differ"), _COUNT)),
                "required": [],
                "description": "Rows whose object has a label, all rows, and codes that differ; empty "
                "without scan_codes.",
            },
            "moves": _rows(
                {"from": _TEXT_OR_NULL, "to": _TEXT_OR_NULL, "count": _COUNT},
                "Records that change their room or location, by field; null means no place.",
            ),
            "money": _rows(
                {"before": {"type": "number"}, "after": {"type": "number"}, "count": _COUNT},
                "Totals of the amounts of all records that change, before and after; a removed record has no "
                "amount after.",
            ),
            "persons": _rows(
                {"person": _TEXT, "gains": _COUNT, "loses": _COUNT},
                "Persons who become responsible for records, or no longer are.",
                ("section",),
            ),
            "mails": _rows(
                {"count": _COUNT, "to": _TEXTS},
                "Records that make the service send e-mail, and the recipients if they are known.",
                ("section",),
            ),
            "records": {
                "type": "array",
                "items": {"$ref": "#/$defs/record"},
                "description": "The records that all layers together write, if only the files were checked; else "
                "empty. Records that are written as unmanaged are last.",
            },
            "undo": {**_TEXT, "description": "Changes that can't be undone, or only in part; empty if there are none."},
            "undone": {
                **_closed({**dict.fromkeys(("time", "set", "user", "record"), _TEXT), "changes": _COUNT}),
                "description": "The apply that the run undoes, and the file of its apply record.",
            },
            "not_restored": _rows(
                {"key": _TEXT, "reason": _TEXT},
                "What an undo does not restore. The field is empty if it is the whole record.",
                ("section", "field"),
            ),
            "made_by": {
                **_closed(dict.fromkeys(("set", "date", "user", "version", "host"), _TEXT)),
                "description": "The set, time (UTC), user, version and host of the run.",
            },
        }
    )
    return {
        "$schema": DRAFT,
        "$id": ADDRESS + NAME,
        "title": "The report of community.seventhings.instance as JSON",
        **document,
        "required": [name for name in document["required"] if name not in (*OF_UNDO, *OF_FILES, *OF_APPLY)],
        "$defs": {"change": _change(), "record": _record(), "row": _row()},
    }


def report_schema_file() -> bytes:
    """Return the content of the shipped schema file."""
    return (json.dumps(report_schema(), indent=2) + "\n").encode()


def _row() -> dict[str, Any]:
    return _closed(
        {
            "section": {"enum": list(SECTIONS)},
            "key": {**_TEXT, "description": "The natural key; empty if the row has none."},
            "scan_code": {**_TEXT_OR_NULL, "description": "The scan code of an object."},
            "name": {**_TEXT, "description": "The name; empty if it has none."},
            "value": {"type": ["number", "string", "null"], "description": "The acquisition price, or another amount."},
            "place": {**_TEXT, "description": "File and line of the row; of a record that left, of its last row."},
            "uuid": {**_TEXT_OR_NULL, "description": "The uuid of the record, if there is one."},
            "why": {**_TEXT, "description": "What the reason does not say."},
        }
    )


def _change() -> dict[str, Any]:
    return _closed(
        {
            "section": {"enum": list(SECTIONS)},
            "key": {**_TEXT, "description": "The natural key; if it is vaulted, the place instead."},
            "action": {"enum": list(ACTIONS)},
            "note": {
                **_TEXT,
                "description": "What the action includes besides the fields, such as unarchive and update, or that "
                "the record was created by this set and deleted in the application.",
            },
            "uuid": {
                "type": ["string", "null"],
                "description": "UUID of the record; null if the record does not exist yet.",
            },
            "before": {"type": "object", "description": "Field keys to current values."},
            "after": {"type": "object", "description": "Field keys to new values."},
            "sides": {
                "type": "object",
                "additionalProperties": {"enum": list(SIDES)},
                "description": "Field keys to the side that changed the field since the last apply.",
            },
            "edited": {
                "type": "object",
                "additionalProperties": _TEXT,
                "description": "Who last changed a record that the application changed (by), when (at), and how long "
                "ago, if that is known.",
            },
            "place": {**_TEXT, "description": "The place in the files."},
            "labels": {"type": "object", "additionalProperties": _TEXT, "description": "Field keys to labels."},
            "status": {"enum": [DONE, FAILED, SKIPPED, NOT_TRIED], "description": "The outcome."},
            "reason": {
                **_TEXT,
                "description": "Why the change was not applied; empty if it was applied, and in a plan.",
            },
            "name": {
                **_TEXT,
                "description": "The display name of the record; empty if it has no name or the name is hidden.",
            },
            "removed": {
                "type": "object",
                "description": "What a record to delete or archive has: room, person, value, user of the last "
                "change, the numbers of tasks, rental cases and hub offers that refer to it, or that they were not "
                "looked up, and for a deletion the number of attachments and the history. Empty for other changes.",
            },
        }
    )


def _record() -> dict[str, Any]:
    written = {"value": {"description": "The value; (vaulted) if it must not be shown."}, "place": _PLACE}
    return _closed(
        {
            "section": {"enum": list(SECTIONS)},
            "template": {**_TEXT, "description": "The template of a field definition; else empty."},
            "key": {**_TEXT, "description": "The natural key; empty if only the instance knows its fields."},
            "state": {"enum": ["present", "absent", "archived"]},
            "managed": {"type": "boolean", "description": "False if the record is written as unmanaged."},
            "place": _PLACE,
            "fields": {
                "type": "object",
                "additionalProperties": _closed(written),
                "description": "Keys or labels of fields, as written, to their values.",
            },
        }
    )


def _closed(members: dict[str, Any]) -> dict[str, Any]:
    """Return an object with these members and no others."""
    return {
        "type": "object",
        "properties": members,
        "required": list(members),
        "additionalProperties": False,
    }


def _rows(members: dict[str, Any], description: str, heads: Sequence[str] = ("section", "field")) -> dict[str, Any]:
    """Rows about sections.

    :param heads: the members that a row begins with.
    """
    known = {"section": {"enum": list(SECTIONS)}, "field": _TEXT}
    row = _closed({**{name: known[name] for name in heads}, **members})
    return {"type": "array", "items": row, "description": description}


def _of_sections(each: dict[str, Any], description: str) -> dict[str, Any]:
    return {
        "type": "object",
        "propertyNames": {"enum": list(SECTIONS)},
        "additionalProperties": each,
        "description": description,
    }
