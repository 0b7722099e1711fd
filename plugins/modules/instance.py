#!/usr/bin/python
# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: instance
short_description: Plan and apply a whole instance from files
version_added: 1.0.0
description:
  - Applies a directory of YAML, CSV and JSON Lines files to an instance, thousands of records in one task.
  - Check mode is the plan. It shows every change with the current and the new value of its fields, and sends no write.
  - Only what the files contain is managed. A field that the files leave out does not change, and V(null) clears a
    field. A record that is in no file stays unless O(prune) says otherwise.
  - Runs on the controller, so it can show its progress while it works.
  - The directory contains C(instance.yml) (the instance, policy and identity), and a file or a directory for each
    section. C(moved.yml) lists natural keys that were renamed.
  # generated: files
  - Its sections are C(fields), with one file for each template, and C(locations), C(rooms), C(persons), C(users),
    C(objects), C(tasks), C(rental_cases), C(catalog) and C(hub).
  # end of files
  - With C(scan_codes) in C(instance.yml), labels can replace the placeholders of imported objects. O(observed) keeps
    what scans wrote. The guide about labels describes both.
  - Files are plain data. Templates, tags and inline vaulted values in them are errors. A file of records, or
    C(moved.yml), may be vaulted as a whole, and is then decrypted. Settings and field definitions can't be vaulted. Put
    computed values in O(desired).
  - Nothing of a vaulted file is shown. Findings, plans, reports, the journal and messages show V((vaulted\)) and the
    place instead of its values, its natural keys and its unknown field names. Messages of the service about such a
    record are not shown either, because they may quote what was sent. The same is true of a vaulted value in
    O(desired), both the new value and the current value. See O(hide) and O(show_vaulted).
