# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Document the options by which a task reaches an instance. The guide *Connection* has everything else.

The options are those of ``connection_plugin``. A module's text names the environment variables.
"""


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  base_url:
    description:
      - Root of the instance, such as V(https://acme.seventhings.com), which is always required.
      - Its environment variable is E(SEVENTHINGS_BASE_URL) or E(SEVENTHINGS_INSTANCE_URL).
    type: str
  username:
    description:
      - User to sign in with, together with O(password) and O(client_id).
      - Its environment variable is E(SEVENTHINGS_USERNAME).
    type: str
  password:
    description:
      - Password of the user, which belongs in a vault and not in a playbook.
      - Its environment variable is E(SEVENTHINGS_PASSWORD).
    type: str
  client_id:
    description:
      - Identifier of the client, from the integration settings of the instance.
      - Its environment variable is E(SEVENTHINGS_CLIENT_ID).
    type: str
  access_token:
    description:
      - Access token to use in place of a login, as M(community.seventhings.auth_token) returns it.
      - Its environment variable is E(SEVENTHINGS_TOKEN).
    type: str
  refresh_token:
    description:
      - Renews the access token, together with O(client_id), for a user who signs in by SSO.
      - Its environment variable is E(SEVENTHINGS_REFRESH_TOKEN).
    type: str
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
      - Its environment variable is E(SEVENTHINGS_RATE_LIMIT).
    type: int
    default: 200
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
