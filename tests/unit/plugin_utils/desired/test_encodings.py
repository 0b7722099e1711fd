# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Encodings of files: a mark, a setting or UTF-8 decide. Otherwise a person does, who sees words of the file."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from project import LONG

from ansible_collections.community.seventhings.plugins.plugin_utils.desired.desired import DesiredInstance
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.loading import load

_WORDS = {
    "cp1252": ["Büro", "Möbel", "Küche"],
    "mac_roman": ["Büro", "Möbel", "Straße"],
    "cp850": ["Büro", "Möbel", "Straße"],
    "iso-8859-15": ["5€", "Möbel"],
    "cp1250": ["Krzesło", "żółte", "skříň"],
    "iso-8859-2": ["świetlówka", "Šatní"],
    "mac_latin2": ["Krzesło", "żółte"],
    "cp1251": ["Стол", "письменный"],
    "koi8_r": ["Стол", "письменный"],
    "mac_cyrillic": ["Стол", "письменный"],
    "cp1253": ["Καρέκλα", "γραφείου"],
    "cp1254": ["Çal\u0131şma", "ğüş"],
    "cp1257": ["Kėdė", "ąžuolas"],
    "shift_jis": ["机", "プリンタ"],
    "euc_jp": ["つくえ", "椅子"],
    "gb18030": ["桌子", "打印机"],
    "utf-16-le": ["Büro", "Möbel"],
    "utf-32-be": ["Büro", "Möbel"],
}
"""Words of languages that people save in these encodings."""


def _table(words: list[str], line_end: str = "\r\n") -> str:
    return line_end.join(["barcode;inventory_name", *(f"80000{index};{word}" for index, word in enumerate(words)), ""])


def _load(root: Path, content: bytes, settings: str = "", name: str = "objects.csv") -> DesiredInstance:
    (root / "instance.yml").write_text(f"api: seventhings/v1\n{settings}\n", "utf-8")
    (root / name).parent.mkdir(exist_ok=True)
    (root / name).write_bytes(content)
    return load(root)


def _names(desired: DesiredInstance) -> list[str]:
    return [entry.fields["inventory_name"] for entry in desired.entries]


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("encoding", _WORDS)
def test_a_proposed_line_reads_the_words_that_it_shows(tmp_path: Path, encoding: str, line_end: str) -> None:
    content = _table(_WORDS[encoding], line_end).encode(encoding)
    desired = _load(tmp_path, content)
    (finding,) = desired.findings
    assert not desired.entries
    assert (
        "save the file as UTF-8, or write the line with the right words into csv of instance.yml: " in finding.message
    )
    line = next(line for line in finding.message.split("`") if line.endswith(f"   # {', '.join(_WORDS[encoding])}"))
    if not encoding.startswith("utf"):
        assert finding.place.line == 2
        assert finding.place.column > len("80000x;")
    read = _load(tmp_path, content, f"csv:\n  {line}")
    assert (read.findings, _names(read)) == ([], _WORDS[encoding])


@pytest.mark.parametrize(
    ("encoding", "words"),
    [
        ("cp1252", ["Bürostuhl", "Küchentisch", "Möbelroller höhenverstellbar"]),
        ("cp1252", ["Überwachungskamera", "Beleuchtungskörper"]),
        ("cp1250", ["Krzesło obrotowe", "stół konferencyjny"]),
        ("gb18030", ["USB键盘", "办公桌"]),
        ("shift_jis", ["A4プリンタ", "事務机"]),
    ],
)
def test_letters_that_all_encodings_share_say_nothing(tmp_path: Path, encoding: str, words: list[str]) -> None:
    (finding,) = _load(tmp_path, _table(words).encode(encoding)).findings
    assert f"`encoding: {encoding}   # {words[0].split()[0]}" in finding.message
    if encoding.startswith("cp"):
        assert finding.message.split("`")[1].startswith(f"encoding: {encoding} ")
        assert "encoding: gb18030" not in finding.message


@settings(max_examples=500 if LONG else 50, deadline=None, derandomize=not LONG, database=None)
@given(words=st.lists(st.text("abÄßüéñx", min_size=1), min_size=1), fallback=st.sampled_from(["plain", "excel-de"]))
@example(words=["Strauß\u201c", "Tür"], fallback="excel-de")
def test_no_table_in_one_byte_is_read_without_a_setting(
    tmp_path_factory: pytest.TempPathFactory, words: list[str], fallback: str
) -> None:
    content = _table(words).encode("cp1252")
    desired = _load(tmp_path_factory.mktemp("set"), content, f"csv: {{preset: {fallback}}}")
    if desired.findings:
        assert not desired.entries
        assert not content.isascii()
    else:
        assert _names(desired) == words


