# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One module for each kind of record. Whatever stands in this folder is taken up by itself.

A module says which operations it answers (``ROUTES``). It may have tables of its own (``TABLES``, statements of SQL,
each of which ends with a semicolon and its line), say what of them belongs to the state of an instance (``collect``),
and take records out of an export (``load``).
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
