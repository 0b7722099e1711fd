# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A record that another process creates after a failed lookup, and before the message about it, is used.

Otherwise the message would suggest exactly the written name.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from one_machine import Machine

from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import KINDS


@pytest.fixture
def here(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def created_after_the_first_list(here: Machine, monkeypatch: pytest.MonkeyPatch, kind: str, body: Any) -> None:
    """Let another process create a record as soon as its kind was listed once."""
    answer, other = here.service.answer, here.service.client()
    left = [body]

    def answered(call: Any, timeout: float) -> Any:
        found = answer(call, timeout)
        if left and call.path.endswith(KINDS[kind].list_path):
            other.create(KINDS[kind], left.pop())
        return found

    monkeypatch.setattr(here.service, "answer", answered)


@pytest.mark.parametrize("check_mode", [True, False])
@pytest.mark.parametrize(
    ("module", "options"),
    [
        ("room", {"fields": {"building_id": "L0", "number": "7"}}),
        ("room_info", {"filters": {"building_id": "L0"}}),
    ],
    ids=["reference", "filter"],
)
def test_a_reference_means_the_record_that_the_hint_finds(
    here: Machine, monkeypatch: pytest.MonkeyPatch, module: str, options: dict[str, Any], check_mode: bool
) -> None:
    created_after_the_first_list(here, monkeypatch, "location", {"name": "L0"})
    done = here.call(module, check_mode, **options)
    assert not done.failed, done.data
    assert not any("nearest" in line for line in done.data.get("warnings", ()))


def test_a_reference_without_a_target_takes_two_lists(here: Machine) -> None:
    done = here.call("room", fields={"building_id": "L0", "number": "7"})
    assert done.failed
    assert here.lists("/locations") == 2
