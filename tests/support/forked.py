# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Start Python scripts as forks of a parent process that has already imported their modules.

``ansible-playbook`` takes longer to import Ansible than to run a play of one task, and the tests start it more than a
thousand times. A forked process has its own command line, environment, working directory and output, and ends like any
other process. Its parent has also loaded the plugins that Ansible loads for each play, with their documentation, and
the collection, which saves half of the remaining time of a start.

Ansible reads its settings when it is imported. So a parent only forks processes with its own environment, except for
variables that are read later. An environment that is used only once gets no parent.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import json
import os
import runpy
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

_ANSIBLE = (
    "ansible.cli.adhoc",
    "ansible.cli.inventory",
    "ansible.cli.playbook",
    "ansible.executor.process.worker",
    "ansible.executor.task_executor",
    "ansible.playbook.included_file",
    "ansible.playbook.role_include",
    "ansible.plugins.cache",
    "ansible.plugins.connection",
    "ansible.plugins.inventory",
    "ansible.plugins.strategy",
    "ansible.plugins.vars",
    "concurrent.futures.thread",
    "multiprocessing.shared_memory",
    "requests",
    "tomllib",
    "xml.dom.minidom",
    "xml.etree.ElementTree",
    "zoneinfo",
)
_LOADED = ("become", "cache", "callback", "connection", "inventory", "shell", "strategy", "vars")
"""Types of plugins that a play loads completely."""
_ACTIONS = ("ansible.builtin.debug", "community.seventhings.object_info", "community.seventhings.instance")
"""Actions that import most modules that any action imports."""
IMPORTED = dict.fromkeys(("ansible", "ansible-inventory", "ansible-playbook"), _ANSIBLE)
"""Name of a script to the modules that its parent imports."""
_READ_LATER = ("SEVENTHINGS_", "XDG_STATE_HOME", "RECORD_RESULTS_FILE", "ANSIBLE_ASYNC_DIR", "PYTEST_", "CANARY", "RAN")
"""Prefixes of variables that are not read during imports."""
_MOST_PARENTS = 4
_FILES = 3


def run(
    command: Sequence[str],
    directory: Path,
    variables: Mapping[str, str],
    seconds: float,
    is_apart: bool = False,
    errors: str = "strict",
) -> subprocess.CompletedProcess[str]:
    """Run a command without input to its end, as a fork if there is a parent for it. Return its output.

    :param is_apart: True to return its error output separately.
    :param errors: how bytes that are not text are decoded.
    :raises TimeoutError, subprocess.TimeoutExpired: if it took longer than these seconds and was killed.
    """
    with (
        Path(os.devnull).open("rb") as nothing,
        tempfile.TemporaryFile("w+", encoding="utf-8", errors=errors) as printed,
        tempfile.TemporaryFile("w+", encoding="utf-8", errors=errors) as complained,
    ):
        beside = complained if is_apart else printed
        process = start(command, directory, variables, nothing.fileno(), printed.fileno(), beside.fileno())
        if process is None:
            return subprocess.run(
                command,
                cwd=directory,
                env=variables,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE if is_apart else subprocess.STDOUT,
                text=True,
                errors=errors,
                timeout=seconds,
                check=False,
            )
        try:
            status = process.wait(seconds)
        except TimeoutError:
            process.kill()
            raise
        printed.seek(0)
        complained.seek(0)
        return subprocess.CompletedProcess(command, status, printed.read(), complained.read())


class Process:
    """A forked process.

    :ivar pid: its number.
    """

    def __init__(self, channel: socket.socket) -> None:
        self._channel = channel
        self._answers = channel.makefile("rb")
        self.pid = int(self._answers.readline())

    def wait(self, seconds: float) -> int:
        """Return the exit status, or minus the number of the signal that ended the process.

        :raises TimeoutError: if it still runs after these seconds.
        """
        self._channel.settimeout(seconds)
        status = int(self._answers.readline())
        self._answers.close()
        self._channel.close()
        return status

    def kill(self) -> None:
        """Kill the process, unless :meth:`wait` has already returned."""
        os.kill(self.pid, signal.SIGKILL)


class _Parent:
    def __init__(self, python: str, modules: Sequence[str], variables: Mapping[str, str]) -> None:
        self._control, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [python, __file__, str(theirs.fileno()), *modules],
                env=variables,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
            )

    def start(self, command: Sequence[str], directory: Path, variables: Mapping[str, str], files: list[int]) -> Process:
        ours, theirs = socket.socketpair()
        with theirs:
            socket.send_fds(self._control, [b"."], [theirs.fileno(), *files])
        ours.sendall(json.dumps([list(command), str(directory), dict(variables)]).encode())
        ours.shutdown(socket.SHUT_WR)
        return Process(ours)

    def close(self) -> None:
        # A process that a test forked may hold a copy of it.
        self._control.shutdown(socket.SHUT_RDWR)
        self._control.close()
        self._process.wait()


