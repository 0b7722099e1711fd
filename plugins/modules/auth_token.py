#!/usr/bin/python
# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: auth_token
short_description: Obtain or revoke access tokens
version_added: 1.0.0
description:
  - Signs in to an instance and returns an access token and a refresh token, so that the other modules need no login of
    their own.
  - Or revokes tokens, at least those of the session.
options:
  grant_type:
    description:
      - How to sign in. All ways need O(client_id).
      - >-
        V(password): With O(username) and O(password).
      - >-
        V(refresh_token): With O(refresh_token).
      - >-
        V(sso_auth_code): With O(provider_name) and O(auth_code), for users who sign in through an identity provider.
    type: str
    choices: [password, refresh_token, sso_auth_code]
    default: password
  provider_name:
    description:
      - Identity provider that O(auth_code) is from. Required if O(grant_type=sso_auth_code).
      - Known names are V(azure-open-id-connect), V(google-open-id-connect) and V(one-login-open-id-connect). Any other
        name is sent as it is, and the instance judges it.
    type: str
  auth_code:
    description:
      - Authorization code that the identity provider returned. It can be used once. Required if
        O(grant_type=sso_auth_code).
    type: str
  app_target:
    description:
      - The application that O(auth_code) was made for, where the instance asks for it.
    type: str
    choices: [web, mobile]
  state:
    description:
      - What is wanted.
      - >-
        V(present): Signs in and returns new tokens. This is never reported as a change.
      - >-
        V(absent): Revokes the tokens, access and refresh. The vendor's description says that this revokes ALL tokens of
        the user, those of every other program and session included; seen were instances that end the session of the
        token alone. Rely on neither, and never do this with an account that is shared. The token is O(access_token), or
        that of who signs in. Where it is not valid any more, nothing is changed.
    type: str
    choices: [present, absent]
    default: present
attributes:
  check_mode:
    support: full
    details:
      - Signs in, because the tasks that follow need the token. Does not revoke anything.
  diff_mode:
    support: none
    details:
      - A diff would show secrets.
  idempotent:
    support: partial
    details:
      - Signing in is never reported as a change, but returns new tokens each time. Revoking is not a change if
        O(access_token) is not valid any more. Without it, the module signs in first, so that there is always a token to
        revoke.
notes:
  - The result is kept off the screen and out of logs. RV(access_token) and RV(refresh_token) are in what is registered.
  - Takes one request to sign in, and one to revoke.
seealso:
  - module: community.seventhings.user_info
extends_documentation_fragment:
  - community.seventhings.connection
  - community.seventhings.connection.execution
  - community.seventhings.attributes
author:
  - Contributors to the community.seventhings collection (@ansible-collections)
"""

EXAMPLES = r"""
---
- name: Sign in once
  community.seventhings.auth_token:
    base_url: "{{ seventhings_base_url }}"
    username: "{{ seventhings_username }}"
    password: "{{ seventhings_password }}"
    client_id: "{{ seventhings_client_id }}"
  register: login

- name: Work with the token
  module_defaults:
    group/community.seventhings.all:
      base_url: "{{ seventhings_base_url }}"
      access_token: "{{ login.access_token }}"
      refresh_token: "{{ login.refresh_token }}"
      client_id: "{{ seventhings_client_id }}"
  block:
    - name: Ensure a location
      community.seventhings.location:
        fields:
          name: Head office

    - name: List the locations
      community.seventhings.location_info:

- name: Get another token without the password
  community.seventhings.auth_token:
    base_url: "{{ seventhings_base_url }}"
    grant_type: refresh_token
    refresh_token: "{{ login.refresh_token }}"
    client_id: "{{ seventhings_client_id }}"
  register: login

- name: Sign in with the code of an identity provider, where there is one
  community.seventhings.auth_token:
    base_url: "{{ seventhings_base_url }}"
    grant_type: sso_auth_code
    provider_name: azure-open-id-connect
    auth_code: "{{ seventhings_auth_code }}"
    client_id: "{{ seventhings_client_id }}"
  register: sso_login
  when: seventhings_auth_code is defined

- name: Ensure that the token is absent, and perhaps those of other programs of this user with it
  community.seventhings.auth_token:
    base_url: "{{ seventhings_base_url }}"
    access_token: "{{ login.access_token }}"
    state: absent
"""

RETURN = r"""
access_token:
  description:
    - The access token, for O(access_token) of other modules.
  returned: success and O(state=present)
  type: str
  sample: kept-out-of-the-screen
refresh_token:
  description:
    - Renews the access token, for O(refresh_token) of other modules.
  returned: success and O(state=present)
  type: str
  sample: kept-out-of-the-screen
expires_in:
  description:
    - Seconds until the access token expires.
  returned: success and O(state=present)
  type: int
  sample: 3600
token_type:
  description:
    - How the access token is sent.
  returned: success and O(state=present)
  type: str
  sample: Bearer
scope:
  description:
    - What the token is for, where the instance tells it.
  returned: success and O(state=present)
  type: str
  sample: null
user_id:
  description:
    - Integer id of the user who signed in.
  returned: success and O(state=present)
  type: int
  sample: 7
requests:
  description:
    - How many requests the task sent, login and repeats included.
  returned: always
  type: int
  sample: 1
"""

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.registry import run


def main() -> None:
    run("auth_token")


if __name__ == "__main__":
    main()
