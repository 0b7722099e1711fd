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
      - The directory with the files, or one file with the sections as its keys. The file may be a workbook (C(.xlsx)),
        which needs openpyxl on the controller.
      - A list of directories or files is a list of layers, from the first to the last. A later layer adds records, and
        its fields override those of the same record in an earlier layer. See R(the
        guide,ansible_collections.community.seventhings.docsite.guide_many).
      - The directory must not contain links. It may be a link itself, except in a protected run.
    type: raw
  src_below:
    description:
      - A directory that must contain O(src) and O(files_root) after all links are followed. If it does not, nothing is
        read.
      - A commit can replace the directory with a link. Set this option to the checkout if others can commit to it.
    type: path
  desired:
    description:
      - The desired state inline, with the sections as keys, for a playbook that computes it. It needs O(files_root) to
        name local files.
      - Can be combined with O(src). No record may be in both.
    type: dict
  variables:
    description:
      - Values of the variables that C(instance.yml) declares. They override the defaults. In the files, C(${name}) is
        replaced by the variable, and C(${$}) by a dollar sign.
      - A variable that is not used causes a warning. A vaulted value is refused, because plans would show it.
    type: dict
    default: {}
  files_root:
    description:
      - The directory that attachments come from. Whoever writes the files can upload everything in it, and nothing
        outside.
      - The default is O(src), or its directory if O(src) is a file. Keep such a file in its own directory, not beside a
        playbook and its secrets.
    type: path
"""

    REPORT = r"""
options:
  report:
    description:
      - Files for a report of what was planned, done or found. The suffix of each file selects its format.
      - V(.md) is for a comment on a pull request, V(.html) is a single page, and V(.csv) has a row for each field of
        each change. V(.sarif) has the findings, warnings and removals at their lines. V(.json) has everything that the
        task returns.
    type: list
    elements: path
    default: []
  hide:
    description:
      - Fields, by their keys or labels, whose values are shown as V((vaulted\)), in all sections and files.
      - A vaulted value is only recognised if it is passed unchanged. If a template computes a value from it, or if the
        value comes from a variable file that is vaulted as a whole, name the field here.
      - Before ansible-core 2.19, this option is required with O(desired) if Ansible has a vault password. Write V([])
        if O(desired) has no vaulted value.
    type: list
    elements: str
    default: []
  show_vaulted:
    description:
      - Show values that are vaulted or named by O(hide) in findings, plans, reports and messages.
      - From ansible-core 2.22 on, Ansible masks values that an earlier task of the same run hid.
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
        C(~/.local/state).
      - The journal notes what was sent and which records belong to this set, so that a run can finish an interrupted
        run, and pruning removes no records of others. Keep it between runs, as a cache of the CI job. It has no
        secrets. See R(the guide,ansible_collections.community.seventhings.docsite.guide_runs).
      - It is refused if others can write it, if it is a link or larger than 256 MiB, or if its C(set_id) is not that of
        C(instance.yml).
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
      - A record is checked as it will be after the apply. If it breaks a rule with the level C(error), that is a
        finding, and nothing is sent.
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
      - Sections (such as V(rooms)) or natural keys (such as V(Head office/0.12)). Nothing else is planned.
    type: list
    elements: str
    default: []
  exclude:
    description:
      - Sections or natural keys to leave out.
    type: list
    elements: str
    default: []
  observed:
    description:
      - Fields that scans or people write, so files must not write them. A map of sections to lists of field keys or
        labels. An empty list means that no field of that section is observed.
      - If neither this option nor C(observed) in C(instance.yml) names a section, the instance decides. See R(the
        guide,ansible_collections.community.seventhings.docsite.guide_labels).
      - The fields of both are combined. In a protected run, only this option can say that nothing is observed.
    type: dict
"""

    APPLY = r"""
options:
  plan_file:
    description:
      - The approval of a plan. Check mode writes it to this file, which only its owner can read. It has a digest for
        each change, and no value.
      - A real run makes the plan again, and executes the changes with the same digests. A change that was not approved
        is left out, and a warning says so. The file stays, and a second run with it changes nothing.
      - A real run refuses a missing file, and a file for another instance or set.
    type: path
  plan_digest:
    description:
      - SHA-256 of the approved O(plan_file), 64 hexadecimal digits. A plan shows it in RV(plan_digest), in its text
        and in the O(report).
      - A real run refuses any other O(plan_file). Without O(plan_file), the plan that it makes must have this digest.
        Check mode ignores this option.
      - Only this digest proves that nobody edited the file.
    type: str
  stale:
    description:
      - What to do with an approved change if its record, or what is wanted of it, has changed since the plan.
      - >-
        V(refuse): Nothing is applied.
      - >-
        V(skip): The change is left out, and a warning says so.
    type: str
    choices: [refuse, skip]
    default: refuse
  apply_record:
    description:
      - The file for the apply record of this run, so that M(community.seventhings.instance_undo) can undo it. Only its
        owner can read it.
      - The default is a new file in C($XDG_STATE_HOME/seventhings/applied/INSTANCE/SET), or the same in
        C(~/.local/state). The last 20 records of each set are kept.
      - It contains personal data. Keep it as a protected artifact of the CI job, and never cache it. A file in or below
        the directory of the O(journal) is refused.
    type: path
  protected:
    description:
      - Set this for files that strangers may change, as in a pull request. O(limits), O(allow) (which may be V([])),
        O(expect_instance), and C(prune) if the module has it, are then required, and O(src_below) with O(src).
      - A O(src) that is a link is refused. Records of a section that C(prune) does not name are only reported. Without
        C(notify), no assignee is notified.
    type: bool
    default: false
  limits:
    description:
      - Limits of the plan. A plan that exceeds one is refused. Files can only lower them.
      - C(create_percent) (30), C(update_percent) (30) and C(delete_percent) (10) are percentages of the records of a
        section in scope. C(delete_percent) also refers to the records of the set. They apply if there are at least
        C(from_existing) (10) records.
      - C(creates), C(updates) and C(deletes) (none) are numbers of records of a section, and C(users) (10) is the
        number of users that one run may create. Archived records count as deleted.
    type: dict
"""
