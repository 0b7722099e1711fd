# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Several layers as one desired state: a later layer adds records and overrides fields of existing records."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import Any

from ...module_utils.errors import InvalidInput
from ...module_utils.local.safe_files import Folder
from ..ansible_compat import was_vaulted
from ..desired.desired import DesiredInstance
from ..desired.hiding import Hiding
from ..desired.loading import MOST_RECORDS, Reading, content_of, load, local_files
from ..desired.nodes import Node
from ..desired.positions import Finding
from ..desired.settings import TABLES, VARIABLES, repeated_renames
from ..desired.tables import Tables
from .records import MergedRecords
from .variables import Variables

#: The settings that a later layer may have.
_OF_EACH_LAYER = ("api", "csv", TABLES, VARIABLES)
#: The settings that a later layer may repeat, because its directory may also be used alone.
_REPEATED = ("instance", "set", "set_id", "timezone")

NO_VARIABLES: Mapping[str, Any] = MappingProxyType({})

Reader = Callable[[Folder, str], bytes]


@dataclass(frozen=True)
class Layer:
    """A directory or file of a desired state.

    :ivar label: the prefix of the places in its files.
    """

    path: Path
    label: str


def layers_of(sources: Sequence[Path]) -> list[Layer]:
    """Return the layers at some paths, each labelled by its path below their common directory.

    :raises InvalidInput: if one is named twice.
    """
    # Don't resolve links: users know a layer by the name that they gave it.
    roots = [Path.cwd() / path for path in sources]
    reals = [path.resolve() for path in sources]
    twice = next((path for number, path in enumerate(sources) if reals[number] in reals[:number]), None)
    if twice is not None:
        raise InvalidInput(f"src: {twice} is named twice; expected each layer once")
    if len(sources) < 2:
        return [Layer(path, "") for path in sources]
    common = os.path.commonpath([root.parent for root in roots])
    found = []
    for path, root in zip(sources, roots, strict=True):
        # A single file already has its own name as a label.
        folder = root if path.is_dir() or not path.exists() else root.parent
        label = os.path.relpath(folder, common)
        found.append(Layer(path, "" if label == "." else str(PurePosixPath(label))))
    return found


def load_layers(
    sources: Sequence[Path],
    inline: Mapping[str, Any] | None = None,
    read: Reader = content_of,
    files_root: Path | None = None,
    hiding: Hiding | None = None,
    is_vaulted: Callable[[Any], bool] = was_vaulted,
    variables: Mapping[str, Any] = NO_VARIABLES,
) -> DesiredInstance:
    """Read the desired state from layers, inline data, or both.

    Inline data is not a layer: it is added to the layers.

    :param sources: the layers, in order. Other parameters are as in :func:`..desired.loading.load`.
    :param variables: the values of variables that the files declare.
    :raises InvalidInput: if a layer is named twice, or ``files_root`` is not a directory.
    """
    layers = layers_of(sources)
    filling = Variables(variables)
    for layer in layers:
        filling.declare(_settings_of(layer, read))
    filling.settle()
    hiding, reading = hiding or Hiding(), Reading(fill=filling.fill)
    if len(layers) < 2:
        src = layers[0].path if layers else None
        desired = load(src, inline, read, files_root, hiding, is_vaulted, reading)
    else:
        loaded: list[DesiredInstance] = []
        for layer in layers:
            tables = loaded[0].tables if loaded else Tables()
            own = replace(reading, label=layer.label, is_later=bool(loaded), tables=tables)
            loaded.append(load(layer.path, None, read, files_root, hiding, reading=own))
        desired = _merged(layers, loaded)
        if files_root is not None:
            desired.root = local_files(None, files_root)
        if inline is not None:
            _add_inline(desired, load(None, inline, read, files_root, hiding, is_vaulted))
    desired.findings += filling.findings
    desired.warnings += filling.warnings()
    return desired


def _settings_of(layer: Layer, read: Reader) -> Node | None:
    """Return the settings of a layer, or None if they are unreadable. Reading the layer then reports the error."""
    found: list[Node] = []

    def note(node: Node, leave: Sequence[str]) -> Node:
        found.extend([node] if VARIABLES in leave else [])
        return node

    load(layer.path, None, read, reading=Reading(layer.label, fill=note, only_settings=True))
    return found[0] if found else None


def _merged(layers: Sequence[Layer], loaded: Sequence[DesiredInstance]) -> DesiredInstance:
    """Merge all layers into one desired state."""
    first = loaded[0]
    merged = replace(
        first,
        entries=[],
        unmanaged=[],
        findings=[finding for layer_state in loaded for finding in layer_state.findings],
        sections=set().union(*(state.sections for state in loaded)),
        sources={source: number for state in loaded for source, number in state.sources.items()},
        nameless={source: place for state in loaded for source, place in state.nameless.items()},
        unread=[name for state in loaded for name in state.unread],
        delimiters={name: mark for state in loaded for name, mark in state.delimiters.items()},
        codecs={name: codec for state in loaded for name, codec in state.codecs.items()},
        warnings=[line for state in loaded for line in state.warnings],
        tables=replace(
            first.tables, by_label={layer.label: state.tables for layer, state in zip(layers, loaded, strict=True)}
        ),
        tables_read=[read for state in loaded for read in state.tables_read],
        setting_places=dict(first.setting_places),
        settings={layer.label: state.settings for layer, state in zip(layers, loaded, strict=True)},
        moved_places={key: place for state in loaded for key, place in state.moved_places.items()},
    )
    merged.findings += [finding for later in loaded[1:] for finding in _settings_of_later(later, first)]
    merged.moved = {
        section: [pair for state in loaded for pair in state.moved.get(section, ())]
        for section in dict.fromkeys(section for state in loaded for section in state.moved)
    }
    # Reading a layer already reported renames that it repeats itself.
    merged.findings += [finding for finding in repeated_renames(merged) if finding not in merged.findings]
    records = MergedRecords(merged.identity, loaded)
    merged.entries, merged.unmanaged = records.entries(), records.entries(is_managed=False)
    merged.findings += records.findings
    if len(merged.entries) > MOST_RECORDS:
        place = merged.entries[MOST_RECORDS].place
        merged.findings.append(Finding.plain(place, f"expected at most {MOST_RECORDS} records in one desired state"))
    return merged


def _settings_of_later(later: DesiredInstance, first: DesiredInstance) -> Iterator[Finding]:
    """Yield a finding for each setting of a later layer that belongs in the first layer."""
    for setting, place in later.setting_places.items():
        is_repeated = setting in _REPEATED and later.settings[setting] == first.settings.get(setting)
        if setting and "." not in setting and setting not in _OF_EACH_LAYER and not is_repeated:
            message = f"{setting}: belongs in the first layer, where ${{...}} works in it; delete it here"
            yield Finding(place, message)


def _add_inline(merged: DesiredInstance, beside: DesiredInstance) -> None:
    """Add the inline data of a playbook."""
    merged.entries += beside.entries
    merged.unmanaged += beside.unmanaged
    merged.findings += beside.findings
    merged.sections |= beside.sections
    merged.sources |= beside.sources
    if beside.setting_places:
        place = beside.setting_places[""]
        merged.findings.append(Finding(place, "instance: settings belong in the first layer; delete them here"))
    if beside.moved:
        place = next(iter(beside.moved_places.values()))
        merged.findings.append(Finding(place, "moved: renames belong in the layers; delete them here"))
