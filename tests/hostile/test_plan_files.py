# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A forged plan file can do no more than the task that applies it allows."""

from __future__ import annotations

import copy
import hashlib
import json
import os
import re
import shutil
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible.parsing.dataloader import DataLoader
from emulator_process import Emulator
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from instance_site import Site, yaml_list

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.argument_specs import INSTANCE
from ansible_collections.community.seventhings.plugins.module_utils.client.connection import connect
from ansible_collections.community.seventhings.plugins.module_utils.errors import InvalidInput
from ansible_collections.community.seventhings.plugins.plugin_utils.action import instance as provisioning
from ansible_collections.community.seventhings.plugins.plugin_utils.action.instance import provision
from ansible_collections.community.seventhings.plugins.plugin_utils.instance import plan_file as plan_files
from ansible_collections.community.seventhings.plugins.plugin_utils.instance.plan_file import PLAN_VERSION, PlanFile

UUID = "5ad6a0ae-6d05-4f3b-9a57-1c9f6f3a8b11"
SECRET = "the content of a file that nobody may read"


@pytest.fixture
def site(empty_emulator: Emulator, tmp_path: Path) -> Site:
    """Return an empty directory and an empty instance."""
    empty_emulator.reset()
    return Site(tmp_path / "files", empty_emulator)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return the path of the plan."""
    return tmp_path / "acme.plan"


def run(site: Site, check_mode: bool = False, **written: Any) -> dict[str, Any]:
    """Run the module as the action does."""
    given = {
        **site.service.options(),
        "rate_limit": 0,
        "journal": str(site.root.parent / "journal"),
        **{name: str(value) if isinstance(value, Path) else value for name, value in written.items()},
    }
    options = ArgumentSpecValidator(INSTANCE).validate(given).validated_parameters
    return provision(options, check_mode, DataLoader(), given)


def plan(site: Site, path: Path, **written: Any) -> dict[str, Any]:
    return run(site, True, src=site.root, plan_file=path, **written)


def objects(*barcodes: str, **more: Any) -> str:
    return yaml_list({"barcode": barcode, "inventory_name": "Thing", **more} for barcode in barcodes)


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def edit(path: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    """Change a plan like an attacker who can write the file."""
    document = json.loads(path.read_text("utf-8"))
    change(document)
    path.write_text(json.dumps(document), "utf-8")


@pytest.fixture
def planned(site: Site, path: Path) -> dict[str, Any]:
    """Return the plan of two objects."""
    site.write({"objects.yml": objects("1", "2")})
    result = plan(site, path)
    site.service.clear_log()
    return result


# ---- which plan it is


@pytest.mark.parametrize("ending", ["json", "md", "html"])
def test_the_digest_is_that_of_the_bytes_and_reported_everywhere(
    site: Site, path: Path, tmp_path: Path, ending: str
) -> None:
    site.write({"objects.yml": objects("1")})
    report = tmp_path / f"report.{ending}"
    planned = plan(site, path, report=report)
    assert planned["plan_digest"] == digest(path)
    assert f"Plan file: sha256:{digest(path)}" in planned["msg"].splitlines()
    assert planned["plan_digest"] in report.read_text("utf-8")
    report.unlink()
    done = run(site, plan_file=path, report=report)
    assert (done["outcome"], done["plan_digest"]) == ("changed", planned["plan_digest"])
    assert planned["plan_digest"] in report.read_text("utf-8")


def test_without_a_plan_file_there_is_no_digest(site: Site) -> None:
    site.write({"objects.yml": objects("1")})
    result = run(site, src=site.root)
    assert result["plan_digest"] == ""
    assert "Plan file" not in result["msg"]


@pytest.mark.parametrize("form", ["{}", "sha256:{}", " {} "])
def test_the_plan_that_was_approved_is_applied(site: Site, path: Path, planned: dict[str, Any], form: str) -> None:
    result = run(site, plan_file=path, plan_digest=form.format(planned["plan_digest"]).upper().replace("SHA", "sha"))
    assert result["outcome"] == "changed"
    assert not path.exists()


def test_any_other_plan_is_refused(site: Site, path: Path, planned: dict[str, Any]) -> None:
    path.write_bytes(path.read_bytes() + b"\n")
    result = run(site, plan_file=path, plan_digest=planned["plan_digest"])
    assert result["msg"].startswith("plan_digest: ")
    assert planned["plan_digest"] in result["msg"]
    assert digest(path) in result["msg"]
    assert site.sent() == []
    assert path.exists()


@pytest.mark.parametrize("demand", [{"plan_digest": "0" * 64}, {"require_plan": True}])
def test_no_new_plan_is_created_if_the_task_demands_a_stored_plan(
    site: Site, path: Path, demand: dict[str, Any]
) -> None:
    site.write({"objects.yml": objects("1")})
    result = run(site, src=site.root, plan_file=path, **demand)
    assert f"there is no {path}" in result["msg"]
    assert site.sent() == []
    assert "give plan_file too" in run(site, src=site.root, **demand)["msg"]
    assert site.sent() == []


def test_a_new_plan_in_place_of_a_missing_one_is_reported(site: Site, path: Path) -> None:
    site.write({"objects.yml": objects("1")})
    result = run(site, src=site.root, plan_file=path)
    assert result["outcome"] == "changed"
    assert result["warnings"][0] == f"plan_file: there is no {path}, so a new plan was created."


@pytest.mark.parametrize("written", [None, "", " ", "0" * 63, "0" * 65, "g" * 64, "md5:" + "0" * 64, "\uff10" * 64])
def test_an_invalid_digest_approves_nothing(
    site: Site, path: Path, planned: dict[str, Any], written: str | None
) -> None:
    assert planned["outcome"] == "changed"
    result = run(site, plan_file=path, plan_digest=written)
    assert "expected a SHA-256" in result["msg"]
    assert site.sent() == []


def test_what_is_approved_concerns_what_is_applied(site: Site, path: Path, planned: dict[str, Any]) -> None:
    """Check mode makes a new plan, whatever was approved before."""
    site.write({"objects.yml": objects("1")})
    result = plan(site, path, plan_digest=planned["plan_digest"], require_plan=True)
    assert result["outcome"] == "changed"
    assert result["plan_digest"] == digest(path) != planned["plan_digest"]


def test_the_bytes_that_are_judged_are_those_that_are_applied(
    site: Site, path: Path, planned: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody replaces the plan while it is being applied."""

    def connected(*given: Any, **more: Any) -> Any:
        edit(path, lambda document: document["changes"].pop())
        return connect(*given, **more)

    monkeypatch.setattr(provisioning, "connect", connected)
    result = run(site, plan_file=path, plan_digest=planned["plan_digest"])
    assert result["summary"]["objects"]["created"] == 2
    assert path.exists(), "it is another file, and nobody applied that"


