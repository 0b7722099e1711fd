# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Local files are uploaded only on purpose.

The author of an instance's files can't read or upload anything outside their directory, can't learn anything about it,
and can't make a run hang.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import stat
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from ansible.parsing.dataloader import DataLoader
from ansible.parsing.vault import VaultLib, VaultSecret
from emulator_process import Emulator
from instance_site import Site
from playbook import run
from set_actions import run_set

from ansible_collections.community.seventhings.plugins.module_utils.client.connection import connect
from ansible_collections.community.seventhings.plugins.module_utils.client.files import (
    MAX_SIZE,
    check_local,
    content_of,
)
from ansible_collections.community.seventhings.plugins.module_utils.errors import (
    InvalidInput,
    SeventhingsError,
)
from ansible_collections.community.seventhings.plugins.module_utils.model.types_links import Attachment
from ansible_collections.community.seventhings.plugins.plugin_utils.apply.uploads import Uploads
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.loading import MAX_SOURCE, load
from ansible_collections.community.seventhings.plugins.plugin_utils.instance.offline import offline_findings
from ansible_collections.community.seventhings.plugins.plugin_utils.layers.given import sources_of

SECRET = "gUe55-mE-n0t"
"""The content of the files outside. No finding and no request may contain it."""

SETTINGS = "api: seventhings/v1\nset: hostile\n"

pytestmark = pytest.mark.timeout(60)


@pytest.fixture
def site(empty_emulator: Emulator, tmp_path: Path) -> Site:
    """Return a directory with a file that may be sent, in a directory with secrets; and an empty instance."""
    empty_emulator.reset()
    (tmp_path / "secret.txt").write_text(SECRET, "utf-8")
    (tmp_path / "secrets").mkdir()
    (tmp_path / "secrets" / "one.yml").write_text(f"- name: {SECRET}\n", "utf-8")
    site = Site(tmp_path / "acme", empty_emulator)
    site.write({"files/fine.txt": b"fine", ".vault_pass": SECRET, "files/.git/config": SECRET})
    return site


def object_with(path: str) -> str:
    """Return an object with one document, as a file of an instance."""
    return "- " + json.dumps({"barcode": "1", "inventory_name": "One", "documents": [path]}) + "\n"


def uploads(site: Site) -> list[str]:
    return [line for line in site.sent() if line.startswith("POST /file")]


def pipe(path: Path) -> None:
    os.mkfifo(path)


def unix_socket(path: Path) -> None:
    # The path of a socket must be short, so bind it from its own directory.
    here = Path.cwd()
    os.chdir(path.parent)
    try:
        with socket.socket(socket.AF_UNIX) as bound:
            bound.bind(path.name)
    finally:
        os.chdir(here)


def device(path: Path) -> None:
    try:
        os.mknod(path, stat.S_IFCHR | 0o600, os.makedev(1, 5))
    except PermissionError:
        pytest.skip("only root makes devices")


def link_to_device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def link_to_nothing(path: Path) -> None:
    path.symlink_to(path.parent / "none")


def link_outside(path: Path) -> None:
    path.symlink_to(next(top for top in path.parents if top.name == "acme").parent / "secrets" / "one.yml")


def link_inside(path: Path) -> None:
    inside = next(top for top in path.parents if top.name == "acme") / "inside.txt"
    inside.write_text("[]\n", "utf-8")
    path.symlink_to(inside)


def folder(path: Path) -> None:
    path.mkdir()


NO_FILES: tuple[Callable[[Path], None], ...] = (
    pipe, unix_socket, device, link_to_device, link_to_nothing, link_outside, link_inside,
)  # fmt: skip


# ---- attachments


