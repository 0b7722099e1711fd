# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One login for all processes of a user."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from processes import ended, forked, kill, note, noted, until

from ansible_collections.community.seventhings.plugins.module_utils.client.connection import connect
from ansible_collections.community.seventhings.plugins.module_utils.client.tokens import Tokens
from ansible_collections.community.seventhings.plugins.module_utils.client.transport import Transport
from ansible_collections.community.seventhings.plugins.module_utils.errors import InvalidInput
from ansible_collections.community.seventhings.plugins.module_utils.local.safe_files import Folder
from ansible_collections.community.seventhings.plugins.module_utils.runtime import places
from ansible_collections.community.seventhings.plugins.module_utils.runtime.store import Store
from ansible_collections.community.seventhings.plugins.module_utils.runtime.token_store import Credentials, TokenStore

from ..support import Clock, FakeTransport, Invocation, answer, refusal

LOGIN = "POST /auth_token"
ROOT = "https://acme.test"
PASSWORD = {"username": "ada.lovelace", "password": "pa55word-geheim", "client_id": "client-7"}
REFRESH = {"refresh_token": "refresh-geheim", "client_id": "client-7"}
ACCOUNT = Credentials(**PASSWORD)


def pairs() -> Iterator[Any]:
    number = 0
    while True:
        number += 1
        yield answer(
            {
                "access_token": f"access-{number}",
                "refresh_token": f"refresh-{number}",
                "expires_in": 3600,
                "user_id": 17,
            }
        )


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    path = tmp_path / "private"
    path.mkdir(0o700)
    return Folder(path, os.geteuid())


@pytest.fixture
def transport() -> FakeTransport:
    granted = pairs()
    return FakeTransport({LOGIN: lambda _call: next(granted), "DELETE /auth_token": answer(None, 204)})


def tokens(folder: Folder, transport: FakeTransport, clock: Clock, root: str = ROOT, **given: str) -> Tokens:
    credentials = Credentials(**given)
    return Tokens(transport, credentials, clock, TokenStore(folder, root, credentials))


def test_a_second_process_uses_the_pair_of_the_first(folder: Folder, transport: FakeTransport, clock: Clock) -> None:
    first, second = (tokens(folder, transport, clock, **PASSWORD) for _number in range(2))
    assert first.current() == second.current() == "access-1"
    assert second.user_id == 17
    assert transport.count(LOGIN) == 1
    assert {"access-1", "refresh-1"} <= transport.secrets


@pytest.mark.parametrize("given", [PASSWORD, REFRESH])
def test_a_pair_that_is_due_is_renewed_with_its_own_refresh_token(
    given: dict[str, str], folder: Folder, transport: FakeTransport, clock: Clock
) -> None:
    tokens(folder, transport, clock, **given).current()
    clock.now += 3600
    assert tokens(folder, transport, clock, **given).current() == "access-2"
    assert transport.calls[-1].body["refresh_token"] == "refresh-1"


@pytest.mark.parametrize(
    "other",
    [
        {"password": "another"},
        {"username": "eve"},
        {"client_id": "client-8"},
        {"root": "https://other.test"},
        {"refresh_token": "refresh-other"},
    ],
)
def test_another_account_signs_in(
    other: dict[str, str], folder: Folder, transport: FakeTransport, clock: Clock
) -> None:
    tokens(folder, transport, clock, **PASSWORD).current()
    assert tokens(folder, transport, clock, **{**PASSWORD, **other}).current() == "access-2"


def test_a_refused_token_is_replaced_once_for_all(folder: Folder, transport: FakeTransport, clock: Clock) -> None:
    first, second = (tokens(folder, transport, clock, **PASSWORD) for _number in range(2))
    assert first.current() == second.current() == "access-1"
    assert first.replace("access-1") == second.replace("access-1") == "access-2"
    assert transport.count(LOGIN) == 2


def test_a_refused_login_clears_the_pair(folder: Folder, transport: FakeTransport, clock: Clock) -> None:
    tokens(folder, transport, clock, **PASSWORD).current()
    refused = FakeTransport({LOGIN: refusal(401)})
    again = tokens(folder, refused, clock, **PASSWORD)
    with pytest.raises(InvalidInput):
        again.grant({"grant_type": "password", **PASSWORD})
    assert tokens(folder, transport, clock, **PASSWORD).current() == "access-2"


