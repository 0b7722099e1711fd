# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""On a Python that is too old, a module says which version it needs."""

from __future__ import annotations

import ast
import json
import sys
from pathlib import Path

import interpreters
import playbook
import pytest
from project import ROOT

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module import python_floor
from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.registry import MODULES

PLUGINS = ROOT / "plugins"
OLDEST_STARTED = (3, 8)
"""The oldest Python on which a supported ansible-core starts modules."""
GUARD = PLUGINS / "module_utils" / "ansible_module" / "python_floor.py"
SEAM = PLUGINS / "module_utils" / "ansible_module" / "registry.py"


def read(path: Path) -> list[ast.stmt]:
    """Return the statements of a file as the oldest Python reads them, without docstrings."""
    tree = ast.parse(path.read_text("utf-8"), feature_version=OLDEST_STARTED)
    return tree.body[1:] if isinstance(tree.body[0], ast.Expr) else tree.body


@pytest.mark.parametrize("name", sorted(MODULES))
def test_a_module_imports_nothing_but_the_seam(name: str) -> None:
    imported = [
        statement.module
        for statement in read(PLUGINS / "modules" / f"{name}.py")
        if isinstance(statement, ast.ImportFrom)
    ]
    assert imported == ["ansible_collections.community.seventhings.plugins.module_utils.ansible_module.registry"]


def test_the_python_version_is_checked_before_any_import() -> None:
    first, second, third = read(SEAM)[:3]
    assert ast.unparse(first) == "from __future__ import annotations"
    assert ast.unparse(second) == "from .python_floor import require_python"
    assert ast.unparse(third) == "require_python()"


def test_the_version_check_runs_on_old_pythons() -> None:
    imported = [statement for statement in read(GUARD) if isinstance(statement, (ast.Import, ast.ImportFrom))]
    assert list(map(ast.unparse, imported)) == ["from __future__ import annotations", "import json", "import sys"]


@pytest.mark.parametrize("version", [(3, 8, 18), (3, 9, 2), (3, 10, 13)])
def test_an_old_python_is_reported_as_ansible_wants_it(
    version: tuple[int, int, int], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "version_info", version)
    monkeypatch.setattr(sys, "executable", "/usr/bin/python3")
    with pytest.raises(SystemExit) as ended:
        python_floor.require_python()
    assert ended.value.code == 1
    report = json.loads(capsys.readouterr().out)
    dotted = ".".join(map(str, version))
    assert report == {
        "failed": True,
        "changed": False,
        "msg": "community.seventhings needs Python 3.11 or newer where its modules run; this is Python "
        f"{dotted} at /usr/bin/python3. Set ansible_python_interpreter to a newer one.",
    }


@pytest.mark.parametrize("version", [(3, 11, 0), (3, 13, 1), (4, 0, 0)])
def test_a_supported_python_passes_the_check(
    version: tuple[int, int, int], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "version_info", version)
    python_floor.require_python()
    assert capsys.readouterr().out == ""


def test_the_requirement_is_the_one_that_the_readme_states() -> None:
    assert f"Python {'.'.join(map(str, python_floor.FLOOR))} or newer" in (ROOT / "README.md").read_text("utf-8")


@pytest.mark.sample(0)
@pytest.mark.slow
def test_a_task_on_an_old_python_fails_with_a_message_and_no_traceback(tmp_path: Path) -> None:
    old = {minor: path for minor, path in interpreters.find().items() if OLDEST_STARTED <= (3, minor) < (3, 11)}
    # On a machine without an old Python, the tests above cover this.
    tasks = [
        {
            "name": f"Python 3.{minor}",
            "community.seventhings.room_info": {"base_url": "http://127.0.0.1:9", "access_token": "x"},
            "vars": {"ansible_python_interpreter": str(path)},
            "ignore_errors": True,
        }
        for minor, path in old.items()
    ]
    play = {"hosts": "localhost", "gather_facts": False, "tasks": tasks}
    done = playbook.run(tmp_path, [play])
    for minor in old:
        failed = done.named(f"Python 3.{minor}")
        assert failed.failed
        assert f"needs Python 3.11 or newer where its modules run; this is Python 3.{minor}." in failed["msg"]
        assert "Traceback" not in str(failed.data)
