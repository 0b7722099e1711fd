# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The router: maps method and path to a function."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote

from .messages import JSON, PREFIX, Answer, bad_request, not_found

if TYPE_CHECKING:
    from .context import Context


@dataclass(frozen=True)
class Route:
    """An operation. ``path`` is below the prefix, as in the description."""

    method: str
    path: str
    handler: Callable[[Context], Answer]
    right: str | None
    produces: tuple[str, ...] = (JSON,)
    signed_in: bool = True
    module: str | None = None
    later: bool = False

    @property
    def full_path(self) -> str:
        return PREFIX + self.path

    @property
    def operation(self) -> str:
        """The name of the operation in settings."""
        return f"{self.method} {self.path}"

    @property
    def writes(self) -> bool:
        return self.method != "GET"


class Router:
    """Find the route of a request by walking the segments of its path."""

    def __init__(self, routes: Iterable[Route]) -> None:
        self._routes: dict[tuple[str, int], list[tuple[list[str], Route]]] = {}
        for route in routes:
            segments = route.full_path.split("/")
            self._routes.setdefault((route.method, len(segments)), []).append((segments, route))
        for found in self._routes.values():
            # Literal segments have precedence over parameters.
            found.sort(key=lambda entry: [segment.startswith("{") for segment in entry[0]])

    def match(self, method: str, path: str) -> tuple[Route, dict[str, str]]:
        """Return the route and the unescaped values of its path parameters. Raise a 404 if there is none."""
        given = (PREFIX if path == f"{PREFIX}/" else path).split("/")
        for segments, route in self._routes.get((method, len(given)), ()):
            parameters = _matched(segments, given)
            if parameters is not None:
                return route, parameters
        raise not_found(f"There is no {method} {path}")


def _matched(segments: list[str], given: list[str]) -> dict[str, str] | None:
    parameters = {}
    for segment, text in zip(segments, given, strict=True):
        if segment.startswith("{"):
            try:
                parameters[segment[1:-1]] = unquote(text, errors="strict")
            except UnicodeDecodeError:
                raise bad_request("The path is not UTF-8") from None
        elif segment != text:
            return None
    return parameters


def accepted(accept: str, produces: Iterable[str]) -> str | None:
    """Return the first media type that a client accepts, or None without one (kind "representation" of section 7)."""
    wanted = []
    for part in (accept or "*/*").split(","):
        media, *parameters = (piece.strip().lower() for piece in part.split(";"))
        quality = _quality(parameters)
        wanted.append((media, quality))
    best: tuple[float, str] | None = None
    for media in produces:
        score = _score(media, wanted)
        if score > 0 and (best is None or score > best[0]):
            best = (score, media)
    return best[1] if best else None


def _quality(parameters: list[str]) -> float:
    for parameter in parameters:
        if parameter.startswith("q="):
            try:
                return float(parameter[2:])
            except ValueError:
                return 0.0
    return 1.0


def _score(media: str, wanted: list[tuple[str, float]]) -> float:
    """Return the quality of the most specific range that covers a media type."""
    main = media.partition("/")[0]
    ranges: Mapping[str, int] = {media: 3, f"{main}/*": 2, "*/*": 1, "*": 1}
    covering = [(ranges[media_range], quality) for media_range, quality in wanted if media_range in ranges]
    return max(covering)[1] if covering else 0.0
