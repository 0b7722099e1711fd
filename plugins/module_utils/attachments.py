# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files: uploaded once, compared by content (files of the published description; limits of section 8 of the
interface).
"""

from __future__ import annotations

import hashlib
import mimetypes
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from .client import Client
from .errors import InvalidInput, NotJson, OutcomeUnknown
from .fields import is_uuid
from .kinds import FILE
from .links import Attachment
from .transport import Answer, Effect

MAX_SIZE = 52_428_800
MAX_NAME = 255
LOOK_AGAIN = (0.0, 1.0, 3.0)
"""When to look for what a lost answer may have made, in seconds from one look to the next (at 0, 1 and 4):
it may still be on its way.
"""


def check_local(attachment: Attachment, where: str) -> list[str]:
    """What is wrong with a local file, in words; fills in its name, type and size.

    :param where: the option, for the message.
    """
    if attachment.path is None:
        return []
    path = Path(attachment.path).expanduser()
    if path.exists() and not path.is_file():
        return [f"{where}: {attachment.path} is a directory or a device; expected a file"]
    if not path.is_file():
        return [f"{where}: {attachment.path}: no such file (looked for in {Path.cwd()}, where the module runs)"]
    problems = []
    attachment.size = path.stat().st_size
    name = attachment.name or path.name
    attachment.type = mimetypes.guess_type(name)[0] or "application/octet-stream"
    if not 1 <= attachment.size <= MAX_SIZE:
        problems.append(f"{where}: {attachment.path} has {attachment.size} bytes; expected 1 to {MAX_SIZE}")
    if len(name) > MAX_NAME:
        problems.append(f"{where}: {attachment.path}: the name has {len(name)} characters; expected at most {MAX_NAME}")
    return problems


def recognise(client: Client, wanted: Iterable[Attachment], linked: Sequence[Attachment]) -> None:
    """Gives a local file the uuid of the linked file with the same content (and name, where one is told); one download
    for each of equal size.
    """
    taken: set[str | None] = set()
    digests: dict[str, str] = {}
    for attachment in wanted:
        if attachment.path is None or attachment.uuid is not None:
            continue
        digest = None
        for other in linked:
            if (
                other.uuid in taken
                or other.size != attachment.size
                or not _may_be_called(client, other, attachment.name)
            ):
                continue
            digest = digest or hashlib.sha256(_content(attachment)).hexdigest()
            uuid = str(other.uuid)
            if uuid not in digests:
                digests[uuid] = hashlib.sha256(download(client, uuid)).hexdigest()
            if digests[uuid] == digest:
                attachment.uuid = other.uuid
                taken.add(other.uuid)
                break


def _may_be_called(client: Client, linked: Attachment, name: str | None) -> bool:
    """Whether a linked file has the wanted name; where the record does not tell it, the file itself does."""
    if name is not None and linked.name is None:
        meta = client.get(FILE, str(linked.uuid))
        linked.name = str(meta.flat.get("name")) if meta else None
    return name in (None, linked.name)


def download(client: Client, uuid: str) -> bytes:
    """The bytes of a file."""
    return client.send("GET", f"/file/{uuid}/data", accept="application/octet-stream").body


def _content(attachment: Attachment) -> bytes:
    return Path(str(attachment.path)).expanduser().read_bytes()


def upload(client: Client, attachment: Attachment, sleep: Callable[[float], None] = time.sleep) -> None:
    """Uploads a local file and notes its uuid.

    An upload whose answer was lost is looked for among the newest files by name, size and content, and sent once more
    if it is not there.
    """
    content = _content(attachment)
    name = attachment.name or Path(str(attachment.path)).name
    part = {"data": (name, content, attachment.type)}
    for last in (False, True):
        try:
            answer = client.send("POST", "/file", Effect.ONCE, files=part)
        except OutcomeUnknown as lost:
            attachment.uuid = _find_upload(client, name, content, sleep)
            if attachment.uuid:
                return
            if last or lost.may_follow:
                raise
        else:
            attachment.uuid = _uuid_from(answer)
            return


def _uuid_from(answer: Answer) -> str:
    # The Location of a file ends in /data.
    uuid = (
        answer.headers.get("Location-UUID")
        or answer.headers.get("Location", "").rstrip("/").removesuffix("/data").rpartition("/")[2]
    )
    if not is_uuid(uuid):
        raise NotJson(f"{answer.where}: HTTP {answer.status}, but no header names the uuid of the new file.")
    return uuid.lower()


def _find_upload(client: Client, name: str, content: bytes, sleep: Callable[[float], None]) -> str | None:
    for pause in LOOK_AGAIN:
        if pause:
            sleep(pause)
        for file in newest_files(client):
            if (
                file.get("name") == name
                and file.get("size") == len(content)
                and download(client, str(file["uuid"])) == content
            ):
                return str(file["uuid"]).lower()
    return None


def newest_files(client: Client) -> list[Mapping[str, Any]]:
    """The metadata of the 20 files that were uploaded last: all that the service lists."""
    decoded = client.send("GET", FILE.list_path).json()
    items = decoded.get("items") if isinstance(decoded, Mapping) else decoded
    return [item for item in items or () if isinstance(item, Mapping)]


def require_local(attachments: Iterable[Attachment], where: str) -> None:
    """Raises :class:`InvalidInput` with every problem of the local files among some attachments."""
    problems = [problem for attachment in attachments for problem in check_local(attachment, where)]
    if problems:
        raise InvalidInput(problems)
