# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Document the options of modules that read records."""

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  filters:
    description:
      - Which records to return, as a map of field key or label to operator to value. A record must meet all conditions.
      - A label can replace a key if only one field has it.
      - A value in place of the operators is short for C(eq), a list is short for C(in), and null is short for C(null).
      - These operators accept one value. C(eq) (equal), C(neq) (not equal), C(gt), C(gte), C(lt), C(lte) (greater,
        greater or equal, less, less or equal), and C(gt_or_null), C(gte_or_null), C(lt_or_null), C(lte_or_null), which
        match null as well.
      - These operators accept one value or a list of values. C(like) and C(not_like) (contains any of the values,
        contains none of them), C(in) and C(nin) (equals any of the values, equals none of them). All of them are
        case-sensitive.
      - These operators need no value (write V(true)). C(empty) (null, empty text, empty list), C(not_empty), C(null),
        C(not_null). The number 0 is not empty.
      - Write values as in the module that manages the record, including references by natural key. You can also write a
        time as C(YYYY-MM-DD hh:mm:ss), in UTC.
      - >-
        Before ansible-core 2.19, most templates result in text, which is never an id. To filter by an id from a
        template, write a list in one template there, such as C("{{ [workshop.record.id] }}").
    type: dict
    default: {}
  sort:
    description:
      - Field keys or labels to sort by, the most important first. A C(-) before a key sorts in descending order.
    type: list
    elements: str
    default: []
  limit:
    description:
      - Return at most this many records. RV(count) still says how many exist.
      - This takes one request if there are no O(filters) and O(sort) names one field that is a number or a time. The
        order must be descending, or the field must never be empty (such as C(-created_at)).
    type: int
  count:
    description:
      - Return no records, only RV(count). This takes one request if there are no O(filters).
    type: bool
    default: false
  keys:
    description:
      - How the fields of RV(records) are named.
      - >-
        V(key): By their keys. A key that the instance generated, such as C(custom_4) or C(invoice_b0eb3192), is
        different on each instance.
      - >-
        V(label): By the label if the key was generated, such as C(Invoice), so that a playbook works on all instances.
        Built-in fields keep their key. If two fields share a label, both keep their key, and a warning says so.
    type: str
    choices: [key, label]
    default: key
notes:
  - The list is complete, however many pages it has. A list that does not add up is an error.
  - If the instance reports no total, one more request proves the end of a list, because it returns nothing new. For a
    list without pages (field definitions, tasks, files) that proof is valid for a day.
  - The instance applies the filters that it supports. The other filters are applied to the complete list, with the same
    meaning.
  - Some instances compare links by integer id, others by UUID. If a filter on a link finds nothing, the other form is
    tried. Then the list is read without that filter.
"""
