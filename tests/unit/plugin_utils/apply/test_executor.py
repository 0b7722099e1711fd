# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The outcome of a plan if others change the instance meanwhile, or if the run is killed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from instance_site import Site, yaml_list

from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import KINDS
from ansible_collections.community.seventhings.plugins.module_utils.runtime.creations import Creations
from ansible_collections.community.seventhings.plugins.plugin_utils.apply.executor import Executor
from ansible_collections.community.seventhings.plugins.plugin_utils.apply.journal import Journal
from ansible_collections.community.seventhings.plugins.plugin_utils.instance import run

_THING = {"barcode": "1", "inventory_name": "Lamp"}


def _meanwhile(monkeypatch: pytest.MonkeyPatch, act: Callable[[], Any]) -> None:
    """Let somebody act once between plan and apply."""

    def executor(*given: Any, **named: Any) -> Any:
        monkeypatch.setattr(run, "Executor", Executor)
        act()
        return Executor(*given, **named)

    monkeypatch.setattr(run, "Executor", executor)


def _create_elsewhere(site: Site) -> str:
    """Create the object as somebody else. Return its uuid."""
    return site.client().create(KINDS["object"], _THING)


class _Killed(BaseException):
    """Raised to simulate that the process is killed."""


@pytest.mark.parametrize(
    ("path", "text"),
    [("objects.yml", yaml_list([_THING])), ("users.yml", "- ada@acme.example\n")],
    ids=["object", "user"],
)
def test_what_a_killed_run_created_is_found_by_the_next_one(
    site: Site, path: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.write({"persons.yml": "- {email: ada@acme.example, last_name: Jensen}\n"})
    site.run()
    site.write({"instance.yml": "api: seventhings/v1\nset: test\n", path: text})

    def kill(*_given: Any) -> None:
        raise _Killed

    with monkeypatch.context() as patched:
        patched.setattr(Journal, "note_creation", kill)
        with pytest.raises(_Killed):
            site.run()
    site.service.clear_log()
    result = site.run()
    assert result.outcome in ("changed", "unchanged")
    assert [line for line in site.writes() if line.startswith("POST")] == []
    assert site.plan().outcome == "unchanged"


def test_what_others_created_during_a_long_pause_is_not_created_twice(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.write({"objects.yml": yaml_list([{**_THING, "description": "mine"}])})
    monkeypatch.setattr(Creations, "have_moved", lambda _self, kind: kind == "object")
    _meanwhile(monkeypatch, lambda: _create_elsewhere(site))
    result = site.run()
    assert result.outcome == "changed"
    assert (result.summary["objects"]["created"], result.summary["objects"]["updated"]) == (0, 1)
    assert [(change["action"], change["after"]) for change in result.changes] == [("update", {"description": "mine"})]
    (thing,) = site.dump()["objects"]
    assert "mine" in str(thing)


def test_only_who_created_a_record_says_so(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    site.write({"objects.yml": yaml_list([_THING])})
    monkeypatch.setattr(Creations, "have_moved", lambda _self, kind: kind == "object")
    _meanwhile(monkeypatch, lambda: _create_elsewhere(site))
    result = site.run()
    assert result.outcome == "unchanged"
    assert result.changes == []
    assert (result.summary["objects"]["created"], result.summary["objects"]["unchanged"]) == (0, 1)
    assert site.plan().outcome == "unchanged"


def test_what_others_created_with_other_values_is_not_overwritten(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    site.write({"objects.yml": yaml_list([{**_THING, "inventory_name": "mine"}])})
    monkeypatch.setattr(Creations, "have_moved", lambda _self, kind: kind == "object")
    _meanwhile(monkeypatch, lambda: _create_elsewhere(site))
    result = site.run()
    (failure,) = result.failures
    assert "was created meanwhile, with other values than those that were planned" in failure["reason"]
    (change,) = site.plan().changes
    assert change["before"] == {"inventory_name": _THING["inventory_name"]}


def test_an_object_that_may_be_hidden_is_a_finding_after_its_barcode_was_refused(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.service.steer("PUT", "/switches", {"archived_at": "none"})
    site.write({"objects.yml": yaml_list([_THING])})

    def hide() -> None:
        site.client().archive(KINDS["object"], _create_elsewhere(site))

    _meanwhile(monkeypatch, hide)
    result = site.run()
    assert result.outcome == "failed"
    (failure,) = result.failures
    assert "already in use" in failure["reason"]
    assert "The next plan looks it up in the archive" in failure["reason"]
    (finding,) = site.plan().findings
    assert "Either it is archived, or it is hidden from this account" in finding
