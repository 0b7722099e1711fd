# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A state in one file or inline: every part has the expected shape, or a finding names its place."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ansible_collections.community.seventhings.plugins.module_utils.local.safe_files import Folder
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.loading import content_of, load

SETTINGS = "instance: {api: seventhings/v1}\n"


def found(tmp_path: Path, text: str) -> list[str]:
    path = tmp_path / "state.yml"
    path.write_text(text, "utf-8")
    return list(map(str, load(path).findings))


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        ("- a\n", "state.yml:1:1: expected a map of sections: instance, fields, locations"),
        (SETTINGS + "fields: [a]\n", "state.yml:2:9: fields: expected a map with the templates asset, room, person"),
        (SETTINGS + "fields: {assets: []}\n", "state.yml:2:18: fields.assets: no such template; did you mean asset?"),
        (SETTINGS + "objects: 5\n", "state.yml:2:10: expected a list of records"),
        (SETTINGS + "zebra: []\n", "state.yml:2:8: zebra: no such section; expected one of instance, fields"),
        (SETTINGS + "object: []\n", "state.yml:2:9: object: no such section; did you mean objects?"),
        (SETTINGS + "moved: [a]\n", "state.yml:2:8: moved: expected a map of sections to lists of {from, to}"),
        (
            SETTINGS + "moved: {rooms: 5}\n",
            "moved.rooms: '5' does not fit; expected a list of {from: {KEY: OLD}, to",
        ),
        (SETTINGS + "moved: {rooms: [{from: {name: A}}]}\n", "expected {from: {KEY: OLD}, to: {KEY: NEW}}"),
        (SETTINGS + "moved: {users: []}\n", "moved.users: the address of a user is that of the person"),
        (SETTINGS + "moved: {hub: []}\n", "moved.hub: an offer is identified by its object"),
        (SETTINGS + "moved: {fields: []}\n", "moved.fields: a field gets another label by its field_key"),
        (SETTINGS + "moved: {room: []}\n", "moved.room: no such section; did you mean rooms?"),
        ("instance: {api: seventhings/v1, policy: 5}\n", "policy: expected a map"),
        ("instance: {api: seventhings/v1, policy: {prune: 5}}\n", "policy.prune: expected a map of sections to"),
        (
            "instance: {api: seventhings/v1, policy: {prune: {objekts: report}}}\n",
            "policy.prune.objekts: no such section; did you mean objects?",
        ),
        (
            "instance: {api: seventhings/v1, policy: {prune: {rooms: archive}}}\n",
            "policy.prune.rooms: 'archive' does not fit",
        ),
        ("instance: {api: seventhings/v1, policy: {limits: 5}}\n", "policy.limits: expected a map of numbers"),
        (
            "instance: {api: seventhings/v1, policy: {limits: {delete_percent: few}}}\n",
            "policy.limits.delete_percent: 'few' does not fit; expected a number from 0",
        ),
        ("instance: {api: seventhings/v1, scope: {rooms: []}}\n", "scope.rooms: expected a map of field key to"),
        (
            "instance: {api: seventhings/v1, scope: {objects: {barcode: []}}}\n",
            "scope.objects.barcode: expected the values in scope, at least one",
        ),
    ],
)
def test_a_part_of_the_wrong_shape_is_reported_with_its_place(tmp_path: Path, text: str, finding: str) -> None:
    findings = found(tmp_path, text)
    assert [line for line in findings if finding in line], findings


@pytest.mark.parametrize("text", [SETTINGS, SETTINGS + "objects:\n", SETTINGS + "fields: {asset: }\nmoved: {}\n"])
def test_a_section_may_be_empty(tmp_path: Path, text: str) -> None:
    assert found(tmp_path, text) == []


def test_a_file_that_does_not_exist_is_reported(tmp_path: Path) -> None:
    (finding,) = load(tmp_path / "none.yml").findings
    assert str(finding).endswith("none.yml: no such file or directory")


def test_a_file_that_can_not_be_read_is_reported_and_the_others_are_read(tmp_path: Path) -> None:
    def read(folder: Folder, name: str) -> bytes:
        if name == "rooms.yml":
            raise PermissionError(13, os.strerror(13))
        return content_of(folder, name)

    (tmp_path / "instance.yml").write_text("api: seventhings/v1\n", "utf-8")
    (tmp_path / "rooms.yml").write_text("[]\n", "utf-8")
    (tmp_path / "moved.yml").write_text("rooms: [{from: {name: A}, to: {name: B}}]\n", "utf-8")
    desired = load(tmp_path, read=read)
    assert list(map(str, desired.findings)) == ["rooms.yml: can't be read: Permission denied"]
    assert desired.moved == {"rooms": [({"name": "A"}, {"name": "B"})]}
