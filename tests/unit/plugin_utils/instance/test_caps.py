# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The caps of a task narrow what files and plan files request."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.community.seventhings.plugins.module_utils.errors import InvalidInput
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.desired import (
    SECTIONS,
    DesiredInstance,
    Limits,
    Policy,
    prune_actions,
)
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.positions import Place
from ansible_collections.community.seventhings.plugins.plugin_utils.instance.caps import CAPS, Caps, require_caps

HERE, THERE, ELSEWHERE = "https://here.test", "https://there.test", "https://elsewhere.test"
STRENGTH = ("report", "archive", "delete")


def _some_limits() -> st.SearchStrategy[dict[str, float]]:
    return st.dictionaries(st.sampled_from(list(vars(Limits()))), st.integers(0, 1000).map(float))


def _some_prune() -> st.SearchStrategy[dict[str, str]]:
    pairs = st.sampled_from(list(SECTIONS)).flatmap(
        lambda section: st.tuples(st.just(section), st.sampled_from(prune_actions(section)))
    )
    return st.lists(pairs).map(dict)


@given(_some_limits(), _some_limits(), _some_prune(), _some_prune(), st.booleans())
def test_no_policy_of_the_files_goes_beyond_the_task(
    on_the_task: dict[str, float],
    in_the_files: dict[str, float],
    pruned_by_the_task: dict[str, str],
    pruned_by_the_files: dict[str, str],
    is_protected: bool,
) -> None:
    caps = Caps.from_task({"limits": on_the_task, "prune": pruned_by_the_task, "protected": is_protected})
    written = Policy(pruned_by_the_files, in_the_files)
    found = caps.policy(written)
    limits, defaults = vars(Limits(**found.limits)), vars(Limits())
    for name, number in limits.items():
        assert number == min(on_the_task.get(name, defaults[name]), in_the_files.get(name, number))
    most = {name: on_the_task.get(name, defaults[name]) for name in in_the_files}
    assert found.lowered == {name: number for name, number in most.items() if in_the_files[name] < number}
    for section, action in found.prune.items():
        allowed = pruned_by_the_task.get(section, "report" if is_protected else action)
        assert STRENGTH.index(action) <= STRENGTH.index(allowed)
        assert STRENGTH.index(action) <= STRENGTH.index(pruned_by_the_files.get(section, action))


@pytest.mark.parametrize(
    ("on_the_task", "in_the_files", "are_created"),
    [(False, None, None), (False, False, False), (True, None, True), (True, False, False)],
)
def test_users_are_created_if_the_task_allows_it_and_the_files_do_not_forbid_it(
    on_the_task: bool, in_the_files: bool | None, are_created: bool | None
) -> None:
    found = Caps.from_task({"allow": ["users"] if on_the_task else []}).policy(Policy(create_users=in_the_files))
    assert found.create_users is are_created


@pytest.mark.parametrize(
    ("on_the_task", "is_protected", "are_notified"),
    [(None, False, True), (True, False, True), (False, False, False), (None, True, False), (True, True, True)],
)
def test_assignees_are_notified_if_the_files_ask_for_it_and_the_task_allows_it(
    on_the_task: bool | None, is_protected: bool, are_notified: bool
) -> None:
    caps = Caps.from_task({"notify": on_the_task, "protected": is_protected})
    assert caps.policy(Policy(notify=True)).notify is are_notified
    assert not caps.policy(Policy()).notify


@pytest.mark.parametrize(
    ("expected", "named", "here", "is_expected"),
    [
        ([], [], HERE, True),
        ([], [HERE], HERE, True),
        ([], [THERE], HERE, False),
        ([HERE], [], HERE, True),
        ([HERE], [THERE], HERE, True),
        ([THERE], [HERE], HERE, False),
        ([HERE, THERE], [THERE, ELSEWHERE], HERE, False),
        ([HERE, THERE], [THERE, ELSEWHERE], THERE, True),
        ([HERE, THERE], [THERE, ELSEWHERE], ELSEWHERE, False),
        ([HERE + "/"], [], HERE, True),
    ],
)
def test_the_guard_of_the_task_is_narrowed_by_the_files(
    expected: list[str], named: list[str], here: str, is_expected: bool
) -> None:
    reason = Caps.from_task({"expect_instance": expected}).wrong_instance(here, named)
    assert (reason == "") is is_expected
    assert is_expected or here in reason


