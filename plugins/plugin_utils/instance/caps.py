# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The caps of a task. The files request changes. A run makes only the changes that the task allows.

The author of the files may not be the owner of the task: a pull request changes files. So nothing in the files widens
what the task allows.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ...module_utils.client.connection import named_root
from ...module_utils.errors import InvalidInput
from ...module_utils.plan.allowed import USERS
from ...module_utils.plan.change import ARCHIVE, DELETE
from ..desired.desired import SECTIONS, DesiredInstance, Limits, Policy, limit_of, prune_actions
from ..desired.observed import of_task
from ..desired.positions import Finding

#: Options of a task that the files may narrow and never widen. ``protected`` requires all of them.
CAPS = ("limits", "prune", "allow", "expect_instance")

#: The actions of prune, the weakest first.
_STRENGTH = ("report", ARCHIVE, DELETE)

#: Limits that depend on the number of existing records.
_OF_EXISTING = frozenset({"create_percent", "update_percent", "delete_percent", "from_existing"})


@dataclass(frozen=True)
class Caps:
    """The maximum that a task allows.

    :ivar limits: name of a limit to the highest value. :ivar prune: section to the strongest action.
    :ivar allow: what the task allows besides; no file can.
    :ivar notify: True if the assignees of tasks may be notified.
    :ivar expected: roots of the instances that may be changed; empty: the task does not say.
    :ivar is_protected: True if the files may be those of strangers.
    :ivar observed: section to the fields that scans or people write, according to the task.
    """

    limits: Mapping[str, float] = field(default_factory=dict)
    prune: Mapping[str, str] = field(default_factory=dict)
    allow: frozenset[str] = frozenset()
    expected: Sequence[str] = ()
    notify: bool = True
    is_protected: bool = False
    observed: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @classmethod
    def from_task(cls, options: Mapping[str, Any]) -> Caps:
        """Return the caps that the options of a task set.

        With ``protected``, a section missing in ``prune`` has ``report``, and a missing ``notify`` is False.

        :raises InvalidInput: if an option does not fit.
        """
        is_protected = bool(options.get("protected"))
        notify = options.get("notify")
        reports = dict.fromkeys(SECTIONS, _STRENGTH[0]) if is_protected else {}
        return cls(
            _limits_of(options.get("limits") or {}),
            {**reports, **_prune_of(options.get("prune") or {})},
            frozenset(options.get("allow") or ()),
            [named_root(root, "expect_instance") for root in options.get("expect_instance") or ()],
            not is_protected if notify is None else bool(notify),
            is_protected,
            of_task(options.get("observed")),
        )

    def policy(self, written: Policy) -> Policy:
        """Return the policy of the files as far as the task allows it. If the files do not say, the task decides."""
        lowered = {name: most for name, number in written.limits.items() if number < (most := self._most(name))}
        limits = {**self.limits, **{name: written.limits[name] for name in lowered}}
        prune = {**self.prune, **{section: self._weaker(section, action) for section, action in written.prune.items()}}
        return replace(
            written,
            # Infinite numbers are the defaults anyway.
            limits={name: number for name, number in limits.items() if math.isfinite(number)},
            prune=prune,
            create_users=False if written.create_users is False else USERS in self.allow or None,
            notify=written.notify and self.notify,
            is_capped=self.is_protected or not _OF_EXISTING.isdisjoint(self.limits),
            lowered=lowered,
        )

    def raised(self, desired: DesiredInstance) -> list[Finding]:
        """Return a finding for each limit that the files try to raise."""
        return [
            Finding(
                desired.place_of(f"policy.limits.{name}"),
                f"policy.limits.{name}: {number:g} is more than {self._most(name):g}, "
                f"{f'limits.{name} of the task' if name in self.limits else 'the default'}; files only lower limits, "
                f"so set limits.{name} of the task",
            )
            for name, number in desired.policy.limits.items()
            if number > self._most(name)
        ]

    def _most(self, name: str) -> float:
        """Return the highest number that the files may set for a limit."""
        return self.limits.get(name, vars(Limits())[name])

    def wrong_instance(self, connected: str, instances: Sequence[str]) -> str:
        """Return why an instance is not the expected instance; empty if it is, or if nothing names one.

        :param connected: root of the connection. :param instances: roots that the files name.
        """
        if self.expected and connected not in self.expected:
            return f"expect_instance names {', '.join(self.expected)}, and the connection is to {connected}."
        instances = [named_root(root) for root in instances]
        if not instances or connected in instances or (self.expected and not set(self.expected) & set(instances)):
            return ""
        expected = f"These files are for {', '.join(instances)}, and the connection is to {connected}."
        if self.expected:
            return f"{expected} Of the roots in expect_instance, only those that the files also name count."
        return f"{expected} expect_instance overrides it."

    def _weaker(self, section: str, action: str) -> str:
        return min(action, self.prune.get(section, action), key=_STRENGTH.index)


def require_caps(written: Mapping[str, Any], without: Collection[str] = ()) -> None:
    """Check that a protected task sets every cap.

    :param written: the options of the task as written. :param without: caps that the task does not have.
    :raises InvalidInput: if a cap is missing, or no instance is named.
    """
    missing = [name for name in CAPS if name not in without and written.get(name) is None]
    if missing:
        raise InvalidInput(f"protected: {', '.join(missing)} must be given too, so that no file decides about it")
    if not written["expect_instance"]:
        raise InvalidInput("protected: expect_instance must name at least one instance")


def _limits_of(given: Mapping[str, Any]) -> dict[str, float]:
    known = vars(Limits())
    limits = {}
    for name, value in given.items():
        number = limit_of(value)
        if name not in known or number is None:
            raise InvalidInput(
                f"limits.{name}: {value!r} does not fit; expected a number from 0 for one of {', '.join(known)}"
            )
        limits[name] = number
    return limits


def _prune_of(given: Mapping[str, Any]) -> dict[str, str]:
    for section, action in given.items():
        if section not in SECTIONS:
            raise InvalidInput(f"prune.{section}: expected one of the sections {', '.join(SECTIONS)}")
        if action not in prune_actions(section):
            allowed = " or ".join(prune_actions(section))
            raise InvalidInput(f"prune.{section}: {action!r} does not fit; expected {allowed}")
    return dict(given)
