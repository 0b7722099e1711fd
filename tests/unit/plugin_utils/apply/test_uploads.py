# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Uploads that are noted in the journal: an upload of a killed run is used, and not sent again."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ansible_collections.community.seventhings.plugins.module_utils.errors import NotProcessable, SeventhingsError
from ansible_collections.community.seventhings.plugins.module_utils.model.types_links import Attachment
from ansible_collections.community.seventhings.plugins.plugin_utils.apply.journal import Journal
from ansible_collections.community.seventhings.plugins.plugin_utils.apply.memory import Upload
from ansible_collections.community.seventhings.plugins.plugin_utils.apply.uploads import Uploads

from ...module_utils.support import Clock, FakeTransport, JsonMap, answer, by_uuid, client_on, created, refusal, uuid_of

CONTENT = b"one laptop\n"
WHAT = Upload("invoice.txt", hashlib.sha256(CONTENT).hexdigest())
EARLIER, OTHER, NEW = uuid_of(1), uuid_of(2), uuid_of(3)
POST = "POST /file"


@pytest.fixture
def invoice(tmp_path: Path) -> Attachment:
    path = tmp_path / "invoice.txt"
    path.write_bytes(CONTENT)
    return Attachment(path=str(path), type="text/plain")


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with Journal(tmp_path, "https://acme.test", "set") as opened:
        yield opened


def upload(transport: FakeTransport, journal: Journal, attachment: Attachment, clock: Clock) -> str | None:
    Uploads(client_on(transport, clock), journal).upload(attachment)
    return attachment.uuid


def meta(uuid: str, **more: object) -> JsonMap:
    return {"uuid": uuid, "name": "invoice.txt", "size": len(CONTENT), **more}


def test_what_no_run_uploaded_is_uploaded_and_noted(
    journal: Journal, invoice: Attachment, clock: Clock, tmp_path: Path
) -> None:
    assert upload(FakeTransport({POST: created(3)}), journal, invoice, clock) == NEW
    assert Journal(tmp_path, "https://acme.test", "set").memory.uploads == {WHAT: NEW}


def test_what_an_earlier_run_uploaded_is_taken(journal: Journal, invoice: Attachment, clock: Clock) -> None:
    journal.uploaded(WHAT, EARLIER)
    transport = FakeTransport(
        {f"GET /file/{EARLIER}": by_uuid(meta(EARLIER)), f"GET /file/{EARLIER}/data": answer(CONTENT)}
    )
    assert upload(transport, journal, invoice, clock) == EARLIER
    assert transport.writes == []


@pytest.mark.parametrize("claimed", [EARLIER, "../object/1", "1/data?x="])
def test_another_file_is_never_taken_because_the_journal_says_so(
    journal: Journal, invoice: Attachment, clock: Clock, claimed: str
) -> None:
    journal.uploaded(WHAT, claimed)
    other = {f"GET /file/{EARLIER}": by_uuid(meta(EARLIER)), f"GET /file/{EARLIER}/data": answer(b"somebody's\n")}
    transport = FakeTransport({**other, POST: created(3)})
    assert upload(transport, journal, invoice, clock) == NEW


def test_what_many_records_link_is_uploaded_once(journal: Journal, invoice: Attachment, clock: Clock) -> None:
    transport = FakeTransport({POST: created(3)})
    uploads = Uploads(client_on(transport, clock), journal)
    attachments = [Attachment(path=invoice.path, type="text/plain") for _number in range(20)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(uploads.upload, attachments))
    assert {file.uuid for file in attachments} == {NEW}
    assert transport.count(POST) == 1


def test_what_could_not_be_uploaded_is_tried_again_for_the_next_record(
    journal: Journal, invoice: Attachment, clock: Clock
) -> None:
    transport = FakeTransport({POST: [refusal(422), created(3)]})
    uploads = Uploads(client_on(transport, clock), journal)
    with pytest.raises(NotProcessable):
        uploads.upload(invoice)
    uploads.upload(invoice)
    assert invoice.uuid == NEW


def test_an_upload_of_which_nothing_was_noted_is_looked_for_by_content(
    journal: Journal, invoice: Attachment, clock: Clock
) -> None:
    journal.uploading(WHAT)
    transport = FakeTransport(
        {
            "GET /files": answer(
                [meta(uuid_of(8), name="b.txt"), meta(uuid_of(9), size=3), meta(OTHER), meta(EARLIER)]
            ),
            f"GET /file/{OTHER}/data": answer(b"other stuff"),
            f"GET /file/{EARLIER}/data": answer(CONTENT),
        }
    )
    assert upload(transport, journal, invoice, clock) == EARLIER
    assert transport.writes == []
    assert clock.slept == []


@pytest.mark.parametrize(("newer", "is_warned"), [(19, False), (20, True)])
def test_a_lost_upload_that_may_be_older_than_the_newest_files_is_sent_again_with_a_warning(
    journal: Journal, invoice: Attachment, clock: Clock, newer: int, is_warned: bool
) -> None:
    journal.uploading(WHAT)
    listed = [meta(uuid_of(number), name="other.txt") for number in range(10, 10 + newer)]
    transport = FakeTransport({"GET /files": answer(listed), POST: created(3)})
    assert upload(transport, journal, invoice, clock) == NEW
    assert any("may exist twice" in warning for warning in transport.warnings) is is_warned


def test_a_file_that_is_accounted_for_is_not_taken_for_the_lost_one(
    journal: Journal, invoice: Attachment, clock: Clock
) -> None:
    journal.uploading(WHAT)
    journal.uploaded(Upload("other.txt", "00"), OTHER)
    transport = FakeTransport({"GET /files": answer([meta(OTHER)]), POST: created(3)})
    assert upload(transport, journal, invoice, clock) == NEW
    assert clock.slept == []
    assert transport.count("GET /files") == 1


@pytest.mark.parametrize("listed", [{}, {"items": None}, {"files": []}, [None], [{"name": "invoice.txt"}]])
def test_a_list_of_another_shape_does_not_mean_that_nothing_was_uploaded(
    journal: Journal, invoice: Attachment, clock: Clock, listed: object
) -> None:
    journal.uploading(WHAT)
    transport = FakeTransport({"GET /files": answer(listed), POST: created(3)})
    with pytest.raises(SeventhingsError, match="got something else"):
        upload(transport, journal, invoice, clock)
    assert transport.writes == []
