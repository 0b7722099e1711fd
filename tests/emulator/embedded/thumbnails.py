# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Thumbnails, even for files that are not images."""

from __future__ import annotations

import io
import warnings
from pathlib import PurePath

from PIL import Image, ImageDraw, ImageOps

_PAPER, _EDGE, _INK = "#f4f4f1", "#8a8f98", "#4a4f57"


def thumbnail(content: bytes, name: str, size: tuple[int, int]) -> bytes:
    """Return a PNG that fits into a size: the reduced image, or a drawn sheet of paper with the suffix."""
    image = _image(content, size) or _sheet(PurePath(name).suffix.lstrip(".").upper()[:4], size)
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


def _image(content: bytes, size: tuple[int, int]) -> Image.Image | None:
    try:
        with warnings.catch_warnings():
            # An image of absurd dimensions gets the same sheet as a file that is not an image.
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(io.BytesIO(content)) as image:
                image.draft("RGB", size)
                upright = ImageOps.exif_transpose(image).convert("RGBA")
    except Exception:
        # A broken or foreign file still has a thumbnail, whatever the decoder raises.
        return None
    upright.thumbnail(size)
    return upright


def _sheet(label: str, size: tuple[int, int]) -> Image.Image:
    width, height = size
    image = Image.new("RGBA", size, _PAPER)
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, 0, width - 1, height - 1), outline=_EDGE)
    if label and width >= 30 and height >= 15:
        left, top, right, bottom = draw.textbbox((0, 0), label)
        draw.text(((width - right - left) / 2, (height - bottom - top) / 2), label, fill=_INK)
    return image