def test_a_file_in_place_of_an_applied_plan_hides_nothing_that_was_done(
    site: Site, path: Path, planned: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def connected(*given: Any, **more: Any) -> Any:
        path.unlink()
        path.symlink_to(tmp_path / "other")
        return connect(*given, **more)

    monkeypatch.setattr(provisioning, "connect", connected)
    result = run(site, plan_file=path, plan_digest=planned["plan_digest"])
    assert result["outcome"] == "changed"
    assert any("is a link" in warning for warning in result["warnings"])
    assert path.is_symlink()


def test_a_plan_is_for_its_owner_alone(site: Site, path: Path) -> None:
    path.write_text("somebody's", "utf-8")
    path.chmod(0o666)
    site.write({"objects.yml": objects("1")})
    plan(site, path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


# ---- which instance, which version


@pytest.mark.parametrize("expect_instance", [None, "here", "both"])
def test_a_plan_for_another_instance_is_refused(
    site: Site, path: Path, planned: dict[str, Any], expect_instance: str | None
) -> None:
    edit(path, lambda document: document.update(instance="https://other.test"))
    here, other = site.service.base_url, "https://other.test"
    expected = {"here": [here], "both": [here, other]}.get(str(expect_instance))
    result = run(site, plan_file=path, expect_instance=expected)
    assert result["outcome"] == "refused"
    assert "this plan is for https://other.test" in result["refusals"][0]
    assert planned["changes"]
    assert site.sent() == []


def test_the_guard_of_the_task_applies_to_a_plan_too(site: Site, path: Path, planned: dict[str, Any]) -> None:
    result = run(site, plan_file=path, expect_instance=["https://other.test"])
    assert result["outcome"] == "refused"
    assert planned["changes"]
    assert site.sent() == []


@pytest.mark.parametrize("version", [0, 1, PLAN_VERSION + 1, float(PLAN_VERSION), str(PLAN_VERSION), True, None, [[]]])
def test_another_version_is_refused(site: Site, path: Path, planned: dict[str, Any], version: Any) -> None:
    edit(path, lambda document: document.update(version=version))
    result = run(site, plan_file=path)
    assert f"expected {PLAN_VERSION}. Plan again." in result["msg"]
    assert planned["changes"]
    assert site.sent() == []


# ---- the task's limits once more


def _with_objects(site: Site, number: int) -> list[str]:
    barcodes = [f"{number:03d}" for number in range(number)]
    site.write({"objects.yml": objects(*barcodes)})
    assert run(site, src=site.root)["outcome"] == "changed"
    site.service.clear_log()
    return barcodes


def test_the_limits_of_the_task_that_applies_hold(site: Site, path: Path) -> None:
    site.write({"objects.yml": objects("1", "2", "3")})
    plan(site, path, limits={"creates": 3})
    assert run(site, plan_file=path, limits={"creates": 2})["outcome"] == "refused"
    assert site.writes() == []
    assert run(site, plan_file=path, limits={"creates": 4})["outcome"] == "changed"


def test_the_limits_of_the_plan_hold_too(site: Site, path: Path) -> None:
    """They also apply if records are deleted between the plan and its application."""
    site.write({"instance.yml": "api: seventhings/v1\npolicy: {limits: {creates: 3}}\n", "objects.yml": objects("1")})
    plan(site, path)
    more = [{"barcode": str(number), "inventory_name": "x"} for number in range(2, 6)]

    def add(document: dict[str, Any]) -> None:
        for fields in more:
            document["changes"].append({**document["changes"][0], "key": fields["barcode"], "fields": fields})

    edit(path, add)
    assert run(site, plan_file=path)["outcome"] == "refused"
    assert run(site, plan_file=path, limits={"creates": 100})["outcome"] == "refused"
    assert site.writes() == []


def test_what_a_plan_says_about_limits_lifts_none_of_the_task(site: Site, path: Path) -> None:
    barcodes = _with_objects(site, 20)
    site.write({"objects.yml": yaml_list({"barcode": barcode, "_state": "absent"} for barcode in barcodes)})
    plan(site, path, limits={"delete_percent": 100})
    edit(path, lambda document: document.update(limits=dict.fromkeys(document["limits"], 10**9)))
    assert run(site, plan_file=path, limits={"delete_percent": 10})["outcome"] == "refused"
    edit(path, lambda document: document["limits"].update(from_existing=10**9, deletes=10**9))
    protected: dict[str, Any] = {
        "protected": True,
        "limits": {},
        "prune": {},
        "create_users": False,
        "allow_destructive": False,
        "expect_instance": [site.service.base_url],
    }
    assert run(site, plan_file=path, **protected)["outcome"] == "refused"
    assert site.writes() == []


@pytest.mark.parametrize(
    ("allowed", "is_refused"),
    [({"objects": "report"}, True), ({"objects": "archive"}, True), ({"objects": "delete"}, False), (None, False)],
)
def test_a_plan_prunes_what_the_task_that_applies_it_allows(
    site: Site, path: Path, allowed: dict[str, str] | None, is_refused: bool
) -> None:
    barcodes = _with_objects(site, 12)
    site.write({"objects.yml": objects(*barcodes[:-1])})
    planned = plan(site, path, prune={"objects": "delete"})
    assert planned["summary"]["objects"]["deleted"] == 1
    done = run(site, plan_file=path, prune=allowed)
    assert (done["outcome"] == "refused") is is_refused
    assert bool(site.writes()) is not is_refused
    if is_refused:
        assert done["refusals"][0].startswith("objects: the plan prunes 1 (delete), and prune.objects of this task")


def test_a_plan_creates_no_users_if_the_task_forbids_it(site: Site, path: Path) -> None:
    site.write(
        {
            "instance.yml": "api: seventhings/v1\npolicy: {create_users: true}\n",
            "persons.yml": "- {email: p@acme.example, first_name: A, last_name: B}\n",
            "users.yml": "- p@acme.example\n",
        }
    )
    assert plan(site, path)["summary"]["users"]["created"] == 1
    kept = path.read_bytes()
    result = run(site, plan_file=path, create_users=False)
    assert result["summary"]["users"]["skipped"] == 1
    path.write_bytes(kept)
    edit(path, lambda document: document.update(create_users=False))
    assert run(site, plan_file=path, create_users=True)["summary"]["users"]["skipped"] == 1
    path.write_bytes(kept)
    assert run(site, plan_file=path)["summary"]["users"]["created"] == 1


def test_percents_are_of_the_records_in_scope_as_they_were_when_it_was_planned(site: Site, path: Path) -> None:
    barcodes = _with_objects(site, 40)
    scope = "api: seventhings/v1\nset: test\nscope: {objects: {description: [mine]}}\n"
    run(
        site,
        desired={
            "objects": [
                {"barcode": barcode, "inventory_name": "Thing", "description": "mine"} for barcode in barcodes[:10]
            ]
        },
    )
    changed = {"inventory_name": "Other", "description": "mine"}
    site.write(
        {"instance.yml": scope, "objects.yml": yaml_list({"barcode": barcode, **changed} for barcode in barcodes[:5])}
    )
    assert plan(site, path)["outcome"] == "refused"
    plan(site, path, limits={"update_percent": 50})
    result = run(site, plan_file=path, limits={"update_percent": 30})
    assert "objects: update 5 of 10 records" in result["refusals"][0]
    assert run(site, plan_file=path, limits={"update_percent": 50})["outcome"] == "changed"


def test_records_come_into_the_scope_together_with_the_room_that_they_are_created_in(site: Site, path: Path) -> None:
    site.write(
        {
            "instance.yml": "api: seventhings/v1\nset: test\nscope: {objects: {target_room: [A/1]}}\n",
            "locations.yml": "- name: A\n",
            "rooms.yml": '- {building_id: A, number: "1", name: One}\n',
            "objects.yml": objects("1", "2", target_room="A/1"),
        }
    )
    plan(site, path)
    assert run(site, plan_file=path, only=["locations", "rooms"])["outcome"] == "changed"
    assert run(site, plan_file=path)["summary"]["objects"]["created"] == 2


# ---- files


def test_local_files_are_those_in_src_wherever_it_was_planned(site: Site, path: Path, tmp_path: Path) -> None:
    site.write({"objects.yml": objects("1", documents=["files/a.txt"]), "files/a.txt": "approved"})
    plan(site, path)
    assert str(site.root) not in path.read_text("utf-8"), "a plan names no directory"
    shutil.move(site.root, tmp_path / "moved")
    site.write({"files/a.txt": "another"})
    assert run(site, src=site.root, plan_file=path)["outcome"] == "refused"
    assert run(site, src=tmp_path / "moved", plan_file=path)["outcome"] == "changed"


def test_local_files_need_src(site: Site, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site.write({"objects.yml": objects("1", documents=["files/a.txt"]), "files/a.txt": "approved"})
    plan(site, path)
    site.service.clear_log()
    monkeypatch.chdir(site.root)
    result = run(site, plan_file=path)
    assert "has local files, such as 'files/a.txt'; give src too" in result["msg"]
    assert site.sent() == []
    # The same applies if the plan does not mention any files.
    edit(path, lambda document: document["changes"][0].update(files={}))
    result = run(site, plan_file=path)
    assert result["outcome"] == "failed"
    assert "no directory for them is known" in result["findings"][0]
    assert site.writes() == []


@pytest.mark.parametrize("is_listed", [True, False])
@pytest.mark.parametrize(
    "name", ["../secret", "{}", "files/../../secret", "link", "away/secret", "/dev/zero", "none/../.."]
)
def test_local_files_of_a_plan_never_lead_outside(
    site: Site, path: Path, tmp_path: Path, name: str, is_listed: bool
) -> None:
    secret = tmp_path / "secret"
    secret.write_text(SECRET, "utf-8")
    site.write({"objects.yml": objects("1", documents=["files/a.txt"]), "files/a.txt": "approved"})
    (site.root / "link").symlink_to(secret)
    (site.root / "away").symlink_to(tmp_path)
    plan(site, path)
    name = name.format(secret)

    def lead_out(document: dict[str, Any]) -> None:
        document["changes"][0]["fields"]["documents"] = [name]
        document["changes"][0]["files"] = {name: hashlib.sha256(SECRET.encode()).hexdigest()} if is_listed else {}

    edit(path, lead_out)
    result = run(site, src=site.root, plan_file=path)
    assert result["failed"]
    assert any(why in result["msg"] for why in ("leads outside of", "does not fit", "is a link"))
    assert SECRET not in json.dumps(result)
    assert site.writes() == []


# ---- what a plan file may be


@pytest.mark.parametrize("check_mode", [True, False])
@pytest.mark.parametrize("what", ["link", "dangling link", "pipe", "directory", "device"])
def test_only_a_regular_file_is_a_plan_file(
    site: Site, path: Path, planned: dict[str, Any], tmp_path: Path, what: str, check_mode: bool
) -> None:
    assert planned["changes"]
    target = tmp_path / "target"
    path.rename(target)
    before = target.read_bytes()
    if what == "link":
        path.symlink_to(target)
    elif what == "dangling link":
        path.symlink_to(tmp_path / "none")
    elif what == "pipe":
        os.mkfifo(path)
    elif what == "directory":
        path.mkdir()
    else:
        path = Path("/dev/zero")
    result = run(site, check_mode, src=site.root, plan_file=path)
    assert result["failed"]
    assert "expected a regular file" in result["msg"] or "is not a regular file" in result["msg"]
    assert site.sent() == []
    assert target.read_bytes() == before
    assert not (tmp_path / "none").exists()
    assert path.lstat()


@pytest.mark.parametrize("name", [".", "..", "/", "none/acme.plan"])
def test_a_plan_file_is_written_into_a_directory_that_is_there(site: Site, tmp_path: Path, name: str) -> None:
    site.write({"objects.yml": objects("1")})
    result = run(site, True, src=site.root, plan_file=f"{tmp_path}/{name}" if name != "/" else name)
    assert result["failed"]
    assert result["msg"].startswith("plan_file: ")
    assert site.sent() == []


def test_a_huge_file_is_not_read_to_its_end(
    site: Site, path: Path, planned: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert planned["changes"]
    monkeypatch.setattr(plan_files, "MAX_PLAN", 1000)
    with path.open("r+b") as file:
        file.truncate(10**12)
    result = run(site, plan_file=path)
    assert "has more than 1000 bytes" in result["msg"]
    assert site.sent() == []


def test_a_plan_that_nobody_would_read_is_not_written(site: Site, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan_files, "MAX_PLAN", 1000)
    site.write({"objects.yml": objects(*map(str, range(9)))})
    assert "expected at most 1000" in plan(site, path)["msg"]
    assert not path.exists()


def _set(*way: Any) -> Callable[[dict[str, Any]], None]:
    """Set the member at a path to a value, which is the last item."""
    *steps, name, value = way

    def change(document: dict[str, Any]) -> None:
        inner: Any = document
        for step in steps:
            inner = inner[step]
        inner[name] = value

    return change


_DEEP: dict[str, Any] = {}
for _level in range(500):
    _DEEP = {"a": _DEEP}


@pytest.mark.sample(15)
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda document: document.pop("instance"), "instance is missing"),
        (lambda document: document["changes"][0].pop("image"), "changes[0].image is missing"),
        (_set("instance", "here"), "instance: "),
        (_set("instance", ["https://here.test"]), "instance: "),
        (_set("set", None), "set: "),
        (_set("set", "\ud800"), "set: "),
        (_set("timezone", "../../etc/passwd"), "timezone: "),
        (_set("timezone", "Europe/Nowhere"), "timezone: "),
        (_set("identity", {"objects": "barcode"}), "identity: "),
        (_set("identity", {"machines": ["barcode"]}), "identity: "),
        (_set("scope", {"objects": []}), "scope: "),
        (_set("scope", {"objects": {"barcode": "1"}}), "scope: "),
        (_set("limits", {"creates": "many"}), "limits: "),
        (_set("limits", {"creates": 10**400}), "more than 300 digits"),
        (_set("limits", {"removals": 1}), "limits: "),
        (_set("limits", []), "limits: "),
        (_set("create_users", "true"), "create_users: "),
        (_set("notify", 1), "notify: "),
        (_set("changes", {}), "changes: "),
        (_set("changes", [1]), "changes: "),
        (_set("changes", 0, "section", "machines"), "changes[0].section: "),
        (_set("changes", 0, "section", ["objects"]), "changes[0].section: "),
        (_set("changes", 0, "kind", "machine"), "changes[0].kind: "),
        (_set("changes", 0, "kind", "user"), "changes[0].kind: "),
        (_set("changes", 0, "state", "gone"), "changes[0].state: "),
        (_set("changes", 0, "template", "asset"), "changes[0].template: "),
        (_set("changes", 0, "action", "drop"), "changes[0].action: "),
        (_set("changes", 0, "action", "update"), "changes[0].uuid: "),
        (_set("changes", 0, "uuid", 5), "changes[0].uuid: "),
        (_set("changes", 0, "pruned", True), "changes[0].pruned: "),
        (_set("changes", 0, "fields", []), "changes[0].fields: "),
        (_set("changes", 0, "fields", {"barcode": _DEEP}), "nested more than"),
        (_set("changes", 0, "fields", {"barcode": "\udfff"}), "changes[0].fields: "),
        (_set("changes", 0, "fields", {"barcode": {"!plain": 1}}), "expected a text"),
        (_set("changes", 0, "fields", {"barcode": {"!cell": [], "is": []}}), "expected a text"),
        (_set("changes", 0, "fields", {"barcode": {"!cell": "[]", "is": 5}}), "expected a list or a map"),
        (_set("changes", 0, "place", 1), "changes[0].place: "),
        (_set("changes", 0, "image", "0"), "changes[0].image: "),
        (_set("changes", 0, "files", {"/etc/passwd": "0" * 64}), "changes[0].files: "),
        (_set("changes", 0, "files", {"a": "0"}), "changes[0].files: "),
    ],
)
def test_a_document_that_is_no_plan_is_refused_in_words(
    site: Site, path: Path, planned: dict[str, Any], change: Callable[[dict[str, Any]], Any], message: str
) -> None:
    assert planned["changes"]
    edit(path, change)
    result = run(site, src=site.root, plan_file=path)
    assert "is not a plan of this collection" in result["msg"]
    assert message in result["msg"]
    assert len(result["msg"]) < 1000
    assert site.sent() == []


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff\xfe",
        b"null",
        b'"text"',
        b"[" * 100_000,
        b'{"version":' * 100_000,
        b'{"version": NaN}',
        b'{"version": 1e999}',
        b'{"version": ' + b"9" * 100_000 + b"}",
        b'{"version": 2, "set": NaN}',
        b'{"version": 2, "set": -Infinity}',
        b'{"version": 2, "set": ' + b"[" * 1000 + b"]" * 1000 + b"}",
    ],
)
def test_bytes_that_are_no_plan_are_refused_in_words(site: Site, path: Path, content: bytes) -> None:
    path.write_bytes(content)
    site.write({"objects.yml": objects("1")})
    result = run(site, src=site.root, plan_file=path)
    assert "Plan again." in result["msg"]
    assert len(result["msg"]) < 1000
    assert site.sent() == []


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b'{"set": "approved", "set": "another"}', "'set' is written twice"),
        (b'{"a": 1' + b', "b": 2' * 20_000 + b"}", "'b' is written twice"),
        (b'{"changes": [' + b"[]," * 5_000_000 + b"[]]}", "more than 4000000 maps and lists"),
        (b'{"version": ' + b"9" * 400 + b"}", "more than 300 digits"),
    ],
    ids=["twice", "often", "many", "digits"],
)
def test_what_costs_much_or_reads_in_two_ways_is_no_plan(path: Path, content: bytes, words: str) -> None:
    path.write_bytes(content)
    with pytest.raises(InvalidInput, match=words):
        PlanFile(path).read()


