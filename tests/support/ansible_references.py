# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""A Sphinx extension for the documentation site of this collection.

References to Ansible's own documentation become links, without a download. The link in the header leads to the first
page of this site, and long names may break at dots and underscores.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from docutils import nodes

if TYPE_CHECKING:
    from sphinx.addnodes import pending_xref
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

_ANSIBLE = "https://docs.ansible.com/ansible/latest"
_SETTINGS = f"{_ANSIBLE}/reference_appendices/config.html"
_PAGES = {
    "ansible_configuration_settings": "reference_appendices/config.html",
    "ansible_variable_precedence": "playbook_guide/playbooks_variables.html",
    "common_return_values": "reference_appendices/common_return_values.html",
    "module_defaults_groups": "playbook_guide/playbooks_module_defaults.html",
    "playbooks_vault": "vault_guide/index.html",
}
_HEADING = re.compile(r"(?<=<h1>)[^<]*")
_JOINT = re.compile(r"(?<=\w[._])(?=\w)")
_PLUGIN_KIND = re.compile(r"(?P<kind>[a-z]+)_plugins$")
_PLUGIN = re.compile(r"ansible_collections\.ansible\.builtin\.(?P<page>\w+?)(?P<anchor>__.*)?$")


def address_of(label: str) -> str | None:
    """Return the address of a label of Ansible's documentation; None for any other label."""
    if label in _PAGES:
        return f"{_ANSIBLE}/{_PAGES[label]}"
    if plugins := _PLUGIN_KIND.match(label):
        return f"{_ANSIBLE}/plugins/{plugins['kind']}.html"
    if plugin := _PLUGIN.match(label):
        return f"{_ANSIBLE}/collections/ansible/builtin/{plugin['page']}.html"
    return None


def resolve(
    _app: Sphinx, _environment: BuildEnvironment, node: pending_xref, content: nodes.TextElement
) -> nodes.TextElement | None:
    target = node.get("reftarget", "")
    address = address_of(target)
    if node.get("reftype") == "envvar":
        # Ansible's page only lists its own variables.
        if not target.startswith("ANSIBLE_"):
            return content
        address = f"{_SETTINGS}#envvar-{target}"
    return nodes.reference("", "", content, internal=False, refuri=address) if address else None


def settle(_app: Sphinx, _page: str, _template: str, context: dict[str, Any], _doctree: object) -> None:
    """Set the link of the header to this site, and let the name in a page's heading break at dots and underscores."""
    context["theme_documentation_home_url"] = context["pathto"](context["master_doc"])
    if "body" in context:
        context["body"] = _HEADING.sub(lambda heading: _JOINT.sub("<wbr>", heading[0]), context["body"], count=1)


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("missing-reference", resolve)
    app.connect("html-page-context", settle)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
