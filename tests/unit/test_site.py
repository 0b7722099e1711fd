# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The pages of the documentation site fit a phone, and have no broken links."""

from __future__ import annotations

from typing import Any, cast

import pytest

# Sphinx is only installed for building the site, not for the quick tests.
pytest.importorskip("sphinx")

import ansible_references
from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx


def test_a_page_leads_home_and_its_heading_breaks_at_joints() -> None:
    body = "<h1>community.seventhings.hub_item module - Offer</h1><p>a.b</p>"
    context: dict[str, Any] = {"pathto": lambda name: f"../{name}.html", "master_doc": "index", "body": body}
    ansible_references.settle(cast(Sphinx, None), "page", "page.html", context, None)
    assert context["theme_documentation_home_url"] == "../index.html"
    assert context["body"] == ("<h1>community.<wbr>seventhings.<wbr>hub_<wbr>item module - Offer</h1><p>a.b</p>")


@pytest.mark.parametrize(("name", "is_linked"), [("ANSIBLE_CACHE_PLUGIN", True), ("SEVENTHINGS_RUNTIME_DIR", False)])
def test_only_variables_of_ansible_are_links_to_its_page(name: str, is_linked: bool) -> None:
    node = pending_xref("", reftype="envvar", reftarget=name)
    content = nodes.literal("", name)
    found = ansible_references.resolve(cast(Sphinx, None), cast(Any, None), node, content)
    assert isinstance(found, nodes.reference) == is_linked
    assert found is not None
    assert found.astext() == name
