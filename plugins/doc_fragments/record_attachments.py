# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Document the attachments of modules that have them as an option."""

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  attachments:
    description:
      - The whole list of files. Linked files that are not in the list are unlinked. Null or C([]) unlinks all files.
      - Each file is the UUID of an uploaded file, a path, or a map with C(path) and C(name). A path is read on the
        machine where the module runs. The file is uploaded only if no linked file has the same content (and the same
        name, if C(name) is set). Files with the same content count once, unless they have different names in C(name).
      - A file must have 1 to 52,428,800 bytes. Its name has at most 255 characters.
    type: list
    elements: raw
"""
