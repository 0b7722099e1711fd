# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Document where the modules of a whole set get the records from."""


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  src:
    description:
      - The directory with the files, or one file with the sections as its keys. It may be a workbook (C(.xlsx)).
      - A list is a list of layers. A later layer adds records, and overrides fields of earlier layers. See the guide
        R(Many instances,ansible_collections.community.seventhings.docsite.guide_many).
    type: raw
  src_below:
    description:
      - A directory that must contain O(src) and O(files_root) after all links are followed. Set it to the checkout if
        others can commit to it.
    type: path
  desired:
    description:
      - The desired state inline, with the sections as keys, for a playbook that computes it. No record may be in
        O(src) too.
    type: dict
  variables:
    description:
      - Values of the variables that C(instance.yml) declares. In the files, C(${name}) is replaced by the variable.
    type: dict
    default: {}
  files_root:
    description:
      - The directory that attachments come from, instead of O(src). Whoever writes the files can upload everything in
        it, and nothing outside.
    type: path
"""
