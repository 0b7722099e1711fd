# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The page about the switches of the embedded service, from the table in its code."""

from __future__ import annotations

import sys

from project import ROOT

sys.path.insert(0, str(ROOT / "tests" / "emulator"))

from embedded.switches import TABLE, Switch

PAGE = ROOT / "docs" / "docsite" / "rst" / "switches.rst"

_HEAD = """\
..
  Copyright: Contributors to the community.seventhings collection
  SPDX-License-Identifier: GPL-3.0-or-later

..
  Made from tests/emulator/embedded/switches.py. Run "make generate" after a change there.

.. _ansible_collections.community.seventhings.docsite.switches:

The switches of the embedded service
====================================

Instances differ in what they answer. Each difference is a switch of the embedded service. The first side is the calm
one, which is the default; the last side is the awkward one, which ``--weather rough`` turns to.
:ref:`ansible_collections.community.seventhings.docsite.guide_testing` says how to turn them.

.. list-table::
  :header-rows: 1
  :widths: 25 30 45

  * - Switch
    - Sides
    - Meaning
"""


def page() -> str:
    """The page as it should be."""
    return _HEAD + "".join(map(_row, TABLE))


def _row(switch: Switch) -> str:
    sides = ", ".join(f"``{side}``" for side in switch.sides)
    return f"  * - ``{switch.name}``\n    - {sides}\n    - {switch.meaning}\n"
