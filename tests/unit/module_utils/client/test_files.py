# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files: checks before anything is sent, equal files, and single files of a field."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.registry import (
    Invocation as ModuleCall,
)
from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.registry import run_module
from ansible_collections.community.seventhings.plugins.module_utils.client import files as attachments
from ansible_collections.community.seventhings.plugins.module_utils.client.transport import Response
from ansible_collections.community.seventhings.plugins.module_utils.errors import InvalidInput, SeventhingsError
from ansible_collections.community.seventhings.plugins.module_utils.local.safe_files import Folder
from ansible_collections.community.seventhings.plugins.module_utils.model.types_links import ATTACHMENTS, Attachment
from ansible_collections.community.seventhings.plugins.module_utils.operations.attachments import file
from ansible_collections.community.seventhings.plugins.module_utils.operations.downloads import file_download, report
from ansible_collections.community.seventhings.plugins.module_utils.reconcile.result import Result

from ..support import (
    Clock,
    FakeTransport,
    Invocation,
    JsonMap,
    answer,
    by_uuid,
    client_on,
    created,
    definition,
    listing,
    lost,
    uuid_of,
)

LAPTOP = b"one laptop\n"
FIELDS = [
    definition("barcode", "BARCODE"),
    definition("documents", "ATTACHMENT"),
    definition("cover", "ATTACHMENT", constraints={"max_value": 1}),
    definition("permit", "ATTACHMENT", attributes={"mandatory": "yes"}),
]


@pytest.fixture
def invoice(tmp_path: Path) -> Path:
    """Return a file of 11 bytes."""
    path = tmp_path / "invoice.txt"
    path.write_bytes(LAPTOP)
    return path


# ---- local files


def test_a_file_that_does_not_exist_is_reported_with_the_place_that_was_looked_in() -> None:
    (line,) = attachments.check_local(Attachment(path="none.txt"), "fields.files")
    assert line.startswith("fields.files: none.txt: no such file")
    assert str(Path.cwd()) in line


def test_a_directory_is_no_file(tmp_path: Path) -> None:
    assert attachments.check_local(Attachment(path=str(tmp_path)), "fields.files") == [
        f"fields.files: {tmp_path} is not a regular file"
    ]


def test_what_the_service_has_already_is_not_checked_here() -> None:
    assert attachments.check_local(Attachment(uuid=uuid_of(1)), "fields.files") == []


