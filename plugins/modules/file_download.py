#!/usr/bin/python
# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

DOCUMENTATION = r"""
module: file_download
short_description: Download files
version_added: 1.0.0
description:
  - Downloads one file, or every file in a field of an object, to the machine where the module runs.
  - An existing file with the same content is left unchanged.
options:
  uuid:
    description:
      - UUID of the file.
      - One of O(uuid) and O(object) is required. They are mutually exclusive.
    type: str
  object:
    description:
      - The object whose files to download, by barcode, UUID, integer id, or as a map of field keys. Requires O(field).
    type: raw
  field:
    description:
      - Key of a field of the type V(ATTACHMENT). The label is accepted too if no other field has the same label.
        Requires O(object).
    type: str
  thumbnail:
    description:
      - Download thumbnails that fit into this size, instead of the files. Files that are not pictures have thumbnails
        too. With an empty map, the instance chooses the size.
      - In a directory, a thumbnail has the name of its file, followed by C(.thumbnail.png).
      - Instances keep thumbnails of a file in a limited number of sizes. They refuse further sizes (HTTP 422).
    type: dict
    suboptions:
      width:
        description:
          - Maximum width in pixels, 1 to 2000. Requires O(thumbnail.height).
        type: int
      height:
        description:
          - Maximum height in pixels, 1 to 2000. Requires O(thumbnail.width).
        type: int
  dest:
    description:
      - The path to write to. In an existing directory, files keep their names, and two files with the same name are an
        error. Any other path is the path of the file, so it is only possible for one file.
      - The directory may be a symbolic link. A link at the path of a file is never followed. If O(dest) is the path of
        a file, the link is replaced. In a directory, the link counts as another file of that name.
      - In a directory, a name from the instance never leads to another directory. Slashes, control characters and a
        leading dot become C(_), and a name that is too long is shortened.
    type: path
    required: true
  force:
    description:
      - Whether to replace an existing file that has different content. A file with the same content is always left
        unchanged.
      - If it is not set, a file at the path O(dest) is replaced. In a directory, the names come from the instance, so
        an existing file with different content is an error, and nothing is written.
      - V(true) replaces the file in both cases.
      - V(false) keeps the file at the path O(dest). In a directory, it has the same effect as no value.
    type: bool
attributes:
  diff_mode:
    details:
      - Shows the paths that are written, the sizes of the files, and changes of mode, owner and group. It does not show
        their content.
notes:
  - A file is written in one step. If that fails, the existing file stays unchanged.
  - In check mode, a missing directory is a warning, because an earlier task may create it.
  - In check mode, a file is downloaded only to compare it with an existing file of the same size. The size of a
    thumbnail is not known in advance, so a thumbnail is downloaded if any file exists at its path.
  - Sends one or two requests, and one or two more for each file.
seealso:
  - module: community.seventhings.file
  - module: community.seventhings.file_info
extends_documentation_fragment:
  - community.seventhings.record_references
  - community.seventhings.files
  - community.seventhings.connection
  - community.seventhings.attributes
  - community.seventhings.attributes_changes
author:
  - Contributors to the community.seventhings collection (@ansible-collections)
"""

EXAMPLES = r"""
---
- name: Ensure a copy of every document of the object
  community.seventhings.file_download:
    object: "100013"
    field: documents
    dest: /tmp/documents-100013
  register: copied

- name: Show the sizes of the files
  ansible.builtin.debug:
    msg: "{{ copied.record.files | map(attribute='size') }}"

- name: Ensure a copy of one file that its group can read
  community.seventhings.file_download:
    uuid: "{{ copied.record.files[0].uuid }}"
    dest: /tmp/copy-of-document.txt
    mode: "0640"
    backup: true
"""

RETURN = r"""
record:
  description:
    - The files and where they are.
  returned: success
  type: dict
  contains:
    dest:
      description: The path of the file, or of the directory.
      type: str
    files:
      description: The files, downloaded now or before.
      type: list
      elements: dict
      contains:
        uuid:
          description: UUID of the file.
          type: str
        name:
          description: Name of the file. Null if it is not known.
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
          description: Address of the metadata of the file. With O(object) only.
          type: str
        thumbnail_uri:
          description: Address of a thumbnail. Null if there is none.
          type: str
        creator_id:
          description: Integer id of the user who uploaded it. With O(uuid) only.
          type: int
        created_at:
          description: When it was uploaded. With O(uuid) only.
          type: str
  sample:
    dest: /tmp/documents-100234
    files:
      - uuid: 1b7c8a2e-90a5-4d0c-9c39-7a14d7f2b3e8
        name: invoice-2031-117.txt
        type: text/plain
        size: 29
        data_uri: https://acme.seventhings.com/customer-api/v1/file/1b7c8a2e-90a5-4d0c-9c39-7a14d7f2b3e8/data
        file_uri: https://acme.seventhings.com/customer-api/v1/file/1b7c8a2e-90a5-4d0c-9c39-7a14d7f2b3e8
        thumbnail_uri: null
uuid:
  description:
    - UUID of the file, as in O(uuid). Null if O(object) is set.
  returned: success
  type: str
  sample: null
diff:
  description:
    - The files that are written, or whose mode, owner or group changes. Both sides are empty if nothing changes.
  returned: success
  type: dict
  contains:
    before:
      description:
        - Path to the C(size) of the old file if it is replaced, and to its C(mode), C(owner) and C(group) if they
          change. Null if there was no file.
      type: dict
    after:
      description: Path to the same values after the task.
      type: dict
  sample:
    before: {/tmp/documents-100234/invoice-2031-117.txt: null}
    after: {/tmp/documents-100234/invoice-2031-117.txt: {size: 29}}
backup_files:
  description:
    - Paths of the backup copies.
  returned: if there are backup copies
  type: list
  elements: str
  sample: [/tmp/copy-of-invoice.txt.4711.2031-05-31@14:30:00.b3e81f~]
requests:
  description:
    - Number of requests that the task sent, including the login and repeated requests.
  returned: always
  type: int
  sample: 3
"""

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.registry import run


def main() -> None:
    run("file_download")


if __name__ == "__main__":
    main()