def test_asking_for_a_pair_always_asks_the_service_and_shares_it(
    folder: Folder, transport: FakeTransport, clock: Clock
) -> None:
    tokens(folder, transport, clock, **PASSWORD).current()
    tokens(folder, transport, clock, **PASSWORD).grant({"grant_type": "password", **PASSWORD})
    assert transport.count(LOGIN) == 2
    assert tokens(folder, transport, clock, **PASSWORD).current() == "access-2"


def test_the_pair_of_somebody_else_is_not_shared(folder: Folder, transport: FakeTransport, clock: Clock) -> None:
    tokens(folder, transport, clock, **PASSWORD).grant({**PASSWORD, "grant_type": "password", "username": "eve"})
    assert tokens(folder, transport, clock, **PASSWORD).current() == "access-2"


def test_revoking_clears_the_pair(folder: Folder, transport: FakeTransport, clock: Clock) -> None:
    tokens(folder, transport, clock, **PASSWORD).current()
    assert tokens(folder, transport, clock, **PASSWORD).revoke() is True
    assert transport.lines == [LOGIN, "DELETE /auth_token"]
    assert tokens(folder, transport, clock, **PASSWORD).current() == "access-2"


def test_revoking_a_given_token_clears_the_pair_that_it_is_of(
    folder: Folder, transport: FakeTransport, clock: Clock
) -> None:
    access = tokens(folder, transport, clock, **PASSWORD).current()
    assert tokens(folder, transport, clock, access_token=access, client_id="").revoke() is True
    assert tokens(folder, transport, clock, **PASSWORD).current() == "access-2"


def test_a_pair_that_is_not_valid_any_more_is_no_reason_not_to_revoke(folder: Folder, clock: Clock) -> None:
    granted = pairs()

    def revoke(call: Invocation) -> Any:
        return refusal(401) if call.token == "access-1" else answer(None, 204)

    transport = FakeTransport({LOGIN: lambda _call: next(granted), "DELETE /auth_token": revoke})
    tokens(folder, transport, clock, **PASSWORD).current()
    assert tokens(folder, transport, clock, **PASSWORD).revoke() is True
    assert transport.calls[-1].token == "access-2"


def test_a_pair_from_before_the_machine_was_started_is_only_used_to_renew(
    folder: Folder, transport: FakeTransport, clock: Clock
) -> None:
    tokens(folder, transport, clock, **PASSWORD).current()
    clock.now = 5.0
    assert tokens(folder, transport, clock, **PASSWORD).current() == "access-2"
    assert transport.calls[-1].body["grant_type"] == "refresh_token"


# ---- what is kept


def test_what_is_kept_is_for_this_user_alone_and_no_name_or_password_is_in_it(
    folder: Folder, transport: FakeTransport, clock: Clock
) -> None:
    tokens(folder, transport, clock, **PASSWORD).current()
    files = sorted(folder.path.iterdir())
    assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}
    together = b"".join(path.name.encode() + path.read_bytes() for path in files)
    assert not [text for text in PASSWORD.values() if text.encode() in together]
    assert b"access-1" in together


@pytest.mark.parametrize(
    "odd",
    [
        {"access_token": 5, "refresh_token": None, "renew_at": None, "user_id": None, "kept_at": 0},
        {"access_token": "a"},
        {},
        None,
        "garbage",
    ],
)
def test_an_unreadable_pair_counts_as_missing(odd: Any, folder: Folder, transport: FakeTransport, clock: Clock) -> None:
    tokens(folder, transport, clock, **PASSWORD).current()
    with Store(folder).changing("tokens") as facts:
        ((name, kept),) = facts.all("pair").items()
        facts.put(("pair", name, {"proof": kept["proof"], **odd} if isinstance(odd, dict) else odd))
    assert tokens(folder, transport, clock, **PASSWORD).current() == "access-2"


def test_a_broken_file_is_replaced(folder: Folder, transport: FakeTransport, clock: Clock) -> None:
    tokens(folder, transport, clock, **PASSWORD).current()
    (folder.path / "facts-tokens.json").write_bytes(b"\xff" * 100)
    for _number in range(2):
        assert tokens(folder, transport, clock, **PASSWORD).current() == "access-2"


def test_a_pair_that_was_replaced_or_revoked_is_in_no_file(
    folder: Folder, transport: FakeTransport, clock: Clock
) -> None:
    def content() -> bytes:
        return b"".join(path.read_bytes() for path in folder.path.iterdir())

    tokens(folder, transport, clock, **PASSWORD).current()
    assert tokens(folder, transport, clock, **PASSWORD).replace("access-1") == "access-2"
    assert b"access-1" not in content()
    tokens(folder, transport, clock, **PASSWORD).revoke()
    assert b"access-2" not in content()


