# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Find mistakes in a desired state without a connection.

If an export wrote the schema of the instance beside the files, all fields and their types are known. Fields without a
known type are checked with the JSON Schema of every instance.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...module_utils.local.safe_files import Folder, NotOpened
from ...module_utils.model.field import (
    CellList,
    CellMap,
    Field,
    Plain,
    TypedCell,
    Way,
    first_of,
    shorten,
    typed,
    words_of,
)
from ...module_utils.model.kinds import KINDS
from ..desired.desired import SECTIONS, DesiredInstance
from ..desired.entry import Entry
from ..desired.loading import MAX_SOURCE
from ..desired.positions import Finding, Place
from ..desired.words import OF_RECORDS
from ..export.json_schema import MAIN, saved_fields, static_schema
from ..export.layout import SCHEMAS
from ..rules.rule import RuleSet
from .validation import validate

_DATE = re.compile(r"\d{4}-\d{1,2}-\d{1,2}")
_SECTIONS = {kind: section for section, kind in SECTIONS.items()}


def offline_findings(desired: DesiredInstance, rules: RuleSet | None = None) -> list[Finding]:
    """Return every finding, including those of reading, in the order of their places, and one for each place.

    :param rules: the rules of the task.
    """
    known = known_fields(desired)
    # Runs after the schema is read, because reading it may add findings.
    found = validate(desired, known, rules)
    places = {finding.place for finding in found if not finding.rule}
    shapes = _Shapes()
    for entry in desired.entries:
        if entry.kind.short_key or (entry.kind.template and entry.kind.name not in known):
            found += [finding for finding in shapes.findings(entry) if finding.place not in places]
    desired.warnings += _not_judged(desired, known)
    return sorted(
        dict.fromkeys(found), key=lambda finding: (finding.place.source, finding.place.line, finding.place.column)
    )


_MOST_NAMES = 8


def _not_judged(desired: DesiredInstance, known: Mapping[str, Sequence[Field]]) -> list[str]:
    """Return a line for each section with fields of unknown type."""
    names: dict[str, dict[str, None]] = {}
    defined: dict[str, set[str]] = {}
    for entry in desired.entries:
        if entry.kind.defines_fields:
            identifying = defined.setdefault(entry.template, set())
            identifying |= {str(entry.fields.get(name)) for name in ("field_key", "label")}
        elif entry.kind.template and entry.kind.name not in known and entry.place.source not in desired.hiding.files:
            names.setdefault(entry.kind.name, {}).update(dict.fromkeys(entry.fields))
    lines = []
    for kind_name, written in names.items():
        kind = KINDS[kind_name]
        own = {field.key for field in (*kind.fields, *kind.identity)} | defined.get(kind.template, set()) | OF_RECORDS
        unknown = [name for name in written if name not in own]
        if unknown:
            lines.append(
                f"{_SECTIONS[kind_name]}: the files do not contain the types of "
                f"{first_of(unknown, _MOST_NAMES)}, so their values were not checked; to check them, run "
                "`ansible-playbook community.seventhings.export -e export_dest=exported` and copy exported/schema here"
            )
    return lines


def known_fields(desired: DesiredInstance) -> dict[str, list[Field]]:
    """Return the fields of the kinds that an export described beside the files.

    If the description cannot be read, a finding says so.
    """
    if not desired.src:
        return {}
    try:
        document = json.loads(Folder(Path(desired.src)).read(f"{SCHEMAS}/{MAIN}", MAX_SOURCE))
    except (FileNotFoundError, ValueError, RecursionError):
        return {}
    except NotOpened as refused:
        desired.findings.append(Finding(Place(refused.at), refused.why))
        return {}
    except OSError as error:
        desired.findings.append(Finding(Place(f"{SCHEMAS}/{MAIN}"), f"can't be read: {error.strerror}"))
        return {}
    kinds = [kind for kind in KINDS.values() if kind.template]
    described = {kind.name: saved_fields(document, _SECTIONS[kind.name]) for kind in kinds}
    return {name: fields for name, fields in described.items() if fields}


class _Shapes:
    """Check records with the JSON Schema of every instance."""

    def __init__(self) -> None:
        self._validators: dict[str, Any] = {}
        self._fine: set[tuple[Any, ...]] = set()

    def findings(self, entry: Entry) -> Iterable[Finding]:
        """Return the findings about one record.

        Of records with a template only names and types of values are checked, so one of many equal records is enough.
        """
        shape = (entry.kind.name, *((name, type(value), bool(value)) for name, value in entry.fields.items()))
        if shape in self._fine:
            return []
        found = list(self._checked(entry))
        has_parts = any(isinstance(value, (dict, list)) for value in entry.fields.values())
        if not found and not has_parts and not entry.kind.short_key:
            self._fine.add(shape)
        return found

    def _checked(self, entry: Entry) -> Iterable[Finding]:
        whole = entry.fields.get(entry.kind.short_key) if entry.kind.short_key else entry.fields
        for error in self._validator(_SECTIONS[entry.kind.name]).iter_errors(as_json(whole)):
            path = error.absolute_path
            is_cell = len(path) == 1 and isinstance(entry.fields.get(path[0]), (CellList, CellMap))
            # A field of texts accepts the text of the cell.
            if not is_cell or "string" not in str(error.validator_value):
                yield _finding_of(entry, error)

    def _validator(self, section: str) -> Any:
        if section not in self._validators:
            definitions = static_schema()["$defs"]
            schema = {**definitions[section]["items"], "$defs": definitions}
            # Most runs need no library for schemas, and importing it takes a tenth of the start of a task.
            import jsonschema

            self._validators[section] = jsonschema.Draft202012Validator(schema)
        return self._validators[section]


def _finding_of(entry: Entry, error: Any) -> Finding:
    way: Way = tuple(error.absolute_path)
    if "propertyNames" in error.absolute_schema_path:
        name = str(error.instance)
        return Finding(entry.place_of(name), f"{name}: this field is set by the service and can't be written")
    written: Any = entry.fields
    for step in way:
        written = written[step]
    wanted = f"expected {_WANTED.get(error.validator, error.validator)} {error.validator_value}"
    if isinstance(written, TypedCell) and error.validator == "type":
        wanted = f"expected {written.no_text}"
    elif isinstance(written, Plain) and error.validator == "type":
        wanted = f'expected text; quote it: "{written}"'
    prefix = f"{words_of(way)}: " if way else ""
    return Finding(entry.place_in(way), f"{prefix}{shorten(written if way else error.instance)} does not fit; {wanted}")


_WANTED = {"pattern": "a text of the form", "type": "a value of the type", "enum": "one of"}


def as_json(value: Any) -> Any:
    """Return a value in its JSON form: an unquoted scalar becomes the number or the date text that YAML reads."""
    if isinstance(value, Mapping):
        return {key: as_json(member) for key, member in value.items()}
    if isinstance(value, list):
        return [as_json(item) for item in value]
    if not isinstance(value, Plain) or _DATE.match(value):
        return str(value) if isinstance(value, str) else value
    number = typed(value)
    return 0 if isinstance(number, str) else number
