# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is printed stays on its line, and looks like what it is."""

from __future__ import annotations

import json
import unicodedata

_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Unicode's categories of controls (C0, C1, DEL), of format characters (bidi, zero width), of halves of a pair that no
encoding can write, and of line and paragraph separators."""


def clean(text: str) -> str:
    """A text of a service, a file or another program, as it may be printed: one line, whatever is in it.

    Everything that ends a line, steers a terminal, turns the order of letters round or can't be seen stands as the
    escape that JSON has for it, so that a text in JSON is the same text afterwards.
    """
    if text.isprintable():
        return text
    return "".join(_escape(letter) if unicodedata.category(letter) in _UNSEEN else letter for letter in text)


def _escape(letter: str) -> str:
    return json.dumps(letter)[1:-1]