# ---- any document


_CHANGES: list[dict[str, Any]] = [
    {
        "section": section,
        "key": "k",
        "action": action,
        "uuid": UUID if action != "create" else None,
        "before": {},
        "after": {},
        "place": "a.yml:1:1",
        "kind": kind,
        "template": "asset" if section == "fields" else "",
        "state": state,
        "pruned": False,
        "protect": None,
        "fields": fields,
        "image": "" if action == "create" else "0" * 64,
        "files": {},
        "vaulted": None,
    }
    for section, kind, action, state, fields in [
        ("fields", "field_definition", "create", "present", {"label": "Shelf", "type": "TEXT"}),
        ("fields", "field_definition", "update", "present", {"field_key": "barcode", "label": "Code"}),
        ("locations", "location", "create", "present", {"name": "A"}),
        ("rooms", "room", "create", "present", {"building_id": "A", "number": "1"}),
        ("persons", "person", "update", "present", {"email": "p@acme.example"}),
        ("users", "user", "create", "present", {"email": "p@acme.example"}),
        ("users", "user", "update", "present", {}),
        ("objects", "object", "create", "present", {"barcode": "1", "inventory_name": "x", "documents": ["a"]}),
        ("objects", "object", "delete", "absent", {"barcode": "1"}),
        ("objects", "object", "archive", "archived", {"barcode": "1"}),
        ("tasks", "task", "create", "present", {"title": "T", "deadline": "2027-01-01", "assignees": []}),
        ("rental_cases", "rental_case", "delete", "absent", {"title": "T"}),
        ("hub", "hub_item", "create", "present", {"object": "1"}),
    ]
]

