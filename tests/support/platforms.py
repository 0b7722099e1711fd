# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The supported versions. README, metadata, workflows, gates and documentation are generated from this table.

A new ansible-core is one line here and ``make generate``. ``tests/unit/test_platforms.py`` tests what is not generated.
"""

from __future__ import annotations

CORES: dict[str, tuple[int, ...]] = {
    "2.16": (11, 12),
    "2.17": (11, 12),
    "2.18": (11, 12, 13),
    "2.19": (11, 12, 13),
    "2.20": (12, 13, 14),
    "2.21": (12, 13, 14),
    "2.22": (13, 14),
}
"""Each supported ansible-core, the oldest first, with the minor versions of Python 3 on which it is tested."""

PRERELEASES = {"2.22": "2.22.0rc1"}
"""The pre-release that represents an ansible-core without a release."""

EVERYDAY = "2.19"
"""The ansible-core of ``.venv``: the newest version for the oldest supported Python."""

CERTIFIED = ("2.16", "2.18", "2.20")
"""The versions on which the partner certification runs sanity tests."""

AUTOMATION_PLATFORM = "2.16"
"""The ansible-core versions of Automation Platform's execution environments."""

LOWEST = {"requests": "2.32.4", "urllib3": "2.6.3", "jsonschema": "4.21"}
"""The lowest version of each Python package, as ``requirements.txt`` says."""

OLDEST_CORE = next(iter(CORES))
NEWEST_RELEASE = [core for core in CORES if core not in PRERELEASES][-1]
OLDEST_PYTHON = min(min(minors) for minors in CORES.values())


def series(core: str) -> str:
    """Return the series of a version: 2.22 for 2.22.0rc1."""
    return ".".join(core.split(".")[:2])


def specifier(core: str) -> str:
    """Return the requirement for pip: the newest release of a series, its pre-release, or exactly the given version."""
    if core != series(core):
        return f"ansible-core == {core}"
    return f"ansible-core ~= {PRERELEASES[core]}" if core in PRERELEASES else f"ansible-core ~= {core}.0"


def as_words(last: str) -> str:
    """Return the supported versions in words: "2.16, 2.17 and 2.18"."""
    *others, newest = CORES
    return f"{', '.join(others)} {last} {newest}"