options:
  mode:
    description:
      - What to do.
      - >-
        V(apply): Plan, and then apply the plan unless check mode is on.
      - >-
        V(undo): Undo the changes of an apply, from its apply record. The plan is created from O(applied) and the
        current state of the instance. Check mode shows it. It is saved, refused and applied like a plan from files.
        O(src) is not needed.
      - >-
        V(drift): Only compare, whether check mode is on or not. No limit applies, because nothing is changed.
        O(plan_file) is not used.
      - >-
        V(validate): Only check the files. No connection is needed. All findings are reported at once, each with its
        file, line and column. Labels of fields are known if the files define them, or if an export wrote the schema of
        the instance beside the files. What can't be checked is left to the plan, and a warning names it.
    type: str
    choices: [apply, undo, drift, validate]
    default: apply
  src:
    description:
      - The directory with the files, or one file with the sections as its keys. The file may be a workbook.
      - Workbooks (C(.xlsx)) need openpyxl on the controller.
      - The directory may be a link unless O(protected) is set. A single file must not be a link, and the directory must
        not contain links. A link, a device, a pipe or a socket in the place of a file is a finding. A file of more than
        256 MiB is a finding too.
      - Paths of attachments are relative to the directory. Files outside of it can't be sent. See O(files_root).
      - A list of directories or files is a list of layers, from the first to the last. A later layer adds records. If
        it has a record with the same natural key, its fields override those of the earlier layer. C(null) clears a
        field, a list replaces the whole list, and other fields stay. C(_managed) V(false) removes a record from the
        set. Only the first layer needs an C(instance.yml), and only that one may have C(policy), C(scope) and
        C(identity). Attachments are relative to their layer.
      - One of O(src), O(desired) and O(applied) is required.
      - With O(mode=undo), the files only say which set to undo and which records are protected.
    type: raw
  src_below:
    description:
      - A directory that must contain O(src) and O(files_root) after all links are followed. If it does not, nothing is
        read.
      - A commit can replace the directory with a link. Set this option to the checkout if others can commit to it.
    type: path
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
  desired:
    description:
      - The desired state inline, with the sections as keys, for a playbook that computes it.
      - Can be combined with O(src). No record may be in both.
      - To name local files in it, set O(files_root).
    type: dict
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
  report:
    description:
      - Files for a report of what was planned, done or found. One run writes all of them. The suffix of each file
        selects its format. With O(mode=validate), V(.json) has the merged
        records of all layers as C(records), each field with its value and its place.
      - V(.md) is for a comment on a pull request, and never exceeds the maximum length of a comment. V(.html) is a
        single page without other files. V(.json) contains everything that the task returns, below an overview
        for people. V(.sarif) contains the findings, the warnings and the removals, so a review shows them at their
        lines, and notes about what the changes mean. V(.csv) has a row for each field of each change, to filter in a
        spreadsheet.
      - Reports count the records that are in no file, and name a few of them. V(.json) names all of them.
    type: list
    elements: path
    default: []
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
      - The journal records what was sent, which records belong to this set, and how many records each source had (see
        O(confirm_empty)). Repeat an interrupted run with the same files. The repeated run finishes what O(limits)
        allowed when the interrupted run began, even if others created records meanwhile. The journal lifts no other
        limit, and without it every limit applies. O(prune) only removes records that the journal (or the marker field
        that C(instance.yml) names) knows.
      - C(set_id) in C(instance.yml) distinguishes this set from others of the same name. A C(set_id) that differs from
        that of the journal is refused. If it is missing, the journal creates a C(set_id), and a warning says which line
        to add. Until then, the directory of the files identifies the set.
      - A journal is refused if it is a link, not a regular file, larger than 268435456 bytes (256 MiB) or writable by
        others. A journal at the default path must belong to the user who runs the task.
      - It contains no secrets. Losing it never causes a duplicate. Keep it between runs, as a cache of the CI job.
    type: path
  apply_record:
    description:
      - The file for the apply record of this run. Only its owner can read it. It says what the apply changed, with each
        record before and after the change, so that O(mode=undo) can restore it.
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
  applied:
    description:
      - >-
        The apply record to undo. V(last) is the newest record at the default path. It is a record of the set that
        O(src) names, or without O(src) of any set of the instance. Any other value is the path of a file.
      - An undo writes its own record. If that is the newest record, V(last) changes nothing, and a warning says why.
        To undo an undo, name its file. A second undo of the same file changes nothing.
      - Repeat the same task to finish an interrupted undo. V(last) still selects the record that it was undoing.
      - The result names the apply in RV(undone), and lists what stays in RV(not_restored).
      - The file must belong to the user who runs the task. It must not be writable by others, be a link, or have a
        second hard link. A record of another instance is refused. It is also refused if the journal of its set has
        another C(set_id).
      - >-
        An undo restores the earlier value of each field that an update changed, records that were archived or deleted,
        field definitions that were changed, and offers on the hub. A record that was created is archived if its kind
        can be archived. Otherwise it is deleted.
      - Users and new field definitions stay. A deleted record is created again, with another UUID and without its
        history. References to it are set by its natural key. An archived record that the apply unarchived is archived
        again with its new values. An archived record that was deleted is not created again. A room, location or person
        stays if an archived record that the apply created refers to it. If a choice was removed from a definition, its
        values are lost.
      - A created record is only removed if it has not changed since the apply and nothing refers to it. The journal
        must also know that this set created it, or O(record_digest) must approve the record. The same is true of a
        record that is archived again. An undo removes at most as many records as the apply created or unarchived.
      - Required with O(mode=undo), and not used otherwise.
    type: str
  changed_since:
    description:
      - With O(mode=undo), what to do with a field that was changed since the apply.
      - >-
        V(skip): The field stays, and a warning names it.
      - >-
        V(refuse): Nothing is undone.
      - >-
        V(force): The field gets its value from before the apply. Created records that were changed are not removed.
    type: str
    choices: [skip, refuse, force]
    default: skip
  record_digest:
    description:
      - SHA-256 of the apply record that was reviewed and approved. The apply returns it as RV(apply_record_digest). Any
        other O(applied) is refused.
      - Lets O(mode=undo) remove records that the journal does not know, for example on another machine.
      - Required with O(protected) if O(applied) is a file.
    type: str
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
  protected:
    description:
      - Set this for files that strangers may change, as in a pull request. O(limits), O(prune), O(create_users),
        O(allow_destructive) and O(expect_instance) must then all be set, so that no file decides about them. An error
        names a missing option before anything is read or sent.
      - A O(src) that is a link is refused, and O(src_below) is required if O(src) is set, because a commit can also
        replace a directory above it with a link.
      - Records of a section that O(prune) does not name are then only reported. O(limits) and O(prune) may be V({}).
        Without O(notify), no assignee is notified.
      - Applies to O(mode=apply) and O(mode=undo), in check mode too.
    type: bool
    default: false
  rules:
    description:
      - Files with rules that records and changes must follow, whatever the other files say. See R(the
        guide,ansible_collections.community.seventhings.docsite.guide_rules).
      - Each is a YAML file with a list C(rules). A rule has an C(id), C(for) (a section, or C(changes)), C(when) and
        C(require) (JSON Schemas, draft 2020-12), C(level) (C(error) by default, or C(warning)) and C(because).
      - Rules check a record as it will be after the apply, with references as natural keys. A field without a value is
        missing in it. A violation of a rule with the level C(error) is a finding with the file, line and column of the
        value, and nothing is sent. No finding quotes a value.
      - With O(mode=drift), rules also check the current records of the instance, including records that are in no file.
      - With O(mode=validate), a rule is only checked if the files alone are enough. A warning says what was not
        checked.
      - No other file can add or remove rules. O(protected) does not require this option. Without it, no rules apply.
      - With O(protected), a rules file inside of O(src) is refused. Without O(rules_digest), a file inside of
        O(src_below) or beside a O(src) that is a file is refused too.
    type: list
    elements: path
    default: []
  rules_digest:
    description:
      - SHA-256 of each file in O(rules), 64 hexadecimal digits, in the same order. Any other content is refused.
    type: list
    elements: str
  prune:
    description:
      - What to do with records that belong to this set and are no longer in any file. A map of section to V(report),
        V(delete) or V(archive).
      - This option is the maximum for C(policy.prune) in C(instance.yml). The weaker of both actions applies, in the
        order V(report), V(archive), V(delete). If only one of them names a section, that action applies. If neither
        does, the records are reported.
      - A room, a location or a person is not removed if a record that the same run neither moves nor deletes refers to
        it. That is a finding that names the record, and nothing is sent. For this check the objects are listed, and
        archived objects that the files name are looked up. A warning says that other archived objects may refer to it.
      - If C(instance.yml) names no C(set), records are only reported, and a warning says so.
    type: dict
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
        with a warning. See RV(cautions).
      - Percentages do not apply to O(mode=undo). Numbers do.
      - C(policy.limits) in C(instance.yml) can only lower these numbers. A number there above that of this option, or
        else above the default, is a finding.
    type: dict
  create_users:
    description:
      - Whether users may be created. A new user gets an e-mail.
      - V(false) forbids it, whatever the files say. V(true) allows it unless C(policy.create_users) in C(instance.yml)
        is V(false). If this option is not set, C(policy.create_users) decides, and without it no user is created.
    type: bool
  notify:
    description:
      - Whether tasks may notify their assignees. Only C(policy.notify) in C(instance.yml) asks for it.
      - V(false) forbids it, whatever the files say. If this option is not set, the files decide, unless O(protected) is
        V(true).
    type: bool
  observed:
    description:
      - Fields that scans or people write, so files must not write them. A map of sections to lists of field keys or
        labels. An empty list means that no field of that section is observed.
      - If neither this option nor C(observed) in C(instance.yml) names a section, the instance decides. If a
        FIELD_VALUE_COMPARISON field compares the actual room of an object with another room, the actual room and its
        location are observed. If no field compares two rooms, C(actual_room) and C(actual_building) are observed, but
        only if the files, or a record on the first page of the list, use C(target_room).
      - A plan leaves observed fields out, for new records too. So do O(mode=drift), exports and
        M(community.seventhings.instance_absorb). A file that writes an observed field causes a warning. It is a finding
        if this option or C(instance.yml) names the field. C(scope), filters, the inventory and the lookup still read
        these fields.
      - The fields of this option and of C(instance.yml) are combined. With O(protected), files can only add fields, and
        only this option can say that nothing is observed.
    type: dict
  workers:
    description:
      - How many requests may run at the same time. All of them share one token and one rate limit.
    type: int
    default: 8
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
      - The journal and O(plan_file) never contain them.
      - From ansible-core 2.22 on, Ansible masks a hidden value in everything that the same run prints afterwards. Show
        such values in a run in which no earlier task hides them.
    type: bool
    default: false
  formulas:
    description:
      - The meaning of an apostrophe in a cell of a CSV file, or in the name of a column.
      - >-
        V(escape): The apostrophe is not part of the text if it comes before C(=), C(+), C(-), C(@), a tab, the end of a
        line or another apostrophe. This applies at the start of a cell, and after a C(;), a comma, a C(|), a tab or the
        end of a line. Exports write it there, so that no spreadsheet runs the text. Anywhere else it is part of the
        text.
      - >-
        V(keep): The apostrophe is part of the text.
    type: str
    choices: [escape, keep]
    default: escape
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
  assume_archived:
    description:
      - Assume that an object is archived if it is found by its barcode, no list shows it, and the instance sends no
        C(archived_at). The object could also be hidden from this account, so it is a finding without this option.
    type: bool
    default: false
  archived_duplicates:
    description:
      - How many of the records to create are looked up in the archive. No list shows an archived record. An object is
        looked up by its barcode, with one request. If an archived record is found, the plan is C(unarchive and update).
      - First, an object that is in the list is looked up. If that shows that the instance has no such lookup, there are
        no further requests.
      - A warning says how many barcodes were not checked. If one of these objects is archived, a service that accepts
        duplicates creates a second object. If the service refuses the duplicate, that record fails, the journal records
        it, and the next plan looks it up.
      - >-
        V(trust_service): Up to 40 records of a section are all looked up. In a real run, and in check mode if
        O(plan_file) is written, up to 200 are. If there are more records, 40 of them are looked up.
      - >-
        V(check): All records are looked up. 10,000 objects take 50 minutes.
    type: str
    choices: [trust_service, check]
    default: trust_service
  confirm_empty:
    description:
      - Accept that a source no longer contains records. A source is a file, a sheet of a workbook, or a section of a
        single file or of O(desired). Without this option, it is a finding if a source had records at the last apply,
        and now is empty or missing, or has a suffix that is not read. The journal knows how many records it had. It is
        not a finding if other sources of the section gained as many records. A section that O(desired) leaves out is
        not missing. Files without C(set) are not compared.
      - Let O(prune) remove all records of a section that the files leave empty.
    type: bool
    default: false
  limited_account:
    description:
      - Accept that this account may not see all records, for example because the access of the user is limited to
        locations.
      - The lists are proven incomplete if another record refers to a record that can be read, is not archived and is in
        no list. Without this option nothing is
        then deleted or archived, unless C(scope) limits the section. With O(protected), C(scope) makes no difference.
        No object is created by a natural key that need not be unique. Other records are created, with one warning. See
        RV(hidden_records).
      - If a link leads to a record that no list shows, it is never changed to a record that the plan creates, even if
        nothing is proven. Both may be the same record.
      - Only the task can set this option. No file can.
    type: bool
    default: false
  allow_destructive:
    description:
      - Allow field definitions to change their type and to lose values that records use.
      - If the type of a field changes, the service may clear the field. So the same run sends the values of the files
        again.
      - Only the task can set this option. No file can.
    type: bool
    default: false
  drift_fail:
    description:
      - Fail in check mode, and with O(mode=drift), if something would change. Use it for jobs that only compare.
    type: bool
    default: false
  plan_follows:
    description:
      - With O(mode=validate), do not warn about fields whose types only the instance knows. Use it for jobs in which a
        plan follows, because the plan checks them.
      - The task then only fails if files can't be read. The plan fails because of all other RV(findings), together with
        those that only the instance shows.
    type: bool
    default: false
  expect_instance:
    description:
      - Roots of the instances that may be changed. They replace the roots in C(instance.yml). If some roots are in
        both, only these are allowed.
      - If this option is not set or V([]), C(instance.yml) decides.
      - A plan in O(plan_file) is only for the instance that it was created from, whatever this option says.
    type: list
    elements: str
