# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Schemathesis searches for requests whose answers violate the description."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from project import LONG

from .judge import DESCRIPTION, PREFIX
from .support import Api, connected

SECONDS = 900 if LONG else 120
SEED = "20310520"
WITHOUT_SIGNING_OUT = ["--exclude-operation-id", "revokeTokens"]  # this would end the session of the run
SOME_OPERATIONS = "Object|uploadFile|setTaskStatus"
# A well-formed request may still be rejected: for an unknown field or a value in use.
CHECKS = [
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "negative_data_rejection",
    "missing_required_header",
    "ignored_auth",
    "use_after_free",
    "ensure_resource_availability",
]


@pytest.fixture
def api() -> Iterator[Api]:
    """Yield a service for this test only, because definitions are replaced at random."""
    with connected() as (_process, client):
        yield client


def run(api: Api, folder: Path, *options: str) -> None:
    token = api.tokens["access_token"]
    command = [
        *[sys.executable, "-m", "schemathesis.cli", "run", str(DESCRIPTION)],
        *["--url", api.url("").removesuffix(PREFIX)],
        *["--header", f"Authorization: Bearer {token}"],
        *["--seed", SEED, "--checks", ",".join(CHECKS), "--no-shrink", "--continue-on-failure", "--warnings", "off"],
        *["--generation-database", "none", "--suppress-health-check", "all", *options],
    ]
    environment = {**os.environ, "NO_COLOR": "1", "HYPOTHESIS_STORAGE_DIRECTORY": str(folder)}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=SECONDS * 5, check=False
    )
    assert done.returncode == 0, done.stdout[-12_000:] + done.stderr[-3_000:]
    assert api.get("/users").status_code == 200


@pytest.mark.timeout(SECONDS * 6)
def test_no_finding(api: Api, tmp_path: Path) -> None:
    run(api, tmp_path, *["--phases", "fuzzing", "--max-examples", "100" if LONG else "1"], *WITHOUT_SIGNING_OUT)


@pytest.mark.sample(0)
@pytest.mark.timeout(SECONDS * 6)
def test_no_finding_at_the_limits_of_each_value(api: Api, tmp_path: Path) -> None:
    some = [] if LONG else ["--include-operation-id-regex", SOME_OPERATIONS]
    run(api, tmp_path, *["--phases", "examples,coverage"], *some, *WITHOUT_SIGNING_OUT)


@pytest.mark.sample(0)
@pytest.mark.timeout(SECONDS * 6)
def test_no_finding_in_a_row_of_requests(api: Api, tmp_path: Path) -> None:
    """Each request uses the results of earlier requests: read, change, delete, look up again."""
    run(api, tmp_path, *["--phases", "stateful", "--max-examples", "100" if LONG else "1"], *WITHOUT_SIGNING_OUT)
