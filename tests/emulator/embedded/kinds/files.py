# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files: upload, metadata, content and thumbnail. There is no operation to delete a file."""

from __future__ import annotations

import hashlib
import mimetypes
from typing import Any

from ..context import Context, new_uuid
from ..dates import iso
from ..messages import Answer, Refusal, Upload, answer_json, bad_request, not_found, unprocessable
from ..router import Route, accepted
from ..store import Store
from . import objects

TABLES = """
CREATE TABLE file (
  id INTEGER PRIMARY KEY AUTOINCREMENT, uuid TEXT NOT NULL UNIQUE, name TEXT NOT NULL, type TEXT NOT NULL,
  size INTEGER NOT NULL, sha256 TEXT NOT NULL, creator_id INTEGER NOT NULL, created_at TEXT NOT NULL,
  content BLOB NOT NULL);
CREATE TABLE thumbnail_size (
  file_id INTEGER NOT NULL, width INTEGER NOT NULL, height INTEGER NOT NULL, PRIMARY KEY (file_id, width, height));
"""

LARGEST = 52_428_800
_LONGEST = 255
_NEWEST = 20
# Everything except the bytes, which can be fifty megabytes.
_ABOUT = "uuid, name, type, size, creator_id, created_at"
_OCTETS = "application/octet-stream"
_DEFAULT_SIZE = (150, 100)
_MOST_SIZES = 10


def insert_file(store: Store, *, uuid: str, name: str, media: str, content: bytes, creator_id: int, now: str) -> None:
    store.insert(
        "file",
        {
            "uuid": uuid,
            "name": name,
            "type": media,
            "size": len(content),
            "sha256": hashlib.sha256(content).hexdigest(),
            "creator_id": creator_id,
            "created_at": now,
            "content": content,
        },
    )


def upload(context: Context) -> Answer:
    """Handle POST /file: one multipart part named data, with 1 to 52,428,800 bytes."""
    part: Upload | None = (context.body or {}).get("data")
    if part is None:
        raise bad_request("Body does not match schema: there is no file named data")
    if not 1 <= len(part.content) <= LARGEST:
        raise bad_request(f"A file has 1 to {LARGEST} bytes")
    media = part.media
    if media in ("", _OCTETS):
        media = mimetypes.guess_type(part.name)[0] or _OCTETS
    if len(part.name) > _LONGEST or len(media) > _LONGEST:
        raise bad_request(f"Name and type of a file have up to {_LONGEST} characters")
    if context.weather["unattached_files"] == "forget":
        _forget(context)
    uuid = new_uuid()
    insert_file(
        context.store,
        uuid=uuid,
        name=part.name,
        media=media,
        content=part.content,
        creator_id=context.user.id,
        now=context.now,
    )
    suffix = "/data" if context.weather["file_location"] == "data" else ""
    return context.created(f"/file/{uuid}{suffix}", uuid=uuid)


def _forget(context: Context) -> None:
    """Delete the files without references, except the newest."""
    for row in context.store.rows("SELECT id, uuid FROM file ORDER BY id DESC LIMIT -1 OFFSET ?", (_NEWEST,)):
        if not _is_attached(context, row["uuid"]):
            context.store.run("DELETE FROM file WHERE id = ?", (row["id"],))


def _is_attached(context: Context, uuid: str) -> bool:
    listed = any(
        context.store.value(f"SELECT 1 FROM {table} WHERE instr(body, ?) LIMIT 1", (uuid,))
        for table in ("task", "rental_case")
    )
    return listed or objects.objects_with_file(context, uuid)


def list_files(context: Context) -> Answer:
    rows = context.store.rows(f"SELECT {_ABOUT} FROM file ORDER BY id DESC LIMIT ?", (_NEWEST,))
    items = [_shown(context, row) for row in rows]
    return answer_json(items if context.weather["list_envelope"] == "array" else {"items": items})


def read_file(context: Context) -> Answer:
    return answer_json(_shown(context, _find(context, _ABOUT)))


def _shown(context: Context, row: Any) -> dict[str, Any]:
    return {
        "uuid": row["uuid"],
        "name": row["name"],
        "type": row["type"],
        "size": row["size"],
        "creator_id": row["creator_id"],
        "created_at": iso(row["created_at"]),
        "data_uri": context.view.url(f"/file/{row['uuid']}/data"),
        "thumbnail_uri": context.view.url(f"/file/{row['uuid']}/thumbnail"),
    }


def _find(context: Context, columns: str = "*") -> Any:
    uuid = context.uuid("fileUuid")
    row = context.store.row(f"SELECT {columns} FROM file WHERE uuid = ?", (uuid,))
    if row is None:
        raise not_found(f"There is no file {uuid}")
    return row


def read_data(context: Context) -> Answer:
    """Return the content as octets or, if the client prefers it, with the type of the upload."""
    row = _find(context)
    media = accepted(context.call.headers.get("accept", ""), (_OCTETS, row["type"]))
    if media is None:
        raise Refusal(406, f"This file is to be had as {row['type']} or {_OCTETS}")
    # No browser may run an uploaded file.
    headers = {"X-Content-Type-Options": "nosniff", "Content-Security-Policy": "sandbox"}
    return Answer(200, bytes(row["content"]), media, headers)


def read_thumbnail(context: Context) -> Answer:
    """Return an image that fits into 150 x 100 pixels, or into the requested width and height."""
    row = _find(context)
    width, height = context.parameters.get("width"), context.parameters.get("height")
    if (width is None) != (height is None):
        raise bad_request("width and height are given both or not at all")
    from ..thumbnails import thumbnail

    size = (width, height) if width and height else _DEFAULT_SIZE
    if size != _DEFAULT_SIZE:
        _note_size(context, row["id"], size)
    return Answer(200, thumbnail(bytes(row["content"]), row["name"], size), "image/png")


def _note_size(context: Context, file_id: int, size: tuple[int, int]) -> None:
    """Remember the created sizes of a file. Beyond a maximum, no further size is created, and existing sizes stay."""
    key = {"file_id": file_id, "width": size[0], "height": size[1]}
    known = context.store.rows("SELECT width, height FROM thumbnail_size WHERE file_id = ?", (file_id,))
    if size in {(row["width"], row["height"]) for row in known}:
        return
    if len(known) >= _MOST_SIZES:
        raise unprocessable(f"There are thumbnails of this file in {_MOST_SIZES} sizes already")
    context.store.insert("thumbnail_size", key)


def check_attachments(context: Context, uuids: list[str]) -> list[str]:
    """Return the file uuids of a task or a rental case in lower case, without duplicates.

    Raise Refusal for a missing file.
    """
    found = list(dict.fromkeys(uuid.lower() for uuid in uuids))
    for uuid in found:
        if not context.links.file_exists(uuid):
            raise bad_request(f"There is no file {uuid}")
    return found


_FILE = "/file/{fileUuid}"
ROUTES = (
    Route("GET", "/files", list_files, "files:read"),
    Route("POST", "/file", upload, "files:write"),
    Route("GET", _FILE, read_file, "files:read"),
    Route("GET", f"{_FILE}/data", read_data, "files:read", produces=()),
    Route("GET", f"{_FILE}/thumbnail", read_thumbnail, "files:read", produces=("image/png", _OCTETS)),
)
