# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Document the options of modules that read records."""


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  filters:
    description:
      - Which records to return, as a map of field key or label to operator to value. A record must meet all conditions.
      - A value in place of the operators is short for C(eq), a list is short for C(in), and null is short for C(null).
      - With one value, C(eq), C(neq), C(gt), C(gte), C(lt) and C(lte). C(gt_or_null), C(gte_or_null), C(lt_or_null)
        and C(lte_or_null) match null as well.
      - With one value or a list, C(like) and C(not_like) (contains any of the values, or none), C(in) and C(nin)
        (equals any of them, or none). All of them are case-sensitive.
      - Without a value (write V(true)), C(empty), C(not_empty), C(null) and C(not_null). The number 0 is not empty.
      - Write values, and references to records, as in the module that manages the record.
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
        V(key): By their keys. A key that the instance generated, such as C(invoice_b0eb3192), is different on each
        instance.
      - >-
        V(label): By the label if the key was generated and no other field has the label. Built-in fields keep their
        key.
    type: str
    choices: [key, label]
    default: key
notes:
  - The list is complete, however many pages it has. A list that does not add up is an error.
  - Filters that the instance does not support are applied to the complete list, with the same meaning. See the guide
    R(References and natural keys,ansible_collections.community.seventhings.docsite.guide_references), also about
    templates before ansible-core 2.19.
"""
