# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Roles and playbooks as a pipeline calls them, in real processes: by name, in check mode, drift, export and absorb."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from emulator_here import running_here
from emulator_process import Emulator
from playbook import Result, Run, finish, run
from project import ROOT

ACME = ROOT / "examples" / "acme"
USER = "ada.jensen@acme.example"


@pytest.fixture
def service(empty_emulator: Emulator) -> Emulator:
    """Return an empty instance whose user signed in before."""
    empty_emulator.reset()
    empty_emulator.add_user(USER)
    return empty_emulator


@pytest.fixture
def acme(tmp_path: Path) -> Path:
    """Return a copy of the example."""
    root = tmp_path / "acme"
    shutil.copytree(ACME, root)
    return root


def by_name(name: str, directory: Path, service: Emulator, *options: str, **variables: Any) -> Run:
    """Run a playbook of the collection by its name."""
    noted = directory / "results.jsonl"
    noted.unlink(missing_ok=True)
    environment = {**service.variables(), "RECORD_RESULTS_FILE": str(noted)}
    (directory / "variables.yml").write_text(yaml.safe_dump(variables), "utf-8")
    command = [str(Path(sys.executable).with_name("ansible-playbook")), f"community.seventhings.{name}"]
    return finish([*command, "-e", "@variables.yml", *options], directory, environment, noted)


def provision(directory: Path, service: Emulator, *options: str, **variables: Any) -> Run:
    return by_name("provision", directory, service, *options, provision_src=str(directory / "acme"), **variables)


def applied(done: Run) -> Result:
    assert done.status == 0, done.output
    return done.named("Apply")


def writes(service: Emulator) -> list[str]:
    """Return the requests except reads and logins."""
    return [entry["path"] for entry in service.log() if entry["method"] != "GET" and "auth_token" not in entry["path"]]


def test_an_instance_is_provisioned_by_name_and_the_second_run_changes_nothing(
    acme: Path, service: Emulator, tmp_path: Path, state_home: Path
) -> None:
    check = provision(tmp_path, service, "--check", "--diff")
    assert check.status == 0, check.output
    planned = check.named("Plan")
    assert planned["changed"]
    assert "Apply" not in re.findall(r"TASK \[(?:.* : )?([^\]]*)\]", check.output)
    assert "skipping" not in check.output
    assert writes(service) == []
    first = applied(provision(tmp_path, service, provision_report=str(tmp_path / "report.html")))
    assert first["outcome"] == "changed"
    assert first["summary"] == planned["summary"]
    assert (tmp_path / "report.html").read_text("utf-8").startswith("<!DOCTYPE html>")
    second = provision(tmp_path, service)
    assert applied(second)["outcome"] == "unchanged"
    assert "changed=0" in second.output
    assert len(second.output.splitlines()) <= 40, second.output
    assert "skipping" not in second.output
    assert not acme.joinpath(".seventhings").exists()
    noted = {path.name for path in state_home.rglob("*") if path.is_file() and not path.name.endswith(".json.gz")}
    assert noted == {"journal.jsonl"}


def test_each_warning_is_printed_once(service: Emulator, tmp_path: Path) -> None:
    """The task prints it as a warning; neither the diff nor the report of a role repeats it."""
    files = {
        "instance.yml": "api: seventhings/v1\nset: acme\n",
        "objects.yml": "- {barcode: '100900', inventory_name: Lamp, purchasing_date: '2105-01-31'}\n",
    }
    for name, text in files.items():
        (tmp_path / "odd" / name).parent.mkdir(exist_ok=True)
        (tmp_path / "odd" / name).write_text(text, "utf-8")
    roles = [
        {
            "hosts": "localhost",
            "gather_facts": False,
            "roles": [{"role": f"community.seventhings.{role}", "vars": given}],
        }
        for role, given in (
            ("provision", {"provision_src": str(tmp_path / "odd")}),
            ("drift", {"drift_src": str(tmp_path / "odd"), "drift_fail": False}),
        )
    ]
    done = run(tmp_path, roles, "--check", "--diff", variables=service.variables())
    assert done.status == 0, done.output
    warnings = {text for result in done.results for text in result.data.get("warnings", ())}
    assert any("20 years ahead: 2105-01-31" in text for text in warnings)
    # Ansible wraps long warnings.
    printed = "".join(done.output.split())
    assert {text: printed.count("".join(text.split())) for text in warnings} == dict.fromkeys(warnings, 1)
    assert '+    100900 purchasing_date: "2105-01-31"' in done.output
    assert "Look at this first" not in done.output


