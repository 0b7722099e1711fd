#!/usr/bin/env python3
# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Check a plan against a policy: ``python3 policy.py plan.json``."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

MOST_REMOVED = 10
MOST_PERCENT = 20
PRICE = "purchasing_price"


def denied(report: dict[str, Any]) -> Iterator[str]:
    """Yield each reason why a plan is rejected."""
    if report["outcome"] not in ("changed", "unchanged"):
        yield f"the plan came to {report['outcome']}"
    gone = [change for change in report["changes"] if change["action"] in ("delete", "archive")]
    if len(gone) > MOST_REMOVED:
        yield f"{len(gone)} records would be removed; {MOST_REMOVED} may be"
    for change in report["changes"]:
        before, after = change["before"].get(PRICE), change["after"].get(PRICE)
        numbers = isinstance(before, (int, float)) and isinstance(after, (int, float))
        if numbers and abs(after - before) * 100 > MOST_PERCENT * abs(before):
            yield f"{change['section']} {change['key']}: {PRICE} {before} -> {after} is more than {MOST_PERCENT} %"


if __name__ == "__main__":
    try:
        reasons = list(denied(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))))
    except (IndexError, OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        sys.exit(f"policy.py: expected the JSON report of a plan, as in: python3 policy.py plan.json ({error})")
    # Print JSON, so that a name can't look like a separate line.
    print("\n".join(json.dumps(reason) for reason in reasons) or "passed")
    sys.exit(bool(reasons))
