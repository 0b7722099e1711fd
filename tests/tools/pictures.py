# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Create the pictures in docs/images that show real runs: the plan as a page, and terminal animations.

"make generate" creates the charts. The picture of the page needs Chromium on PATH.
"""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

import guides
from charts import IMAGES
from drawing import Shown, terminal
from emulator_process import Emulator, running
from playbook import environment
from project import BIN, BUILD, ROOT

_WORK = BUILD / "pictures"
_BROWSERS = ("chromium", "chromium-browser", "google-chrome")
_LONGEST_PAUSE = 0.7
"""Maximum seconds of a pause in the film."""


def record(service: Emulator, commands: list[str], folder: Path) -> list[Shown]:
    """Run commands, and record each line with its time in seconds."""
    shown: list[Shown] = []
    now = 0.0
    for command in commands:
        shown.append(Shown(now, f"\x1b[32m$\x1b[0m {command}"))
        words = shlex.split(command)
        last = time.monotonic()
        variables = {**service.variables(), "ANSIBLE_FORCE_COLOR": "true", "XDG_STATE_HOME": str(_WORK / "state")}
        variables |= {"ANSIBLE_NOCOLOR": "false", "ANSIBLE_CALLBACK_RESULT_FORMAT": "yaml"}
        with subprocess.Popen(
            [str(BIN / words[0]), *words[1:]],
            cwd=folder,
            env=environment(variables),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        ) as process:
            for line in process.stdout or ():
                moment = time.monotonic()
                now += min(moment - last, _LONGEST_PAUSE)
                last = moment
                shown.append(Shown(now, line.rstrip("\n")))
        if process.returncode:
            sys.exit(f"{command}: exit status {process.returncode}\n" + "\n".join(line.text for line in shown))
        now += _LONGEST_PAUSE
    return [line for line in shown if line.text.strip()]


def film_of_the_readme(service: Emulator) -> str:
    """Record the first example of the README: create, run again, and a change in check mode."""
    first, second = [snippet for snippet in guides.snippets(guides.README) if snippet.mark.startswith("run")][:2]
    (_WORK / "laptop.yml").write_text(first.text, "utf-8")
    (_WORK / "move.yml").write_text(second.text, "utf-8")
    commands = [
        "ansible-playbook laptop.yml",
        "ansible-playbook laptop.yml",
        "ansible-playbook move.yml --check --diff",
    ]
    lines = [Shown(line.at, re.sub(r"\*{20,}", "*" * 20, line.text)) for line in record(service, commands, _WORK)]
    return terminal("A playbook that runs twice, and a change under --check --diff", lines)


def film_of_the_inventory(service: Emulator) -> str:
    """Record an inventory of rooms as hosts, in groups of their locations."""
    folder = _WORK / "acme"
    command = "ansible-inventory -i lab.seventhings.yml --graph"
    return terminal("Rooms and locations as an inventory", record(service, [command], folder))


def page_of_the_plan(service: Emulator) -> Path:
    """Return the plan of changed files as a page."""
    folder = _WORK / "acme"
    service.add_user("ada.jensen@acme.example")
    shutil.copytree(ROOT / "examples" / "acme", folder)
    record(service, ["ansible-playbook site.yml"], folder)
    objects = folder / "objects" / "it.yml"
    text = objects.read_text("utf-8").replace('"849.90"', '"799.00"').replace("2027-05-31", "2028-05-31")
    objects.write_text(text, "utf-8")
    tasks = folder / "tasks.yml"
    tasks.write_text(tasks.read_text("utf-8").replace('deadline: "2027-01-15"', 'deadline: "2027-02-15"'), "utf-8")
    page = _WORK / "plan.html"
    record(service, [f"ansible-playbook site.yml --check -e provision_report={page}"], folder)
    # Hide the user and the machine that took the picture.
    page.write_text(re.sub(r"by [^\s,<]+@[^\s,<]+", "by deploy@controller", page.read_text("utf-8")), "utf-8")
    return page


def photograph(page: Path, picture: Path, size: tuple[int, int]) -> None:
    """Take a picture of a page with Chromium, if installed."""
    browser = next((found for name in _BROWSERS if (found := shutil.which(name))), None)
    if browser is None:
        print(f"{picture.name}: left as it is, because there is no Chromium on PATH")
        return
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--force-device-scale-factor=1"]
    window = f"--window-size={size[0]},{size[1]}"
    command = [browser, *options, window, f"--screenshot={picture}", page.as_uri()]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=120)


def main() -> None:
    """Write the pictures."""
    shutil.rmtree(_WORK, ignore_errors=True)
    _WORK.mkdir(parents=True)
    IMAGES.mkdir(exist_ok=True)
    with running() as service:
        (IMAGES / "terminal.svg").write_text(film_of_the_readme(service), "utf-8")
    with running(data="empty") as service:
        photograph(page_of_the_plan(service), IMAGES / "plan.png", (1100, 1000))
        (IMAGES / "inventory.svg").write_text(film_of_the_inventory(service), "utf-8")
    for picture in sorted(IMAGES.iterdir()):
        print(f"{picture.relative_to(ROOT)}  {picture.stat().st_size // 1024} KiB")


if __name__ == "__main__":
    main()