_parents: dict[tuple[Any, ...], _Parent] = {}
_asked: Counter[tuple[Any, ...]] = Counter()
_looking = threading.Lock()


def start(
    command: Sequence[str], directory: Path, variables: Mapping[str, str], stdin: int, stdout: int, stderr: int
) -> Process | None:
    """Start a script as a fork, if there is a parent for it.

    :param command: the path of the script, and its arguments.
    :param directory: its working directory.
    :param variables: its whole environment.
    """
    shared = {name: value for name, value in variables.items() if not name.startswith(_READ_LATER)}
    script = Path(command[0])
    modules = IMPORTED.get(script.name, ()) if script.parent == Path(sys.executable).parent else ()
    # A process that a test forks does not share the parents of the test's own process.
    key = (os.getpid(), modules, *sorted(shared.items()))
    with _looking:
        _asked[key] += 1
        if not modules or _asked[key] == 1 or not hasattr(os, "pidfd_open"):
            return None
        # The parent that was asked last is the last of them.
        parent = _parents.pop(key, None) or _Parent(sys.executable, modules, shared)
        _parents[key] = parent
        if len(_parents) > _MOST_PARENTS:
            _parents.pop(next(iter(_parents))).close()
        return parent.start(command, directory, variables, [stdin, stdout, stderr])


@atexit.register
def end() -> None:
    """End all parents. Their forked processes continue."""
    while _parents:
        _key, parent = _parents.popitem()
        parent.close()


# ---- in the parent


def _serve(control: socket.socket) -> tuple[socket.socket, list[int]] | None:
    """Fork a process for each request.

    :return: in a forked process its channel and its files; in the parent nothing, after the last request.
    """
    children: dict[int, tuple[int, socket.socket]] = {}
    with selectors.DefaultSelector() as selector:
        selector.register(control, selectors.EVENT_READ)
        while True:
            for ready, _events in selector.select():
                if ready.fd in children:
                    process, channel = children.pop(ready.fd)
                    selector.unregister(ready.fd)
                    os.close(ready.fd)
                    status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
                    with channel, contextlib.suppress(BrokenPipeError):
                        channel.sendall(b"%d\n" % status)
                    continue
                _byte, given, _flags, _address = socket.recv_fds(control, 1, 4)
                if not given:
                    return None
                channel, files = socket.socket(fileno=given[0]), given[1:]
                process = os.fork()
                if not process:
                    for descriptor, (_sibling, other) in children.items():
                        os.close(descriptor)
                        other.close()
                    return channel, files
                for file in files:
                    os.close(file)
                with contextlib.suppress(BrokenPipeError):
                    channel.sendall(b"%d\n" % process)
                watched = os.pidfd_open(process)
                children[watched] = (process, channel)
                selector.register(watched, selectors.EVENT_READ)


def _become(channel: socket.socket, files: Sequence[int]) -> list[str]:
    """Use the files, environment and directory of a request. Return its command line."""
    with channel, channel.makefile("rb") as request:
        command, directory, variables = json.load(request)
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    # Python added everything else when it started, as in each process.
    os.environ.update(variables)
    os.chdir(directory)
    return list(command)


def _own_folder_of_ansible() -> None:
    """Create a folder for the temporary files of this process.

    Ansible creates its folder when it reads its settings.
    """
    constants, manager = sys.modules.get("ansible.constants"), sys.modules.get("ansible.config.manager")
    if constants and manager:
        atexit.unregister(manager.cleanup_tmp_file)
        settings = vars(constants)
        # Below 2.19, the default is a template of other settings.
        settings["DEFAULT_LOCAL_TMP"] = constants.config.get_config_value("DEFAULT_LOCAL_TMP", variables=settings)


def _load_plugins(loaders: Any) -> None:
    """Load the plugins that Ansible loads for each play: its own of some types, and those of the collection.

    :param loaders: the module of Ansible with a loader for each type.
    """
    # Each process says again that plugins of collections may be loaded.
    warnings.filterwarnings("ignore", "AnsibleCollectionFinder has already been configured")
    loaders.init_plugin_loader()
    for kind in _LOADED:
        for _plugin in getattr(loaders, f"{kind}_loader").all(class_only=True):
            pass
    for name in _ACTIONS:
        loaders.action_loader.get(name, class_only=True)


def main(descriptor: str, *modules: str) -> None:
    """Import modules and fork processes. In a forked process run its script."""
    control = socket.socket(fileno=int(descriptor))
    for name in modules:
        importlib.import_module(name)
    if "ansible.plugins.loader" in sys.modules:
        _load_plugins(sys.modules["ansible.plugins.loader"])
    gc.freeze()
    begun = _serve(control)
    control.close()
    if begun:
        atexit.unregister(end)
        sys.argv = _become(*begun)
        sys.path[0] = str(Path(sys.argv[0]).parent)
        _own_folder_of_ansible()
        runpy.run_path(sys.argv[0], run_name="__main__")


if __name__ == "__main__":
    main(*sys.argv[1:])
