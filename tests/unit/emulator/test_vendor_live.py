# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The vendor's own live tests, unmodified, from the source archive of its client: all pass, none is skipped.

The archive is downloaded once and stored below ``.build``. If it can't be downloaded, the test is skipped with a
message.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from pathlib import Path

import pytest

from .judge import PREFIX
from .support import running

NAME = "seventhings-customer-api"
KEPT = Path(__file__).resolve().parents[3] / ".build" / "vendor"
DOWNLOAD_SECONDS = 300
COUNTED = ("tests", "failures", "errors", "skipped")
RUN_SECONDS = 300
# Each client waits 0.3 seconds between its requests, so the processors are mostly idle.
AT_ONCE = 6


def archive() -> Path:
    """Return the source archive of the installed version, or skip the test if it can't be downloaded."""
    file = KEPT / f"{NAME.replace('-', '_')}-{version(NAME)}.tar.gz"
    if not file.exists():
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
        command += ["--no-binary", NAME, "--dest", str(KEPT), f"{NAME}=={version(NAME)}"]
        try:
            subprocess.run(command, capture_output=True, check=True, timeout=DOWNLOAD_SECONDS)
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
            pytest.skip(f"not run: the source archive of {NAME} could not be downloaded")
    return file


def counts_of(file: Path, report: Path) -> tuple[Counter[str], str]:
    """Return the results of one test file with its own service, because the tests count all records."""
    command = [sys.executable, "-m", "pytest", "--quiet", "-m", "integration", "-p", "no:cacheprovider"]
    # Its tests use no plugin, and those of this environment took a third of the processor time.
    with running() as emulator:
        about = {**emulator.about, "base_url": emulator.about["base_url"].removesuffix(PREFIX)}
        variables = {f"SEVENTHINGS_{name.upper()}": value for name, value in about.items()}
        done = subprocess.run(
            [*command, f"--junit-xml={report}", str(file)],
            cwd=file.parents[2],
            env={**os.environ, **variables, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
            capture_output=True,
            text=True,
            timeout=RUN_SECONDS,
            check=False,
        )
    suites = ET.parse(report).getroot().iter("testsuite")
    counts = Counter({name: int(suite.get(name, 0)) for suite in suites for name in COUNTED})
    return counts, done.stdout


@pytest.mark.sample(0)
@pytest.mark.slow
def test_the_live_tests_of_the_vendor_pass(tmp_path: Path) -> None:
    shutil.unpack_archive(archive(), tmp_path)
    (tests,) = tmp_path.glob("*/tests/integration")
    files = sorted(tests.glob("test_*.py"))

    with ThreadPoolExecutor(AT_ONCE) as pool:
        ended = list(pool.map(counts_of, files, [tmp_path / f"{file.stem}.xml" for file in files]))

    counts = sum((counted for counted, _output in ended), Counter[str]())
    assert dict(counts) == {"tests": 51}, "\n".join(output[-3000:] for _counted, output in ended)
