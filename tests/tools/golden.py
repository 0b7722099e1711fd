# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Write the golden files of a version.

Run ``python tests/tools/golden.py 1.0.0``.

These are all files that the collection keeps between two runs, as this version writes them. Later versions read them,
or refuse them with a remedy, as ``tests/unit/test_golden.py`` checks. The files of a published version are never
changed.
"""

from __future__ import annotations

import contextlib
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from unittest import mock

from embedded_here import NOW, ROOT_URL, Embedded, Killed, SiteHere
from project import ROOT

from ansible_collections.community.seventhings.plugins.module_utils.local.safe_files import Folder
from ansible_collections.community.seventhings.plugins.module_utils.runtime.creations import Creations
from ansible_collections.community.seventhings.plugins.module_utils.runtime.store import Store
from ansible_collections.community.seventhings.plugins.module_utils.runtime.token_store import (
    Credentials,
    Pair,
    TokenStore,
)
from ansible_collections.community.seventhings.plugins.module_utils.runtime.unpaged import UnpagedLists
from ansible_collections.community.seventhings.plugins.plugin_utils.export import action as exporting
from ansible_collections.community.seventhings.plugins.plugin_utils.instance import run
from ansible_collections.community.seventhings.plugins.plugin_utils.report.text_report import write_report
from ansible_collections.community.seventhings.plugins.plugin_utils.watch.cursor import (
    CursorFile,
    KindState,
    Known,
    State,
)

GOLDEN = ROOT / "tests" / "golden"
FORMATS = ("yaml", "csv", "jsonl", "xlsx")
OBJECTS = {"100001": "Laptop", "100002": "Monitor"}
"""The objects of the instance: barcode to name."""
FILES = {
    "instance.yml": 'api: seventhings/v1\nset: golden\nset_id: "5d1c8e07f3a9b264"\n',
    "fields/asset.yml": "- {label: Warranty until, type: DATE}\n",
    "locations.yml": "- {name: Berlin, city: Berlin}\n",
    "rooms.yml": '- {building_id: Berlin, number: "0.12", name: Lab}\n',
    "objects.csv": "barcode,inventory_name,target_room,Warranty until\n"
    + "".join(f"{barcode},{name},Berlin/0.12,2032-01-31\n" for barcode, name in OBJECTS.items()),
}
RECORD = "applied.json.gz"
INTERRUPTED = "interrupted"
UUID = "0f8fad5b-d9cb-469f-a165-70867728950e"
STATE = State(
    "0123456789abcdef0123456789abcdef",
    {
        "object": KindState(
            "2031-05-31T12:00:00+00:00",
            ["warranty_until"],
            {UUID: Known(7, {"inventory_name": "9f86d081"}, {"warranty_until": "2032-01-31"}, ["2032-01-01"], "")},
        )
    },
)
"""The state of a cursor."""
KEPT = Credentials(username="ada@nordhain.example", password="golden-password", client_id="client")
PAIR = Pair("golden-access-token", "golden-refresh-token", 3600.0, 7, 0.0)


def site(root: Path, embedded: Embedded) -> SiteHere:
    """Return the files for an instance in this process, from which everything is created."""
    site = embedded.site(root)
    site.write(FILES)
    return site


MADE_BY = {"set": "golden", "host": "", "date": NOW.isoformat(), "user": "ada", "version": "1.0.0"}


def runs(folder: Path) -> None:
    """Write plan file, journal, apply record and report."""
    with tempfile.TemporaryDirectory() as work:
        here = site(Path(work), Embedded.started(data="empty"))
        here.plan(plan_file=folder / "plan.json")
        with mock.patch.object(run, "made_by", return_value=MADE_BY):
            result = here.run(journal=folder / "journal", apply_record=folder / RECORD)
        result.made_by = MADE_BY
        # The path of the file differs between machines.
        result.apply_record = result.apply_record_digest = ""
        result.duration = 1.0
        write_report(result, folder / "report.json")
        for name in FORMATS:
            export(here.embedded, folder / "export" / name, name)


def interrupted(folder: Path) -> Embedded:
    """Write journal and apply record of a run that was killed before it got the answer about its room.

    :returns: the instance as that run left it.
    """
    folder.mkdir()
    rehearsal, embedded = Embedded.started(data="empty"), Embedded.started(data="empty")
    with tempfile.TemporaryDirectory() as work, mock.patch.object(run, "made_by", return_value=MADE_BY):
        site(Path(work), rehearsal).run(journal=Path(work) / "rehearsal")
        created = [path.rpartition("/")[2] if method == "POST" else "" for method, path in rehearsal.log]
        embedded.kill_at = -1 - created.index("room")
        with contextlib.suppress(Killed):
            site(Path(work), embedded).run(journal=folder / "journal", apply_record=folder / RECORD)
    embedded.kill_at = 0
    return embedded


def killed(folder: Path) -> None:
    """Write what an interrupted run leaves."""
    interrupted(folder / INTERRUPTED)


def export(embedded: Embedded, dest: Path, name: str) -> None:
    """Write an export in one format."""
    dest.mkdir(parents=True)
    options = {"dest": str(dest), "only": [], "filters": {}, "format": name}
    with mock.patch.object(exporting, "connect", return_value=embedded.client()):
        result = exporting.export(options, False)
    if result.get("failed"):
        sys.exit(str(result["msg"]))
    if name != FORMATS[0]:
        # The schemas are the same in all formats, so keep one copy.
        shutil.rmtree(dest / "schema")


def cursor(folder: Path) -> None:
    """Write the cursor of an event source."""
    file = CursorFile(str(folder / "cursor.jsonl"), ROOT_URL, "inventory")
    file.write(STATE)
    file.close()


def tokens(folder: Path) -> None:
    """Write a pair of tokens, and the key of its directory."""
    (folder / "tokens").mkdir()
    TokenStore(Folder(folder / "tokens"), ROOT_URL, KEPT).keep(PAIR)


def locks(folder: Path) -> None:
    """Write the files that running processes share."""
    (folder / "locks").mkdir()
    shared = Folder(folder / "locks")
    creations = Creations(shared, "golden", now=NOW.timestamp)
    creations.watch(["object"])
    creations.hold(["object"])
    # The process is killed before it gets the answer.
    guard = creations.making("object")
    guard.__enter__()
    UnpagedLists(Store(shared), "golden", NOW.timestamp).note("room", "", 5)


WRITERS: tuple[Callable[[Path], None], ...] = (runs, killed, cursor, tokens, locks)


def write(folder: Path) -> None:
    """Write all golden files into a directory."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for writer in WRITERS:
        writer(folder)


if __name__ == "__main__":
    write(GOLDEN / sys.argv[1])
    print(GOLDEN / sys.argv[1])
