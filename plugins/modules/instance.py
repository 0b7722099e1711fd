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
  - Makes an instance what a directory of YAML, CSV and JSON Lines files says, thousands of records in one task.
  - Check mode is the plan. It shows every change with its fields, as they are and as they will be, and sends no write.
  - Only what is written is managed. A field that is not written is left alone, V(null) clears it, and a record that is
    in no file stays unless O(prune) says otherwise.
  - Runs on the controller, so that it can tell how far it is while it works.
  - The directory holds C(instance.yml) (which instance, policy, identity), and a file or a directory for each section.
    C(moved.yml) lists natural keys that were renamed.
  # generated: files
  - Its sections are C(fields), with one file for each template, and C(locations), C(rooms), C(persons), C(users),
    C(objects), C(tasks), C(rental_cases), C(catalog) and C(hub).
  # end of files
  - C(scan_codes) in C(instance.yml) lets labels replace the placeholders with which objects were imported, and
    O(observed) keeps what scans wrote. The guide about labels describes both.
  - Files are plain data. Templates, tags and inline vaulted values in them are errors. A file of records, or
    C(moved.yml), that is vaulted as a whole is decrypted. Settings and field definitions can't be vaulted. Computed
    values belong in O(desired).
  - Nothing of a vaulted file is shown. In findings, plans, reports, the journal and messages V((vaulted\)) stands for
    its values, for the names of fields that are not known, and for its natural keys, with the place where it stands.
    The words of the service about such a record are not shown either, because they may quote what was sent. The same
    holds for a vaulted value in O(desired), as it is and as it was before. See O(hide) and O(show_vaulted).
