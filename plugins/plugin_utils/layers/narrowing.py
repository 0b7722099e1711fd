# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The settings of a later layer. They narrow those of earlier layers, and never widen them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ...module_utils.model.field import shorten
from ..desired.desired import PRUNE, DesiredInstance, Limits, Policy
from ..desired.positions import Finding

_STRENGTH = ("report", "archive", "delete")
"""The actions of prune, the weakest first."""

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
        self._identity()
        self._scope()
        self._lifecycle()
        self._observed()
        self._scan_codes()
        self._policy()

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

    def _identity(self) -> None:
        identity = dict(self._merged.identity)
        for section, keys in self._later.identity.items():
            if list(identity.setdefault(section, keys)) != list(keys):
                self._find(f"identity.{section}", "is not as an earlier layer has it")
        self._merged.identity = identity

    def _scope(self) -> None:
        scope = {section: dict(fields) for section, fields in self._merged.scope.items()}
        for section, fields in self._later.scope.items():
            own = scope.setdefault(section, {})
            for name, values in fields.items():
                beyond = [value for value in values if name in own and value not in own[name]]
                if beyond:
                    words = ", ".join(map(shorten, beyond))
                    self._find(f"scope.{section}.{name}", f"{words} is not among the values of an earlier layer")
                else:
                    own[name] = values
        self._merged.scope = scope

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

    def _policy(self) -> None:
        have, wanted = self._merged.policy, self._later.policy
        self._merged.policy = replace(
            have,
            prune=self._prune(have.prune, wanted.prune),
            limits=self._limits(have.limits, wanted.limits),
            create_users=self._create_users(have, wanted),
            notify=self._notify(have, wanted),
        )

    def _prune(self, have: Mapping[str, str], wanted: Mapping[str, str]) -> dict[str, str]:
        prune = dict(have)
        for section, action in wanted.items():
            allowed = have.get(section, PRUNE[0])
            if _STRENGTH.index(action) > _STRENGTH.index(allowed):
                self._find(f"policy.prune.{section}", f"{action} is more than {allowed} of the earlier layers")
            else:
                prune[section] = action
        return prune

    def _limits(self, have: Mapping[str, float], wanted: Mapping[str, float]) -> dict[str, float]:
        limits = dict(have)
        for name, number in wanted.items():
            allowed = have.get(name, getattr(Limits(), name))
            if number > allowed:
                self._find(f"policy.limits.{name}", f"{number:g} is more than {allowed:g} of the earlier layers")
            else:
                limits[name] = number
        return limits

    def _create_users(self, have: Policy, wanted: Policy) -> bool | None:
        if wanted.create_users and have.create_users is False:
            self._find("policy.create_users", "an earlier layer does not allow it")
        return have.create_users if wanted.create_users is None or have.create_users is False else wanted.create_users

    def _notify(self, have: Policy, wanted: Policy) -> bool:
        if "policy.notify" not in self._later.setting_places:
            return have.notify
        if wanted.notify and not have.notify:
            self._find("policy.notify", "an earlier layer does not want it")
        return have.notify and wanted.notify
