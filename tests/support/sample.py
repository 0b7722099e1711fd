# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The cases of a test that run outside of the long run, if all cases together take too long."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

Case = TypeVar("Case")


def sample_of(test: str, cases: Sequence[Case], count: int) -> list[Case]:
    """Return up to ``count`` cases of a test, in their order. The same name and cases give the same sample."""
    numbers = random.Random(test).sample(range(len(cases)), min(count, len(cases)))
    return [cases[number] for number in sorted(numbers)]
