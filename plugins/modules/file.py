#!/usr/bin/python
# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: file
short_description: Attach single files to objects, rooms and persons
version_added: 1.0.0
description:
  - Attaches one file to a field of an object, a room or a person, or takes it off. Other files in the field stay.
  - Without O(object), O(room) and O(person) the file is uploaded and attached to nothing, so that its UUID can be used
    elsewhere. Where one of the newest 20 files of the instance has the same name and content, that one is returned.
  - A file is known by its content. What is attached already is not uploaded again.
  - To manage the whole list of files of a field, write them in O(community.seventhings.object#module:fields).
options:
  object:
    description:
      - The object, by barcode, UUID, integer id, or as a map of field keys. Requires O(field).
      - O(object), O(room) and O(person) are mutually exclusive.
    type: raw
  room:
    description:
      - The room, by its location and its number or name, UUID, integer id, or as a map of field keys. Requires
        O(field).
    type: raw
  person:
    description:
      - The person, by e-mail address, UUID, integer id, or as a map of field keys. Requires O(field).
    type: raw
  field:
    description:
      - Key of a field of the type V(ATTACHMENT). The label of the field may stand in its place where no other field has
        that label.
    type: str
  path:
    description:
      - The file on the machine where the module runs, absolute or from its working directory. It has 1 to 52,428,800
        bytes.
      - One of O(path) and O(uuid) is required. They are mutually exclusive.
    type: path
  name:
    description:
      - Name for the uploaded file, at most 255 characters. Where it is left out, the file keeps its own.
      - Where it is written, an attached file only counts as the same if it has this name too.
      - Requires O(path).
    type: str
  uuid:
    description:
      - UUID of a file that was uploaded.
    type: str
  state:
    description:
      - What is wanted.
      - >-
        V(present): The file is attached. It is uploaded if no file in the field has the same content. A field that is
        full is an error before anything is uploaded.
      - >-
        V(absent): The file is not attached. Where several files in the field have the content of O(path) (and the
        O(name), where it is written), all of them are taken off. The uploaded files themselves stay, because instances
        do not delete files.
    type: str
    choices: [present, absent]
    default: present
notes:
  - An instance may refuse a part of a request (HTTP 207), such as a file that it does not have. Then the task fails
    with the reason.
  - Instances attach single files to objects alone. For a room or a person the whole list of files of the field is sent,
    which are those that are attached and the new one. A file that somebody else attaches in the same moment is lost
    from the field.
  - When the answer to an upload or a link is lost, the file is looked for before anything is sent again.
  - Takes one request for the field definitions, one for the object, and one for each attached file of the same size as
    O(path), or two where O(name) is written and the object does not tell the name of the file. A change takes two more,
    and an upload one.
seealso:
  - module: community.seventhings.object
  - module: community.seventhings.file_info
  - module: community.seventhings.file_download
extends_documentation_fragment:
  - community.seventhings.record.references
  - community.seventhings.connection
  - community.seventhings.connection.execution
  - community.seventhings.attributes
  - community.seventhings.attributes.changes
author:
  - Contributors to the community.seventhings collection (@ansible-collections)
"""

EXAMPLES = r"""
---
- name: Attach the description of a computer to the object that stands for it
  community.seventhings.file:
    object: "100007"
    field: documents
    path: /etc/os-release
    name: System.txt

- name: Keep an invoice as a file
  ansible.builtin.copy:
    content: "Invoice 2031-117: one laptop\n"
    dest: /tmp/invoice-2031-117.txt
    mode: "0600"

- name: Ensure that the invoice is attached
  community.seventhings.file:
    object: "100007"
    field: documents
    path: /tmp/invoice-2031-117.txt
    name: Invoice 2031-117.txt
  register: invoice

- name: Ensure that the same file is the cover of another field, without a second upload
  community.seventhings.file:
    object: "100007"
    field: cover
    uuid: "{{ invoice.uuid }}"

- name: Ensure that the invoice is uploaded, whatever it is attached to
  community.seventhings.file:
    path: /tmp/invoice-2031-117.txt

- name: Keep a draft as a file
  ansible.builtin.copy:
    content: "Draft of invoice 2031-117\n"
    dest: /tmp/draft-2031-117.txt
    mode: "0600"

- name: Ensure that nothing with the content of the draft is attached
  community.seventhings.file:
    object: "100007"
    field: documents
    path: /tmp/draft-2031-117.txt
    state: absent
"""

RETURN = r"""
record:
  description:
    - The attached or uploaded file. Empty where it is not attached, or where check mode would upload it.
  returned: success
  type: dict
  contains:
    uuid:
      description: UUID of the file.
      type: str
    name:
      description: Name of the file. Null where the object does not tell it.
      type: str
    type:
      description: Media type of the file.
      type: str
    size:
      description: Size in bytes.
      type: int
    data_uri:
      description: Where the content of the file is.
      type: str
    file_uri:
      description: Where what is known about the file is.
      type: str
    thumbnail_uri:
      description: Where a thumbnail is. Null if there is none.
      type: str
  sample:
    uuid: 1b7c8a2e-90a5-4d0c-9c39-7a14d7f2b3e8
    name: Invoice 2031-117.txt
    type: text/plain
    size: 29
    data_uri: https://acme.seventhings.com/customer-api/v1/file/1b7c8a2e-90a5-4d0c-9c39-7a14d7f2b3e8/data
    file_uri: https://acme.seventhings.com/customer-api/v1/file/1b7c8a2e-90a5-4d0c-9c39-7a14d7f2b3e8
    thumbnail_uri: null
uuid:
  description:
    - UUID of the file, or of the first of several that are taken off. Null if there is none, or where check mode
      would upload it.
  returned: success
  type: str
  sample: 1b7c8a2e-90a5-4d0c-9c39-7a14d7f2b3e8
diff:
  description:
    - The field with all its files, each by path, name or UUID. Both sides are empty where nothing changes. A file that
      is only uploaded stands under C(file).
  returned: success
  type: dict
  contains:
    before:
      description: Field to files, before.
      type: dict
    after:
      description: Field to files, after.
      type: dict
  sample:
    before: {documents: []}
    after: {documents: [/tmp/invoice-2031-117.txt]}
requests:
  description:
    - How many requests the task sent, login and repeats included.
  returned: always
  type: int
  sample: 5
"""

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.registry import run


def main() -> None:
    run("file")


if __name__ == "__main__":
    main()