_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(["!plain", "!cell"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=5) | st.sampled_from(["!plain", "!cell", "is"]), inner, max_size=3)
    ),
    max_leaves=6,
)


def _document(root: str) -> dict[str, Any]:
    return {
        "version": PLAN_VERSION,
        "instance": root,
        "set": "s",
        "set_id": "",
        "timezone": "",
        "identity": {},
        "scope": {},
        "limits": {},
        "create_users": True,
        "notify": False,
        "vaulted": {},
        "moved": {},
        "protections": {},
        "changes": copy.deepcopy(_CHANGES),
    }


@st.composite
def _mutated(draw: st.DrawFn, root: str) -> dict[str, Any]:
    """Return a plan with some random members replaced."""
    document = _document(root)
    for _time in range(draw(st.integers(1, 3))):
        inner: Any = document
        name = draw(st.sampled_from(list(inner)))
        while draw(st.booleans()) and isinstance(inner[name], (dict, list)) and inner[name]:
            inner = inner[name]
            name = draw(st.sampled_from(list(inner) if isinstance(inner, dict) else range(len(inner))))
        inner[name] = draw(_JSON)
    return document


def test_the_document_that_is_changed_at_random_is_a_plan(path: Path) -> None:
    path.write_text(json.dumps(_document("https://here.test")), "utf-8")
    stored = PlanFile(path).read()
    assert stored is not None
    assert len(stored.desired.entries) == len(_CHANGES)


