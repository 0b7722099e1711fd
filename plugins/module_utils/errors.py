# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The exceptions: one for each kind of error in the interface (section 7), and the collection's own.

Each exception has one message for users: what was wrong, where, and what was expected. No message has a secret.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any

from .printing.cleaner import clean

#: The message of an instance for a module (rental, hub) that is switched off.
#:
#: It distinguishes this from missing rights.
FEATURE_OFF_MESSAGE = "The required feature for this endpoint is not active"

_QUOTE_LIMIT = 300


def unless(problem: str, deed: str) -> str:
    """Return a problem in check mode that an earlier task of the play may solve, and how.

    :param deed: what that task has to do, as a verb with its object.
    """
    end = "" if problem.endswith((".", "?")) else "."
    return f"{problem}{end} So the real run fails unless an earlier task of the play {deed}."


class SeventhingsError(Exception):
    """Base class of all exceptions that the engine raises. The message can be printed unchanged.

    :param message: one or more lines. A line end inside a line is shown as an escape.
    :ivar lines: the message, line by line.
    """

    def __init__(self, message: str | Sequence[str]) -> None:
        self.lines = tuple(clean(line) for line in ([message] if isinstance(message, str) else message))
        super().__init__(self.message)

    @property
    def message(self) -> str:
        return "\n".join(self.lines)

    @message.setter
    def message(self, text: str) -> None:
        """Set the message. If it begins with the present message, the added text extends the last line."""
        if not self.lines or not text.startswith(self.message):
            self.lines = (clean(text),)
        else:
            self.lines = (*self.lines[:-1], self.lines[-1] + clean(text.removeprefix(self.message)))
        self.args = (self.message,)

    @property
    def to_come(self) -> tuple[str, ...]:
        """The lines as warnings of check mode, if an earlier task of the play may create what is missing."""
        return tuple(unless(line, "creates it") for line in self.lines)


class InvalidInput(SeventhingsError):
    """Raised if the desired state or an option is wrong. Nothing was sent for it.

    :ivar problems: one line for each finding.
    """

    def __init__(self, problems: str | Sequence[str]) -> None:
        super().__init__(problems)
        self.problems = list(self.lines)


class UnknownField(InvalidInput):
    """Raised if the template has no field with a name.

    :param warning: the problem in check mode, without the list of all fields.
    """

    def __init__(self, problem: str, warning: str) -> None:
        super().__init__(problem)
        self._warning = warning

    @property
    def to_come(self) -> tuple[str, ...]:
        return (self._warning,)


#: The message for the empty uuid or key of a record.
IS_EMPTY = "{} is empty, as in check mode for a record that does not exist yet; nothing could be looked up."


class NoMatch(SeventhingsError):
    """Raised if a required target of a reference, uuid or key does not exist.

    :ivar is_final: True if no earlier task of the play can create the target: its id was written, or it is hidden.
    """

    def __init__(self, message: str | Sequence[str], is_final: bool = False) -> None:
        super().__init__(message)
        self.is_final = is_final


class Ambiguous(SeventhingsError):
    """Raised if more than one record matches and exactly one must. The message names all of them."""


class IncompleteList(SeventhingsError):
    """Raised if a list is incomplete, so that no decision may be based on it."""

    @classmethod
    def of_the_list(cls, plural: str, total: int | None, found: int, readings: int) -> IncompleteList:
        """Create the error for a list whose pages don't fit together.

        :param plural: what the list contains, such as ``rental cases``. :param total: as the service reports it.
        :param found: number of records of the last reading. :param readings: how often the list was read.
        """
        if total is None:
            words = "the service reports no total, and each reading found other records"
        else:
            words = f"the service reports a total of {total}, and its pages have {found} different records"
        return cls(
            f"The list of {plural} is inconsistent: {words}, even after reading {readings} times. Nothing is decided "
            "from it; try again when nobody else is writing."
        )


class WrongContent(SeventhingsError):
    """Raised if the service answers something else in place of the content of a file."""


class WriteRefused(SeventhingsError):
    """Raised instead of sending a write in check mode."""


class ConnectionFailed(SeventhingsError):
    """Raised if the request never reached the service: name, route, TLS or refused connection."""


class ServiceUnavailable(SeventhingsError):
    """Raised if the service is down and did not come back in time, or loses all writes of one kind.

    Other requests would fail, too.
    """


class OutcomeUnknown(SeventhingsError):
    """Raised if the request may have been executed: timeout, broken connection, or a 5xx answer to a write.

    :ivar status: the HTTP status of the answer; None if there was none.
    :ivar may_follow: no answer came in time, so the request is not sent again in this run.
    :ivar is_lost: True if the request may still take effect. False if the service itself answered, with an error in its
        own JSON: it is done with the request.
    """

    def __init__(self, message: str, status: int | None = None, may_follow: bool = False, is_lost: bool = True) -> None:
        super().__init__(message)
        self.status = status
        self.may_follow = may_follow
        self.is_lost = is_lost


