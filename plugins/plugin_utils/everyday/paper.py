# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Printable A4 pages with lines for signatures."""

from __future__ import annotations

from pathlib import Path

from jinja2 import Template

from ..report.html_report import page_template

_STYLE = Path(__file__).with_name("paper.css")


def paper(body: Path) -> Template:
    """Return the template of a page in a style for paper."""
    return page_template(_STYLE.read_text("utf-8"), body)
