# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Build the documentation site into .build/docs/html, offline; a warning is an error."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import documentation
from project import BUILD, ROOT, call

NAME = "community.seventhings"
SITE = BUILD / "docs"
SOURCE = SITE / "rst"

# Appended to the generated Sphinx settings: no downloads, and plain links to Ansible's own documentation.
_SETTINGS = f"""
import sys

sys.path.insert(0, {str(Path(__file__).parent)!r})
intersphinx_mapping = {{}}
extensions.append('ansible_references')
html_static_path = ['static']
html_css_files = ['site.css']
"""

_REPOSITORY = "https://github.com/ansible-collections/community.seventhings"
_IMAGES = f"{_REPOSITORY}/raw/main/docs/images/"

# Make long plugin names and wide tables fit a phone.
_STYLE = """
@media (max-width: 768px) {
  .rst-content h1 { font-size: 1.4rem; overflow-wrap: anywhere; }
  .rst-content h2, .rst-content h3 { font-size: 1.15rem; overflow-wrap: anywhere; }
}
.rst-content .wy-table-responsive table td, .rst-content .wy-table-responsive table th { white-space: normal; }
.rst-content code, .rst-content a { overflow-wrap: anywhere; white-space: normal; }
.rst-content pre code { white-space: pre; }
.rst-content details.connection { margin: 0 0 24px; }
.rst-content details.connection summary { cursor: pointer; font-weight: 700; padding: 8px 0; }
.rst-content .wy-table-responsive { overflow-x: auto; }
.rst-content img { max-width: 100%; height: auto; }
"""

_LEAD = """What do you want to do?
-----------------------

.. include:: docsite/guide_start.rst
   :start-after: .. begin

"""


_CONNECTION = list(documentation.fragment("connection_plugin")["options"])
_ROW = re.compile(r"^(?=  \* - \.\. raw:: html$)", re.MULTILINE)
_AFTER_OPTIONS = re.compile(r"^\.\. (?:Attributes|Notes|Seealso|Examples)$", re.MULTILINE)
_OPTION = re.compile(r'class="ansibleOptionAnchor" id="parameter-(\w+)"')
_FOLDED = """
.. raw:: html

  <details class="connection"><summary>Connection options, the same for all modules</summary>

:ref:`ansible_collections.community.seventhings.docsite.guide_connection` shows how to write them once for a play.

{table}

.. raw:: html

  </details>

"""


def fold_connection(page: str) -> str:
    """Put a plugin's own options first, and fold the options that all plugins have."""
    before, heading, rest = page.partition(".. Options\n")
    after = _AFTER_OPTIONS.search(rest)
    if after is None:
        return page
    head, *rows = _ROW.split(rest[: after.start()])
    shared = [row for row in rows if (option := _OPTION.search(row)) and option[1] in _CONNECTION]
    if not shared:
        return page
    own = [row for row in rows if row not in shared]
    title, start, columns = head.partition(".. list-table::")
    table = head + "".join(own) if own else title
    folded = _FOLDED.format(table=start + columns + "".join(shared))
    return before + heading + table + folded + rest[after.start() :]


def _localise() -> None:
    """Adapt the pages of antsibull-docs to this site.

    Add the pictures, a link to the source of each page, and a first page.
    """
    (SITE / "static").mkdir()
    (SITE / "static" / "site.css").write_text(_STYLE, encoding="utf-8")
    shutil.copytree(ROOT / "docs" / "images", SOURCE / "images")
    for page in SOURCE.rglob("*.rst"):
        text = page.read_text(encoding="utf-8").replace(_IMAGES, "/images/")
        # antsibull-docs finds the collection through a link, and treats the link as a path of the repository.
        text = re.sub(r"(/edit/main/)(?:\.\./)*\.build/link/ansible_collections/community/seventhings/", r"\1", text)
        text = fold_connection(text)
        if page.parent.name == "docsite":
            text = f":github_url: {_REPOSITORY}/edit/main/docs/docsite/rst/{page.name}\n\n{text}"
        page.write_text(text, encoding="utf-8")
    index = SOURCE / "index.rst"
    text = index.read_text(encoding="utf-8")
    text = text.replace(NAME.title(), NAME, 1)
    index.write_text(text.replace("Description\n-----", f"{_LEAD}Description\n-----", 1), encoding="utf-8")


def main() -> None:
    shutil.rmtree(SITE, ignore_errors=True)
    SOURCE.mkdir(parents=True)
    # antsibull-docs rejects directories that other users can write to.
    SITE.chmod(0o700)
    SOURCE.chmod(0o700)
    shared = ["--use-current", "--squash-hierarchy", "--fail-on-error"]
    call("antsibull-docs", "sphinx-init", *shared, "--dest-dir", SITE, "--project", NAME, "--title", NAME, NAME)
    with (SITE / "conf.py").open("a") as file:
        file.write(_SETTINGS)
    config = SITE / "antsibull-docs.cfg"
    call("antsibull-docs", "--config-file", config, "collection", *shared, "--dest-dir", SOURCE, NAME)
    _localise()
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
    # The schemas name an address on this site.
    shutil.copytree(ROOT / "docs" / "schema", SITE / "html" / "schema" / "v1")
    print(f"Open {(SITE / 'html' / 'index.html').relative_to(ROOT)}")


if __name__ == "__main__":
    main()