class NotJson(SeventhingsError):
    """Raised if the service, or something in front of it, answered with something that is not JSON."""


class ListMissing(SeventhingsError):
    """Raised if the instance has no list of a kind of record that nothing else depends on."""


class VersionTooOld(ListMissing):
    """Raised if the version of the instance is too old for the requested operation."""


class ServiceError(SeventhingsError):
    """Raised if the service answered with an error.

    :ivar words: the service's own words, quoted in the message.
    """

    meaning = "the service answered with an error"

    def __init__(self, status: int, words: str, endpoint: str, is_login: bool = False) -> None:
        self.status = status
        self.words = words
        quoted = f' The service says: "{words}".' if words else " The service gave no reason."
        if is_login:
            # The answer may repeat the password or the code in a spelling that no mask recognises.
            quoted = " The answer of the service to a login is not shown."
        super().__init__(f"{endpoint}: HTTP {status}, {self.meaning}.{quoted}")


class InvalidRequest(ServiceError):
    """400: invalid request."""

    meaning = "the request body is missing or invalid, or the request data is invalid"


class AccessTokenRefused(ServiceError):
    """401: the access token is missing or invalid."""

    meaning = "the access token is missing or invalid"


class PermissionMissing(ServiceError):
    """403: the user has no permission."""

    meaning = "the signed-in user is not permitted to do this"


class FeatureOff(PermissionMissing):
    """403 with the message of a module that is switched off."""

    meaning = "this module is switched off on the instance"


class NotFound(ServiceError):
    """404: not found."""

    meaning = "the requested resource could not be found"


class MethodNotAllowed(ServiceError):
    """405: not in the description. Like 404, it means that an instance does not have the operation."""

    meaning = "there is no such operation"


class NotAcceptable(ServiceError):
    """406: representation."""

    meaning = "the requested representation has no acceptable format"


class Conflict(ServiceError):
    """409: not in the description; the vendor's clients expect it for duplicates."""

    meaning = "the request conflicts with the current state"


class NotProcessable(ServiceError):
    """422: not processable."""

    meaning = "the requested entry is not processable"


class TooManyRequests(ServiceError):
    """429: the request was not executed."""

    meaning = "too many requests"


class InternalError(ServiceError):
    """5xx: internal error."""

    meaning = "internal server error"


_BY_STATUS: dict[int, type[ServiceError]] = {
    400: InvalidRequest,
    401: AccessTokenRefused,
    403: PermissionMissing,
    404: NotFound,
    405: MethodNotAllowed,
    406: NotAcceptable,
    409: Conflict,
    422: NotProcessable,
    429: TooManyRequests,
}

#: The errors with which an instance may refuse a value, such as a duplicate. 400, 409 and 422 mean the same here.
REFUSED_VALUES = (InvalidRequest, Conflict, NotProcessable)


def service_words(body: bytes, mask: Callable[[str], str] = str, is_whole: bool = True) -> str:
    """Return the service's own explanation in an error body.

    :param body: the raw body: JSON with ``detail``, ``message``, ``title`` or ``error`` (checked in this order), plain
        text, HTML, or nothing.
    :param mask: removes secrets from a text, before anything of it is cut.
    :param is_whole: True if the body is complete; otherwise its end may be half of a secret.
    :returns: one line of at most 300 characters; empty if there is none.
    """
    text = mask(body.decode("utf-8", "replace").strip())
    if not is_whole:
        text = text[: len(text) // 2]
    try:
        decoded: Any = json.loads(text)
    except (ValueError, RecursionError):
        text = _MARKUP.sub(" ", text)
    else:
        if isinstance(decoded, dict):
            found = [decoded[key] for key in ("detail", "message", "title", "error") if decoded.get(key)]
            decoded = found[0] if found else decoded
        text = decoded if isinstance(decoded, str) else _as_json(decoded) if decoded else ""
    text = mask(" ".join(text.split()))
    return text if len(text) <= _QUOTE_LIMIT else text[:_QUOTE_LIMIT] + "..."


#: The tags of a page, and what it does not show.
_MARKUP = re.compile(r"<(style|script)\b.*?(?:</\1\b[^<>]*>|\Z)|<[^<>]*>", re.IGNORECASE | re.DOTALL)


def _as_json(value: Any) -> str:
    try:
        return json.dumps(value)
    except RecursionError:
        return ""


def service_error(status: int, words: str, endpoint: str, is_login: bool = False) -> ServiceError:
    """Return the exception for an error answer.

    :param status: HTTP status, 300 or above.
    :param words: from :func:`service_words`, without secrets.
    :param endpoint: method and path of the request.
    :param is_login: True for a login. The message then quotes nothing.
    """
    kind = _BY_STATUS.get(status, InternalError if status >= 500 else ServiceError)
    if kind is PermissionMissing and FEATURE_OFF_MESSAGE in words:
        kind = FeatureOff
    return kind(status, words, endpoint, is_login)
