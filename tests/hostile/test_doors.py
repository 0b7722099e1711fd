# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Send all payloads through all doors.

Nothing runs, nothing outside is touched, no secret and no control character is printed.

By default this is a sample that takes seconds: each payload is in a record of every kind, so one call meets all of
them. With ``SEVENTHINGS_TEST_LONG``, the whole corpus and random texts are used.
"""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import doors
import hostile_service
import payloads
import pytest
import steps
import yaml
from ansible.parsing.dataloader import DataLoader
from hostile_service import SECRETS, HostileService
from payloads import CANARY, OWN
from project import LONG, ROOT
from set_actions import SPECS, run_set

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.registry import MODULES
from ansible_collections.community.seventhings.plugins.plugin_utils.absorb.action import absorb_instance
from ansible_collections.community.seventhings.plugins.plugin_utils.action.arguments import read_arguments
from ansible_collections.community.seventhings.plugins.plugin_utils.action.documented import documented_spec
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.desired import SECTIONS
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.loading import ENDINGS
from ansible_collections.community.seventhings.plugins.plugin_utils.export.action import export
from ansible_collections.community.seventhings.plugins.plugin_utils.papers.writer import FORMS
from ansible_collections.community.seventhings.plugins.plugin_utils.report.on_screen import on_screen
from ansible_collections.community.seventhings.plugins.plugin_utils.report.text_report import _FORMS
from ansible_collections.community.seventhings.plugins.plugin_utils.stocktake.action import take_stock

CORPUS = payloads.some() + (payloads.mixed(1, 400) if LONG else payloads.mixed(1, 10))
SOME = CORPUS if LONG else CORPUS[::3]
"""The payloads where each needs a call of its own."""
BATCH = 40
"""Number of payloads in one instance."""
BATCHES = [CORPUS[at : at + BATCH] for at in range(0, len(CORPUS), BATCH)]
MODES = sorted(set(hostile_service.MODES) - {"dripping", "bomb"})
"""The modes of the service. Attacks on time or memory have tests of their own."""
_SHARE = 3
"""One pair of a module and a mode in this number is tested in every run."""
CAPS = {"tuning": {"retries": 0, "max_pages": 3}}
"""Small limits, so that an endless list and an outage end soon."""


@dataclass(frozen=True)
class World:
    """A hostile service, the attacked directory, and a directory that must stay untouched."""

    service: HostileService
    inside: Path
    outside: Path

    def snapshot(self) -> dict[str, tuple[float, bytes]]:
        """Return the files outside with their times of change."""
        return {
            str(path.relative_to(self.outside)): (path.lstat().st_mtime, path.read_bytes())
            for path in sorted(self.outside.rglob("*"))
            if path.is_file()
        }

    def variables(self) -> dict[str, str]:
        """Return the environment of a command of Ansible."""
        return {
            "CANARY": CANARY,
            "RAN": str(self.outside / "ran"),
            "SEVENTHINGS_BASE_URL": self.service.base_url,
            "SEVENTHINGS_USERNAME": "u@example.org",
            "SEVENTHINGS_PASSWORD": hostile_service.PASSWORD,
            "SEVENTHINGS_CLIENT_ID": "c",
            "SEVENTHINGS_RATE_LIMIT": "0",
        }


OUTSIDE = "outside-27-secret"


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """Yield a world, and check that nothing outside was touched."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.txt").write_text(OUTSIDE)
    (tmp_path / "inside").mkdir()
    monkeypatch.chdir(tmp_path / "inside")
    with hostile_service.running() as service:
        world = World(service, tmp_path / "inside", outside)
        before = world.snapshot()
        yield world
        assert world.snapshot() == before
        assert sorted(path.name for path in tmp_path.iterdir()) == ["inside", "outside"]


