# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""End a worker of Ansible whose ansible-playbook was killed.

Workers hand results and lines for the screen to ansible-playbook through one pipe. A worker has both ends of it, so
without ansible-playbook a full pipe blocks the worker for ever, and no error reports that nobody reads.
"""

from __future__ import annotations

import multiprocessing
import os
import threading
import time

#: Seconds in which requests that are pending may end and be noted in the journal.
_GRACE = 5.0
_LOOK_EVERY = 1.0

#: The processes that are watched: a forked process inherits this set, but no thread.
_WATCHED: set[int] = set()


def end_with_parent() -> None:
    """End this process soon after the one that forked it, whatever it is doing. Only workers have such a process."""
    parent = multiprocessing.parent_process()
    if parent is None or parent.pid is None or os.getpid() in _WATCHED:
        return
    _WATCHED.add(os.getpid())
    threading.Thread(target=_watch, args=(parent.pid,), daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_LOOK_EVERY)
    time.sleep(_GRACE)
    os._exit(1)
