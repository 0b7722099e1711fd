# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Connect modules to Ansible: options in, result out, errors to ``fail_json``.

A module binds a name to the engine with one call.
"""

from __future__ import annotations

from .python_floor import require_python

require_python()

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn, TypeAlias

from ansible.module_utils.basic import AnsibleModule
from ansible.module_utils.common.validation import check_required_one_of, check_required_together

from ..client.client import Client
from ..client.connection import connect, hidden_in, risks_of, secrets_in_environment
from ..client.redaction import MASKED, hide_in_result, masked_in
from ..client.session import REQUESTS_IMPORT_ERROR, missing_library
from ..errors import IS_EMPTY, InvalidInput, NoMatch, SeventhingsError, UnknownField
from ..model.field import words_of
from ..model.kinds import FILE, HUB_ITEM, HUB_ORDER, KINDS, USER, Kind
from ..operations.accounts import auth_token, user_from_person, user_to_come
from ..operations.api import api, api_info
from ..operations.attachments import ATTACHED_TO, file, file_to_come
from ..operations.downloads import download_to_come, file_download, report, report_template_info, report_to_come
from ..operations.hub_items import hub_item, hub_suggestion_info, item_to_come
from ..operations.hub_orders import hub_order, order_to_come
from ..operations.service import history_info, service_info
from ..printing.cleaner import clean, clean_lines, sanitized
from ..reconcile.reconcile import DesiredRecord, ensure
from ..reconcile.result import Result
from ..resolve.hidden_records import NO, UNKNOWN
from ..resolve.listing import ListResult, by_label, list_by_barcode, list_records
from . import argument_specs

Options = Mapping[str, Any]
ModuleResult = dict[str, Any]
#: What a module returns: a change, records, or all members of its result.
Done: TypeAlias = Result | ListResult | ModuleResult


@dataclass(frozen=True)
class Invocation:
    """One call of a module.

    :ivar options: validated, with defaults.
    :ivar written: as the user wrote them. A missing option was not set, which is not the same as null.
    :ivar diff_mode: True in diff mode. Names in the diff may then cost requests.
    """

    options: Options
    written: Options
    check_mode: bool
    diff_mode: bool = False


@dataclass(frozen=True)
class ModuleSpec:
    """A module: its options, the rules between them, and its function.

    :ivar not_yet: returns the prediction of check mode if a record or field does not exist, because an earlier task of
        the play may create it. If it is None, or if the name is a typo of an existing name, that is an error in check
        mode, too.
    :ivar creates: the kind of record that the module may create; empty for none.
    """

    spec: argument_specs.Spec
    run: Callable[[Client, Invocation], Done]
    rules: Mapping[str, Any]
    not_yet: Callable[[Options], Result] | None = None
    creates: str = ""


def _as_written(invocation: Invocation, name: str) -> Any:
    """Return the value of an option as it was before Ansible converted a number to text.

    Lists and maps are as Ansible parsed them.
    """
    converted = invocation.options.get(name)
    return converted if isinstance(converted, (list, dict, bool)) else invocation.written[name]


def _empty_mark(kind: Kind, invocation: Invocation) -> str:
    """Return the option that is empty because an earlier task of the play would create the record; empty for none.

    Before ansible-core 2.19, a template of null results in an empty text.
    """
    options, written = invocation.options, invocation.written
    names = {"uuid": True, "field_key": kind.defines_fields and not options.get("label")}
    return next((name for name, is_mark in names.items() if is_mark and name in written and not options[name]), "")


def _pending(name: str, state: str, fields: Options) -> ModuleResult:
    """Return the result of check mode for a mark of a record that an earlier task of the play would have created."""
    after = {key: value for key, value in fields.items() if key != name}
    note = IS_EMPTY.format(name)
    return Result(state == "present", after, None, {"before": {}, "after": after}, (note,)).result()


def _record_module(kind: Kind) -> ModuleSpec:
    def run(client: Client, invocation: Invocation) -> ModuleResult:
        options = invocation.options
        if "fields" in options:
            fields, prefix = options["fields"] or {}, "fields."
        else:
            given = [field.key for field in kind.fields if field.key in invocation.written]
            fields, prefix = {key: _as_written(invocation, key) for key in given}, ""
        if invocation.check_mode and (mark := _empty_mark(kind, invocation)):
            return _pending(mark, options["state"], fields)
        desired = DesiredRecord(
            kind,
            fields,
            prefix,
            options.get("match_on"),
            options.get("uuid"),
            options["state"],
            options.get("template") or "",
            bool(options.get("allow_unknown_fields")),
            frozenset(options.get("allow") or ()),
            {field.key: options[field.key] for field in kind.write_only if options[field.key] is not None},
            options.get("timezone") or "",
        )
        report = ensure(client, desired, invocation.check_mode, invocation.diff_mode)
        result = report.result()
        if kind.defines_fields:
            result["field_key"] = report.record.get("field_key")
        return result

    # Some kinds have no natural key that is valid on every instance. Their users name the identifying fields.
    rules = {"required_one_of": [("match_on", "uuid")]} if kind.is_named_by_tasks else {}
    return ModuleSpec(argument_specs.record_spec(kind), run, rules, creates=kind.name)


def _info_module(kind: Kind) -> ModuleSpec:
    def run(client: Client, invocation: Invocation) -> ModuleResult:
        options = invocation.options
        if options.get(kind.barcode_key) is not None:
            found = list_by_barcode(client, kind, invocation.written[kind.barcode_key])
        else:
            found = list_records(
                client,
                kind,
                options["id"] if kind.numbered else options["uuid"],
                options["filters"],
                options["sort"],
                options.get("limit"),
                options.get("template") or "",
                count_only=bool(options.get("count")),
            )
        # That is all that is known without a further request.
        result = _members(found) | {"hidden_records": UNKNOWN if kind.can_be_hidden else NO}
        if options.get("keys") == "label" and found.records:
            result["records"], warnings = by_label(client.schema(kind), found.records)
            result |= {"warnings": warnings} if warnings else {}
        return result

    exclusive = ("id" if kind.numbered else "uuid", *((kind.barcode_key,) if kind.barcode_key else ()), "filters")
    return ModuleSpec(argument_specs.info_spec(kind), run, {"mutually_exclusive": [exclusive]})


def _module(
    spec: argument_specs.Spec,
    run: Callable[[Client, Options, bool], Done],
    not_yet: Callable[[Options], Result] | None = None,
    creates: str = "",
    **rules: Any,
) -> ModuleSpec:
    """Return the spec of a module for which an option that was not written counts as null.

    :param spec: its options, without those of the connection.
    """

    def call(client: Client, invocation: Invocation) -> Done:
        return run(client, invocation.options, invocation.check_mode)

    return ModuleSpec({**argument_specs.CONNECTION, **spec}, call, rules, not_yet, creates)


def _reader(spec: argument_specs.Spec, read: Callable[[Client, Options], Done]) -> ModuleSpec:
    """Return the spec of a module that only reads."""
    return _module(spec, lambda client, options, _check_mode: read(client, options))


def _members(done: Done) -> ModuleResult:
    if isinstance(done, Result):
        return done.result()
    if isinstance(done, ListResult):
        return {"changed": False, "records": done.records, "count": done.count, "complete": done.complete}
    return done


#: Every module by its name.
MODULES: dict[str, ModuleSpec] = {
    **{kind.name: _record_module(kind) for kind in KINDS.values() if kind.can_be_created},
    **{f"{kind.name}_info": _info_module(kind) for kind in KINDS.values()},
    "user_from_person": _module(
        argument_specs.USER_FROM_PERSON,
        user_from_person,
        user_to_come,
        USER.name,
        required_one_of=[("person", "filters")],
        mutually_exclusive=[("person", "filters")],
    ),
    "hub_item": _module(argument_specs.HUB_ITEM, hub_item, item_to_come, HUB_ITEM.name),
    "hub_order": _module(
        argument_specs.HUB_ORDER,
        hub_order,
        order_to_come,
        HUB_ORDER.name,
        required_one_of=[("items", "id", "order_number")],
        mutually_exclusive=[("items", "id", "order_number")],
    ),
    "file": _module(
        argument_specs.FILE,
        file,
        file_to_come,
        FILE.name,
        required_one_of=[("path", "uuid")],
        mutually_exclusive=[("path", "uuid"), ATTACHED_TO],
        required_by={"name": "path", **dict.fromkeys(ATTACHED_TO, "field")},
    ),
    "file_download": _module(
        argument_specs.FILE_DOWNLOAD,
        file_download,
        download_to_come,
        required_one_of=[("uuid", "object")],
        mutually_exclusive=[("uuid", "object")],
        required_together=[("object", "field")],
    ),
    "report": _module(argument_specs.REPORT, report, report_to_come),
    "hub_suggestion_info": _reader(argument_specs.HUB_SUGGESTION_INFO, hub_suggestion_info),
    "history_info": _reader(argument_specs.HISTORY_INFO, history_info),
    "report_template_info": _reader({}, lambda client, _options: report_template_info(client)),
    "api": _module(argument_specs.API, api),
    "api_info": _reader(argument_specs.API_INFO, api_info),
    "service_info": _reader({}, lambda client, _options: {"changed": False, **service_info(client)}),
    "auth_token": _module(
        argument_specs.AUTH_TOKEN,
        auth_token,
        required_if=[("grant_type", "sso_auth_code", ("provider_name", "auth_code"))],
    ),
}


def run_module(
    name: str,
    invocation: Invocation,
    client_of: Callable[[Mapping[str, Any], bool], Client],
    secrets: Iterable[str] = (),
) -> ModuleResult:
    """Run a module in any process. Return its result as Ansible wants it, or ``failed`` and ``msg``.

    :param name: of the module, without the collection's.
    :param client_of: returns a client for options and check mode, new or used by earlier items of a loop.
    :param secrets: texts that no result shows, besides the credentials of the client.
    :returns: with ``warnings`` if there are any, and the number of ``requests`` of this call.
    """
    client, before, module_spec = None, 0, MODULES[name]
    try:
        _require_given(module_spec.rules, invocation)
        _require_unmasked(name, invocation.written)
        client = client_of(invocation.options, invocation.check_mode)
        before = client.transport.sent
        result = _members(_run_once(module_spec, client, invocation))
    except SeventhingsError as error:
        result = {"failed": True, "changed": False, "msg": error.message}
        is_to_come = isinstance(error, UnknownField) or (isinstance(error, NoMatch) and not error.is_final)
        if invocation.check_mode and module_spec.not_yet is not None and is_to_come:
            result = {**module_spec.not_yet(invocation.options).result(), "warnings": error.to_come}
    except OSError as error:
        # A local file can't be read or written.
        result = {"failed": True, "changed": False, "msg": clean(str(error))}
    of_connection = client.transport.notes() if client is not None else []
    if warnings := [*risks_of(invocation.options), *result.get("warnings", ()), *of_connection]:
        result = {**result, "warnings": warnings}
    hidden = {*secrets, *(client.tokens.secrets if client is not None else ())}
    return {**hide_in_result(hidden, sanitized(result)), "requests": client.transport.sent - before if client else 0}


def _require_given(rules: Mapping[str, Any], invocation: Invocation) -> None:
    """Apply the rules about required options. In check mode, the uuid of a record to come may be null.

    :raises InvalidInput: if an option is missing.
    """
    pending = {"uuid"} & invocation.written.keys() if invocation.check_mode else set()
    given = {name: value for name, value in invocation.options.items() if value is not None or name in pending}
    try:
        check_required_one_of(rules.get("required_one_of"), given)
        check_required_together(rules.get("required_together"), given)
    except TypeError as missing:
        raise InvalidInput(str(missing)) from None


def _require_unmasked(name: str, written: Options) -> None:
    """Check that nothing that a module writes contains a mask of Ansible.

    :raises InvalidInput: for each place with a mask.
    """
    if name.endswith("_info") or name == "auth_token":
        return
    own = {option: value for option, value in written.items() if option not in argument_specs.CONNECTION}
    masked = [f"{words_of(way)}: {MASKED}" for way in masked_in(own)]
    if masked:
        raise InvalidInput(masked)


def _run_once(module_spec: ModuleSpec, client: Client, invocation: Invocation) -> Done:
    """Run a module under the lock of its kind: if many processes ensure a record, only one of them creates it.

    Run it again if it had to wait for an earlier change of its record.
    """
    if invocation.check_mode:
        return module_spec.run(client, invocation)
    return client.creations.run(
        module_spec.creates, lambda: module_spec.run(client, invocation), client.forget_definitions
    )


class _Module(AnsibleModule):
    """AnsibleModule that remembers which options were written. Later, a missing option and null look the same."""

    written: dict[str, Any]

    def _load_params(self) -> None:
        super()._load_params()
        self.written = dict(self.params)

    def fail_json(self, msg: str, **kwargs: Any) -> NoReturn:
        # Ansible's own error messages quote the value that they reject.
        super().fail_json(clean_lines(msg), **kwargs)
        raise AssertionError("fail_json ends the process")

    def warn(self, warning: str, **kwargs: Any) -> None:
        super().warn(clean(warning), **kwargs)


def run(name: str) -> None:
    """Run a module: read its options, do its work, exit with its result or its error."""
    module_spec = MODULES[name]
    module = _Module(argument_spec=module_spec.spec, supports_check_mode=True, **module_spec.rules)
    if REQUESTS_IMPORT_ERROR is not None:
        module.fail_json(msg=missing_library(), exception=REQUESTS_IMPORT_ERROR)
    module.no_log_values.update(hidden_in(module.params))
    secrets = {*module.no_log_values, *secrets_in_environment()}
    invocation = Invocation(module.params, module.written, module.check_mode, module._diff)
    result = run_module(name, invocation, connect, secrets)
    for warning in result.pop("warnings", ()):
        module.warn(warning)
    if result.pop("failed", False):
        module.fail_json(**result)
    module.exit_json(**result)
