# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Document the options that the modules of a whole set share."""

from __future__ import annotations


class ModuleDocFragment:
    # What the records are to be like.
    DOCUMENTATION = r"""
options:
  src:
    description:
      - The directory with the files, or one file with the sections as its keys. The file may be a workbook.
      - Workbooks (C(.xlsx)) need openpyxl on the controller.
      - The directory may be a link, except in a protected run. A single file must not be a link, and the directory must
        not contain links. A link, a device, a pipe or a socket in the place of a file is a finding. A file of more than
        256 MiB is a finding too.
      - Paths of attachments are relative to the directory. Files outside of it can't be sent. See O(files_root).
      - A list of directories or files is a list of layers, from the first to the last. A later layer adds records. If
        it has a record with the same natural key, its fields override those of the earlier layer. C(null) clears a
        field, a list replaces the whole list, and other fields stay. C(_managed) V(false) removes a record from the
        set. Only the first layer needs an C(instance.yml), and only that one may have C(policy), C(scope) and
        C(identity). Attachments are relative to their layer.
    type: raw
  src_below:
    description:
      - A directory that must contain O(src) and O(files_root) after all links are followed. If it does not, nothing is
        read.
      - A commit can replace the directory with a link. Set this option to the checkout if others can commit to it.
    type: path
  desired:
    description:
      - The desired state inline, with the sections as keys, for a playbook that computes it.
      - Can be combined with O(src). No record may be in both.
      - To name local files in it, set O(files_root).
    type: dict
  variables:
    description:
      - Values of the variables that C(instance.yml) declares. They override the defaults. See R(the
        guide,ansible_collections.community.seventhings.docsite.guide_many).
      - In the files, C(${name}) is replaced by the variable, and C(${$}) by a dollar sign. In O(desired), nothing is
        replaced.
      - A variable that is not used causes a warning. A value that is vaulted by itself is refused, because plans would
        show it.
    type: dict
    default: {}
  files_root:
    description:
      - The directory that attachments come from. Whoever writes the files can upload everything in it.
      - >-
        The default is O(src) if that is a directory. If O(src) is a file, the default is the directory of the file.
        Keep such a file in its own directory, not beside a playbook and its secrets, or set this option.
      - If O(src) is set too, this directory replaces it for attachments.
      - >-
        A path is a finding if it is absolute, begins with V(~), contains V(..) or is hidden. In a hidden path, a file
        or directory has a name that begins with a dot, such as C(.vault_pass). A link, a device, a pipe, a socket, and
        a file of more than 52428800 bytes are findings too. Nothing outside of the directory is ever read.
      - A file is read again for the upload. If it was changed or replaced meanwhile, it is not uploaded.
    type: path
"""

    REPORT = r"""
options:
  report:
    description:
      - Files for a report of what was planned, done or found. One run writes all of them. The suffix of each file
        selects its format.
      - V(.md) is for a comment on a pull request, and never exceeds the maximum length of a comment. V(.html) is a
        single page without other files. V(.json) contains everything that the task returns, below an overview
        for people. V(.sarif) contains the findings, the warnings and the removals, so a review shows them at their
        lines, and notes about what the changes mean. V(.csv) has a row for each field of each change, to filter in a
        spreadsheet.
      - Reports count the records that are in no file, and name a few of them. V(.json) names all of them.
    type: list
    elements: path
    default: []
  hide:
    description:
      - Fields, by their keys or labels, whose values are shown as V((vaulted\)), in all sections and files. Name a
        field as the files do.
      - A vaulted value is only recognised if it is passed unchanged. If a template computes a value from it, or if the
        value comes from a variable file that is vaulted as a whole, name the field here.
      - Before ansible-core 2.19, a template of a vaulted variable returns plain text. With these versions, this option
        is required with O(desired) if Ansible has a vault password. Write V([]) if O(desired) has no vaulted value.
    type: list
    elements: str
    default: []
  show_vaulted:
    description:
      - Show values that are vaulted or named by O(hide) in findings, plans, reports and messages.
      - Files that outlive the run, such as the journal, never contain them.
      - From ansible-core 2.22 on, Ansible masks a hidden value in everything that the same run prints afterwards. Show
        such values in a run in which no earlier task hides them.
    type: bool
    default: false
"""

    RUN = r"""
options:
  report_url:
    description:
      - The address of the whole report, such as that of the job that stores it. A O(report) that ends in V(.md) links
        to it, because a comment may be too short for everything.
    type: str
  journal:
    description:
      - Directory of the journal. The default is C($XDG_STATE_HOME/seventhings/INSTANCE/SET), or the same in
        C(~/.local/state). Each instance and set has its own directory, with both names percent-encoded. It is not in
        O(src), and C(.seventhings/journal.jsonl) there is not read. If no home directory is writable, as in many
        containers, set a directory that outlives the run.
      - The journal records what was sent, which records belong to this set, and how many records each source had.
        Repeat an interrupted run with the same files. The repeated run finishes what the limits allowed when the
        interrupted run began, even if others created records meanwhile. The journal lifts no other limit, and without
        it every limit applies. Pruning only removes records that the journal (or the marker field that
        C(instance.yml) names) knows.
      - C(set_id) in C(instance.yml) distinguishes this set from others of the same name. A C(set_id) that differs from
        that of the journal is refused. If it is missing, the journal creates a C(set_id), and a warning says which line
        to add. Until then, the directory of the files identifies the set.
      - A journal is refused if it is a link, not a regular file, larger than 268435456 bytes (256 MiB) or writable by
        others. A journal at the default path must belong to the user who runs the task.
      - It contains no secrets. Losing it never causes a duplicate. Keep it between runs, as a cache of the CI job.
    type: path
  expect_instance:
    description:
      - Roots of the instances that may be changed. They replace the roots in C(instance.yml). If some roots are in
        both, only these are allowed.
      - If this option is not set or V([]), C(instance.yml) decides.
    type: list
    elements: str
"""

    RULES = r"""
options:
  rules:
    description:
      - Files with rules that records and changes must follow, whatever the other files say. See R(the
        guide,ansible_collections.community.seventhings.docsite.guide_rules).
      - Each is a YAML file with a list C(rules). A rule has an C(id), C(for) (a section, or C(changes)), C(when) and
        C(require) (JSON Schemas, draft 2020-12), C(level) (C(error) by default, or C(warning)) and C(because).
      - Rules check a record as it will be after the apply, with references as natural keys. A field without a value is
        missing in it. A violation of a rule with the level C(error) is a finding with the file, line and column of the
        value, and nothing is sent. No finding quotes a value.
      - No other file can add or remove rules. Without this option, no rules apply.
      - A protected run refuses a rules file inside of O(src). Without O(rules_digest), it refuses a file inside of
        O(src_below) or beside a O(src) that is a file too.
    type: list
    elements: path
    default: []
  rules_digest:
    description:
      - SHA-256 of each file in O(rules), 64 hexadecimal digits, in the same order. Any other content is refused.
    type: list
    elements: str
"""

    SELECTION = r"""
options:
  only:
    description:
      - Sections (such as V(rooms)) or natural keys (such as V(Head office/0.12)). Nothing else is changed.
    type: list
    elements: str
    default: []
  exclude:
    description:
      - Sections or natural keys that are not changed.
    type: list
    elements: str
    default: []
  observed:
    description:
      - Fields that scans or people write, so files must not write them. A map of sections to lists of field keys or
        labels. An empty list means that no field of that section is observed.
      - If neither this option nor C(observed) in C(instance.yml) names a section, the instance decides. If a
        FIELD_VALUE_COMPARISON field compares the actual room of an object with another room, the actual room and its
        location are observed. If no field compares two rooms, C(actual_room) and C(actual_building) are observed, but
        only if the files, or a record on the first page of the list, use C(target_room).
      - A plan leaves observed fields out, for new records too. So do comparisons, exports and
        M(community.seventhings.instance_absorb). A file that writes an observed field causes a warning. It is a finding
        if this option or C(instance.yml) names the field. C(scope), filters, the inventory and the lookup still read
        these fields.
      - The fields of this option and of C(instance.yml) are combined. In a protected run, files can only add fields,
        and only this option can say that nothing is observed.
    type: dict
"""

    APPLY = r"""
options:
  plan_file:
    description:
      - The approval of a plan. Check mode writes it to this file, which only its owner can read. It contains a digest
        for each change, and no value.
      - A real run makes the plan again from O(src) and O(desired), and executes the changes that have the same digests.
        A change that was not approved is left out, and a warning says so. See O(stale) for a record or a file that has
        changed since. If a run was interrupted, the next run with the same file executes the rest.
      - A real run refuses a missing file, a file for another instance or set, and a file that is a link, a pipe or a
        device. The file stays. A second run with it changes nothing.
      - Whoever can write the file approves what is executed. Only O(plan_digest) proves that the file was not edited.
        It can't add anything that the files do not ask for, and every cap of this task applies again.
    type: path
  plan_digest:
    description:
      - SHA-256 of the approved O(plan_file), 64 hexadecimal digits. A plan shows it in RV(plan_digest), in its text
        and in the O(report).
      - A real run refuses any other O(plan_file). Without O(plan_file), the plan that it makes must have this digest.
        Check mode ignores this option.
    type: str
  stale:
    description:
      - What to do with an approved change if its record, its files or what they ask for has changed since
        O(plan_file) was created.
      - >-
        V(refuse): Nothing is applied.
      - >-
        V(skip): The change is left out, and a warning says so.
    type: str
    choices: [refuse, skip]
    default: refuse
  apply_record:
    description:
      - The file for the apply record of this run. Only its owner can read it. It says what the apply changed, with each
        record before and after the change, so that M(community.seventhings.instance_undo) can restore it.
      - >-
        The default is a new file in C($XDG_STATE_HOME/seventhings/applied/INSTANCE/SET), or the same in
        C(~/.local/state). The last 20 records of each set are kept, and at most 200 MiB of each set.
      - It is compressed JSON and contains personal data. Never cache it. Keep it as a protected artifact of the CI job,
        and let the platform delete it after some weeks. A file in or below the directory of the O(journal) is refused
        before anything is written.
      - The record is written before the first request, and again with the result of each change. A run that finishes an
        interrupted run continues its record. If nothing changes, no record is written.
      - Instead of values that are vaulted or named by O(hide), it contains fingerprints. The values can't be derived
        from these, so they can't be undone.
      - If the default path is not writable and this option is not set, the plan begins with C(no apply record is kept)
        and the reason.
    type: path
  protected:
    description:
      - Set this for files that strangers may change, as in a pull request. O(limits), O(allow) (which may be V([])),
        O(expect_instance), and C(prune) if the module has it, must then all be set, so that no file decides about them.
        An error names a missing option before anything is read or sent.
      - A O(src) that is a link is refused, and O(src_below) is required if O(src) is set, because a commit can also
        replace a directory above it with a link.
      - Records of a section that C(prune) does not name are then only reported. O(limits) and C(prune) may be V({}).
        Without C(notify), no assignee is notified.
    type: bool
    default: false
  limits:
    description:
      - Limits by name, with their defaults in parentheses. C(create_percent) (30) and C(update_percent) (30) are
        percentages of the records of a section in scope. C(delete_percent) (10) is a percentage of these records, and
        also of the records of the set. The set has the records that the files name, and the records that the journal or
        the marker field knows. A percentage only applies if there are at least C(from_existing) (10) records, so that
        you can fill an empty instance. Records of the set that only the journal knows count too.
      - C(creates), C(updates) and C(deletes) (none) are numbers of records of a section. Archived records count as
        deleted. C(users) (10) is the number of users that one run may create.
      - Limits also apply to the first run, when nothing is known about the set. A first run in an instance that already
        has records may need a higher C(create_percent).
      - If one field changes in more than 100 records, and in more than C(update_percent) of the set, the plan begins
        with a warning.
      - C(policy.limits) in C(instance.yml) can only lower these numbers. A number there above that of this option, or
        else above the default, is a finding.
    type: dict
"""
