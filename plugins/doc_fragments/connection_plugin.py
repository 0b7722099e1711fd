# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Document the options by which an inventory or a lookup reaches an instance.

The options are those of ``connection``. A plugin runs on the controller, and declares the environment variables.
"""


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  base_url:
    description:
      - Root of the instance, such as V(https://acme.seventhings.com), which is always required.
    type: str
    env:
      - name: SEVENTHINGS_BASE_URL
      - name: SEVENTHINGS_INSTANCE_URL
  username:
    description:
      - User to sign in with, together with O(password) and O(client_id).
    type: str
    env:
      - name: SEVENTHINGS_USERNAME
  password:
    description:
      - Password of the user, which belongs in a vault and not in a playbook.
    type: str
    env:
      - name: SEVENTHINGS_PASSWORD
  client_id:
    description:
      - Identifier of the client, from the integration settings of the instance.
    type: str
    env:
      - name: SEVENTHINGS_CLIENT_ID
  access_token:
    description:
      - Access token to use in place of a login, as M(community.seventhings.auth_token) returns it.
    type: str
    env:
      - name: SEVENTHINGS_TOKEN
  refresh_token:
    description:
      - Renews the access token, together with O(client_id), for a user who signs in by SSO.
    type: str
    env:
      - name: SEVENTHINGS_REFRESH_TOKEN
  validate_certs:
    description:
      - Whether the certificate of the instance must be valid. V(false) accepts any, for tests only.
    type: bool
    default: true
  ca_path:
    description:
      - File or directory with the certificates of the authorities to trust, in PEM format, instead of the usual
        ones.
    type: path
  client_cert:
    description:
      - File with a client certificate, in PEM format. It may contain the key too.
    type: path
  client_key:
    description:
      - File with the key of O(client_cert), in PEM format.
    type: path
  timeout:
    description:
      - Seconds to wait for the answer to one request.
    type: float
    default: 30.0
  rate_limit:
    description:
      - Maximum number of requests in any 60 seconds for all processes of one user on one machine, or V(0) for no
        limit.
    type: int
    default: 200
    env:
      - name: SEVENTHINGS_RATE_LIMIT
  tuning:
    description:
      - Settings that few users need, as a map, such as C(retries), C(token_cache) or C(execution). See the guide
        R(Connection,ansible_collections.community.seventhings.docsite.guide_connection).
    type: dict
requirements:
  - python >= 3.11
  - requests >= 2.32.4
  - urllib3 >= 2.6.3
"""
