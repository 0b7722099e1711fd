# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Document the option that chooses objects by their fields."""


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  scope:
    description:
      - Include only objects that have one of the given values in each of the given fields. Use the form of C(scope) in
        C(instance.yml).
    type: dict
    default: {}
"""
