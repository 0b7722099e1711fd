# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The first user of every instance. Its credentials are the same at each start, and do not occur in the data."""

from __future__ import annotations

USERNAME = "vq7zx3wm9p4ktb6hd2rj"
PASSWORD = "Yq8!vZr3#LwKx5@TnGh2$PsJc7"
CLIENT_ID = "9f3b7c1e5a2d4806b8e1f7a3c5d9e2b4"
EMAIL = "operator@instance.invalid"
FIRSTNAME = "Instance"
LASTNAME = "Operator"
