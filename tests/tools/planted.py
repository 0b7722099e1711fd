# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Plant known defects in a copy of the collection, one at a time, and check that a test fails.

Each defect is a plausible mistake in the most important code. Mutation testing changes every operator of some files;
these defects are mistakes that lose records.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from project import BUILD, COLLECTION_PATH, ROOT, environment, tracked_files

WORK = BUILD / "planted"
_SECONDS = 600


@dataclass(frozen=True)
class Defect:
    """A mistake.

    :ivar area: the area of its effect. :ivar file: the file below ``plugins``, without its suffix. :ivar old: a text
        that the file has once. :ivar new: replaces it. :ivar breaks: the consequence for users.
    :ivar test: the test file below ``tests`` that detects it, without its suffix, and the name of a test if other tests
        of the file take long.
    :ivar needs_long: True if only the long run detects it.
    """

    area: str
    file: str
    old: str
    new: str
    breaks: str
    test: str
    needs_long: bool = False

    @property
    def path(self) -> Path:
        """Return the path of the file in which the defect is planted."""
        return Path("plugins", f"{self.file}.py")

    @property
    def selection(self) -> list[str]:
        """Return the arguments with which pytest runs only the test of this defect."""
        file, _separator, name = self.test.partition(":")
        return [f"tests/{file}.py", *(["-k", name] if name else [])]


