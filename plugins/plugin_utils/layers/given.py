# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The files that the options of a task name, as a desired state."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ansible.errors import AnsibleError

from ansible_collections.community.seventhings.plugins.module_utils.errors import InvalidInput
from ansible_collections.community.seventhings.plugins.module_utils.local.safe_files import Folder, require_path
from ansible_collections.community.seventhings.plugins.module_utils.model.field import shorten

from ..desired.desired import DesiredInstance
from ..desired.hiding import Hiding
from ..desired.loading import MAX_SOURCE, VaultedContent
from ..desired.nodes import was_vaulted
from .layers import load_layers


def paths_of(src: Any) -> list[Path]:
    """The layers that ``src`` names, the first one first.

    :raises InvalidInput: where it names something else, or no path.
    """
    layers = src if isinstance(src, list) else [] if src is None else [src]
    if not all(isinstance(one, str) and one for one in layers) or src == []:
        raise InvalidInput(f"src: {shorten(src)} does not fit; expected a path, or a list of them")
    paths = [Path(os.path.expandvars(one)).expanduser() for one in layers]
    for path in paths:
        require_path(path)
    return paths


def load_files(
    options: Mapping[str, Any], sources: Sequence[Path], loader: Any, written: Mapping[str, Any], hiding: Hiding
) -> DesiredInstance:
    """Reads what is written in layers, inline, or both.

    :param written: the options of the task as they were written.
    """
    whole = written.get("desired")
    # The option as it was written; a text (a template gave it) as Ansible reads it.
    inline = options.get("desired") if isinstance(whole, str) else whole
    is_vaulted = (lambda _value: True) if was_vaulted(whole) else was_vaulted
    root = options.get("files_root")
    files_root = Path(root).expanduser() if root else None
    given = written.get("variables")
    # As they were written, too: what was vaulted is known by that.
    variables = given if isinstance(given, Mapping) else options["variables"]
    return load_layers(sources, inline, _reader(loader), files_root, hiding, is_vaulted, options["formulas"], variables)


def _reader(loader: Any) -> Callable[[Folder, str], bytes]:
    """Reads a file, decrypted where it is vaulted as a whole."""

    def read(folder: Folder, name: str) -> bytes:
        content = folder.read(name, MAX_SOURCE)
        if content.startswith(b"$ANSIBLE_VAULT"):
            try:
                # The loader's own reading follows links; it decrypts what was read here.
                return VaultedContent(loader._vault.decrypt(content))
            except AnsibleError as error:
                raise OSError(f"it is vaulted, and was not decrypted ({error})") from error
        return content

    return read
