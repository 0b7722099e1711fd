# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Document how a module that changes one record runs in check mode and diff mode."""

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
attributes:
  check_mode:
    support: full
    details:
      - Nothing is written. C(changed) and the diff are the same as in a real run.
      - A field definition or a referenced record may be missing because an earlier task of the play only creates it in
        a real run. That is a warning, not an error. A name that is most likely a typo is an error, as in a real run.
  diff_mode:
    support: full
    details:
      - Shows only fields that the task sets and that change. References are shown as the task writes them. In diff
        mode, the previous targets of references are read, so that both sides show natural keys. Several targets of one
        field are read in one list, and no more than ten records are read one by one. The others are shown as the
        service names them.
  idempotent:
    support: full
"""
