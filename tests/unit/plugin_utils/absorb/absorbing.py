# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Shared parts of the absorb tests: a call like the action's, and changes by somebody else."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from unittest import mock

from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible.parsing.dataloader import DataLoader
from ansible.parsing.vault import VaultSecret
from instance_site import Site

from ansible_collections.community.seventhings.plugins.plugin_utils.absorb.action import absorb_instance
from ansible_collections.community.seventhings.plugins.plugin_utils.action.documented import documented_spec

ANY: dict[str, Any] = {
    "limits": {"create_percent": 1000, "update_percent": 1000, "delete_percent": 100},
    "allow": ["similar_names"],
}


def take(site: Site, check_mode: bool = False, secret: VaultSecret | None = None, **written: Any) -> dict[str, Any]:
    """Run the module as the action does. The bytes of the patch are added to its result.

    :param secret: the password of vaulted files.
    """
    patch = site.root.parent / "absorbed.patch"
    where = {"src": str(site.root), "new": "all", "patch": str(patch)}
    given = {**site.service.options(), "rate_limit": 0, "tuning": {"token_cache": False}, **where, **written}
    validator = ArgumentSpecValidator(documented_spec("instance_absorb")).validate(given)
    assert validator.error_messages == []
    loader = DataLoader()
    if secret is not None:
        loader.set_vault_secrets([("default", secret)])
    result = absorb_instance(validator.validated_parameters, check_mode, loader, given)
    return result if result.get("failed") else {**result, "patch": patch.read_bytes()}


def somebody(site: Site, files: Mapping[str, str | bytes]) -> None:
    """Apply records from another machine, so that the journals of this machine do not know them."""
    other = Site(site.root.parent / "somebody", site.service)
    shutil.rmtree(other.root, ignore_errors=True)
    other.write({"instance.yml": "api: seventhings/v1\nset: somebody\n", **files})
    with mock.patch.dict(os.environ, {"XDG_STATE_HOME": str(other.root / "state")}):
        result = other.run(**ANY)
    assert result.outcome in ("changed", "unchanged"), result


def content(root: Path) -> dict[str, bytes]:
    """Return all files below a directory."""
    return {str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


def applied(root: Path, scratch: Path, patch: bytes) -> dict[str, bytes]:
    """Return the files after git applied a patch. Files whose cells the patch lists stay as they are."""
    copy = scratch / "patched"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(root, copy)
    if b"\n+++ " in patch:
        done = subprocess.run(["git", "apply", "-"], cwd=copy, input=patch, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr.decode() + repr(patch)
    return content(copy)
