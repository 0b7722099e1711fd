# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Check that a guide that people copy and run each night does not change what scans wrote."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from copied_examples import EVIDENCE
from emulator_process import Emulator


def _evidence(service: Emulator) -> dict[str, list[Any]]:
    """Return what scans wrote, by the uuids of the objects."""
    objects = service.steer("GET", "/dump")["objects"]
    return {record["uuid"]: [record["fields"].get(key) for key in EVIDENCE] for record in objects}


@pytest.fixture(autouse=True)
def _kept_evidence(emulator: Emulator) -> Iterator[None]:
    emulator.reset()
    before = _evidence(emulator)
    yield
    assert {uuid: values for uuid, values in _evidence(emulator).items() if before.get(uuid, values) != values} == {}