@given(_mutated("https://here.test"))
@hypothesis_settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_any_document_is_a_plan_or_refused_in_words(tmp_path: Path, document: dict[str, Any]) -> None:
    path = tmp_path / "any.plan"
    path.write_text(json.dumps(document), "utf-8")
    refused = ""
    try:
        stored = PlanFile(path).read()
    except InvalidInput as error:
        stored, refused = None, error.message
    assert stored is not None or refused.startswith("plan_file: ")


@given(st.binary(max_size=200))
@hypothesis_settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_any_bytes_are_refused_in_words(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "any.plan"
    path.write_bytes(content)
    with pytest.raises(InvalidInput, match="plan_file: "):
        PlanFile(path).read()


@pytest.mark.sample(5)
@pytest.mark.parametrize("number", range(len(_CHANGES)))
@given(data=st.data())
@hypothesis_settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=6, derandomize=True
)
def test_any_change_is_applied_or_refused_and_never_a_traceback(
    site: Site, path: Path, number: int, data: st.DataObject
) -> None:
    document = _document(site.service.base_url)
    change = document["changes"][number]
    fields = change["fields"]
    fields[data.draw(st.sampled_from([*fields, "barcode", "email", "name", "relations", "items"]))] = data.draw(_JSON)
    document["changes"] = [change]
    path.write_text(json.dumps(document), "utf-8")
    result = run(site, src=site.root.parent, plan_file=path)
    assert result["outcome"] in ("failed", "refused", "unchanged", "changed", "partly_applied")
    assert not any(re.match(r"\w+Error: ", failure["reason"]) for failure in result.get("failures", []))


def test_a_name_of_a_file_that_is_no_text_and_an_answer_that_is_none_leave_a_plan_that_can_be_reported(
    site: Site, path: Path
) -> None:
    site.write({"objects/\udcff.yml": objects("1")})
    assert plan(site, path)["outcome"] == "changed"
    json.loads(path.read_bytes())


@pytest.mark.parametrize("check_mode", [True, False])
def test_a_report_never_replaces_the_plan(site: Site, tmp_path: Path, check_mode: bool) -> None:
    site.write({"objects.yml": objects("1")})
    path = tmp_path / "plan.json"
    assert plan(site, path)["outcome"] == "changed"
    before = path.read_bytes()
    result = run(site, check_mode, src=site.root, plan_file=path, report=tmp_path / "files" / ".." / "plan.json")
    assert result["msg"].startswith("report: ")
    assert "is the plan_file too" in result["msg"]
    assert path.read_bytes() == before