attributes:
  check_mode:
    support: full
    details:
      - The plan. Nothing is written to the instance. O(plan_file) and O(report) are written.
  diff_mode:
    support: full
    details:
      - Every change with its fields, as text.
  idempotent:
    support: full
requirements:
  - jsonschema >= 4.21 (for O(mode=validate) and O(rules))
notes:
  - A run reads one list of each kind that the files write or refer to, with one page for every 1000 records, and three
    lists of field definitions. A change takes one request. A new attachment takes one more, however many records name
    it. A field definition, task or rental case takes two more. If the instance does not report the number of records, a
    list of several pages is read twice before a missing record is created. O(archived_duplicates) says how many records
    are looked up in the archive.
  - Records are found by their natural key, as in the modules for single records. C(identity) in C(instance.yml) names
    other fields.
  - Ansible prints everything that a failed task returns. So a failed task returns at most one screen of text, with the
    reason at the end of RV(msg). A O(report) as V(.json) has the complete result. In a C(rescue),
    C(ansible_failed_result) has what the task returned.
  - Text from a file or from the service is shown on one line. Control characters and invisible characters are shown as
    escapes.
  - New users get an e-mail. They are only created with O(create_users), or with C(create_users) in the C(policy) of
    C(instance.yml). Without it, records that need a missing user are skipped, and a warning names them.
  - The files and the task may have different authors. O(limits), O(prune), O(create_users), O(allow_destructive) and
    O(expect_instance) of the task are the maximum that files may ask for. Files may ask for less.