def test_the_plan_alone_is_created_and_can_be_applied_as_it_was(acme: Path, service: Emulator, tmp_path: Path) -> None:
    files = {"provision_plan_file": str(tmp_path / "acme.plan"), "provision_report": str(tmp_path / "plan.md")}
    planned = provision(tmp_path, service, provision_apply=False, **files)
    assert planned.status == 0, planned.output
    assert planned.named("Plan")["changed"]
    assert writes(service) == []
    assert "| objects | 6 |" in (tmp_path / "plan.md").read_text("utf-8")
    more = acme / "objects" / "more.yml"
    more.write_text("- {barcode: '990001', inventory_name: Not approved}\n", "utf-8")
    done = applied(provision(tmp_path, service, **files))
    assert done["summary"]["objects"]["created"] == 6
    assert any("1 change was not approved" in warning for warning in done["warnings"])
    more.unlink()
    again = provision(tmp_path, service, **files)
    assert again.named("Apply")["outcome"] == "unchanged"


def test_all_that_is_wrong_is_reported_at_once_and_nothing_is_sent(
    acme: Path, service: Emulator, tmp_path: Path
) -> None:
    lines = (
        "- barcode: 0001234\n- barcode: '1'\n  uuid: x\n- barcode: '2'\n  inventory_name: x\n  target_room: Nowhere/1\n"
    )
    (acme / "objects" / "bad.yml").write_text(lines, "utf-8")
    done = provision(tmp_path, service)
    assert done.status != 0
    assert writes(service) == []
    places = {f"objects/bad.yml:{place}" for place in ("1:12", "3:9", "6:16")}
    assert {finding.partition(": ")[0] for finding in done.named("Apply")["findings"]} == places


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ({"provision_apply": "perhaps"}, "provision_apply"),
        ({"provision_stale": "never"}, "value of provision_stale must be one of"),
    ],
)
def test_arguments_of_the_role_are_judged(
    acme: Path, service: Emulator, tmp_path: Path, variables: dict[str, Any], message: str
) -> None:
    assert acme.is_dir()
    done = provision(tmp_path, service, **variables)
    assert done.status != 0
    assert message in done.output
    assert service.log() == []


def test_a_newcomer_is_not_warned_of_what_the_plan_judges(service: Emulator, tmp_path: Path) -> None:
    files = tmp_path / "acme"
    files.mkdir()
    (files / "instance.yml").write_text("api: seventhings/v1\n", "utf-8")
    (files / "objects.yml").write_text('- barcode: "1"\n  inventory_name: Drill\n  purchasing_price: 12.5\n', "utf-8")
    done = provision(tmp_path, service)
    assert applied(done)["changed"]
    assert not done.named("Apply").data.get("warnings")
    task = {"name": "Judge", "community.seventhings.instance_validate": {"src": str(files)}}
    alone = run(tmp_path / "play", [{"hosts": "localhost", "gather_facts": False, "tasks": [task]}])
    assert (
        "the files do not contain the types of inventory_name, purchasing_price" in alone.named("Judge")["warnings"][0]
    )


def test_the_source_is_required(service: Emulator, tmp_path: Path) -> None:
    done = by_name("provision", tmp_path, service)
    assert done.status != 0
    assert "missing required arguments: provision_src" in done.output


def test_the_connection_may_be_a_variable_of_the_role(acme: Path, service: Emulator, tmp_path: Path) -> None:
    variables = {
        "provision_src": str(acme),
        "provision_only": ["locations"],
        "provision_connection": service.options(),
    }
    play = {
        "hosts": "localhost",
        "connection": "local",
        "gather_facts": False,
        "roles": [{"role": "community.seventhings.provision", "vars": variables}],
    }
    done = run(tmp_path / "play", [play])
    assert applied(done)["summary"]["locations"]["created"] == 2
    assert service.password not in done.output


def test_a_role_uses_the_defaults_of_its_play_unless_it_has_a_connection(
    acme: Path, service: Emulator, emulator: Emulator, tmp_path: Path
) -> None:
    emulator.reset()
    variables: dict[str, Any] = {"provision_src": str(acme), "provision_only": ["locations"]}
    role = {"role": "community.seventhings.provision", "vars": variables}
    play = {"hosts": "localhost", "connection": "local", "gather_facts": False, "roles": [role]}
    group = "group/community.seventhings.all"
    applied(run(tmp_path, [{**play, "module_defaults": {group: service.options()}}], variables=emulator.variables()))
    assert writes(service)
    assert not writes(emulator)
    service.reset()
    variables["provision_connection"] = service.options()
    # Each of these options would fail, or name another account.
    others = {**emulator.options(), "access_token": "foreign", "client_cert": "/missing", "timeout": 0}
    applied(run(tmp_path, [{**play, "module_defaults": {group: others}}], variables=emulator.variables()))
    assert writes(service)
    assert [entry for entry in service.log() if entry["status"] == 401] == emulator.log() == []


