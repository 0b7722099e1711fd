# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Records that the files write as unmanaged, so that the set releases them and nothing prunes them."""

from __future__ import annotations

from .context import PlanContext
from .lifecycle import note_protection


def claim_unmanaged(context: PlanContext, section: str) -> None:
    """Claim the unmanaged records of a section."""
    for entry in context.desired.unmanaged:
        if entry.kind.section != section:
            continue
        schema, (values, _fits) = context.schema(entry.kind), context.read(entry)
        keys = context.key_fields(schema, values, entry)
        identity = {key: values[key] for key in keys}
        if not keys or not context.resolve(identity, None):
            continue
        if context.uniqueness.claim(schema, keys, identity, entry) is None:
            continue
        for record in context.state.find_existing(schema, keys, identity):
            context.claimed.setdefault(entry.kind.name, {}).setdefault(record.uuid, entry)
            planned = context.planned(entry, schema, identity, keys, context.uniqueness.words(schema, keys, identity))
            context.result.released.append((entry.kind.name, planned.journal_key, record.uuid))
            # The record may still have to stay.
            note_protection(context, planned, record)
