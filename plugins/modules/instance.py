#!/usr/bin/python
# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

DOCUMENTATION = r"""
module: instance
short_description: Plan and apply a whole instance from files
version_added: 1.0.0
description:
  - Applies a directory of YAML, CSV and JSON Lines files and workbooks to an instance, with thousands of records in one
    task.
  - Check mode is the plan. It shows every change with the current and the new value of its fields, and sends no write.
  - Only what the files contain is managed. A field that the files leave out does not change, and V(null) clears a
    field. A record that is in no file stays unless O(prune) says otherwise.
  - The directory contains C(instance.yml), and a file or a directory for each section. C(moved.yml) lists natural keys
    that were renamed. See the guide R(The instance as
    code,ansible_collections.community.seventhings.docsite.guide_instance).
  # generated: files
  - Its sections are C(fields), with one file for each template, and C(locations), C(rooms), C(persons), C(users),
    C(objects), C(tasks), C(rental_cases), C(catalog) and C(hub).
  # end of files
  - Files are plain data. Templates, tags and inline vaulted values in them are errors. A file of records, or
    C(moved.yml), may be vaulted as a whole, and none of its values is shown. See O(hide) and O(show_vaulted). Put
    computed values in O(desired).
options:
  prune:
    description:
      - What to do with records that belong to this set and are no longer in any file. A map of section to V(report),
        V(delete) or V(archive).
      - If C(policy.prune) in C(instance.yml) names a section too, the weaker action applies, in the order V(report),
        V(archive), V(delete). If neither does, or if C(instance.yml) names no C(set), records are only reported.
    type: dict
  notify:
    description:
      - Whether tasks may notify their assignees, if C(policy.notify) in C(instance.yml) asks for it. The default is
        V(true), or V(false) with O(protected).
    type: bool
  allow:
    description:
      - What this run may do besides. No file can allow it.
      - >-
        V(users): Create users, who get an e-mail. C(policy.create_users) V(false) in C(instance.yml) still forbids it.
      - >-
        V(destructive): Change the type of a field definition, or remove values that records use.
      - >-
        V(empty_sources): Accept that a source which had records in the last apply is empty or missing, and let pruning
        remove all records of a section.
      - >-
        V(limited_account): Remove records, or risk duplicates, although records are hidden from this account.
      - >-
        V(assumed_archived): Count an unlisted record that its key finds as archived, if the instance does not say so.
      - >-
        V(similar_names): Accept new names that look like those of other records. Otherwise each is a finding.
    type: list
    elements: str
    choices: [users, destructive, empty_sources, limited_account, assumed_archived, similar_names]
  archived_lookups:
    description:
      - How many of the records to create are looked up in the archive, because no list shows archived records. If an
        archived record is found, the plan is C(unarchive and update). A warning says how many were not looked up.
      - >-
        V(sample): Up to 40 records of a section, or 200 in a real run and if O(plan_file) is written. If there are
        more, 40 of them.
      - >-
        V(all): All records, which takes one request for each.
    type: str
    choices: [sample, all]
    default: sample
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
  - jsonschema >= 4.21 (for O(rules))
notes:
  - Sends one request for every 1,000 records of each list that the files need, and one for each change.
seealso:
  - module: community.seventhings.instance_validate
  - module: community.seventhings.instance_drift
  - module: community.seventhings.instance_undo
  - module: community.seventhings.instance_export
extends_documentation_fragment:
  - community.seventhings.set_files
  - community.seventhings.set_report
  - community.seventhings.set_run
  - community.seventhings.set_rules
  - community.seventhings.set_selection
  - community.seventhings.set_apply
  - community.seventhings.connection
  - community.seventhings.attributes
  - community.seventhings.attributes_controller
author:
  - Contributors to the community.seventhings collection (@ansible-collections)
"""

