# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The module ``instance`` undoes an apply."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from embedded_here import ACCOUNT, ROOT_URL, Embedded, SiteHere
from instance_site import yaml_list
from set_actions import run_set

from ansible_collections.community.seventhings.plugins.plugin_utils.action import set_run
from ansible_collections.community.seventhings.plugins.plugin_utils.undo.inverse import STILL_WANTED

SETTINGS = 'api: seventhings/v1\nset: test\nset_id: "5d1c8e07f3a9b264"\n'


def task(here: SiteHere, check_mode: bool = False, module: str = "instance", **written: Any) -> dict[str, Any]:
    """Run a task of the module."""
    texts = {name: str(value) if isinstance(value, Path) else value for name, value in written.items()}
    given = {"base_url": ROOT_URL, **ACCOUNT, "rate_limit": 0, **texts}
    with mock.patch.object(set_run, "connect", lambda _options, *, read_only, **_others: here.client(read_only)):
        return run_set(given, check_mode, module=module)


@pytest.fixture
def applied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[SiteHere, dict[str, Any]]:
    """Return a site after two applies, and the result of the second, which changed a location."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "files").mkdir()
    here = Embedded.started(data="empty").site(tmp_path / "files")
    here.write({"instance.yml": SETTINGS, "locations.yml": yaml_list([{"name": "North", "city": "Kiel"}])})
    assert task(here, src=here.root)["changed"]
    here.write({"locations.yml": yaml_list([{"name": "North", "city": "wrong"}])})
    return here, task(here, src=here.root)


def city(here: SiteHere) -> Any:
    return here.dump()["locations"][0]["fields"]["city"]


def test_the_last_apply_is_undone_without_src(applied: tuple[SiteHere, dict[str, Any]]) -> None:
    here, result = applied
    path = Path(result["apply_record"])
    assert result["apply_record_digest"] == hashlib.sha256(path.read_bytes()).hexdigest()
    assert path.parent.parent.parent.name == "applied"
    planned = task(here, check_mode=True, module="instance_undo", applied="last")
    assert planned["changed"]
    assert city(here) == "wrong"
    done = task(here, module="instance_undo", applied="last")
    assert (done["outcome"], city(here)) == ("changed", "Kiel")
    assert STILL_WANTED in done["warnings"]
    assert not task(here, module="instance_undo", applied=path)["changed"]


@pytest.mark.parametrize(
    ("order", "words"),
    [
        ({"applied": "/nowhere/record"}, "applied: there is no /nowhere/record"),
        ({"applied": "last", "record_digest": "0" * 64}, "than the approved one"),
        ({"applied": "last", "record_digest": "no"}, "record_digest: 'no' does not fit"),
        ({"applied": "last", "expect_instance": ["https://other.example"]}, "expect_instance names"),
        ({"applied": "last", "protected": True}, "protected: "),
    ],
)
def test_an_undo_is_refused(applied: tuple[SiteHere, dict[str, Any]], order: dict[str, Any], words: str) -> None:
    here, _result = applied
    refused = task(here, module="instance_undo", **order)
    assert refused["failed"]
    assert words in refused["msg"]
    assert city(here) == "wrong"


def test_the_record_of_an_undo_is_another_file(applied: tuple[SiteHere, dict[str, Any]]) -> None:
    here, result = applied
    path = result["apply_record"]
    refused = task(here, module="instance_undo", applied=path, apply_record=path)
    assert "give the record of the undo a file of its own" in refused["msg"]


def test_files_of_another_set_are_refused(applied: tuple[SiteHere, dict[str, Any]]) -> None:
    here, result = applied
    here.write({"instance.yml": SETTINGS.replace("test", "other")})
    refused = task(here, module="instance_undo", applied=result["apply_record"], src=here.root)
    assert refused["outcome"] == "refused"
    assert "and src to another set" in refused["msg"]


def test_a_protected_task_undoes_no_file_that_nobody_approved(applied: tuple[SiteHere, dict[str, Any]]) -> None:
    here, result = applied
    caps = {"limits": {}, "allow": [], "expect_instance": [ROOT_URL]}
    order = {**caps, "protected": True, "module": "instance_undo", "applied": result["apply_record"]}
    refused = task(here, **order)
    assert refused["failed"]
    assert refused["msg"].startswith("protected: record_digest must be given too")
    assert task(here, check_mode=True, **{**order, "applied": "last"})["changed"]
    assert task(here, **order, record_digest=result["apply_record_digest"])["changed"]
    assert city(here) == "Kiel"


def test_files_say_which_records_are_protected(applied: tuple[SiteHere, dict[str, Any]]) -> None:
    here, _result = applied
    here.write({"locations.yml": yaml_list([{"name": "North"}, {"name": "South"}])})
    assert task(here, src=here.root)["changed"]
    here.write({"instance.yml": f"{SETTINGS}lifecycle: {{locations: {{protect: [South]}}}}\n"})
    refused = task(here, module="instance_undo", applied="last", src=here.root)
    assert refused["outcome"] == "refused"
    assert "location South is protected" in refused["msg"]
    assert task(here, module="instance_undo", applied="last", check_mode=True)["changed"]
