# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Document the options of the modules that write papers about objects."""


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  language:
    description:
      - The language of C(.html) and C(.xlsx), with its form of dates and amounts. C(.csv) and C(.json) stay the same.
    type: str
    choices: [en, de]
    default: en
"""
