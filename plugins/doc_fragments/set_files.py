# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Document where the modules of a whole set get the records from."""

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  src:
    description:
      - The directory with the files, or one file with the sections as its keys. The file may be a workbook (C(.xlsx)),
        which needs openpyxl on the controller.
      - A list of directories or files is a list of layers, from the first to the last. A later layer adds records, and
        its fields override those of the same record in an earlier layer. See R(the
        guide,ansible_collections.community.seventhings.docsite.guide_many).
      - The directory must not contain links. It may be a link itself, except in a protected run.
    type: raw
  src_below:
    description:
      - A directory that must contain O(src) and O(files_root) after all links are followed. If it does not, nothing is
        read.
      - A commit can replace the directory with a link. Set this option to the checkout if others can commit to it.
    type: path
  desired:
    description:
      - The desired state inline, with the sections as keys, for a playbook that computes it. It needs O(files_root) to
        name local files.
      - Can be combined with O(src). No record may be in both.
    type: dict
  variables:
    description:
      - Values of the variables that C(instance.yml) declares. They override the defaults. In the files, C(${name}) is
        replaced by the variable, and C(${$}) by a dollar sign.
      - A variable that is not used causes a warning. A vaulted value is refused, because plans would show it.
    type: dict
    default: {}
  files_root:
    description:
      - The directory that attachments come from. Whoever writes the files can upload everything in it, and nothing
        outside.
      - The default is O(src), or its directory if O(src) is a file. Keep such a file in its own directory, not beside a
        playbook and its secrets.
    type: path
"""
