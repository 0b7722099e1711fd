# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables that an option names: read like the tables of ``instance.yml``, as records of objects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...module_utils.errors import InvalidInput
from ...module_utils.local.safe_files import Folder
from ...module_utils.model.kinds import OBJECT
from ..desired.desired import DesiredInstance
from ..desired.format_settings import table_of
from ..desired.loading import MAX_SOURCE, load_table
from ..desired.nodes import NO_JINJA, plain_node
from ..desired.positions import Finding, Place
from ..desired.tables import Table

_ENDINGS = (".csv", ".xlsx")


def read_settings(option: str, written: Mapping[str, Any]) -> tuple[Table, list[str]]:
    """Return the settings of a table, and what is wrong with them.

    :param written: an entry of ``tables`` without ``files``.
    """
    wrong: list[str] = []
    table = table_of(plain_node(dict(written), option), option, lambda _node, words: wrong.append(words))
    return replace(table, patterns=("*",)), wrong


def load_named(option: str, path: Path, table: Table) -> DesiredInstance:
    """Return the rows of a CSV file or a workbook. A cell that looks like a template is just a text.

    No rows are a finding, because an empty export is nearly always a mistake.

    :raises InvalidInput: if the file can't be read.
    """
    suffix = path.suffix.lower()
    if suffix not in _ENDINGS:
        raise InvalidInput(f"{option}: {path} ends in {suffix or 'nothing'}; expected {' or '.join(_ENDINGS)}")
    desired = load_table(path, Folder.read_named(option, path, MAX_SOURCE), OBJECT.section, table)
    desired.findings = [finding for finding in desired.findings if not finding.message.endswith(NO_JINJA)]
    if not desired.entries and not desired.findings:
        desired.findings.append(Finding.plain(Place(path.name), "this table has no rows; export it again"))
    other = next((entry for entry in desired.entries if entry.kind is not OBJECT), None)
    if other is not None:
        desired.findings.append(Finding.plain(other.place, "this sheet has the name of another section; rename it"))
    desired.entries = [entry for entry in desired.entries if entry.kind is OBJECT and entry.state == "present"]
    return desired
