# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documents the options of modules that read records.

``info`` is for all of them, with ``info.uuid`` or ``info.number`` for what identifies one record.
"""

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  filters:
    description:
      - Which records to return, as a map of field key or label to operator to value. All conditions must hold.
      - A label is as good as a key if only one field has it.
      - A value in place of the operators is short for C(eq), a list for C(in), null for C(null).
      - With one value, C(eq) (equal), C(neq) (not equal), C(gt), C(gte), C(lt), C(lte) (greater, greater or equal,
        less, less or equal), and C(gt_or_null), C(gte_or_null), C(lt_or_null), C(lte_or_null), which let null through
        as well.
      - With one value or a list of values, C(like) and C(not_like) (contains any of them, contains none), C(in) and
        C(nin) (is one of them, is none). Upper and lower case differ.
      - Without a value (write V(true)), C(empty) (null, empty text, empty list), C(not_empty), C(null), C(not_null).
        The number 0 is not empty.
      - Values are written as in the module that manages the record, references by natural key included. A time may also
        be written as C(YYYY-MM-DD hh:mm:ss), in UTC.
    type: dict
    default: {}
  sort:
    description:
      - Field keys or labels to sort by, the first one first. A C(-) before a key sorts in descending order.
    type: list
    elements: str
    default: []
  limit:
    description:
      - Return at most so many records. RV(count) still tells how many there are.
      - Takes one request where O(sort) names one field that is a number or a time, in descending order or never empty
        (such as C(-created_at)), and there are no O(filters).
    type: int
  count:
    description:
      - Return no records, only RV(count). Takes one request where there are no O(filters).
    type: bool
    default: false
  keys:
    description:
      - The names that the fields of RV(records) have.
      - >-
        V(key): The keys of the fields. A key that the instance generated, such as C(custom_4) or
        C(invoice_b0eb3192), is another one on each instance.
      - >-
        V(label): The label of a field that has a generated key, such as C(Invoice), so that a playbook works on
        all instances. Built-in fields keep their key. If two fields share a label, both keep their key, and a warning
        says so.
    type: str
    choices: [key, label]
    default: key
notes:
  - The list is complete, however many pages the instance has it on. One that does not add up is an error.
  - If the instance reports no total, the end of a list is proven by one more request, which brings nothing new. For a
    list without pages (definitions of fields, tasks, files) that proof holds for a day.
  - The instance applies the filters where it can. What it cannot is applied to the complete list, with the same
    meaning.
  - Some instances compare links by integer id, others by UUID. If a filter on a link finds nothing, the other form is
    tried, and then the list is read without that filter. The profile of an instance (option O(profile)) makes both
    unnecessary.
"""

    UUID = r"""
options:
  uuid:
    description:
      - UUID of the one record to read. Where no record has it, the list is empty.
      - Mutually exclusive with O(filters).
    type: str
"""

    NUMBER = r"""
options:
  id:
    description:
      - Integer id of the one record to read. Where no record has it, the list is empty.
      - Mutually exclusive with O(filters).
    type: int
"""