DEFECTS = (
    Defect(
        "paging",
        "module_utils/client/paging",
        "if not page.by_identity.keys() <= found.keys():",
        "if page.number >= page.size and not page.by_identity.keys() <= found.keys():",
        "A page that is shorter than what was asked for ends the list, so records of a capped list are missing.",
        "unit/rules/test_complete_lists",
    ),
    Defect(
        "paging",
        "module_utils/client/paging",
        "reading.total = page.total if reading.total is None else reading.total",
        "reading.total = page.total",
        "A record that moves to an earlier page while another is deleted is missing.",
        "unit/module_utils/client/test_paging",
    ),
    Defect(
        "paging",
        "module_utils/client/paging",
        "(reading.total != len(reading.found) or reading.is_newest_first)",
        "True",
        "A record that is created on the last page makes up for one that moved to an earlier page.",
        "unit/module_utils/client/test_paging",
    ),
    Defect(
        "paging",
        "module_utils/client/paging",
        "return have.issuperset(map(str, condition.values))",
        "return bool(have)",
        "A look-up of many records without a total ends after the first page that has some of them.",
        "unit/rules/test_complete_lists",
    ),
    Defect(
        "paging",
        "module_utils/client/paging",
        "return reading.total == len(reading.found)",
        "return reading.total >= len(reading.found)",
        "Pages that hold fewer records than the total count as a whole list.",
        "unit/module_utils/client/test_paging",
    ),
    Defect(
        "paging",
        "module_utils/client/paging",
        "if kind.cap and len(found) >= kind.cap:",
        "if kind.cap and len(found) > kind.cap:",
        "A list that the service cuts at its cap counts as whole.",
        "unit/module_utils/client/test_paging",
    ),
    Defect(
        "settling",
        "module_utils/runtime/changes",
        "return min(max(settle - (now - moment), 0.0), settle)",
        "return max(settle - abs(now - moment), 0.0)",
        "A mark from the future, after a clock was set back, is not waited for.",
        "unit/module_utils/runtime/test_creations",
    ),
    Defect(
        "settling",
        "module_utils/runtime/creations",
        "self.clock() + seconds_left(moment, self.now(), self.settle)",
        "self.clock()",
        "A request of an interrupted process takes effect after the record was created a second time.",
        "unit/module_utils/runtime/test_creations",
    ),
    Defect(
        "settling",
        "module_utils/runtime/creations",
        "        return not error.is_lost\n",
        "        return True\n",
        "A mark is cleared although a lost request may still create the record.",
        "unit/module_utils/runtime/test_creations",
    ),
    Defect(
        "settling",
        "plugin_utils/apply/journal",
        "        moments += self.memory.uploading\n",
        "",
        "A file is uploaded twice after an interrupted run.",
        "unit/plugin_utils/apply/test_journal",
    ),
    Defect(
        "journal",
        "plugin_utils/apply/journal",
        "        if run != self.memory.run:\n",
        "        if run:\n",
        "Limits count what an interrupted run created, so a third run is held to another limit than the first.",
        "unit/plugin_utils/apply/test_journal",
    ),
    Defect(
        "journal",
        "plugin_utils/apply/journal",
        "        kinds = (memory.MANAGED, memory.ADOPTED, memory.CREATED,",
        "        kinds = (memory.ADOPTED, memory.CREATED,",
        "A removed record still belongs to the set.",
        "unit/plugin_utils/apply/test_journal",
    ),
    Defect(
        "journal",
        "plugin_utils/apply/journal",
        "self._put((memory.PROTECTED, uuid, is_protected or None))",
        "self._put((memory.PROTECTED, uuid, is_protected))",
        "A record that another set released stays protected for ever.",
        "unit/plugin_utils/apply/test_journal",
    ),
    Defect(
        "sides",
        "plugin_utils/set_plan/baseline",
        "(False, False): BOTH, (True, True): APPLICATION}",
        "(False, False): APPLICATION, (True, True): APPLICATION}",
        "A field that both sides changed is taken from the application, and the edit of the files is lost.",
        "unit/scenarios/test_scenarios:absorb",
    ),
    Defect(
        "limits",
        "plugin_utils/set_plan/limits",
        "        if action == DELETE and section in self.plan.set_sizes:\n",
        "        if action == DELETE and section in ():\n",
        "An emptied file removes a whole set that is a small part of its section.",
        "unit/rules/test_limits_without_state",
    ),
    Defect(
        "limits",
        "plugin_utils/set_plan/limits",
        "CREATE if planned.resumed else DELETE if planned.change.action == ARCHIVE else planned.change.action,",
        "CREATE if planned.resumed else planned.change.action,",
        "No limit counts archived records.",
        "unit/scenarios/test_scenarios:limits/deletions",
    ),
    Defect(
        "limits",
        "plugin_utils/set_plan/limits",
        "        if self.policy.is_capped and in_scope < self.limits.from_existing:\n",
        "        if in_scope < 0:\n",
        "Files lift the limit of the task with a narrow scope.",
        "hostile/test_caps:scope_of_few",
    ),
    Defect(
        "undo",
        "plugin_utils/undo/inverse",
        "        return not changed\n",
        "        return True\n",
        "An undo removes a record that somebody changed since the apply.",
        "unit/scenarios/test_scenarios:undo",
    ),
    Defect(
        "undo",
        "plugin_utils/undo/inverse",
        "elif self._undo.changed_since != FORCE and not self._is_now(schema, key, then, current):",
        "elif self._undo.changed_since == REFUSE and not self._is_now(schema, key, then, current):",
        "An undo overwrites what somebody changed since the apply.",
        "unit/scenarios/test_scenarios:undo",
    ),
    Defect(
        "undo",
        "plugin_utils/undo/removals",
        "        if record.uuid and record.uuid in removed:\n",
        "        if record.uuid:\n",
        "An undo archives an object that another record refers to.",
        "unit/plugin_utils/undo/test_inverse",
    ),
    Defect(
        "undo",
        "plugin_utils/undo/inverse",
        "        if self._undo.is_approved or is_known:\n",
        "        if self._undo.is_approved or is_known or change.uuid:\n",
        "A forged apply record removes records that the set did not create.",
        "unit/plugin_utils/undo/test_undo",
    ),
    Defect(
        "absorb",
        "plugin_utils/absorb/patch",
        'line if line.endswith(b"\\n") else line + _NO_END',
        'line if line.endswith(b"\\n") else line + b"\\n"',
        "The patch of a file whose last line has no end does not apply.",
        "unit/plugin_utils/absorb/test_patch",
    ),
    Defect(
        "absorb",
        "plugin_utils/absorb/absorb",
        "        if side == APPLICATION:\n",
        "        if side in (APPLICATION, UNKNOWN):\n",
        "A record that was never applied counts as changed in the application alone.",
        "unit/scenarios/test_scenarios:absorb",
    ),
    Defect(
        "absorb",
        "plugin_utils/absorb/gone",
        "            id(entry) not in leaving and (id(entry), key) not in self._edit.absorbed\n",
        "            id(entry) not in leaving and (id(entry), key) in self._edit.absorbed\n",
        "A record is removed from the files although others refer to it.",
        "unit/scenarios/test_scenarios:absorb",
    ),
    Defect(
        "absorb",
        "plugin_utils/absorb/gone",
        '        return "" if LIMITED_ACCOUNT in (self._options["allow"] or ()) else self._why_hidden(planned)\n',
        '        return ""\n',
        "Records that the account does not see are removed from the files.",
        "unit/scenarios/test_scenarios:absorb_removes_nothing",
    ),
    Defect(
        "absorb",
        "plugin_utils/set_plan/applied_values",
        "            is_noted &= options.names.get(current.uuid, planned.journal_name) == planned.journal_name\n",
        "            is_noted &= current.uuid in options.names\n",
        "Absorb notes that a record was applied with the key that the application gave it.",
        "unit/scenarios/test_scenarios:absorb",
    ),
    Defect(
        "pace",
        "module_utils/runtime/pace",
        "return min((int(limit) for limit, named_at in self.limits.items()",
        "return max((int(limit) for limit, named_at in self.limits.items()",
        "Processes with different limits together send more than the smallest limit.",
        "unit/module_utils/runtime/test_pace",
    ),
    Defect(
        "pace",
        "module_utils/runtime/pace",
        "        if pause > 0 and sent > self.refused:\n",
        "        if pause > 0:\n",
        "Each of many refused workers slows everybody down, so one refusal costs minutes.",
        "unit/module_utils/client/test_rate_limit",
    ),
    Defect(
        "pace",
        "module_utils/runtime/pace",
        "moment = max(moment, self.sent[-limit] + _WINDOW)",
        "moment = max(moment, self.sent[-limit] + _MINUTE / 2)",
        "Twice the allowed requests are sent in a minute.",
        "unit/module_utils/client/test_rate_limit:never_more",
    ),
    Defect(
        "locks",
        "module_utils/runtime/locks",
        "            if self.is_in_place(descriptor):\n                return True\n            self.close()\n",
        "            return True\n",
        "Two processes own the same lock after a cleaner removed its file.",
        "unit/module_utils/runtime/test_locks",
    ),
    Defect(
        "locks",
        "module_utils/runtime/locks",
        "            if self._opened_by != os.getpid():\n                self._descriptor",
        "            if self._opened_by < 0:\n                self._descriptor",
        "Forked processes share a lock.",
        "unit/module_utils/runtime/test_locks",
    ),
    Defect(
        "facts",
        "module_utils/runtime/store",
        "            file.write(line, kept.end)\n",
        "            file.write(line, kept.start)\n",
        "A process that is killed while it marks a creation loses all marks.",
        "unit/module_utils/runtime/test_facts",
    ),
    Defect(
        "facts",
        "module_utils/runtime/facts",
        "            self._file.cut(self._end)\n            self._file.write",
        "            self._file.write",
        "A shorter line after one that a full disk cut off leaves a part of it.",
        "unit/module_utils/runtime/test_facts",
    ),
    Defect(
        "tokens",
        "module_utils/runtime/token_store",
        'kept.pop("proof") == proof and ',
        'kept.pop("proof") and ',
        "Somebody with a wrong password gets the token of the right one.",
        "unit/module_utils/runtime/test_token_store",
    ),
    Defect(
        "tokens",
        "module_utils/client/tokens",
        "                if kept.access_token == refused:\n",
        "                if not kept.access_token:\n",
        "A token that the service revoked is used again by each process.",
        "unit/module_utils/runtime/test_token_store",
    ),
    Defect(
        "matcher",
        "module_utils/resolve/natural_keys",
        "    return normal_address(value) if ignores_case(kind, [key]) else normal_name(value)\n",
        "    return normal_name(value)\n",
        "A second user is created because an address is written in other letters.",
        "unit/module_utils/resolve/test_natural_keys",
    ),
    Defect(
        "matcher",
        "module_utils/resolve/natural_keys",
        "    if is_equal and unread:\n"
        "        raise _unreadable(record, unread[0], current[unread[0]])\n"
        "    return is_equal\n",
        "    return is_equal and not unread\n",
        "A record exists, its key can't be read, and it is created a second time.",
        "unit/rules/test_odd_answers",
    ),
    Defect(
        "matcher",
        "module_utils/resolve/natural_keys",
        "                if isinstance(value, Unread):\n                    raise _unreadable(record, key, value)\n",
        "                if isinstance(value, Unread):\n                    break\n",
        "A record of a set exists, its key can't be read, and it is created a second time.",
        "unit/module_utils/resolve/test_natural_keys:cannot_be_read",
    ),
    Defect(
        "journal",
        "plugin_utils/instance/run",
        "        if not outcome.has_failed:\n            journal.ended()\n",
        "        journal.ended()\n",
        "A run that failed in part is not resumed, so its limits count what it created itself.",
        "unit/scenarios/test_scenarios:limits/rest_of_a_run",
    ),
    Defect(
        "refusals",
        "plugin_utils/instance/approval",
        "        if now.digest == approved.digest:\n            return True\n",
        "        if now.key == approved.key:\n            return True\n",
        "An approved plan overwrites a record that somebody changed since.",
        "unit/scenarios/test_scenarios:changed_record_refused",
    ),
    Defect(
        "refusals",
        "plugin_utils/instance/approval",
        "left = drop_changes(plan, [*unapproved, *(planned for planned, _change in stale)])",
        "left = drop_changes(plan, [planned for planned, _change in stale])",
        "An apply executes what nobody approved.",
        "unit/scenarios/test_scenarios:approval/not_approved",
    ),
    Defect(
        "refusals",
        "plugin_utils/instance/caps",
        " for name, number in written.limits.items() if number < (most := self._most(name))}",
        " for name, number in written.limits.items() if (most := number) == number}",
        "Files lift the limits of the task.",
        "unit/plugin_utils/instance/test_caps:no_policy_of_the_files",
    ),
)


