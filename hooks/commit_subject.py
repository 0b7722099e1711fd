# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check the subject of a commit message, as a hook of the stage commit-msg."""

from __future__ import annotations

import sys
from pathlib import Path

LONGEST = 72


def problems(message: str) -> list[str]:
    """Return what is wrong with the subject of a message. Git's own subjects of merges and fixups pass."""
    lines = [line for line in message.splitlines() if not line.startswith("#")]
    subject = lines[0] if lines else ""
    if subject.startswith(("Merge ", "Revert ", "fixup! ", "squash! ", "amend! ")):
        return []
    found = []
    if not subject.strip():
        found.append("the subject is empty; expected what the commit does, as an imperative")
    if len(subject) > LONGEST:
        found.append(f"the subject has {len(subject)} characters; expected at most {LONGEST}")
    if ":" in subject:
        found.append("the subject has a colon; write one sentence without it")
    if subject.endswith("."):
        found.append("the subject ends with a full stop; leave it out")
    if len(lines) > 1 and lines[1].strip():
        found.append("the second line is not empty; expected an empty line below the subject")
    return found


if __name__ == "__main__":
    wrong = problems(Path(sys.argv[1]).read_text(encoding="utf-8"))
    for words in wrong:
        print(f"commit message: {words}")
    sys.exit(bool(wrong))