def assert_harmless(results: list[dict[str, Any]], output: str = "") -> None:
    """Check that results, and everything else that was printed, are harmless."""
    output_text = json.dumps(results, default=str, ensure_ascii=False) + output
    for secret in (*SECRETS, CANARY, OWN, OUTSIDE):
        for spelling in hostile_service.spelled(secret):
            assert spelling not in output_text, f"{secret} as {spelling}"
    assert payloads.steering_in_results(results) == []
    assert payloads.steering_in_output(output) == []
    assert "Traceback" not in output


# ---- the table


def test_no_door_misses_its_line() -> None:
    """Every module, report, source of files, format and plugin needs a line, so that these tests cover it."""
    assert set(doors.MODULES) == set(MODULES)
    documented = {path.stem for path in (ROOT / "plugins" / "modules").glob("*.py")}
    assert documented == set(MODULES) | doors.CONTROLLER
    assert set(_FORMS) == doors.REPORTS
    assert set(FORMS) == doors.STOCKTAKE_REPORTS
    assert set(ENDINGS) == doors.SOURCES
    assert set(documented_spec("instance_export")["format"]["choices"]) == doors.FORMATS
    plugins = {
        path.relative_to(ROOT / "plugins").as_posix()
        for folder in ("inventory", "lookup", "filter", "test", "callback", "cache", "vars")
        for path in (ROOT / "plugins" / folder).glob("*.py")
    }
    assert plugins == doors.PLUGINS
    assert all(doors.MODULES.values())


def test_the_corpus_has_every_kind_of_payload() -> None:
    calls = sum(map(len, doors.MODULES.values()))
    print(f"{len(payloads.every())} payloads, {len(CORPUS)} of them and mixed ones here; {calls} calls of modules")
    assert len(payloads.every()) > 130
    assert all(len(texts) >= 3 for texts in payloads.CORPUS.values())
    assert not [text for text in CORPUS if CANARY in text or OWN in text or OUTSIDE in text]


# ---- modules, in this process


def _pairs() -> list[tuple[str, str]]:
    """Return pairs of a module and a mode: all in the long tests, otherwise a sample with each module and each mode."""
    names = sorted(doors.MODULES)
    return [
        (name, mode)
        for row, name in enumerate(names)
        for column, mode in enumerate(MODES)
        if LONG or (row + column) % _SHARE == 0
    ]


@pytest.mark.sample(15)
@pytest.mark.parametrize(("name", "mode"), _pairs())
def test_a_module_with_a_hostile_service(world: World, name: str, mode: str) -> None:
    results = []
    for number, texts in enumerate(BATCHES):
        world.service.texts, world.service.mode = texts, mode
        for row in doors.MODULES[name]:
            for check_mode in (True, False):
                options = {**world.service.options(), **CAPS, **doors.options(row, world.inside / f"{number}")}
                world.service.known.clear()
                results.append(steps.call(name, options, check_mode).data)
    if name == "auth_token":
        results = [{**result, "access_token": "", "refresh_token": ""} for result in results]
    assert_harmless(results)
    for path in world.inside.rglob("*"):
        assert path.resolve().is_relative_to(world.inside)


@pytest.mark.sample(3)
@pytest.mark.parametrize("name", sorted(doors.MODULES))
def test_a_module_with_payloads_in_its_options(world: World, name: str) -> None:
    """Messages contain values that a playbook receives from elsewhere and uses as options."""
    world.service.texts = CORPUS[:BATCH]
    results = []
    for text in SOME:
        for row in doors.MODULES[name]:
            hostile = {key: _replaced(value, text) for key, value in row.items() if key != "dest"}
            dest = {"dest": str(world.inside / "x")} if "dest" in row else {}
            results.append(steps.call(name, {**world.service.options(), **hostile, **dest}, True).data)
    for result in results:
        result.pop("record", None)
    if name != "auth_token":
        assert_harmless(results)


def _replaced(value: Any, text: str) -> Any:
    """Return a value with each of its texts replaced by a payload."""
    if isinstance(value, Mapping):
        return {key: _replaced(member, text) for key, member in value.items()}
    if isinstance(value, list):
        return [_replaced(item, text) for item in value]
    return text if isinstance(value, str) else value


# ---- the instance and its export, in this process


