# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later
"""The tier trace: files and field definitions, which nothing deletes, and a request that may provoke an error."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from ansible_collections.community.seventhings.plugins.module_utils.client.record import created_uuid
from ansible_collections.community.seventhings.plugins.module_utils.client.transport import Response
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import FIELD_DEFINITION, FILE, OBJECT

from .exchange import Answer
from .scratch import PREFIX
from .touch import Touch

_UPLOAD = "/file"
_FILES = 22
"""Number of uploads after which an instance that keeps only the newest 20 files has dropped the first."""

_LABEL = f"{PREFIX}label"
_TAKEN_TWICE = f"{PREFIX}label taken twice"
"""The label of the two definitions. They are never deleted, so later probes use them again.

The second definition shares the label only during the check, because files cannot name fields that share a label.
"""


def bare_filter(touch: Touch) -> None:
    """Send a filter without an operator."""
    key = touch.object_key
    if key is None:
        return
    answer = touch.asker.get(OBJECT.list_path, [("page", "1"), ("per_page", "1"), (f"filter[{key}]", "1")], once=True)
    request = f"GET {OBJECT.list_path}?filter[FIELD]"
    if answer.is_refusal:
        touch.evidence.observe("filter_without_operator", "refuse", request)
    elif answer.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        touch.evidence.observe("filter_without_operator", "error", request)
    else:
        touch.evidence.odd("filter_without_operator", f"{request}: HTTP {answer.status}")


def files(touch: Touch) -> None:
    """Upload files. Note the answers, the effect of adding a file twice, and if an unreferenced file stays."""
    request = f"POST {_UPLOAD}"
    first = _upload(touch)
    if first is None:
        for name in ("file_location", "file_results", "unattached_files"):
            touch.evidence.cannot(name, "an upload was refused")
        return
    answer, uuid = first
    path = answer.headers.get("location", "").rstrip("/")
    touch.evidence.observe("file_location", "data" if path.endswith("/data") else "plain", request)
    for _number in range(_FILES):
        if _upload(touch) is None:
            touch.evidence.cannot("unattached_files", "an upload was refused")
            break
    else:
        kept = touch.asker.get(FILE.item_path.format(uuid=uuid)).is_good
        touch.evidence.observe("unattached_files", "keep" if kept else "forget", request, _FILES)
    _results(touch)


def _results(touch: Touch) -> None:
    """Add a file twice, and note the second answer."""
    key = next(iter(touch.fields("ATTACHMENT")), None)
    uploaded = _upload(touch) if key and touch.object else None
    if key is None or uploaded is None:
        touch.evidence.cannot("file_results", "objects have no field for files that could be written")
        return
    path = OBJECT.item_path.format(uuid=touch.object) + "/add-file"
    pair = [{"field-key": key, "file-uuid": uploaded[1]}]
    touch.asker.write("POST", path, pair, accept="*/*")
    answer = touch.asker.write("POST", path, pair, accept="*/*")
    request = f"POST {OBJECT.item_path}/add-file"
    results = answer.json()
    if answer.status == HTTPStatus.MULTI_STATUS and isinstance(results, list) and results:
        side = "objects" if isinstance(results[0], Mapping) else "messages"
        touch.evidence.observe("file_results", side, request)
    else:
        touch.evidence.odd("file_results", f"{request}: HTTP {answer.status} for a file that is already attached")


def _upload(touch: Touch) -> tuple[Answer, str] | None:
    content = {"data": (f"{touch.scratch.prefix}.txt", b"A file of a probe.", "text/plain")}
    answer = touch.asker.write("POST", _UPLOAD, files=content, accept="*/*")
    if not answer.is_good:
        return None
    return answer, created_uuid(Response(answer.status, answer.headers, b"", _UPLOAD), "file")


def labels(touch: Touch) -> None:
    """Create two definitions with one label."""
    path = FIELD_DEFINITION.create_path.format(template="asset")
    request = f"POST {path}"
    existing = [definition.get("label") for definition in touch.look.definitions.get("asset", ())]
    if _TAKEN_TWICE in existing:
        touch.evidence.observe(
            "duplicate_labels", "accept", f"GET {FIELD_DEFINITION.list_path.format(template='asset')}"
        )
        return
    if _LABEL not in existing and not (answer := touch.asker.write("POST", path, _definition())).is_good:
        touch.evidence.cannot("duplicate_labels", f"a field definition was refused: HTTP {answer.status}")
        return
    answer = touch.asker.write("POST", path, _definition())
    if answer.is_good:
        touch.evidence.observe("duplicate_labels", "accept", request)
        _relabel(touch, created_uuid(Response(answer.status, answer.headers, b"", path), "field definition"))
    elif answer.is_refusal:
        touch.evidence.observe("duplicate_labels", "refuse", request)
    else:
        touch.evidence.odd("duplicate_labels", f"{request}: HTTP {answer.status}")


def _relabel(touch: Touch, uuid: str) -> None:
    """Give the second definition a label of its own."""
    path = FIELD_DEFINITION.item_path.format(template="asset", uuid=uuid)
    definition = touch.asker.get(path).json()
    if isinstance(definition, Mapping):
        touch.asker.write("PUT", path, {**definition, "label": _TAKEN_TWICE})


def _definition() -> dict[str, Any]:
    return {
        "field_type": {"name": "TEXT", "constraints": []},
        "label": _LABEL,
        "comment": "",
        "default_value": None,
        "possible_values": [],
        "attributes": [{"type": "form_group", "value": "general_information"}],
        "relations": [],
    }
