# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A report about objects as a PDF document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fpdf import FPDF
from fpdf.enums import XPos, YPos

_MARGIN, _LINE = 15, 6


def report(title: str, stamp: str, labels: Mapping[str, str], objects: Sequence[Mapping[str, Any]]) -> bytes:
    """Return a PDF with a block for each object: the label and the value of each field that has a value."""
    document = FPDF()
    document.set_title(title)
    document.set_margin(_MARGIN)
    document.add_page()
    _line(document, title, size=16, bold=True)
    _line(document, f"{len(objects)} objects, {stamp} UTC")
    for record in objects:
        document.ln(_LINE)
        _line(document, str(record.get("inventory_name") or record["id"]), size=12, bold=True)
        for key, label in labels.items():
            text = _text(record.get(key))
            if text:
                _line(document, f"{label}: {text}")
    return bytes(document.output())


def _line(document: FPDF, text: str, *, size: int = 10, bold: bool = False) -> None:
    document.set_font("Helvetica", "B" if bold else "", size)
    # The built-in fonts only support Latin-1.
    drawable = text.encode("latin-1", "replace").decode("latin-1")
    document.multi_cell(0, _LINE, drawable, new_x=XPos.LMARGIN, new_y=YPos.NEXT)


def _text(value: Any) -> str:
    if isinstance(value, dict):
        return str(value.get("display_name", value.get("type", "")))
    if isinstance(value, list):
        return ", ".join(_text(item) for item in value)
    return "" if value is None else str(value)
