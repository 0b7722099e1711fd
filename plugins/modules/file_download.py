#!/usr/bin/python
# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: file_download
short_description: Download files
version_added: 1.0.0
description:
  - Writes one file, or every file in a field of an object, to the machine where the module runs.
  - A file that is there already with the same content is left alone.
options:
  uuid:
    description:
      - UUID of the file.
      - One of O(uuid) and O(object) is required. They are mutually exclusive.
    type: str
  object:
    description:
      - The object whose files are wanted, by barcode, UUID, integer id, or as a map of field keys. Requires O(field).
    type: raw
  field:
    description:
      - Key of a field of the type V(ATTACHMENT). The label of the field may stand in its place where no other field has
        that label. Requires O(object).
    type: str
  thumbnail:
    description:
      - Write small pictures of the files in place of the files, which fit into this size. Files that are no pictures
        have one too. An empty map leaves the size to the instance.
      - In a directory a picture is called as its file, with C(.thumbnail.png) after that.
      - Instances keep pictures of a file in so many sizes only. Beyond that they refuse further ones (HTTP 422).
    type: dict
    suboptions:
      width:
        description:
          - At most so many pixels wide, 1 to 2000. Requires O(thumbnail.height).
        type: int
      height:
        description:
          - At most so many pixels high, 1 to 2000. Requires O(thumbnail.width).
        type: int
  dest:
    description:
      - Where to write. In a directory that exists, files keep their names, and two files with one name are an error.
        Anything else is the path of the file, which is possible for one file only.
      - The directory may be a link. A link in the place of the file is never followed. At the path of a file it is
        replaced, in a directory it is treated as another file of that name.
      - In a directory, a name of the instance never leads elsewhere. Slashes, control characters and a dot at its
        beginning become C(_), and a name that is too long is shortened.
    type: path
    required: true
  force:
    description:
      - Whether a file that is there and has another content is replaced. A file with the same content is always left
        alone.
      - Where it is left out, the file at the path O(dest) is replaced. In a directory, where names come from the
        instance, another file of that name is an error, and nothing is written.
      - V(true) replaces the file in both cases.
      - V(false) keeps the file at the path O(dest) as it is. In a directory it is the same as leaving it out.
    type: bool
attributes:
  diff_mode:
    details:
      - Shows the paths that are written, the sizes of the files, and what changes of mode, owner and group, not their
        content.
notes:
  - A file is written in one step. Where that fails, the one that was there is left as it was.
  - In check mode a directory that is not there is a warning, because an earlier task may be the one that makes it.
  - In check mode a file is downloaded only where one of the same size is there already, to compare them. The size of a
    thumbnail is not known beforehand, so it is downloaded where a file is there.
  - Takes one request for O(uuid), or one for the field definitions and one for O(object), and one for each file,
    or two where O(dest) is a directory and the object does not tell the name of the file.
seealso:
  - module: community.seventhings.file
  - module: community.seventhings.file_info
extends_documentation_fragment:
  - community.seventhings.record.references
  - community.seventhings.files
  - community.seventhings.connection
  - community.seventhings.connection.execution
  - community.seventhings.attributes
  - community.seventhings.attributes.changes
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

- name: Say what it has
  ansible.builtin.debug:
    msg: "{{ copied.record.files | map(attribute='size') }}"

- name: Ensure a copy of one file that a group may read
  community.seventhings.file_download:
    uuid: "{{ copied.record.files[0].uuid }}"
    dest: /tmp/copy-of-document.txt
    mode: "0640"
    backup: true
"""

RETURN = r"""
record:
  description:
    - What was wanted and where it is.
  returned: success
  type: dict
  contains:
    dest:
      description: The path of the file, or of the directory.
      type: str
    files:
      description: The files, downloaded or there already.
      type: list
      elements: dict
      contains:
        uuid:
          description: UUID of the file.
          type: str
        name:
          description: Name of the file. Null where it is not told.
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
          description: Where what is known about the file is. With O(object) only.
          type: str
        thumbnail_uri:
          description: Where a thumbnail is. Null if there is none.
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
    - UUID of the file, as in O(uuid). Null where O(object) was written.
  returned: success
  type: str
  sample: null
diff:
  description:
    - The files that are written, or get another mode, owner or group. Both sides are empty where all are there already.
  returned: success
  type: dict
  contains:
    before:
      description:
        - Path to the C(size) of the file that was there, where it is replaced, and to its C(mode), C(owner) and
          C(group) where they change. Null where there was none.
      type: dict
    after:
      description: Path to the same of the file now.
      type: dict
  sample:
    before: {/tmp/documents-100234/invoice-2031-117.txt: null}
    after: {/tmp/documents-100234/invoice-2031-117.txt: {size: 29}}
backup_files:
  description:
    - The paths of the copies that O(backup) kept.
  returned: when a copy was kept
  type: list
  elements: str
  sample: [/tmp/copy-of-invoice.txt.4711.2031-05-31@14:30:00.b3e81f~]
requests:
  description:
    - How many requests the task sent, login and repeats included.
  returned: always
  type: int
  sample: 3
"""

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.registry import run


def main() -> None:
    run("file_download")


if __name__ == "__main__":
    main()
