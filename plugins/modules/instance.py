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
  - Applies a directory of YAML, CSV and JSON Lines files and workbooks to an instance, with thousands of records in one
    task.
  - Check mode is the plan. It shows every change with the current and the new value of its fields, and sends no write.
  - Only what the files contain is managed. A field that the files leave out does not change, and V(null) clears a
    field. A record that is in no file stays unless O(prune) says otherwise.
  - The directory contains C(instance.yml) (the instance, policy and identity), and a file or a directory for each
    section. C(moved.yml) lists natural keys that were renamed. See R(the
    guide,ansible_collections.community.seventhings.docsite.guide_instance).
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
      - This option is the maximum for C(policy.prune) in C(instance.yml). The weaker of both actions applies, in the
        order V(report), V(archive), V(delete). If only one of them names a section, that action applies. If neither
        does, the records are reported.
      - A record that a remaining record refers to is not removed. That is a finding, and nothing is sent.
      - If C(instance.yml) names no C(set), records are only reported.
    type: dict
  notify:
    description:
      - Whether tasks may notify their assignees. Only C(policy.notify) in C(instance.yml) asks for it.
      - V(false) forbids it, whatever the files say. If this option is not set, the files decide, unless O(protected) is
        V(true).
    type: bool
  allow:
    description:
      - What this run may do besides. No file can allow it.
      - >-
        V(users): Create users. A new user gets an e-mail. C(policy.create_users) V(false) in C(instance.yml) still
        forbids it.
      - >-
        V(destructive): Change the type of a field definition, or remove values that records use. If the type changes,
        the service may clear the field, so the same run sends the values of the files again.
      - >-
        V(empty_sources): Accept that a source which had records in the last apply is empty, missing or not read,
        and let pruning remove all records of a section that the files leave empty.
      - >-
        V(limited_account): Accept that this account may not see all records. Without it, nothing is removed and no
        duplicate is risked if hidden records are proven.
      - >-
        V(assumed_archived): Count a record as archived if its key finds it, no list shows it, and the instance sends no
        C(archived_at). It could also be hidden from this account.
    type: list
    elements: str
    choices: [users, destructive, empty_sources, limited_account, assumed_archived]
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
  - A run reads one list of each kind that the files write or refer to, with one request for every 1000 records, and
    sends one request for each change.
  - A failed task returns at most one screen of text, with the reason at the end of RV(msg). A O(report) as V(.json) has
    the complete result.
seealso:
  - module: community.seventhings.instance_validate
  - module: community.seventhings.instance_drift
  - module: community.seventhings.instance_undo
  - module: community.seventhings.instance_export
  - module: community.seventhings.object
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
    src: acme
    src_below: .
    protected: true
    expect_instance: ["{{ seventhings_base_url }}"]
    limits:
      creates: 200
    prune:
      objects: report
    allow: []
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

- name: Apply a base for all sites, and an overlay for Berlin
  community.seventhings.instance:
    src: [base, overlays/berlin]
    variables:
      city: Berlin

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
    - The outcome. V(failed), V(refused) and V(partly_applied) fail the task. In a comparison they mean that the
      records could not be compared.
    - V(unchanged) means that nothing differs. V(changed) means that everything was applied (in check mode, would be
      applied).
    - V(drift) means that a comparison found something that differs.
    - V(failed) means that nothing was applied, because of RV(findings) or because every change failed.
    - V(refused) means that a limit, a stale plan, the guard or the journal stopped the run. V(partly_applied) means
      that some changes failed.
    - A change that the service accepted and that had no effect is a failed change. RV(failures) names it.
  returned: always
  type: str
  sample: changed
instance:
  description:
    - Root of the instance.
  returned: always
  type: str
  sample: https://acme.seventhings.com
check_mode:
  description:
    - Whether this was only a plan.
  returned: always
  type: bool
  sample: false
summary:
  description:
    - A map of section to counts of records. In check mode, it counts what would be done.
  returned: always
  type: dict
  sample:
    objects: {created: 2, updated: 1, deleted: 0, archived: 0, unchanged: 997, errors: 0, skipped: 0}