seealso:
  - module: community.seventhings.instance_export
  - module: community.seventhings.object
extends_documentation_fragment:
  - community.seventhings.connection
  - community.seventhings.attributes
  - community.seventhings.attributes.controller
author:
  - Contributors to the community.seventhings collection (@ansible-collections)
"""

EXAMPLES = r"""
---
- name: Validate the files without a connection
  community.seventhings.instance:
    mode: validate
    src: acme

- name: Plan, write the plan for a comment on a pull request, and keep it
  community.seventhings.instance:
    src: acme
    report: [plan.html, plan.md, plan.json, changes.csv]
    plan_file: acme.plan
  check_mode: true
  register: planned

- name: Apply exactly what was planned and approved
  community.seventhings.instance:
    src: acme
    plan_file: acme.plan
    plan_digest: "{{ planned.plan_digest }}"

- name: Plan files that strangers may have changed, with limits for all that they may ask for
  community.seventhings.instance:
    src: /srv/checkout/acme
    src_below: /srv/checkout
    protected: true
    expect_instance: ["{{ seventhings_base_url }}"]
    limits:
      creates: 200
    prune:
      objects: report
    create_users: false
    allow_destructive: false
  check_mode: true

- name: Plan with rules that the same commit can't change
  community.seventhings.instance:
    src: acme
    rules: [base-branch/rules.yml]
    rules_digest: [1139d1770abdd0521a29df86493197dc1d49eb6e2607e68f88adf9e2ad9a22ac]
  check_mode: true

