# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The report of a fleet, which templates of a role write, is as clean and private as the reports of the plugins."""

from __future__ import annotations

import re
from typing import Any

import yaml
from project import ROOT

from ansible_collections.community.seventhings.plugins.module_utils.printing.cleaner import clean


def _role(path: str) -> Any:
    return yaml.safe_load((ROOT / "roles" / "fleet" / path).read_text("utf-8"))


def test_the_role_replaces_every_character_that_the_cleaner_escapes() -> None:
    controls = re.compile(_role("vars/main.yml")["fleet_controls"])
    characters = map(chr, range(0x110000))
    assert [hex(ord(one)) for one in characters if (clean(one) != one) != bool(controls.fullmatch(one))] == []


def test_the_role_writes_for_its_user_alone() -> None:
    written = [task for task in _role("tasks/result.yml") if "ansible.builtin.template" in task]
    assert [task["ansible.builtin.template"]["mode"] for task in written] == ["0600"]
