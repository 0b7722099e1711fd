# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files: uploaded once, compared by content (published description; limits of section 8 of the interface)."""

from __future__ import annotations

import hashlib
import mimetypes
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from ..errors import InvalidInput, NoMatch, SeventhingsError, WrongContent
from ..local.safe_files import Folder, NotOpened
from ..model.field import Field, integer_of, shorten
from ..model.kinds import FILE
from ..model.names import normal_name
from ..model.types_links import Attachment, read_attachment
from .attempts import Effect
from .client import Client
from .record import Record, created_uuid
from .settling import send_once
from .transport import Response

MAX_SIZE = 52_428_800
MAX_NAME = 255
#: Number of leading bytes that are checked for the beginning of an HTML page.
_PAGE_START = 1024
#: Characters that a header of a multipart body cannot contain as they are.
_UNSENDABLE = re.compile('["\\x00-\\x1f\\x7f]')


def check_local(attachment: Attachment, option: str, searched_in: str = "") -> list[str]:
    """Fill in name, type and size of a local file. Return the problems in words.

    :param option: name of the option, for messages.
    :param searched_in: what a path is relative to, in words; empty for the working directory.
    """
    if attachment.path is None:
        return []
    shown = attachment.written or attachment.path
    try:
        size = _size_of(attachment)
    except NotOpened as refused:
        return [f"{option}: {refused.at if attachment.folder else shown} {refused.why}"]
    except InvalidInput as refused:
        return [f"{option}: {refused.message}"]
    except FileNotFoundError:
        place = searched_in or f"{Path.cwd()}, where the module runs"
        return [f"{option}: {shown}: no such file (looked for in {place})"]
    except OSError as error:
        return [f"{option}: {shown} can't be read: {error.strerror}"]
    attachment.size = size
    given, name = attachment.name, name_of(attachment)
    attachment.type = mimetypes.guess_type(name)[0] or "application/octet-stream"
    checks = (
        (1 <= size <= MAX_SIZE, f" has {size} bytes; expected 1 to {MAX_SIZE}"),
        (len(name) <= MAX_NAME, f": the name has {len(name)} characters; expected at most {MAX_NAME}"),
        (given is None or given.strip(), ": the name is empty; leave it out, and the file keeps its own"),
        (
            not _UNSENDABLE.search(given or ""),
            f": the name {name!r} has quotes or control characters, which an upload can't contain",
        ),
    )
    return [f"{option}: {shown}{problem}" for fits, problem in checks if not fits]


def _place_of(attachment: Attachment) -> tuple[Folder, str]:
    """Return the directory of a local file, and its name there. A file that a task names may itself be a link."""
    if attachment.folder is not None:
        return attachment.folder, str(attachment.path)
    return Folder.around(Path(str(attachment.path)).expanduser())


def _size_of(attachment: Attachment) -> int:
    """Return the size of a regular file in bytes, and correct its path to its name on the disk.

    :raises InvalidInput: if it is not a regular file.
    :raises OSError: if it does not exist or cannot be read.
    """
    folder, name = _place_of(attachment)
    existing = _name_on_disk(folder, name)
    if existing != name:
        attachment.path = existing if attachment.folder else str(folder.path / existing)
    return folder.status(existing).st_size


def name_inside(written: str, root: str) -> str:
    """Return the name inside a folder for a path of a desired state.

    Only the text of the path is checked. A path outside the folder is never opened, so nobody learns whether it exists.

    :param root: the folder, for messages.
    :raises InvalidInput: if the path leads out of the folder or has a hidden step.
    """
    parts = PurePosixPath(written).parts
    if written.startswith(("/", "~")) or ".." in parts:
        raise InvalidInput(f"{written} leads outside of {root}")
    if any(part.startswith(".") for part in parts):
        raise InvalidInput(f"{written} is hidden (a part of it begins with a dot); hidden files are never sent")
    return "/".join(parts)


def _name_on_disk(folder: Folder, name: str) -> str:
    """Return the name of a file as it is on the disk, if it was typed in another Unicode form."""
    if name.isascii() or folder.type_of(name) is not None:
        return name
    place = ""
    for part in name.split("/"):
        wanted = normal_name(f"{place}/{part}" if place else part)
        try:
            found = [member.name for member in folder.listed(place) if normal_name(member.name) == wanted]
        except (NotOpened, OSError):
            return name
        if len(found) != 1:
            return name
        [place] = found
    return place