- name: Apply the files
  community.seventhings.instance:
    src: acme
    report: report.html

- name: Show what an undo of the last apply would do
  community.seventhings.instance:
    mode: undo
    applied: last
  check_mode: true
  when: go_back | default(false)

- name: Undo an apply from its record, and refuse if any of it was changed since
  community.seventhings.instance:
    mode: undo
    applied: /srv/records/2026-11-24.json.gz
    changed_since: refuse
  when: go_back | default(false)

- name: Apply a base for all sites, and an overlay for Berlin
  community.seventhings.instance:
    src: [base, overlays/berlin]
    variables:
      city: Berlin

- name: Fail if the instance was changed without the files
  community.seventhings.instance:
    src: acme
    mode: drift
    drift_fail: true

- name: Report objects that are no longer in any file, and limit removals to 5 percent
  community.seventhings.instance:
    src: acme
    prune:
      objects: report
    limits:
      delete_percent: 5

- name: Ensure places that the playbook computes
  community.seventhings.instance:
    desired:
      locations:
        - name: "Depot {{ inventory_hostname }}"
      rooms:
        - building_id: "Depot {{ inventory_hostname }}"
          number: "0.01"
"""

RETURN = r"""
msg:
  description:
    - If the task succeeded, all changes with their fields, then the counts, and the outcome in the last line.
    - If the task failed, a few lines, and the reason in the last line.
  returned: always
  type: str
  sample: changed, 14 requests, 1.8 s
outcome:
  description:
    - The outcome. V(failed), V(refused) and V(partly_applied) fail the task. With O(mode=drift) they mean that the
      records could not be compared.
    - V(unchanged) means that nothing differs. V(changed) means that everything was applied (in check mode, would be
      applied).
    - V(partly_undone) means that an undo has nothing left to change, although RV(not_restored) is not empty.
    - V(drift) means that something differs with O(mode=drift).
    - V(failed) means that nothing was applied, because of RV(findings) or because every change failed.
    - V(refused) means that a limit, a stale plan, the guard or the journal stopped the run. V(partly_applied) means
      that some changes failed.
    - A change that the service accepted and that had no effect is a failed change. RV(failures) names it.
  returned: O(mode=apply), O(mode=undo) or O(mode=drift)
  type: str
  sample: changed
instance:
  description:
    - Root of the instance.
  returned: O(mode=apply), O(mode=undo) or O(mode=drift)
  type: str
  sample: https://acme.seventhings.com
check_mode:
  description:
    - Whether this was only a plan.
  returned: O(mode=apply), O(mode=undo) or O(mode=drift)
  type: bool
  sample: false