@pytest.mark.parametrize(
    ("existing", "missing"),
    [
        ("/etc/passwd", "/etc/no-such-file"),
        ("//etc/passwd", "//etc/no-such-file"),
        ("../secret.txt", "../none.txt"),
        ("files/../../secret.txt", "files/../../none.txt"),
        ("./../secret.txt", "./../none.txt"),
        ("files/../.vault_pass", "files/../.none"),
        ("~/", "~/none"),
        ("~root/.bashrc", "~root/none"),
        (".vault_pass", ".none"),
        ("./.vault_pass", "./.none"),
        ("files/.git/config", "files/.git/none"),
        ("linked/one.yml", "linked/none.yml"),
        ("linked/deep/one.yml", "linked/none/one.yml"),
    ],
)
def test_files_outside_the_directory_or_hidden_are_neither_sent_nor_reported(
    site: Site, existing: str, missing: str
) -> None:
    (site.root / "linked").symlink_to(site.root.parent / "secrets")
    findings = []
    for path in (existing, missing):
        site.write({"objects.yml": object_with(path)})
        result = site.run()
        (finding,) = result.findings
        assert finding.startswith("objects.yml:1:59: documents[0]: ")
        assert result.outcome == "failed"
        findings.append(finding.replace(path, "PATH"))
    assert findings[0] == findings[1]
    assert SECRET not in findings[0]
    assert site.writes() == []


@pytest.mark.parametrize("make", [*NO_FILES, folder])
def test_what_is_no_regular_file_is_never_sent(site: Site, make: Callable[[Path], None]) -> None:
    make(site.root / "files" / "odd.txt")
    site.write({"objects.yml": object_with("files/odd.txt")})
    (finding,) = site.run().findings
    assert finding.startswith("objects.yml:1:59: documents[0]: files/odd.txt is ")
    assert site.writes() == []


@pytest.mark.parametrize(
    "path", ["a\0b", "\ud800", "x" * 300, "files/" * 900 + "x", ".", "files", "./", "files/fine.txt/x"]
)
def test_a_path_that_no_file_can_have_is_a_finding(site: Site, path: str) -> None:
    result = site.run(load(None, {"objects": [json.loads(object_with(path)[2:])]}, files_root=site.root))
    (finding,) = result.findings
    assert finding.startswith("desired.objects[0].documents[0]: ")
    assert site.writes() == []


@pytest.mark.parametrize("make", [pipe, unix_socket, device, link_to_device, folder])
def test_what_a_task_names_and_is_no_regular_file_is_never_waited_for(
    tmp_path: Path, make: Callable[[Path], None]
) -> None:
    """This holds during the check, and also if somebody replaces a checked file."""
    odd = tmp_path / "odd.txt"
    make(odd)
    (problem,) = check_local(Attachment(path=str(odd)), "path")
    assert problem.startswith("path: ")
    with pytest.raises(SeventhingsError, match=r"can't be read any more: odd\.txt|zero is not a regular file"):
        content_of(Attachment(path=str(odd)))


def test_a_file_that_grew_beyond_the_limit_of_the_service_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / "large").open("wb") as large:
        large.truncate(MAX_SIZE + 1)
    with pytest.raises(SeventhingsError, match=f"has more than {MAX_SIZE} bytes"):
        content_of(Attachment(path=str(tmp_path / "large")))


@pytest.mark.parametrize("option", ["client_key", "client_cert", "ca_path"])
@pytest.mark.parametrize("make", [pipe, unix_socket, device, link_to_device, link_to_nothing])
def test_a_key_that_is_no_regular_file_is_never_waited_for(
    tmp_path: Path, option: str, make: Callable[[Path], None]
) -> None:
    """Reading a pipe waits for the other end, and ``/dev/zero`` never ends."""
    make(tmp_path / "key.pem")
    with pytest.raises(InvalidInput, match=f"{option}: .*key.pem"):
        connect({"base_url": "https://acme.test", "access_token": "t", option: str(tmp_path / "key.pem")})


def test_authorities_may_be_a_directory(tmp_path: Path) -> None:
    assert connect({"base_url": "https://acme.test", "access_token": "t", "ca_path": str(tmp_path)})


def test_a_file_above_the_limit_of_the_service_is_not_read(site: Site) -> None:
    with (site.root / "files" / "large.bin").open("wb") as large:
        large.truncate(MAX_SIZE + 1)
    site.write({"objects.yml": object_with("files/large.bin")})
    (finding,) = site.run().findings
    assert finding.endswith("files/large.bin has 52428801 bytes; expected 1 to 52428800")