def call(action: str, options: Mapping[str, Any], check_mode: bool) -> dict[str, Any]:
    """Call a module that runs on the controller, as its action does."""
    if action in SPECS:
        return on_screen(run_set(options, check_mode, module=action))
    read = read_arguments(action, documented_spec(action), {}, options)
    assert not read.refusal, read.refusal
    if action == "instance_export":
        return export(read.options, check_mode)
    if action == "stocktake":
        return take_stock(read.options, check_mode, DataLoader(), options)
    if action == "instance_absorb":
        return absorb_instance(read.options, check_mode, DataLoader(), options)
    raise AssertionError(action)


def state(directory: Path, files: Mapping[str, str | bytes]) -> Path:
    """Return a directory of desired files."""
    for name, content in {"instance.yml": "api: seventhings/v1\nset: hostile\n", **files}.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass"))
    return directory


def desired(text: str) -> dict[str, Any]:
    """Return a payload in every text of every section, and in the names of fields."""
    return {
        "instance": {"api": "seventhings/v1", "set": text, "instance": text, "identity": {"objects": [text]}},
        "fields": {"asset": [{"label": text, "type": "TEXT", "comment": text}]},
        "locations": [{"name": text, "city": text, text: text}],
        "rooms": [{"building_id": text, "number": text, "name": text, text: text}],
        "persons": [{"email": text, "first_name": text, text: text}],
        "users": [text, {"email": text}],
        "objects": [{"barcode": text, "inventory_name": text, "actual_room": text, text: text, "documents": [text]}],
        "tasks": [{"title": text, "deadline": text, "assignees": [text], "references": [text], text: text}],
        "rental_cases": [{"title": text, "issue_date": text, "references": [text], "renter": {"type": text}}],
        "hub": [{"object": text, "price": text, text: text}],
        "moved": [{"from": text, "to": text}],
        text: text,
    }


@pytest.mark.sample(6)
@pytest.mark.parametrize("mode", MODES)
def test_the_instance_with_a_hostile_service_and_every_report(world: World, mode: str) -> None:
    results = []
    objects = [{"barcode": str(number), "inventory_name": "New", "actual_room": "x"} for number in range(3)]
    src = state(world.inside / "state", {"objects.yml": yaml.safe_dump(objects)})
    for number, texts in enumerate(BATCHES):
        world.service.texts, world.service.mode = texts, mode
        for form in sorted(doors.REPORTS):
            for check_mode in (True, False):
                report = world.inside / f"{number}{form}"
                options = {**world.service.options(), **CAPS, "src": str(src), "report": str(report), "journal": "j"}
                results.append(call("instance", options, check_mode))
                if report.exists() and form != ".json":
                    # A CSV report begins with a byte order mark.
                    assert [*payloads.steering(report.read_text("utf-8-sig"))] == []
    assert_harmless(results)


def test_payloads_in_every_place_of_an_apply_record(world: World) -> None:
    """Whatever a forged record contains, nothing runs, nothing is deleted, and reports control no terminal."""
    results = []
    for number, text in enumerate(SOME):
        fields = {"barcode": "100001", text: text, "inventory_name": text}
        change = {
            "kind": "object",
            "uuid": doors.OBJECT,
            "key": text,
            "outcome": "done",
            "template": "",
            "keys": ["barcode"],
            "action": "update",
            "before": fields,
            "after": {**fields, "inventory_name": "x"},
            "unarchived": False,
        }
        about = {"set": text, "host": text, "date": "2031-05-31T12:00:00+00:00", "user": text, "version": text}
        record = {
            "version": 1,
            "instance": world.service.base_url,
            "set": text,
            "set_id": "5d1c8e07f3a9b264",
            "plan_digest": "",
            "provenance": about,
            "run": "0" * 64,
            "undoes": "",
            "is_complete": True,
            "changes": [change, {**change, "action": "create", "kind": text}, {**change, "action": "delete"}],
        }
        path, report = world.inside / f"{number}.json.gz", world.inside / f"{number}.md"
        path.write_bytes(gzip.compress(json.dumps(record).encode()))
        options = {
            **world.service.options(),
            "applied": str(path),
            "report": str(report),
            "journal": "j",
        }
        results += [call("instance_undo", options, check_mode) for check_mode in (True, False)]
        if report.exists():
            assert [*payloads.steering(report.read_text("utf-8"))] == []
    assert_harmless(results)