@pytest.mark.parametrize(
    ("encoding", "words"),
    [
        ("cp850", ["Schränke groß", "Möbel"]),
        ("cp850", ["téléphone", "français"]),
        ("cp850", ["SCHRÄNKE", "MÖBEL"]),
        ("mac_roman", ["Küchenmöbel"]),
        ("mac_roman", ["Ölfaß", "Tür"]),
        ("mac_roman", ["Schränke groß"]),
        ("mac_roman", ["MÖBEL", "SCHRÄNKE"]),
        ("mac_roman", ["étage", "déjà"]),
        ("mac_roman", ["Überwachungskamera", "Übung", "Ölkanne"]),
        ("cp850", ["Fußmatte groß"]),
        ("cp850", ["Hauptstraße 1", "Bahnhofstraße 2", "Schloßstraße 3", "Weiße Gasse 5", "Köln", "Wörth"]),
        ("cp1250", ["krzesło", "półka"]),
    ],
)
def test_words_that_look_wrong_in_the_encoding_of_a_preset_are_a_finding(
    tmp_path: Path, encoding: str, words: list[str]
) -> None:
    content = _table(words).encode(encoding)
    desired = _load(tmp_path, content, "csv: {preset: excel-de}")
    (finding,) = desired.findings
    assert not desired.entries
    assert finding.place.line == 2
    line = next(line for line in finding.message.split("`") if line.startswith(f"encoding: {encoding}   # "))
    assert _names(_load(tmp_path, content, f"csv:\n  preset: excel-de\n  {line}")) == words
    as_it_is = _load(tmp_path, content, "csv: {preset: excel-de, encoding: cp1252}")
    assert (as_it_is.findings, _names(as_it_is)) == ([], [word.encode(encoding).decode("cp1252") for word in words])


@pytest.mark.parametrize(
    ("encoding", "words"),
    [
        ("cp1254", ["Bilgisayar Masas\u0131", "Öğretmen odas\u0131"]),
        ("cp1254", ["Müdür odas\u0131"]),
        ("cp1254", ["IŞIK"]),
        ("cp1251", ["Стол", "Стул ученический"]),
        ("cp1251", ["ШКАФ"]),
        ("cp1253", ["Γραφείο", "Καρέκλα"]),
        ("cp1250", ["Počítač", "Skříň"]),
        ("cp1250", ["Židle", "Učitelská"]),
        ("cp1250", ["Stůl", "Kancelář"]),
        ("cp1250", ["Gyűjtő", "Szék"]),
        ("cp1250", ["Kijelző"]),
        ("cp1250", ["Stół"]),
        ("cp1250", ["Tablica", "Krzesło"]),
        ("cp1250", ["KRZESŁO"]),
        ("cp1250", ["Računalnik", "Učilnica"]),
        ("cp1257", ["Kėdė", "Rašomasis stalas"]),
        ("cp1257", ["Galds skolēnu", "Šūpoles"]),
    ],
)
@pytest.mark.parametrize("others", [[], ["Bürostuhl", "Tür", "Größe", "Möbel"] * 20])
def test_words_of_another_code_page_of_windows_are_a_finding(
    tmp_path: Path, encoding: str, words: list[str], others: list[str]
) -> None:
    content = _table([*others, *words]).encode(encoding, "replace")
    desired = _load(tmp_path, content, "csv: {preset: excel-de}")
    (finding,) = desired.findings
    assert not desired.entries
    assert finding.place.line in {len(others) + 2, len(others) + 3}
    line = next(line for line in finding.message.split("`") if line.startswith(f"encoding: {encoding}   # "))
    assert line.partition("# ")[2].split(", ")[0] in " ".join(words).split()
    read = _load(tmp_path, content, f"csv:\n  preset: excel-de\n  {line}")
    assert (read.findings, _names(read)[len(others) :]) == ([], words)


