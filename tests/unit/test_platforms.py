# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every place that names a supported version agrees with the table of versions."""

from __future__ import annotations

import re

import interpreters
import lowest
import platforms
import pytest
import yaml
from project import ROOT

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.python_floor import FLOOR

MINORS = sorted({minor for minors in platforms.CORES.values() for minor in minors})


def text(path: str) -> str:
    return (ROOT / path).read_text("utf-8")


LOWEST_PYTHON = f"3.{platforms.OLDEST_PYTHON}"
PLATFORM_PYTHONS = [f"3.{minor}" for minor in platforms.CORES[platforms.AUTOMATION_PLATFORM]]


def requirement(package: str) -> str:
    """Return the lower bound of a Python package as the documentation of plugins names it."""
    return f"{package} >= {platforms.LOWEST[package]}"


@pytest.mark.parametrize(
    ("path", "named"),
    [
        ("README.md", f"- Python {LOWEST_PYTHON} or newer"),
        ("README.md", f"In a checkout of the repository, with Python {LOWEST_PYTHON}, git"),
        ("CONTRIBUTING.md", f"You need Python {LOWEST_PYTHON} or newer"),
        ("Makefile", f"for candidate in python{LOWEST_PYTHON} "),
        ("Makefile", f"No Python {LOWEST_PYTHON} or newer"),
        ("Makefile", f"$(or $(CORE),{platforms.NEWEST_RELEASE})"),
        ("antsibull-nox.toml", f'min_python_version = "{LOWEST_PYTHON}"'),
        ("docs/inclusion.md", f"`python >= {LOWEST_PYTHON}`"),
        ("docs/architecture.md", f"**Python {LOWEST_PYTHON} and newer"),
        ("pyproject.toml", f'target-version = "py{LOWEST_PYTHON.replace(".", "")}"'),
        ("pyproject.toml", f'python_version = "{LOWEST_PYTHON}"'),
        ("tests/emulator/__main__.py", f"_FLOOR = (3, {platforms.OLDEST_PYTHON})"),
        ("docs/certification.md", f"which is {platforms.OLDEST_CORE} |"),
        ("docs/certification.md", f"`make test-core CORE={platforms.OLDEST_CORE}`"),
        ("examples/awx/README.md", f"supports ({platforms.AUTOMATION_PLATFORM}) and Python {PLATFORM_PYTHONS[-1]}."),
        ("extensions/eda/plugins/event_source/changes.py", f"python >= {LOWEST_PYTHON}"),
        ("extensions/eda/plugins/event_source/changes.py", requirement("requests")),
        ("plugins/modules/instance.py", requirement("jsonschema")),
        ("tests/emulator/requirements.txt", requirement("jsonschema")),
    ],
)
def test_a_document_names_a_supported_version(path: str, named: str) -> None:
    assert named in text(path)


@pytest.mark.parametrize("package", ["requests", "urllib3"])
def test_both_fragments_of_the_connection_name_the_lowest_version(package: str) -> None:
    for fragment in ("connection", "connection_plugin"):
        assert f"  - {requirement(package)}\n" in text(f"plugins/doc_fragments/{fragment}.py")


def test_the_code_asks_for_the_oldest_python() -> None:
    assert FLOOR == (3, platforms.OLDEST_PYTHON)
    assert interpreters.OLDEST == platforms.OLDEST_PYTHON


def test_examples_install_the_lowest_versions_or_newer() -> None:
    versions = [
        found
        for path in (ROOT / "examples").rglob("*.yml")
        for found in re.findall(r"\b(requests|urllib3)>=([\d.]+)", path.read_text("utf-8"))
    ]
    assert set(versions) == {(package, platforms.LOWEST[package]) for package in ("requests", "urllib3")}


def test_the_metadata_ask_for_the_oldest_core() -> None:
    assert yaml.safe_load(text("meta/runtime.yml"))["requires_ansible"] == f">={platforms.OLDEST_CORE}.0"
    for path in ROOT.glob("roles/*/meta/main.yml"):
        assert yaml.safe_load(path.read_text("utf-8"))["galaxy_info"]["min_ansible_version"] == platforms.OLDEST_CORE


@pytest.mark.parametrize(
    ("path", "before", "last"),
    [
        ("README.md", "- ansible-core ", "or"),
        ("docs/docsite/rst/guide_getting_started.rst", "- ansible-core ", "or"),
        ("docs/inclusion.md", "`cores` in `.github/workflows/ci.yml`: ", "and"),
    ],
)
def test_documents_name_the_supported_cores(path: str, before: str, last: str) -> None:
    assert before + platforms.as_words(last) in text(path)


def test_hosted_ci_plays_on_every_core_and_python() -> None:
    jobs = yaml.safe_load(text(".github/workflows/ci.yml"))["jobs"]
    matrix = jobs["cores"]["strategy"]["matrix"]["include"]
    played = {(job["core"], job["python"]) for job in matrix}
    assert played == {(core, f"3.{minor}") for core, minors in platforms.CORES.items() for minor in minors}
    assert "continue-on-error" not in jobs["cores"]


@pytest.mark.parametrize("name", ["ci", "nightly", "release"])
def test_hosted_ci_has_every_python_of_the_gates(name: str) -> None:
    versions = re.findall(r"^ {12}3\.(\d+)$", text(f".github/workflows/{name}.yml"), re.MULTILINE)
    assert sorted(set(map(int, versions))) == MINORS


def test_the_requirements_ask_for_the_lowest_versions() -> None:
    assert lowest.lowest(text("requirements.txt")) == platforms.LOWEST
    guide = text("docs/docsite/rst/guide_getting_started.rst")
    for package in ("requests", "urllib3"):
        assert f"``{package}``, {platforms.LOWEST[package]} or newer" in " ".join(guide.split())
    assert f"Python 3.{platforms.OLDEST_PYTHON} or newer" in " ".join(guide.split())


@pytest.mark.parametrize("name", ["runtime", "rulebook"])
def test_the_environment_of_the_tests_has_the_everyday_core(name: str) -> None:
    assert f"ansible-core ~= {platforms.EVERYDAY}.0\n" in text(f"tests/requirements-{name}.txt")
    assert platforms.OLDEST_PYTHON in platforms.CORES[platforms.EVERYDAY]


def test_the_execution_environment_has_the_core_of_automation_platform() -> None:
    environment = yaml.safe_load(text("examples/awx/execution-environment.yml"))
    assert environment["dependencies"]["ansible_core"]["package_pip"] == (
        f"ansible-core~={platforms.AUTOMATION_PLATFORM}.0"
    )
    minor = int(environment["dependencies"]["python_interpreter"]["package_system"].rpartition(".")[2])
    assert minor in platforms.CORES[platforms.AUTOMATION_PLATFORM]


def test_the_checker_of_the_certification_finds_only_supported_cores() -> None:
    assert set(platforms.CERTIFIED) <= set(platforms.CORES)
    page = text("docs/certification.md")
    assert f"on {', '.join(platforms.CERTIFIED[:-1])} and {platforms.CERTIFIED[-1]}" in page
