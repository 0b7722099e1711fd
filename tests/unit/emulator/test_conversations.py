# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The embedded service holds the conversations in ``conversations``."""

from __future__ import annotations

from typing import Any

import pytest

from .conversation import Conversation, cases, rows
from .support import Api, Emulator, Steering


@pytest.mark.sample(1000)
@pytest.mark.parametrize("name", cases())
def test_conversation(emulator: Emulator, shared_steering: Steering, name: str) -> None:
    case = cases()[name]
    for switches, variables in rows(case):
        shared_steering.clear()
        api = Api(emulator.about, shared_steering, judge=case.get("judged", True))
        api.sign_in()
        conversation = Conversation(api, shared_steering, variables)
        if switches:
            shared_steering.switch(**switches)
        hold(conversation, [*case.get("begins", []), *case["steps"]], f"{switches} {variables}")


def hold(conversation: Conversation, steps: list[dict[str, Any]], place: str) -> None:
    """Hold a conversation. An error names the step."""
    for number, step in enumerate(steps, 1):
        try:
            conversation.take(step)
        except Exception as error:
            raise AssertionError(f"{place}, step {number}: {step}\n{error}"[:5000]) from error
    conversation.end()
