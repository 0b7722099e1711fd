# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The settings of a later layer. They narrow those of earlier layers, and never widen them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...module_utils.model.field import shorten
from ..desired.desired import DesiredInstance
from ..desired.positions import Finding

_FIRST_LAYER = ("identity", "policy", "scope")
"""Settings that a later layer must not have."""

_TEXTS = {"set": "set_name", "set_id": "set_id", "timezone": "timezone", "marker": "marker"}
"""Settings with one text, and the attributes that store them."""


def narrow(merged: DesiredInstance, later: DesiredInstance) -> None:
    """Merge the settings of a later layer. A setting that would widen earlier settings is a finding."""
    if not later.setting_places:
        return
    _Narrowing(merged, later).run()
    merged.setting_places |= later.setting_places
    merged.settings = _together(merged.settings, later.settings)


def _together(earlier: Mapping[str, Any], later: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of both layers as written. Those of the later layer take precedence."""
    together = {**earlier, **later}
    for name in earlier.keys() & later.keys():
        if isinstance(earlier[name], Mapping) and isinstance(later[name], Mapping):
            together[name] = _together(earlier[name], later[name])
    return together


class _Narrowing:
    def __init__(self, merged: DesiredInstance, later: DesiredInstance) -> None:
        self._merged = merged
        self._later = later

    def run(self) -> None:
        self._instances()
        self._texts()
        self._first_layer_only()
        self._lifecycle()
        self._observed()
        self._scan_codes()

    def _find(self, setting: str, message: str) -> None:
        earlier = self._merged.setting_places.get(setting)
        first = f" ({earlier})" if earlier is not None else ""
        found = f"{setting}: {message}{first}; a later layer only narrows the settings"
        self._merged.findings.append(Finding(self._later.place_of(setting), found))

    def _instances(self) -> None:
        allowed, wanted = self._merged.instances, self._later.instances
        if not wanted:
            return
        beyond = [root for root in wanted if allowed and root not in allowed]
        if beyond:
            self._find("instance", f"{', '.join(beyond)} is not among {', '.join(allowed)} of an earlier layer")
        else:
            self._merged.instances = wanted

    def _texts(self) -> None:
        for setting, attribute in _TEXTS.items():
            have, wanted = getattr(self._merged, attribute), getattr(self._later, attribute)
            if wanted and have and wanted != have:
                self._find(setting, f"{shorten(wanted)} is not {shorten(have)} of an earlier layer")
            elif wanted:
                setattr(self._merged, attribute, wanted)

    def _first_layer_only(self) -> None:
        for setting in _FIRST_LAYER:
            if setting in self._later.setting_places:
                message = f"{setting}: belongs in the first layer, where ${{...}} works in it; delete it here"
                self._merged.findings.append(Finding(self._later.place_of(setting), message))

    def _lifecycle(self) -> None:
        """Ignore and protect everything that one of the layers ignores or protects. A later layer cannot undo that."""
        lifecycle = dict(self._merged.lifecycle)
        for section, later in self._later.lifecycle.items():
            lifecycle[section] = lifecycle[section].with_more(later) if section in lifecycle else later
        self._merged.lifecycle = lifecycle

    def _observed(self) -> None:
        """Add the observed fields of a later layer.

        It cannot remove fields that the instance or an earlier layer observes.
        """
        observed = {section: list(names) for section, names in self._merged.observed.items()}
        for section, names in self._later.observed.items():
            if section not in observed:
                self._find(f"observed.{section}", "the first layer decides which fields are observed")
            else:
                observed[section] += [name for name in names if name not in observed[section]]
        self._merged.observed = observed

    def _scan_codes(self) -> None:
        if self._later.scan_codes not in (None, self._merged.scan_codes):
            self._find("scan_codes", "the first layer decides about scan codes")