def test_payloads_in_every_place_of_desired_files(world: World) -> None:
    results = []
    for number, text in enumerate(SOME):
        report = str(world.inside / f"{number}.md")
        connection = {**world.service.options(), "report": report, "journal": "journal"}
        source = str(state(world.inside / f"{number}", files_of(text)))
        for wanted in ({"desired": desired(text)}, {"src": source}):
            results += [call("instance_validate", {**wanted, "report": report}, False)]
            results += [call("instance", {**connection, **wanted}, True)]
        if Path(report).exists():
            assert [*payloads.steering(Path(report).read_text("utf-8"))] == []
    assert_harmless(results)


def files_of(text: str) -> dict[str, str | bytes]:
    """Return a payload as YAML, CSV (also as a header), JSON Lines, and as a file name if possible."""
    sections = {
        name: value for name, value in desired(text).items() if isinstance(value, list) and name not in ("moved", text)
    }
    files: dict[str, str | bytes] = {
        f"{name}.yml": json.dumps(value) for name, value in sections.items() if name not in ("objects", "rooms")
    }
    files["rooms.jsonl"] = "".join(json.dumps(record) + "\n" for record in sections["rooms"])
    quoted = text.replace('"', '""')
    files["objects/a.csv"] = f'barcode,"{quoted}"\n"{quoted}","{quoted}"\n'
    name = text.encode("utf-8", "replace").decode()
    if text.strip(".") and not set(text) & {"/", "\0"} and len(name.encode()) < 200:
        files[f"objects/{name}.yml"] = f"- barcode: x\n  {json.dumps(text)}: x\n"
    return files


WITHOUT_USERS = sorted(set(SECTIONS) - {"users"})


@pytest.mark.sample(1)
@pytest.mark.parametrize("form", sorted(doors.FORMATS))
def test_an_export_of_payloads(world: World, form: str) -> None:
    results = []
    for number, texts in enumerate(BATCHES):
        world.service.texts = texts
        dest = world.inside / f"{number}"
        options = {**world.service.options(), "dest": str(dest), "format": form}
        # Files of users reject an invalid e-mail address. The rest of the export is the same.
        results.append(call("instance_export", {**options, "dest": f"{dest}-users", "only": ["users"]}, False))
        result = call("instance_export", {**options, "only": WITHOUT_USERS}, False)
        results.append(result)
        assert not result.get("failed"), result["msg"]
        for path in dest.rglob("*"):
            assert path.resolve().is_relative_to(dest)
            assert path.name.isprintable()
            assert path.is_dir() or path.lstat().st_mode & 0o077 == 0
        for table in dest.rglob("*.csv"):
            cells = [cell for row in csv.reader(table.read_text("utf-8").splitlines(True)) for cell in row]
            assert not [
                cell for cell in cells if cell.startswith(tuple("=+@\t\r-")) and not cell.lstrip("+-").isdigit()
            ]
        again = call("instance_validate", {"src": str(dest)}, False)
        results.append(again)
        assert not again.get("failed"), again["msg"]
    assert_harmless([{**result, "files": {}} for result in results])


UNNAMEABLE = ["{{ own_secret }}", "{# x #}", "\\ud800", "a\\0b", " ", "=1+1", "# x", "!unsafe x", "<<"]
"""Payloads that are not possible names of fields in files, or only in quotes. As values they are allowed."""


