# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The AWX example: its data is consistent, and the real modules of awx.awx accept it if they are installed."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import Any

import controller
import playbook
import pytest
import yaml
from project import BUILD, ROOT

EXAMPLE = ROOT / "examples" / "awx"
AWX = BUILD / "awx"
DATA: dict[str, Any] = yaml.safe_load((EXAMPLE / "controller.yml").read_text("utf-8"))
VARIABLES = {
    "SEVENTHINGS_BASE_URL": "https://acme.seventhings.com",
    "SEVENTHINGS_USERNAME": "deploy",
    "SEVENTHINGS_PASSWORD": "correct horse",
    "SEVENTHINGS_CLIENT_ID": "client",
}


QUESTION = {"type": "text", "question_name": "Q", "variable": "q", "required": True}


def loaded(name: str) -> Any:
    return yaml.safe_load((EXAMPLE / name).read_text("utf-8"))


def names(kind: str) -> set[str]:
    return {item["name"] for item in DATA[f"controller_{kind}"]}


def test_every_name_that_is_used_is_defined() -> None:
    for item in [*DATA["controller_templates"], *DATA["controller_inventory_sources"]]:
        assert item["inventory"] in names("inventories")
        assert item["execution_environment"] in names("execution_environments")
        assert item.get("project", item.get("source_project")) in names("projects")
        assert {*item.get("credentials", []), *([item["credential"]] if "credential" in item else [])} <= names(
            "credentials"
        )
    assert {schedule["unified_job_template"] for schedule in DATA["controller_schedules"]} <= names("templates")


@pytest.mark.parametrize("token", ["", "abc"], ids=["password", "tokens"])
def test_the_credential_fits_its_type_and_is_attached(tmp_path: Path, token: str) -> None:
    shutil.copytree(EXAMPLE, tmp_path / "awx")
    variables = [
        "controller_credential_types",
        "controller_credentials",
        "controller_templates",
        "controller_inventory_sources",
    ]
    tasks = [{"name": name, "ansible.builtin.debug": {"var": name}} for name in variables]
    play = {"hosts": "localhost", "gather_facts": False, "vars_files": ["controller.yml"], "tasks": tasks}
    play["vars"] = {"execution_environment_image": "image", "project_url": "url"}
    done = playbook.run(tmp_path / "awx", [play], variables={**VARIABLES, "SEVENTHINGS_TOKEN": token})
    assert done.status == 0, done.output
    types, (credential,), templates, sources = (done.named(name)[name] for name in variables)
    (own,) = (credential_type for credential_type in types if credential_type["name"] == credential["credential_type"])
    inputs = credential["inputs"]
    assert {*own["inputs"]["required"]} <= {*inputs} <= {field["id"] for field in own["inputs"]["fields"]}
    assert inputs.get("access_token", "") == token
    assert ("password" in inputs) == (not token)
    attached = {name for template in templates for name in template.get("credentials", [])}
    assert attached == {credential["name"]} == {source["credential"] for source in sources if "credential" in source}


def test_every_playbook_and_source_is_there() -> None:
    for template in DATA["controller_templates"]:
        assert (EXAMPLE / template["playbook"]).is_file()
    assert (EXAMPLE / "rooms.seventhings.yml").is_file()


def test_the_jobs_are_those_that_a_pipeline_needs() -> None:
    by_playbook = {template["playbook"]: template for template in DATA["controller_templates"]}
    assert set(by_playbook) == {"provision.yml", "drift.yml", "export.yml", "fleet.yml"}
    assert by_playbook["fleet.yml"]["job_slice_count"] > 1
    assert by_playbook["provision.yml"]["credentials"]


def test_awx_accepts_the_survey() -> None:
    assert controller.survey_problems(loaded("survey.yml")) == []


