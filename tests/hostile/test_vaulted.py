# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Vaulted text appears nowhere.

A pull request may use ciphertext from the repository in any way. The tests check real ``ansible-playbook`` processes at
-vvvv, every report and every written file, with any answer of the service.
"""

from __future__ import annotations

import base64
import http.server
import json
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import playbook
import pytest
import requests
from ansible.parsing.vault import VaultLib, VaultSecret
from emulator_process import Emulator
from trust import IS_TEXT_A_TEMPLATE

from ansible_collections.community.seventhings.plugins.plugin_utils.action.documented import documented_spec

PASSWORD = "open sesame"
MARK = "Zq7mark"
"""Every vaulted text contains it."""

_VAULT = VaultLib([("default", VaultSecret(PASSWORD.encode()))])
_SETTINGS = "api: seventhings/v1\nset: hostile\n"
_REPORTS = ("md", "html", "json")


def _vaulted(text: str) -> str:
    return str(_VAULT.encrypt(text).decode())


@pytest.fixture
def service(empty_emulator: Emulator) -> Emulator:
    """Return an empty instance."""
    empty_emulator.reset()
    return empty_emulator


def _write(directory: Path, files: Mapping[str, str]) -> Path:
    for name, text in {"instance.yml": _SETTINGS, **files}.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return directory


def _task(name: str, check: bool = False, module: str = "instance", **options: Any) -> dict[str, Any]:
    connection = {} if module == "instance_validate" else {"rate_limit": 0, "timeout": 5, "tuning": {"retries": 0}}
    if module == "instance_validate":
        options = {name: value for name, value in options.items() if name in documented_spec("instance_validate")}
    return {
        "name": name,
        f"community.seventhings.{module}": {**connection, **options},
        "check_mode": check,
        "diff": True,
        "ignore_errors": True,
    }


def _tasks(src: Path, out: Path, name: str, **options: Any) -> list[dict[str, Any]]:
    """Return tasks for everything that can be done with a directory: offline, plan, apply, in every format."""
    common = {"src": str(src), "journal": str(out / "journal"), **options}
    return [
        *(
            _task(f"{name}: {module} {ending}", True, module, report=str(out / f"{module}.{ending}"), **common)
            for ending in _REPORTS
            for module in ("instance_validate", "instance")
        ),
        _task(f"{name}: plan", True, plan_file=str(out / "acme.plan"), **common),
        _task(f"{name}: apply the plan", plan_file=str(out / "acme.plan"), **common),
        _task(f"{name}: apply", report=str(out / "applied.html"), **common),
    ]


def _run(
    directory: Path, tasks: list[dict[str, Any]], service: Emulator, play: Mapping[str, Any] | None = None
) -> playbook.Run:
    directory.mkdir(parents=True, exist_ok=True)
    password = directory / "password"
    password.write_text(PASSWORD, "utf-8")
    plays = [{"hosts": "localhost", "connection": "local", "gather_facts": False, **(play or {}), "tasks": tasks}]
    return playbook.run(
        directory, plays, "-vvvv", "--diff", "--vault-password-file", str(password), variables=service.variables()
    )


def _spellings(text: str) -> list[str]:
    whole = [base64.b64encode(text.encode()[start:]).decode()[:8] for start in range(3)]
    return [text.casefold(), *(text.casefold() for text in whole)]


def _assert_hidden(run: playbook.Run, *directories: Path) -> None:
    """Check that nothing that was printed, returned or written contains the mark."""
    texts = {"output": run.output, "results": json.dumps([result.data for result in run.results])}
    for directory in directories:
        texts |= {str(path): path.read_text("utf-8", "replace") for path in directory.rglob("*") if path.is_file()}
        texts |= {f"name of {path}": str(path.relative_to(directory)) for path in directory.rglob("*")}
    for where, text in texts.items():
        shown = [spelling for spelling in _spellings(MARK) if spelling in text.casefold()]
        assert not shown, (where, text[max(0, text.casefold().find(shown[0]) - 300) :][:600])


# ---- ciphertext that was copied

PLAINTEXTS = {
    "one text": f"{MARK}-Pa55",
    "a file of variables": f"db_password: {MARK}-one\napi_key: '{MARK}-two'\nport: {MARK}\n",
    "a list of variables": f"- name: {MARK}-admin\n  password: {MARK}-three\n- {MARK}\n",
    "templates": f"a: '{{{{ {MARK} }}}}'\nb: !x{MARK} '{{% {MARK} %}}'\nc: *{MARK}\n",
    "a table": f'{MARK};{MARK}2;{MARK}\n{MARK}-a;[{MARK};{{"{MARK}\n',
    "quoted": f'"{MARK}\n"{MARK}";"x"{MARK}\n',
    "JSON": json.dumps({MARK: {f"{MARK}-inner": f"{MARK}-value"}, "list": [MARK]}) + "\n",
    "JSON twice": f'{{"{MARK}": 1, "{MARK}": 2}}\n{{"{MARK}\n',
    "settings": f"api: seventhings/v1\ninstance: https://{MARK}.example\nset: {MARK}\ntimezone: {MARK}\n"
    f"identity: {{objects: [{MARK}]}}\nscope: {{rooms: {{{MARK}: [{MARK}]}}}}\n"
    f"policy: {{limits: {{{MARK}: {MARK}}}}}\n",
    "records": f"barcode,inventory_name,{MARK}\n{MARK}-1,{MARK},{MARK}\n",
    "a key": f"-----BEGIN PRIVATE KEY-----\n{MARK}MIIEvQIBADANBgkqhkiG9w0\n-----END PRIVATE KEY-----\n",
    "no text": f"\x00{MARK}\x1b[31m{MARK}\u202e",
}
"""Texts that somebody may have vaulted in the same repository with the same password."""

TARGETS = (
    "instance.yml",
    "moved.yml",
    "fields/asset.yml",
    "fields/room.csv",
    "locations.yml",
    "locations.csv",
    "locations.jsonl",
    "rooms.csv",
    "persons.jsonl",
    "users.yml",
    "objects/x.csv",
    "objects/x.yml",
    "objects/x.jsonl",
    "tasks.yml",
    "rental_cases.csv",
    "hub.csv",
)
_BESIDE = {
    "fields/asset.yml": "- label: '---'\n  type: TEXT\n- label: Pin\n  type: TEXT\n",
    "locations.yml": "- name: Head office\n",
}
"""Plain files that the pull request adds."""


@pytest.mark.sample(1)
@pytest.mark.parametrize("kind", PLAINTEXTS)
def test_ciphertext_copied_into_any_file_of_the_desired_state_is_not_read_out(
    service: Emulator, tmp_path: Path, kind: str
) -> None:
    """A directory with all kinds of mistakes that a pull request can make is validated and planned."""
    tasks = []
    for number, target in enumerate(TARGETS):
        beside = {name: text for name, text in _BESIDE.items() if name.partition(".")[0] != target.partition(".")[0]}
        src = _write(tmp_path / "src" / str(number), {**beside, target: _vaulted(PLAINTEXTS[kind])})
        common = {"src": str(src), "journal": str(tmp_path / "out" / "journal")}
        (tmp_path / "out").mkdir(exist_ok=True)
        ending = _REPORTS[number % len(_REPORTS)]
        tasks += [
            _task(
                f"{target} offline",
                True,
                module="instance_validate",
                report=str(tmp_path / f"out/{number}.{ending}"),
                **common,
            ),
            _task(f"{target} planned", True, report=str(tmp_path / f"out/{number}p.{ending}"), **common),
        ]
    run = _run(tmp_path / "play", tasks, service)
    assert len(run.results) == len(tasks)
    _assert_hidden(run, tmp_path / "out", tmp_path / "play")
    hidden = [
        finding for result in run.results for finding in result.data.get("findings", []) if "(vaulted)" in finding
    ]
    assert all("show_vaulted" in finding for finding in hidden)


def test_one_file_with_the_sections_as_keys_is_not_read_out(service: Emulator, tmp_path: Path) -> None:
    texts = {**PLAINTEXTS, "sections": f"objects: [{{barcode: {MARK}}}]\ninstance: {{set: {MARK}}}\nfields: [{MARK}]\n"}
    tasks = []
    for number, text in enumerate(texts.values()):
        src = tmp_path / f"acme{number}.yml"
        src.write_text(_vaulted(text), "utf-8")
        tasks += [
            _task(f"{number}", True, module="instance_validate", src=str(src)),
            _task(f"{number} p", True, src=str(src)),
        ]
    run = _run(tmp_path / "play", tasks, service)
    assert len(run.results) == len(tasks)
    assert all(result.failed for result in run.results)
    _assert_hidden(run, tmp_path / "play")


# ---- vaulted records

_FIELDS = "- label: Pin\n  type: TEXT\n- label: Papers\n  type: ATTACHMENT\n- label: Size\n  type: NUMBER\n"
_RECORDS = {
    "fields/asset.yml": _FIELDS,
    "locations.yml": _vaulted(f"- name: {MARK} office\n  city: {MARK} city\n"),
    "rooms.yml": "- building_id: Depot\n  number: '1'\n",
    "persons.csv": _vaulted(f"email\n{MARK}@acme.example\n"),
    "users.yml": _vaulted(f"- {MARK}@acme.example\n"),
    "objects/secret.csv": _vaulted(
        f'barcode,inventory_name,Pin,Papers\n{MARK}-1,{MARK} laptop,{MARK}-0815,"[""files/{MARK}.txt""]"\n'
        f"{MARK}-2,{MARK} phone,{MARK}-4711,\n"
    ),
    "objects/plain.yml": "- barcode: '1'\n  inventory_name: Desk\n  Pin: '1'\n",
    "tasks.jsonl": "",
}


def _site(directory: Path, **files: str) -> Path:
    plain = {"locations/more.yml": "- name: Depot\n"}
    vaulted = {**_RECORDS, "locations/secret.yml": _RECORDS["locations.yml"]}
    del vaulted["locations.yml"], vaulted["tasks.jsonl"]
    src = _write(directory, {**vaulted, **plain, **files})
    (src / "files").mkdir(exist_ok=True)
    (src / "files" / f"{MARK}.txt").write_text("paper", "utf-8")
    return src


def test_vaulted_records_are_planned_and_applied_without_being_shown(service: Emulator, tmp_path: Path) -> None:
    src, out = _site(tmp_path / "src"), tmp_path / "out"
    out.mkdir()
    run = _run(tmp_path / "play", _tasks(src, out, "first"), service)
    assert run.named("first: apply the plan")["outcome"] == "changed", run.output[-3000:]
    assert run.named("first: apply")["outcome"] == "unchanged"
    _assert_hidden(run, out, tmp_path / "play")
    changes = run.named("first: plan")["changes"]
    secret = [change for change in changes if "secret.csv" in change["place"]]
    assert [change["key"] for change in secret] == [
        "(vaulted) objects/secret.csv:2:1",
        "(vaulted) objects/secret.csv:3:1",
    ]
    assert set(secret[0]["after"].values()) == {"(vaulted)"}
    (desk,) = [change for change in changes if change["key"] == "1" and change["section"] == "objects"]
    assert desk["after"]["inventory_name"] == "Desk"
    assert {f"{MARK}-1", f"{MARK}-2", "1"} == {
        record["name"] for record in service.steer("GET", "/dump?canonical=1")["objects"]
    }

    # Changed, renamed, taken away: the values that are there now are hidden too.
    _site(
        src,
        **{
            "objects/secret.csv": _vaulted(f"barcode,inventory_name,Pin\n{MARK}-1,{MARK} new,{MARK}-9\n{MARK}-3,x,y\n"),
            "moved.yml": _vaulted(f"objects: [{{from: {{barcode: {MARK}-2}}, to: {{barcode: {MARK}-3}}}}]\n"),
        },
    )
    again = _run(tmp_path / "play", _tasks(src, out, "again"), service)
    assert again.named("again: apply the plan")["outcome"] == "changed", again.output[-3000:]
    _assert_hidden(again, out, tmp_path / "play")


@pytest.mark.parametrize("settings", ["", "tables: [{files: objects.csv, missing_rows: keep}]\n"])
def test_the_key_of_a_row_that_left_a_vaulted_file_is_not_shown(
    service: Emulator, tmp_path: Path, settings: str
) -> None:
    instance = f"api: seventhings/v1\nset: hostile\nset_id: c0ffee5ca1ab1e99\n{settings}"
    for number, rows in enumerate(("-1,one\n{0}-2,two\n", "-2,two\n")):
        table = _vaulted("barcode,inventory_name\n" + MARK + rows.format(MARK))
        places = f"- name: Mill\n{'' if number else '- name: Inn'}\n"
        src = _write(tmp_path / "src", {"instance.yml": instance, "objects.csv": table, "locations.yml": places})
        report = tmp_path / f"play/{number}.json"
        task = _task("run", src=str(src), journal=str(tmp_path / "journal"), report=str(report))
        run = _run(tmp_path / "play", [task], service)
        assert run.named("run")["outcome"] == ("unchanged" if number else "changed")
        assert run.named("run")["reported"].get("locations", []) == ["Inn"] * number
        _assert_hidden(run, tmp_path / "play")


def test_the_key_of_a_record_that_another_set_took_over_is_not_shown(service: Emulator, tmp_path: Path) -> None:
    set_ids = {"one": "c0ffee5ca1ab1e91", "other": "c0ffee5ca1ab1e92"}
    for number, (name, keys) in enumerate((("one", "12"), ("other", "1"), ("one", "2"))):
        settings = f"api: seventhings/v1\nset: {name}\nset_id: {set_ids[name]}\n"
        table = "barcode,inventory_name\n" + "".join(f"{MARK}-{key},Any\n" for key in keys)
        files = {"instance.yml": f"{settings}policy: {{prune: {{objects: delete}}}}\n", "objects.csv": _vaulted(table)}
        src = _write(tmp_path / f"src{number}", files)
        run = _run(tmp_path / "play", [_task("run", src=str(src))], service)
        assert run.named("run")["outcome"] == ("unchanged" if number else "changed")
    _assert_hidden(run)
    assert ["prune leaves" in warning for warning in run.named("run")["warnings"]] == [True]


def test_what_is_wrong_with_vaulted_and_with_plain_records_quotes_nothing_vaulted(
    service: Emulator, tmp_path: Path
) -> None:
    """Examples are duplicates, references, unknown fields, types, and names that are similar to vaulted names."""
    src = _site(tmp_path / "src")
    out = tmp_path / "out"
    out.mkdir()
    first = _run(tmp_path / "play", [_task("apply", src=str(src), journal=str(out / "journal"))], service)
    assert first.named("apply")["outcome"] == "changed"
    wrong = {
        "objects/secret.csv": _vaulted(
            f"barcode,inventory_name,Size,target_room,{MARK}\n{MARK}-1,a,{MARK},{MARK}/x,y\n{MARK}-1,a,5,,\n ,,,,\n"
        ),
        "objects/plain.yml": "- barcode: '1'\n  target_room: off/1\n  Pni: x\n",
        "rooms.yml": f"- building_id: {MARK[:3]} offic\n  number: '1'\n",
        "tasks.yml": _vaulted(f"- title: {MARK}\n  assignees: [{MARK}@x]\n  deadline: {MARK}\n"),
        "moved.yml": _vaulted(f"objects: [{{from: {{barcode: {MARK}}}, to: {{{MARK}: {MARK}}}}}]\n{MARK}: []\n"),
    }
    _site(src, **wrong)
    run = _run(tmp_path / "play", _tasks(src, out, "wrong"), service)
    assert run.named("wrong: apply")["outcome"] == "failed"
    assert any("Pni: no such field" in finding for finding in run.named("wrong: apply")["findings"])
    _assert_hidden(run, out, tmp_path / "play")


# ---- a service that repeats what it is sent


class _Echo(http.server.BaseHTTPRequestHandler):
    """Forward reads, and refuse writes with an error that repeats the whole request, as an instance or a proxy may."""

    target = ""
    status = 400

    def do_GET(self) -> None:
        self._pass_on(b"")

    def do_POST(self) -> None:
        sent = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.path.endswith("/auth_token"):
            self._pass_on(sent)
        else:
            self._answer(self.status, json.dumps({"message": f"does not match {self.path} {sent.decode()}"}).encode())

    do_PATCH = do_PUT = do_DELETE = do_POST

    def _pass_on(self, sent: bytes) -> None:
        if "by-barcode" in self.path:
            self._answer(500, f"<html>{self.path}</html>".encode())
            return
        kept = {name: self.headers[name] for name in ("Authorization", "Accept", "Content-Type") if self.headers[name]}
        with requests.Session() as session:
            session.trust_env = False
            found = session.request(self.command, self.target + self.path, data=sent, headers=kept, timeout=30)
        self._answer(found.status_code, found.content)

    def _answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_args: Any) -> None:
        """Say nothing."""


@pytest.mark.sample(1)
@pytest.mark.parametrize("status", [400, 422, 500])
def test_a_service_that_repeats_what_it_was_sent_is_not_quoted(service: Emulator, tmp_path: Path, status: int) -> None:
    handler = type("Echo", (_Echo,), {"target": service.base_url, "status": status})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    files = {
        "locations.yml": _vaulted(f"- name: {MARK} office\n"),
        "persons.yml": _vaulted(f"- email: {MARK}@acme.example\n"),
        "tasks.yml": "",
    }
    src, out = _write(tmp_path / "src", files), tmp_path / "out"
    _write(tmp_path / "objects", {"objects.yml": _vaulted(f"- barcode: {MARK}/1\n")})
    out.mkdir()
    options: dict[str, Any] = {
        "base_url": f"http://127.0.0.1:{server.server_address[1]}",
        "journal": str(out / "journal"),
    }
    tasks = [
        _task("apply", src=str(src), report=str(out / "r.html"), **options),
        _task("objects", True, src=str(tmp_path / "objects"), report=str(out / "o.json"), **options),
    ]
    try:
        run = _run(tmp_path / "play", tasks, service)
    finally:
        server.shutdown()
        server.server_close()
    assert run.named("apply")["outcome"] == "failed"
    reasons = [failure["reason"] for failure in run.named("apply")["failures"]]
    assert len(reasons) == 2
    assert all("(vaulted)" in reason for reason in reasons), reasons
    assert run.named("objects").failed
    _assert_hidden(run, out, tmp_path / "play")


# ---- inline

_INLINE = {
    "instance": {"api": "seventhings/v1", "set": "inline"},
    "fields": {"asset": [{"label": "Pin", "type": "TEXT"}]},
}


def _play(**variables: str) -> dict[str, Any]:
    """Return a play whose variables are vaulted; written as a file, because a vaulted value is a YAML tag."""
    return {"vars_files": ["vaulted.yml"], "vars": variables}


def _vaulted_variables(directory: Path, **values: str) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    lines = []
    for name, value in values.items():
        lines += [f"{name}: !vault |", *(f"  {line}" for line in _vaulted(value).splitlines())]
    (directory / "vaulted.yml").write_text("\n".join(lines) + "\n", "utf-8")


@pytest.mark.skipif(not IS_TEXT_A_TEMPLATE, reason="from 2.19 on Ansible knows what was vaulted")
def test_below_2_19_inline_values_need_hide(service: Emulator, tmp_path: Path) -> None:
    _vaulted_variables(tmp_path / "play", pin=f"{MARK}-0815")
    out = tmp_path / "out"
    out.mkdir()
    objects = [{"barcode": "1", "Pin": "{{ pin }}", "inventory_name": "Desk"}]
    options: dict[str, Any] = {"desired": {**_INLINE, "objects": objects}, "journal": str(out / "journal")}
    tasks = [
        _task("refused", **options),
        _task("plan", True, hide=["Pin"], report=str(out / "plan.md"), **options),
        _task("apply", hide=["Pin"], report=str(out / "apply.html"), **options),
    ]
    run = _run(tmp_path / "play", tasks, service, _play())
    _assert_hidden(run, out, tmp_path / "play")
    assert run.named("refused")["msg"].startswith("hide is missing")
    (change,) = [change for change in run.named("plan")["changes"] if change["section"] == "objects"]
    assert change["after"]["Pin"] == "(vaulted)"
    assert run.named("apply")["outcome"] == "changed"


@pytest.mark.skipif(IS_TEXT_A_TEMPLATE, reason="below 2.19 the task names such fields")
def test_inline_values_that_are_vaulted_are_hidden_and_the_others_are_not(service: Emulator, tmp_path: Path) -> None:
    _vaulted_variables(tmp_path / "play", pin=f"{MARK}-0815", barcode=f"{MARK}-2")
    out = tmp_path / "out"
    out.mkdir()
    objects = [
        {"barcode": "1", "Pin": "{{ pin }}", "inventory_name": "Desk"},
        {"barcode": "{{ barcode }}", "Pin": "1", "inventory_name": "x"},
    ]
    options: dict[str, Any] = {"desired": {**_INLINE, "objects": objects}, "journal": str(out / "journal")}
    plan: dict[str, Any] = {"plan_file": str(out / "p.plan"), **options}
    wrong: dict[str, Any] = {"desired": {**_INLINE, "objects": [{"barcode": 1, "Pin": ["{{ pin }}"]}, "{{ pin }}"]}}
    tasks = [
        _task("validate", True, module="instance_validate", **options),
        _task("plan", True, report=str(out / "plan.md"), **plan),
        _task("apply", report=str(out / "apply.html"), **plan),
        _task("wrong", True, **wrong),
        _task("settings", True, desired={"instance": {"api": "seventhings/v1", "set": "{{ pin }}"}, "rooms": []}),
    ]
    run = _run(tmp_path / "play", tasks, service, _play())
    _assert_hidden(run, out, tmp_path / "play")
    first, second = [change for change in run.named("plan")["changes"] if change["section"] == "objects"][::-1]
    if first["key"] != "1":
        first, second = second, first
    assert first["after"] == {"barcode": "1", "Pin": "(vaulted)", "inventory_name": "Desk"}
    assert second["key"] == "(vaulted) desired.objects[1]"
    assert second["after"] == {"barcode": "(vaulted)", "Pin": "1", "inventory_name": "x"}
    assert run.named("apply")["outcome"] == "changed"
    assert {record["name"] for record in service.steer("GET", "/dump?canonical=1")["objects"]} == {"1", f"{MARK}-2"}
    assert run.named("settings").failed


def test_what_is_composed_is_hidden_by_the_name_of_its_field(service: Emulator, tmp_path: Path) -> None:
    _vaulted_variables(tmp_path / "play", pin=f"{MARK}-0815")
    out = tmp_path / "out"
    out.mkdir()
    src = _write(
        tmp_path / "src",
        {"fields/asset.yml": "- {label: Size, type: NUMBER}\n- {label: Wlan, type: TEXT}\n- {label: Pin, type: TEXT}"},
    )
    desired = {
        "objects": [
            {"barcode": "1", "Pin": "pin {{ pin }}", "Wlan": "{{ pin | upper }}", "Size": 5, "inventory_name": "x"}
        ]
    }
    options: dict[str, Any] = {
        "src": str(src),
        "desired": desired,
        "journal": str(out / "journal"),
        "hide": ["Pin", "Wlan"],
    }
    clash = {"objects": [{"barcode": "1", "Size": "{{ pin | upper }}", "Pin": "{{ pin | upper }}"}] * 2}
    tasks = [
        _task("plan", True, plan_file=str(out / "p.plan"), report=str(out / "plan.json"), **options),
        _task("apply", plan_file=str(out / "p.plan"), **options),
        _task(
            "again",
            True,
            report=str(out / "again.md"),
            **{**options, "desired": {"objects": [{"barcode": "1", "Wlan": "x"}]}},
        ),
        _task("wrong", True, **{**options, "desired": clash, "hide": ["Size", "Pin", "barcode"]}),
    ]
    run = _run(tmp_path / "play", tasks, service, _play())
    _assert_hidden(run, out)
    assert run.named("plan")["changes"][-1]["after"] == {
        "barcode": "1",
        "Pin": "(vaulted)",
        "Wlan": "(vaulted)",
        "Size": 5,
        "inventory_name": "x",
    }
    assert run.named("apply")["outcome"] == "changed"
    assert list(run.named("again")["changes"][0]["before"].values()) == ["(vaulted)"]
    assert run.named("wrong")["findings"]
    # A run of its own, because from ansible-core 2.22 on, Ansible masks what an earlier task of a run hid.
    shown = _task(
        "shown", True, show_vaulted=True, **{**options, "desired": {"objects": [{"barcode": "1", "Wlan": "x"}]}}
    )
    found = _run(tmp_path / "play", [shown], service, _play()).named("shown")
    assert list(found["changes"][0]["before"].values()) == [f"{MARK}-0815".upper()]


def test_an_inline_vaulted_scalar_in_a_file_is_refused_and_not_decrypted(service: Emulator, tmp_path: Path) -> None:
    cipher = _vaulted(MARK).replace("\n", "\n    ")
    src = _write(tmp_path / "src", {"objects.yml": f"- barcode: '1'\n  Pin: !vault |\n    {cipher}\n"})
    run = _run(tmp_path / "play", [_task("validate", True, module="instance_validate", src=str(src))], service)
    assert any("!vault: tags are not allowed" in finding for finding in run.named("validate")["findings"])
    _assert_hidden(run, tmp_path / "play")


@pytest.mark.skipif(IS_TEXT_A_TEMPLATE, reason="from 2.19 on Ansible knows what was vaulted")
def test_what_async_would_show_later_is_refused(service: Emulator, tmp_path: Path) -> None:
    _vaulted_variables(tmp_path / "play", pin=f"{MARK}-0815")
    later = {"async": 60, "poll": 1, "ignore_errors": True}
    tasks: list[dict[str, Any]] = [
        {"name": "vaulted", "community.seventhings.location": {"fields": {"name": "{{ pin }}"}}, **later},
        {"name": "plain", "community.seventhings.location": {"fields": {"name": "Depot"}}, **later},
        {"name": "token", "community.seventhings.auth_token": {}, **later},
    ]
    run = _run(tmp_path / "play", tasks, service, _play())
    _assert_hidden(run, tmp_path / "play")
    assert "async is not possible with a vaulted value" in run.named("vaulted")["msg"]
    assert "does not support async" in run.named("token")["msg"]
    assert run.named("plain")["record"]["name"] == "Depot"
    assert len(service.steer("GET", "/dump?canonical=1")["locations"]) == 1