@pytest.mark.sample(4)
@pytest.mark.parametrize("form", sorted(doors.FORMATS))
@pytest.mark.parametrize("name", UNNAMEABLE)
def test_a_value_under_a_hostile_name_is_exported_or_reported(world: World, form: str, name: str) -> None:
    world.service.texts = ["x", name]
    dest = world.inside / "out"
    options = {**world.service.options(), "dest": str(dest), "format": form, "only": WITHOUT_USERS}
    result = call("instance_export", options, False)
    again = call("instance_validate", {"src": str(dest)}, False)
    assert not again.get("failed"), again["msg"]
    assert_harmless([{**result, "files": {}}, again])


@pytest.mark.parametrize("name", UNNAMEABLE)
def test_a_value_under_a_hostile_name_is_absorbed_or_reported(world: World, name: str) -> None:
    world.service.texts = ["x", name]
    src = str(state(world.inside / "in", {"objects/here.yml": "- {barcode: '1', inventory_name: x}\n"}))
    into = {"objects": "objects/new.yml", "rooms": "rooms.yml", "locations": "locations.yml"}
    result = call("instance_absorb", {**world.service.options(), "src": src, "into": into}, False)
    again = call("instance_validate", {"src": src}, False)
    assert not again.get("failed"), again["msg"]
    assert_harmless([result, again])


@pytest.mark.sample(1)
@pytest.mark.parametrize("ending", ["csv", "jsonl", "yml"])
@pytest.mark.parametrize("if_deleted", ["keep", "remove", "absent"])
def test_payloads_that_are_absorbed_into_files(world: World, ending: str, if_deleted: str) -> None:
    """Texts of the service become new records, and new values of existing records."""
    results = []
    for number, texts in enumerate(BATCHES):
        world.service.texts = texts
        src = state(world.inside / f"{number}", {"objects/here.yml": "- {barcode: '1', inventory_name: x}\n"})
        into = {"objects": f"objects/new.{ending}", "rooms": f"rooms.{ending}", "locations": f"locations.{ending}"}
        options = {**world.service.options(), "src": str(src), "into": into, "new": "all", "gone": if_deleted}
        planned = call("instance_absorb", options, True)
        result = call("instance_absorb", options, False)
        assert planned.get("patch") == result.get("patch")
        for path in src.rglob("*"):
            assert path.resolve().is_relative_to(src)
            assert path.name.isprintable()
        for table in src.rglob("*.csv"):
            cells = [cell for row in csv.reader(table.read_text("utf-8").splitlines(True)) for cell in row]
            assert not [
                cell for cell in cells if cell.startswith(tuple("=+@\t\r-")) and not cell.lstrip("+-").isdigit()
            ]
        again = call("instance_validate", {"src": str(src)}, False)
        assert not again.get("failed"), again["msg"]
        results += [planned, result, again]
    # Tables have no columns for some of the field names.
    assert ending == "csv" or any(result.get("changed") for result in results), [
        result["msg"][:300] for result in results
    ]
    assert_harmless(results)


# ---- a stocktake, in this process


@pytest.mark.parametrize("mode", MODES)
def test_a_stocktake_of_a_hostile_service_and_every_report(world: World, mode: str) -> None:
    results = []
    scans = world.inside / "scans.csv"
    lines = [["code", "room"], *([text.replace("\0", ""), "x"] for text in CORPUS[:BATCH])]
    with scans.open("w", encoding="utf-8", errors="surrogatepass", newline="") as stream:
        csv.writer(stream).writerows(lines)
    for number, texts in enumerate(BATCHES):
        world.service.texts, world.service.mode = texts, mode
        world.service.known.clear()
        reports = [world.inside / f"{number}{form}" for form in sorted(doors.STOCKTAKE_REPORTS)]
        options = {**world.service.options(), **CAPS, "report": [str(path) for path in reports]}
        results.append(call("stocktake", options, False))
        results.append(call("stocktake", {**options, "scans": str(scans)}, False))
        results.append(call("stocktake", {**options, "accept": texts, "scope": {"objects": {texts[0]: texts}}}, False))
        for path in reports:
            if path.exists() and path.suffix in (".csv", ".html"):
                assert [*payloads.steering(path.read_text("utf-8"))] == []
    assert_harmless(results)
