# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Document the options by which a task, an inventory or a lookup reaches an instance.

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
      - If it is not set, the environment variable E(SEVENTHINGS_BASE_URL) or E(SEVENTHINGS_INSTANCE_URL) is read on the
        machine where the module runs.
    type: str
  access_token:
    description:
      - Access token to use. It makes a login unnecessary.
      - It is used until the instance refuses it. Then O(refresh_token) is tried, and then O(username) and O(password).
        If none of them is set, the error says so.
      - M(community.seventhings.auth_token) returns an access token.
      - If it is not set, the environment variable E(SEVENTHINGS_TOKEN) is read on the machine where the module runs.
    type: str
  refresh_token:
    description:
      - Renews the access token, together with O(client_id). The newest pair of tokens is kept. If O(token_cache) allows
        it, all processes of this user share it.
      - Use it for long runs of a user who signs in by SSO.
      - If it is not set, the environment variable E(SEVENTHINGS_REFRESH_TOKEN) is read on the machine where the module
        runs.
    type: str
  username:
    description:
      - User to sign in with, together with O(password) and O(client_id).
      - A token that was obtained in this way is renewed when less than 60 seconds and less than a tenth of its lifetime
        are left. It is also renewed once if the instance refuses it.
      - If it is not set, the environment variable E(SEVENTHINGS_USERNAME) is read on the machine where the module runs.
    type: str
  password:
    description:
      - Password of the user. Keep it in a vault, not in a playbook.
      - If it is not set, the environment variable E(SEVENTHINGS_PASSWORD) is read on the machine where the module runs.
    type: str
  client_id:
    description:
      - Identifier of the client, from the integration settings of the instance. Every login and every renewal of a
        token needs it.
      - If it is not set, the environment variable E(SEVENTHINGS_CLIENT_ID) is read on the machine where the module
        runs.
    type: str
  timeout:
    description:
      - Seconds to wait for the answer to one request. The connection must be established within this time, and within
        10 seconds.
    type: float
    default: 30.0
  retries:
    description:
      - How often a request may be repeated.
      - A request that never reached the instance (no connection) is repeated. After a lost answer or an HTTP 5xx, a
        request is only repeated if the second request does no harm. Before a request that creates or changes a record
        is repeated, the record is looked up.
      - An HTTP 429 does not count. O(rate_limit_wait) limits how long to wait after it.
    type: int
    default: 3
  rate_limit:
    description:
      - Maximum number of requests in any 60 seconds. With V(0) there is no limit, and requests are neither counted nor
        delayed.
      - All processes of one user on one machine share the limit, so forks, plays and pipelines together stay within it.
        If they set different limits, the smallest limit of the last minute applies.
      - Requests that fit into a minute are sent at once. Other requests are spread evenly. An HTTP 429 stops all
        requests to the instance for as long as it asks. If it comes again, all requests slow down.
      - A task that waits more than 5 seconds in all for the limit says so in a warning.
      - The default is the limit of an instance, unless the service raised it.
      - If it is not set, the environment variable E(SEVENTHINGS_RATE_LIMIT) is read on the machine where the module
        runs.
    type: int
    default: 200
  rate_limit_wait:
    description:
      - Seconds to wait if the instance refuses a request because there are too many (HTTP 429).
      - If the instance asks for a longer pause than is left of this time, the task fails at once. The error says what
        was done and what was not.
      - If it is not set, the environment variable E(SEVENTHINGS_RATE_LIMIT_WAIT) is read on the machine where the
        module runs.
    type: float
    default: 300.0
  token_cache:
    description:
      - Whether the processes of this user share tokens, so that many tasks and hosts sign in once. The tokens are in
        the directory that E(SEVENTHINGS_RUNTIME_DIR) names. If it is not set, they are in C(seventhings) below the
        session directory (E(XDG_RUNTIME_DIR)). If neither is set, they are in a directory that lasts as long as the run
        of Ansible.
      - With V(false), each process signs in for itself.
      - If it is not set, the environment variable E(SEVENTHINGS_TOKEN_CACHE) is read on the machine where the module
        runs.
    type: bool
    default: true
  validate_certs:
    description:
      - Whether the certificate of the instance must be valid. V(false) accepts any certificate. Use it for tests only.
        A warning says so once in a run.
      - V(false) and O(ca_path) are mutually exclusive.
    type: bool
    default: true
  ca_path:
    description:
      - File or directory with the certificates of the authorities to trust, in PEM format. They replace the usual
        authorities.
    type: path
  client_cert:
    description:
      - File with a client certificate, in PEM format. It may contain the key too.
    type: path
  client_key:
    description:
      - File with the key of O(client_cert), in PEM format.
    type: path
  allow_http:
    description:
      - Allow plain HTTP to other machines. Tokens and passwords are then sent unencrypted, and a warning says so.
      - Plain HTTP to this machine is always allowed. This machine is a loopback address, or C(localhost) if that name
        resolves to nothing else.
    type: bool
    default: false
  tuning:
    description:
      - Settings that few users need, as a map. Every key is optional. An unknown key is an error.
      - C(settle) is the settling horizon in seconds. If the answer to a request that creates or changes a record is
        lost, the instance may still carry it out. Until the horizon is over, the record is looked up, and the request
        is not sent a second time. The default is O(timeout), at least 30. A run in which no answer is lost never waits.
      - A mark in the runtime directory (see the notes) warns the next run of an interrupted run. The journal of a set
        does the same. Without both, a run that is repeated within the settling horizon may create a record twice. A
        later run reports two records with one natural key as an error that names both.
      - C(outage_wait) is how many seconds to wait for an instance that is down. The default is 300. The wait begins
        after five answers 502, 503 or 504 or reset connections in a row, or when O(retries) are used up. Only one
        request every 15 seconds then asks whether the instance is back. If the instance says when it will be back, the
        request is sent at that time. Then the work goes on. It fails if the instance does not come back in time. It
        also fails if the answers to ten writes of one kind in a row are lost while other requests succeed.
      - C(lock_wait) is how many seconds to wait for another process of this user that creates records of the same kind,
        and for another run that uses the same journal. After this time the task fails. The default is 600. If many
        processes ensure the same record, one process creates it and the others find it. A task that only reads does not
        wait.
      - C(rate_share) is the part of O(rate_limit) to use, such as V(50%). The rest is left for people who work in the
        application, and for jobs on other machines. The default is all of it. It has no effect with O(rate_limit=0).
      - C(request_deadline) is how many seconds one request may take in total, however long its answer is. A request
        that takes longer is aborted and not repeated. The default is ten times O(timeout).
      - C(max_answer_size) is how many mebibytes an answer may have after decompression. The default is 16. A longer
        answer is an error, and the rest of it is not read. For files the limit is always 64.
      - C(max_pages) is how many pages a list may have, with 1,000 records each. The default is 500. A longer list is an
        error.
      - C(max_list_size) is how many mebibytes all pages of a list may have. The default is 512, or an eighth of it if
        the service does not report how many records exist. A longer list is an error.
      - C(workers) is how many requests of a whole set may run at the same time. The default is 8. All of them share one
        token and one rate limit.
      - If a key is missing, its value comes from the environment of the process that sends the requests, from
        E(SEVENTHINGS_SETTLE), E(SEVENTHINGS_OUTAGE_WAIT), E(SEVENTHINGS_LOCK_WAIT), E(SEVENTHINGS_RATE_SHARE),
        E(SEVENTHINGS_REQUEST_DEADLINE), E(SEVENTHINGS_MAX_ANSWER_SIZE), E(SEVENTHINGS_MAX_PAGES) and
        E(SEVENTHINGS_MAX_LIST_SIZE).
    type: dict