def prepare(directory: Path) -> Path:
    """Copy the tracked files to a place from which the collection can be imported. Return the copy."""
    shutil.rmtree(directory, ignore_errors=True)
    copy = directory / COLLECTION_PATH
    for path in tracked_files():
        (copy / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / path, copy / path)
    link = copy / ".build" / "link" / COLLECTION_PATH
    link.parent.mkdir(parents=True)
    link.symlink_to(copy)
    return copy


def has_failed(copy: Path, defect: Defect) -> bool:
    """Run the test of a defect in the copy. Return True if it fails.

    :raises RuntimeError: if pytest ran no test.
    """
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-x", "-n", "0", *defect.selection],
        cwd=copy,
        env=environment(PYTHONDONTWRITEBYTECODE="1", **({"SEVENTHINGS_TEST_LONG": "1"} if defect.needs_long else {})),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=_SECONDS,
        check=False,
    )
    if done.returncode not in (0, 1):
        raise RuntimeError(f"{' '.join(defect.selection)} ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return done.returncode == 1


def is_found(copy: Path, defect: Defect) -> bool:
    """Return True if its test finds a defect."""
    path = copy / defect.path
    sound = path.read_text("utf-8")
    path.write_text(sound.replace(defect.old, defect.new), "utf-8")
    try:
        return has_failed(copy, defect)
    finally:
        path.write_text(sound, "utf-8")


def not_found(number: int, defects: Iterable[Defect]) -> list[Defect]:
    """Plant defects in a copy of their own, one after the other. Return those that no test finds.

    :raises RuntimeError: if a test fails without a defect, because then it detects none.
    """
    copy = prepare(WORK / str(number))
    left, sound = [], set()
    for defect in defects:
        if defect.test not in sound and has_failed(copy, defect):
            raise RuntimeError(f"{' '.join(defect.selection)} fails without a defect")
        sound.add(defect.test)
        found = is_found(copy, defect)
        print(f"{'found' if found else 'NOT FOUND'}: {defect.area}: {defect.breaks} ({defect.test})", flush=True)
        left += [] if found else [defect]
    return left


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("areas", nargs="*", help="areas; without any, all")
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    chosen = [defect for defect in DEFECTS if not options.areas or defect.area in options.areas]
    with ThreadPoolExecutor(options.processes) as workers:
        shares = [chosen[number :: options.processes] for number in range(options.processes)]
        left = [defect for found in workers.map(not_found, range(options.processes), shares) for defect in found]
    print(f"{len(chosen) - len(left)} of {len(chosen)} planted defects were found.")
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main())
