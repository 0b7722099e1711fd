# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A forged plan file can do no more than the task that applies it allows."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from emulator_process import Emulator
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from instance_site import Site, yaml_list
from set_actions import run_set

from ansible_collections.community.seventhings.plugins.module_utils.client.connection import connect
from ansible_collections.community.seventhings.plugins.module_utils.errors import InvalidInput
from ansible_collections.community.seventhings.plugins.plugin_utils.action import set_run
from ansible_collections.community.seventhings.plugins.plugin_utils.instance import approval_file
from ansible_collections.community.seventhings.plugins.plugin_utils.instance.approval_file import ApprovalFile

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


def run(site: Site, check_mode: bool = False, module: str = "instance", **written: Any) -> dict[str, Any]:
    """Run the module as the action does."""
    given = {
        **site.service.options(),
        "rate_limit": 0,
        "journal": str(site.root.parent / "journal"),
        **{name: str(value) if isinstance(value, Path) else value for name, value in written.items()},
    }
    return run_set(given, check_mode, None, module=module)


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
    done = run(site, src=site.root, plan_file=path, report=report)
    assert (done["outcome"], done["plan_digest"]) == ("changed", planned["plan_digest"])
    assert planned["plan_digest"] in report.read_text("utf-8")


def test_without_a_plan_file_there_is_no_digest(site: Site) -> None:
    site.write({"objects.yml": objects("1")})
    result = run(site, src=site.root)
    assert result["plan_digest"] == ""
    assert "Plan file" not in result["msg"]


@pytest.mark.parametrize("form", ["{}", "sha256:{}", " {} "])
def test_the_plan_that_was_approved_is_applied(site: Site, path: Path, planned: dict[str, Any], form: str) -> None:
    result = run(
        site,
        src=site.root,
        plan_file=path,
        plan_digest=form.format(planned["plan_digest"]).upper().replace("SHA", "sha"),
    )
    assert result["outcome"] == "changed"


def test_any_other_plan_is_refused(site: Site, path: Path, planned: dict[str, Any]) -> None:
    path.write_bytes(path.read_bytes() + b"\n")
    result = run(site, src=site.root, plan_file=path, plan_digest=planned["plan_digest"])
    assert result["msg"].startswith("plan_digest: ")
    assert planned["plan_digest"] in result["msg"]
    assert digest(path) in result["msg"]
    assert site.sent() == []
    assert path.exists()


@pytest.mark.parametrize("written", [None, "", " ", "0" * 63, "0" * 65, "g" * 64, "md5:" + "0" * 64, "\uff10" * 64])
def test_an_invalid_digest_approves_nothing(
    site: Site, path: Path, planned: dict[str, Any], written: str | None
) -> None:
    assert planned["outcome"] == "changed"
    result = run(site, src=site.root, plan_file=path, plan_digest=written)
    assert "expected a SHA-256" in result["msg"]
    assert site.sent() == []


def test_what_is_approved_concerns_what_is_applied(site: Site, path: Path, planned: dict[str, Any]) -> None:
    """Check mode makes a new plan, whatever was approved before."""
    site.write({"objects.yml": objects("1")})
    result = plan(site, path, plan_digest=planned["plan_digest"])
    assert result["outcome"] == "changed"
    assert result["plan_digest"] == digest(path) != planned["plan_digest"]


