#!/usr/bin/python
# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

DOCUMENTATION = r"""
module: report
short_description: Write PDF reports about objects
version_added: 1.0.0
description:
  - Requests a PDF report about objects from an instance, and writes it to the machine where the module runs.
  - Every report contains the time of its creation, so two reports cannot be compared. An existing file is kept unless
    O(force=true).
  - Instances of an earlier version have no reports. The task then fails.
options:
  template:
    description:
      - Report template of the instance, by its name or its UUID. An unknown name is an error that lists the known
        names.
    type: str
    required: true
  objects:
    description:
      - The objects in the report, at least one. Name each by barcode, UUID, integer id, or as a map of field keys.
    type: list
    elements: raw
    required: true
  dest:
    description:
      - Path of the file. Its directory must exist. A link at this path is replaced, never followed.
    type: path
    required: true
  force:
    description:
      - Create a new report even if O(dest) exists. This is always reported as a change.
    type: bool
    default: false
attributes:
  diff_mode:
    details:
      - Shows the path that is written, and changes of mode, owner and group. It does not show the content.
  idempotent:
    support: partial
    details:
      - O(force=true) creates a new report each time.
notes:
  - The template is looked up even if the file is kept.
  - A file that is kept still gets O(mode), O(owner) and O(group).
  - Sends up to four requests.
seealso:
  - module: community.seventhings.object
  - module: community.seventhings.history_info
extends_documentation_fragment:
  - community.seventhings.record_references
  - community.seventhings.files
  - community.seventhings.connection
  - community.seventhings.attributes
  - community.seventhings.attributes_changes
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
    - Path of the report.
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
    - Always null, because instances do not keep reports.
  returned: success
  type: str
  sample: null
diff:
  description:
    - The path that is written, and changes of its mode, owner and group. Both sides are empty if the file is kept
      unchanged.
  returned: success
  type: dict
  contains:
    before:
      description:
        - C(mode), C(owner) and C(group) of the old file if they change. For a file that is kept, also its path, as
          C(dest).
      type: dict
    after:
      description: The path, as C(dest), and the same values after the task.
      type: dict
  sample:
    before: {}
    after: {dest: /tmp/object-100234.pdf}
backup_files:
  description:
    - Paths of the backup copies.
  returned: if there are backup copies
  type: list
  elements: str
  sample: [/tmp/object-100234.pdf.4711.2031-05-31@14:30:00.b3e81f~]
requests:
  description:
    - Number of requests that the task sent, including the login and repeated requests.
  returned: always
  type: int
  sample: 3
"""

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.registry import run


def main() -> None:
    run("report")


if __name__ == "__main__":
    main()
