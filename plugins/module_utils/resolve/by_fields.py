# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Find records that no other record refers to (tasks, rental cases, catalog items) by their names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..client.client import Client
from ..client.record import Record
from ..errors import InvalidInput, NoMatch
from ..model.kinds import Kind
from ..model.suggestions import MOST_NAMED, ROUGH, closest_names
from ..model.types_links import references_in
from . import natural_keys
from .field_visibility import field_visibility_by, perhaps_hidden
from .read_cache import Reading
from .references import Question, with_targets


def find_by_fields(client: Client, kind: Kind, written: str | Mapping[str, Any], reading: Reading) -> Record:
    """Return the one record with some fields. If several tasks have one title, the open task matches.

    :param written: a map of fields, or the first field of its natural key. :param reading: reads each list once.
    :raises NoMatch: if there is none; ``Ambiguous`` if there are several; ``InvalidInput`` if a value does not fit its
        field.
    """
    name, schema = kind.match_on[0][0], client.schema(kind)
    wanted = {name: written} if isinstance(written, str) else written
    desired, findings = schema.parse(wanted, f"{kind.name}: ")
    if findings.errors or findings.unknown:
        raise InvalidInput([*findings.errors, *findings.unknown])
    targets = reading.resolve(references_in(tuple(desired.values())))
    desired = {key: with_targets(value, targets) for key, value in desired.items()}
    [found] = reading.find(kind, [[Question(schema, tuple(desired), desired)]])
    hits = natural_keys.targets_by_status(kind, found, None, lambda _record: False)
    in_words = natural_keys.describe(schema, desired, desired)
    hit = natural_keys.only_record(kind, in_words, hits, advice="give the uuid, or a map that tells them apart")
    if hit is not None:
        return hit
    candidates = reading.read_of(kind)
    if kind.has_own_fields:
        field_visibility_by(client, schema, candidates, {}, desired).check_written(desired)
    named = [record.flat.get(schema.fields[name].wire_key) for record in candidates if name in schema.fields]
    names = [value for value in named if isinstance(value, str)]
    nearest = closest_names(str(wanted.get(name)), names, MOST_NAMED, ROUGH)
    hint = f" The nearest are {', '.join(map(repr, nearest))}." if nearest else ""
    raise NoMatch(f"There is no {kind.words} with {in_words}{perhaps_hidden(kind)}.{hint}")