@pytest.mark.parametrize("path", ["files/fine.txt", "./files/fine.txt", "files//fine.txt", "./~fine.txt", "..fine/a"])
def test_files_inside_the_directory_are_sent(site: Site, path: str) -> None:
    site.write({"~fine.txt": b"fine", "objects.yml": object_with(path)})
    result = site.run()
    if path.startswith(".."):
        assert result.findings[0].endswith("hidden files are never sent")
    else:
        assert (result.findings, len(uploads(site))) == ([], 1)


def test_a_single_file_sends_nothing_hidden_from_beside_it(site: Site) -> None:
    beside = site.root.parent / "beside"
    beside.mkdir()
    (beside / ".vault_pass").write_text(SECRET, "utf-8")
    file = beside / "one.yml"
    for path in (".vault_pass", "../secret.txt", str(beside / ".vault_pass")):
        file.write_text(f"instance: {{api: seventhings/v1}}\nobjects:\n{object_with(path)}", "utf-8")
        assert len(site.run(load(file)).findings) == 1
    assert site.writes() == []
    (beside / "fine.txt").write_text("fine", "utf-8")
    file.write_text(f"instance: {{api: seventhings/v1}}\nobjects:\n{object_with('fine.txt')}", "utf-8")
    assert site.run(load(file)).outcome == "changed"


def test_inline_records_read_local_files_only_from_their_own_directory(site: Site) -> None:
    inline = {"objects": [json.loads(object_with("files/fine.txt")[2:])]}
    for src in (None, site.root):
        (finding,) = site.run(load(src, inline)).findings
        assert finding.endswith("is a local file, and no directory for them is known; set files_root")
    assert site.writes() == []
    assert site.run(load(None, inline, files_root=site.root)).outcome == "changed"
    assert len(uploads(site)) == 1


def test_a_directory_of_its_own_takes_the_place_of_src(site: Site) -> None:
    own = site.root.parent / "own"
    (own / "files").mkdir(parents=True)
    (own / "files" / "mine.txt").write_text("mine", "utf-8")
    (site.root.parent / "linked").symlink_to(own)
    root = site.root.parent / "linked"
    for path, found in {"files/fine.txt": "no such file", "../secret.txt": "leads outside", ".x": "hidden"}.items():
        site.write({"objects.yml": object_with(path)})
        (finding,) = site.run(load(site.root, files_root=root)).findings
        assert found in finding
    site.write({"objects.yml": object_with("files/mine.txt")})
    assert site.run(load(site.root, files_root=root)).outcome == "changed"
    with pytest.raises(InvalidInput, match="is not a directory"):
        load(site.root, files_root=site.root / "none")


@pytest.mark.parametrize("deed", ["link", "pipe", "gone", "linked directory"])
def test_a_file_that_is_swapped_after_it_was_judged_is_not_sent(
    site: Site, monkeypatch: pytest.MonkeyPatch, deed: str
) -> None:
    site.write({"objects.yml": object_with("files/fine.txt") + '- {barcode: "2", inventory_name: Two}\n'})
    fine, secret = site.root / "files" / "fine.txt", site.root.parent / "secret.txt"

    def swap() -> None:
        if deed == "linked directory":
            fine.parent.rename(site.root / "away")
            fine.parent.symlink_to(secret.parent)
            secret.rename(secret.with_name("fine.txt"))
            return
        fine.unlink()
        if deed == "link":
            fine.symlink_to(secret)
        elif deed == "pipe":
            os.mkfifo(fine)

    real = Uploads.upload

    def upload(self: Uploads, attachment: Attachment) -> None:
        swap()
        real(self, attachment)

    monkeypatch.setattr(Uploads, "upload", upload)
    result = site.run()
    assert uploads(site) == []
    (failure,) = result.failures
    assert "files/fine.txt can't be read any more: " in failure["reason"]
    # The other record is created anyway.
    assert result.outcome == "partly_applied"


