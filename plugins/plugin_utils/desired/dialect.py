# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How people save tables: delimiter, encoding, numbers, dates, words for true and false.

A cell is a text, and only the type of its field gives it a meaning. So a dialect converts cells to the spelling that
the types accept, once the fields are known.
"""

from __future__ import annotations

import codecs
import csv
import datetime as dt
import re
from collections.abc import Callable, Collection, Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from itertools import islice
from typing import Any, Literal, NamedTuple

from ...module_utils.model.dates import HOUR_ZERO, DateReader, UnclearDate
from ...module_utils.model.field import Field, InvalidValue, Plain, Spelling, TypedCell, as_shown, edge_blanks, shorten
from ...module_utils.model.names import normal_name
from ...module_utils.model.schema import FieldError, Misfit, type_of
from .encodings import WrongEncoding, decoded
from .globs import Globs
from .words import COMMENT, NULL_WORDS, OF_RECORDS, NullCell

ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_PLAIN_NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?")
#: A number with one separator before exactly three digits, which may separate thousands or a fraction.
_AMBIGUOUS = re.compile(r"[^\d.,]*\d+[.,]\d{3}[^\d.,]*")

#: The type of fields in which an ambiguous number is an amount.
_AMOUNT = "MONEY"

#: Minimum fraction digits of an amount for which a fraction of three digits is normal.
_DIGITS_OF_AMOUNTS = 3

#: The spaces between thousands in French: programs write the first three, people type the last.
BLANKS = ("\N{NARROW NO-BREAK SPACE}", "\N{NO-BREAK SPACE}", "\N{THIN SPACE}", " ")

#: The first bytes of new and old workbooks, and of pages that some programs save under the name of a table.
_NO_TABLES = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0", b"<")


#: Returns a cell as the type of its field accepts it, or None.
Converter = Callable[[str], str | None]


class Misspelled(Exception):
    """Raised if a cell is not spelled as its table is.

    :ivar error: the finding.
    """

    def __init__(self, error: FieldError) -> None:
        super().__init__(error)
        self.error = error


@dataclass(frozen=True)
class Rows:
    """Rows of a table that are not records. Rows count from 1.

    :ivar header: the row with the names of the columns; 0 for the first row that is read.
    :ivar first: rows that are skipped at the top, or below the header if its row is given.
    :ivar numbers: rows that are skipped, in CSV their lines.
    :ivar patterns: texts in the first cell of rows that are skipped.
    """

    header: int = 0
    first: int = 0
    numbers: Collection[int] = frozenset()
    patterns: tuple[str, ...] = ()

    @property
    def before(self) -> int:
        """Return the number of rows above the header row."""
        return self.header - 1 if self.header else self.first

    def skips(self, line: int, first: Any, breaks: int = 0) -> bool:
        """Return True if a row is not a record.

        :param first: the first cell that is not empty. :param breaks: line breaks inside the cells above the row.
        """
        is_below = self.header < line - breaks <= self.header + self.first
        if line <= self.before or is_below or line in self.numbers:
            return True
        return line != self.header and as_shown(first).strip() in self._skipped

    @cached_property
    def _skipped(self) -> Globs:
        return Globs(self.patterns)


ALL_ROWS = Rows()


class Oddity(NamedTuple):
    """The text of a cell that means something else than it shows.

    :ivar why: what it is, and what to do.
    :ivar kind: ``blank`` for a space at an edge, ``null`` for a word for nothing, ``date`` for a number that became a
        date, ``shortened`` for a number without its last digits. Only texts have the last one.
    """

    why: str
    kind: Literal["", "blank", "null", "date", "shortened"] = ""


#: Maximum digits of a number of which a spreadsheet keeps all digits.
_ALL_DIGITS = 15

_TEXT_COLUMNS = "name the column in text_columns if this is the text"
_KEPT_TEXT = re.compile(r'="[^"]*"')
_SHORTENED = re.compile(r"[-+]?\d([.,]\d+)?[Ee]\+\d{2,3}")
#: The texts that programs write in several languages for a value that is unknown or does not fit.
_ERROR = re.compile(
    r"#[¡¿]?(?:NAME|NOM|NOMBRE|NOME|REF|BEZUG|RIF|VALUE|WERT|VALEUR|VALOR|VALORE|DIV/0|NULL|NULO|NUL|NULLO|NUM|ZAHL"
    r"|SPILL|ÜBERLAUF|PROPAGATION|DESBORDAMIENTO|CALC|KALK|CALCUL|FIELD|FELD|CHAMP|CAMPO|BLOCKED|BLOCKIERT|CONNECT"
    r"|VERBINDEN|UNKNOWN|UNBEKANNT|BUSY|EXTERNAL)[!?]|#NV|#N/D|#GETTING_DATA|#{3,}|Err:\d{3}"
)
_MONTH = (
    "(?:Jan|Feb|M[aär][rz]|Apr|Ma[iy]|Ju[nl]|Aug|Sep|O[ck]t|Nov|De[cz]|"
    "janv|févr|mars|avr|mai|jui[nl]|août|sept|oct|nov|déc)"
)
#: How spreadsheets show ``1.04``, ``1-4`` or ``4.05`` if they read a day or a month in it.
_SHORT_DATE = re.compile(rf"\d\d?(\. |-){_MONTH}\.?|{_MONTH}\.?[- ]\d\d")
_MARKED_TEXT = re.compile(r"'[-+]?\d[\d.,]*")


@dataclass(frozen=True)
class Dialect:
    """The way in which a table was saved.

    :ivar delimiter: between cells. :ivar is_sure: True if it was written; that of a preset is only tried first.
    :ivar encoding: a codec; empty: UTF-8, or as a byte order mark says.
    :ivar fallback: the codec of a preset, if the file is not UTF-8.
    :ivar writes: the codec of files that are written.
    :ivar decimal: between a number and its fraction. :ivar thousands: between groups of three digits.
    :ivar dates: patterns of strptime, the first is written; ISO dates are always read.
    :ivar true: words for true, the first is written; ``false`` likewise. Without any: true and false.
    :ivar currency: signs that may be beside a number.
    :ivar clears: columns whose empty cells clear.
    :ivar null: a cell that clears, as it is written. :ivar nulls: others.
    :ivar ignore: columns that are not read, or patterns of them. :ivar named: columns that are read all the same.
    :ivar keys: columns that identify records, which no pattern ignores.
    :ivar loose: columns that a pattern ignores, read because one may have the label of a field that identifies records.
    :ivar list_separator: between the items of a list in a cell; empty: lists are written as JSON.
    :ivar texts: columns whose cells are texts, whatever a spreadsheet made of them, or patterns of such columns.
    :ivar trim: True if spaces at the edges of cells are removed; None: they are a finding.
    :ivar rows: rows that are not records.
    :ivar is_chosen: True if the settings say how numbers are written, by a preset or by a separator.
    """

    delimiter: str = ""
    is_sure: bool = False
    encoding: str = ""
    fallback: str = ""
    writes: str = "utf-8"
    decimal: str = "."
    thousands: tuple[str, ...] = ()
    dates: tuple[str, ...] = ()
    true: tuple[str, ...] = ()
    false: tuple[str, ...] = ()
    currency: tuple[str, ...] = ()
    clears: Container[str] = field(default_factory=frozenset)
    null: str | None = None
    nulls: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    named: Container[str] = frozenset()
    keys: frozenset[str] = frozenset()
    loose: frozenset[str] = frozenset()
    list_separator: str = ""
    texts: tuple[str, ...] = ()
    trim: bool | None = None
    rows: Rows = ALL_ROWS
    is_chosen: bool = False

    @property
    def _has_numbers(self) -> bool:
        return self.decimal != "." or bool(self.thousands or self.currency)

    @cached_property
    def columns(self) -> dict[Any, dict[str, Any]]:
        """Return what is known about the columns of its tables, by schema and name."""
        return {}

    # ---- reading

    @staticmethod
    def oddity(text: str) -> Oddity | None:
        """Return why a text of a cell is rejected, or None if it is accepted."""
        if text != text.strip():
            # A long text may end with a line end.
            blanks = edge_blanks(text.rstrip("\r\n"))
            return Oddity(f"it {blanks}", kind="blank") if blanks else None
        # Nearly all texts begin with another letter.
        if text[:1] in ("=", "'", "#", "E"):
            if _KEPT_TEXT.fullmatch(text):
                return Oddity(f"this formula keeps a text in Excel; write the text alone, or {_TEXT_COLUMNS}")
            if _MARKED_TEXT.fullmatch(text):
                return Oddity("the apostrophe marks a text in a spreadsheet; write the cell without it")
            if _ERROR.fullmatch(text):
                return Oddity("a spreadsheet shows this for an error, or in a narrow column; correct the cell")
        if "+" in text and _SHORTENED.fullmatch(text):
            words = "a spreadsheet shortened this number; format the column as text, and type the number again"
            return Oddity(f"{words}, or {_TEXT_COLUMNS}", kind="shortened")
        if text in NULL_WORDS:
            words = "this is how a program or a database writes an empty value; empty the cell, add the word to null"
            return Oddity(f"{words}, or {_TEXT_COLUMNS}", kind="null")
        if _SHORT_DATE.fullmatch(text):
            words = "a spreadsheet turned a number into this date; format the column as text, and type the number again"
            return Oddity(f"{words}, or {_TEXT_COLUMNS}", kind="date")
        return None

    def accepts_as_written(self, oddity: Oddity) -> bool:
        """Return True if the settings accept an odd text as written."""
        return self.trim is False and oddity.kind == "blank"

    def why_not_written(self, text: str) -> str:
        """Return why a text cannot be written into a cell; empty if it can."""
        if normal_name(text) in self.null_words:
            return "it means nothing"
        oddity = self.oddity(text)
        return "" if oddity is None or oddity.kind == "date" or self.accepts_as_written(oddity) else oddity.why

    def reads_column(self, name: str) -> bool:
        """Return True if a column of this name is read. A name that begins with ``#`` is a comment."""
        if not name or normal_name(name) in self.named or name in self.loose:
            return bool(name)
        if name.startswith(COMMENT):
            return False
        is_key = normal_name(name) in self.keys
        return not self.ignored.written_as(name) if is_key else name not in self.ignored

    def for_columns(self, names: Collection[str]) -> Dialect:
        """Return the format of a table with some columns.

        If none of them is known to identify records, the label of one may do so, which only the instance knows.
        """
        read = {normal_name(name) for name in names if self.reads_column(name)}
        if not self.ignore or not self.keys or not read.isdisjoint(self.keys):
            return self
        others = (name for name in names if name and not name.startswith(COMMENT) and not self.reads_column(name))
        return replace(self, loose=frozenset(name for name in others if not self.ignored.written_as(name)))

    @cached_property
    def null_words(self) -> tuple[str, ...]:
        """Return the words that clear a field, in the form in which they are compared."""
        return tuple(map(normal_name, self.nulls if self.null is None else (self.null, *self.nulls)))

    def as_text(self, name: str, cell: str) -> str:
        """Return the text of a cell that a spreadsheet turned into a formula, if the settings say so."""
        return cell[2:-1] if name in self.text_columns and _KEPT_TEXT.fullmatch(cell) else cell

    def is_text(self, name: str, digits: str) -> bool:
        """Return True if the settings say that a number in a cell is the text of its digits, and it has all of them."""
        return name in self.text_columns and digits.isdecimal() and len(digits) <= _ALL_DIGITS

    @cached_property
    def text_columns(self) -> Globs:
        """Return the columns whose cells are texts, as the settings say."""
        return Globs(self.texts)

    @cached_property
    def ignored(self) -> Globs:
        """Return the columns that are not read; an empty name for those without a name."""
        return Globs(self.ignore)

    def clears_cell(self, name: str, cell: str) -> bool:
        """Return True if a cell of a column clears its field."""
        is_word = bool(cell) and normal_name(cell) in self.null_words and name not in self.text_columns
        return name not in OF_RECORDS and (is_word or (not cell and normal_name(name) in self.clears))

    def clearing_cell(self, name: str) -> str | None:
        """Return the cell of a column that clears its field, or None if no cell does."""
        return next((cell for cell in ("", self.null or "") if self.clears_cell(name, cell)), None)

    def spelled(self, name: str, field: Field, cell: Any) -> Any:
        """Return a cell as the type of its field accepts it.

        :param name: of its column.
        :raises Misspelled: if it is spelled in another way.
        """
        if cell.__class__ is not str:
            if isinstance(cell, NullCell):
                return cell.word if cell.word in field.allowed else None
            return _typed(field, cell) if isinstance(cell, TypedCell) else cell
        if self.list_separator and type_of(field).empty == ():
            return [item.strip() for item in cell.split(self.list_separator) if item.strip()]
        if not self.is_chosen and self._amount(field, cell):
            raise Misspelled(_ambiguous(name, cell))
        spelling = type_of(field).spelling
        convert = self._converters.get(spelling)
        text = cell if convert is None else convert(cell)
        if text is None:
            is_date = spelling in (Spelling.DATE, Spelling.INSTANT)
            raise Misspelled(self._no_date(name, cell, spelling) if is_date else self._no_word(name, cell, spelling))
        return text

    def _no_word(self, name: str, cell: str, spelling: Spelling) -> FieldError:
        words = f"one of {', '.join((*self.true, *self.false))}"
        if spelling.is_number:
            words = f"a number such as 1{self.thousands[0] if self.thousands else ''}299{self.decimal}50"
            if cell[:2] in ("0.", "0,") and cell[1] in self.thousands:
                words += f"; in this table {cell[1]} separates thousands, and {self.decimal} the fraction"
        return FieldError.unfit((name,), name, cell, f"expected {words}", spelling)

    def _no_date(self, name: str, cell: str, spelling: Spelling) -> FieldError:
        time = ", and a time" if spelling is Spelling.INSTANT else ""
        try:
            (self.reader.moment if time else self.reader.day)(cell)
        except UnclearDate as error:
            # No other preset makes such a date clear, but a time with hour 0 may have 24 hours.
            misfit = Misfit(cell, str(error), spelling if str(error) == HOUR_ZERO else Spelling.PLAIN)
            words = f"{name}: {shorten(cell)} {error.words}"
            return FieldError.at((name,), words, "a date that has no certain meaning", misfit)
        except InvalidValue as error:
            return FieldError.unfit((name,), name, cell, f"expected {error}{time}", spelling)
        return FieldError.unfit((name,), name, cell, f"expected {self.reader.expected}{time}", spelling)

    def decided(self, field: Field, cell: str) -> str:
        """Return the number that the settings choose for an ambiguous amount; empty for another cell."""
        return self._amount(field, cell) if self.is_chosen else ""

    def _amount(self, field: Field, cell: str) -> str:
        """Return the number that this dialect reads if a cell is an ambiguous amount; empty for another cell."""
        if not is_ambiguous_amount(field, cell):
            return ""
        number = self._number(cell) if self._has_numbers else cell
        return number if number is not None and _PLAIN_NUMBER.fullmatch(number) else ""

    def reads(self, spelling: Spelling, text: str) -> bool:
        """Return True if the types of a group of values accept a cell as it is converted."""
        if spelling in (Spelling.DATE, Spelling.INSTANT):
            return self.reader.reads([text], spelling is Spelling.INSTANT)
        found = self._converted(spelling, text)
        if spelling is Spelling.FLAG:
            return found in ("true", "false")
        is_number = found is not None and _PLAIN_NUMBER.fullmatch(found) is not None
        return is_number and not (spelling is Spelling.INTEGER and "." in str(found))

    def agrees(self, other: Dialect, text: str) -> bool:
        """Return True if both formats read a cell as the same value, for each type that the other format accepts."""
        return all(
            self._converted(spelling, text) == other._converted(spelling, text)
            for spelling in (Spelling.NUMBER, Spelling.DATE, Spelling.FLAG)
            if other.reads(spelling, text)
        )

    def _converted(self, spelling: Spelling, text: str) -> str | None:
        convert = self._converters.get(spelling)
        return text if convert is None else convert(text)

    @cached_property
    def _converters(self) -> Mapping[Spelling, Converter]:
        found: dict[Spelling, Converter] = {}
        if self._has_numbers:
            found |= {Spelling.INTEGER: self._number, Spelling.NUMBER: self._number}
        if self.dates:
            found |= {Spelling.DATE: cache(self._date), Spelling.INSTANT: self._instant}
        if self.true or self.false:
            found[Spelling.FLAG] = self._flag
        return found

    @cached_property
    def _number_form(self) -> re.Pattern[str]:
        signs = "|".join(map(re.escape, sorted(self.currency, key=len, reverse=True)))
        sign = rf"(?:{signs})?\s*" if signs else ""
        behind = rf"\s*(?:{signs})?" if signs else ""
        groups = "|".join(rf"[1-9]\d{{0,2}}(?:{re.escape(mark)}\d{{3}})+" for mark in self.thousands)
        whole = rf"(?P<whole>{groups}|\d+)" if groups else r"(?P<whole>\d+)"
        fraction = rf"(?:{re.escape(self.decimal)}(?P<fraction>\d+))?"
        number = rf"{whole}{fraction}(?P<last>[-\u2212]?)"
        return re.compile(rf"(?P<minus>[-\u2212]?)\s*{sign}(?P<inner>[-\u2212]?){number}{behind}")

    def _number(self, text: str) -> str | None:
        found = self._number_form.fullmatch(text.strip())
        # The minus is before the currency, before the number, or as in lists of SAP behind it.
        minus = "" if found is None else found["minus"] + found["inner"] + found["last"]
        if found is None or len(minus) > 1:
            return None
        whole = re.sub(r"\D", "", found["whole"])
        number = f"{'-' if minus else ''}{whole}"
        return f"{number}.{found['fraction']}" if found["fraction"] else number

    @cached_property
    def reader(self) -> DateReader:
        """Return the reader of dates in this format."""
        return DateReader(self.dates)

    def _date(self, text: str) -> str | None:
        try:
            return self.reader.day(text).isoformat()
        except InvalidValue:
            return None

    def _instant(self, text: str) -> str | None:
        try:
            found = self.reader.moment(text)
        except InvalidValue:
            return None
        has_offset = isinstance(found, dt.datetime) and found.tzinfo is not None
        return found.isoformat() if has_offset else str(found)

    @cached_property
    def _flags(self) -> Mapping[str, str]:
        known = {"true": "true", "false": "false"}
        known |= {normal_name(word).casefold(): "true" for word in self.true}
        return known | {normal_name(word).casefold(): "false" for word in self.false}

    def _flag(self, text: str) -> str | None:
        return self._flags.get(normal_name(text.strip()).casefold())

    # ---- writing

    def write(self, value: Any) -> str:
        """Return a plain value as a cell. Numbers and dates are :class:`Plain`."""
        if isinstance(value, bool):
            words = self.true if value else self.false
            return words[0] if words else str(value).lower()
        text = str(value)
        if isinstance(value, Plain) and self.dates and ISO_DATE.fullmatch(text):
            return self.reader.write(dt.date.fromisoformat(text))
        if isinstance(value, Plain) and _PLAIN_NUMBER.fullmatch(text):
            return text.replace(".", self.decimal)
        return text

    # ---- files

    def decode(self, content: bytes) -> tuple[str, str]:
        """Return the text of a file with its byte order mark, and the codec that writes the same bytes.

        :raises WrongEncoding: if it is not a text.
        """
        if content.removeprefix(codecs.BOM_UTF8).lstrip().startswith(_NO_TABLES):
            words = "this is a workbook, a web page or XML, not CSV; open it in a spreadsheet program"
            raise WrongEncoding(f"{words}, and save it as .xlsx or as CSV")
        return decoded(content, self.encoding, self.fallback)

    def encode(self, text: str) -> bytes:
        """Return the bytes of a file.

        :raises UnicodeEncodeError: if the encoding has no such character.
        """
        return text.encode(self.writes)