def test_icelandic_in_the_encoding_of_a_preset_needs_the_setting_once(tmp_path: Path) -> None:
    content = _table(["Skólaborð", "Þvottavél"]).encode("cp1252")
    (finding,) = _load(tmp_path, content, "csv: {preset: excel-de}").findings
    line = next(line for line in finding.message.split("`") if line.startswith("encoding: cp1252   # "))
    assert _names(_load(tmp_path, content, f"csv:\n  preset: excel-de\n  {line}")) == ["Skólaborð", "Þvottavél"]


_LISTED = yaml.safe_load(Path(__file__).with_name("words.yml").read_text("utf-8"))
_GERMAN, _SAVED = _LISTED["german"].split(), _LISTED["others"].split()


@pytest.mark.parametrize("encoding", ["cp850", "mac_roman"])
def test_one_german_word_in_an_encoding_of_another_system_is_a_finding(tmp_path: Path, encoding: str) -> None:
    for word in _GERMAN:
        desired = _load(tmp_path, _table([word]).encode(encoding), "csv: {preset: excel-de}")
        assert ([], 1, word) == (desired.entries, len(desired.findings), word)


def test_one_word_of_windows_is_never_a_finding(tmp_path: Path) -> None:
    for word in (*_GERMAN, *_SAVED):
        desired = _load(tmp_path, _table([word]).encode("cp1252"), "csv: {preset: excel-de}")
        assert (desired.findings, _names(desired)) == ([], [word])


_RARE = re.compile(
    r"[ao]á|(e[iu]|ie)á|(?![äöüßåæø]{3})[^\W\d_a-z]{3}|ù\w|è[aiou]|[èìòø][áíóú]|[áíóú][èìòø]|õ(?!e)|[à-ÿ]³"
)
"""Letters beside each other as CP850 and other code pages of Windows leave them, and hardly any word of CP1252."""


def _is_ordinary(text: str) -> bool:
    return not _RARE.search(text.lower())


_LOWER = st.text("abelnrstäöüßéèàçêëîïôûùâœæñåøáíóúìòãõÿ", min_size=1)
_UPPER = st.text("ABELNRSTÄÖÜÉÈÀÇÊËÎÏÔÛÙÂŒÆÑÅØÁÍÓÚÌÒÃÕ", min_size=1)
_NAME = st.builds("{}{}".format, st.sampled_from([*"BCÄÖÜÉÈÀÇÔŒŠ", "Že"]), _LOWER)
_WORD = _LOWER | _UPPER | _NAME | st.builds("{}ß{}".format, _UPPER, st.text("ABELT"))
_BEFORE, _AFTER = "„»«\u201a\u2018\u201c\u2039£(±¿¡\u2013", "\u201c\u201d«»\u2018\u2019\u203a€£).…°²³%‰½®™†\u2013"
_TEXT = st.builds(
    "{}{}{}{}{}".format,
    st.sampled_from(["", *_BEFORE]),
    _WORD,
    st.sampled_from(["", " ", " \u2013 ", "\u2013", "—", "\u2019", "-", "/", "·", " … "]),
    st.sampled_from(["", "1", "10\u00d720", "5 µm", "20 °C", " §", " §5", "50 €", "3 m²", "½"]) | _LOWER,
    st.sampled_from(["", *_AFTER]),
).filter(_is_ordinary)


@pytest.mark.slow
@settings(max_examples=2000 if LONG else 200, deadline=None, derandomize=not LONG, database=None)
@given(words=st.lists(_TEXT, min_size=1, max_size=5))
@example(words=["BÜRO", "MÖBEL", "STRAßE"])
@example(words=["Mo\u2013Fr", "geht\u2019s", "geht\u00b4s", "l\u2019eau", "B\u00d7H\u00d7T"])
@example(words=["„Bett\u201c", "50 µm", "W/m²K", "5 €", "Škoda"])
def test_an_ordinary_file_of_windows_is_never_a_finding(
    tmp_path_factory: pytest.TempPathFactory, words: list[str]
) -> None:
    content = _table(words).encode("cp1252")
    # A few pairs of letters are one letter in UTF-8.
    assume(content.decode("utf-8", "ignore").isascii())
    desired = _load(tmp_path_factory.mktemp("set"), content, "csv: {preset: excel-de, trim: false}")
    assert (desired.findings, _names(desired)) == ([], words)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".yml"])
