# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The value of a field in the instance as files write it, with as much of its earlier spelling as possible."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from ...module_utils.client.record import Record
from ...module_utils.model.field import EMPTY, Field
from ...module_utils.model.schema import Schema, type_of
from ...module_utils.model.types_links import attachments_in, references_in, with_references
from ...module_utils.plan.replacing import missing_members
from ...module_utils.resolve.field_visibility import maybe_hidden_message
from ..export.portable import NotPortable, check_read, why_not_empty
from ..export.writing import Unwritable
from ..set_plan.plan import Planned
from .editing import ELSEWHERE, Editing
from .splices import is_same
from .text_file import NewValue


class Values:
    """Convert values of the instance."""

    def __init__(self, edit: Editing) -> None:
        self._edit = edit

    def new(self, planned: Planned, current: Record, key: str, name: str) -> NewValue:
        """Return the value of a field in the instance as files write it.

        :raises NotPortable: if files cannot have it.
        """
        schema = planned.schema
        definition, written = schema.fields[key], planned.entry.fields[name]
        now = self._read(planned, current, key, written)
        # This run may itself change the values that a definition allows, but not those of other kinds.
        allowed = () if schema.kind.template else definition.allowed
        bare = Schema(schema.kind, [replace(definition, allowed=allowed, constraints={}, mandatory=False)])
        if type_of(definition).merge is not None and isinstance(written, Mapping):
            value: Any = self._merged(definition, now or {}, written)
            _check_loads(bare, key, value)
            return NewValue(value, partial(is_same, value))
        nothing: Any = [] if isinstance(written, list) else None
        value = nothing if now in EMPTY else self._edit.portable.checked(definition, now)
        _check_loads(bare, key, value)
        is_linked = any(references_in(now)) or any(attachments_in(now))

        def means_it(loaded: Any) -> bool:
            if is_linked:
                return is_same(value, loaded)
            spelled, wrong = planned.entry.spelled(bare, {name: loaded})
            parsed, findings = bare.parse(spelled, "")
            return not (wrong or findings.errors or findings.unknown) and bare.equal(key, parsed[key], now)

        if isinstance(value, list) and isinstance(written, list):
            value = self._spelled(planned, definition, written, value, now)
        return NewValue(value, means_it)

    def _read(self, planned: Planned, current: Record, key: str, written: Any) -> Any:
        """Return the canonical value of a field in the instance.

        :raises NotPortable: if the service returns something else. :raises Unwritable: if it may be hidden.
        """
        schema = planned.schema
        now = schema.read_field(key, current.flat)
        check_read(now)
        if now in EMPTY and (why := why_not_empty(schema.kind, key)):
            raise NotPortable(why)
        missing = {*self._edit.state.field_visibility(schema).missing, *missing_members(schema, current)}
        if key in missing and written not in EMPTY:
            raise Unwritable(maybe_hidden_message(key))
        return with_references(now, self._edit.state.completed)

    def _merged(self, definition: Field, now: Mapping[str, Any], written: Mapping[str, Any]) -> dict[str, Any]:
        """Return the present values of the written parts of a map."""
        found: dict[str, Any] = {}
        for part in written:
            value = now.get(part)
            found |= self._edit.portable.checked(definition, {part: value}) if value not in EMPTY else {part: None}
        return found

    def _spelled(
        self, planned: Planned, definition: Field, written: Sequence[Any], value: list[Any], now: Any
    ) -> list[Any]:
        """Return the items of a list in the spelling of the file and, if their order has no meaning, in its order."""
        schema, key = planned.schema, definition.key
        old: Any = planned.desired.get(key)
        is_known = isinstance(now, tuple) and isinstance(old, tuple)
        if not is_known or (len(now), len(old)) != (len(value), len(written)):
            return value
        if any(references_in(now)) or any(attachments_in(now)):
            # Links are written in a different order.
            value = [self._edit.portable.checked(definition, (item,))[0] for item in now]

        def spelled(item: Any, canonical: Any) -> Any:
            pairs = zip(written, old, strict=True)
            return next((word for word, each in pairs if schema.equal(key, (each,), (canonical,))), item)

        items = list(map(spelled, value, now))
        if not schema.equal(key, tuple(reversed(now)), now):
            return items
        return sorted(items, key=lambda item: written.index(item) if item in written else len(written))

    def attachments(self, planned: Planned, current: Record, key: str, new: NewValue) -> dict[str, Path]:
        """Return the attachments of a new value, by their paths in the files, except those with earlier paths."""
        self._edit.downloads.keep(attachments_in(planned.schema.read_field(key, current.flat)))
        found = self._edit.fetched_in(new.value)
        if found and self._edit.options["files_root"]:
            raise Unwritable(ELSEWHERE)
        return found


def _check_loads(schema: Schema, key: str, value: Any) -> None:
    """Check that a file with a value would load.

    :raises NotPortable: if the loader would refuse the value.
    """
    errors = schema.parse({key: value}, "")[1].errors
    if errors:
        raise NotPortable(str(errors[0]))
