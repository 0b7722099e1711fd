#!/usr/bin/python
# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

DOCUMENTATION = r"""
module: auth_token
short_description: Obtain or revoke access tokens
version_added: 1.0.0
description:
  - Signs in to an instance and returns an access token and a refresh token. The other modules then need no login of
    their own.
  - With O(state=absent), it revokes tokens, at least the tokens of the session.
options:
  grant_type:
    description:
      - How to sign in. Every value requires O(client_id).
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
      - Identity provider that returned O(auth_code). Required if O(grant_type=sso_auth_code).
      - Known names are V(azure-open-id-connect), V(google-open-id-connect) and V(one-login-open-id-connect). Any other
        name is sent unchanged, and the instance accepts or rejects it.
    type: str
  auth_code:
    description:
      - Authorization code that the identity provider returned. It can be used once. Required if
        O(grant_type=sso_auth_code).
    type: str
  app_target:
    description:
      - The application that O(auth_code) was issued for, if the instance requires it.
    type: str
    choices: [web, mobile]
  state:
    description:
      - The desired state.
      - >-
        V(present): Sign in and return new tokens. This is never reported as a change.
      - >-
        V(absent): Revoke the access token and the refresh token. The vendor documents that this revokes ALL tokens of
        the user, including the tokens of every other program and session. Some instances end only the session of the
        token. Rely on neither, and never do this with a shared account. The token is O(access_token), or the token of
        the user who signs in. If it is no longer valid, nothing changes.
    type: str
    choices: [present, absent]
    default: present
attributes:
  check_mode:
    support: full
    details:
      - Signs in, because the tasks that follow need the token. Does not revoke anything.
  async:
    description: Can be run with the C(async) keyword.
    support: none
    details:
      - The result would show secrets.
  diff_mode:
    support: none
    details:
      - A diff would show secrets.
  idempotent:
    support: partial
    details:
      - Signing in is never reported as a change, but returns new tokens each time. Revoking is not a change if
        O(access_token) is no longer valid. Without O(access_token), the module signs in first, so there is always a
        token to revoke.
notes:
  - The result is not shown and not logged. A registered variable contains RV(access_token) and RV(refresh_token).
  - Sends one request to sign in, and one to revoke.
seealso:
  - module: community.seventhings.user_info
extends_documentation_fragment:
  - community.seventhings.connection
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

- name: Sign in with the code of an identity provider, if there is one
  community.seventhings.auth_token:
    base_url: "{{ seventhings_base_url }}"
    grant_type: sso_auth_code
    provider_name: azure-open-id-connect
    auth_code: "{{ seventhings_auth_code }}"
    client_id: "{{ seventhings_client_id }}"
  register: sso_login
  when: seventhings_auth_code is defined

- name: Revoke the token, and possibly all other tokens of this user
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
    - The refresh token, for O(refresh_token) of other modules.
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
    - Type of the access token.
  returned: success and O(state=present)
  type: str
  sample: Bearer
scope:
  description:
    - Scope of the token, if the instance returns it.
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
    - Number of requests that the task sent, including the login and repeated requests.
  returned: always
  type: int
  sample: 1
"""

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.registry import run


def main() -> None:
    run("auth_token")


if __name__ == "__main__":
    main()
