# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Document how references to other records are written."""

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
options: {}
notes:
  - A reference to another record is an integer (its id), a text in UUID form (its UUID), or any other text (its natural
    key). The natural key is the barcode of an object, the name of a location, or the e-mail address of a person or user
    (not case-sensitive). For a room it is the location and the number or name, such as C(Head office/0.12). Quote a
    natural key that consists of digits. The natural key of a new record has no blanks at its edges, no line breaks and
    no invisible characters.
  - >-
    Before ansible-core 2.19, most templates result in text, so C("{{ laptop.record.id }}") is a natural key there.
    Write C({id: "{{ laptop.record.id }}"}) or C("{{ laptop.uuid }}"), which mean the same on every version. With
    C(jinja2_native), these versions do the opposite: they make an integer of a text that consists of digits. Write
    C("{{ code | string }}") then.
  - >-
    A reference may also be a map of field keys, such as C({building_id: Head office, number: "0.12"}).
  - A reference by natural key that finds nothing, or more than one record, is an error that lists candidates. An
    integer that is the natural key of another record, too, is an error that shows both spellings.
"""