#: How the spreadsheets of a country save tables, by name of the preset.
PRESETS: Mapping[str, Dialect] = {
    "plain": Dialect(),
    "excel-de": Dialect(
        ";", fallback="cp1252", writes="utf-8-sig",
        decimal=",", thousands=(".",), dates=("%d.%m.%Y", "%d.%m.%y"),
        true=("WAHR", "ja"), false=("FALSCH", "nein"), currency=("€", "EUR"),
    ),
    "excel-fr": Dialect(
        ";", fallback="cp1252", writes="utf-8-sig",
        decimal=",", thousands=BLANKS, dates=("%d/%m/%Y", "%d/%m/%y"),
        true=("VRAI", "oui"), false=("FAUX", "non"), currency=("€", "EUR"),
    ),
    "excel-gb": Dialect(
        ",", fallback="cp1252", writes="utf-8-sig",
        thousands=(",",), dates=("%d/%m/%Y", "%d/%m/%y"),
        true=("TRUE", "yes"), false=("FALSE", "no"), currency=("£", "GBP"),
    ),
    "excel-us": Dialect(
        ",", fallback="cp1252", writes="utf-8-sig",
        thousands=(",",), dates=("%m/%d/%Y", "%m/%d/%y"),
        true=("TRUE", "yes"), false=("FALSE", "no"), currency=("$", "USD"),
    ),
}  # fmt: skip


