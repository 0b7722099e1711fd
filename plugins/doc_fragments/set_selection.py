# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Document which records of a set are planned, and which fields are observed."""


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  only:
    description:
      - Sections (such as V(rooms)) or natural keys (such as V(Head office/0.12)). Nothing else is planned.
    type: list
    elements: str
    default: []
  exclude:
    description:
      - Sections or natural keys to leave out.
    type: list
    elements: str
    default: []
  observed:
    description:
      - A map of sections to fields that scans or people write, and files must not write. It adds to C(observed) in
        C(instance.yml). See the guide R(Labels,ansible_collections.community.seventhings.docsite.guide_labels).
    type: dict
"""
