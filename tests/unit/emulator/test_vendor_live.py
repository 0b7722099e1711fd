# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The vendor's own live tests, unmodified, from the source archive of its client: all pass, none is skipped.

The archive is downloaded once and kept below ``.build``. Where it can't be had, the test says so and is skipped.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import xml.etree.ElementTree as ET
from importlib.metadata import version
from pathlib import Path

import pytest

from .judge import PREFIX
from .support import running

NAME = "seventhings-customer-api"
KEPT = Path(__file__).resolve().parents[3] / ".build" / "vendor"
DOWNLOAD_SECONDS = 120
RUN_SECONDS = 300
# Each client waits 0.3 seconds between its requests, so most of the time nobody does anything.
AT_ONCE = "6"


def archive() -> Path:
    """The source archive of the installed version; skips the test where it can't be downloaded."""
    file = KEPT / f"{NAME.replace('-', '_')}-{version(NAME)}.tar.gz"
    if not file.exists():
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
        command += ["--no-binary", ":all:", "--dest", str(KEPT), f"{NAME}=={version(NAME)}"]
        try:
            subprocess.run(command, capture_output=True, check=True, timeout=DOWNLOAD_SECONDS)
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
            pytest.skip(f"not run: the source archive of {NAME} could not be downloaded")
    return file


@pytest.mark.slow
def test_the_live_tests_of_the_vendor_pass(tmp_path: Path) -> None:
    with tarfile.open(archive()) as packed:
        packed.extractall(tmp_path, filter="data")
    (tests,) = tmp_path.glob("*/tests/integration")
    report = tmp_path / "report.xml"
    command = [sys.executable, "-m", "pytest", "--quiet", "-m", "integration", "-n", AT_ONCE, "-p", "no:cacheprovider"]
    with running() as emulator:
        about = {**emulator.about, "base_url": emulator.about["base_url"].removesuffix(PREFIX)}
        variables = {f"SEVENTHINGS_{name.upper()}": value for name, value in about.items()}
        done = subprocess.run(
            [*command, f"--junit-xml={report}", str(tests)],
            cwd=tests.parents[1],
            env={**os.environ, **variables},
            capture_output=True,
            text=True,
            timeout=RUN_SECONDS,
            check=False,
        )

    assert done.returncode == 0, done.stdout[-5000:]
    (suite,) = ET.parse(report).getroot().iter("testsuite")
    counts = {name: int(suite.get(name, 0)) for name in ("tests", "failures", "errors", "skipped")}
    assert counts == {"tests": 51, "failures": 0, "errors": 0, "skipped": 0}
