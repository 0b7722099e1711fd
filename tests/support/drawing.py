# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Draw pictures as SVG from data: bar charts, boxes with arrows, and terminal output."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

_NOTICE = "<!-- Contributors to the community.seventhings collection, GPL-3.0-or-later -->"
_FONT = "system-ui, sans-serif"
_MONO = "ui-monospace, Menlo, Consolas, monospace"
_INK, _PAPER, _LINE, _BAR, _OURS = "#1f2933", "#ffffff", "#9aa5b1", "#9fb3c8", "#2563eb"
_COLOURS = {
    "31": "#ff7b72", "32": "#7ee787", "33": "#e3b341", "34": "#79c0ff", "35": "#d2a8ff", "36": "#76e3ea",
}  # fmt: skip
_DARK = {
    _INK: "#e6edf3", _PAPER: "#0d1117", _LINE: "#6e7681", _BAR: "#57606a", _OURS: "#4493f8",
    "#e8f0fe": "#1c2b41", "#fff4e0": "#3d2e12", "#e6f6ec": "#12361f",
}  # fmt: skip
"""The dark-mode colour of each colour of a drawing."""
_SGR = re.compile(r"\x1b\[([0-9;]*)m")


def _svg(width: int, height: int, title: str, parts: Iterable[str]) -> str:
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img">\n{_NOTICE}\n<title>{escape(title)}</title>\n{body}\n</svg>\n'
    )


def _style() -> str:
    """Return the rules of a drawing for dark pages."""
    rules = [f'[{kind}="{light}"]{{{kind}:{dark}}}' for light, dark in _DARK.items() for kind in ("fill", "stroke")]
    return f"<style>@media (prefers-color-scheme:dark){{{''.join(rules)}}}</style>"


def _text(x: float, y: float, text: str, size: int = 14, anchor: str = "start", more: str = "") -> str:
    return (
        f'<text x="{x:g}" y="{y:g}" font-family="{_FONT}" font-size="{size}" text-anchor="{anchor}" '
        f'fill="{_INK}"{more}>{escape(text)}</text>'
    )


# ---- bars


@dataclass(frozen=True)
class Bar:
    """A bar of a chart.

    :ivar is_ours: True if it represents this collection.
    """

    label: str
    value: float
    is_ours: bool = False


def bar_chart(title: str, unit: str, bars: Sequence[Bar]) -> str:
    """Return a bar chart with numbers, in which shorter bars are better."""
    # Large, because a phone shows 720 units on 375 pixels.
    width, row, top = 720, 66, 88
    widest = max(shown.value for shown in bars)
    parts = [_style(), f'<rect width="{width}" height="{top + row * len(bars) + 8}" fill="{_PAPER}"/>']
    parts += [_text(16, 34, title, 28, more=' font-weight="600"'), _text(16, 66, f"{unit}; shorter is better", 22)]
    for number, shown in enumerate(bars):
        y = top + row * number
        length = max(2.0, shown.value / widest * (width - 110))
        parts.append(_text(16, y + 24, shown.label, 24))
        fill = _OURS if shown.is_ours else _BAR
        parts.append(f'<rect x="16" y="{y + 34}" width="{length:.1f}" height="20" rx="3" fill="{fill}"/>')
        parts.append(_text(24 + length, y + 52, f"{shown.value:,g}", 22))
    return _svg(width, top + row * len(bars) + 8, title, parts)


# ---- boxes


@dataclass(frozen=True)
class Box:
    """A box of a drawing: its position and its lines. The first line is its name."""

    x: int
    y: int
    lines: tuple[str, ...]
    width: int = 128
    height: int = 64
    fill: str = "#e8f0fe"


