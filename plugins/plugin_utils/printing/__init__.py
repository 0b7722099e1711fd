# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Print lines of the plugins themselves, besides the results that Ansible prints.

Every package on the controller may import this package. It imports none of them.
"""
