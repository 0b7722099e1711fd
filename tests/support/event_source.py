# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The event source, found as ansible-rulebook finds it: by the path of the file."""

from __future__ import annotations

import runpy
from typing import Any

from project import LINK

from ansible_collections.community.seventhings.plugins.plugin_utils.action.arguments import read_arguments
from ansible_collections.community.seventhings.plugins.plugin_utils.action.documented import spec_in

_SOURCE = runpy.run_path(str(LINK / "extensions" / "eda" / "plugins" / "event_source" / "changes.py"))
main = _SOURCE["main"]
"""The coroutine that ansible-rulebook calls."""
SPEC = spec_in(_SOURCE["DOCUMENTATION"])
KINDS = tuple(SPEC["kinds"]["choices"])
"""The kinds of records that can be watched, by name."""


def options_of_source(**given: Any) -> dict[str, Any]:
    """Return the options of the source with their defaults."""
    read = read_arguments("changes", SPEC, {}, given)
    assert not read.refusal, read.refusal
    return read.options