_DELIMITERS = ",;\t|"
_ROWS_TO_ASK = 20


def delimiter_of(lines: Sequence[str], dialect: Dialect) -> str:
    """Return the delimiter between the cells of a table.

    It is the delimiter by which most rows are as wide as the first row, because a name may contain a comma. If several
    are equally good, it is that of the dialect, otherwise the one with most names.

    :param lines: of the table, beginning with the names.
    """
    if dialect.is_sure:
        return dialect.delimiter

    def rank(mark: str) -> tuple[int, bool, int]:
        rows = list(islice(csv.reader(lines, delimiter=mark), _ROWS_TO_ASK)) or [[]]
        width = len(without_end(rows[0]))
        # Trailing cells of a row may be empty, and so may those after the last name.
        alike = sum(len(row) >= width >= len(without_end(row)) for row in rows)
        return alike if len(rows[0]) > 1 else 0, mark == dialect.delimiter, width

    return max(dialect.delimiter + _DELIMITERS, key=rank)


def without_end(row: list[str]) -> list[str]:
    """Return a row without the empty cells at its end."""
    return row[: next((number for number in range(len(row), 0, -1) if row[number - 1].strip()), 0)]


#: The numbers that LibreOffice writes for typed flags when it saves a workbook again.
_FLAGS = {"0": "false", "1": "true"}


