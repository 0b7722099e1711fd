# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Build the documentation site into .build/docs/html, offline; a warning is an error."""

from __future__ import annotations

import shutil
from pathlib import Path

from project import BUILD, ROOT, call

NAME = "community.seventhings"
SITE = BUILD / "docs"
SOURCE = SITE / "rst"

# Appended to the generated settings of Sphinx: no downloads, references to Ansible's own documentation as plain links.
_SETTINGS = f"""
import sys

sys.path.insert(0, {str(Path(__file__).parent)!r})
intersphinx_mapping = {{}}
extensions.append('ansible_references')
"""


def main() -> None:
    shutil.rmtree(SITE, ignore_errors=True)
    SOURCE.mkdir(parents=True)
    # antsibull-docs refuses folders that others may write to.
    SITE.chmod(0o700)
    SOURCE.chmod(0o700)
    shared = ["--use-current", "--squash-hierarchy", "--fail-on-error"]
    call("antsibull-docs", "sphinx-init", *shared, "--dest-dir", SITE, "--project", NAME, "--title", NAME, NAME)
    with (SITE / "conf.py").open("a") as file:
        file.write(_SETTINGS)
    config = SITE / "antsibull-docs.cfg"
    call("antsibull-docs", "--config-file", config, "collection", *shared, "--dest-dir", SOURCE, NAME)
    call(
        "sphinx-build",
        "-b",
        "html",
        "-c",
        SITE,
        "-d",
        SITE / "doctrees",
        "-W",
        "--keep-going",
        "-q",
        SOURCE,
        SITE / "html",
    )
    print(f"Open {(SITE / 'html' / 'index.html').relative_to(ROOT)}")


if __name__ == "__main__":
    main()
