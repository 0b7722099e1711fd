# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Papers are in the language of the reader, with the data unchanged."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from string import Formatter
from typing import Any

import pytest
import yaml
from embedded_here import Embedded
from everyday_here import run_everyday
from openpyxl import load_workbook
from pages import Page

from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import RENTAL_CASE, TASK
from ansible_collections.community.seventhings.plugins.plugin_utils import papers
from ansible_collections.community.seventhings.plugins.plugin_utils.action.documented import documented_spec
from ansible_collections.community.seventhings.plugins.plugin_utils.papers.catalogue import Catalogue
from ansible_collections.community.seventhings.plugins.plugin_utils.papers.table import Column, Paper, Table
from ansible_collections.community.seventhings.plugins.plugin_utils.papers.writer import write_paper

from ..stocktake.taking import NOVEMBER, take

pytestmark = pytest.mark.slow

FILES = {path.stem: path for path in (Path(papers.__file__).parent / "texts").glob("*.yml")}
LANGUAGES = {name: yaml.safe_load(path.read_text("utf-8")) for name, path in FILES.items()}
ENDINGS = ("csv", "html", "json", "xlsx")
LEDGER = """\
Anlage;Bezeichnung;AHK;Kauf
0410-0;Empfangstresen;1.890,00;01.02.2021
0433-0;Tisch;1.300,00;01.02.2021
9999-0;Fax;1.010,00;
4703-0;Notebook;1.399,00;
4703-0;Notebook;1.399,00;
;ohne Nummer;1,00;
"""
TABLE = {
    "preset": "excel-de",
    "match": ["Anlagennummer"],
    "columns": {
        "Anlage": "Anlagennummer",
        "Bezeichnung": "inventory_name",
        "AHK": "purchasing_price",
        "Kauf": "purchasing_date",
    },
}


def written(paper: str, directory: Path, language: str) -> dict[str, Path]:
    """Return the files of a paper with as many of its texts as possible."""
    directory.mkdir()
    paths = {ending: directory / f"paper.{ending}" for ending in ENDINGS}
    options: dict[str, Any]
    reports: dict[str, Any] = {"language": language, "report": [str(path) for path in paths.values()]}
    if paper == "handover":
        for path in paths.values():
            options = {"person": "bernd.kowalski@nordhain.example", "to": "david.okafor@nordhain.example"}
            result = run_everyday("handover", Embedded.started(), {**options, "sheet": str(path), "language": language})
            assert not result.get("failed"), result
    elif paper == "ledger":
        (directory / "books.csv").write_text(LEDGER, "utf-8")
        options = {"file": str(directory / "books.csv"), "table": TABLE}
        options["compare"] = ["purchasing_price", "purchasing_date"]
        result = run_everyday("ledger", Embedded.started(), {**options, **reports})
    else:
        (directory / "src").mkdir()
        settings = "api: seventhings/v1\nscan_codes: {field: barcode, placeholder: IMP-}\n"
        (directory / "src" / "instance.yml").write_text(settings, "utf-8")
        (directory / "scans.csv").write_text("code,room\n100777,Dresden/1.04\n", "utf-8")
        more = {"src": str(directory / "src"), "placeholder_rooms": ["Dresden/000"], "mode": paper, **NOVEMBER}
        here = Embedded.started(data="stocktake")
        result = take(here, **more, scans=str(directory / "scans.csv"), **reports)
    assert not result.get("failed"), result
    return paths


def texts(catalogue: dict[str, dict[str, str]]) -> dict[tuple[str, str], str]:
    """Return the texts of a language by their part and key."""
    return {(part, key): text for part, found in catalogue.items() for key, text in found.items()}


def test_every_language_has_every_text_with_the_same_values() -> None:
    assert set(FILES) == set(documented_spec("stocktake")["language"]["choices"])
    english = texts(LANGUAGES["en"])
    for language, catalogue in LANGUAGES.items():
        found = texts(catalogue)
        assert found.keys() == english.keys(), language
        for key, text in found.items():
            names = {name for _text, name, _spec, _conversion in Formatter().parse(text)}
            assert names == {name for _text, name, _spec, _conversion in Formatter().parse(english[key])}, (
                language,
                key,
            )