changes:
  description:
    - Every change, in the order in which the changes are applied. Changes that others depend on come first. Removals
      come last, in the opposite order. A removal comes earlier if it frees a unique value that another record needs.
  returned: >-
    if the task did not fail or the result fits on a screen;
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
        - In a comparison, V(was created by this set and deleted in the application) if that is proven. Otherwise
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
  returned: always
  type: dict
  sample: {requests: 1044, minutes: 5.2}
made_by:
  description:
    - The name of the set, the time (UTC), the user and the machine of the run, the version of the collection, and the
      host of the inventory, which is empty for V(localhost). Reports show it in their titles. If the task failed, it is
      only in a O(report) as V(.json).
  returned: always
  type: dict
  sample: {set: acme, date: "2026-11-22T09:00:00Z", user: deploy@runner-1, version: 1.0.0, host: ""}
failures:
  description:
    - The records that failed, and the records that were skipped because of them. The list has as many as fit on a
      screen. A O(report) as V(.json) has all of them.
  returned: always
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
  returned: always
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
  returned: always
  type: list
  elements: str
  sample: []
scan_codes:
  description:
    - How many objects have labels, if C(scan_codes) is set in C(instance.yml). Empty if it is not set, and for an
      instance without objects.
  returned: always
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
  returned: always
  type: str
  sample: "no"
moves:
  description:
    - How many records change their room or location, from each place to each place. The largest number comes first. If
      the task failed, RV(moves), RV(money), RV(persons) and RV(mails) are only in a O(report) as V(.json).
  returned: always
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
  returned: always
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
  returned: always
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
  returned: always
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
  returned: always
  type: str
  sample: "cannot be undone: 1 user; only in part: 3 deletions"
every_finding:
  description:
    - Each mistake with its place, if RV(findings) combines several mistakes into one entry. Otherwise empty. If the
      task failed, it is only in a O(report) as V(.json).
  returned: always
  type: list
  elements: str
  sample: []
reported:
  description:
    - A map of section to natural keys of records that are in no file and were not changed.
  returned: >-
    if the task did not fail or the result fits on a screen;
    else only in a O(report) as V(.json)
  type: dict
  sample:
    rooms: [Workshop/0.99]
brief:
  description:
    - What the changes mean, and their counts, in one line each, for a task that prints them. Warnings and the changes
      themselves are left out, because Ansible prints the warnings itself, and the changes with C(--diff). RV(msg) has
      everything. Not returned if the task failed.
  returned: always
  type: list
  elements: str
  sample: ["objects: 1 updated, 999 unchanged", "changed, 12 requests, 1.2 s"]
diff:
  description:
    - The changed records, for C(--diff). For a plan, these are the records that would change. For an apply, these are
      the records that changed.
    - At most 1,000 records, removed records first. RV(changes) has all of them.
  returned: always
  type: dict
  contains:
    before:
      description: Lines with each record and the current values of its fields.
      type: str
    after:
      description: Lines with each record and the new values of its fields.
      type: str
    before_header:
      description: V(instance).
      type: str
    after_header:
      description: V(files).
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
  returned: always
  type: str
  sample: /home/deploy/.local/state/seventhings/applied/acme.seventhings.com/acme/20261124T110000.000000Z.json.gz
apply_record_digest:
  description:
    - SHA-256 of RV(apply_record), for O(community.seventhings.instance_undo#module:record_digest). Empty if no record
      was written.
  returned: always
  type: str
  sample: 60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752
plan_digest:
  description:
    - SHA-256 of the O(plan_file) that was written or applied. Empty if the plan needs no approval.
  returned: always
  type: str
  sample: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
requests:
  description:
    - How many requests were sent, including logins and repeats.
  returned: always
  type: int
  sample: 14
duration:
  description:
    - How many seconds the task took.
  returned: always
  type: float
  sample: 1.842
"""

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.argument_specs import INSTANCE


def main() -> None:
    module = AnsibleModule(
        argument_spec=INSTANCE,
        required_one_of=[("src", "desired")],
        supports_check_mode=True,
    )
    module.fail_json(msg="community.seventhings.instance runs on the controller, through the action of the same name.")


if __name__ == "__main__":
    main()
