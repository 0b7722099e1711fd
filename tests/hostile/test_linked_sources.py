# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A commit that replaces a directory by a link gives no access to files outside."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible.parsing.dataloader import DataLoader
from emulator_process import Emulator
from instance_site import Site
from project import ROOT
from set_actions import run_set

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.argument_specs import Spec
from ansible_collections.community.seventhings.plugins.plugin_utils.absorb.action import absorb_instance
from ansible_collections.community.seventhings.plugins.plugin_utils.action.documented import documented_spec

Call = Callable[[Mapping[str, Any], bool, Any, Mapping[str, Any]], dict[str, Any]]
OUTSIDE = "- {name: Outside, address: Secret street 1}\n"


@pytest.fixture
def site(empty_emulator: Emulator, tmp_path: Path) -> Site:
    """Return a checkout in which ``acme`` is a link to a directory outside with a complete desired state."""
    empty_emulator.reset()
    outside = Site(tmp_path / "outside", empty_emulator)
    outside.write({"locations.yml": OUTSIDE, "files/secret.txt": "secret"})
    (tmp_path / "checkout").mkdir()
    (tmp_path / "checkout" / "acme").symlink_to(tmp_path / "outside")
    return outside


@pytest.fixture
def checkout(site: Site) -> Path:
    """Return the checkout to which others commit."""
    return site.root.parent / "checkout"


def called(call: Call, spec: Spec, site: Site, **written: Any) -> dict[str, Any]:
    given = {**site.service.options(), "rate_limit": 0, **written}
    options = ArgumentSpecValidator(spec).validate(given).validated_parameters
    site.service.clear_log()
    return call(options, True, DataLoader(), given)


def planned(module: str, site: Site, **written: Any) -> dict[str, Any]:
    """Run a module of a whole set in check mode."""
    site.service.clear_log()
    return run_set({**site.service.options(), "rate_limit": 0, **written}, True, module=module)


def refused(result: Mapping[str, Any], site: Site, words: str) -> None:
    assert result["failed"], result
    assert words in result["msg"]
    assert "Secret street" not in str(result)
    assert site.sent() == []


PROTECTED = {
    "protected": True, "limits": {}, "prune": {}, "allow": [],
    "expect_instance": ["https://acme.example"],
}  # fmt: skip


def test_a_protected_task_refuses_a_source_that_is_a_link(site: Site, checkout: Path) -> None:
    for src in (str(checkout / "acme"), f"{checkout}/acme/", f"{checkout}/acme/."):
        refused(planned("instance", site, src=src, **PROTECTED), site, "acme is a link")


def test_a_protected_task_names_the_directory_that_its_source_is_in(site: Site) -> None:
    src = str(site.root)
    refused(planned("instance", site, src=src, **PROTECTED), site, "src_below must be given too")


def test_absorb_refuses_a_source_that_is_a_link(site: Site, checkout: Path) -> None:
    refused(
        called(absorb_instance, documented_spec("instance_absorb"), site, src=str(checkout / "acme")),
        site,
        "acme is a link",
    )


@pytest.mark.parametrize(
    "call",
    [
        lambda site, **written: planned("instance_validate", site, **written),
        lambda site, **written: planned("instance", site, **written),
        lambda site, **written: planned("instance_drift", site, **written),
        lambda site, **written: called(absorb_instance, documented_spec("instance_absorb"), site, **written),
    ],
)
@pytest.mark.parametrize("inner", ["below/deep", "below/.."])
def test_a_source_stays_below_the_directory_that_the_task_names(
    site: Site, checkout: Path, call: Callable[..., dict[str, Any]], inner: str
) -> None:
    (site.root / "deep").mkdir()
    (checkout / "below").symlink_to(site.root)
    options = {"src": str(checkout / inner), "src_below": str(checkout)}
    refused(call(site, **options), site, "leads out of")


def test_attachments_stay_below_the_directory_that_the_task_names(site: Site, checkout: Path) -> None:
    (checkout / "files").symlink_to(site.root / "files")
    options = {"desired": {"locations": [{"name": "A"}]}, "files_root": str(checkout / "files")}
    refused(planned("instance", site, src_below=str(checkout), **options), site, "files_root: ")


def test_a_checkout_that_is_reached_by_a_link_is_no_reason_to_refuse(site: Site, checkout: Path) -> None:
    real = Site(checkout / "real", site.service)
    real.write({"locations.yml": "- {name: Inside}\n"})
    (checkout.parent / "way").symlink_to(checkout)
    for below in (checkout, checkout.parent / "way"):
        result = planned("instance", site, src=str(checkout.parent / "way" / "real"), src_below=str(below))
        assert result["summary"]["locations"]["created"] == 1, result


def test_a_directory_that_is_none_bounds_nothing(site: Site, checkout: Path) -> None:
    options = {"src": str(site.root), "src_below": str(checkout / "none")}
    refused(planned("instance", site, **options), site, "src_below: ")


@pytest.mark.parametrize("argument", ["acme", "way/acme"])
def test_the_hook_reads_nothing_outside_of_the_repository(site: Site, checkout: Path, argument: str) -> None:
    (site.root / "acme").mkdir()
    (site.root / "acme" / "instance.yml").write_text("Secret street: 1\n", "utf-8")
    (checkout / "way").symlink_to(site.root)
    subprocess.run(["git", "init", "--quiet"], cwd=checkout, check=True)
    done = subprocess.run(
        [str(ROOT / "hooks" / "seventhings-validate"), argument],
        cwd=checkout,
        env={**os.environ, "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "is a link" in done.stdout or "leads out of" in done.stdout
    assert "Secret street" not in done.stdout
