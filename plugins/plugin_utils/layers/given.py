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

from ...module_utils.errors import InvalidInput
from ...module_utils.local.safe_files import Folder, require_path
from ...module_utils.model.field import shorten
from ..ansible_compat import FORGETS_VAULT, was_vaulted
from ..desired.desired import DesiredInstance
from ..desired.hiding import Hiding
from ..desired.loading import MAX_SOURCE, VaultedContent
from .layers import load_layers


def sources_of(options: Mapping[str, Any], refuse_links: bool = False) -> list[Path]:
    """Return the layers that the option ``src`` names, in order.

    A checkout may have a link in the place of a directory, so ``src_below`` names a directory that ``src`` and
    ``files_root`` must not lead out of.

    :param refuse_links: refuse a layer whose last part is a link, wherever it leads.
    :raises InvalidInput: if ``src`` is not a path or list of paths, or leads out of ``src_below``.
    """
    paths = _paths_of(options["src"])
    for path in paths:
        if refuse_links and path.is_symlink():
            raise InvalidInput(
                f"src: {path} is a link; expected the directory or file itself, because links may lead outside"
            )
    if options.get("src_below"):
        root = options.get("files_root")
        _require_below(
            Path(options["src_below"]).expanduser(), {"src": paths, "files_root": [Path(root)] if root else []}
        )
    return paths


def _require_below(top: Path, sources: Mapping[str, Sequence[Path]]) -> None:
    """Check that no path leads out of a directory.

    :raises InvalidInput: if a path does, or if the directory does not exist.
    """
    if not top.is_dir():
        raise InvalidInput(f"src_below: {top} is not a directory; expected the one that src must be in")
    for option, paths in sources.items():
        for path in paths:
            if not path.expanduser().resolve().is_relative_to(top.resolve()):
                raise InvalidInput(f"{option}: {path} leads out of {top} (src_below); nothing was read")


def _paths_of(src: Any) -> list[Path]:
    layers = src if isinstance(src, list) else [] if src is None else [src]
    if not all(isinstance(layer, str) and layer for layer in layers) or src == []:
        raise InvalidInput(f"src: {shorten(src)} does not fit; expected a path, or a list of them")
    paths = [Path(os.path.expandvars(layer)).expanduser() for layer in layers]
    for path in paths:
        require_path(path)
    return paths


def load_files(
    options: Mapping[str, Any], sources: Sequence[Path], loader: Any, written: Mapping[str, Any], hiding: Hiding
) -> DesiredInstance:
    """Read the desired state from layers, inline data, or both.

    :param written: the options of the task as they were written.
    :raises InvalidInput: if values of ``desired`` may be vaulted, and neither Ansible nor the task says which.
    """
    may_be_vaulted = FORGETS_VAULT and options.get("desired") is not None and loader._vault.secrets
    if may_be_vaulted and written.get("hide") is None:
        raise InvalidInput(
            "hide is missing: there is a vault password, and below ansible-core 2.19 a template does not say which "
            "values of desired were vaulted; expected the fields that hold such values, or [] if none does"
        )
    whole = written.get("desired")
    # Use the option as written, because its values may be vaulted. If it is a text (from a template), use what Ansible
    # parsed.
    inline = options.get("desired") if isinstance(whole, str) or was_vaulted(whole) else whole
    is_vaulted = (lambda _value: True) if was_vaulted(whole) else was_vaulted
    root = options.get("files_root")
    files_root = Path(root).expanduser() if root else None
    given = written.get("variables")
    # Also as written, because only the written values show whether they were vaulted.
    variables = given if isinstance(given, Mapping) else options["variables"]
    return load_layers(sources, inline, _reader(loader), files_root, hiding, is_vaulted, variables)


def _reader(loader: Any) -> Callable[[Folder, str], bytes]:
    """Return a function that reads a file and decrypts it if it is vaulted as a whole."""

    def read(folder: Folder, name: str) -> bytes:
        content = folder.read(name, MAX_SOURCE)
        if content.startswith(b"$ANSIBLE_VAULT"):
            try:
                # The loader's own read follows links. It only decrypts what was read here.
                return VaultedContent(loader._vault.decrypt(content))
            except AnsibleError as error:
                raise OSError(f"it is vaulted, and was not decrypted ({error})") from error
        return content

    return read