def test_the_environment_that_a_play_is_given_connects(service: Emulator, tmp_path: Path) -> None:
    locations = '{"locations": [{"name": "Dresden"}]}'
    play = {
        "hosts": "localhost",
        "gather_facts": False,
        "environment": service.variables(),
        "tasks": [
            {"name": "Apply", "community.seventhings.instance": {"desired": locations}},
            {"name": "Export", "community.seventhings.instance_export": {"dest": str(tmp_path / "export")}},
        ],
    }
    done = run(tmp_path / "play", [play])
    assert applied(done)["summary"]["locations"]["created"] == 1
    assert done.named("Export")["summary"]["locations"] == 1
    assert service.password not in done.output


def test_drift_is_found_named_and_never_mended(acme: Path, service: Emulator, tmp_path: Path) -> None:
    applied(provision(tmp_path, service))
    none = by_name("drift", tmp_path, service, drift_src=str(acme))
    assert none.status == 0, none.output
    price = (acme / "objects" / "it.yml").read_text("utf-8").replace('"849.90"', '"1.00"')
    (acme / "objects" / "it.yml").write_text(price, "utf-8")
    service.clear_log()
    options = {"drift_src": str(acme), "drift_report": str(tmp_path / "drift.json")}
    found = by_name("drift", tmp_path, service, **options)
    assert found.status != 0
    assert f"Drift: the instance is not what the files in {acme} say. Records that differ: 1." in found.output
    assert "Could not compare" not in found.output
    assert found.named("Compare the instance with its files")["outcome"] == "drift"
    assert writes(service) == []
    assert (tmp_path / "drift.json").exists()
    # Neither limits of the files nor changes that an apply would refuse suppress the report of drift.
    settings = (acme / "instance.yml").read_text("utf-8")
    strict = settings.replace("policy:\n", "policy:\n  limits: {updates: 0, deletes: 0}\n")
    assert strict != settings
    (acme / "instance.yml").write_text(strict, "utf-8")
    tasks = yaml.safe_load((acme / "tasks.yml").read_text("utf-8"))
    (acme / "tasks.yml").write_text(yaml.safe_dump(tasks[:1]), "utf-8")
    play = by_name("drift", tmp_path, service, drift_fail=False, **options)
    assert play.status == 0, play.output
    assert "purchasing_price: files say 1.00 / instance has 849.90" in play.output
    # On a command line the value is a text.
    text = by_name("drift", tmp_path, service, "-e", "drift_fail=false", **options)
    assert text.status == 0, text.output
    assert text.named("Compare the instance with its files")["outcome"] == "drift"


def test_roles_pass_rules_on(acme: Path, service: Emulator, tmp_path: Path) -> None:
    rules = tmp_path / "rules.yml"
    rules.write_text("rules: [{id: r, for: objects, require: {required: [link]}}]\n", "utf-8")
    given = {"rules": [str(rules)], "rules_digest": hashlib.sha256(rules.read_bytes()).hexdigest()}
    done = provision(tmp_path, service, **{f"provision_{name}": value for name, value in given.items()})
    assert done.status != 0
    assert "rule r: link: expected a value" in done.output
    assert writes(service) == []
    found = by_name(
        "drift",
        tmp_path,
        service,
        drift_src=str(acme),
        drift_fail=False,
        **{f"drift_{name}": value for name, value in given.items()},
    )
    assert found.status != 0
    assert "rule r: link: expected a value" in found.output


def test_drift_that_could_not_be_looked_for_is_no_drift(acme: Path, service: Emulator, tmp_path: Path) -> None:
    (acme / "tasks.yml").write_text("- titel: x\n", "utf-8")
    for fails in (True, False):
        done = by_name("drift", tmp_path, service, drift_src=str(acme), drift_fail=fails)
        assert done.status != 0, "nothing is known of the instance then"
        assert "Could not compare: " in done.output
        assert "Drift: " not in done.output
        assert done.named("Compare the instance with its files")["outcome"] == "failed"


