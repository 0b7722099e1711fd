#!/usr/bin/python
# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

DOCUMENTATION = r"""
module: instance_validate
short_description: Check the files of an instance without a connection
version_added: 1.0.0
description:
  - Checks the files that M(community.seventhings.instance) applies. It needs no connection and no credentials.
  - All mistakes are reported at once, each with its file, line and column.
  - Labels of fields are known if the files define them, or if an export wrote the schema of the instance beside the
    files. What can't be checked is left to the plan, and a warning names it.
  - A O(report) as V(.json) has the merged records of all layers as C(records), each field with its value and its place.
options: {}
attributes:
  check_mode:
    support: full
    details:
      - The same as a real run. O(report) is written.
  diff_mode:
    support: none
  idempotent:
    support: full
requirements:
  - python >= 3.11
  - python >= 3.11
  - jsonschema >= 4.21 (for O(rules))
notes:
  - Sends no request.
  - A rule is only checked if the files alone are enough. A warning says what was not checked.
seealso:
  - module: community.seventhings.instance
extends_documentation_fragment:
  - community.seventhings.set_files
  - community.seventhings.set_report
  - community.seventhings.set_rules
  - community.seventhings.attributes
  - community.seventhings.attributes_controller
author:
  - Contributors to the community.seventhings collection (@ansible-collections)
"""

EXAMPLES = r"""
---
- name: Check the files
  community.seventhings.instance_validate:
    src: acme

- name: Write the merged records of two layers with the place of each value
  community.seventhings.instance_validate:
    src: [base, overlays/berlin]
    report: merged.json
"""

RETURN = r"""
findings:
  description:
    - As in RV(community.seventhings.instance#module:findings).
  returned: always
  type: list
  elements: str
msg:
  description:
    - The first findings, or the number of records.
  returned: always
  type: str
  sample: 42 records, nothing wrong
"""
