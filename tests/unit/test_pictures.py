# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The pictures of the documents exist, are small, and agree with their numbers."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import charts
import guides
import pytest
from drawing import Bar, Shown, bar_chart, terminal
from project import ROOT

_REPOSITORY = "https://github.com/ansible-collections/community.seventhings"
_LARGEST = 300_000
_PHONE, _SMALLEST = 375, 11
"""The width of a phone in pixels, and the smallest font size there."""
# The release creates this file.
_TO_COME = {"CHANGELOG.md"}


def test_pictures_are_small() -> None:
    sizes = {path.name: path.stat().st_size for path in charts.IMAGES.iterdir()}
    assert {"plan.png", "terminal.svg", "inventory.svg"} <= sizes.keys()
    assert {name: size for name, size in sizes.items() if size > _LARGEST} == {}


@pytest.mark.parametrize("path", sorted(charts.IMAGES.glob("*.svg")), ids=lambda path: path.name)
def test_a_drawing_has_a_title_and_loads_nothing(path: Path) -> None:
    text = path.read_text("utf-8")
    root = ET.fromstring(text)
    assert root.find("{http://www.w3.org/2000/svg}title") is not None
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")


def test_the_longest_bar_is_for_the_largest_number() -> None:
    chart = ET.fromstring(bar_chart("T", "ms", [Bar("a", 10), Bar("b", 5, is_ours=True)]))
    bars = [shape for shape in chart.iter("{http://www.w3.org/2000/svg}rect") if shape.get("rx")]
    assert [round(float(shape.get("width", 0))) for shape in bars] == [610, 305]


@pytest.mark.parametrize("path", sorted(charts.IMAGES.glob("*.svg")), ids=lambda path: path.name)
def test_a_drawing_can_be_read_on_a_phone_and_on_a_dark_page(path: Path) -> None:
    text = path.read_text("utf-8")
    width = float(ET.fromstring(text).get("width", 0))
    sizes = [float(size) for size in re.findall(r'font-size="([0-9.]+)"', text)]
    assert min(sizes) * min(1, _PHONE / width) >= _SMALLEST
    assert "prefers-color-scheme:dark" in text or 'fill="#0d1117"' in text


def test_a_film_shows_each_line_when_it_came_and_no_escape() -> None:
    film = terminal("T", [Shown(0, "\x1b[0;33mchanged: <a>\x1b[0m b"), Shown(1.5, "ok")])
    assert ">changed: &lt;a&gt;</tspan> b</text>" in film
    assert "animation-delay:1.50s" in film
    assert "\x1b" not in film


def test_a_film_wraps_long_lines_as_a_terminal_does() -> None:
    film = terminal("T", [Shown(0, "\x1b[0;31m" + "a" * 30 + " " + "b" * 30 + "\x1b[0m c")], columns=48)
    lines = [re.sub(r"<[^>]*>", "", line) for line in film.splitlines() if line.startswith("<text")]
    assert lines == ["a" * 30 + " " + "b" * 17, "b" * 13 + " c"]
    assert f'<tspan fill="#ff7b72">{"b" * 13}</tspan> c' in film


def test_links_in_the_readme_lead_to_existing_files() -> None:
    """Relative links don't work on Galaxy."""
    links = re.findall(r"\]\(([^)]+)\)", guides.README.read_text("utf-8").replace("\n", " "))
    assert [link for link in links if not link.startswith("https://")] == []
    own = [link.removeprefix(_REPOSITORY) for link in links if link.startswith(_REPOSITORY)]
    paths = [match[1] for link in own if (match := re.fullmatch(r"/(?:blob|tree|raw)/main/([^#]+)(?:#.+)?", link))]
    assert len(paths) > 10
    assert [path for path in paths if path not in _TO_COME and not (ROOT / path).exists()] == []
