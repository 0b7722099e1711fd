# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Texts for people have the right articles."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from project import ROOT

from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import KINDS, Kind

PLACES = ("README.md", "changelogs/fragments", "docs", "examples", "meta", "playbooks", "plugins", "roles")
TEXTS = sorted(
    path
    for place in PLACES
    for path in ([ROOT / place] if (ROOT / place).is_file() else (ROOT / place).rglob("*"))
    if path.suffix in (".md", ".py", ".rst", ".yml", ".yaml", ".json", ".j2")
)
# Listing the letters in both cases is much faster than ignoring case.
_A_BEFORE_A_VOWEL = re.compile(r"\b[aA]\s+(?![oO]ne\b|[oO]nce\b|[eE]u)[aeioAEIO][a-zA-Z]+")


def wrong_articles(path: Path) -> list[str]:
    return _A_BEFORE_A_VOWEL.findall(re.sub(r"[`*()|]", " ", path.read_text("utf-8")))


def test_no_word_that_begins_with_a_vowel_has_the_wrong_article() -> None:
    found = {str(path.relative_to(ROOT)): wrong_articles(path) for path in TEXTS}
    assert len(found) > 400
    assert {path: words for path, words in found.items() if words} == {}


@pytest.mark.parametrize("kind", KINDS.values(), ids=list(KINDS))
def test_a_kind_has_the_article_that_its_name_needs(kind: Kind) -> None:
    article, name = kind.singular.split()[:2]
    assert article == ("an" if name[0] in "aeio" else "a")
