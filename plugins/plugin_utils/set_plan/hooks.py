# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The hooks of a plan: what the loop calls for its aspects."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...module_utils.client.record import Record
from ...module_utils.model.schema import Schema
from ..desired.entry import Entry
from .plan import Pair, Planned


@dataclass
class Hooks:
    """The overridden hooks of all aspects, in the order of the aspects.

    They are collected once, because calling each aspect for each record would cost a fifth of the time.
    """

    settings: Sequence[Callable[[], None]] = ()
    writable: Sequence[Callable[[Entry, Mapping[str, Any]], Mapping[str, Any]]] = ()
    found: Sequence[Callable[[Schema, Entry, Mapping[str, Any]], Sequence[Record]]] = ()
    matched: Sequence[Callable[[Planned, Record | None], None]] = ()
    joined: Sequence[Callable[[list[Pair]], None]] = ()
    left_alone: Sequence[Callable[[Schema, Entry, bool], frozenset[str]]] = ()
    known: Sequence[Callable[[Planned, Record | None], None]] = ()
    linked: Sequence[Callable[[Planned], None]] = ()
    compared: Sequence[Callable[[Planned, Record | None], None]] = ()
    complete: Sequence[Callable[[], None]] = ()
    warnings: Sequence[Callable[[], Iterable[str]]] = ()