def test_an_export_by_name_plans_as_empty_and_makes_a_copy(acme: Path, service: Emulator, tmp_path: Path) -> None:
    assert acme.is_dir()
    applied(provision(tmp_path, service))
    first, second = tmp_path / "first", tmp_path / "second"
    exported = by_name("export", tmp_path, service, export_dest=str(first))
    assert exported.status == 0, exported.output
    assert exported.named("Export the instance")["changed"]
    again = by_name("export", tmp_path, service, export_dest=str(first))
    assert not again.named("Export the instance")["changed"]
    none = by_name("drift", tmp_path, service, drift_src=str(first))
    assert none.status == 0, none.output
    with running_here("empty") as other:
        other.add_user(USER)
        refused = by_name("provision", tmp_path, other, provision_src=str(first))
        assert refused.named("Apply")["outcome"] == "refused", "the files are for another instance"
        roots = [other.base_url]
        result = by_name("provision", tmp_path, other, provision_src=str(first), provision_expect_instance=roots)
        assert applied(result)["outcome"] == "changed"
        copied = by_name("export", tmp_path, other, export_dest=str(second))
        assert copied.status == 0, copied.output
    names = [path.relative_to(first) for path in first.rglob("*.yml") if path.name != "instance.yml"]
    assert len(names) >= 9
    for name in names:
        assert (first / name).read_bytes() == (second / name).read_bytes(), name


def test_what_was_changed_comes_back_by_name(acme: Path, service: Emulator, tmp_path: Path) -> None:
    applied(provision(tmp_path, service))
    rooms = acme / "rooms.yml"
    text = rooms.read_text("utf-8")
    rooms.write_text(text.replace("Seats: 12", "Seats: 14"), "utf-8")
    # Apply from another controller, so that this one's files have no change of the room.
    applied(provision(tmp_path, service, provision_journal=str(tmp_path / "elsewhere")))
    rooms.write_text(text, "utf-8")
    wanted = {"absorb_src": str(acme), "absorb_into": {"rooms": "rooms.yml"}, "absorb_gone": "remove"}
    planned = by_name("absorb", tmp_path, service, "--check", "--diff", **wanted)
    assert planned.status == 0, planned.output
    assert "+  Seats: 14" in planned.output
    assert rooms.read_text("utf-8") == text
    done = by_name("absorb", tmp_path, service, **wanted).named("Absorb the changes of the application into the files")
    assert (done["changed"], done["files"], done["not_changed"]) == (True, ["rooms.yml"], [])
    assert rooms.read_text("utf-8") == text.replace("Seats: 12", "Seats: 14")
    none = by_name("drift", tmp_path, service, drift_src=str(acme))
    assert none.status == 0, none.output


def test_an_export_by_name_is_for_whom_its_mode_lets_in(service: Emulator, tmp_path: Path) -> None:
    out, name = tmp_path / "out", "schema/rooms.schema.json"
    wanted = {"export_dest": str(out), "export_only": ["rooms"]}
    assert by_name("export", tmp_path, service, **wanted).status == 0
    assert oct(out.stat().st_mode)[-3:] == "700"
    assert oct((out / name).stat().st_mode)[-3:] == "600"
    (out / name).write_text("{}\n", "utf-8")
    done = by_name("export", tmp_path, service, export_mode="0640", export_backup=True, **wanted)
    assert done.status == 0, done.output
    result = done.named("Export the instance")
    (kept,) = result["backup_files"]
    assert Path(kept).read_text("utf-8") == "{}\n"
    assert result["files"]["written"] == [name]
    assert oct((out / name).stat().st_mode)[-3:] == "640"


def test_an_export_in_check_mode_writes_nothing(service: Emulator, tmp_path: Path) -> None:
    done = by_name("export", tmp_path, service, "--check", "--diff", export_dest=str(tmp_path / "out"))
    assert done.status == 0, done.output
    assert done.named("Export the instance")["changed"]
    assert "+fields/asset.yml" in done.output
    assert not (tmp_path / "out").exists()


def test_the_site_of_the_example_runs_beside_its_files(acme: Path, service: Emulator) -> None:
    done = run(acme, acme / "site.yml", variables=service.variables())
    assert applied(done)["outcome"] == "changed"