def test_a_mark_decides_in_every_format(tmp_path: Path, encoding: str, suffix: str) -> None:
    record = {"barcode": "1", "inventory_name": "Büro Ł"}
    text = {
        ".csv": "barcode,inventory_name\n1,Büro Ł\n",
        ".jsonl": json.dumps(record, ensure_ascii=False),
        ".yml": '- barcode: "1"\n  inventory_name: Büro Ł\n',
    }[suffix]
    desired = _load(tmp_path, text.encode(encoding), "csv: {encoding: cp1252}", f"objects{suffix}")
    assert (desired.findings, _names(desired)) == ([], ["Büro Ł"])


@pytest.mark.parametrize("settings", ["", "csv: {encoding: utf-8}", "csv: {preset: excel-de}"])
@pytest.mark.parametrize(
    ("content", "found"),
    [
        ("Büro\n809999;Kabel 5\udc96m", "3:15: expected UTF-8, found byte 0x96, \u2013 in Windows-1252; save the file"),
        ("\ufeffBüro\udc81\n", "2:12: expected UTF-8, found byte 0x81, no character in Windows-1252; save the file"),
    ],
)
def test_a_byte_of_something_else_is_found_in_utf_8(tmp_path: Path, settings: str, content: str, found: str) -> None:
    mark = "\ufeff" if content.startswith("\ufeff") else ""
    text = f"{mark}barcode;inventory_name\n800000;{content.removeprefix(mark)}"
    desired = _load(tmp_path, text.encode("utf-8", "surrogateescape"), settings)
    assert not desired.entries
    assert [str(finding) for finding in desired.findings] == [f"objects.csv:{found} as UTF-8"]


@pytest.mark.parametrize("encoding", ["cp1252", "iso-8859-1", "mac_roman", "cp850", "koi8-r"])
def test_an_encoding_of_one_byte_is_wrong_for_utf_8(tmp_path: Path, encoding: str) -> None:
    desired = _load(tmp_path, _table(["Stuhl", "Büro"]).encode(), f"csv: {{encoding: {encoding}}}")
    (finding,) = desired.findings
    assert not desired.entries
    assert str(finding).startswith("objects.csv:3:9: this file is UTF-8, and `encoding` says ")
    assert str(finding).endswith("; set `encoding: utf-8`")
    assert _names(_load(tmp_path, _table(["Stuhl"]).encode(), f"csv: {{encoding: {encoding}}}")) == ["Stuhl"]


@pytest.mark.parametrize("encoding", ["iso8859-1", "iso8859-15"])
def test_control_characters_of_iso_8859_are_signs_of_windows(tmp_path: Path, encoding: str) -> None:
    words = ["Größe", "Stuhl\u2013blau", "5€"]
    desired = _load(tmp_path, _table(words).encode("cp1252"), f"csv: {{encoding: {encoding}}}")
    (finding,) = desired.findings
    assert not desired.entries
    assert str(finding).startswith(f"objects.csv:3:13: in {encoding}, this file has control characters (U+0096); save ")
    assert f"`encoding: cp1252   # {', '.join(words)}`" in str(finding)


@pytest.mark.parametrize(
    ("accepted", "names"),
    [
        (True, "utf-8 utf-8-sig utf-16 utf-32 utf-16-be windows-1252 cp1250 cp874 latin-1 iso-8859-16 mac_roman"),
        (True, "macintosh mac_latin2 cp437 cp850 shift_jis euc_jp euc_kr gb18030 koi8_r koi8_u"),
        (False, "utf-7 cp037 rot13 idna punycode hz iso2022_jp unicode_escape raw_unicode_escape hex undefined cp1140"),
    ],
)
def test_accepted_encodings_are_a_list(tmp_path: Path, accepted: bool, names: str) -> None:
    for name in names.split():
        findings = _load(tmp_path, b"", f"csv: {{encoding: {name}}}").findings
        assert [f"csv.encoding: '{name}' does not fit" in str(finding) for finding in findings] == [True] * (
            not accepted
        )


def test_an_entry_of_tables_has_the_encoding_of_json_lines(tmp_path: Path) -> None:
    content = '{"barcode": "1", "inventory_name": "Tür"}\n'.encode("cp1252")
    tables = "tables: [{files: objects.jsonl, encoding: cp1252}]"
    assert _names(_load(tmp_path, content, tables, "objects.jsonl")) == ["Tür"]
    (finding,) = _load(tmp_path, content, "csv: {encoding: cp1252}", "objects.jsonl").findings
    assert str(finding) == "objects.jsonl:1:38: expected UTF-8: invalid start byte at byte 37; save the file as UTF-8"
