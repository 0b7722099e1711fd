# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Each file of ``forms`` has a result and what every format makes of it.

``SEVENTHINGS_WRITE_FORMS=1 pytest tests/unit/plugin_utils/report`` writes the files again. Read the difference.
"""

from __future__ import annotations

import csv
import html
import io
import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible.plugins.callback import CallbackBase

from ansible_collections.community.seventhings.plugins.plugin_utils.report.csv_report import as_csv
from ansible_collections.community.seventhings.plugins.plugin_utils.report.html_report import as_html
from ansible_collections.community.seventhings.plugins.plugin_utils.report.markdown_report import as_markdown
from ansible_collections.community.seventhings.plugins.plugin_utils.report.on_screen import in_short
from ansible_collections.community.seventhings.plugins.plugin_utils.report.result import RunResult
from ansible_collections.community.seventhings.plugins.plugin_utils.report.sarif_report import as_sarif
from ansible_collections.community.seventhings.plugins.plugin_utils.report.sides import diff_of
from ansible_collections.community.seventhings.plugins.plugin_utils.report.text_report import as_text, in_brief

_FILES = sorted(Path(__file__).with_name("forms").glob("*.yml"))
_HEAD = """# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later
---
"""


def _page(result: RunResult) -> str:
    """Return the text of the page, with a line for each element that is a line."""
    body = as_html(result).partition("<body>")[2]
    text = re.sub(r"<(?:/?(?:h\d|p|li|tr|summary|caption|nav|section|details|ul)\b)[^>]*>", "\n", body)
    lines = html.unescape(re.sub(r"<[^>]*>", " ", text)).splitlines()
    return "\n".join(filter(None, (" ".join(line.split()) for line in lines)))


def _table(result: RunResult) -> str:
    rows = csv.reader(io.StringIO(as_csv(result).removeprefix("\ufeff")))
    return "\n".join(" | ".join(row).rstrip() for row in rows)


def _remarks(result: RunResult) -> str:
    results = json.loads(as_sarif(result))["runs"][0]["results"]
    return "\n".join(f"{found['level']} {found['ruleId']}: {found['message']['text']}" for found in results)


_FORMS: dict[str, Callable[[RunResult], str]] = {
    "text": as_text,
    "brief": lambda result: "\n".join(in_brief(result)),
    "on_screen": in_short,
    "diff": lambda result: CallbackBase()._get_diff(diff_of(result)),
    "markdown": as_markdown,
    "page": _page,
    "csv": _table,
    "sarif": _remarks,
}


def _result(members: dict[str, Any]) -> RunResult:
    given = {"outcome": "changed", "instance": "https://acme.example", "check_mode": True}
    change = {"section": "objects", "uuid": "u", "before": {}, "after": {}, "place": "objects.yml:1:1"}
    changes = [{**change, **one} for one in members.get("changes", ())]
    return RunResult(**{**given, "requests": 12, "duration": 1.25, **members, "changes": changes})


class _Dumper(yaml.SafeDumper):
    """Writes texts of several lines as blocks."""


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_Dumper.add_representer(str, _text)


@pytest.mark.parametrize("path", _FILES, ids=lambda path: path.stem)
def test_every_form_of_a_result_is_as_written(path: Path) -> None:
    written = yaml.safe_load(path.read_text("utf-8"))
    result = _result(written["result"])
    shown = {
        name: "\n".join(line.rstrip() for line in str(form(result)).strip("\n").split("\n"))
        for name, form in _FORMS.items()
    }
    if os.environ.get("SEVENTHINGS_WRITE_FORMS"):
        document = {"shows": written["shows"], "result": written["result"], **shown}
        text = yaml.dump(document, Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=10**6)
        path.write_text(f"{_HEAD}{text}", "utf-8")
        return
    for name, text in shown.items():
        assert text == written[name], name
