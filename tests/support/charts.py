# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Generated pictures: charts of the numbers in docs/benchmarks.md, and drawings of the design."""

from __future__ import annotations

import re
from pathlib import Path

from drawing import Bar, Box, bar_chart, boxes
from project import ROOT

IMAGES = ROOT / "docs" / "images"
_BENCHMARKS = ROOT / "docs" / "benchmarks.md"
_OURS = re.compile(r"`(instance|object|execution)")


def files() -> dict[Path, bytes]:
    """Return each picture by its path."""
    drawn = {
        "architecture.svg": architecture(),
        "layers.svg": layers(),
        "benchmark-new-objects.svg": _chart("New objects"),
        "benchmark-loop.svg": _chart("A loop with nothing to change"),
    }
    return {IMAGES / name: picture.encode() for name, picture in drawn.items()}


def table(heading: str, page: str) -> list[dict[str, str]]:
    """Return the rows of the table below a heading of Markdown, each a map of column to cell.

    :raises LookupError: if there is none.
    """
    found = re.search(rf"(?m)^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", page, re.DOTALL)
    if found is None:
        raise LookupError(f"no heading {heading}")
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in found[1].splitlines() if line[:1] == "|"]
    return [dict(zip(rows[0], row, strict=True)) for row in rows[2:]]


def _chart(heading: str) -> str:
    rows = table(heading, _BENCHMARKS.read_text(encoding="utf-8"))
    measured = [(row["way"], float(row["ms an object"].replace(",", ""))) for row in rows]
    bars = [Bar(way.replace("`", ""), number, _OURS.search(way) is not None) for way, number in measured]
    return bar_chart(heading, "Milliseconds an object", sorted(bars, key=lambda bar: bar.value))


def architecture() -> str:
    """Return a drawing of the path from files to requests."""
    names = (
        ("desired", "YAML, CSV, options"), ("match", "natural key"), ("compare", "by type"),
        ("plan", "changes, no I/O"), ("apply", "requests"), ("report", "result, diff"),
    )  # fmt: skip
    walk = [Box(16, 16 + 92 * number, lines, width=180, height=60) for number, lines in enumerate(names)]
    service = Box(320, 16 + 92, ("service", "an instance"), width=124, height=92 * 3 + 60, fill="#fff4e0")
    arrows = [(number, number + 1, "") for number in range(5)]
    arrows += [(6, 1, "lists"), (4, 6, "writes")]
    return boxes("From desired state to requests", (460, 568), [*walk, service], arrows)


def layers() -> str:
    """Return a drawing of several directories as one desired state."""
    drawn = [
        Box(16, 20, ("base", "what all sites have"), width=170),
        Box(16, 110, ("overlays/berlin", "what differs there"), width=170),
        Box(16, 200, ("variables", "of the host"), width=170),
        Box(270, 110, ("desired state", "later layers override"), width=174, fill="#e6f6ec"),
        Box(270, 240, ("instance", "berlin"), width=174, fill="#fff4e0"),
    ]
    return boxes(
        "Layers of a desired state", (460, 320), drawn, [(0, 3, ""), (1, 3, ""), (2, 3, ""), (3, 4, "plan, apply")]
    )