summary:
  description:
    - A map of section to counts of records. In check mode, it counts what would be done.
  returned: O(mode=apply), O(mode=undo) or O(mode=drift)
  type: dict
  sample:
    objects: {created: 2, updated: 1, deleted: 0, archived: 0, unchanged: 997, errors: 0, skipped: 0}
changes:
  description:
    - Every change, in the order in which the changes are applied. Changes that others depend on come first. Removals
      come last, in the opposite order. A removal comes earlier if it frees a unique value that another record needs.
  returned: >-
    O(mode=apply), O(mode=undo) or O(mode=drift), if the task did not fail or the result fits on a screen;
    else only in a O(report) as V(.json)
  type: list
  elements: dict
  contains:
    section:
      description: The section.
      type: str
    key:
      description: The natural key. If it is vaulted, V((vaulted\)) and the place.
      type: str
    action:
      description: V(create), V(update), V(delete) or V(archive).
      type: str
    note:
      description:
        - What the action includes besides the fields. V(unarchive and update) or V(unarchive) for an archived record
          that becomes active again, V(may need unarchiving) for a record that is deleted from the archive.
        - With O(mode=drift), V(was created by this set and deleted in the application) if that is proven. Otherwise
          empty.
      type: str
    uuid:
      description: UUID of the record. Null if it does not exist yet.
      type: str
    before:
      description: The fields that change, by their keys, with their current values. A referenced record is shown as its
        natural key.
      type: dict
    after:
      description: The fields that change, by their keys, with their new values.
      type: dict
    labels:
      description: The labels of these fields, by their keys.
      type: dict
    status:
      description:
        - V(done), V(failed), V(skipped) because a record that it needs was not created, or V(not_tried) because the run
          stopped before it. In a plan, and after a refusal, every change is V(not_tried).
      type: str
    reason:
      description: Why the change failed, was skipped or was not tried. Empty in a plan, and if the change was done.
      type: str
    name:
      description: The display name of the record. Empty if it has no name or the name is hidden.
      type: str
    removed:
      description:
        - What is lost with a record that is deleted or archived, such as C(room), C(person), C(value), C(attachments)
          and C(history). C(not looked up) means that the plan did not need the list that a link refers to. Empty for
          other changes.
      type: dict
    place:
      description: The place in the files.
      type: str
  sample:
    - section: objects
      key: "100403"
      action: update
      note: ""
      uuid: 5ad6a0ae-6d05-4f3b-9a57-1c9f6f3a8b11
      before: {purchasing_price: 849.9}
      after: {purchasing_price: 799.0}
      place: objects/it.yml:17:3
      labels: {purchasing_price: Purchasing price}
      status: done
      reason: ""
      name: Notebook 14"
      removed: {}
forecast:
  description:
    - What an apply needs if nothing fails. C(requests) is the number of requests, including those for planning.
    - C(minutes) is how long they take at O(rate_limit). It is null if there is no limit. If the task failed,
      RV(forecast) is only in a O(report) as V(.json).
  returned: O(mode=apply), O(mode=undo) or O(mode=drift)
  type: dict
  sample: {requests: 1044, minutes: 5.2}
made_by:
  description:
    - The name of the set, the time (UTC), the user and the machine of the run, the version of the collection, and the
      host of the inventory, which is empty for V(localhost). Reports show it in their titles. If the task failed, it is
      only in a O(report) as V(.json).
  returned: O(mode=apply), O(mode=undo) or O(mode=drift)
  type: dict
  sample: {set: acme, date: "2026-11-22T09:00:00Z", user: deploy@runner-1, version: 1.0.0, host: ""}
failures:
  description:
    - The records that failed, and the records that were skipped because of them. The list has as many as fit on a
      screen. A O(report) as V(.json) has all of them.
  returned: O(mode=apply), O(mode=undo) or O(mode=drift)
  type: list
  elements: dict
  contains:
    change:
      description: The record.
      type: str
    place:
      description: The place in the files.
      type: str
    reason:
      description: Why the change was not applied.
      type: str
  sample: []
refusals:
  description:
    - Why nothing was applied, and how to allow it. The list has as many reasons as fit on a screen. A O(report) as
      V(.json) has all of them.
  returned: O(mode=apply), O(mode=undo) or O(mode=drift)
  type: list
  elements: str
  sample:
    - "objects: delete 12 of 40 records is more than limits.delete_percent (10 %); a higher limits.delete_percent of the
      task lets this pass"