requirements:
  - python >= 3.11
  - requests >= 2.32.4
  - urllib3 >= 2.6.3
notes:
  - Proxies are read from the usual environment variables E(HTTPS_PROXY), E(HTTP_PROXY) and E(NO_PROXY). An instance on
    this machine is never reached through a proxy.
  - Redirects are not followed, so no token is sent to another host.
  - The processes of a user share the rate limit, locks and tokens through files. These are in the directory that
    E(SEVENTHINGS_RUNTIME_DIR) names, or else in the session directory, below C(/dev/shm) and below C(/tmp). A directory
    is not used if it is a link, or if another user owns it or can replace it. A warning says so if you named the
    directory, or if nothing can be shared. If no lock can be acquired, nothing is created.
  - To pass your own token to all modules, use M(community.seventhings.auth_token) and C(module_defaults) of the action
    group C(group/community.seventhings.all).
"""

    EXECUTION = r"""
options:
  execution:
    description:
      - Where the task runs.
      - The options, the result and the requests are the same in both cases.
      - >-
        V(auto): Inside Ansible's own worker if the target of the task is the machine that Ansible runs on, with the
        same interpreter and user. The items of a loop then share one connection and one token. Otherwise the task runs
        as a module on the target.
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
      - Access token to use. It makes a login unnecessary.
      - It is used until the instance refuses it. Then O(refresh_token) is tried, and then O(username) and O(password).
        If none of them is set, the error says so.
      - M(community.seventhings.auth_token) returns an access token.
    type: str
    env:
      - name: SEVENTHINGS_TOKEN
  refresh_token:
    description:
      - Renews the access token, together with O(client_id). The newest pair of tokens is kept. If O(token_cache) allows
        it, all processes of this user share it.
      - Use it for long runs of a user who signs in by SSO.
    type: str
    env:
      - name: SEVENTHINGS_REFRESH_TOKEN
  username:
    description:
      - User to sign in with, together with O(password) and O(client_id).
      - A token that was obtained in this way is renewed when less than 60 seconds and less than a tenth of its lifetime
        are left. It is also renewed once if the instance refuses it.
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
      - Identifier of the client, from the integration settings of the instance. Every login and every renewal of a
        token needs it.
    type: str
    env:
      - name: SEVENTHINGS_CLIENT_ID
  timeout:
    description:
      - Seconds to wait for the answer to one request. The connection must be established within this time, and within
        10 seconds.
    type: float
    default: 30.0
  retries:
    description:
      - How often a request may be repeated.
      - A request that never reached the instance (no connection) is repeated. After a lost answer or an HTTP 5xx, a
        request is only repeated if the second request does no harm. Before a request that creates or changes a record
        is repeated, the record is looked up.
      - An HTTP 429 does not count. O(rate_limit_wait) limits how long to wait after it.
    type: int
    default: 3
  rate_limit:
    description:
      - Maximum number of requests in any 60 seconds. With V(0) there is no limit, and requests are neither counted nor
        delayed.
      - All processes of one user on one machine share the limit, so forks, plays and pipelines together stay within it.
        If they set different limits, the smallest limit of the last minute applies.
      - Requests that fit into a minute are sent at once. Other requests are spread evenly. An HTTP 429 stops all
        requests to the instance for as long as it asks. If it comes again, all requests slow down.
      - A task that waits more than 5 seconds in all for the limit says so in a warning.
      - The default is the limit of an instance, unless the service raised it.
    type: int
    default: 200
    env:
      - name: SEVENTHINGS_RATE_LIMIT
  rate_limit_wait:
    description:
      - Seconds to wait if the instance refuses a request because there are too many (HTTP 429).
      - If the instance asks for a longer pause than is left of this time, the task fails at once. The error says what
        was done and what was not.
    type: float
    default: 300.0
    env:
      - name: SEVENTHINGS_RATE_LIMIT_WAIT
  token_cache:
    description:
      - Whether the processes of this user share tokens, so that many tasks and hosts sign in once. The tokens are in
        the directory that E(SEVENTHINGS_RUNTIME_DIR) names. If it is not set, they are in C(seventhings) below the
        session directory (E(XDG_RUNTIME_DIR)). If neither is set, they are in a directory that lasts as long as the run
        of Ansible.
      - With V(false), each process signs in for itself.
    type: bool
    default: true
    env:
      - name: SEVENTHINGS_TOKEN_CACHE
  validate_certs:
    description:
      - Whether the certificate of the instance must be valid. V(false) accepts any certificate. Use it for tests only.
        A warning says so once in a run.
      - V(false) and O(ca_path) are mutually exclusive.
    type: bool
    default: true
  ca_path:
    description:
      - File or directory with the certificates of the authorities to trust, in PEM format. They replace the usual
        authorities.
    type: path
  client_cert:
    description:
      - File with a client certificate, in PEM format. It may contain the key too.
    type: path
  client_key:
    description:
      - File with the key of O(client_cert), in PEM format.
    type: path
  allow_http:
    description:
      - Allow plain HTTP to other machines. Tokens and passwords are then sent unencrypted, and a warning says so.
      - Plain HTTP to this machine is always allowed. This machine is a loopback address, or C(localhost) if that name
        resolves to nothing else.
    type: bool
    default: false
  tuning:
    description:
      - Settings that few users need, as a map. Every key is optional. An unknown key is an error.
      - C(settle) is the settling horizon in seconds. If the answer to a request that creates or changes a record is
        lost, the instance may still carry it out. Until the horizon is over, the record is looked up, and the request
        is not sent a second time. The default is O(timeout), at least 30. A run in which no answer is lost never waits.
      - A mark in the runtime directory (see the notes) warns the next run of an interrupted run. The journal of a set
        does the same. Without both, a run that is repeated within the settling horizon may create a record twice. A
        later run reports two records with one natural key as an error that names both.
      - C(outage_wait) is how many seconds to wait for an instance that is down. The default is 300. The wait begins
        after five answers 502, 503 or 504 or reset connections in a row, or when O(retries) are used up. Only one
        request every 15 seconds then asks whether the instance is back. If the instance says when it will be back, the
        request is sent at that time. Then the work goes on. It fails if the instance does not come back in time. It
        also fails if the answers to ten writes of one kind in a row are lost while other requests succeed.
      - C(lock_wait) is how many seconds to wait for another process of this user that creates records of the same kind,
        and for another run that uses the same journal. After this time the task fails. The default is 600. If many
        processes ensure the same record, one process creates it and the others find it. A task that only reads does not
        wait.
      - C(rate_share) is the part of O(rate_limit) to use, such as V(50%). The rest is left for people who work in the
        application, and for jobs on other machines. The default is all of it. It has no effect with O(rate_limit=0).
      - C(request_deadline) is how many seconds one request may take in total, however long its answer is. A request
        that takes longer is aborted and not repeated. The default is ten times O(timeout).
      - C(max_answer_size) is how many mebibytes an answer may have after decompression. The default is 16. A longer
        answer is an error, and the rest of it is not read. For files the limit is always 64.
      - C(max_pages) is how many pages a list may have, with 1,000 records each. The default is 500. A longer list is an
        error.
      - C(max_list_size) is how many mebibytes all pages of a list may have. The default is 512, or an eighth of it if
        the service does not report how many records exist. A longer list is an error.
      - C(workers) is how many requests of a whole set may run at the same time. The default is 8. All of them share one
        token and one rate limit.
      - If a key is missing, its value comes from the environment of the process that sends the requests, from
        E(SEVENTHINGS_SETTLE), E(SEVENTHINGS_OUTAGE_WAIT), E(SEVENTHINGS_LOCK_WAIT), E(SEVENTHINGS_RATE_SHARE),
        E(SEVENTHINGS_REQUEST_DEADLINE), E(SEVENTHINGS_MAX_ANSWER_SIZE), E(SEVENTHINGS_MAX_PAGES) and
        E(SEVENTHINGS_MAX_LIST_SIZE).
    type: dict
requirements:
  - python >= 3.11
  - requests >= 2.32.4
  - urllib3 >= 2.6.3
notes:
  - Proxies are read from the usual environment variables E(HTTPS_PROXY), E(HTTP_PROXY) and E(NO_PROXY). An instance on
    this machine is never reached through a proxy.
  - Redirects are not followed, so no token is sent to another host.
"""
