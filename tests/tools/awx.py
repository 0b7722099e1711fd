# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Test examples/awx with the real modules of awx.awx, taken from the package ansible.

Run ``python tests/tools/awx.py``.
"""

from __future__ import annotations

import os
import shutil
import sys
import zipfile

from project import BIN, BUILD, call

_COLLECTIONS = BUILD / "awx"
_PACKAGE = "ansible ~= 12.3.0"
_FOLDER = "ansible_collections/awx/"


def make() -> None:
    """Extract the collection from the package, once."""
    if _COLLECTIONS.is_dir():
        return
    folder = BUILD / "awx-download"
    shutil.rmtree(folder, ignore_errors=True)
    pip = ("-m", "pip", "--disable-pip-version-check", "download", "--quiet", "--no-deps", "--dest", folder)
    call(sys.executable, *pip, _PACKAGE, env=dict(os.environ))
    with zipfile.ZipFile(next(folder.glob("*.whl"))) as package:
        members = [name for name in package.namelist() if name.startswith(_FOLDER)]
        package.extractall(folder / "unpacked", members)
    (folder / "unpacked").rename(_COLLECTIONS)
    shutil.rmtree(folder)


def main() -> None:
    """Run the tests, and exit with the status of pytest."""
    make()
    call(BIN / "pytest", "-q", "--color=no", "tests/integration/test_awx.py", *sys.argv[1:])


if __name__ == "__main__":
    main()