def test_who_asks_for_nothing_else_gets_the_careful_answers() -> None:
    questions = {question["variable"]: question for question in loaded("survey.yml")["spec"]}
    assert questions["awx_apply"]["default"] == "false"
    percent = questions["delete_percent"]
    assert percent["min"] <= percent["default"] <= percent["max"]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ({"type": "multiplechoice", "choices": ["a"], "default": "b"}, "the default is no choice"),
        ({"type": "multiplechoice", "choices": "a\nb", "default": "a\nb"}, "there are several defaults"),
        ({"type": "multiselect", "default": "a"}, "there are no choices"),
        ({"type": "integer", "default": "2"}, "can't be '2'"),
        ({"type": "text", "default": None}, "can't be None"),
        ({"type": "integer", "min": "0"}, "min is no int"),
        ({"type": "number"}, "is no type"),
        ({"type": "text", "required": "yes"}, "required is no bool"),
        ({"type": "text", "default": "$encrypted$a"}, "no default begins with"),
    ],
)
def test_a_survey_that_awx_refuses_is_found(question: dict[str, Any], expected: str) -> None:
    whole = {**QUESTION, **question}
    assert expected in " ".join(controller.survey_problems({"name": "", "description": "", "spec": [whole]}))


@pytest.mark.parametrize(
    ("survey", "expected"),
    [
        ({"name": "", "spec": []}, "description is no str"),
        ({"name": "", "description": "", "spec": []}, "there is no question"),
        ({"name": "", "description": "", "spec": ["Q"]}, "question 0 is no mapping"),
        (
            {"name": "", "description": "", "spec": [QUESTION, QUESTION]},
            "question 1: q is asked for twice",
        ),
    ],
)
def test_a_survey_of_another_form_is_found(survey: dict[str, Any], expected: str) -> None:
    assert expected in " ".join(controller.survey_problems(survey))


@pytest.mark.slow
@pytest.mark.skipif(not AWX.is_dir(), reason="no awx.awx: python tests/tools/awx.py")
@pytest.mark.parametrize("token", ["", "staple battery"], ids=["password", "tokens"])
def test_the_modules_of_awx_take_all_of_it(tmp_path: Path, token: str) -> None:
    path = os.pathsep.join([str(AWX), str(ROOT / ".build" / "link")])
    extra = ["-e", "execution_environment_image=seventhings-ee", "-e", "project_url=https://git.example.com/acme.git"]
    extra += ["-e", f"ansible_python_interpreter={sys.executable}"]
    with controller.running() as awx:
        login = {"CONTROLLER_HOST": awx.url, "CONTROLLER_OAUTH_TOKEN": "token"}
        variables = {**VARIABLES, **login, "SEVENTHINGS_TOKEN": token, "ANSIBLE_COLLECTIONS_PATH": path}
        done = playbook.run(tmp_path, EXAMPLE / "configure.yml", *extra, variables=variables)
        assert done.status == 0, done.output
        assert VARIABLES["SEVENTHINGS_PASSWORD"] not in done.output
        assert not token or token not in done.output
        provision = next(template for template in awx.items["job_templates"] if template["playbook"] == "provision.yml")
        assert awx.linked[f"job_templates/{provision['id']}/survey_spec"] == [loaded("survey.yml")]
        assert len(awx.linked[f"job_templates/{provision['id']}/credentials"]) == 1
        counts = {kind: len(records) for kind, records in awx.items.items() if kind != "organizations"}
        assert counts == {
            "credential_types": 2, "credentials": 1, "execution_environments": 1, "projects": 1, "inventories": 2,
            "inventory_sources": 2, "job_templates": 4, "schedules": 1,
        }  # fmt: skip


def test_the_image_has_an_rpm_base_that_a_build_argument_replaces() -> None:
    """ansible-builder makes an argument EE_BASE_IMAGE of the name."""
    environment = loaded("execution-environment.yml")
    assert environment["options"]["package_manager_path"].endswith("dnf")
    name = environment["images"]["base_image"]["name"]
    assert "/" not in name, "no registry is named"
    assert {"name": "community.seventhings"} in environment["dependencies"]["galaxy"]["collections"]