findings:
  description:
    - The mistakes in the files, each with its file, line and column, or with its sheet and cell. If there are findings,
      nothing was sent.
    - A mistake in many cells of a table column is one entry with its first places. RV(every_finding) has all of them.
    - The list has as many findings as fit on a screen. A O(report) as V(.json) has all of them.
  returned: success or failure
  type: list
  elements: str
  sample:
    - "objects/it.yml:12:3: target_room: there is no room 'Head office/0.21'; the nearest are 'Head office/0.12'"
cautions:
  description:
    - The warnings to read first. Every report begins with them. If the task failed, they are only in a O(report) as
      V(.json).
  returned: O(mode=apply), O(mode=undo) or O(mode=drift)
  type: list
  elements: str
  sample: []
scan_codes:
  description:
    - How many objects have labels, if C(scan_codes) is set in C(instance.yml). Empty if it is not set, and for an
      instance without objects.
  returned: O(mode=apply), O(mode=undo) or O(mode=drift)
  type: dict
  contains:
    attached:
      description: Number of rows whose object has a scan code that is not a placeholder.
      type: int
    total:
      description: Number of rows of objects.
      type: int
    differ:
      description:
        - Number of objects whose scan code differs from the files. M(community.seventhings.instance_absorb) writes it
          into the files.
      type: int
  sample: {attached: 412, total: 3000, differ: 3}
hidden_records:
  description:
    - Whether records are hidden from this account, as far as the lists that were read show it.
    - V(yes) if a hidden record is proven. For the
      proof, up to 20 records are read that others refer to and that no list shows. V(no) if the objects, rooms and
      locations were listed, and the account sees an object in each location that has rooms. Otherwise V(unknown). It is
      also V(unknown) if the plan neither removes records nor creates objects, tasks or similar records.
  returned: O(mode=apply), O(mode=undo) or O(mode=drift)
  type: str
  sample: "no"
moves:
  description:
    - How many records change their room or location, from each place to each place. The largest number comes first. If
      the task failed, RV(moves), RV(money), RV(persons) and RV(mails) are only in a O(report) as V(.json).
  returned: O(mode=apply), O(mode=undo) or O(mode=drift)
  type: list
  elements: dict
  contains:
    section:
      description: Section of the records.
      type: str
    field:
      description: The field that changes.
      type: str
    from:
      description: Name of the current place. Null if the records have no place.
      type: str
    to:
      description: Name of the new place. Null if the records lose their place.
      type: str
    count:
      description: Number of records.
      type: int
  sample:
    - {section: objects, field: target_room, from: Head office/0.12, to: Head office/0.13, count: 12}
money:
  description:
    - The totals of each MONEY field over all records that change. A new record has no amount before, and a deleted or
      archived record has no amount after. Fields with hidden values are left out.
  returned: O(mode=apply), O(mode=undo) or O(mode=drift)
  type: list
  elements: dict
  contains:
    section:
      description: Section of the records.
      type: str
    field:
      description: The field.
      type: str
    before:
      description: Total before.
      type: float
    after:
      description: Total after.
      type: float
    count:
      description: Number of records whose amount changes.
      type: int
  sample:
    - {section: objects, field: purchasing_price, before: 12000, after: 11750.5, count: 3}
persons:
  description:
    - Persons and users who become responsible for records, or no longer are.
  returned: O(mode=apply), O(mode=undo) or O(mode=drift)
  type: list
  elements: dict
  contains:
    person:
      description: E-mail address or name.
      type: str
    section:
      description: Section of the records.
      type: str
    gains:
      description: Number of records that the person gains.
      type: int
    loses:
      description: Number of records that the person loses.
      type: int
  sample:
    - {person: ada.lovelace@example.com, section: objects, gains: 2, loses: 0}
mails:
  description:
    - Records that make the instance send e-mail, such as new users, and tasks if C(notify) is set. Empty for a drift.
  returned: O(mode=apply), O(mode=undo) or O(mode=drift)
  type: list
  elements: dict
  contains:
    section:
      description: Section of the records.
      type: str
    count:
      description: Number of records.
      type: int
    to:
      description: The recipients, as far as they are known.
      type: list
      elements: str
  sample:
    - {section: users, count: 1, to: [ada.lovelace@example.com]}
undo:
  description:
    - Which changes of the plan can't be undone, and which only in part. Empty if all of them can be undone, and for a
      drift. If the task failed, it is only in a O(report) as V(.json).
  returned: O(mode=apply), O(mode=undo) or O(mode=drift)
  type: str
  sample: "cannot be undone: 1 user; only in part: 3 deletions"