def test_every_status_has_a_word() -> None:
    for kind in (RENTAL_CASE, TASK):
        (status,) = (field for field in kind.fields if field.key == "status")
        for catalogue in LANGUAGES.values():
            assert set(status.allowed) <= catalogue["words"].keys()


def _english() -> Iterator[str]:
    """Yield the parts of English texts that no German text has."""
    german = " ".join(texts(LANGUAGES["de"]).values())
    for (part, _key), text in texts(LANGUAGES["en"]).items():
        for piece in re.split(r"{[^}]*}", text) if part != "forms" else ():
            if len(piece.strip()) > 3 and piece.strip() not in german:
                yield piece.strip()


@pytest.mark.parametrize("paper", ["evaluate", "prepare", "ledger", "handover"])
def test_a_paper_in_german_has_the_same_data_and_no_english(tmp_path: Path, paper: str) -> None:
    german, english = (written(paper, tmp_path / language, language) for language in ("de", "en"))
    page = Page(german["html"].read_text("utf-8"))
    assert (page.language, Page(english["html"].read_text("utf-8")).language) == ("de", "en")
    book = load_workbook(german["xlsx"])
    cells = [cell.value for sheet in book for row in sheet.iter_rows() for cell in row]
    for shown in ([*page.texts()], [*book.sheetnames, *(cell for cell in cells if isinstance(cell, str))]):
        for piece in _english():
            assert not [text for text in shown if re.search(rf"(?<!\w){re.escape(piece)}(?!\w)", text)], piece
    assert german["csv"].read_text("utf-8") == english["csv"].read_text("utf-8")
    numbers = [cell for cell in cells if isinstance(cell, (int, float))]
    theirs = [cell.value for sheet in load_workbook(english["xlsx"]) for row in sheet.iter_rows() for cell in row]
    assert numbers == [cell for cell in theirs if isinstance(cell, (int, float))] != []
    rows = [row for table in page.tables() for row in table]
    assert any(re.fullmatch(r"-?\d{1,3}(\.\d{3})+,\d\d", cell) for row in rows for cell in row), rows
    assert any(re.search(r"\d\d\.\d\d\.\d{4} \d\d:\d\d UTC", text) for text in page.texts())
    assert not any(re.search(r"\d{4}-\d\d-\d\d", text) for text in page.texts())


@pytest.mark.parametrize("paper", ["evaluate", "ledger", "handover"])
def test_the_totals_of_a_page_are_the_sums_of_its_columns(tmp_path: Path, paper: str) -> None:
    page = Page(written(paper, tmp_path / "en", "en")["html"].read_text("utf-8"))
    totals = 0
    for heads, *rows in page.tables():
        if not rows or rows[-1][0] != "Total":
            continue
        *body, last = rows
        for number, cell in enumerate(last):
            if re.search(r"\d\.\d\d$", cell):
                amounts = [Decimal(row[number].replace(",", "") or "0") for row in body]
                assert Decimal(cell.replace(",", "")) == sum(amounts), heads[number]
                totals += 1
    assert totals


def test_long_words_break_on_paper_so_that_no_column_is_cut(tmp_path: Path) -> None:
    rows = [{"name": "x" * length} for length in (20, 21, 31)]
    paper = Paper("ledger_title", "", (), (), [Table("objects", [Column("name")], rows)], {}, ())
    write_paper(paper, [tmp_path / "paper.html"], Catalogue("de"))
    page = (tmp_path / "paper.html").read_text("utf-8")
    assert re.findall('<td class="([a-z ]+)">x', page) == ["word", "word wide", "long"]
    assert re.search("@media print {.*td.wide { white-space: normal; overflow-wrap: anywhere;", page, re.DOTALL)