def test_a_hashed_file_is_sent_as_it_was_hashed_or_not_at_all(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = site.root.parent / "acme.plan"
    site.write({"objects.yml": object_with("files/fine.txt")})
    assert site.plan(plan_file=plan).outcome == "changed"
    real = Uploads.upload

    def upload(self: Uploads, attachment: Attachment) -> None:
        (site.root / "files" / "fine.txt").write_text(SECRET, "utf-8")
        real(self, attachment)

    monkeypatch.setattr(Uploads, "upload", upload)
    result = site.run(plan_file=plan)
    (failure,) = result.failures
    assert "was changed since it was compared" in failure["reason"]
    assert uploads(site) == []


# ---- the files of the instance


SOURCES = (
    "instance.yml",
    "moved.yml",
    "rooms.yml",
    "objects/x.csv",
    "objects/deep/x.jsonl",
    "fields/asset.yml",
    "schema/seventhings.schema.json",
)


@pytest.mark.parametrize("make", NO_FILES)
@pytest.mark.parametrize("name", SOURCES)
def test_a_source_that_is_no_regular_file_is_a_finding(site: Site, name: str, make: Callable[[Path], None]) -> None:
    path = site.root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    make(path)
    (finding,) = map(str, offline_findings(load(site.root)))
    assert finding.startswith(f"{name}: is ")
    assert SECRET not in finding


@pytest.mark.parametrize("name", SOURCES)
def test_a_source_without_end_is_a_finding(site: Site, name: str) -> None:
    path = site.root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as large:
        large.truncate(MAX_SOURCE + 1)
    (finding,) = map(str, offline_findings(load(site.root)))
    assert finding == f"{name}: has more than {MAX_SOURCE} bytes"


@pytest.mark.parametrize("name", ["rooms", "objects", "objects/deep", "fields", "schema"])
@pytest.mark.parametrize("inside", [False, True])
def test_a_directory_that_is_a_link_is_a_finding(site: Site, name: str, inside: bool) -> None:
    path = site.root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    (site.root / "other").mkdir()
    path.symlink_to(site.root / "other" if inside else site.root.parent / "secrets")
    (finding,) = map(str, offline_findings(load(site.root)))
    assert finding.startswith(f"{name}: is a link")
    assert SECRET not in finding


def test_a_single_file_that_is_a_link_or_no_file_is_a_finding(site: Site) -> None:
    for make in (pipe, unix_socket, link_outside, link_to_device, link_to_nothing):
        path = site.root / f"{make.__name__}.yml"
        make(path)
        (finding,) = map(str, load(path).findings)
        assert finding.startswith(f"{path.name}: is ")
        assert SECRET not in finding


def test_the_directory_itself_may_be_a_link(site: Site) -> None:
    site.write({"objects.yml": object_with("files/fine.txt")})
    linked = site.root.parent / "linked"
    linked.symlink_to(site.root)
    assert site.run(load(linked)).outcome == "changed"


def test_hidden_names_and_what_is_no_data_are_left_alone(site: Site) -> None:
    site.write({"objects/fine.yml": object_with("files/fine.txt")})
    for name in (".hidden.yml", "pipe", "pipe.txt"):
        pipe(site.root / "objects" / name)
    pipe(site.root / "pipe.yml")
    link_outside(site.root / "README.md")
    link_outside(site.root / "objects" / ".hidden")
    assert offline_findings(load(site.root)) == []


@contextlib.contextmanager
def as_nobody() -> Iterator[Path]:
    """Yield a directory of the user nobody. If the tests run as root, the block runs as nobody."""
    top = Path(tempfile.mkdtemp())
    user = os.geteuid()
    if user == 0:
        os.chown(top, 65534, 65534)
        os.seteuid(65534)
    try:
        yield top
    finally:
        os.seteuid(user)
        for path in [top, *top.rglob("*")]:
            path.chmod(0o700)
        shutil.rmtree(top)


def test_what_may_not_be_read_is_a_finding(site: Site) -> None:
    with as_nobody() as top:
        for name in ("objects/locked", "fields", "files"):
            (top / name).mkdir(parents=True)
        (top / "instance.yml").write_text(SETTINGS, "utf-8")
        (top / "tasks.yml").write_text("- {title: T, attachments: [files/locked.txt]}\n", "utf-8")
        (top / "rooms.yml").write_text("[]\n", "utf-8")
        (top / "files" / "locked.txt").write_text("x", "utf-8")
        for name in ("objects/locked", "fields", "rooms.yml", "files/locked.txt"):
            (top / name).chmod(0)
        assert list(map(str, offline_findings(load(top)))) == [
            "fields: can't be read: Permission denied",
            "objects/locked: can't be read: Permission denied",
            "rooms.yml: can't be read: Permission denied",
            "tasks.yml:1:28: attachments[0]: files/locked.txt can't be read: Permission denied",
        ]
        top.chmod(0)
        assert list(map(str, load(top).findings)) == [f"{top}: can't be read: Permission denied"]
    assert site.sent() == []


# ---- vaulted files


@pytest.mark.parametrize("text", ["", ";", ";1.1;AES256\n", ";1.1;AES256\nzz\n", ";9;ROT13\n00\n", "\xff\xfe"])
def test_a_file_that_only_looks_vaulted_is_a_finding(site: Site, text: str) -> None:
    site.write({"rooms.yml": b"$ANSIBLE_VAULT" + text.encode("latin-1")})
    loader = DataLoader()
    loader.set_vault_secrets([("default", VaultSecret(b"password"))])
    result = called(site, loader, "instance_validate", src=str(site.root))
    (finding,) = result["findings"]
    assert finding.startswith("rooms.yml: can't be read: it is vaulted, and was not decrypted")


def test_a_link_to_a_vaulted_file_outside_is_not_decrypted(site: Site) -> None:
    vault = VaultLib([("default", VaultSecret(b"password"))])
    (site.root.parent / "vaulted.yml").write_bytes(vault.encrypt(f"- name: {SECRET}\n"))
    (site.root / "rooms.yml").symlink_to(site.root.parent / "vaulted.yml")
    loader = DataLoader()
    loader.set_vault_secrets([("default", VaultSecret(b"password"))])
    result = called(site, loader, "instance_validate", src=str(site.root))
    (finding,) = result["findings"]
    assert finding.startswith("rooms.yml: is a link")
    assert SECRET not in json.dumps(result)


def called(site: Site, loader: Any, module: str = "instance", **options: Any) -> dict[str, Any]:
    """Call a module in this process."""
    given = {**site.service.options(), **options}
    return run_set(given, False, loader, module=module)


# ---- in plays


@pytest.mark.slow
def test_a_pull_request_gets_nothing_out_of_a_real_run(site: Site) -> None:
    records = [
        {"title": str(number), "attachments": [path]}
        for number, path in enumerate(
            ["/etc/passwd", "../secret.txt", ".vault_pass", "files/link.txt", "files/pipe.txt", "~/.ssh/id_rsa"]
        )
    ]
    site.write({"tasks.jsonl": "".join(json.dumps(record) + "\n" for record in records)})
    (site.root / "files" / "link.txt").symlink_to(site.root.parent / "secret.txt")
    (site.root / "rooms.yml").symlink_to(site.root.parent / "secrets" / "one.yml")
    (site.root / "locations").symlink_to(site.root.parent / "secrets")
    pipe(site.root / "files" / "pipe.txt")
    pipe(site.root / "persons.csv")
    play = {
        "hosts": "localhost",
        "gather_facts": False,
        "tasks": [
            {
                "name": module,
                f"community.seventhings.{module}": {"src": str(site.root)},
                "ignore_errors": True,
            }
            for module in ("instance_validate", "instance")
        ],
    }
    done = run(site.root.parent / "play", [play], "-vvv", variables=site.service.variables())
    for module in ("instance_validate", "instance"):
        findings = done.named(module)["findings"]
        assert sorted({finding.split(":")[0] for finding in findings}) == [
            "locations", "persons.csv", "rooms.yml", "tasks.jsonl",
        ]  # fmt: skip
        assert len(findings) == len(records) + 3
    assert SECRET not in done.output
    assert "root:x:" not in done.output
    assert site.writes() == []


@pytest.mark.parametrize("path", ["a\0b", "\ud800"])
def test_a_layer_that_no_path_names_is_reported(path: str) -> None:
    for src in (path, [".", path]):
        with pytest.raises(InvalidInput, match="has a character that file names can't contain"):
            sources_of({"src": src})
