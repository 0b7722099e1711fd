# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Document the options of modules that manage one record."""

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  uuid:
    description:
      - UUID of the record. It identifies the record instead of O(match_on). Use it to change a field by which the
        record is otherwise matched.
      - If no record has it, O(state=present) is an error and O(state=absent) changes nothing.
    type: str
  state:
    description:
      - The state to ensure.
      - >-
        V(present): The record exists and has the values that the task sets. If it is missing, it is created.
      - >-
        V(absent): The record does not exist. An existing record is deleted for good. The task does not check what
        belongs to it.
    type: str
    choices: [present, absent]
    default: present
notes:
  - Only fields that the task sets are managed. All other fields stay unchanged. A null clears a field.
  - If two or more records match, the task fails and lists their UUIDs. It never picks the first match.
  - Values are compared by their meaning, and only a different meaning counts as a change. C("12.50") and C(12.5) are
    the same amount. An empty text, null and an empty list are equal. The order of references and attachments does not
    matter.
  - Both sides of a diff use the same name for a referenced record, if the task read that record. In diff mode the names
    of both sides are read, which costs requests only if a reference changes. Otherwise nothing is read for a diff
    alone, and a record that is no longer referenced may have the name that the service gives it.
  - If the creation of a record was not confirmed (a broken connection, a time-out, HTTP 5xx), the record is looked up
    before the request is sent again. So it is not created twice.
"""