def test_the_bytes_that_are_judged_are_those_that_are_applied(
    site: Site, path: Path, planned: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody replaces the plan while it is being applied."""

    def connected(*given: Any, **more: Any) -> Any:
        edit(path, lambda document: document["changes"].pop())
        return connect(*given, **more)

    monkeypatch.setattr(set_run, "connect", connected)
    result = run(site, src=site.root, plan_file=path, plan_digest=planned["plan_digest"])
    assert result["summary"]["objects"]["created"] == 2
    assert path.exists(), "it is another file, and nobody applied that"


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
    result = run(site, src=site.root, plan_file=path, expect_instance=expected)
    assert result["outcome"] == "refused"
    assert "this plan is for https://other.test" in result["refusals"][0]
    assert planned["changes"]
    assert site.sent() == []


def test_the_guard_of_the_task_applies_to_a_plan_too(site: Site, path: Path, planned: dict[str, Any]) -> None:
    result = run(site, src=site.root, plan_file=path, expect_instance=["https://other.test"])
    assert result["outcome"] == "refused"
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
    assert run(site, src=site.root, plan_file=path, limits={"creates": 2})["outcome"] == "refused"
    assert site.writes() == []
    assert run(site, src=site.root, plan_file=path, limits={"creates": 4})["outcome"] == "changed"


@pytest.mark.parametrize(
    ("allowed", "is_refused"),
    [({"objects": "report"}, True), ({"objects": "archive"}, True), ({"objects": "delete"}, False), (None, True)],
)
def test_a_plan_prunes_what_the_task_that_applies_it_allows(
    site: Site, path: Path, allowed: dict[str, str] | None, is_refused: bool
) -> None:
    barcodes = _with_objects(site, 12)
    site.write({"objects.yml": objects(*barcodes[:-1])})
    planned = plan(site, path, prune={"objects": "delete"})
    assert planned["summary"]["objects"]["deleted"] == 1
    done = run(site, src=site.root, plan_file=path, prune=allowed)
    assert (done["outcome"] == "refused") is is_refused
    assert bool(site.writes()) is not is_refused
    if is_refused:
        assert done["refusals"][0].startswith("object 011 was approved to be ")


def test_a_plan_creates_no_users_if_the_task_forbids_it(site: Site, path: Path) -> None:
    site.write(
        {
            "instance.yml": "api: seventhings/v1\n",
            "persons.yml": "- {email: p@acme.example, first_name: A, last_name: B}\n",
            "users.yml": "- p@acme.example\n",
        }
    )
    assert plan(site, path, allow=["users"])["summary"]["users"]["created"] == 1
    kept = path.read_bytes()
    result = run(site, src=site.root, plan_file=path)
    assert result["summary"]["users"]["skipped"] == 1
    path.write_bytes(kept)
    assert run(site, src=site.root, plan_file=path, allow=["users"])["summary"]["users"]["created"] == 1


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
    assert run(site, src=site.root, plan_file=path, only=["locations", "rooms"])["outcome"] == "changed"
    assert run(site, src=site.root, plan_file=path)["summary"]["objects"]["created"] == 2


# ---- files


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
    monkeypatch.setattr(approval_file, "MOST_BYTES", 1000)
    with path.open("r+b") as file:
        file.truncate(10**12)
    result = run(site, src=site.root, plan_file=path)
    assert "has more than 1000 bytes" in result["msg"]
    assert site.sent() == []


def test_a_plan_that_nobody_would_read_is_not_written(site: Site, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(approval_file, "MOST_BYTES", 1000)
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


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda document: document.pop("instance"), "instance is missing"),
        (lambda document: document["changes"][0].pop("digest"), "changes[0].digest is missing"),
        (_set("more", 1), "'more' is unknown"),
        (_set("changes", 0, "after", {}), "changes[0].'after' is unknown"),
        (_set("instance", "here"), "instance: "),
        (_set("set", None), "set: "),
        (_set("files", "0"), "files: "),
        (_set("notify", 1), "notify: "),
        (_set("changes", {}), "changes: "),
        (_set("changes", [1]), "changes[0]: "),
        (_set("changes", 0, "section", "machines"), "changes[0].section: "),
        (_set("changes", 0, "action", "drop"), "changes[0].action: "),
        (_set("changes", 0, "action", "update"), "changes[0].uuid: "),
        (_set("changes", 0, "uuid", UUID), "changes[0].uuid: "),
        (_set("changes", 0, "fields", [1]), "changes[0].fields: "),
        (lambda document: document["changes"].append(document["changes"][0]), "two changes are about the same record"),
    ],
)
def test_a_document_that_is_no_approval_is_refused_in_words(
    site: Site, path: Path, planned: dict[str, Any], change: Callable[[dict[str, Any]], Any], message: str
) -> None:
    assert planned["changes"]
    edit(path, change)
    result = run(site, src=site.root, plan_file=path)
    assert "is not a plan of this version of the collection" in result["msg"]
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
        b'{"approval":' * 100_000,
        b'{"approval": NaN}',
        b'{"approval": 1e999}',
        b'{"approval": ' + b"9" * 100_000 + b"}",
        b'{"approval": 1, "set": ' + b"[" * 1000 + b"]" * 1000 + b"}",
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
        (b'{"approval": ' + b"9" * 400 + b"}", "more than 300 digits"),
    ],
    ids=["twice", "often", "many", "digits"],
)
def test_what_costs_much_or_reads_in_two_ways_is_no_plan(path: Path, content: bytes, words: str) -> None:
    path.write_bytes(content)
    with pytest.raises(InvalidInput, match=words):
        ApprovalFile(path).read()


# ---- any document


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.sampled_from(["0" * 64, UUID]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@st.composite
def _mutated(draw: st.DrawFn) -> dict[str, Any]:
    """Return an approval with some random members replaced."""
    head = {"approval": 1, "instance": "https://here.test", "set": "", "set_id": "", "files": "0" * 64, "notify": False}
    change = {"section": "objects", "key": "1", "digest": "0" * 64, "wanted": "0" * 64, "fields": ["barcode"]}
    changes = [
        {**change, "action": action, "uuid": UUID if action != "create" else ""}
        for action in ("create", "update", "delete", "archive")
    ]
    document: dict[str, Any] = {**head, "changes": changes}
    for _time in range(draw(st.integers(0, 3))):
        inner: Any = document
        name = draw(st.sampled_from(list(inner)))
        while draw(st.booleans()) and isinstance(inner[name], (dict, list)) and inner[name]:
            inner = inner[name]
            name = draw(st.sampled_from(list(inner) if isinstance(inner, dict) else range(len(inner))))
        inner[name] = draw(_JSON)
    return document


@given(_mutated())
@hypothesis_settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_any_document_is_an_approval_or_refused_in_words(tmp_path: Path, document: dict[str, Any]) -> None:
    path = tmp_path / "any.plan"
    path.write_text(json.dumps(document), "utf-8")
    refused = ""
    try:
        assert json.loads(ApprovalFile(path).read().content()) == document
    except InvalidInput as error:
        refused = error.message
    assert refused.startswith("plan_file: ") or not refused


@given(st.binary(max_size=200))
@hypothesis_settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_any_bytes_are_refused_in_words(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "any.plan"
    path.write_bytes(content)
    with pytest.raises(InvalidInput, match="plan_file: "):
        ApprovalFile(path).read()


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
