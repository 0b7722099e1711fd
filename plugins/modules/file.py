#!/usr/bin/python
# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

DOCUMENTATION = r"""
module: file
short_description: Attach single files to objects, rooms and persons
version_added: 1.0.0
description:
  - Attaches one file to a field of an object, a room or a person, or detaches it. Other files in the field stay
    attached.
  - Without O(object), O(room) and O(person), the file is only uploaded, so that you can use its UUID elsewhere. If one
    of the 20 newest files of the instance has the same name and content, the module returns that file instead.
  - Files are compared by content. A file that is already attached is not uploaded again.
  - To manage all files of a field, list them in O(community.seventhings.object#module:fields).
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
      - Key of a field of the type V(ATTACHMENT). The label is accepted too if no other field has the same label.
    type: str
  path:
    description:
      - Path of the file on the machine where the module runs, absolute or relative to its working directory. The file
        must have 1 to 52,428,800 bytes.
      - One of O(path) and O(uuid) is required. They are mutually exclusive.
    type: path
  name:
    description:
      - Name for the uploaded file, at most 255 characters. By default, the file keeps its name.
      - If it is set, an attached file counts as the same file only if it also has this name.
      - Requires O(path).
    type: str
  uuid:
    description:
      - UUID of an uploaded file.
    type: str
  state:
    description:
      - The desired state.
      - >-
        V(present): The file is attached. It is uploaded if no file in the field has the same content. If the field is
        full, the task fails before it uploads anything.
      - >-
        V(absent): The file is not attached. If several files in the field have the content of O(path) (and the O(name),
        if it is set), all of them are detached. The uploaded files remain on the instance, because instances do not
        delete files.
    type: str
    choices: [present, absent]
    default: present
notes:
  - An instance may refuse a part of a request (HTTP 207), such as a file that it does not have. The task then fails
    with the reason.
  - Instances can attach single files to objects only. For a room or a person, the module sends the complete list of
    files of the field, including the new file. If another user attaches a file at the same moment, that file is lost
    from the field.
  - If the answer to an upload or a link is lost, the module searches for the file before it sends anything again.
  - Sends two requests, up to two for each attached file of the same size, and up to three more for a change.
seealso:
  - module: community.seventhings.object
  - module: community.seventhings.file_info
  - module: community.seventhings.file_download
extends_documentation_fragment:
  - community.seventhings.record_references
  - community.seventhings.connection
  - community.seventhings.attributes
  - community.seventhings.attributes_changes
author:
  - Contributors to the community.seventhings collection (@ansible-collections)
"""

EXAMPLES = r"""
---
- name: Ensure that a description of the computer is attached to its object
  community.seventhings.file:
    object: "100007"
    field: documents
    path: /etc/os-release
    name: System.txt

- name: Write an invoice to a file
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

- name: Ensure that the same file is attached to another field, without a second upload
  community.seventhings.file:
    object: "100007"
    field: cover
    uuid: "{{ invoice.uuid }}"

- name: Ensure that the invoice is uploaded, without attaching it
  community.seventhings.file:
    path: /tmp/invoice-2031-117.txt

- name: Write a draft to a file
  ansible.builtin.copy:
    content: "Draft of invoice 2031-117\n"
    dest: /tmp/draft-2031-117.txt
    mode: "0600"

- name: Ensure that the draft is not attached
  community.seventhings.file:
    object: "100007"
    field: documents
    path: /tmp/draft-2031-117.txt
    state: absent
"""

RETURN = r"""
record:
  description:
    - The attached or uploaded file. Empty if no file is attached, or if check mode would upload it.
  returned: success
  type: dict
  contains:
    uuid:
      description: UUID of the file.
      type: str
    name:
      description: Name of the file. Null if the object does not include it.
      type: str
    type:
      description: Media type of the file.
      type: str
    size:
      description: Size in bytes.
      type: int
    data_uri:
      description: Address of the content of the file.
      type: str
    file_uri:
      description: Address of the metadata of the file.
      type: str
    thumbnail_uri:
      description: Address of a thumbnail. Null if there is none.
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
    - UUID of the file, or of the first file if several are detached. Null if there is none, or if check mode would
      upload it.
  returned: success
  type: str
  sample: 1b7c8a2e-90a5-4d0c-9c39-7a14d7f2b3e8
diff:
  description:
    - The field with all its files, each listed by path, name or UUID. Both sides are empty if nothing changes. A file
      that is only uploaded is listed under C(file).
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
    - Number of requests that the task sent, including the login and repeated requests.
  returned: always
  type: int
  sample: 5
"""

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.registry import run


def main() -> None:
    run("file")


if __name__ == "__main__":
    main()