def _typed(field: Field, cell: TypedCell) -> str:
    """Return the value of a cell with a type of its own. A day is an instant if the field has instants."""
    faces = type_of(field)
    if ISO_DATE.fullmatch(cell):
        return f"{cell} 00:00:00" if faces.spelling is Spelling.INSTANT else cell
    if cell in _FLAGS and faces.spelling is Spelling.FLAG:
        return _FLAGS[cell]
    return cell.shown or cell if faces.spelling is Spelling.PLAIN else cell


def is_ambiguous_amount(field: Field, text: str) -> bool:
    """Return True if a number of a field may mean two amounts: 1.890 is 1890 with a separator of thousands.

    An amount in a currency with three decimal digits is never ambiguous.
    """
    is_amount = field.type == _AMOUNT and _AMBIGUOUS.fullmatch(text) is not None
    return is_amount and (field.fraction_digits or 0) < _DIGITS_OF_AMOUNTS


def _ambiguous(name: str, cell: str) -> FieldError:
    """Return the finding about an amount that may mean two numbers."""
    thousands, fraction = re.sub(r"[^\d]", "", cell), re.sub(r"[^\d.,]", "", cell).replace(",", ".")
    why = (
        "the separator before three digits may separate thousands or a fraction; set a preset or a decimal "
        'for this file, such as `decimal: "."` in csv or in its entry of tables, or write two digits '
        "after the decimal separator"
    )
    words = f"{name}: {shorten(cell)} may mean {thousands} or {fraction}: {why}"
    return FieldError.at((name,), words, "an amount that may mean two numbers", Misfit(cell, why))
