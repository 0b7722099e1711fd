# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The documentation in a module file, as it stands there."""

from __future__ import annotations

import ast
from pathlib import Path


def block(path: Path, name: str) -> str:
    """The text of a block (DOCUMENTATION, EXAMPLES or RETURN) of a file."""
    for statement in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(statement, ast.Assign) and [
            target.id for target in statement.targets if isinstance(target, ast.Name)
        ] == [name]:
            return str(ast.literal_eval(statement.value))
    raise LookupError(f"{path.name} has no {name}")