@pytest.mark.parametrize("root", ["", "here", "https://user:secret@here.test", "file:///etc/passwd"])
def test_an_invalid_guard_is_an_error(root: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        Caps.from_task({"expect_instance": [root]})
    assert caught.value.message.startswith("expect_instance")
    assert "secret" not in caught.value.message


@pytest.mark.parametrize("value", [True, None, [], {}, "inf", "nan", -1, 10**400, float("inf"), float("nan")])
def test_a_limit_that_is_no_number_is_an_error(value: Any) -> None:
    with pytest.raises(InvalidInput, match=r"limits\.creates: "):
        Caps.from_task({"limits": {"creates": value}})


# ---- what a task says


def test_a_task_that_says_nothing_caps_nothing() -> None:
    assert Caps.from_task({}) == Caps(expected=[])
    assert Caps().policy(Policy({"objects": "delete"})) == Policy({"objects": "delete"})


def test_other_options_are_read_as_written() -> None:
    caps = Caps.from_task(
        {
            "limits": {"creates": "5"},
            "prune": {"objects": "archive"},
            "allow": [],
            "observed": {"objects": ["barcode"]},
        }
    )
    assert (caps.limits, caps.prune) == ({"creates": 5.0}, {"objects": "archive"})
    assert (caps.allow, caps.observed) == (frozenset(), {"objects": ["barcode"]})


@pytest.mark.parametrize("name", ["create_percent", "update_percent", "delete_percent", "from_existing"])
def test_limits_that_depend_on_existing_records_cap_the_scope(name: str) -> None:
    assert Caps.from_task({"limits": {name: 1}}).policy(Policy()).is_capped
    assert not Caps.from_task({"limits": {"creates": 1, "users": 1}}).policy(Policy(limits={name: 1})).is_capped


def test_a_limit_of_an_unknown_name_is_an_error() -> None:
    with pytest.raises(InvalidInput) as caught:
        Caps.from_task({"limits": {"things": 1}})
    assert caught.value.message == (
        "limits.things: 1 does not fit; expected a number from 0 for one of create_percent, update_percent, "
        "delete_percent, from_existing, users, creates, updates, deletes"
    )


@pytest.mark.parametrize(
    ("prune", "message"),
    [
        ({"objects": "burn"}, "prune.objects: 'burn' does not fit; expected report or delete or archive"),
        ({"rooms": "archive"}, "prune.rooms: 'archive' does not fit; expected report or delete"),
        ({"things": "report"}, f"prune.things: expected one of the sections {', '.join(SECTIONS)}"),
    ],
)
def test_an_action_of_prune_that_no_section_has_is_an_error(prune: dict[str, str], message: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        Caps.from_task({"prune": prune})
    assert caught.value.message == message


# ---- what the user hears


ONLY_THOSE = "Of the roots in expect_instance, only those that the files also name count."


@pytest.mark.parametrize(
    ("expected", "named", "reason"),
    [
        (
            [THERE, ELSEWHERE],
            [],
            f"expect_instance names {THERE}, {ELSEWHERE}, and the connection is to {HERE}.",
        ),
        (
            [],
            [f"{THERE}/", ELSEWHERE],
            f"These files are for {THERE}, {ELSEWHERE}, and the connection is to {HERE}. expect_instance overrides it.",
        ),
        (
            [HERE, THERE],
            [THERE],
            f"These files are for {THERE}, and the connection is to {HERE}. {ONLY_THOSE}",
        ),
    ],
)
def test_the_reason_names_the_roots(expected: list[str], named: list[str], reason: str) -> None:
    assert Caps.from_task({"expect_instance": expected}).wrong_instance(HERE, named) == reason


def test_a_limit_that_the_files_raise_is_a_finding_that_says_what_the_task_allows() -> None:
    limits = {"creates": 6.0, "users": 11.0, "updates": 5.0, "from_existing": 10.0}
    places = {"policy.limits.creates": Place("instance.yml", 3), "policy.limits.users": Place("instance.yml", 4)}
    desired = DesiredInstance(policy=Policy(limits=limits), setting_places=places)
    raised = Caps(limits={"creates": 5.0, "updates": 5.0}).raised(desired)
    way_out = "files only lower limits, so set limits"
    assert [(finding.place, finding.message) for finding in raised] == [
        (
            places["policy.limits.creates"],
            f"policy.limits.creates: 6 is more than 5, limits.creates of the task; {way_out}.creates of the task",
        ),
        (
            places["policy.limits.users"],
            f"policy.limits.users: 11 is more than 10, the default; {way_out}.users of the task",
        ),
    ]


# ---- what a protected task must say

COMPLETE: dict[str, Any] = {"limits": {}, "prune": {}, "allow": [], "expect_instance": [HERE]}


@pytest.mark.parametrize("missing", CAPS)
def test_a_protected_task_without_a_cap_is_an_error(missing: str) -> None:
    for written in ({**COMPLETE, missing: None}, {name: value for name, value in COMPLETE.items() if name != missing}):
        with pytest.raises(InvalidInput) as caught:
            require_caps(written)
        assert caught.value.message == f"protected: {missing} must be given too, so that no file decides about it"


def test_all_missing_caps_are_named() -> None:
    with pytest.raises(InvalidInput) as caught:
        require_caps({"limits": {}, "expect_instance": [HERE]})
    assert caught.value.message.startswith("protected: prune, allow must be given too")


def test_a_protected_task_without_an_expected_instance_is_an_error() -> None:
    with pytest.raises(InvalidInput) as caught:
        require_caps({**COMPLETE, "expect_instance": []})
    assert caught.value.message == "protected: expect_instance must name at least one instance"