@pytest.mark.parametrize(("size", "fits"), [(0, False), (1, True), (52_428_800, True), (52_428_801, False)])
def test_the_size_of_a_file_is_checked_before_the_upload(size: int, fits: bool, tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    with path.open("wb") as stream:
        stream.truncate(size)
    problems = attachments.check_local(Attachment(path=str(path)), "files")
    assert (problems == []) is fits
    assert fits or "expected 1 to 52428800" in problems[0]


@pytest.mark.parametrize(("length", "fits"), [(255, True), (256, False)])
def test_the_name_of_a_file_is_checked_before_the_upload(length: int, fits: bool, invoice: Path) -> None:
    problems = attachments.check_local(Attachment(path=str(invoice), name="x" * length), "files")
    assert (problems == []) is fits


def test_all_that_is_wrong_with_local_files_is_reported_at_once() -> None:
    with pytest.raises(InvalidInput) as caught:
        attachments.require_local(
            [Attachment(path="none"), Attachment(uuid=uuid_of(1)), Attachment(path="neither")], "f"
        )
    assert len(caught.value.problems) == 2


# ---- the same file is not uploaded twice


def linked(number: int, size: int = 11, name: str | None = "invoice.txt") -> Attachment:
    return Attachment(uuid=uuid_of(number), name=name, size=size)


def recognised(transport: FakeTransport, invoice: Path, *others: Attachment, name: str | None = None) -> str | None:
    wanted = Attachment(path=str(invoice), name=name, size=11)
    attachments.recognise(attachments.Contents(client_on(transport)), [wanted], others)
    return wanted.uuid


def test_a_linked_file_with_the_same_content_is_the_file(invoice: Path) -> None:
    transport = FakeTransport({f"GET /file/{uuid_of(20)}/data": answer(b"one laptop\n")})
    assert recognised(transport, invoice, linked(20)) == uuid_of(20)


def test_only_files_of_equal_size_are_downloaded(invoice: Path) -> None:
    transport = FakeTransport({f"GET /file/{uuid_of(21)}/data": answer(b"two laptops")})
    assert recognised(transport, invoice, linked(20, size=12), linked(21), linked(22, size=10)) is None
    assert len(transport.calls) == 1


@pytest.mark.parametrize(("name", "found"), [("invoice.txt", True), (None, True), ("bill.txt", False)])
def test_the_name_counts_only_where_it_is_reported(name: str | None, found: bool, invoice: Path) -> None:
    transport = FakeTransport({f"GET /file/{uuid_of(20)}/data": answer(b"one laptop\n")})
    assert (recognised(transport, invoice, linked(20), name=name) is not None) is found


def test_the_name_of_a_linked_file_is_asked_for_only_where_the_content_is_the_same(invoice: Path) -> None:
    transport = FakeTransport(
        {
            f"GET /file/{uuid_of(20)}/data": answer(b"two laptops"),
            f"GET /file/{uuid_of(21)}/data": answer(LAPTOP),
            f"GET /file/{uuid_of(21)}": answer({"uuid": uuid_of(21), "name": "bill.txt"}),
        }
    )
    others = [linked(20, name=None), linked(21, name=None), linked(22, name="other.txt")]
    assert recognised(transport, invoice, *others, name="bill.txt") == uuid_of(21)
    assert len(transport.lines) == 3


# ---- the same content more than once


def contents(*numbers: int, content: bytes = LAPTOP) -> dict[str, Any]:
    """Return downloads of linked files with the same content."""
    return {f"GET /file/{uuid_of(number)}/data": answer(content) for number in numbers}


def local(path: Path, *names: str | None) -> list[Attachment]:
    return [Attachment(path=str(path), name=name, size=len(LAPTOP)) for name in names]


@pytest.mark.parametrize(
    ("names", "existing", "wanted"),
    [
        ((None, None), {20: "a.txt"}, [20, 20]),
        ((None, None), {20: "a.txt", 21: "b.txt"}, [20, 21]),
        ((None, None, None), {20: "a.txt", 21: "b.txt"}, [20, 21, 20]),
        # A file whose name does not matter gets what the other files leave, in any order.
        ((None, "a.txt"), {20: "a.txt", 21: "b.txt"}, [21, 20]),
        (("a.txt", None), {20: "a.txt"}, [20, 20]),
        ((None, "b.txt"), {20: "a.txt"}, [20, None]),
        (("b.txt", "b.txt"), {20: "b.txt"}, [20, 20]),
    ],
)
def test_files_with_one_content_share_what_is_linked(
    names: Iterable[str | None], existing: dict[int, str], wanted: list[int | None], invoice: Path
) -> None:
    transport = FakeTransport(contents(*existing))
    files = local(invoice, *names)
    attachments.recognise(
        attachments.Contents(client_on(transport)),
        files,
        [linked(number, name=name) for number, name in existing.items()],
    )
    assert [file.uuid for file in files] == [None if number is None else uuid_of(number) for number in wanted]
    assert len(transport.lines) == len(set(transport.lines))


@pytest.mark.parametrize(
    ("names", "numbers"),
    [
        ((None, None), [1, 1]),
        ((None, "a.txt"), [1, 1]),
        (("a.txt", "a.txt", None), [1, 1, 1]),
        (("a.txt", "b.txt", None), [1, 2, 1]),
        (("invoice.txt", None), [1, 1]),
    ],
)
def test_files_with_one_content_are_uploaded_once_for_each_name(
    names: Iterable[str | None], numbers: list[int], invoice: Path
) -> None:
    files = local(invoice, *names)
    sent: list[Attachment] = []

    def send(attachment: Attachment) -> None:
        sent.append(attachment)
        attachment.uuid = uuid_of(len(sent))

    attachments.upload_missing(attachments.Contents(client_on(FakeTransport())), files, send)
    assert [file.uuid for file in files] == [uuid_of(number) for number in numbers]
    assert len(sent) == max(numbers)


def test_linked_files_and_files_with_other_contents_are_left_alone(invoice: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.txt"
    other.write_bytes(b"two laptops")
    files = [*local(invoice, None), *local(other, None), Attachment(uuid=uuid_of(9))]
    sent: list[str | None] = []

    def send(attachment: Attachment) -> None:
        sent.append(attachment.path)
        attachment.uuid = uuid_of(len(sent))

    attachments.upload_missing(attachments.Contents(client_on(FakeTransport())), files, send)
    assert sent == [str(invoice), str(other)]
    assert ATTACHMENTS.write((*files, files[0])) == [uuid_of(1), uuid_of(2), uuid_of(9)]


# ---- downloads


def download_all(transport: FakeTransport, dest: Path, check_mode: bool = False) -> Result:
    return file_download(client_on(transport), {"object": "1", "field": "documents", "dest": str(dest)}, check_mode)


def service_with(*files: JsonMap, **more: Any) -> FakeTransport:
    flat = {"asset_uuid": uuid_of(1), "id": 1, "barcode": "1", "documents": list(files)}
    return FakeTransport(
        {
            "GET /asset-tracking/asset/field-definitions": answer(FIELDS),
            "GET /objects": listing([flat]),
            **contents(20, 21),
            **more,
        }
    )


@pytest.mark.parametrize("has_names", [True, False])
def test_in_a_directory_files_keep_their_names_even_where_the_object_does_not_report_them(
    has_names: bool, tmp_path: Path
) -> None:
    files = [{"uuid": uuid_of(number), "size": len(LAPTOP)} for number in (20, 21)]
    named = [{**file, "name": f"{number}.txt"} for number, file in enumerate(files)]
    meta = {f"GET /file/{file['uuid']}": answer(file) for file in named}
    transport = service_with(*(named if has_names else files), **meta)
    done, again = download_all(transport, tmp_path), download_all(transport, tmp_path, check_mode=True)
    assert (done.changed, again.changed) == (True, False)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["0.txt", "1.txt"]
    assert [file["name"] for file in done.record["files"]] == ["0.txt", "1.txt"]


def test_two_files_with_one_name_are_an_error_before_anything_is_written(tmp_path: Path) -> None:
    files = [{"uuid": uuid_of(number), "size": 11, "name": "a.txt"} for number in (20, 21)]
    with pytest.raises(InvalidInput, match="several files are called a"):
        download_all(service_with(*files), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_can_not_be_written_is_an_error_of_the_module_and_leaves_nothing(tmp_path: Path) -> None:
    transport = service_with({"uuid": uuid_of(20), "size": len(LAPTOP), "name": "a"})
    options = {"uuid": None, "object": "1", "field": "documents", "dest": str(tmp_path / ("a" * 300))}
    done = run_module(
        "file_download", ModuleCall(options, {}, check_mode=False), lambda _options, _check: client_on(transport)
    )
    assert (done["failed"], done["changed"]) == (True, False)
    assert "File name too long" in done["msg"]
    assert list(tmp_path.iterdir()) == []


def test_several_files_need_a_directory(tmp_path: Path) -> None:
    files = [{"uuid": uuid_of(number), "size": 11, "name": f"{number}.txt"} for number in (20, 21)]
    with pytest.raises(InvalidInput, match="is not a directory, and 2 files are to be written"):
        download_all(service_with(*files), tmp_path / "a")


@pytest.mark.parametrize("check_mode", [True, False])
def test_a_uuid_of_no_file_is_an_error_in_check_mode_too(check_mode: bool, tmp_path: Path) -> None:
    transport = FakeTransport({f"GET /file/{uuid_of(9)}": by_uuid(None)})
    with pytest.raises(InvalidInput, match=f"uuid: there is no file with the uuid {uuid_of(9)}"):
        file_download(client_on(transport), {"uuid": uuid_of(9), "dest": str(tmp_path)}, check_mode)


def test_a_directory_that_does_not_exist_is_a_warning_in_check_mode_and_an_error_later(tmp_path: Path) -> None:
    transport, dest = service_with({"uuid": uuid_of(20), "size": 6, "name": "a"}), tmp_path / "none" / "a"
    missing = f"dest: the directory {dest.parent} does not exist"
    predicted = download_all(transport, dest, check_mode=True)
    assert (predicted.changed, len(predicted.warnings)) == (True, 1)
    assert predicted.warnings[0].startswith(missing)
    transport.calls.clear()
    with pytest.raises(InvalidInput, match=re.escape(missing)):
        download_all(transport, dest)
    assert transport.calls == []


def test_an_instance_that_creates_no_reports_says_so(tmp_path: Path) -> None:
    options = {"template": "t", "objects": ["1"], "dest": str(tmp_path / "a.pdf")}
    with pytest.raises(SeventhingsError, match="This instance creates no reports: its version is too old"):
        report(client_on(FakeTransport({"GET /report-template": by_uuid(None)})), options, check_mode=False)


# ---- single files of a field

ADD, REMOVE = f"POST /object/{uuid_of(1)}/add-file", f"POST /object/{uuid_of(1)}/remove-file"


class Service:
    """A service with an object that has files in its fields."""

    def __init__(self, refused: tuple[int, ...] = (), **fields: list[int]) -> None:
        self.fields = fields
        self._refused = refused
        self.transport = FakeTransport(
            {
                "GET /asset-tracking/asset/field-definitions": answer(FIELDS),
                "GET /objects": self._listed,
                f"GET /object/{uuid_of(1)}": lambda _call: answer(self._flat()),
                "POST /file": created(50),
                ADD: self._add,
                REMOVE: self._remove,
                **contents(*range(20, 30)),
            }
        )

    def _listed(self, call: Invocation) -> Response:
        return listing([self._flat()])(call)

    def _flat(self) -> JsonMap:
        fields = {
            key: [{"uuid": uuid_of(number), "size": len(LAPTOP), "name": f"{number}.txt"} for number in numbers]
            for key, numbers in self.fields.items()
        }
        return {"asset_uuid": uuid_of(1), "id": 1, "barcode": "1", **fields}

    def _add(self, call: Invocation) -> Any:
        for pair in call.body:
            self.fields[pair["field-key"]].append(int(pair["file-uuid"][:8], 16))
        return answer()

    def _remove(self, call: Invocation) -> Any:
        messages = []
        for pair in call.body:
            number = int(pair["file-uuid"][:8], 16)
            if number in self._refused:
                messages.append(f"File {pair['file-uuid']} is locked")
            else:
                messages.append(f"File {pair['file-uuid']} removed")
                self.fields[pair["field-key"]].remove(number)
        return answer(messages, 207) if self._refused else answer()

    def run(self, state: str, field: str = "documents", check_mode: bool = False, **options: Any) -> Result:
        given = {"object": "1", "field": field, "state": state, **options}
        return file(client_on(self.transport, Clock()), given, check_mode)


def test_every_file_of_the_field_with_the_content_is_taken_off_with_one_request(invoice: Path) -> None:
    service = Service(documents=[20, 21, 22])
    predicted = service.run("absent", path=str(invoice), check_mode=True)
    done = service.run("absent", path=str(invoice))
    again = service.run("absent", path=str(invoice))
    assert (predicted.changed, done.changed, again.changed) == (True, True, False)
    assert predicted.diff == done.diff
    assert done.diff == {"before": {"documents": ["20.txt", "21.txt", "22.txt"]}, "after": {"documents": []}}
    assert service.transport.writes == [REMOVE]
    assert done.uuid == uuid_of(20)


def test_only_files_with_the_name_that_is_reported_are_taken_off(invoice: Path) -> None:
    service = Service(documents=[20, 21])
    assert service.run("absent", path=str(invoice), name="21.txt").changed
    assert service.fields == {"documents": [20]}


def test_a_file_that_is_named_by_its_uuid_is_taken_off_alone() -> None:
    service = Service(documents=[20, 21])
    assert service.run("absent", uuid=uuid_of(21)).changed
    assert service.fields == {"documents": [20]}
    assert not service.run("absent", uuid=uuid_of(21)).changed


def test_of_a_mixed_answer_only_what_is_left_is_reported(invoice: Path) -> None:
    service = Service(refused=(21,), documents=[20, 21])
    with pytest.raises(SeventhingsError) as caught:
        service.run("absent", path=str(invoice))
    assert caught.value.message.startswith(f"The file {uuid_of(21)} was not taken off documents. The service says: ")
    assert f"File {uuid_of(21)} is locked" in caught.value.message


@pytest.mark.parametrize("status", [None, 500])
def test_after_a_lost_answer_only_what_is_left_is_sent_again(status: int | None, invoice: Path) -> None:
    service = Service(documents=[20, 21])

    def half(_call: Invocation) -> Exception:
        service.fields["documents"].remove(20)
        service.transport.routes[REMOVE] = service._remove
        return lost(status)

    service.transport.routes[REMOVE] = half
    assert service.run("absent", path=str(invoice)).changed
    bodies = [[pair["file-uuid"] for pair in call.body] for call in service.transport.calls if call.line == REMOVE]
    assert bodies == [[uuid_of(20), uuid_of(21)], [uuid_of(21)]]


@pytest.mark.parametrize("check_mode", [True, False])
def test_a_full_field_is_an_error_before_anything_is_sent(check_mode: bool, invoice: Path) -> None:
    service = Service(cover=[31])
    service.transport.routes[f"GET /file/{uuid_of(31)}/data"] = answer(b"two laptops")
    with pytest.raises(InvalidInput) as caught:
        service.run("present", "cover", path=str(invoice), check_mode=check_mode)
    assert caught.value.message == (
        "field: cover would have 2 file(s) in place of 1; expected at most 1 item(s), found 2"
    )
    assert service.transport.writes == []


def test_a_full_field_accepts_a_removal_and_a_file_that_it_has(invoice: Path) -> None:
    service = Service(cover=[20, 31, 32])
    service.transport.routes |= contents(31, 32, content=b"two laptops")
    assert service.run("absent", "cover", path=str(invoice)).changed
    assert not service.run("present", "cover", uuid=uuid_of(31)).changed
    assert service.fields == {"cover": [31, 32]}


@pytest.mark.parametrize("check_mode", [True, False])
def test_the_last_file_of_a_mandatory_field_is_kept(check_mode: bool, invoice: Path) -> None:
    service = Service(permit=[20])
    with pytest.raises(InvalidInput, match="this field is mandatory"):
        service.run("absent", "permit", path=str(invoice), check_mode=check_mode)
    assert service.transport.writes == []


def test_a_field_is_named_as_the_task_wrote_it(invoice: Path) -> None:
    assert Service(documents=[]).run("present", "Documents", path=str(invoice)).diff["after"].keys() == {"Documents"}


def test_what_is_not_linked_is_uploaded_and_linked_once(invoice: Path) -> None:
    service = Service(documents=[])
    assert service.run("present", path=str(invoice)).uuid == uuid_of(50)
    assert service.transport.writes == ["POST /file", ADD]


# ---- where local files come from


def test_a_module_for_single_records_follows_what_the_operator_wrote(invoice: Path, tmp_path: Path) -> None:
    (tmp_path / ".linked.txt").symlink_to(invoice)
    attachment = Attachment(path=str(tmp_path / ".linked.txt"))
    assert attachments.check_local(attachment, "path") == []
    assert attachments.content_of(attachment) == LAPTOP


def test_a_file_of_a_folder_is_read_below_it_alone(invoice: Path) -> None:
    folder = Folder(invoice.parent)
    attachment = Attachment(path=invoice.name, folder=folder)
    assert attachments.check_local(attachment, "path") == []
    assert attachments.content_of(attachment) == LAPTOP
    for path in ("../" + invoice.parent.name + "/invoice.txt", str(invoice)):
        with pytest.raises(InvalidInput, match="not a path below"):
            attachments.content_of(Attachment(path=path, folder=folder))


@pytest.mark.parametrize(
    ("written", "name"), [("a", "a"), ("./a/b", "a/b"), ("a//b/", "a/b"), ("a/./b", "a/b"), ("a/~b", "a/~b")]
)
def test_a_path_inside_is_reported_without_needless_steps(written: str, name: str) -> None:
    assert attachments.name_inside(written, "acme") == name


@pytest.mark.parametrize("written", ["/a", "~", "~/a", "..", "a/../b", ".a", "a/.b/c"])
def test_a_path_outside_or_hidden_is_refused_by_its_letters(written: str) -> None:
    with pytest.raises(InvalidInput, match=r"leads outside of acme|is hidden"):
        attachments.name_inside(written, "acme")


def test_the_same_name_in_two_folders_is_two_files(tmp_path: Path) -> None:
    contents = attachments.Contents(client_on(FakeTransport()))
    digests = set()
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file.txt").write_text(name, "utf-8")
        digests.add(contents.local(Attachment(path="file.txt", folder=Folder(tmp_path / name))))
    assert len(digests) == 2


def test_a_file_that_was_not_found_fit_is_not_read_to_compare_it() -> None:
    contents = attachments.Contents(client_on(FakeTransport()))
    assert list(contents.same(Attachment(path="/dev/zero"), [Attachment(uuid=uuid_of(1))])) == []


def test_what_was_changed_since_it_was_hashed_is_not_uploaded(invoice: Path) -> None:
    client = client_on(FakeTransport())
    attachment = Attachment(path=str(invoice))
    attachments.Contents(client).local(attachment)
    invoice.write_bytes(LAPTOP.upper())
    with pytest.raises(SeventhingsError, match="was changed since it was compared"):
        attachments.upload(client, attachment)