class Contents:
    """SHA-256 digests of files. Each file is read or downloaded once, however many records link to it."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self._linked: dict[str, str] = {}
        self._local: dict[tuple[str, str], str] = {}

    def linked(self, attachment: Attachment) -> str:
        uuid = str(attachment.uuid)
        if uuid not in self._linked:
            self._linked[uuid] = hashlib.sha256(download(self.client, uuid, attachment.size)).hexdigest()
        return self._linked[uuid]

    def local(self, attachment: Attachment) -> str:
        folder = "" if attachment.folder is None else str(attachment.folder.path)
        place = (folder, str(attachment.path))
        if place not in self._local:
            self._local[place] = hashlib.sha256(content_of(attachment)).hexdigest()
        attachment.digest = self._local[place]
        return attachment.digest

    def same(self, attachment: Attachment, linked: Iterable[Attachment]) -> Iterator[Attachment]:
        """Yield the linked files that have the content of a local file, and its name if one is given."""
        # The size is unknown if the local file can't be read.
        for other in linked if attachment.size is not None else ():
            if other.size is None:
                describe(self.client, other)
            if other.size not in (None, attachment.size) or not _is_named(attachment.name, other.name):
                continue
            # Compare the name last: if the record does not contain it, it costs a request.
            if self.local(attachment) == self.linked(other) and self._is_called(other, attachment.name):
                yield other

    def _is_called(self, linked: Attachment, name: str | None) -> bool:
        if name is not None and linked.name is None:
            describe(self.client, linked)
        return name is None or (linked.name is not None and _is_named(name, linked.name))


def _is_named(wanted: str | None, name: str | None) -> bool:
    """Return False if a file is known to have another name than the wanted name."""
    return wanted is None or name is None or normal_name(wanted) == normal_name(name)


def recognise(contents: Contents, wanted: Iterable[Attachment], linked: Sequence[Attachment]) -> None:
    """Assign to each local file the uuid of the linked file with the same content, and the same name if given.

    Only linked files of equal size are downloaded.

    If several wanted files have the same content, each gets its own linked file while there are enough, and the rest
    share one: linked content is not uploaded again.
    """
    assigned: list[Attachment] = []
    left = []
    for attachment in _named_first(wanted):
        found = next(contents.same(attachment, [other for other in linked if other not in assigned]), None)
        if found is None:
            left.append(attachment)
        else:
            attachment.uuid = found.uuid
            assigned.append(found)
    for attachment in left:
        found = next(contents.same(attachment, assigned), None)
        attachment.uuid = found.uuid if found else None


def equal_links(client: Client, wanted: Attachment, linked: Sequence[Attachment]) -> list[Attachment]:
    """Return every linked file that is the wanted file: by uuid, else by content, and by name if given."""
    if wanted.uuid is not None:
        return [file for file in linked if file.uuid == wanted.uuid]
    return list(Contents(client).same(wanted, linked))


def upload_missing(contents: Contents, wanted: Iterable[Attachment], send: Callable[[Attachment], None]) -> None:
    """Upload the local files of one record that are not linked yet.

    Files with the same content, and the same name if given, are uploaded once.

    :param send: uploads one file and stores its uuid.
    """
    sent: list[Attachment] = []
    for attachment in _named_first(wanted):
        equal_files = [file for file in sent if _is_named(attachment.name, name_of(file))]
        equal_file = next((twin for twin in equal_files if contents.local(twin) == contents.local(attachment)), None)
        if equal_file is None:
            send(attachment)
            sent.append(attachment)
        else:
            attachment.uuid = equal_file.uuid


def _named_first(wanted: Iterable[Attachment]) -> list[Attachment]:
    """Return local files without a uuid. Files with a name come first, because files without one match any name."""
    local = [file for file in wanted if file.path is not None and file.uuid is None]
    return sorted(local, key=lambda file: file.name is None)


def name_of(attachment: Attachment) -> str:
    """Return the name that a local file gets when it is uploaded."""
    return attachment.name or Path(str(attachment.path)).name


def require_files(client: Client, files: Iterable[tuple[str, str]]) -> None:
    """Check that uploaded files exist, with one request for each of them.

    :param files: the place in messages, and the uuid, of each file.
    :raises NoMatch: for a file that does not exist.
    """
    missing = [
        f"{place}: there is no file with the uuid {uuid}" for place, uuid in files if client.get(FILE, uuid) is None
    ]
    if missing:
        raise NoMatch(missing, is_final=True)


def describe(client: Client, linked: Attachment) -> Attachment:
    """Fill in what a record does not show of a file, with one request. Some records show only its uuid.

    :raises WrongContent: if the service returns a name that is not a text.
    """
    meta = client.get(FILE, str(linked.uuid))
    if meta is None:
        return linked
    described = read_attachment({**meta.flat, "uuid": linked.uuid}, Field("file", "ATTACHMENT"))
    if described is None:
        raise WrongContent(
            f"GET /file/{linked.uuid}: the name of the file is {shorten(meta.flat.get('name'))}, which is not text"
        )
    linked.name, linked.type, linked.size, linked.raw = described.name, described.type, described.size, described.raw
    return linked


def download(client: Client, uuid: str, size: int | None = None) -> bytes:
    """Return the content of a file.

    :param size: in bytes, as the service reports it; None if it reports none.
    :raises WrongContent: if the answer is something else, such as the page of a gateway.
    """

    def check(answer: Response) -> None:
        found = len(answer.body)
        if size not in (None, found):
            raise WrongContent(
                f"{answer.endpoint}: expected the {size} bytes of the file, got {found} bytes, and used none of them"
            )

    content = client.send("GET", f"/file/{uuid}/data", accept="application/octet-stream", check=check).body
    described = describe(client, Attachment(uuid=uuid)).size if size is None and _is_page(content) else None
    return content if described in (None, len(content)) else download(client, uuid, described)


def thumbnail(client: Client, uuid: str, size: Mapping[str, Any]) -> bytes:
    """Return a small picture of a file, a PNG if the instance has one.

    :param size: maximum width and height in pixels; the instance decides if they are missing.
    :raises WrongContent: if the answer is a page.
    """

    def check(answer: Response) -> None:
        if _is_page(answer.body):
            raise WrongContent(f"{answer.endpoint}: expected a picture, got a page; it starts with {_start(answer)}")

    pairs = [(name, str(pixels)) for name, pixels in size.items() if pixels is not None]
    path, accept = f"/file/{uuid}/thumbnail", "image/png, image/*;q=0.5"
    return client.send("GET", path, pairs=pairs, accept=accept, check=check).body


def pdf(client: Client, path: str, body: Mapping[str, Any]) -> bytes:
    """Return a PDF that the service creates.

    :raises WrongContent: if the answer is something else.
    """

    def check(answer: Response) -> None:
        if not answer.body.startswith(b"%PDF-"):
            words = f"expected a PDF, got something else; it starts with {_start(answer)}"
            raise WrongContent(f"{answer.endpoint}: {words}")

    return client.send("POST", path, Effect.SAFE, body=body, accept="application/pdf", check=check).body


def _is_page(content: bytes) -> bool:
    """Return True if a content is an HTML page."""
    return content[:_PAGE_START].lstrip().lower().startswith((b"<!doctype html", b"<html"))


def _start(answer: Response) -> str:
    return repr(answer.excerpt(answer.body))


def content_of(attachment: Attachment) -> bytes:
    """Return the current content of a local file.

    Between the check and the read, somebody may replace the file by another file or a link. Such a file is not read.

    :raises SeventhingsError: if it cannot be read or is not the file that was checked.
    """
    shown = attachment.written or attachment.path
    try:
        folder, name = _place_of(attachment)
        content = folder.read(name, MAX_SIZE)
    except NotOpened as refused:
        raise SeventhingsError(f"{shown} can't be read any more: {refused.at} {refused.why}") from refused
    except OSError as error:
        raise SeventhingsError(f"{shown} can't be read any more: {error.strerror}") from error
    if attachment.digest and hashlib.sha256(content).hexdigest() != attachment.digest:
        raise SeventhingsError(f"{shown} was changed since it was compared, so it is not uploaded; run it again.")
    return content


def upload(client: Client, attachment: Attachment) -> None:
    """Upload a local file and note its uuid, as :func:`upload_content` does."""
    upload_content(client, attachment, content_of(attachment))


def upload_content(client: Client, attachment: Attachment, content: bytes, defers: bool = False) -> None:
    """Upload the content of a local file and note its uuid.

    An upload is never sent twice. If its answer is lost, it is looked for among the newest files by name, size and
    content.

    :param defers: raise a lost answer at once; the caller looks for the file later.
    """
    name = name_of(attachment)
    part = {"data": (name, content, attachment.type)}

    def send() -> str:
        return created_uuid(client.send("POST", "/file", Effect.UNSAFE, files=part), "file")

    reason = "a file that is uploaded twice can't be deleted"
    attachment.uuid = send_once(client.transport, send, lambda: _newest_like(client, name, content), reason, defers)


def _newest_like(client: Client, name: str, content: bytes) -> str | None:
    """Return the uuid of a file with this name and content among the newest ones."""
    return next((file.uuid for file in client.list_all(FILE) if is_same_file(client, file, name, content)), None)


def is_same_file(client: Client, file: Record, name: str, content: bytes) -> bool:
    """Return True if a file of the instance has the name and the content of a local file.

    If its name or size can't be read, the content decides.
    """
    called, size = file.flat.get("name"), integer_of(file.flat.get("size"))
    is_other = (isinstance(called, str) and called != name) or size not in (None, len(content))
    return not is_other and download(client, file.uuid, size) == content


def require_local(attachments: Iterable[Attachment], option: str) -> None:
    """Raise :class:`InvalidInput` with every problem of the local files among attachments."""
    problems = [problem for attachment in attachments for problem in check_local(attachment, option)]
    if problems:
        raise InvalidInput(problems)
