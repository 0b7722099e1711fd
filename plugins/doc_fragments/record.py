# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Document the options of modules that manage one record."""


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  uuid:
    description:
      - UUID of the record, which identifies it instead of O(match_on). Use it to change the key of a record.
      - If no record has it, O(state=present) is an error and O(state=absent) changes nothing.
    type: str
  state:
    description:
      - The state to ensure.
      - >-
        V(present): The record exists and has the values that the task sets. If it is missing, it is created.
      - >-
        V(absent): The record does not exist. An existing record is deleted permanently.
    type: str
    choices: [present, absent]
    default: present
  allow:
    description:
      - >-
        V(similar_names): Accept a name that looks like another.
    type: list
    elements: str
    choices: [similar_names]
notes:
  - Only what the task sets is managed. Everything else stays unchanged. A null clears a field.
  - Values are compared by their meaning, and only differences are sent.
"""
