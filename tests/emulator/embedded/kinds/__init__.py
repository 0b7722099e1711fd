# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One module for each kind of record. All modules in this folder are loaded automatically.

A module declares its operations (``ROUTES``). It may have tables of its own (``TABLES``: SQL statements, each ending
with a semicolon at the end of a line), and collect their records for the state of an instance (``collect``).
"""

from __future__ import annotations

import importlib
import pkgutil
from types import ModuleType

from ..router import Route

MODULES: tuple[ModuleType, ...] = tuple(
    importlib.import_module(f"{__name__}.{found.name}") for found in pkgutil.iter_modules(__path__)
)
ROUTES: tuple[Route, ...] = tuple(route for module in MODULES for route in getattr(module, "ROUTES", ()))
TABLES = "".join(getattr(module, "TABLES", "") for module in MODULES)