def test_a_store_that_can_not_be_written_is_no_failure(
    folder: Folder, transport: FakeTransport, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_arguments: object, **_options: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "open", full)
    for number in (1, 2):
        assert tokens(folder, transport, clock, **PASSWORD).current() == f"access-{number}"


# ---- real processes


def test_processes_that_need_a_token_at_once_share_one_login(folder: Folder, tmp_path: Path) -> None:
    def sign_in(_call: Invocation) -> Any:
        note(tmp_path / "logins", os.getpid())
        time.sleep(0.05)
        return answer({"access_token": f"access-{os.getpid()}", "expires_in": 3600})

    def work() -> None:
        signed = Tokens(FakeTransport({LOGIN: sign_in}), ACCOUNT, store=TokenStore(folder, ROOT, ACCOUNT))
        note(tmp_path / "tokens", signed.current())

    assert ended(*[forked(work) for _number in range(8)]) == [0] * 8
    assert len(list(noted(tmp_path / "logins"))) == 1
    assert len(set(noted(tmp_path / "tokens"))) == 1
    assert len(list(noted(tmp_path / "tokens"))) == 8


def test_a_process_killed_while_it_signs_in_blocks_nobody(folder: Folder, tmp_path: Path) -> None:
    def hang(_call: Invocation) -> Any:
        note(tmp_path / "logins", "hangs")
        time.sleep(60)

    def work() -> None:
        Tokens(FakeTransport({LOGIN: hang}), ACCOUNT, store=TokenStore(folder, ROOT, ACCOUNT)).current()

    process = forked(work)
    until(lambda: bool(list(noted(tmp_path / "logins"))))
    kill(process)
    ended(process)
    granted = pairs()
    transport = FakeTransport({LOGIN: lambda _call: next(granted)})
    assert Tokens(transport, ACCOUNT, store=TokenStore(folder, ROOT, ACCOUNT)).current() == "access-1"


# ---- where


@pytest.fixture
def shared(transport: FakeTransport, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the only place that processes share. Every connection sends its requests to the transport."""
    monkeypatch.setattr(Transport, "request", lambda _self, *call, **options: transport.request(*call, **options))
    monkeypatch.setattr(places, "_SESSIONS", tmp_path / "missing")
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "missing"))
    path = tmp_path / "shared"
    path.mkdir(0o700)
    monkeypatch.setenv("SEVENTHINGS_RUNTIME_DIR", str(path))
    return path


def signs_in_again(given: dict[str, str], run_folder: Path | None = None, **options: Any) -> bool:
    """Return True if each of two processes needs a login of its own."""
    first, second = (
        connect({"base_url": ROOT, **given, **options}, run_folder=run_folder).tokens.current() for _number in "12"
    )
    return first != second


def test_tokens_are_shared_unless_that_is_switched_off(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not signs_in_again(PASSWORD)
    assert not signs_in_again(REFRESH)
    assert signs_in_again(PASSWORD, tuning={"token_cache": False})
    monkeypatch.setenv("SEVENTHINGS_TOKEN_CACHE", "0")
    assert signs_in_again(PASSWORD)
    assert not signs_in_again(PASSWORD, tuning={"token_cache": True})
    monkeypatch.setenv("SEVENTHINGS_TOKEN_CACHE", "perhaps")
    with pytest.raises(InvalidInput, match="TOKEN_CACHE: 'perhaps' does not fit"):
        signs_in_again(PASSWORD)
    assert [path.name for path in shared.iterdir() if "token" in path.name] == ["facts-tokens.json"]


def test_without_a_private_place_tokens_stay_in_memory(
    shared: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("SEVENTHINGS_RUNTIME_DIR")
    assert signs_in_again(PASSWORD)
    run_folder = tmp_path / "ansible-local"
    run_folder.mkdir(0o700)
    assert not signs_in_again(PASSWORD, run_folder)
    assert not list(shared.iterdir())


def test_where_nothing_can_be_shared_one_warning_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("SEVENTHINGS_RUNTIME_DIR", str(tmp_path / "file"))
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    monkeypatch.setattr(places, "_SESSIONS", tmp_path / "missing")
    monkeypatch.setattr(places, "_places_of_the_user", lambda: iter(()))
    transport = connect({"base_url": ROOT}).transport
    (message,) = transport.notes()
    assert "not shared" in message
    assert str(tmp_path / "file") in message
    assert transport.notes() == []
