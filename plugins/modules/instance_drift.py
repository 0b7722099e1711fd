#!/usr/bin/python
# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

DOCUMENTATION = r"""
module: instance_drift
short_description: Compare an instance with its files
version_added: 1.0.0
description:
  - Reports what differs between an instance and the files of a set, for example because somebody changed records in the
    application. M(community.seventhings.instance) describes the files.
  - Never writes to the instance, in a real run either, so no limit applies.
  - RV(changes) has what an apply would change, and the task is never reported as changed.
options:
  fail:
    description:
      - Fail if something differs.
    type: bool
    default: false
  allow:
    description:
      - What this run may do besides. No file can allow it.
      - >-
        V(assumed_archived): Count an unlisted record that its key finds as archived, if the instance does not say so.
      - >-
        V(empty_sources): Accept that a source which had records in the last apply is empty or missing.
    type: list
    elements: str
    choices: [assumed_archived, empty_sources]
attributes:
  check_mode:
    support: full
    details:
      - The same as a real run. O(report) is written.
  diff_mode:
    support: full
    details:
      - Every difference with its fields, as text. C(before) has the values of the files, and C(after) those of the
        instance.
  idempotent:
    support: full
requirements:
  - jsonschema >= 4.21 (for O(rules))
notes:
  - Sends one request for every 1,000 records of each list that the files need.
  - Rules check the current records of the instance too, including records that are in no file.
seealso:
  - module: community.seventhings.instance
  - module: community.seventhings.instance_absorb
extends_documentation_fragment:
  - community.seventhings.set_files
  - community.seventhings.set_report
  - community.seventhings.set_run
  - community.seventhings.set_rules
  - community.seventhings.set_selection
  - community.seventhings.connection
  - community.seventhings.attributes
  - community.seventhings.attributes_controller
author:
  - Contributors to the community.seventhings collection (@ansible-collections)
"""

EXAMPLES = r"""
---
- name: Report what somebody changed in the application
  community.seventhings.instance_drift:
    src: acme
    report: [drift.html, drift.json]

- name: Fail if the instance differs from the files
  community.seventhings.instance_drift:
    src: acme
    fail: true
"""

RETURN = r"""
msg:
  description:
    - As in M(community.seventhings.instance).
  returned: always
  type: str
outcome:
  description:
    - V(unchanged) or V(drift). V(failed) and V(refused) mean that the records could not be compared.
  returned: always
  type: str
instance:
  description:
    - As in M(community.seventhings.instance).
  returned: always
  type: str
check_mode:
  description:
    - Always true.
  returned: always
  type: bool
summary:
  description:
    - As in M(community.seventhings.instance).
  returned: if the task did not fail or changed something
  type: dict
sides:
  description:
    - As in M(community.seventhings.instance).
  returned: if the task did not fail
  type: dict
changes:
  description:
    - As in M(community.seventhings.instance). C(note) is V(was created by this set and deleted in the
      application) if that is proven.
  returned: if the task did not fail, or failed because of at most 15 differences
  type: list
  elements: dict
findings:
  description:
    - As in M(community.seventhings.instance).
  returned: always
  type: list
  elements: str
cautions:
  description:
    - As in M(community.seventhings.instance).
  returned: if the task did not fail
  type: list
  elements: str
hidden_records:
  description:
    - As in M(community.seventhings.instance).
  returned: always
  type: str
moves:
  description:
    - As in M(community.seventhings.instance).
  returned: if the task did not fail
  type: list
  elements: dict
money:
  description:
    - As in M(community.seventhings.instance).
  returned: if the task did not fail
  type: list
  elements: dict
persons:
  description:
    - As in M(community.seventhings.instance).
  returned: if the task did not fail
  type: list
  elements: dict
reported:
  description:
    - As in M(community.seventhings.instance).
  returned: if the task did not fail
  type: dict
tables:
  description:
    - As in M(community.seventhings.instance).
  returned: if the task did not fail
  type: dict
never_in_a_table:
  description:
    - As in M(community.seventhings.instance).
  returned: if the task did not fail
  type: dict
every_finding:
  description:
    - As in M(community.seventhings.instance).
  returned: if the task did not fail
  type: list
  elements: str
scan_codes:
  description:
    - As in M(community.seventhings.instance).
  returned: if the task did not fail
  type: dict
made_by:
  description:
    - As in M(community.seventhings.instance).
  returned: if the task did not fail
  type: dict
brief:
  description:
    - As in M(community.seventhings.instance).
  returned: always
  type: list
  elements: str
requests:
  description:
    - As in M(community.seventhings.instance).
  returned: always
  type: int
duration:
  description:
    - As in M(community.seventhings.instance).
  returned: always
  type: float
diff:
  description:
    - As in M(community.seventhings.instance).
  returned: always
  type: dict
refusals:
  description:
    - As in M(community.seventhings.instance).
  returned: always
  type: list
  elements: str
"""
