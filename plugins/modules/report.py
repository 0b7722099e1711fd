#!/usr/bin/python
# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: report
short_description: Write PDF reports about objects
version_added: 1.0.0
description:
  - Lets an instance make a PDF report about objects and writes it to the machine where the module runs.
  - Every report is new, with its own time, so that two of them cannot be compared. A file that is there is kept unless
    O(force=true).
  - Instances of an earlier version have no reports. That is an error.
options:
  template:
    description:
      - Report template of the instance, by its name or its UUID. A name that is not known is an error that lists the
        names.
    type: str
    required: true
  objects:
    description:
      - The objects that the report is about, at least one, each by barcode, UUID, integer id, or as a map of field
        keys.
    type: list
    elements: raw
    required: true
  dest:
    description:
      - Path of the file. Its directory must exist. A link in the place of the file is replaced, never followed.
    type: path
    required: true
  force:
    description:
      - Make a new report also where O(dest) is there. This is always reported as a change.
    type: bool
    default: false
attributes:
  diff_mode:
    details:
      - Shows the path that is written, and what changes of mode, owner and group, not the content.
  idempotent:
    support: partial
    details:
      - With O(force=true) there is a new report each time.
notes:
  - The template is looked up also where the file is kept.
  - A file that is kept gets the O(mode), O(owner) and O(group) that are written.
  - Takes one request for the templates, one for the objects by barcode, one for those by UUID, and one for the report.
seealso:
  - module: community.seventhings.object
  - module: community.seventhings.history_info
extends_documentation_fragment:
  - community.seventhings.record.references
  - community.seventhings.files
  - community.seventhings.connection
  - community.seventhings.connection.execution
  - community.seventhings.attributes
  - community.seventhings.attributes.changes
author:
  - Contributors to the community.seventhings collection (@ansible-collections)
"""

EXAMPLES = r"""
---
- name: Ensure a report about an object
  community.seventhings.report:
    template: Object list
    objects: ["100007"]
    dest: /tmp/object-100007.pdf
"""

RETURN = r"""
record:
  description:
    - Where the report is.
  returned: success
  type: dict
  contains:
    dest:
      description: Path of the file.
      type: str
  sample:
    dest: /tmp/object-100234.pdf
uuid:
  description:
    - Always null. Instances do not keep reports.
  returned: success
  type: str
  sample: null
diff:
  description:
    - The path that is written, and what changes of its mode, owner and group. Both sides are empty where the file is
      kept as it is.
  returned: success
  type: dict
  contains:
    before:
      description:
        - Of the file that was there, its C(mode), C(owner) and C(group) where they change. Of one that is kept, its
          path too, as C(dest).
      type: dict
    after:
      description: The path, as C(dest), and the same of the file now.
      type: dict
  sample:
    before: {}
    after: {dest: /tmp/object-100234.pdf}
backup_files:
  description:
    - The paths of the copies that O(backup) kept.
  returned: when a copy was kept
  type: list
  elements: str
  sample: [/tmp/object-100234.pdf.4711.2031-05-31@14:30:00.b3e81f~]
requests:
  description:
    - How many requests the task sent, login and repeats included.
  returned: always
  type: int
  sample: 3
"""

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.registry import run


def main() -> None:
    run("report")


if __name__ == "__main__":
    main()
