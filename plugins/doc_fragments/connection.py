# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documents the options by which a task, an inventory or a lookup reaches an instance.

``connection`` is for modules, ``connection.plugin`` for plugins that run on the controller. Both have the same options:
a module's text names the environment variables, a plugin declares them. ``connection.execution`` is for the modules
that can run in Ansible's worker.
"""

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  base_url:
    description:
      - Root of the instance, such as V(https://acme.seventhings.com). A C(/customer-api/v1) at its end is tolerated.
      - Required, here or in the environment.
      - If it is not set, the environment variable E(SEVENTHINGS_BASE_URL) or E(SEVENTHINGS_INSTANCE_URL) is
        read on the machine where the module runs.
    type: str
  access_token:
    description:
      - Access token to work with. It saves the login.
      - It is used until the instance refuses it. Then O(refresh_token) is tried, then O(username) and O(password).
        Where none of them is given, the error says so.
      - M(community.seventhings.auth_token) returns one.
      - If it is not set, E(SEVENTHINGS_TOKEN) is read from the environment where the module runs.
    type: str
  refresh_token:
    description:
      - Renews the access token, together with O(client_id). The newest pair is kept, for all processes of this
        user where O(token_cache) allows that.
      - This is how a user who signs in by SSO gets through a long run.
      - If it is not set, E(SEVENTHINGS_REFRESH_TOKEN) is read from the environment where the module runs.
    type: str
  username:
    description:
      - User to sign in with, together with O(password) and O(client_id).
      - A token that was obtained in this way is renewed when less than 60 seconds and less than a tenth of its life
        are left, and once when the instance refuses it.
      - If it is not set, E(SEVENTHINGS_USERNAME) is read from the environment where the module runs.
    type: str
  password:
    description:
      - Password of the user. Keep it in a vault, not in a playbook.
      - If it is not set, E(SEVENTHINGS_PASSWORD) is read from the environment where the module runs.
    type: str
  client_id:
    description:
      - Identifier of the client, from the integration settings of the instance. Every way to sign in, and to renew a
        token, needs it.
      - If it is not set, E(SEVENTHINGS_CLIENT_ID) is read from the environment where the module runs.
    type: str
  timeout:
    description:
      - Seconds to wait for the answer to one request. The connection must be there within this time, and within 10
        seconds.
    type: float
    default: 30.0
  retries:
    description:
      - How often one request may be repeated.
      - A request that never reached the instance (no connection) is repeated. After a lost answer or an HTTP 5xx only a
        request that does no harm a second time is repeated. When a request makes a record, this is looked for first.
      - An HTTP 429 does not count; O(rate_limit_wait) says how long it is waited out.
    type: int
    default: 3
  rate_limit:
    description:
      - At most so many requests in any 60 seconds. V(0) sets no limit, neither counts nor waits.
      - All processes of one user on one machine count together, so that forks, plays and pipelines stay within it.
        Where they name several limits, the smallest one of the last minute holds.
      - Requests that fit into a minute are sent at once, others evenly. An HTTP 429 holds back all requests to the
        instance for as long as it asks, and slows them down where it comes again.
      - The default is what instances allow unless it was raised for them.
      - If it is not set, E(SEVENTHINGS_RATE_LIMIT) is read from the environment where the module runs.
    type: int
    default: 200
  rate_limit_wait:
    description:
      - Seconds to wait with one request that the instance refuses for coming too early (HTTP 429).
      - Where the instance asks for a longer pause than what is left of them, the task fails at once, and says what was
        done and what was not.
      - If it is not set, E(SEVENTHINGS_RATE_LIMIT_WAIT) is read from the environment where the module runs.
    type: float
    default: 300.0
  token_cache:
    description:
      - Whether the processes of this user share tokens, so that many tasks and hosts sign in once. They are in
        the directory that E(SEVENTHINGS_RUNTIME_DIR) names, else in C(seventhings) below the directory of the session
        (E(XDG_RUNTIME_DIR)), else in one that lasts as long as the run of Ansible.
      - With V(false) each process signs in for itself.
      - If it is not set, E(SEVENTHINGS_TOKEN_CACHE) is read from the environment where the module runs.
    type: bool
    default: true
  validate_certs:
    description:
      - Whether the certificate of the instance must be valid. V(false) accepts any, which is for tests only. A warning
        says so once in a run.
      - V(false) and O(ca_path) exclude each other.
    type: bool
    default: true
  ca_path:
    description:
      - File or folder with the certificates of the authorities to trust, in PEM form, in place of the usual ones.
    type: path
  client_cert:
    description:
      - File with a client certificate, in PEM form. It may hold the key too.
    type: path
  client_key:
    description:
      - File with the key of O(client_cert), in PEM form.
    type: path
  allow_http:
    description:
      - Allow plain http to other machines than this one. Tokens and passwords then travel unencrypted, and a warning
        says so.
      - This machine is a loopback address, or C(localhost) where that name leads to nothing else.
    type: bool
    default: false
  profile:
    description:
      - The profile of the instance, which is a file that M(community.seventhings.probe) writes.
      - Where an answer contradicts it, a warning says what has changed, once in a task. So a new version of the service
        is noticed on the day it comes. No request is sent for that.
      - Requests are spared that guard against what the instance does not do. Where it answers a change with the whole
        record, this is not read once more. Where it does not look up barcodes, none is looked up.
      - The file is read where the module runs.
    type: path
  tuning:
    description:
      - Settings that few users need, as a map. Each key may be missing. An unknown key is refused.
      - C(settle) is the settling horizon in seconds. If the answer to a request that creates a record is lost, the
        instance may still create the record. Until the horizon is over the record is looked for, and it is not
        created a second time. The default is O(timeout), at least 30. A run in which no answer is lost never waits.
      - The next run knows of an interrupted run by a mark in the runtime directory (see the notes), and a set also by
        its journal. Without both, a run that is repeated within the settling horizon may create a record twice. A later
        run reports two records with one natural key as an error that names both.
      - C(outage_wait) is how many seconds to wait for an instance that is down. The default is 300. After five answers
        502, 503 or 504 or reset connections in a row, or when O(retries) are used up, nothing is sent but a request
        every 15 seconds that asks whether the instance is back, or when it says that it will be. Then the work goes on,
        or it fails. It also fails if the answers to ten writes of one kind in a row are lost while others succeed.
      - C(lock_wait) is how many seconds to wait for another process of this user that creates records of the same kind,
        and for another run that uses the same journal. Then the task fails. The default is 600. If many processes
        ensure one record, one of them creates it and the others find it. A task that only reads does not wait.
      - C(rate_share) is the part of O(rate_limit) to use, such as V(50%). The rest is left to people who work in the
        application, and to jobs on other machines. The default is all of it. It has no effect with O(rate_limit=0).
      - C(request_deadline) is how many seconds one request may take in all, however long its answer is. A request that
        takes longer is cut off and not repeated. The default is ten times O(timeout).
      - C(max_answer_size) is how many mebibytes an answer may have after decompression. The default is 16. A longer
        answer is an error, and the rest of it is not read. Files may always have 64.
      - C(max_pages) is how many pages a list may have, with 1,000 records each. The default is 500. A longer list is an
        error.
      - C(max_list_size) is how many mebibytes all pages of a list may have. The default is 512, and an eighth of it if
        the service does not report how many records there are. A longer list is an error.
      - If a key is missing, the environment of the process that sends the requests decides, with E(SEVENTHINGS_SETTLE),
        E(SEVENTHINGS_OUTAGE_WAIT), E(SEVENTHINGS_LOCK_WAIT), E(SEVENTHINGS_RATE_SHARE),
        E(SEVENTHINGS_REQUEST_DEADLINE), E(SEVENTHINGS_MAX_ANSWER_SIZE), E(SEVENTHINGS_MAX_PAGES) and
        E(SEVENTHINGS_MAX_LIST_SIZE).
    type: dict
requirements:
  - python >= 3.11
  - requests >= 2.32.4
  - urllib3 >= 2.6.3
notes:
  - Proxies are taken from the usual environment variables E(HTTPS_PROXY), E(HTTP_PROXY) and E(NO_PROXY). An instance on
    this machine is never asked through a proxy.
  - Redirects are not followed, so that no token leaves for another host.
  - The processes of a user share the rate limit, locks and tokens through files, in the directory that
    E(SEVENTHINGS_RUNTIME_DIR) names, or else in that of the session, below C(/dev/shm) and below C(/tmp). A directory
    that another user owns or can replace, or that is a link, is not used. A warning says so if you named it, or if
    nothing can be shared. If no lock can be taken, nothing is created.
  - To hand a token of your own to all modules, use M(community.seventhings.auth_token) and C(module_defaults) of the
    action group C(group/community.seventhings.all).
"""

    EXECUTION = r"""
options:
  execution:
    description:
      - Where the task does its work.
      - The options, the result and the requests are the same in both cases.
      - >-
        V(auto): Inside Ansible's own worker if the task's target is the machine that Ansible runs on, with the same
        interpreter and user. The items of a loop then share one connection and one token. Else as a module on the
        target.
      - >-
        V(module): Always as a module on the target.
    type: str
    choices: [auto, module]
    default: auto
"""

    PLUGIN = r"""
options:
  base_url:
    description:
      - Root of the instance, such as V(https://acme.seventhings.com). A C(/customer-api/v1) at its end is tolerated.
      - Required, here or in the environment.
    type: str
    env:
      - name: SEVENTHINGS_BASE_URL
      - name: SEVENTHINGS_INSTANCE_URL
  access_token:
    description:
      - Access token to work with. It saves the login.
      - It is used until the instance refuses it. Then O(refresh_token) is tried, then O(username) and O(password).
        Where none of them is given, the error says so.
      - M(community.seventhings.auth_token) returns one.
    type: str
    env:
      - name: SEVENTHINGS_TOKEN
  refresh_token:
    description:
      - Renews the access token, together with O(client_id). The newest pair is kept, for all processes of this
        user where O(token_cache) allows that.
      - This is how a user who signs in by SSO gets through a long run.
    type: str
    env:
      - name: SEVENTHINGS_REFRESH_TOKEN
  username:
    description:
      - User to sign in with, together with O(password) and O(client_id).
      - A token that was obtained in this way is renewed when less than 60 seconds and less than a tenth of its life
        are left, and once when the instance refuses it.
    type: str
    env:
      - name: SEVENTHINGS_USERNAME
  password:
    description:
      - Password of the user. Keep it in a vault, not in a playbook.
    type: str
    env:
      - name: SEVENTHINGS_PASSWORD
  client_id:
    description:
      - Identifier of the client, from the integration settings of the instance. Every way to sign in, and to renew a
        token, needs it.
    type: str
    env:
      - name: SEVENTHINGS_CLIENT_ID
  timeout:
    description:
      - Seconds to wait for the answer to one request. The connection must be there within this time, and within 10
        seconds.
    type: float
    default: 30.0
  retries:
    description:
      - How often one request may be repeated.
      - A request that never reached the instance (no connection) is repeated. After a lost answer or an HTTP 5xx only a
        request that does no harm a second time is repeated. When a request makes a record, this is looked for first.
      - An HTTP 429 does not count; O(rate_limit_wait) says how long it is waited out.
    type: int
    default: 3
  rate_limit:
    description:
      - At most so many requests in any 60 seconds. V(0) sets no limit, neither counts nor waits.
      - All processes of one user on one machine count together, so that forks, plays and pipelines stay within it.
        Where they name several limits, the smallest one of the last minute holds.
      - Requests that fit into a minute are sent at once, others evenly. An HTTP 429 holds back all requests to the
        instance for as long as it asks, and slows them down where it comes again.
      - The default is what instances allow unless it was raised for them.
    type: int
    default: 200
    env:
      - name: SEVENTHINGS_RATE_LIMIT
  rate_limit_wait:
    description:
      - Seconds to wait with one request that the instance refuses for coming too early (HTTP 429).
      - Where the instance asks for a longer pause than what is left of them, the task fails at once, and says what was
        done and what was not.
    type: float
    default: 300.0
    env:
      - name: SEVENTHINGS_RATE_LIMIT_WAIT
  token_cache:
    description:
      - Whether the processes of this user share tokens, so that many tasks and hosts sign in once. They are in
        the directory that E(SEVENTHINGS_RUNTIME_DIR) names, else in C(seventhings) below the directory of the session
        (E(XDG_RUNTIME_DIR)), else in one that lasts as long as the run of Ansible.
      - With V(false) each process signs in for itself.
    type: bool
    default: true
    env:
      - name: SEVENTHINGS_TOKEN_CACHE
  validate_certs:
    description:
      - Whether the certificate of the instance must be valid. V(false) accepts any, which is for tests only. A warning
        says so once in a run.
      - V(false) and O(ca_path) exclude each other.
    type: bool
    default: true
  ca_path:
    description:
      - File or folder with the certificates of the authorities to trust, in PEM form, in place of the usual ones.
    type: path
  client_cert:
    description:
      - File with a client certificate, in PEM form. It may hold the key too.
    type: path
  client_key:
    description:
      - File with the key of O(client_cert), in PEM form.
    type: path
  allow_http:
    description:
      - Allow plain http to other machines than this one. Tokens and passwords then travel unencrypted, and a warning
        says so.
      - This machine is a loopback address, or C(localhost) where that name leads to nothing else.
    type: bool
    default: false
  profile:
    description:
      - The profile of the instance, which is a file that M(community.seventhings.probe) writes.
      - Where an answer contradicts it, a warning says what has changed, once in a task. So a new version of the service
        is noticed on the day it comes. No request is sent for that.
      - Requests are spared that guard against what the instance does not do. Where it answers a change with the whole
        record, this is not read once more. Where it does not look up barcodes, none is looked up.
      - The file is read where the module runs.
    type: path
  tuning:
    description:
      - Settings that few users need, as a map. Each key may be missing. An unknown key is refused.
      - C(settle) is the settling horizon in seconds. If the answer to a request that creates a record is lost, the
        instance may still create the record. Until the horizon is over the record is looked for, and it is not
        created a second time. The default is O(timeout), at least 30. A run in which no answer is lost never waits.
      - The next run knows of an interrupted run by a mark in the runtime directory (see the notes), and a set also by
        its journal. Without both, a run that is repeated within the settling horizon may create a record twice. A later
        run reports two records with one natural key as an error that names both.
      - C(outage_wait) is how many seconds to wait for an instance that is down. The default is 300. After five answers
        502, 503 or 504 or reset connections in a row, or when O(retries) are used up, nothing is sent but a request
        every 15 seconds that asks whether the instance is back, or when it says that it will be. Then the work goes on,
        or it fails. It also fails if the answers to ten writes of one kind in a row are lost while others succeed.
      - C(lock_wait) is how many seconds to wait for another process of this user that creates records of the same kind,
        and for another run that uses the same journal. Then the task fails. The default is 600. If many processes
        ensure one record, one of them creates it and the others find it. A task that only reads does not wait.
      - C(rate_share) is the part of O(rate_limit) to use, such as V(50%). The rest is left to people who work in the
        application, and to jobs on other machines. The default is all of it. It has no effect with O(rate_limit=0).
      - C(request_deadline) is how many seconds one request may take in all, however long its answer is. A request that
        takes longer is cut off and not repeated. The default is ten times O(timeout).
      - C(max_answer_size) is how many mebibytes an answer may have after decompression. The default is 16. A longer
        answer is an error, and the rest of it is not read. Files may always have 64.
      - C(max_pages) is how many pages a list may have, with 1,000 records each. The default is 500. A longer list is an
        error.
      - C(max_list_size) is how many mebibytes all pages of a list may have. The default is 512, and an eighth of it if
        the service does not report how many records there are. A longer list is an error.
      - If a key is missing, the environment of the process that sends the requests decides, with E(SEVENTHINGS_SETTLE),
        E(SEVENTHINGS_OUTAGE_WAIT), E(SEVENTHINGS_LOCK_WAIT), E(SEVENTHINGS_RATE_SHARE),
        E(SEVENTHINGS_REQUEST_DEADLINE), E(SEVENTHINGS_MAX_ANSWER_SIZE), E(SEVENTHINGS_MAX_PAGES) and
        E(SEVENTHINGS_MAX_LIST_SIZE).
    type: dict
requirements:
  - python >= 3.11
  - requests >= 2.32.4
  - urllib3 >= 2.6.3
notes:
  - Proxies are taken from the usual environment variables E(HTTPS_PROXY), E(HTTP_PROXY) and E(NO_PROXY). An instance on
    this machine is never asked through a proxy.
  - Redirects are not followed, so that no token leaves for another host.
"""
