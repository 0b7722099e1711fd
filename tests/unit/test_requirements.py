# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The lowest versions of the requirements are the same wherever they are named."""

from __future__ import annotations

import lowest
import pytest
from project import ROOT

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.python_floor import FLOOR

REQUIREMENTS = lowest.lowest((ROOT / "requirements.txt").read_text("utf-8"))
NAMED = (
    "plugins/doc_fragments/connection.py",
    "plugins/doc_fragments/connection_plugin.py",
    "docs/docsite/rst/guide_getting_started.rst",
)


def _number(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def test_no_version_with_a_known_hole_is_allowed() -> None:
    assert set(REQUIREMENTS) == {"requests", "urllib3", "jsonschema"}
    assert _number(REQUIREMENTS["requests"]) >= (2, 32, 4)
    assert _number(REQUIREMENTS["urllib3"]) >= (2, 6, 3)


@pytest.mark.parametrize("name", NAMED)
@pytest.mark.parametrize("package", ["requests", "urllib3"])
def test_the_documentation_names_the_same(name: str, package: str) -> None:
    text = (ROOT / name).read_text("utf-8")
    assert package in text
    assert REQUIREMENTS[package] in text


def test_every_module_and_plugin_names_the_oldest_python() -> None:
    needed = f"python >= {'.'.join(map(str, FLOOR))}"
    for fragment in ("connection", "connection_plugin"):
        assert f"  - {needed}\n" in (ROOT / "plugins" / "doc_fragments" / f"{fragment}.py").read_text("utf-8")
    plugins = [
        path for folder in ("modules", "inventory", "lookup") for path in (ROOT / "plugins" / folder).glob("*.py")
    ]
    source = ROOT / "extensions" / "eda" / "plugins" / "event_source" / "changes.py"
    assert needed in source.read_text("utf-8")
    texts = {path.name: path.read_text("utf-8") for path in plugins}
    assert {
        name for name, text in texts.items() if "community.seventhings.connection" not in text and needed not in text
    } == set()