EXAMPLES = r"""
---
- name: Show what an apply would change
  community.seventhings.instance:
    src: acme
  check_mode: true

- name: Apply the files
  community.seventhings.instance:
    src: acme
    report: report.html

- name: Keep a plan, and write it for a comment on a pull request
  community.seventhings.instance:
    src: acme
    report: [plan.html, plan.md]
    plan_file: acme.plan
  check_mode: true
  register: planned

- name: Apply exactly what was approved
  community.seventhings.instance:
    src: acme
    plan_file: acme.plan
    plan_digest: "{{ planned.plan_digest }}"

- name: Plan files that strangers may have changed, with limits for all that they may ask for
  community.seventhings.instance:
    src: acme
    src_below: .
    protected: true
    expect_instance: ["{{ seventhings_base_url }}"]
    limits: {creates: 200}
    prune:
      objects: report
    allow: []
  check_mode: true

- name: Apply a base for all sites, and an overlay for Berlin
  community.seventhings.instance:
    src: [base, overlays/berlin]
    variables: {city: Berlin}

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
    - All changes with their fields, then the counts, and the outcome in the last line. If the task failed, at most a
      screen of text, and the reason in the last line. A O(report) as V(.json) has everything.
  returned: always
  type: str
outcome:
  description:
    - V(unchanged) means that nothing differs. V(changed) means that everything was applied (in check mode, would be
      applied), and V(partly_applied) that some changes failed.
    - V(failed) means that nothing was applied, because of RV(findings) or because every change failed. V(refused) means
      that a limit, a stale plan, the guard or the journal stopped the run.
  returned: always
  type: str
instance:
  description:
    - Root of the instance.
  returned: always
  type: str
check_mode:
  description:
    - Whether this was only a plan.
  returned: always
  type: bool
summary:
  description:
    - A map of section to counts of records. In check mode, it counts what would be done.
  returned: if the task did not fail or changed something
  type: dict
  sample:
    objects: {created: 2, updated: 1, deleted: 0, archived: 0, unchanged: 997, errors: 0, skipped: 0}
sides:
  description:
    - Number of changes of each side.
  returned: if the task did not fail
  type: dict
changes:
  description:
    - Every change, in the order in which the changes are applied.
  returned: >-
    if the task did not fail;
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
    name:
      description: The display name of the record, if it has one.
      type: str
    uuid:
      description: UUID of the record. Null if it does not exist yet.
      type: str
    action:
      description: V(create), V(update), V(delete) or V(archive).
      type: str
    note:
      description: What the action includes besides the fields, such as V(unarchive and update).
      type: str
    before:
      description: The fields that change, by their keys, with their current values. A referenced record is shown as its
        natural key.
      type: dict
    after:
      description: The fields that change, by their keys, with their new values.
      type: dict
    sides:
      description: Who changed each field, V(files), V(application), V(both) or V(unknown).
      type: dict
    edited:
      description: Who edited it in the application (C(by), C(ago)).
      type: dict
    labels:
      description: The labels of these fields, by their keys.
      type: dict
    status:
      description: V(done), V(failed), V(skipped) or V(not_tried).
      type: str
    reason:
      description: Why the change failed, was skipped or was not tried.
      type: str
    removed:
      description: What a record to delete or archive has, such as C(room) and C(value), and what a deletion loses.
      type: dict
    place:
      description: The place in the files.
      type: str
failures:
  description:
    - The records that failed, and the records that were skipped because of them, each with C(change), C(place) and
      C(reason). If the task failed, this list, RV(refusals) and RV(findings) have their first entries. A O(report) as
      V(.json) has all of them.
  returned: always
  type: list
  elements: dict
refusals:
  description:
    - Why nothing was applied, and how to allow it.
  returned: always
  type: list
  elements: str
  sample:
    - "objects: delete 12 of 40 records is more than limits.delete_percent (10 %); a higher limits.delete_percent of the
      task lets this pass"
findings:
  description:
    - The mistakes in the files, each with its file, line and column, or with its sheet and cell. If there are findings,
      nothing was sent. A mistake in many cells of a table column is one entry with its first places.
  returned: success or failure
  type: list
  elements: str
  sample:
    - "objects/it.yml:12:3: target_room: there is no room 'Head office/0.21'; the nearest are 'Head office/0.12'"
every_finding:
  description:
    - Each mistake with its place, if RV(findings) combines several mistakes into one entry. If the task failed, this
      and the following values up to RV(undo) are only in a O(report) as V(.json).
  returned: if the task did not fail
  type: list
  elements: str
cautions:
  description:
    - The warnings to read first. Every report begins with them.
  returned: if the task did not fail
  type: list
  elements: str
forecast:
  description:
    - What an apply needs at least. C(requests) are those for planning, and one for each change. C(minutes) is null if
      there is no O(rate_limit).
  returned: if the task did not fail
  type: dict
made_by:
  description:
    - The set, the time (UTC), the user and the machine, the version of the collection, and the host of the inventory.
  returned: if the task did not fail
  type: dict
moves:
  description:
    - How many records change their room or location, from each place to each place, with C(section), C(field), C(from),
      C(to) and C(count).
  returned: if the task did not fail
  type: list
  elements: dict
money:
  description:
    - The totals of each MONEY field over all records that change, with C(section), C(field), C(before), C(after) and
      C(count). Fields with hidden values are left out.
  returned: if the task did not fail
  type: list
  elements: dict
persons:
  description:
    - Persons and users who become responsible for records, or no longer are, with C(person), C(section), C(gains) and
      C(loses).
  returned: if the task did not fail
  type: list
  elements: dict
mails:
  description:
    - Records that make the instance send e-mail, with C(section), C(count), and the recipients C(to) as far as they are
      known.
  returned: if the task did not fail
  type: list
  elements: dict
undo:
  description:
    - Which changes of the plan can't be undone, and which only in part. Empty if all of them can be undone.
  returned: always
  type: str
scan_codes:
  description:
    - If C(scan_codes) is set in C(instance.yml), the number of rows of objects (C(total)), of those with labels
      (C(attached)), and of objects whose code differs from the files (C(differ)).
  returned: if the task did not fail
  type: dict
hidden_records:
  description:
    - Whether records are hidden from this account, as far as the lists that were read show it. V(yes), V(no) or
      V(unknown).
  returned: always
  type: str
reported:
  description:
    - A map of section to natural keys of records that are in no file and were not changed.
  returned: >-
    if the task did not fail;
    else only in a O(report) as V(.json)
  type: dict
tables:
  description:
    - A map of table to reason to rows of tables of other systems that are not used as they were written, and to records
      that left a table, each with its C(scan_code), C(name), C(value), C(place) and more. The reasons are C(left),
      C(restored), C(archived), and the settings C(unknown_rows), C(empty_keys), C(repeated_keys) and C(unknown_values).
  returned: if the task did not fail
  type: dict
never_in_a_table:
  description:
    - A map of section to the number of records that are in no file and were in no such table.
  returned: if the task did not fail
  type: dict
brief:
  description:
    - What the changes mean, and their counts, in one line each, for a task that prints them. Not returned if the task
      failed.
  returned: always
  type: list
  elements: str
  sample: ["objects: 1 updated, 999 unchanged", "changed, 12 requests, 1.2 s"]
diff:
  description:
    - The changed records as texts for C(--diff), equal changes together, with the first 20 of each group.
  returned: always
  type: dict
apply_record:
  description:
    - The file with the apply record of this run. Empty if none was written.
  returned: always
  type: str
apply_record_digest:
  description:
    - SHA-256 of RV(apply_record), for O(community.seventhings.instance_undo#module:record_digest).
  returned: always
  type: str
plan_digest:
  description:
    - SHA-256 of the O(plan_file) that was written or applied. Empty if the plan needs no approval.
  returned: always
  type: str
requests:
  description:
    - How many requests were sent, including logins and repeats.
  returned: always
  type: int
duration:
  description:
    - How many seconds the task took.
  returned: always
  type: float
"""
