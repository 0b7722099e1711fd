# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Document how references to other records are written."""


class ModuleDocFragment:
    DOCUMENTATION = r"""
options: {}
notes:
  - Refer to another record by its natural key in quotes, such as C("Head office/0.12") for a room, by its UUID, by its
    id, or by a map of fields. See the guide R(References and natural
    keys,ansible_collections.community.seventhings.docsite.guide_references).
"""
