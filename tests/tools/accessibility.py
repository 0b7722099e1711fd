# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Check the HTML report with axe in headless Chromium: WCAG 2.2 AA, light and dark, wide and at 375 pixels.

Chromium and npm must be on PATH. The two npm packages are installed below .build.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from embedded_here import Embedded
from instance_site import SETTINGS, yaml_list
from project import BUILD, ROOT

from ansible_collections.community.seventhings.plugins.plugin_utils.report.html_report import as_html

_WORK = BUILD / "accessibility"
_PACKAGES = ("axe-core@4", "puppeteer-core@24")
_SCRIPT = ROOT / "tests" / "tools" / "accessibility.mjs"
_BROWSERS = ("chromium", "chromium-browser", "google-chrome")
_OBJECTS = 6000
_FIRST_VIEW = 2000
"""Maximum milliseconds until a part of a long report is visible."""


def pages() -> list[Path]:
    """Write the page of a long plan with moves, removals and warnings, and that of a comparison."""
    site = Embedded.started(data="empty").site(_WORK / "site")
    places = {
        "locations.yml": "- name: Head\n",
        "rooms.yml": yaml_list({"number": f"0.{number}", "building_id": "Head"} for number in range(9)),
        "persons.yml": "- {email: ada@acme.example, first_name: Ada}\n",
    }
    policy = "policy: {prune: {objects: archive}}\n"
    limits = {"update_percent": 100, "delete_percent": 100}

    def things(numbers: range, room: int) -> str:
        return yaml_list(
            {
                "barcode": str(100001 + number),
                "inventory_name": f"Thing {number + room}",
                "target_room": f"Head/0.{(number + room) % 9}",
                "purchasing_price": number,
                "responsible_person": "ada@acme.example",
            }
            for number in numbers
        )

    site.write({"instance.yml": f"{SETTINGS}{policy}", **places, "objects.yml": things(range(_OBJECTS), 0)})
    site.run()
    site.write({"objects.yml": things(range(20, _OBJECTS), 1)})
    found = {"plan": site.plan(limits=limits), "drift": site.plan(drift=True)}
    for name, result in found.items():
        (_WORK / f"{name}.html").write_text(as_html(result), "utf-8")
    return [_WORK / f"{name}.html" for name in found]


def main() -> int:
    """Check all pages and print their violations."""
    browser = next(filter(None, map(shutil.which, _BROWSERS)), None)
    if browser is None or shutil.which("npm") is None:
        print("Chromium and npm are needed: install them, and run this again.")
        return 1
    shutil.rmtree(_WORK / "site", ignore_errors=True)
    _WORK.mkdir(parents=True, exist_ok=True)
    (_WORK / "site").mkdir()
    install = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(_WORK), *_PACKAGES]
    subprocess.run(install, check=True, env={**os.environ, "PUPPETEER_SKIP_DOWNLOAD": "1"})
    shutil.copy(_SCRIPT, _WORK / _SCRIPT.name)
    command = ["node", str(_WORK / _SCRIPT.name), browser, *map(str, pages())]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    for result in found:
        wrong = [*result["violations"], *(["wider than the window"] if result["overflows"] else [])]
        late = [f"first view after {result['seen']} ms"] if result["seen"] > _FIRST_VIEW else []
        shown = "; ".join([*wrong, *late]) or f"nothing wrong, first view after {result['seen']} ms"
        print(f"{Path(result['page']).name} {result['width']} px {result['scheme']}: {shown}")
        result["wrong"] = bool(wrong or late)
    return int(any(result["wrong"] for result in found))


if __name__ == "__main__":
    sys.exit(main())
