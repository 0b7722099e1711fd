# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hide differences on the controller between the supported versions of ansible-core, each with the reason.

ansible-core 2.19 reversed what a template is. Since then only trusted text is a template. Before, every text was a
template unless it was marked unsafe, and a vaulted value was an object of its own instead of a text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ansible import constants, context
from ansible import template as templates
from ansible.plugins import AnsiblePlugin

#: True before ansible-core 2.19, where Ansible renders every text that is not marked unsafe.
IS_TEXT_A_TEMPLATE = not hasattr(templates, "trust_as_template")

_TEMPLATE = re.compile(r"\{(?=[{%#])")
#: An option that only the command ``ansible-inventory`` has.
_EXPORT = "export"

#: True before ansible-core 2.19, where a template of a vaulted variable returns an ordinary text.
FORGETS_VAULT = IS_TEXT_A_TEMPLATE

#: True from ansible-core 2.21 on. Before, every result of a module had its options as ``invocation``.
_MAY_LEAVE_OUT = hasattr(constants, "INJECT_INVOCATION")


def wants_invocation(variables: Mapping[str, Any], templar: Any) -> bool:
    """Return True if the result of a module should have its options as ``invocation``."""
    if not _MAY_LEAVE_OUT:
        return True
    return bool(constants.config.get_config_value("INJECT_INVOCATION", variables=variables, templar=templar))


class KnowsOrigins(AnsiblePlugin):
    """A plugin that knows the origin of each of its options.

    Before 2.19, ``get_option_and_origin`` of Ansible ignores the inventory file and the call of a lookup.
    """

    _given: tuple[Any, Any] = (None, None)

    def set_options(self, task_keys: Any = None, var_options: Any = None, direct: Any = None) -> None:
        """Set the options, and remember what they are read from."""
        self._given = (var_options, direct)
        super().set_options(task_keys=task_keys, var_options=var_options, direct=direct)

    def get_option_and_origin(self, option: str, hostvars: Any = None) -> tuple[Any, str]:
        """Return the value of an option, and its origin in Ansible's words."""
        found: tuple[Any, str]
        if IS_TEXT_A_TEMPLATE:
            variables, direct = self._given
            found = constants.config.get_config_value_and_origin(
                option, plugin_type=self.plugin_type, plugin_name=self._load_name, variables=variables, direct=direct
            )
        else:
            found = super().get_option_and_origin(option, hostvars=hostvars)
        return found


if IS_TEXT_A_TEMPLATE:
    from ansible.parsing.yaml.objects import AnsibleVaultEncryptedUnicode
    from ansible.plugins.loader import module_loader
    from ansible.utils.unsafe_proxy import wrap_var

    def trusted(text: str) -> str:
        """Return a text of this collection as a template."""
        return text

    def as_data(value: Any) -> Any:
        """Mark all texts in a value, keys of maps included, so that Ansible never renders them."""
        return wrap_var(value)

    untrusted = as_data

    def as_name(text: str) -> str:
        """Return a name of a host or a group that Ansible never renders.

        ``ansible-inventory`` writes a marked text as a map, which no reader accepts as a name. So it gets names without
        a mark, which contain no template.
        """
        harmless = _TEMPLATE.sub("_", text)
        name: str = harmless if _EXPORT in context.CLIARGS else wrap_var(harmless)
        return name

    def was_vaulted(value: Any) -> bool:
        """Return True if Ansible knows that a value was vaulted: it is passed unchanged."""
        return isinstance(value, AnsibleVaultEncryptedUnicode)

    def module_of(task: Any) -> str:
        """Return the full name of the module that a task calls.

        ``resolved_action`` of these versions names the action plugin that the module is routed to.
        """
        return str(module_loader.find_plugin_with_context(task.action, collection_list=task.collections).resolved_fqcn)

    def without_vault_objects(value: Any) -> Any:
        """Return a value with decrypted texts in place of the objects that stand for vaulted values."""
        if isinstance(value, AnsibleVaultEncryptedUnicode):
            return str(value)
        if isinstance(value, Mapping):
            return {without_vault_objects(name): without_vault_objects(member) for name, member in value.items()}
        return [without_vault_objects(item) for item in value] if isinstance(value, (list, tuple)) else value

else:
    from ansible.parsing.vault import VaultHelper

    def trusted(text: str) -> str:
        """Return a text of this collection as a template."""
        template: str = templates.trust_as_template(text)
        return template

    def as_data(value: Any) -> Any:
        """Return a value unchanged: its texts are not trusted, so Ansible never renders them."""
        return value

    def as_name(text: str) -> str:
        """Return the name of a host or a group unchanged."""
        return text

    def untrusted(value: Any) -> Any:
        """Return a copy of a value without the tags that make its texts templates, whatever they were made of."""
        if isinstance(value, str):
            return str.__str__(value)
        if isinstance(value, Mapping):
            return {untrusted(key): untrusted(item) for key, item in value.items()}
        return [untrusted(item) for item in value] if isinstance(value, (list, tuple)) else value

    def was_vaulted(value: Any) -> bool:
        """Return True if Ansible knows that a value was vaulted: it is passed unchanged."""
        return isinstance(value, str) and VaultHelper.get_ciphertext(value, with_tags=False) is not None

    def module_of(task: Any) -> str:
        """Return the full name of the module that a task calls."""
        return str(task.resolved_action)

    def without_vault_objects(value: Any) -> Any:
        """Return a value unchanged: a vaulted value is a text."""
        return value
