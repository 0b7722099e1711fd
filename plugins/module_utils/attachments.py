# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files: uploaded once, compared by content (files of the published description; limits of section 8 of the
interface).
"""

from __future__ import annotations

import hashlib
import mimetypes
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from .client import Client
from .errors import InvalidInput, NotJson, OutcomeUnknown
from .fields import is_uuid
from .kinds import FILE
from .links import Attachment
from .lost import looks
from .transport import Answer, Effect

MAX_SIZE = 52_428_800
MAX_NAME = 255
_UNSENDABLE = re.compile('["\\x00-\\x1f\\x7f]')
"""What does not stand as it is in the header of a multipart body."""


def check_local(attachment: Attachment, where: str, looked_in: str = "") -> list[str]:
    """What is wrong with a local file, in words; fills in its name, type and size.

    :param where: the option, for the message.
    :param looked_in: what a path is relative to, in words; empty: the working directory.
    """
    if attachment.path is None:
        return []
    path = Path(attachment.path).expanduser()
    shown = attachment.written or attachment.path
    if path.exists() and not path.is_file():
        return [f"{where}: {shown} is a directory or a device; expected a file"]
    if not path.is_file():
        place = looked_in or f"{Path.cwd()}, where the module runs"
        return [f"{where}: {shown}: no such file (looked for in {place})"]
    problems = []
    attachment.size = path.stat().st_size
    name = name_of(attachment)
    attachment.type = mimetypes.guess_type(name)[0] or "application/octet-stream"
    if not 1 <= attachment.size <= MAX_SIZE:
        problems.append(f"{where}: {shown} has {attachment.size} bytes; expected 1 to {MAX_SIZE}")
    if len(name) > MAX_NAME:
        problems.append(f"{where}: {shown}: the name has {len(name)} characters; expected at most {MAX_NAME}")
    if attachment.name is not None and not attachment.name.strip():
        problems.append(f"{where}: {shown}: the name is empty; leave it out, and the file keeps its own")
    if attachment.name is not None and _UNSENDABLE.search(attachment.name):
        problems.append(f"{where}: {shown}: the name {name!r} has quotes or control characters; no upload carries them")
    return problems


class Contents:
    """What files hold, as SHA-256; each is read or downloaded once, however many records link it."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self._linked: dict[str, str] = {}
        self._local: dict[str, str] = {}

    def linked(self, uuid: str) -> str:
        if uuid not in self._linked:
            self._linked[uuid] = hashlib.sha256(download(self.client, uuid)).hexdigest()
        return self._linked[uuid]

    def local(self, attachment: Attachment) -> str:
        path = str(attachment.path)
        if path not in self._local:
            self._local[path] = hashlib.sha256(_content(attachment)).hexdigest()
        return self._local[path]

    def same(self, attachment: Attachment, linked: Iterable[Attachment]) -> Iterator[Attachment]:
        """Those of some linked files that have the content of a local one (and its name, where one is told)."""
        for other in linked:
            if other.size != attachment.size or attachment.name not in (None, other.name or attachment.name):
                continue
            # What it is called takes a request where the record does not tell it, so that is asked last.
            same = self.local(attachment) == self.linked(str(other.uuid))
            if same and _may_be_called(self.client, other, attachment.name):
                yield other


def recognise(contents: Contents, wanted: Iterable[Attachment], linked: Sequence[Attachment]) -> None:
    """Gives a local file the uuid of the linked file with the same content (and name, where one is told); one download
    for each of equal size.

    Several wanted files with one content take a linked file each, as far as there are so many, and share one beyond
    that: what is linked already is not uploaded.
    """
    taken: list[Attachment] = []
    left = []
    for attachment in _those_with_a_name_first(wanted):
        free = [other for other in linked if other not in taken]
        found = next(contents.same(attachment, free), None)
        if found is None:
            left.append(attachment)
        else:
            attachment.uuid = found.uuid
            taken.append(found)
    for attachment in left:
        found = next(contents.same(attachment, taken), None)
        attachment.uuid = found.uuid if found else None


def linked_alike(client: Client, wanted: Attachment, linked: Sequence[Attachment]) -> list[Attachment]:
    """Every linked file that is the wanted one: by its uuid, else by its content (and name, where one is told)."""
    if wanted.uuid is not None:
        return [one for one in linked if one.uuid == wanted.uuid]
    return list(Contents(client).same(wanted, linked))


def upload_missing(contents: Contents, wanted: Iterable[Attachment], send: Callable[[Attachment], None]) -> None:
    """Uploads the local files of one record that are not linked yet: what has the same content (and name, where one is
    told) once.

    :param send: uploads one file and notes its uuid.
    """
    sent: list[Attachment] = []
    for attachment in _those_with_a_name_first(wanted):
        twins = [one for one in sent if attachment.name in (None, name_of(one))]
        twin = next((one for one in twins if contents.local(one) == contents.local(attachment)), None)
        if twin is None:
            send(attachment)
            sent.append(attachment)
        else:
            attachment.uuid = twin.uuid


def _those_with_a_name_first(wanted: Iterable[Attachment]) -> list[Attachment]:
    """Local files that are not known to the service yet; a file whose name does not matter takes what others leave."""
    local = [one for one in wanted if one.path is not None and one.uuid is None]
    return sorted(local, key=lambda one: one.name is None)


def name_of(attachment: Attachment) -> str:
    """What a local file is called when it is uploaded."""
    return attachment.name or Path(str(attachment.path)).name


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
    name = name_of(attachment)
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
    for _look in looks(sleep):
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
