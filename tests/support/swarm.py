# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Swarm testing: random tests, each without some of the faults, switches and operations.

A test that mixes everything seldom does the same thing twice in a row, and one feature may hide another. A swarm draws
a subset, so its examples combine the remaining features more often.
"""

from __future__ import annotations

import os
import random
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from project import LONG

VARIABLE = "SEVENTHINGS_TEST_SEED"


def first_seed(usual: int) -> int:
    """Return the seed in the variable, else a random seed in the long run, else the default seed."""
    return int(os.environ.get(VARIABLE) or (random.randrange(2**32) if LONG else usual))


def selected_seeds(variable: str, usual: Sequence[int]) -> Sequence[int]:
    """Return the seeds that a variable selects, such as ``7 100-119``, else the default seeds.

    :raises ValueError: if a part of the text is neither a seed nor a range of seeds.
    """
    text = os.environ.get(variable, "")
    return [seed for part in text.split() for seed in _range(variable, part)] or usual


def _range(variable: str, part: str) -> range:
    found = re.fullmatch(r"(\d{1,9})(?:-(\d{1,9}))?", part, re.ASCII)
    seeds = range(int(found[1]), int(found[2] or found[1]) + 1) if found else range(0)
    if not seeds:
        raise ValueError(f"{variable}: {part!r} is neither a seed nor a range of seeds. Write seeds such as 7 100-119.")
    return seeds


@dataclass(frozen=True)
class Swarm:
    """Subsets of faults, switches and operations. The same seed draws the same subsets of the same features."""

    seed: int
    faults: tuple[str, ...]
    switches: tuple[str, ...]
    operations: tuple[str, ...]

    @classmethod
    def drawn(cls, seed: int, faults: Iterable[str], switches: Iterable[str], operations: Iterable[str]) -> Swarm:
        """Draw each feature with an even chance."""
        chance = random.Random(seed)
        drawn = [
            tuple(feature for feature in sorted(group) if chance.random() < 0.5)
            for group in (faults, switches, operations)
        ]
        return cls(seed, *drawn)

    def __str__(self) -> str:
        """Return the line that reproduces a run, and the drawn subset."""
        groups = {"faults": self.faults, "switches": self.switches, "operations": self.operations}
        lines = [f"{name}: {', '.join(group) or 'none'}" for name, group in groups.items()]
        return "\n".join([f"{VARIABLE}={self.seed}{' SEVENTHINGS_TEST_LONG=1' if LONG else ''}", *lines])
