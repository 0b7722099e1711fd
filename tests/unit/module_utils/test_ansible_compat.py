# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Secrets are registered if ansible-core masks them, and reports agree with its output."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import pytest

from ansible_collections.community.seventhings.plugins.module_utils import ansible_compat as compat
from ansible_collections.community.seventhings.plugins.module_utils.client.tokens import Tokens
from ansible_collections.community.seventhings.plugins.module_utils.client.transport import Transport
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import OBJECT
from ansible_collections.community.seventhings.plugins.module_utils.runtime.token_store import Credentials
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.entry import Entry
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.hiding import Hiding
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.positions import Place
from ansible_collections.community.seventhings.plugins.plugin_utils.report.result import RunResult
from ansible_collections.community.seventhings.plugins.plugin_utils.report.text_report import write_report


class Masker:
    """The secrets API of ansible-core 2.22."""

    def __init__(self) -> None:
        self.known: set[str] = set()

    def register_secrets(self, values: Iterable[str]) -> None:
        self.known.update(values)

    def mask_secrets(self, text: str) -> str:
        for secret in self.known:
            text = text.replace(secret, "$REDACTED$")
        return text


@pytest.fixture
def masker(monkeypatch: pytest.MonkeyPatch) -> Masker:
    masker = Masker()
    monkeypatch.setattr(compat, "_secrets", masker)
    return masker


def test_tokens_that_sign_in_are_registered(masker: Masker) -> None:
    transport = Transport("https://acme.example")
    Tokens(transport, Credentials(access_token="access-4711", refresh_token="refresh-4711", password="demo"))
    # A short password may be a word that occurs in a record.
    assert masker.known == {"access-4711", "refresh-4711"}


def test_hidden_values_are_registered(masker: Masker) -> None:
    entry = Entry(OBJECT, {"barcode": "100001", "pin": "4711-x"}, Place("objects.yml", 1, 1))
    Hiding(names={"pin"}).texts([entry])
    assert "4711-x" in masker.known
    assert "100001" not in masker.known


def test_nothing_short_is_registered_because_words_would_be_masked(masker: Masker) -> None:
    compat.register_secrets(["abc", "abcd"])
    assert masker.known == {"abcd"}


@pytest.mark.parametrize("ending", ["json", "md", "html"])
def test_the_report_has_the_same_lines_as_the_screen(masker: Masker, tmp_path: Path, ending: str) -> None:
    masker.register_secrets(["hunter-2-x", "create", "4711"])
    change = {
        "section": "objects",
        "key": "hunter-2-x",
        "action": "create",
        "note": "",
        "uuid": None,
        "before": {},
        "after": {"inventory_name": "of hunter-2-x", "price": 4711},
        "place": "objects.yml:1:1",
        "labels": {},
        "status": "not_tried",
        "reason": "",
    }
    counts = {"created": 1, "updated": 0, "deleted": 0, "archived": 0, "unchanged": 0, "errors": 0, "skipped": 0}
    result = RunResult(
        outcome="changed",
        instance="https://acme.example",
        check_mode=True,
        summary={"objects": counts},
        changes=[change],
        failures=[],
        refusals=[],
        findings=[],
        warnings=["hunter-2-x is odd"],
        reported={},
        requests=1,
        duration=0.1,
    )
    report = tmp_path / f"report.{ending}"
    write_report(result, report)
    text = report.read_text("utf-8")
    assert "hunter-2-x" not in text
    assert "REDACTED" in text
    if ending == "json":
        read = json.loads(text)
        assert (read["outcome"], read["summary"]["objects"]["created"]) == ("changed", 1)
        assert (read["changes"][0]["action"], read["changes"][0]["after"]["price"]) == ("create", 4711)
    # The result of the task is data. Ansible masks it on output.
    assert result.changes[0]["key"] == "hunter-2-x"


def test_without_the_api_nothing_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compat, "_secrets", None)
    compat.register_secrets(["hunter-2"])
    assert compat.masked_values(["hunter-2"]) == ["hunter-2"]