options:
  mode:
    description:
      - What to do.
      - >-
        V(apply): Plan, and apply the plan unless check mode is on.
      - >-
        V(undo): Undo the changes of an apply, from its apply record. The plan is made from O(applied) and the
        instance as it is now. Check mode shows it, and it is saved, refused and applied as the plan of files is. O(src)
        is not needed.
      - >-
        V(drift): Only compare, whether check mode is on or not. No limit holds anything back, because nothing is
        applied, and O(plan_file) is left alone.
      - >-
        V(validate): Only judge what is written. No connection is needed. All findings come at once, each with its file,
        line and column. Labels of fields are known where the files define them, or where an export wrote the schema of
        the instance beside the files. What nothing tells is left to the plan, and a warning names it.
      - >-
        V(render): Write the merged state of all layers to O(dest), with variables filled in and cells of tables read,
        so that it can be looked at and compared. Nothing is planned and nothing is sent but, where the type of a field
        that only the instance knows decides about a cell or an attachment, requests for the definitions of its fields.
        Else no connection is needed. Findings of reading come as with O(mode=validate), and nothing is written then.
    type: str
    choices: [apply, undo, drift, validate, render]
    default: apply
  src:
    description:
      - The directory with the files, or one file with the sections as its keys, which may be a workbook.
      - Workbooks (C(.xlsx)) need openpyxl on the controller.
      - The directory may be reached by a link, but not with O(protected). Nothing in it may be a link, nor may a single
        file. A link, a device, a pipe or a socket in the place of a file is a finding, and so is a
        file of more than 1 GiB.
      - Paths of attachments in it are relative to the directory, and nothing else can be sent. See O(files_root).
      - A list of them is layers, the first one first. A later layer adds records, and overrides the fields that it
        writes of a record with the same natural key. C(null) clears, lists replace whole, what is not written stays,
        and C(_managed) V(false) takes a record out of the set. Only the first layer needs an C(instance.yml), that of a
        later one only narrows it. Attachments are relative to their layer.
      - One of O(src), O(desired), O(plan_file) and O(applied) is required.
      - With O(mode=undo), the files only say which set is meant and which records are protected.
    type: raw
  src_below:
    description:
      - A directory that O(src) and O(files_root) must not lead out of once all links are followed. If it
        does, nothing is read.
      - A commit can put a link in the place of the directory. Name the checkout here if others can commit to it.
    type: path
  dest:
    description:
      - With O(mode=render), the directory that is written. It plans the same as O(src) and O(desired).
      - It holds one C(instance.yml) without C(variables) and C(csv), YAML files for each section, C(moved.yml),
        attachments below C(files), and JSON Schemas. What C(_managed) and C(_state) say stays.
      - Must be missing, empty, or made by an earlier render. Nothing in it is yours. A later render overwrites what was
        edited, and takes away what it no longer writes. It tells its files by C(.render.json). A file of another origin
        that a plan would read is an error.
      - New files can be read by their owner alone.
      - What is vaulted or named by O(hide) is never written. It is a finding, unless O(show_vaulted) is V(true).
      - Required with O(mode=render), and not used otherwise.
    type: path
  variables:
    description:
      - Values of the variables that C(instance.yml) declares, over their defaults. See
        R(the guide,ansible_collections.community.seventhings.docsite.guide_many).
      - In the files C(${name}) stands for a variable, and C(${$}) for a dollar. In O(desired) it means itself.
      - What is not used is a warning. A value that is vaulted by itself is refused, because it would stand in plans.
    type: dict
    default: {}
  desired:
    description:
      - The same inline, with the sections as keys, for a playbook that computes what is wanted.
      - May be given besides O(src). No record may be in both.
      - Names local files only together with O(files_root).
    type: dict
  files_root:
    description:
      - The directory that attachments come from. Everything in it can be uploaded by whoever writes the files.
      - >-
        Defaults to O(src) where that is a directory, and to the directory that the file lies in where O(src) is a file.
        Keep such a file in a directory of its own, not beside a playbook and its secrets, or set this option.
      - Given besides O(src), this directory takes the place of O(src).
      - >-
        An absolute path, one with V(~) at its beginning or V(..) in it, a hidden name (one with a point at its
        beginning, such as C(.vault_pass), or below such a directory), a link, a device, a pipe, a socket, and a file of
        more than 52428800 bytes are findings. Whether there is anything outside is never looked at.
      - A file is read again when it is uploaded. If it was changed or replaced meanwhile, it is not uploaded.
    type: path
  plan_file:
    description:
      - Check mode writes the plan to this file, readable for its owner alone.
      - A real run applies the file if it is there, and takes it away when all of it was applied. After a run that
        failed in part, the next one applies the rest of it. Of O(src), only local files such as attachments are read
        then. Their paths are relative to O(src), wherever the plan was made.
      - Where the file is not there, a real run plans anew, and a warning says so. O(require_plan) and O(plan_digest)
        refuse that.
      - Whoever can write the file decides what is applied. Nothing but O(plan_digest) proves that nobody edited it.
        What this task says in O(limits), O(prune), O(create_users), O(allow_destructive) and O(expect_instance) holds
        for a plan file too, beside the limits that held when it was made.
      - A plan for another instance, or of another version of the format, is refused. So is a link, a pipe, a device,
        and a file of more than 256 MiB.
      - Each change in it carries the hash of the record that it was made from. See O(stale).
      - Of what is vaulted or named by O(hide) it holds the file, the place and a salted scrypt hash. To apply it then
        takes O(src) (and O(desired)) as when it was planned, and the vault password. Where such a value is not as it
        was, nothing is applied, whatever O(stale) says.
    type: path
  plan_digest:
    description:
      - SHA-256 of the plan that was approved, 64 hexadecimal digits. Planning tells it, in RV(plan_digest), in words
        and in the O(report).
      - A real run refuses any other O(plan_file), and a missing one. Check mode makes the plan anew, whatever stands
        here.
    type: str
  require_plan:
    description:
      - Refuse to plan anew in a real run where O(plan_file) is missing.
    type: bool
    default: false
  report:
    description:
      - Writes what was planned, done or found to these files, all of them in one run. The ending of each says how.
        O(mode=render) only writes findings.
      - V(.md) is made for a comment on a pull request, and is never longer than one may be. V(.html) is one page
        without anything beside it. V(.json) holds all of what the task returns. V(.sarif) holds the findings, the
        warnings and the removals, so that they stand at their lines in a review. V(.csv) has a row for each field of
        each change, to filter in a spreadsheet.
      - Records that are in no file are counted, and a few are named. V(.json) names all of them.
    type: list
    elements: path
    default: []
  report_url:
    description:
      - The address under which people find the whole report, such as that of the job that keeps it. A O(report) that
        ends in V(.md) links to it, because a comment may not have room for all of it.
    type: str
  journal:
    description:
      - Directory of the journal. Default is C($XDG_STATE_HOME/seventhings/INSTANCE/SET), or the same in
        C(~/.local/state), one for each instance and set, with both names percent-encoded. It does not lie in O(src),
        and C(.seventhings/journal.jsonl) there is not read. Where there is no home directory that can be written, as
        in many containers, name a directory that outlives the run.
      - The journal notes what was sent, which records belong to this set, and how many records each source held (see
        O(confirm_empty)). Repeat an interrupted run with the same files, and O(prune) takes away only
        what the journal (or the marker field that C(instance.yml) names) knows. A run that was interrupted finishes
        what O(limits) let pass when it began, even if others created records meanwhile. The journal lifts no other
        limit, and without it every limit holds.
      - C(set_id) in C(instance.yml) distinguishes this set from others of its name. A C(set_id) that differs from that
        of the journal is refused. If there is none, the journal creates one, and a warning says which line to add.
        Until then files are known by their directory.
      - A journal is refused where it is a link, no regular file, larger than 268435456 bytes (256 MiB) or writable by
        others. One at the default place must belong to the user who runs this.
      - It holds no secrets. Losing it never causes a duplicate. Keep it between runs, as a cache of the CI job.
    type: path
  apply_record:
    description:
      - The file for the apply record of this run, readable for its owner alone. It says what the apply changed, and how
        each record was before and after, so that O(mode=undo) can bring it back.
      - >-
        Default is a new file in C($XDG_STATE_HOME/seventhings/applied/INSTANCE/SET), or the same in
        C(~/.local/state). The last 20 of each set are kept, and at most 200 MiB of each set.
      - It is compressed JSON and holds personal data. Never cache it. Keep it as a protected artifact of the CI job,
        and let the platform delete it after some weeks. A file in or below the directory of the O(journal) is refused
        before anything is written.
      - The record is written before the first request, and again with what became of each change. A run that finishes
        an interrupted one continues its record. If nothing changes, none is written.
      - Of values that are vaulted or named by O(hide) it has fingerprints, from which nobody can tell the values. They
        can't be undone.
      - If the default place can't be written and this is not set, the plan begins with C(no apply record is kept) and
        the reason. A run with O(twin_of) keeps a record only if this is set.
    type: path
  applied:
    description:
      - >-
        The apply record to undo. V(last) is the newest one at the default place, of the set that O(src) names, or else
        of any set of the instance. Anything else is the path of a file.
      - An undo writes a record of its own, which V(last) then means. A second undo of the same file changes nothing.
      - An interrupted undo is finished by the same task. V(last) still means the record that it was undoing.
      - The file must belong to the user who runs this, be writable by nobody else, be no link, and have no second name.
        It is refused if it is of another instance, or if the journal of its set has another C(set_id).
      - >-
        These come back. The value before of each field that an update changed, records that were archived or deleted,
        field definitions that were changed, and offers on the hub. A record that was created is archived if its kind
        can be archived, else deleted.
      - Users and new field definitions stay. A record that was deleted is created anew, with another UUID and without
        its history, and references to it are set by name. An archived record that the apply brought back is archived
        again with its new values, and an archived record that was deleted is not created again. A room, location or
        person stays if a created record that is archived refers to it. The values of a choice that was removed from a
        definition are gone.
      - A created record is only removed if it still is as the apply wrote it, if nothing refers to it, and if the
        journal knows that this set created it, or O(record_digest) approves the record.
      - Required with O(mode=undo), and not used otherwise.
    type: str
  changed_since:
    description:
      - With O(mode=undo), what to do with a field that somebody changed since the apply.
      - >-
        V(skip): It stays, and a warning names it.
      - >-
        V(refuse): Nothing is undone.
      - >-
        V(force): It gets the value that it had before the apply. Created records that were changed are not removed.
    type: str
    choices: [skip, refuse, force]
    default: skip
  record_digest:
    description:
      - SHA-256 of the apply record that was looked at and approved, as RV(apply_record_digest) of the apply says. Any
        other O(applied) is refused.
      - Lets O(mode=undo) remove created records that the journal does not know, for example on another machine.
    type: str
  twin_of:
    description:
      - Where a twin is connected (see the option O(community.seventhings.instance_export#module:twin)), the root of the
        instance that it was made of, such as V(https://acme.seventhings.com). The journal of that instance then says
        which records belong to this set, so that the plan on the twin is the plan on the instance. The journal is only
        read. What is done on the twin is noted nowhere.
      - It allows no other connection. Where the files name the instance, O(expect_instance) must name the twin.
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
      - For files that strangers may change, as in a pull request. O(limits), O(prune), O(create_users),
        O(allow_destructive) and O(expect_instance) must all be given then, so that no file decides about them. A
        missing one is named before anything is read or sent.
      - A O(src) that is a link is refused. See O(src_below), too.
      - A limit that O(limits) does not name is at most its default then, and a section that O(prune) does not name is
        only reported. O(limits) and O(prune) may be V({}).
      - Concerns O(mode=apply) and O(mode=undo), in check mode too.
    type: bool
    default: false
  rules:
    description:
      - Files with rules that records and changes must keep, whatever the other files say. See
        R(the guide,ansible_collections.community.seventhings.docsite.guide_rules).
      - Each is a YAML file with a list C(rules). A rule has an C(id), C(for) (a section, or C(changes)), C(when) and
        C(require) (JSON Schemas, draft 2020-12), C(level) (C(error) by default, or C(warning)) and C(because).
      - A record is judged as it will be after the apply, with references as natural keys. A field without a value is
        missing from it. Whatever breaks a rule of the level C(error) is a finding with the file, line and column of the
        value, and nothing is sent. No finding quotes a value.
      - With O(mode=drift) the records of the instance are judged as they are, too, those in no file among them.
      - With O(mode=validate) a rule is judged if the files alone decide. A warning says what was not judged.
      - With O(protected) a file inside of O(src) is refused, and without O(rules_digest) also a file inside of
        O(src_below), or beside a O(src) that is a file.
      - Not used with O(mode=render).
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
      - What to do with records that belong to this set and are in no file any more, by section. V(report), V(delete) or
        V(archive).
      - The most that C(policy.prune) of C(instance.yml) may ask for. Of both the weaker one counts, from V(report) over
        V(archive) to V(delete). Where only one of them names a section, that counts, and where neither does, the
        records are reported.
      - A room, a location or a person to which anything refers that the same run neither moves nor deletes is not taken
        away. That is a finding, which names what refers to it, and nothing is sent. The objects are listed for it, and
        archived objects that the files name are looked up. A warning says that other archived objects may refer to it.
      - Where C(instance.yml) names no C(set), records are only reported, and a warning says so.
    type: dict
  limits:
    description:
      - Limits, by name. C(create_percent) (30) and C(update_percent) (30) are percent of the records of a section in
        scope. C(delete_percent) (10) is percent of these, and also of the records of the set, which are those that the
        files name and those that the journal or the marker field knows. Each holds once there are C(from_existing) (10)
        records to count of, so that an empty instance can be filled.
      - C(creates), C(updates) and C(deletes) (none) are numbers of records of a section. Archiving is deleting here.
        C(users) (10) is the number of users that one run may make.
      - Limits hold on the first run too, when nothing is known of the set. A first run in an instance that others
        filled may need a higher C(create_percent).
      - If one field changes in more than 100 records, and in more than C(update_percent) of the set, the plan begins
        with a warning. See RV(cautions).
      - Limits in percent do not hold for O(mode=undo). Numbers do.
      - The most that C(policy.limits) of C(instance.yml) may set. Of both the smaller number counts. Where only one of
        them names a limit, that counts.
    type: dict
  create_users:
    description:
      - Whether users may be made. A new user gets an e-mail.
      - V(false) forbids it, whatever the files say. V(true) makes them unless C(policy.create_users) of C(instance.yml)
        is V(false). If not given, C(policy.create_users) decides, and without it no user is created.
    type: bool
  observed:
    description:
      - Fields that scans or people write, so that files must not. A map of sections to lists of field keys or labels.
        An empty list says that nothing of that section is observed.
      - A section that neither this option nor C(observed) of C(instance.yml) names is as the instance says. Observed is
        the actual room of an object, if a FIELD_VALUE_COMPARISON field compares it with another room, and the location
        that goes with it. If no field compares two rooms, C(actual_room) and C(actual_building) are observed, provided
        that the files, or a record on the first page of the list, use C(target_room).
      - A plan leaves observed fields out, also of new records, and so do O(mode=drift), exports and
        M(community.seventhings.instance_absorb). Files that write one get a warning. It is a finding if this option or
        C(instance.yml) names the field. C(scope), filters, the inventory and the lookup still read these fields.
      - The fields of this option and those of C(instance.yml) count together. With O(protected), files can only add
        fields, and this option alone says that nothing is observed.
    type: dict
  workers:
    description:
      - How many requests may be under way at once. All share one token and one rate limit.
    type: int
    default: 8
  hide:
    description:
      - Fields, by their keys or labels, whose values are shown as V((vaulted\)), in whatever section and file they
        stand. Name them as they are written.
      - A vaulted value is known as one only where it is passed as it is. For what a template makes of one, and for
        values of a variable file that is vaulted as a whole, name the field here.
      - Below ansible-core 2.19 a template of a vaulted variable gives plain text. There this option is required with
        O(desired) if Ansible has a vault password; write V([]) if O(desired) has no vaulted value.
    type: list
    elements: str
    default: []
  show_vaulted:
    description:
      - Show what is vaulted or named by O(hide) in findings, plans, reports and messages all the same, and let
        O(mode=render) write it in clear.
      - The journal and the plan file never hold it.
    type: bool
    default: false
  formulas:
    description:
      - The meaning of an apostrophe in a cell of a CSV file, or in the name of a column.
      - >-
        V(escape): It is not part of the text at the start of a cell before C(=), C(+), C(-), C(@), a tab, the end of a
        line or another apostrophe, and behind a C(;), a comma, a C(|), a tab or the end of a line before one of these
        signs. Exports write it there, so that no spreadsheet runs the text. Anywhere else it belongs to the text.
      - >-
        V(keep): It belongs to the text.
    type: str
    choices: [escape, keep]
    default: escape
  stale:
    description:
      - The action for a record that has changed since O(plan_file) was made.
      - >-
        V(refuse): Nothing is applied.
      - >-
        V(skip): The change is left out, and a warning says so.
    type: str
    choices: [refuse, skip]
    default: refuse
  assume_archived:
    description:
      - Take an object that is found by its barcode, and that no list shows, to be archived, where the instance sends no
        C(archived_at). It may as well be hidden from this account, so that it is a finding without this option.
    type: bool
    default: false
  archived_duplicates:
    description:
      - How many of the records that would be created are looked up in the archive. No list shows an archived record.
        An object is looked up by its barcode, with one request. A record that is found is planned as C(unarchive and
        update).
      - A lookup of a listed object comes first. If the instance has no such lookup, nothing else is asked.
      - A warning says how many barcodes were not checked. A service that accepts duplicates creates a second object
        for an archived one among these, unless the O(profile) says that it refuses duplicates. If the service refuses
        one, that record fails, the journal notes it, and the next plan looks it up.
      - An apply of a O(plan_file) looks nothing up again.
      - >-
        V(trust_service): Up to 40 records of a section are looked up, up to 200 in a real run, and in check mode if
        O(plan_file) is written. Of more than that, 40 are.
      - >-
        V(check): All are looked up. 10,000 objects take 50 minutes.
    type: str
    choices: [trust_service, check]
    default: trust_service
  confirm_empty:
    description:
      - Accept that a source holds no records any more. A source is a file, a sheet of a workbook, a section of a single
        file or of O(desired). If the journal knows that it held records when it was applied last, and it is empty or
        missing now, or has a suffix that is not read, that is a finding without this option, unless other sources of
        the section gained as many records. A section that O(desired) leaves out is not missing. Files without C(set)
        are not compared.
      - Let O(prune) take away all records of a section that the files leave empty.
    type: bool
    default: false
  limited_account:
    description:
      - Accept that this account may not see all records. The access of a user may be limited to locations.
      - A record that another one refers to, that can be read, that is not archived and that no list shows proves that
        the lists are not whole. So does the O(profile), unless the lists prove the opposite. Without this option
        nothing is deleted or archived then, unless C(scope) bounds the section, and with O(protected) not even then. No
        object is created by a natural key that need not be unique. Other records are created, with one warning. See
        RV(hidden_records).
      - A link that leads to a record which no list shows is not changed to a record that the plan creates, whether or
        not anything is proven. It may be the same one.
      - Only the task decides. No file can set this.
    type: bool
    default: false
  allow_destructive:
    description:
      - Let field definitions change their type and lose values that records use.
      - Where the type of a field changes, the service may empty it. So the values of the files are sent in the same
        run.
      - No file can allow this.
    type: bool
    default: false
  drift_fail:
    description:
      - Fail in check mode, and with O(mode=drift), where something would be changed. For jobs that only look.
    type: bool
    default: false
  plan_follows:
    description:
      - With O(mode=validate), do not warn of fields whose types only the instance tells. For jobs in which a
        plan, which judges them, comes next.
    type: bool
    default: false
  expect_instance:
    description:
      - Roots of the instances that may be changed, instead of those in C(instance.yml). If both share some, only
        those count.
      - If not given, or V([]), what C(instance.yml) says counts.
      - A plan in O(plan_file) is for the one instance that it was made from, whatever stands here.
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
  - A run reads one list of each kind that is written or referred to, with one page for every 1000 records, and three
    lists of field definitions. A change takes one request. A new attachment takes one more, however many records name
    it. A field definition, task or rental case takes two more. If the instance does not say how many records there are,
    a list of several pages is read twice before a missing record is created. O(archived_duplicates) says how many
    records are looked up in the archive.
  - Records are found by their natural key, as in the modules for single records. C(identity) in C(instance.yml) names
    other fields.
  - Ansible prints everything that a failed task returns. So a failed task returns at most one screen of text, with the
    reason at the end of RV(msg). A O(report) as V(.json) has everything. In a C(rescue), C(ansible_failed_result) has
    what the task returned.
  - Text from a file or from the service is shown on one line. Control characters and invisible characters are shown as
    escapes.
  - New users get an e-mail. They are only created with O(create_users), or with C(create_users) in the C(policy) of
    C(instance.yml). Without it, records that need a missing user are skipped, and a warning names them.
  - The author of the files may be somebody else than the author of the task. What the task says of O(limits), O(prune),
    O(create_users), O(allow_destructive) and O(expect_instance) is the most that files may ask for. They may ask for
    less.
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
- name: Judge the files without a connection
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

- name: Plan files that strangers may have changed, with all that they may ask for
  community.seventhings.instance:
    src: acme
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

- name: Apply what the files say
  community.seventhings.instance:
    src: acme
    report: report.html

- name: Look at what an undo of the last apply would do
  community.seventhings.instance:
    mode: undo
    applied: last
  check_mode: true
  when: go_back | default(false)

- name: Undo an apply from its record, and refuse if somebody changed any of it since
  community.seventhings.instance:
    mode: undo
    applied: /srv/records/2026-11-24.json.gz
    changed_since: refuse
  when: go_back | default(false)

- name: Apply what all sites have in common, and what differs in Berlin
  community.seventhings.instance:
    src: [base, overlays/berlin]
    variables:
      city: Berlin

- name: Look at what the layers come to, and compare it with what it was
  community.seventhings.instance:
    mode: render
    src: [base, overlays/berlin]
    variables:
      city: Berlin
    dest: rendered/berlin

- name: Fail where somebody changed the instance behind the files' back
  community.seventhings.instance:
    src: acme
    mode: drift
    drift_fail: true

- name: Report objects that are in no file any more, and let files take away at most 5 percent of the others
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
    - Of a task that succeeded all changes with their fields, then the counts, and in the last line what it came to.
    - Of a task that failed a few lines, and in the last one why.
  returned: always
  type: str
  sample: changed, 14 requests, 1.8 s
outcome:
  description:
    - What it came to. The last three fail the task. With O(mode=drift) they say that the records could not be compared.
    - V(unchanged), nothing differs. V(changed), everything was applied (in check mode, would be).
    - V(drift), with O(mode=drift) something differs.
    - V(failed), nothing was applied, because of RV(findings) or because every change failed.
    - V(refused), a limit, a stale plan, the guard or the journal held. V(partly_applied), some changes failed.
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
    - Section to counts of records. In check mode, what would be done. With O(mode=render) the number of its records.
  returned: O(mode=apply), O(mode=undo), O(mode=drift) or O(mode=render)
  type: dict
  sample:
    objects: {created: 2, updated: 1, deleted: 0, archived: 0, unchanged: 997, errors: 0, skipped: 0}
changes:
  description:
    - Every change, first what others depend on. They are applied in this order. What is taken away goes after the
      others, in the opposite order, or earlier where a value of it that must be unique has to become free.
  returned: >-
    O(mode=apply), O(mode=undo) or O(mode=drift), if the task did not fail or a screen has room; else only
    in a O(report) as V(.json)
  type: list
  elements: dict
  contains:
    section:
      description: The section.
      type: str
    key:
      description: The natural key; V((vaulted\)) and the place where that is vaulted.
      type: str
    action:
      description: V(create), V(update), V(delete) or V(archive).
      type: str
    note:
      description:
        - What the action takes beside the fields. V(unarchive and update) or V(unarchive) for an archived record that
          is brought back, V(may need unarchiving) for one that is deleted from the archive.
        - With O(mode=drift), V(was created by this set and deleted in the application) if that is proven. Else empty.
      type: str
    uuid:
      description: UUID of the record. Null if it does not exist yet.
      type: str
    before:
      description: The fields that change, by their keys, as they are. A record that is referred to has its natural key.
      type: dict
    after:
      description: The fields that change, by their keys, as they are written.
      type: dict
    labels:
      description: The labels of these fields, by their keys.
      type: dict
    status:
      description:
        - V(done), V(failed), V(skipped) because something that it needs was not made, or V(not_tried) because the run
          stopped before it. In a plan, and after a refusal, every change is V(not_tried).
      type: str
    reason:
      description: Why it failed, was skipped or was not tried. Empty in a plan, and where it was done.
      type: str
    name:
      description: The name of the record for people. Empty if it has none or is hidden.
      type: str
    removed:
      description:
        - What goes with a record that is deleted or archived, such as C(room), C(person), C(value), C(attachments) and
          C(history). C(not looked up) stands for links whose lists no part of the plan needed. Empty for other changes.
      type: dict
    place:
      description: Where it is written.
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
dest:
  description:
    - The directory that was rendered to.
  returned: O(mode=render)
  type: str
  sample: /srv/acme/rendered/berlin
files:
  description:
    - The files below O(dest) that were C(written) or C(removed), by their paths. In check mode, those that would be.
      C(unchanged) is the number of the others.
  returned: O(mode=render)
  type: dict
  sample: {written: [locations.yml], removed: [], unchanged: 18}
forecast:
  description:
    - What an apply takes where nothing fails. C(requests) counts them, those of planning included.
    - C(minutes) says how long they take at O(rate_limit); null if there is no limit. If the task
      failed, it is only in a O(report) as V(.json).
  returned: O(mode=apply), O(mode=undo) or O(mode=drift)
  type: dict
  sample: {requests: 1044, minutes: 5.2}
made_by:
  description:
    - The name of the set, the time (UTC), who ran this on which machine, the version of the collection, and the host
      of the inventory, which is empty for V(localhost). It stands in the titles of reports. If the task failed, all
      of it is only in a O(report) as V(.json).
  returned: O(mode=apply), O(mode=undo) or O(mode=drift)
  type: dict
  sample: {set: acme, date: "2026-11-22T09:00:00Z", user: deploy@runner-1, version: 1.0.0, host: ""}
failures:
  description:
    - The records that failed, and those that were skipped because of them. As many as a screen takes, all of them in a
      O(report) as V(.json).
  returned: O(mode=apply), O(mode=undo) or O(mode=drift)
  type: list
  elements: dict
  contains:
    change:
      description: The record.
      type: str
    place:
      description: Where it is written.
      type: str
    reason:
      description: Why it was not made so.
      type: str
  sample: []
refusals:
  description:
    - Why nothing was applied, and how to let this one pass. As many as a screen takes, all of them in a
      O(report) as V(.json).
  returned: O(mode=apply), O(mode=undo) or O(mode=drift)
  type: list
  elements: str
  sample:
    - "objects: delete 12 of 40 records is more than limits.delete_percent (10 %); a higher limits.delete_percent lets
      this pass"
findings:
  description:
    - The mistakes in the files, each with its file, line and column, or with its sheet and cell. Where there is any,
      nothing was sent.
    - A mistake in many cells of a column of a table is one entry with the first of its places.
      RV(every_finding) has all of them.
    - As many as a screen takes, all of them in a O(report) as V(.json).
  returned: success or failure
  type: list
  elements: str
  sample:
    - "objects/it.yml:12:3: target_room: there is no room 'Head office/0.21'; the nearest are 'Head office/0.12'"
cautions:
  description:
    - The warnings to read before anything else. Every report begins with them. If the task
      failed, they are only in a O(report) as V(.json).
  returned: O(mode=apply), O(mode=undo) or O(mode=drift)
  type: list
  elements: str
  sample: []
scan_codes:
  description:
    - The labels of objects, if C(scan_codes) is set in C(instance.yml). Empty if it is not, and for an instance without
      objects.
  returned: O(mode=apply), O(mode=undo) or O(mode=drift)
  type: dict
  contains:
    attached:
      description: Rows whose object has a scan code that is no placeholder.
      type: int
    total:
      description: Rows of objects.
      type: int
    differ:
      description:
        - Objects with another scan code than the files have. M(community.seventhings.instance_absorb) writes it.
      type: int
  sample: {attached: 412, total: 3000, differ: 3}
hidden_records:
  description:
    - Whether records are hidden from this account, as far as the lists show that were read.
    - V(yes) if one is proven, or if the O(profile) says so and the lists do not prove the opposite. Up to 20 records
      that others refer to, and that no list shows, are read for that. V(no)
      if the account sees an object in each location that has rooms, and the objects, rooms and locations were listed.
      Else V(unknown), also if the plan neither removes records nor creates objects, tasks or the like.
  returned: O(mode=apply), O(mode=undo) or O(mode=drift)
  type: str
  sample: "no"
moves:
  description:
    - Records that change their room or location, counted from place to place, the largest number first. If the task
      failed, they are only in a O(report) as V(.json). So are RV(money), RV(persons) and RV(mails).
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
      description: Name of the place that the records leave. Null if they have none.
      type: str
    to:
      description: Name of the place that the records get. Null if they lose theirs.
      type: str
    count:
      description: Number of records.
      type: int
  sample:
    - {section: objects, field: target_room, from: Head office/0.12, to: Head office/0.13, count: 12}
money:
  description:
    - The totals of each MONEY field over all records that change. A new record has no amount before, and a record that
      is deleted or archived has none after. Fields with hidden values are left out.
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
    - What of the plan can't be undone, and what only in part. Empty if all of it can be, and for a drift.
      If the task failed, it is only in a O(report) as V(.json).
  returned: O(mode=apply), O(mode=undo) or O(mode=drift)
  type: str
  sample: "cannot be undone: 1 user; only in part: 3 deletions"
every_finding:
  description:
    - Each mistake with its place, where RV(findings) tells several as one; else empty. If the
      task failed, it is only in a O(report) as V(.json).
  returned: O(mode=apply), O(mode=undo) or O(mode=drift)
  type: list
  elements: str
  sample: []
reported:
  description:
    - Section to natural keys of records that are in no file and were left alone.
  returned: >-
    O(mode=apply), O(mode=undo) or O(mode=drift), if the task did not fail or a screen has room; else only
    in a O(report) as V(.json)
  type: dict
  sample:
    rooms: [Workshop/0.99]
brief:
  description:
    - What the changes mean and their counts, a line each, for a task that prints them. Warnings and the changes
      themselves are left out, because Ansible prints the warnings, and the changes with C(--diff). RV(msg) has all. Not
      returned if the task failed.
  returned: O(mode=apply), O(mode=undo) or O(mode=drift)
  type: list
  elements: str
  sample: ["objects: 1 updated, 999 unchanged", "changed, 12 requests, 1.2 s"]
diff:
  description:
    - The changed records, for C(--diff). A plan has those that would change, an apply those that were changed.
    - The first 1,000 records, those that are removed first. RV(changes) has all.
    - With O(mode=drift), C(before) has what the files say, and C(after) what the instance has.
  returned: O(mode=apply), O(mode=undo), O(mode=drift) or O(mode=render)
  type: dict
  contains:
    before:
      description: Lines with each record and its fields as they are. With O(mode=render) the names of files.
      type: str
    after:
      description: Lines with each record and its fields as they will be. With O(mode=render) the names of files.
      type: str
    before_header:
      description: V(instance), or with O(mode=drift) V(files). Not returned with O(mode=render).
      type: str
    after_header:
      description: V(files), or with O(mode=drift) V(instance). Not returned with O(mode=render).
      type: str
    account:
      description:
        - Of a task that failed all that it would have returned, such as RV(changes), RV(summary) and RV(reported), in
          full.
      type: dict
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
    - SHA-256 of the O(plan_file) that was written, or that is applied. Empty if there is none.
  returned: O(mode=apply), O(mode=undo) or O(mode=drift)
  type: str
  sample: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
requests:
  description:
    - How many requests were sent, login and repeats included.
  returned: O(mode=apply), O(mode=undo) or O(mode=drift)
  type: int
  sample: 14
duration:
  description:
    - Seconds that it took.
  returned: O(mode=apply), O(mode=undo) or O(mode=drift)
  type: float
  sample: 1.842
"""

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.argument_specs import INSTANCE


def main() -> None:
    module = AnsibleModule(
        argument_spec=INSTANCE,
        required_one_of=[("src", "desired", "plan_file", "applied")],
        required_if=[("mode", "render", ("dest",)), ("mode", "undo", ("applied",))],
        supports_check_mode=True,
    )
    module.fail_json(msg="community.seventhings.instance runs on the controller, through the action of the same name.")


if __name__ == "__main__":
    main()
