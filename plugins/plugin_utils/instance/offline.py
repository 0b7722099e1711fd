# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Find mistakes in a desired state without a connection.

If an export wrote the schema of the instance beside the files, all fields and their types are known.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from ...module_utils.local.safe_files import Folder, NotOpened
from ...module_utils.model.field import Field, first_of
from ...module_utils.model.kinds import KINDS
from ..desired.desired import DesiredInstance
from ..desired.loading import MAX_SOURCE
from ..desired.positions import Finding, Place
from ..export.json_schema import MAIN, saved_fields
from ..export.layout import SCHEMAS
from ..rules.rule import RuleSet
from .known_schemas import KnownSchemas
from .validation import validate


def offline_findings(desired: DesiredInstance, rules: RuleSet | None = None) -> list[Finding]:
    """Return every finding, including those of reading, in the order of their places, and one for each place.

    :param rules: the rules of the task.
    """
    known = known_fields(desired)
    # Runs after the schema is read, because reading it may add findings.
    found = validate(desired, known, rules)
    desired.warnings += _not_judged(desired, known)
    return sorted(
        dict.fromkeys(found), key=lambda finding: (finding.place.source, finding.place.line, finding.place.column)
    )


_MOST_NAMES = 8


def _not_judged(desired: DesiredInstance, known: Mapping[str, Sequence[Field]]) -> list[str]:
    """Return a line for each section with fields of unknown type."""
    schemas, names = KnownSchemas(desired.entries, known), defaultdict[str, dict[str, None]](dict)
    for entry in desired.entries:
        kind = entry.kind
        if kind.template and kind.name not in known and entry.place.source not in desired.hiding.files:
            unknown = (name for name in entry.fields if schemas.for_kind(kind).find(name) is None)
            names[kind.section].update(dict.fromkeys(unknown))
    return [
        f"{section}: the files do not contain the types of {first_of(list(unknown), _MOST_NAMES)}, so their "
        "values were not checked; to check them, run `ansible-playbook community.seventhings.export -e "
        "export_dest=exported` and copy exported/schema here"
        for section, unknown in names.items()
        if unknown
    ]


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
    described = {kind.name: saved_fields(document, kind.section) for kind in kinds}
    return {name: fields for name, fields in described.items() if fields}
