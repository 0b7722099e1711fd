# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads an instance on the controller and writes its files there."""

from __future__ import annotations

from typing import Any

from ansible.errors import AnsibleError
from ansible.module_utils.basic import missing_required_lib
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible.plugins.action import ActionBase

from ansible_collections.community.seventhings.plugins.module_utils.specs import INSTANCE_EXPORT
from ansible_collections.community.seventhings.plugins.module_utils.transport import REQUESTS_IMPORT_ERROR
from ansible_collections.community.seventhings.plugins.plugin_utils.exporting import export


class ActionModule(ActionBase):
    """Exports an instance as files that can be planned and applied again."""

    _supports_check_mode = True
    _supports_async = False

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        """Ansible's entry point."""
        result: dict[str, Any] = super().run(tmp, task_vars or {})
        if REQUESTS_IMPORT_ERROR is not None:
            raise AnsibleError(missing_required_lib("requests"))
        validated = ArgumentSpecValidator(INSTANCE_EXPORT).validate(self._task.args)
        if validated.error_messages:
            return {**result, "failed": True, "msg": "\n".join(validated.error_messages)}
        result.update(export(validated.validated_parameters, self._task.check_mode))
        return result
