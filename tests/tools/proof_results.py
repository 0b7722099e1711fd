# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Record the results of the last test run in ``docs/proof.json``, and write the page that shows them.

Run as ``make proof`` after ``make test`` or ``make test-long``, or with the JUnit reports of other runs.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import generate
import proof
from project import BUILD


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("reports", nargs="*", type=Path, default=sorted((BUILD / "log").glob("*.xml")))
    proof.record(parser.parse_args().reports)
    generate.main()


if __name__ == "__main__":
    main()
