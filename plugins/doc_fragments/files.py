# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documents the options of modules that write files to the machine where they run."""

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  backup:
    description:
      - Keep a copy of each file that is replaced or taken away beside it, with its mode and owner. Its name ends in
        the number of the process, the time and a random part.
    type: bool
    default: false
  mode:
    description:
      - The permissions of the files, as in M(ansible.builtin.file). Quote an octal number, such as V("0640"), or write
        it as V(u=rw,g=r).
      - Where it is left out, a new file has V("0600"), because it may hold personal data, and a file that is there
        keeps its mode. A file that belongs to another user passes nothing on to the one that replaces it.
    type: raw
  owner:
    description:
      - The user who shall own the files, by name or number, as in M(ansible.builtin.file).
    type: str
  group:
    description:
      - The group that shall own the files, by name or number, as in M(ansible.builtin.file).
    type: str
"""
