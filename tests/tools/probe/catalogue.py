# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later
"""The switches that a probe determines: their sides, and the tier that each needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

LOOK, TOUCH, TRACE, NEVER = "look", "touch", "trace", "never"
TIERS = (LOOK, TOUCH, TRACE)
"""The tiers. Each includes the earlier tiers."""


@dataclass(frozen=True)
class Switch:
    """A difference between instances.

    :ivar sides: the documented side first.
    :ivar tier: the first tier that may determine it; ``never`` if none does.
    :ivar why: the default reason if it is not determined.
    """

    name: str
    sides: tuple[str, ...]
    tier: str
    why: str


def _switches(tier: str, why: str, *lines: str) -> list[Switch]:
    """Return switches of one tier and reason, each written as its name and its sides."""
    split = [line.split() for line in lines]
    return [Switch(name, tuple(sides), tier, why) for name, *sides in split]


_TABLE = (
    *_switches(
        LOOK,
        "no listed record shows it",
        "list_envelope items array",
        "list_total given text none",
        "list_echo both page none",
        "page_beyond_end empty clamp",
        "history_beyond_end clamp empty",
        "persons_envelope sort_by sort",
        "filter_eq exact case_blind",
        "filter_unknown_field refuse ignore",
        "presence_operators honour refuse",
        "filter_links either id uuid",
        "places_filter honour ignore",
        "persons_filter honour ignore",
        "persons_sort_by honour ignore",
        "task_filters honour ignore",
        "record_shape flat fields uuid_fields",
        "uuid_key both named",
        "record_id given none",
        "link_read object integer zero",
        "number_form number string",
        "boolean_form boolean integer",
        "empty_keys sent left_out",
        "linked_assets_read list one",
        "attachment_read objects uuids",
        "attachment_name none given",
        "archived_at given none",
        "builtin_labels plain keys",
        "comparison_read status boolean",
        "user_display_name text list",
        "missing_person not_found empty",
        "error_body message detail title empty text",
        "rate_headers none given",
        "cors none any_origin",
        "later_endpoints present absent",
        "hub_billing_keys camel snake",
    ),
    *_switches(
        LOOK,
        "no list has more than 200 records, and no answer reports a smaller page than requested",
        "per_page_cap none 200 100 50",
    ),
    *_switches(LOOK, "there are fewer than three field definitions of objects", "unpaged_lists whole refuse paged"),
    *_switches(
        LOOK,
        "it can only be disproved: two reads returned the same order, or too few records",
        "page_order stable unstable",
    ),
    *_switches(LOOK, "no task is listed", "task_slug given none", "task_stamps none null"),
    *_switches(
        LOOK,
        "no rental case is listed",
        "rental_hours present absent",
        "rental_day_form day time",
        "rental_renter_read object text",
        "rental_references full reduced",
        "rental_stamps given none",
    ),
    *_switches(LOOK, "no listed rental case is past its day", "rental_overdue stay move"),
    *_switches(LOOK, "no answer was 429, and the probe provokes none", "retry_after seconds date none"),
    *_switches(
        TOUCH,
        "it needs a record that can be written and deleted",
        "location_header url path",
        "patch_answer record empty_object empty no_content",
        "room_location coupled independent",
        "write_unknown_field refuse ignore",
        "empty_form as_sent null text list",
        "datetime_read as_written utc",
        "unique_values unprocessable bad_request take",
        "archived_in_lists hidden shown",
        "archive_repeat accept refuse",
        "delete_archived accept refuse",
        "delete_referenced accept refuse",
        "delete_occupied refuse accept",
        "missing_record not_found unprocessable",
    ),
    *_switches(
        TOUCH,
        "it needs a task that can be written and deleted",
        "task_reminders zero_to_two one_to_two",
        "task_empty_references accept refuse",
        "task_put_omitted clear keep",
    ),
    *_switches(
        TOUCH,
        "it needs a rental case that can be written and deleted",
        "rental_overlap accept refuse",
        "rental_null_reminder accept refuse",
        "rental_omitted_reminder clear keep",
        "rental_missing_renter accept error",
        "rental_missing_comment accept refuse",
        "rental_missing_status keep reset",
        "rental_overdue_status accept refuse",
    ),
    *_switches(
        TOUCH,
        "it needs a separate login, with user name, password and client id",
        "refresh_token accept refuse",
        "refresh_rotation once_more single_use",
    ),
    *_switches(TOUCH, "it needs a request to the hub, which is a POST", "hub_nothing object list"),
    *_switches(
        TRACE,
        "it needs a file, which can't be deleted",
        "file_location plain data",
        "file_results messages objects",
        "unattached_files keep forget",
    ),
    *_switches(TRACE, "it needs two field definitions, which can't be deleted", "duplicate_labels accept refuse"),
    *_switches(
        TRACE, "it needs a request that may cause an error of the service", "filter_without_operator refuse error"
    ),
    *_switches(NEVER, "only the person who would be notified can say: ask that person", "task_notify when_true always"),
    *_switches(
        NEVER, "it needs a wrong password, which may lock the account", "wrong_password unauthorized bad_request"
    ),
    *_switches(NEVER, "it needs an account that is limited to locations", "hidden_objects unreadable readable nowhere"),
    *_switches(NEVER, "it needs a revocation, which may end the sessions of others", "revoke session user"),
    *_switches(
        NEVER,
        "it needs a new user, who gets an e-mail and can't be deleted",
        "create_user_none not_found nothing",
        "create_user_several all refuse",
        "create_user_email refuse share",
    ),
    *_switches(
        NEVER,
        "it needs an offer on the hub, which is published",
        "hub_repeat_offer refuse accept",
        "hub_category any known",
        "hub_priceless_object accept error",
    ),
)

SWITCHES: Mapping[str, Switch] = {switch.name: switch for switch in _TABLE}
"""Every switch by name."""
