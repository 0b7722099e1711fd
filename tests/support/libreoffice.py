# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""LibreOffice without a window: it opens a file, edits it like a person who types, and saves it."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple
from xml.sax.saxutils import escape

PROGRAM = shutil.which("soffice")
"""The path of the program; None if LibreOffice is not installed."""

_SETTINGS = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry">
<item oor:path="/org.openoffice.Setup/L10N"><prop oor:name="ooSetupSystemLocale" oor:op="fuse"><value>{locale}</value>
</prop></item></oor:items>
"""
_MODULE = """<?xml version="1.0" encoding="UTF-8"?>
<script:module xmlns:script="http://openoffice.org/2000/script" script:name="Module1" script:language="StarBasic">{code}
</script:module>
"""
_CODE = """
Sub Main
  Dim how(1) As New com.sun.star.beans.PropertyValue
  how(0).Name = "Hidden" : how(0).Value = True
  how(1).Name = "FilterOptions" : how(1).Value = {read}
  Dim saved(1) As New com.sun.star.beans.PropertyValue
  saved(0).Name = "FilterName" : saved(0).Value = {filter}
  saved(1).Name = "FilterOptions"
{visits}
End Sub
"""
_VISIT = """
  book = StarDesktop.loadComponentFromURL({opened}, "_blank", 0, how())
  sheet = book.Sheets.getByName({sheet})
{edits}
  saved(1).Value = {written}
  book.storeToURL({result}, saved())
  book.close(True)
"""


class Visit(NamedTuple):
    """The actions of a person between opening and closing a file.

    :ivar typed: column and row (from 0) to the typed characters; after a line feed they are a text.
    :ivar written: the export options for CSV.
    """

    typed: Mapping[tuple[int, int], str] = {}
    written: str = ""


class Office:
    """A person with the LibreOffice settings of a country.

    :param home: the directory for the settings. :param locale: such as ``de-DE``.
    """

    def __init__(self, home: Path, locale: str) -> None:
        self._home = home
        (home / "user").mkdir(parents=True)
        (home / "user" / "registrymodifications.xcu").write_text(_SETTINGS.format(locale=locale), "utf-8")
        # The first start fills the directory, including an empty macro module.
        self._start("--terminate_after_init")

    def _start(self, *arguments: str) -> None:
        command = [PROGRAM or "soffice", f"-env:UserInstallation={self._home.as_uri()}", "--headless", "--norestore"]
        subprocess.run([*command, *arguments], check=True, capture_output=True, timeout=120)

    def edit(self, path: Path, visits: Sequence[Visit], sheet: str, read: str = "") -> list[bytes]:
        """Open, edit and save a file for each visit. Return the content that each visit saved.

        The file itself is not changed. All visits share one start, which takes most of the time.

        :param read: the import options for CSV.
        """
        is_table = path.suffix == ".csv"
        opened, saved, codes = path, [], []
        for number, visit in enumerate(visits):
            edits = []
            for (column, row), text in visit.typed.items():
                member = "String" if "\n" in text else "FormulaLocal"
                edits.append(f"  sheet.getCellByPosition({column}, {row}).{member} = {_basic(text)}")
            saved.append(self._home / str(number) / path.name)
            saved[-1].parent.mkdir()
            codes.append(
                _VISIT.format(
                    opened=_basic(opened.as_uri()),
                    result=_basic(saved[-1].as_uri()),
                    sheet=_basic(sheet),
                    written=_basic(visit.written),
                    edits="\n".join(edits),
                )
            )
            opened = saved[-1]
        code = _CODE.format(
            read=_basic(read),
            filter=_basic("Text - txt - csv (StarCalc)" if is_table else "Calc MS Excel 2007 XML"),
            visits="".join(codes),
        )
        module = self._home / "user" / "basic" / "Standard" / "Module1.xba"
        module.write_text(_MODULE.format(code=escape(code)), "utf-8")
        self._start("macro:///Standard.Module1.Main")
        return [file.read_bytes() for file in saved]


def _basic(text: str) -> str:
    """Return a text literal of LibreOffice Basic."""
    return " & Chr(10) & ".join('"' + line.replace('"', '""') + '"' for line in text.split("\n"))
