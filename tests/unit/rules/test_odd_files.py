# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The error page of a gateway is not a file, picture or report, and a file name must be a text."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from unittest import mock

import embedded_here
import pytest
from ansible.parsing.dataloader import DataLoader
from embedded.messages import Answer, answer_json
from wrong_answers import RECORD, WRITE, Mutation, Wrong

from ansible_collections.community.seventhings.plugins.plugin_utils.absorb import action as absorb_action
from ansible_collections.community.seventhings.plugins.plugin_utils.action.arguments import read_arguments
from ansible_collections.community.seventhings.plugins.plugin_utils.action.documented import documented_spec
from ansible_collections.community.seventhings.plugins.plugin_utils.export import action as export_action

PAGE = b"<!DOCTYPE html><html><title>Maintenance</title></html>"
THING = {"barcode": "100900", "inventory_name": "Drill"}


def on_controller(service: Wrong, name: str, **options: Any) -> dict[str, Any]:
    """Call a module that runs on the controller, as its action does."""
    action = export_action if name == "instance_export" else absorb_action
    written = {"base_url": embedded_here.ROOT_URL, **embedded_here.ACCOUNT, **options}
    read = read_arguments(name, documented_spec(name), {}, written)
    assert not read.refusal, read.refusal
    with mock.patch.object(action, "connect", return_value=service.client()):
        if action is export_action:
            return export_action.export(read.options, False)
        return absorb_action.absorb_instance(read.options, False, DataLoader(), written)


def with_a_file(path: Path) -> tuple[Wrong, str]:
    """Start an instance that has an object with a file. Return it with the uuid of the file."""
    service = Wrong.started()
    (path / "manual.txt").write_text("Read me.")
    done = service.call("object", fields={**THING, "documents": [str(path / "manual.txt")]})
    assert done["changed"], done
    return service, done["record"]["documents"][0]["uuid"]


def answer_always(service: Wrong, path: str, answer: Answer, sort: str = RECORD) -> None:
    service.mutation = Mutation("odd", (sort,), lambda _exchange: answer)
    service.at_path = path


PAGES = {media: Answer(200, PAGE, media) for media in ("text/html", "application/octet-stream")}


@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)
def test_an_export_leaves_out_a_file_that_is_answered_as_a_page(tmp_path: Path, page: Answer) -> None:
    service, uuid = with_a_file(tmp_path)
    answer_always(service, f"/file/{uuid}/data", page)
    done = on_controller(service, "instance_export", dest=str(tmp_path / "out"))
    assert f"/file/{uuid}/data: expected the 8 bytes of the file, got {len(PAGE)} bytes" in str(done["left_out"])
    assert not [path for path in (tmp_path / "out").rglob("*") if path.is_file() and path.read_bytes() == PAGE]


def test_an_absorb_changes_no_value_for_a_file_that_is_answered_as_a_page(tmp_path: Path) -> None:
    service, uuid = with_a_file(tmp_path)
    src = tmp_path / "src"
    src.mkdir()
    (src / "instance.yml").write_text("api: seventhings/v1\nset: test\n")
    (src / "objects.yml").write_text("- {barcode: '100900', inventory_name: Drill, documents: []}\n")
    before = (src / "objects.yml").read_text()
    answer_always(service, f"/file/{uuid}/data", PAGES["text/html"])
    done = on_controller(service, "instance_absorb", src=str(src))
    assert "expected the 8 bytes of the file" in str(done["not_changed"]), done
    assert (src / "objects.yml").read_text() == before
    assert not [*src.glob("files/**/*")]


def test_a_file_that_is_answered_as_a_page_is_not_uploaded_again(tmp_path: Path) -> None:
    service, uuid = with_a_file(tmp_path)
    answer_always(service, f"/file/{uuid}/data", PAGES["text/html"])
    done = service.call("object", fields={**THING, "documents": [str(tmp_path / "manual.txt")]})
    assert done["failed"]
    assert "expected the 8 bytes of the file" in done["msg"]
    assert [method for method, path in service.log if method == "POST" and path.endswith("/file")] == ["POST"]


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("module", "path", "sort", "options"),
    [
        ("file_download", "/data", RECORD, {}),
        ("file_download", "/thumbnail", RECORD, {"thumbnail": {}}),
        ("report", "/report", WRITE, {"template": "List", "objects": ["100900"]}),
    ],
)
def test_a_page_is_written_in_place_of_no_file(
    tmp_path: Path, module: str, path: str, sort: str, options: dict[str, Any]
) -> None:
    service, uuid = with_a_file(tmp_path)
    if module == "report":
        [template, *_others] = service.call("report_template_info")["records"]
        options = {**options, "template": template["name"]}
    else:
        options = {**options, "uuid": uuid}
    answer_always(service, path, PAGES["text/html"], sort)
    done = service.call(module, dest=str(tmp_path / "there"), **options)
    assert done["failed"], done
    assert "expected" in done["msg"]
    assert not (tmp_path / "there").exists()


@pytest.mark.parametrize("fault", ["html_body", "empty_body", "half_body", "500"])
@pytest.mark.parametrize("module", ["file_download", "report"])
def test_a_broken_answer_in_place_of_a_file_is_requested_again(tmp_path: Path, fault: str, module: str) -> None:
    service, uuid = with_a_file(tmp_path)
    if module == "report":
        [template, *_others] = service.call("report_template_info")["records"]
        options, path = {"template": template["name"], "objects": ["100900"]}, "/report"
    else:
        options, path = {"uuid": uuid}, f"/file/{uuid}/data"
    service.fault(fault, path=path, times=3)
    done = service.call(module, dest=str(tmp_path / "there"), **options)
    assert done["changed"], done
    assert [at for _method, at in service.log].count(f"/customer-api/v1{path}") == 4


@pytest.mark.parametrize("name", [True, 7, ["manual.txt"], {"de": "Handbuch"}])
def test_a_name_that_is_no_text_names_no_file(tmp_path: Path, name: Any) -> None:
    service, uuid = with_a_file(tmp_path)
    meta = service.client().send("GET", f"/file/{uuid}").json()
    answer_always(service, f"/file/{uuid}", answer_json({**meta, "name": name}))
    done = on_controller(service, "instance_export", dest=str(tmp_path / "out"))
    assert "the name of the file is" in str(done["left_out"]), done
    assert not [*(tmp_path / "out").glob("files/**/True")]


@pytest.mark.parametrize("name", [True, 7, ["manual.txt"], {"de": "Handbuch"}])
def test_a_file_in_a_record_with_a_name_that_is_no_text_is_reported(tmp_path: Path, name: Any) -> None:
    service, uuid = with_a_file(tmp_path)
    [thing] = service.call("object_info", filters={"barcode": "100900"})["records"]
    odd = {**thing, "documents": [{"uuid": uuid, "name": name, "size": 8, "type": "text/plain"}]}
    service.mutation = Mutation(
        "odd", ("list",), lambda _exchange: answer_json({"items": [odd], "total": 1, "page": 1, "per_page": 1000})
    )
    service.at_path = "/objects"
    done = on_controller(service, "instance_export", dest=str(tmp_path / "out"), only=["objects"])
    assert done.get("failed") or "documents" in str(done["left_out"]), done
