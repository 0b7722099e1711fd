# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line: start the service, print its address, stop it cleanly."""

from __future__ import annotations

import argparse
import asyncio
import importlib.util
import json
import logging
import os
import shlex
import signal
import sqlite3
import sys
from collections.abc import Sequence
from pathlib import Path

from . import switches
from .startdata.credentials import CLIENT_ID, PASSWORD, USERNAME

_HOST = "127.0.0.1"
_PACKAGES = ("aiohttp", "fpdf", "jsonschema", "PIL", "yaml")
"""The packages of requirements.txt to the names that they are imported by."""
_DESCRIPTION = """\
An asset-management service on this machine, to try playbooks on and to test clients against.
It speaks the whole interface, keeps its data in SQLite and can be as awkward as real instances are.
"""
_EPILOG = """\
The first line on standard output, and the ready file, hold one JSON object:
  {"base_url", "username", "password", "client_id", "admin_url"}

Steering (no token needed), below admin_url:
  GET DELETE /requests           what was sent
  GET PUT /switches              the weather: {"name": "side"}, {"weather": "calm" | "rough"}
  GET PUT POST DELETE /faults    {"method", "path", "fault", "probability", "after", "times", ...};
                                 PUT /faults?seed=... draws the same chances in the same order
  PUT /rate-limit                {"per_minute": 200, "burst": 10} or null
  POST /forward                  {"seconds": 30}: what is due within them comes now
  POST /draw                     {"seed": 7}: rough weather by chance: switches, faults and settings
  POST /users, /sso-codes, /tokens/expire
  POST /scan                     {"code", "room": uuid or "Location/Number", "user"}: scan an object in a room
  POST /reset                    the start data again; {"sign_out": true}: of those signed in nobody stays so,
                                 {"calm": true}: calm weather, no faults, no rate limit and default settings as well
  GET PUT /settings              {"access_token_seconds", "modules_off", "missing_operations", "answers",
                                 "read_lag_seconds"}
  GET /dump[?canonical=1], /mails
"""


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    if options.list_switches:
        sys.stdout.write(switches.as_markdown())
        return 0
    missing = [name for name in _PACKAGES if importlib.util.find_spec(name) is None]
    if missing:
        wanted = os.path.relpath(Path(__file__).parents[1] / "requirements.txt")
        print(
            f"emulator: this Python has no {', '.join(missing)}; install what the embedded service needs: "
            f"{sys.executable} -m pip install -r {shlex.quote(wanted)}",
            file=sys.stderr,
        )
        return 1
    logging.getLogger("aiohttp").setLevel(logging.CRITICAL)
    try:
        asyncio.run(_run(options))
    except (OSError, sqlite3.Error, ValueError) as error:
        print(f"emulator: {error}", file=sys.stderr)
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="emulator", description=_DESCRIPTION, epilog=_EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--port", type=int, default=8765, help="port on 127.0.0.1; 0 picks a free one (default: 8765)")
    parser.add_argument(
        "--db", default=":memory:", metavar="FILE", help="where the data is kept; default :memory:, gone at the end"
    )
    parser.add_argument(
        "--data",
        type=_data,
        default="demo",
        metavar="demo|stocktake|empty|N",
        help="what a new database starts with: a small instance, the same after a stocktake, the built-in fields alone,"
        " or N objects",
    )
    parser.add_argument("--ready-file", type=Path, metavar="FILE", help="write the ready line there as well")
    parser.add_argument("--weather", choices=("calm", "rough"), default="calm", help="every switch to that side")
    parser.add_argument(
        "--like",
        type=_profile,
        default={},
        metavar="FILE",
        help="set every switch to its side in a profile that a probe wrote, and the others as --weather says",
    )
    parser.add_argument(
        "--switch", action="append", default=[], type=_switch, metavar="NAME=SIDE", help="one switch; can be repeated"
    )
    parser.add_argument("--list-switches", action="store_true", help="print the table of the switches and stop")
    return parser


def _data(text: str) -> str:
    if text not in ("demo", "stocktake", "empty") and not (text.isdigit() and int(text) > 0):
        raise argparse.ArgumentTypeError(f"{text!r} is not demo, stocktake, empty or a number")
    return text


_LARGEST_PROFILE = 1 << 20
"""Maximum bytes of a profile. A longer file is rejected without reading the rest."""


def _switch(text: str) -> tuple[str, str]:
    try:
        return switches.parse(text)
    except switches.UnknownSide as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _profile(path: str) -> dict[str, str]:
    # Reading a pipe would block, and a device never ends.
    if Path(path).exists() and not Path(path).is_file():
        raise argparse.ArgumentTypeError(f"{path}: this is not a regular file")
    try:
        with Path(path).open("rb") as file:
            return switches.from_profile(file.read(_LARGEST_PROFILE).decode())
    except (OSError, UnicodeDecodeError, switches.UnknownSide) as error:
        raise argparse.ArgumentTypeError(f"{path}: {error}") from None


async def _run(options: argparse.Namespace) -> None:
    # Imported late, so that --help and the table of switches appear at once.
    from aiohttp import web

    from .gateway import Gateway
    from .server import Server
    from .service import Service
    from .startdata.start import StartData
    from .steering.calls import ADMIN, Steering
    from .store import Store

    store = Store(options.db)
    start = StartData(options.data)
    if start.is_new(store):
        start.fill(store)
        if start.count:
            start.keep(store)
    weather = switches.Weather({"weather": options.weather, **options.like, **dict(options.switch)})
    gateway = Gateway(Service(store, weather))
    server = Server(gateway, Steering(gateway, start))

    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopped.set)

    runner = web.ServerRunner(web.Server(server.handle, access_log=None), access_log=None, shutdown_timeout=1)
    await runner.setup()
    site = web.TCPSite(runner, _HOST, options.port, reuse_address=True)
    await site.start()
    port = runner.addresses[0][1]
    server.base_url = f"http://{_HOST}:{port}"
    _announce(options, server.base_url, ADMIN)
    await stopped.wait()
    await runner.cleanup()
    store.close()


def _announce(options: argparse.Namespace, base_url: str, admin: str) -> None:
    ready = {
        "base_url": base_url,
        "username": USERNAME,
        "password": PASSWORD,
        "client_id": CLIENT_ID,
        "admin_url": base_url + admin,
    }
    line = json.dumps(ready)
    if options.ready_file:
        # In one step, so that no reader gets an incomplete file.
        unfinished = options.ready_file.with_name(f"{options.ready_file.name}.{os.getpid()}")
        unfinished.write_text(line + "\n", encoding="utf-8")
        unfinished.replace(options.ready_file)
    exports = [
        f"  export SEVENTHINGS_{name.upper()}={shlex.quote(ready[name])}"
        for name in ("base_url", "username", "password", "client_id")
    ]
    exports.append("  export SEVENTHINGS_RATE_LIMIT=0")
    # In one write, so that a reader that stops after the first line does not end the service.
    print(line, "\nFor Ansible, in another terminal:\n", *exports, "\nCtrl+C ends it.", sep="\n", flush=True)
