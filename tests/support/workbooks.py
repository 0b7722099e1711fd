# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Workbooks that tests read."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import openpyxl


def workbook_of(sheets: Mapping[str, Iterable[Any]], touch: Callable[[Any], object] = lambda _book: None) -> bytes:
    """Return a workbook with rows of values by the title of their sheet.

    :param touch: changes it before it is saved.
    """
    book = openpyxl.Workbook()
    book.remove(book.worksheets[0])
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(list(row))
    touch(book)
    content = io.BytesIO()
    book.save(content)
    return content.getvalue()
