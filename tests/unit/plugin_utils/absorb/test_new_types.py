# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Somebody gives a field another type in the application, or a label that is a word of the file format."""

from __future__ import annotations

from typing import Any

import pytest
from instance_site import Site

from ansible_collections.community.seventhings.plugins.module_utils.client.attempts import Effect
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import KINDS

from .absorbing import take

_FIELD = "/asset-tracking/asset/field-definition"
_BODY: dict[str, Any] = {
    "field_type": {"name": "TEXT", "constraints": []},
    "attributes": [],
    "relations": [],
    **dict.fromkeys(("comment", "default_value", "possible_values")),
}


@pytest.mark.parametrize("name", ["objects.yml", "objects.jsonl", "objects.csv"])
def test_a_value_that_keeps_its_meaning_under_another_type_is_no_change(site: Site, name: str) -> None:
    rows = {
        "objects.yml": "".join(f'- {{barcode: "{n}", inventory_name: A, Seats: "{n}"}}\n' for n in "123"),
        "objects.jsonl": "".join(f'{{"barcode": "{n}", "inventory_name": "A", "Seats": "{n}"}}\n' for n in "123"),
        "objects.csv": "barcode,inventory_name,Seats\n" + "".join(f"{n},A,{n}\n" for n in "123"),
    }
    site.write({"fields/asset.yml": "- {label: Seats, type: TEXT}\n", name: rows[name]})
    assert site.run().outcome == "changed"
    (found,) = [field for field in site.client().definitions("asset") if field["label"] == "Seats"]
    body = {**_BODY, **{member: found[member] for member in ("uuid", "field_key", "label")}}
    body["field_type"] = {"name": "LONG_TEXT", "constraints": []}
    site.client().send("PUT", f"{_FIELD}/{found['uuid']}", Effect.IDEMPOTENT, body=body)
    done = take(site)
    assert done["summary"] == {"fields": {"changed": 1, "added": 0, "removed": 0}}
    assert (site.root / name).read_text("utf-8") == rows[name]
    assert site.plan().outcome == "unchanged"


@pytest.mark.parametrize("label", ["_state", "_managed", "_lifecycle", "uuid"])
@pytest.mark.parametrize("name", ["objects.yml", "objects.jsonl", "objects.csv", "new.yml", "new.csv"])
def test_absorbed_values_never_become_words_of_the_format(site: Site, name: str, label: str) -> None:
    column = "#" if label == "uuid" else label
    rows = {
        "objects.yml": '- {barcode: "1", inventory_name: A}\n',
        "objects.jsonl": '{"barcode": "1", "inventory_name": "A"}\n',
        "objects.csv": f"barcode,inventory_name,{column}\n1,A,\n",
    }
    target = f"objects/{name}" if name.startswith("new") else name
    site.write({f"objects/{name}.yml" if name not in rows else name: rows.get(name, rows["objects.yml"])})
    assert site.run().outcome == "changed"
    client = site.client()
    client.send("POST", _FIELD, Effect.UNSAFE, body={**_BODY, "label": label})
    key = str(client.definitions("asset")[-1]["field_key"])
    for barcode, word in (("2", "absent"), ("3", "archived"), ("4", "false")):
        client.create(KINDS["object"], {"barcode": barcode, "inventory_name": "B", key: word})
    done = take(site, into={"objects": target})
    assert not done.get("failed"), done
    assert done["summary"]["objects"]["added"] == 3
    result = site.run()
    assert (result.outcome, result.findings) == ("unchanged", [])
    entries = [entry for entry in site.load().entries if entry.kind.name == "object"]
    assert [entry.state for entry in entries] == ["present"] * 4
