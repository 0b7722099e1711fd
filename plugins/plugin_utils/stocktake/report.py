# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The reports of a stocktake. The suffix of a file decides its format."""

from __future__ import annotations

from ..everyday.report_files import Form, as_json
from .report_html import as_html
from .report_tables import as_csv, as_workbook

FORMS: dict[str, Form] = {
    ".csv": as_csv,
    ".html": as_html,
    ".json": as_json,
    ".xlsx": as_workbook,
}
"""The suffix of a report to the function that writes it."""
