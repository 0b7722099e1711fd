# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The JSON Schemas of reports, which are shipped in ``docs/schema``."""
