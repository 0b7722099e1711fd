# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Make texts safe to print: each stays on its line and looks like what it is.

Everything that the collection prints passes here: errors when they are created, warnings and messages of results when
they are handed to Ansible, and the rest when it is put into a report.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

#: Invisible characters by their properties in Unicode 16.
#:
#: These are the categories of controls (Cc), formats (Cf), surrogates (Cs), and separators of lines and paragraphs (Zl,
#: Zp); ``Default_Ignorable_Code_Point``; and the letters and symbols that are drawn as nothing (blanks, fillers,
#: joiners and the null notehead). Spaces (Zs) look like what they are.
_INVISIBLE = re.compile(
    "["
    "\u0000-\u001f\u007f-\u009f\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890-\u0891\u08e2\u115f-\u1160\u17b4-\u17b5"
    "\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u2d7f\u3164\ud800-\udfff\ufe00-\ufe0f\ufeff\uffa0"
    "\ufff0-\ufffb\U0001107f\U000110bd\U000110cd\U00013430-\U0001343f\U00013441-\U00013442\U00016fe4"
    "\U0001bca0-\U0001bca3\U0001d159\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
    "]"
)

#: The first character of a command that a pipeline would execute from the log of a job.
_TO_A_PIPELINE = re.compile(
    r"""
    \#(?=\#(?:vso|teamcity)?\[)   # Azure Pipelines, TeamCity, and GitHub: anywhere in a line
    | :(?=:(?:add-mask|add-matcher|add-path|debug|echo|endgroup|error|group|internal-set-repo-path|notice
        |remove-matcher|save-state|set-env|set-output|stop-commands|warning)\b)
        # GitHub: where a line begins, and lines are wrapped anywhere
    """,
    re.VERBOSE | re.IGNORECASE,
)


def clean(text: str) -> str:
    """Return a text of a service, a file or another program for printing, as one line.

    A character that ends a line, controls a terminal or a pipeline, reverses the direction of text or is invisible is
    replaced by its JSON escape. So a text in JSON stays the same text.
    """
    if not (text.isascii() and text.isprintable()):
        text = _INVISIBLE.sub(lambda match: json.dumps(match[0])[1:-1], text)
    if "##" in text or "::" in text:
        text = _TO_A_PIPELINE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
    return text


def amount(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun. If no plural is given, it has an s."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def clean_lines(text: str) -> str:
    """Return a text with our own line ends, each line as :func:`clean` returns it."""
    return "\n".join(map(clean, text.split("\n")))


def cleaned(value: Any) -> Any:
    """Return a value in which no text, names of members included, controls a terminal."""
    if isinstance(value, Mapping):
        return {clean(str(name)): cleaned(member) for name, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [cleaned(item) for item in value]
    return clean(value) if isinstance(value, str) else value


def sanitized(result: Mapping[str, Any]) -> dict[str, Any]:
    """Return a result for Ansible with clean ``msg`` and ``warnings``, which Ansible prints as text.

    Everything else is data: playbooks read it as it is, and Ansible prints it as JSON or YAML.
    """
    printed = dict(result)
    if isinstance(result.get("msg"), str):
        printed["msg"] = clean_lines(result["msg"])
    if "warnings" in result:
        printed["warnings"] = [clean(text) for text in result["warnings"]]
    return printed
