# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Document the options of modules that write files to the machine where they run."""


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  backup:
    description:
      - Keep a copy of each file that is replaced or deleted, in the same directory and with the same mode and owner.
    type: bool
    default: false
  mode:
    description:
      - The permissions of the files, as in M(ansible.builtin.file). Quote an octal number, such as V("0640").
      - By default, a new file has V("0600"), because it may contain personal data, and an existing file keeps its mode.
    type: raw
  owner:
    description:
      - The user that owns the files, by name or number.
    type: str
  group:
    description:
      - The group that owns the files, by name or number.
    type: str
"""
