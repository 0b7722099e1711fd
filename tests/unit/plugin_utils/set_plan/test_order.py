# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Options that do not fit, invalid plan files, and a locked journal."""

from __future__ import annotations

import os
from typing import Any

import pytest
from instance_site import Site, yaml_list

from ansible_collections.community.seventhings.plugins.module_utils.errors import InvalidInput, SeventhingsError
from ansible_collections.community.seventhings.plugins.module_utils.reconcile.apply import Applier
from ansible_collections.community.seventhings.plugins.plugin_utils.apply.journal import Journal
from ansible_collections.community.seventhings.plugins.plugin_utils.instance.options import RunOptions
from ansible_collections.community.seventhings.plugins.plugin_utils.instance.run import run_instance

THING = {"barcode": "001", "inventory_name": "Thing"}


@pytest.fixture
def to_create(site: Site) -> Site:
    """Return an object to create."""
    site.write({"objects.yml": yaml_list([THING])})
    return site


@pytest.mark.parametrize(
    ("order", "message"),
    [
        ({"prune": {"object": "delete"}}, "prune.object: expected one of the sections fields, locations"),
        ({"prune": {"rooms": "archive"}}, "prune.rooms: 'archive' does not fit; expected"),
        ({"limits": {"removals": 1}}, "limits.removals: 1 does not fit; expected a number from 0 for one of"),
        ({"limits": {"delete_percent": "few"}}, "limits.delete_percent: 'few' does not fit"),
    ],
)
def test_an_option_that_does_not_fit_is_an_error_before_anything_is_sent(
    to_create: Site, order: dict[str, Any], message: str
) -> None:
    with pytest.raises(InvalidInput) as caught:
        to_create.run(**order)
    assert message in caught.value.message
    assert to_create.sent() == []


# ---- what stops a run


def test_a_journal_locked_by_another_run_is_a_refusal(to_create: Site) -> None:
    directory = to_create.root / ".seventhings"
    to_create.options["tuning"] = {"lock_wait": 60}
    waited: list[float] = []
    order = RunOptions(journal=directory)
    with Journal(directory, "https://acme.test", "other"):
        refused = run_instance(
            to_create.client(),
            to_create.load(),
            order,
            clock=lambda: 25.0 * len(waited),
            sleep=lambda _seconds: waited.append(1.0),
        )
    assert len(waited) == 3
    assert refused.outcome == "refused"
    assert "another run uses" in refused.refusals[0]
    assert to_create.writes() == []


def test_without_an_instance_at_least_what_is_wrong_with_the_files_is_reported(to_create: Site) -> None:
    to_create.write({"objects.yml": "- {barcode: '1', barcode: '2'}\n"})
    to_create.service.steer("PUT", "/faults", [{"fault": "500", "probability": 1}])
    result = to_create.plan()
    assert result.outcome == "failed"
    assert "barcode" in result.findings[0]


def test_without_an_instance_nothing_can_be_planned(to_create: Site) -> None:
    to_create.service.steer("PUT", "/faults", [{"fault": "500", "probability": 1}])
    with pytest.raises(SeventhingsError):
        to_create.plan()


def test_a_run_without_its_parent_sends_nothing_more(to_create: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """The worker of a killed play must not write at the same time as the next run."""
    parents = iter([os.getppid()])
    monkeypatch.setattr(os, "getppid", lambda: next(parents, 1))
    result = to_create.run()
    assert result.outcome == "failed"
    assert "the process that started this run has ended" in result.failures[0]["reason"]
    assert to_create.writes() == []


def test_an_unexpected_error_is_in_the_result_and_other_records_are_written(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.write({"objects.yml": yaml_list([THING, {**THING, "barcode": "002"}])})
    write = Applier.write

    def failing(self: Applier, change: Any, *rest: Any, **named: Any) -> str | None:
        if change.values["barcode"] == "001":
            raise ZeroDivisionError("unforeseen")
        return write(self, change, *rest, **named)

    monkeypatch.setattr(Applier, "write", failing)
    result = site.run()
    assert result.outcome == "partly_applied"
    assert [failure["reason"] for failure in result.failures] == ["ZeroDivisionError: unforeseen"]
    assert result.summary["objects"]["created"] == 1
