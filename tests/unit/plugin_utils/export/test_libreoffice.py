# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A round trip of an instance through LibreOffice: the plan shows only what was typed there."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import pytest
from exports import export_of
from instance_site import Site, yaml_list
from libreoffice import PROGRAM, Office, Visit
from openpyxl import load_workbook

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(PROGRAM is None, reason="LibreOffice is not installed"),
]

_COLUMNS = ["inventory_name", "serial_number", "purchasing_price", "purchasing_date"]
_TRAPS = [
    ("Tisch", "0815", "10.50", "2024-01-02"),
    ("Größe a\u0308 ß €", "4012345678901234567890", "1299.00", "2024-12-31"),
    ("a\nb\n\nc", "1E5", "0.10", "1999-03-04"),
    ("=1+1", "WAHR", "5", "2000-02-29"),
    ("-5", "+49 30", "7.77", "2024-05-05"),
    ("'quoted", "3/4", "1", "2024-03-04"),
    ('say "no"; ok, x', "TRUE", "12345678.90", "2024-01-01"),
    ("#hash", "1.299,50", "3", "2001-01-01"),
    ("_x0041_ \N{GRINNING FACE}", "12:30", "4", "2024-07-07"),
    # Values with spaces at the edges go into JSON Lines beside the table.
    ("  blank ", "31.12.2024", "99999.99", "2029-01-01"),
]
_RECORDS = [
    {"barcode": f"00{number:03}", **dict(zip(_COLUMNS, values, strict=True))} for number, values in enumerate(_TRAPS)
]


class Country(NamedTuple):
    """The customs of a country.

    :ivar dates: how LibreOffice reads dates (3: month first, 4: day first).
    :ivar price: a price as people type it. :ivar day: a day as people type it.
    """

    locale: str
    preset: str
    delimiter: str
    dates: int
    price: str
    day: str


_COUNTRIES = [
    Country("fr-FR", "excel-fr", ";", 4, "1234,56", "24/12/2025"),
    Country("de-DE", "excel-de", ";", 4, "1.234,56", "24.12.2025"),
    Country("en-US", "excel-us", ",", 3, "1,234.56", "12/24/2025"),
]
_TEXT, _PLAIN = 2, 1


def _exported(site: Site, form: str, preset: str) -> Path:
    """Export an instance with difficult values. Return the file with the objects."""
    site.write({"objects.yml": yaml_list(_RECORDS)})
    assert site.run().outcome == "changed"
    (site.root / "objects.yml").unlink()
    (site.root / "instance.yml").write_text(f"api: seventhings/v1\ncsv: {{preset: {preset}}}\n", "utf-8")
    export_of(site, format=form, force=True)
    assert site.plan().outcome == "unchanged"
    return next(path for path in site.root.rglob(f"*.{form}") if form == "xlsx" or "objects" in path.as_posix())


def _typed(header: list[str], country: Country) -> dict[tuple[int, int], str]:
    names = {"Name": "inventory_name", "Purchasing price": "purchasing_price", "Date of purchase": "purchasing_date"}
    at = {names.get(name, name): number for number, name in enumerate(header)}
    return {
        (at["inventory_name"], 1): 'Größer: "neu"',
        (at["purchasing_price"], 2): country.price,
        (at["purchasing_date"], 3): country.day,
        (at["inventory_name"], 4): "eins\nzwei",
    }


def _planned(site: Site) -> dict[str, dict[str, Any]]:
    result = site.plan(limits={"update_percent": 100})
    assert (result.findings, result.warnings) == ([], [])
    return {change["key"]: change["after"] for change in result.changes}


_WANTED = {
    "00000": {"inventory_name": 'Größer: "neu"'},
    "00001": {"purchasing_price": 1234.56},
    "00002": {"purchasing_date": "2025-12-24"},
    "00003": {"inventory_name": "eins\nzwei"},
}


@pytest.mark.sample(0)
@pytest.mark.parametrize("country", _COUNTRIES, ids=lambda country: country.locale)
def test_a_workbook_comes_back_with_what_was_typed(site: Site, tmp_path: Path, country: Country) -> None:
    path = _exported(site, "xlsx", country.preset)
    header = [str(cell.value) for cell in load_workbook(path)["objects"][1]]
    office = Office(tmp_path / ".office", country.locale)
    saved, edited = office.edit(path, [Visit(), Visit(_typed(header, country))], "objects")
    path.write_bytes(saved)
    assert _planned(site) == {}
    path.write_bytes(edited)
    assert _planned(site) == _WANTED


@pytest.mark.sample(0)
@pytest.mark.parametrize("country", _COUNTRIES, ids=lambda country: country.locale)
def test_a_table_comes_back_with_what_was_typed(site: Site, tmp_path: Path, country: Country) -> None:
    path = _exported(site, "csv", country.preset)
    header = path.read_text("utf-8-sig").splitlines()[0].split(country.delimiter)
    forms = {"purchasing_price": _PLAIN, "purchasing_date": country.dates}
    columns = "/".join(f"{number}/{forms.get(name, _TEXT)}" for number, name in enumerate(header, start=1))
    mark = ord(country.delimiter)
    read = f"{mark},34,76,1,{columns},,false,true,false"
    office = Office(tmp_path / ".office", country.locale)
    raw, shown = (f"{mark},34,76,1,,,false,true,{is_shown}" for is_shown in ("false", "true"))
    visits = [Visit(written=raw), Visit(written=shown), Visit(_typed(header, country), shown)]
    *saved, edited = office.edit(path, visits, path.stem, read)
    for content in saved:
        path.write_bytes(content)
        assert _planned(site) == {}
    path.write_bytes(edited)
    assert _planned(site) == _WANTED
