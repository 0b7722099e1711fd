# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Document the attachments of modules that have them as an option."""


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  attachments:
    description:
      - The whole list of files. Linked files that are not in the list are unlinked. Null or C([]) unlinks all files.
      - Each file is the UUID of an uploaded file, a path on the machine where the module runs, or a map with C(path)
        and C(name). A linked file with the same content is not uploaded again.
    type: list
    elements: raw
"""