def test_local_files_come_from_the_directory_that_the_roles_name(acme: Path, service: Emulator, tmp_path: Path) -> None:
    papers = tmp_path / "papers"
    papers.mkdir()
    (papers / "terms.txt").write_text("Terms", "utf-8")
    tasks = (acme / "tasks.yml").read_text("utf-8").splitlines()
    first = next(number for number, line in enumerate(tasks) if line.startswith("- title:"))
    tasks.insert(first + 1, "  attachments: [terms.txt]")
    (acme / "tasks.yml").write_text("\n".join(tasks), "utf-8")
    assert "terms.txt: no such file" in provision(tmp_path, service, "--check").output
    done = provision(tmp_path, service, "--check", provision_files_root=str(papers)).named("Plan")
    assert done["summary"]["tasks"]["created"] > 0
    drift = {"drift_src": str(acme), "drift_files_root": str(papers), "drift_fail": False}
    found = by_name("drift", tmp_path, service, **drift).named("Compare the instance with its files")
    assert found["summary"] == done["summary"]


# ---- what the roles allow


def pipeline_caps(service: Emulator, pipeline: str) -> dict[str, Any]:
    """Return the caps of the pipeline example for this instance."""
    text = yaml.safe_load((ROOT / "examples" / "ci" / pipeline).read_text("utf-8"))
    written: str = text["env" if "env" in text else "variables"]["CAPS"]
    for root in ("${{ vars.SEVENTHINGS_BASE_URL }}", "$SEVENTHINGS_BASE_URL"):
        written = written.replace(root, service.base_url)
    found: dict[str, Any] = json.loads(written)
    return found


@pytest.mark.sample(1)
@pytest.mark.parametrize("pipeline", ["github-actions.yml", "gitlab-ci.yml"])
def test_a_pipeline_applies_the_plan_that_was_approved_and_no_other(
    acme: Path, service: Emulator, tmp_path: Path, pipeline: str
) -> None:
    assert acme.is_dir()
    plan_file = tmp_path / "acme.plan"
    places = {"provision_src_below": str(tmp_path), "provision_plan_file": str(plan_file)}
    given = {**pipeline_caps(service, pipeline), **places}
    planned = provision(tmp_path, service, provision_apply=False, **given)
    assert planned.status == 0, planned.output
    digest = hashlib.sha256(plan_file.read_bytes()).hexdigest()
    assert planned.named("Plan")["plan_digest"] == digest
    assert f"Plan file: sha256:{digest}" in planned.output
    for other in ("", "0" * 64):
        refused = provision(tmp_path, service, provision_plan_digest=other, **given)
        assert refused.status != 0
        assert refused.named("Apply")["msg"].startswith("plan_digest: ")
    assert writes(service) == []
    run = provision(tmp_path, service, provision_plan_digest=digest, **given)
    done = applied(run)
    assert (done["outcome"], done["plan_digest"]) == ("changed", digest)
    assert f"Apply record: sha256:{done['apply_record_digest']}" in run.output
    plan_file.unlink()
    missing = provision(tmp_path, service, **given)
    assert "there is no" in missing.named("Apply")["msg"]


def test_a_protected_role_allows_nothing_by_its_defaults(acme: Path, service: Emulator, tmp_path: Path) -> None:
    assert acme.is_dir()
    refused = provision(tmp_path, service, provision_protected=True)
    assert refused.status != 0
    missing = "limits, prune, allow, expect_instance"
    assert refused.named("Apply")["msg"].startswith(f"protected: {missing} must be given too")
    assert writes(service) == []


def test_a_role_limits_what_the_files_may_set(acme: Path, service: Emulator, tmp_path: Path) -> None:
    settings = (acme / "instance.yml").read_text("utf-8")
    service.reset()
    demanding = settings.replace("policy:\n", "policy:\n  create_users: true\n")
    assert demanding != settings
    (acme / "instance.yml").write_text(demanding, "utf-8")
    [finding] = provision(tmp_path, service).named("Apply")["findings"]
    assert "only the task can, with allow: [users] (in the role: provision_allow)" in finding
    (acme / "instance.yml").write_text(settings, "utf-8")
    refused = provision(tmp_path, service, provision_limits={"creates": 1})
    assert refused.named("Apply")["outcome"] == "refused"
    assert "of the task (in the role: provision_limits) lets this pass" in refused.named("Apply")["msg"]
    done = applied(provision(tmp_path, service, provision_allow=[]))
    assert done["summary"]["users"]["created"] == 0
    assert any("allow: [users] (in the role: provision_allow) creates it" in line for line in done["warnings"])
    skipped = {section: counts["skipped"] for section, counts in done["summary"].items() if counts["skipped"]}
    assert skipped == {"users": 1, "tasks": 2, "rental_cases": 1}