def boxes(title: str, size: tuple[int, int], drawn: Sequence[Box], arrows: Sequence[tuple[int, int, str]]) -> str:
    """Return a drawing of boxes, and of labelled arrows between boxes, which are given by their indexes."""
    tip = (
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
        f'<path d="M0 0L8 4L0 8z" fill="{_LINE}"/></marker></defs>'
    )
    parts = [tip, _style(), f'<rect width="{size[0]}" height="{size[1]}" fill="{_PAPER}"/>']
    for start, end, word in arrows:
        (x1, y1), (x2, y2) = _between(drawn[start], drawn[end])
        parts.append(
            f'<path d="M{x1} {y1}L{x2} {y2}" stroke="{_LINE}" stroke-width="2" fill="none" marker-end="url(#tip)"/>'
        )
        if word:
            parts.append(_text((x1 + x2) / 2 + 6, (y1 + y2) / 2 - 5, word, 14))
    for box in drawn:
        parts.append(
            f'<rect x="{box.x}" y="{box.y}" width="{box.width}" height="{box.height}" rx="8" fill="{box.fill}" '
            f'stroke="{_LINE}"/>'
        )
        middle = box.x + box.width / 2
        first = box.y + box.height / 2 - (len(box.lines) - 1) * 10 + 6
        for number, line in enumerate(box.lines):
            weight = ' font-weight="600"' if number == 0 else ""
            parts.append(_text(middle, first + 20 * number, line, 17 if number == 0 else 14, "middle", more=weight))
    return _svg(*size, title, parts)


def _between(start: Box, end: Box) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return the points where an arrow leaves a box and reaches the other box."""
    if start.x + start.width <= end.x:
        return (start.x + start.width, start.y + start.height // 2), (end.x - 3, end.y + end.height // 2)
    if end.x + end.width <= start.x:
        return (start.x, start.y + start.height // 2), (end.x + end.width + 3, end.y + end.height // 2)
    # A straight vertical line through the middle of the shared width.
    middle = (max(start.x, end.x) + min(start.x + start.width, end.x + end.width)) // 2
    if start.y < end.y:
        return (middle, start.y + start.height), (middle, end.y - 3)
    return (middle, start.y), (middle, end.y + end.height + 3)


# ---- a terminal


@dataclass(frozen=True)
class Shown:
    """A line of terminal output, with its colours as escapes, and its time in seconds."""

    at: float
    text: str


def terminal(title: str, lines: Sequence[Shown], columns: int = 50) -> str:
    """Return an animation of terminal output that plays once. Without animation, all lines are visible.

    Lines are narrow enough for a phone: the asterisks and spaces with which Ansible fills lines are left out.
    """
    lines = [Shown(line.at, part) for line in lines for part in _wrapped(_narrow(line.text), columns)]
    height = 17
    size = (columns * 8 + 24, height * len(lines) + 60)
    still = "@media (prefers-reduced-motion:reduce){.l{animation:none}}"
    parts = [
        f"<style>.l{{animation:a 1ms both}}@keyframes a{{from{{opacity:0}}}}{still}</style>",
        f'<rect width="{size[0]}" height="{size[1]}" rx="8" fill="#0d1117"/>',
        *(f'<circle cx="{x}" cy="18" r="5" fill="#3d444d"/>' for x in (20, 38, 56)),
    ]
    for number, line in enumerate(lines):
        y = 52 + height * number
        delay = f' style="animation-delay:{line.at:.2f}s"' if line.at else ""
        parts.append(
            f'<text class="l" x="12" y="{y}" font-family="{_MONO}" font-size="13" fill="#e6edf3" xml:space="preserve"'
            f"{delay}>{_spans(line.text)}</text>"
        )
    return _svg(*size, title, parts)


def _narrow(line: str) -> str:
    """Return a line without runs of asterisks and spaces, and without the zero counts of a recap."""
    line = re.sub(r" \*{3,}", "", line)
    line = re.sub(r" +(?:skipped|rescued|ignored)=0(?![0-9])", "", line).rstrip()
    return re.sub(r" {2,}", " ", line) if "ok=" in line else line


def _wrapped(line: str, columns: int) -> list[str]:
    """Wrap a line to the width of the terminal. Each row keeps the colour of the row before."""
    rows, colour, width = [""], "", 0
    for piece in re.split(r"(\x1b\[[0-9;]*m|.)", line):
        if piece.startswith("\x1b"):
            colour = piece
        elif piece:
            if width == columns:
                rows.append(colour)
                width = 0
            width += 1
        rows[-1] += piece
    return rows


def _spans(line: str) -> str:
    """Split a line into coloured parts, according to its escapes."""
    parts, fill = [], ""
    for number, piece in enumerate(_SGR.split(line)):
        if number % 2:
            fill = next((_COLOURS[code] for code in piece.split(";") if code in _COLOURS), "")
        elif piece:
            text = escape(piece)
            parts.append(f'<tspan fill="{fill}">{text}</tspan>' if fill else text)
    return "".join(parts)
