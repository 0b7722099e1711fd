#!/usr/bin/python
# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

DOCUMENTATION = r"""
module: report_template_info
short_description: List report templates
version_added: 1.0.0
description:
  - Returns the report templates of an instance. M(community.seventhings.report) creates reports about objects from
    them. This module changes nothing.
  - Instances of an earlier version have no reports. The task then fails.
notes:
  - Sends one request.
seealso:
  - module: community.seventhings.report
extends_documentation_fragment:
  - community.seventhings.connection
  - community.seventhings.attributes
  - community.seventhings.attributes_reads
author:
  - Contributors to the community.seventhings collection (@ansible-collections)
"""

EXAMPLES = r"""
---
- name: List the report templates
  community.seventhings.report_template_info:
  register: templates

- name: Show their names
  ansible.builtin.debug:
    msg: "{{ templates.records | map(attribute='name') }}"
"""

RETURN = r"""
records:
  description:
    - All report templates, in the order of the instance.
  returned: success
  type: list
  elements: dict
  contains:
    uuid:
      description: UUID of the template.
      type: str
    name:
      description: Name of the template, for O(community.seventhings.report#module:template).
      type: str
  sample:
    - uuid: 4f6b6f2a-21bb-4d0a-8f0c-0f3f2b7e9c11
      name: Object list
count:
  description:
    - Number of report templates.
  returned: success
  type: int
  sample: 1
complete:
  description:
    - Always true, because the instance returns all templates at once.
  returned: success
  type: bool
  sample: true
requests:
  description:
    - Number of requests that the task sent, including the login and repeated requests.
  returned: always
  type: int
  sample: 1
"""

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.registry import run


def main() -> None:
    run("report_template_info")


if __name__ == "__main__":
    main()
