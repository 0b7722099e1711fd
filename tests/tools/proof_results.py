# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Record the results of the last test run in ``docs/proof.json``, and write the page that shows them.

Run as ``make proof`` after ``make test`` or ``make test-long``, or with the JUnit reports of other runs.
"""

from __future__ import annotations

import argparse
import subprocess
from pathlib import Path

import generate
import proof
from platforms import CORES
from project import BUILD, ROOT


def _head() -> str:
    """Return the short hash of the current commit."""
    words = ["git", "rev-parse", "--short=8", "HEAD"]
    return subprocess.run(words, cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("reports", nargs="*", type=Path, default=sorted((BUILD / "log").glob("*.xml")))
    parser.add_argument("--commit", default=_head(), help="the tested commit, if it is not the present one")
    parser.add_argument("--core", default="", choices=CORES, help="the ansible-core, if it is not that of .venv")
    options = parser.parse_args()
    proof.record(options.reports, options.commit, options.core)
    generate.main()


if __name__ == "__main__":
    main()
