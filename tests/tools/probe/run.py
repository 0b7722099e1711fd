# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later
"""Probe one instance."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any

from ansible_collections.community.seventhings.plugins.module_utils.client.client import Client
from ansible_collections.community.seventhings.plugins.module_utils.errors import SeventhingsError
from ansible_collections.community.seventhings.plugins.module_utils.operations.service import account_visibility

from . import trace
from .catalogue import LOOK, TRACE
from .evidence import Evidence
from .exchange import MOST_LOOKS, Asker, SpentAll
from .look import Look
from .profile import profile_of
from .records import ObservedRecords
from .scratch import Journal, Scratch
from .session import observe_session
from .touch import Touch


def probe_instance(
    client: Client,
    tier: str,
    account: Mapping[str, Any],
    journal: Journal,
    today: dt.date | None = None,
) -> dict[str, Any]:
    """Probe an instance and return its profile.

    :param account: username, password and client_id, as far as known, for one more login.
    :param journal: notes scratch records.
    """
    is_look = tier == LOOK
    today = today or dt.datetime.now(dt.UTC).date()
    evidence = Evidence()
    asker = Asker(client, gets_only=is_look, most=MOST_LOOKS if is_look else 0)
    look = Look(asker, evidence, ObservedRecords(evidence), today)
    with asker.listening():
        look.run()
        account_facts = _account_of(client)
        if not is_look:
            # The reads above prove that the instance is the user's, so writing may follow.
            more = (trace.bare_filter, trace.files, trace.labels) if tier == TRACE else ()
            Touch(asker, evidence, look, Scratch(asker, journal), more=more).run()
            observe_session(asker, evidence, account)
    look.conclude()
    return profile_of(look, account_facts, tier, today)


def _account_of(client: Client) -> dict[str, Any]:
    """Return what is hidden from this account, judged by one page of each kind.

    :returns: ``restricted_fields``: kind to the number of hidden fields; their keys would be text of the instance.
        ``hidden_records``: yes, no or unknown.
    """
    try:
        hidden: dict[str, Any] = account_visibility(client)
    except (SeventhingsError, SpentAll):
        # Other questions of the probe report on the lists.
        hidden = {"restricted_fields": {}, "hidden_records": "unknown"}
    counted = {kind: len(keys) for kind, keys in hidden["restricted_fields"].items()}
    return {**hidden, "restricted_fields": counted}
