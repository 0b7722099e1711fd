# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reports about objects, as PDF (later endpoints)."""

from __future__ import annotations

from ..context import Context
from ..messages import Answer, answer_json, not_found
from ..router import Route
from . import records

TABLES = """
CREATE TABLE report_template (position INTEGER PRIMARY KEY, uuid TEXT NOT NULL UNIQUE, name TEXT NOT NULL);
"""

_PDF = "application/pdf"


def list_templates(context: Context) -> Answer:
    rows = context.store.rows("SELECT uuid, name FROM report_template ORDER BY position")
    return answer_json([{"uuid": row["uuid"], "name": row["name"]} for row in rows])


def create_report(context: Context) -> Answer:
    uuid = context.body["report_template_uuid"].lower()
    name = context.store.value("SELECT name FROM report_template WHERE uuid = ?", (uuid,))
    if name is None:
        raise not_found(f"There is no report template {uuid}")
    template = context.templates["asset"]
    rows = [records.find(context, template, uuid.lower()) for uuid in context.body["object_uuids"]]
    from ..pdf import report

    labels = {key: str(definition.body["label"]) for key, definition in template.definitions.items()}
    return Answer(200, report(name, context.now, labels, records.shown(context.view, template, rows)), _PDF)


ROUTES = (
    Route("GET", "/report-template", list_templates, "reports:read", later=True),
    Route("POST", "/report", create_report, "reports:read", produces=(_PDF,), later=True),
)