undone:
  description: The apply that O(mode=undo) undoes, and how to recognise it.
  returned: O(mode=undo)
  type: dict
  contains:
    time:
      description: The time of the apply in UTC.
      type: str
    set:
      description: The name of its set.
      type: str
    user:
      description: The user and the machine.
      type: str
    changes:
      description: The number of its changes.
      type: int
    record:
      description: The file of its apply record.
      type: str
not_restored:
  description: What O(mode=undo) does not restore.
  returned: O(mode=undo)
  type: list
  elements: dict
  contains:
    section:
      description: The section.
      type: str
    key:
      description: The natural key of the record.
      type: str
    field:
      description: The field. Empty if it is the whole record.
      type: str
    reason:
      description: Why it stays as the apply wrote it, or as somebody changed it since.
      type: str
every_finding:
  description:
    - Each mistake with its place, if RV(findings) combines several mistakes into one entry. Otherwise empty. If the
      task failed, it is only in a O(report) as V(.json).
  returned: O(mode=apply), O(mode=undo) or O(mode=drift)
  type: list
  elements: str
  sample: []
reported:
  description:
    - A map of section to natural keys of records that are in no file and were not changed.
  returned: >-
    O(mode=apply), O(mode=undo) or O(mode=drift), if the task did not fail or the result fits on a screen;
    else only in a O(report) as V(.json)
  type: dict
  sample:
    rooms: [Workshop/0.99]
brief:
  description:
    - What the changes mean, and their counts, in one line each, for a task that prints them. Warnings and the changes
      themselves are left out, because Ansible prints the warnings itself, and the changes with C(--diff). RV(msg) has
      everything. Not returned if the task failed.
  returned: O(mode=apply), O(mode=undo) or O(mode=drift)
  type: list
  elements: str
  sample: ["objects: 1 updated, 999 unchanged", "changed, 12 requests, 1.2 s"]
diff:
  description:
    - The changed records, for C(--diff). For a plan, these are the records that would change. For an apply, these are
      the records that changed.
    - At most 1,000 records, removed records first. RV(changes) has all of them.
    - With O(mode=drift), C(before) has the values of the files, and C(after) has the values of the instance.
  returned: O(mode=apply), O(mode=undo) or O(mode=drift)
  type: dict
  contains:
    before:
      description: Lines with each record and the current values of its fields.
      type: str
    after:
      description: Lines with each record and the new values of its fields.
      type: str
    before_header:
      description: V(instance), or with O(mode=drift) V(files).
      type: str
    after_header:
      description: V(files), or with O(mode=drift) V(instance).
      type: str
  sample:
    before_header: instance
    after_header: files
    before: |
      objects 100403 Notebook 14"
          purchasing_price: 849.9
    after: |
      objects 100403 Notebook 14"
          purchasing_price: 799.0
apply_record:
  description:
    - The file with the apply record of this run. Empty if none was written.
  returned: O(mode=apply), O(mode=undo) or O(mode=drift)
  type: str
  sample: /home/deploy/.local/state/seventhings/applied/acme.seventhings.com/acme/20261124T110000.000000Z.json.gz
apply_record_digest:
  description:
    - SHA-256 of RV(apply_record), for O(record_digest). Empty if no record was written.
  returned: O(mode=apply), O(mode=undo) or O(mode=drift)
  type: str
  sample: 60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752
plan_digest:
  description:
    - SHA-256 of the O(plan_file) that was written or applied. Empty if the plan needs no approval.
  returned: O(mode=apply), O(mode=undo) or O(mode=drift)
  type: str
  sample: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
requests:
  description:
    - How many requests were sent, including logins and repeats.
  returned: O(mode=apply), O(mode=undo) or O(mode=drift)
  type: int
  sample: 14
duration:
  description:
    - How many seconds the task took.
  returned: O(mode=apply), O(mode=undo) or O(mode=drift)
  type: float
  sample: 1.842
"""

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.argument_specs import INSTANCE


def main() -> None:
    module = AnsibleModule(
        argument_spec=INSTANCE,
        required_one_of=[("src", "desired", "applied")],
        required_if=[("mode", "undo", ("applied",))],
        supports_check_mode=True,
    )
    module.fail_json(msg="community.seventhings.instance runs on the controller, through the action of the same name.")


if __name__ == "__main__":
    main()
