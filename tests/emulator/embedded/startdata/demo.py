# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A small, realistic instance that is the same at every start: an interior builder in Saxony with three sites.

It has two states. ``demo`` is a working day: most objects were scanned in last year's stocktake. ``stocktake`` is the
day after the next stocktake: the actual rooms were cleared, and people scanned what they found.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from ..context import Context, internal_context
from ..definitions import Definition
from ..kinds import catalog, hub_items, hub_orders, records, rentals, tasks
from ..kinds.files import insert_file
from ..kinds.hub_data import suggested_category
from ..kinds.scans import scan
from ..kinds.users import insert_user
from ..templates import add_definition
from .builtin import fixed_uuid
from .samples import drawing, manual, note

_DOMAIN = "nordhain.example"
_LAST_STOCKTAKE = datetime(2024, 11, 18, 8, 30, tzinfo=UTC)
_STOCKTAKE = datetime(2025, 11, 17, 8, 30, tzinfo=UTC)
_WITNESS = f"bernd.kowalski@{_DOMAIN}"
"""The person who scanned the objects."""

# A location named by a number has its number from the accounts.
_LOCATIONS = (
    ("Dresden", "Hainstraße 2", "01097", "Dresden", "Germany"),
    ("Werkstatt", "Gewerbepark 14", "01129", "Dresden", "Germany"),
    ("Leipzig", "Karl-Heine-Straße 99", "04229", "Leipzig", "Germany"),
    ("4010", "Brückenstraße 8", "09111", "Chemnitz", "Germany"),
)
_BUILDING = "Raum für alles, was in keinem Raum steht"
# Location, number, name, area, additional information.
_ROOMS: Sequence[tuple[str, str, str, float | None, str | None]] = (
    ("Dresden", "0.01", "Empfang", 28.5, None),
    ("Dresden", "0.12", "Besprechung Elbe", 34.0, None),
    ("Dresden", "1.01", "Großraumbüro", 142.25, None),
    ("Dresden", "1.02", "Buchhaltung", 24.0, None),
    ("Dresden", "1.10", "Serverraum", 9.75, None),
    ("Dresden", "2.01", "Geschäftsleitung", 31.5, None),
    ("Werkstatt", "0.01", "Tischlerei", 210.0, None),
    ("Werkstatt", "0.02", "Werkzeuglager", 46.5, None),
    ("Werkstatt", "0.03", "Lackiererei", 61.0, None),
    ("Leipzig", "3.01", "Atelier", 88.0, None),
    ("Leipzig", "3.02", "Besprechung Pleiße", 22.0, None),
    ("Leipzig", "3.03", "Archiv", 17.5, None),
    ("Dresden", "1.04", "IT-Büro", 19.5, None),
    ("Dresden", "000", "Gebäude Dresden", None, _BUILDING),
    ("Dresden", "001", "Lizenzen", None, "Raum für Immaterielles"),
    ("Werkstatt", "000", "Gebäude Werkstatt", None, _BUILDING),
    ("Leipzig", "000", "Gebäude Leipzig", None, _BUILDING),
    ("4010", "000", "Gebäude Chemnitz", None, _BUILDING),
    ("4010", "0.01", "Ausstellung", 96.0, None),
    ("4010", "A 366", "Lager", 41.0, None),
    ("4010", "A366", "Lager (Liste der Buchhaltung)", None, None),
)
# First name, last name, department, telephone.
_PERSONS = (
    ("Anna", "Lindner", "Geschäftsleitung", "+49 351 5550101"),
    ("Bernd", "Kowalski", "Werkstatt", "+49 351 5550120"),
    ("Clara", "Mendes", "Entwurf", "+49 341 5550301"),
    ("David", "Okafor", "IT", "+49 351 5550110"),
    ("Elif", "Yildiz", "Buchhaltung", "+49 351 5550104"),
    ("Frank", "Petersen", "Werkstatt", "+49 351 5550121"),
    ("Greta", "Novak", "Entwurf", "+49 341 5550302"),
    ("Hannes", "Brandt", "Werkstatt", "+49 351 5550122"),
    ("Irina", "Sokolova", "Entwurf", "+49 341 5550303"),
    ("Jonas", "Meier", "Empfang", "+49 351 5550100"),
)
# The users among them: a controller, a default user, a facility manager for Leipzig, a person from IT. The operator of
# the instance is the service account.
_USERS: Sequence[tuple[Sequence[str], Sequence[str] | None]] = (
    (("read",), None),
    (("read", "tasks"), None),
    (("read", "objects:write", "tasks"), ("Leipzig",)),
    (("read", "write"), None),
)
# The instance's own fields: label, type, attributes.
_FIELDS: Sequence[tuple[str, str, dict[str, str]]] = (
    ("Anlagennummer", "TEXT", {"unique": "yes"}),
    ("Kostenstelle", "TEXT", {}),
    ("Konto", "TEXT", {}),
    ("Nutzungsdauer", "NUMBER", {}),
    ("Rechnungsnummer", "TEXT", {}),
)
_COST_CENTRES = {"Dresden": "1000", "Werkstatt": "2000", "Leipzig": "3000", "4010": "4010"}
# Group of objects: the account and the useful life in years.
_ACCOUNTS: dict[str, tuple[str, int | None]] = {
    "IT": ("0650", 3),
    "Mobiliar": ("0690", 13),
    "Technik": ("0640", 8),
    "Maschinen": ("0440", 10),
    "Werkzeug": ("0460", 6),
    "Fuhrpark": ("0540", 6),
    "Verleih": ("0690", 7),
    "Grundstücke": ("0065", None),
    "Software": ("0027", 5),
}


class _Row(NamedTuple):
    """A row of the table of objects."""

    code: str
    name: str
    group: str
    manufacturer: str
    target: str
    actual: str
    condition: str
    price: str
    bought: str
    weight: str
    quantity: str
    person: str
    serial: str
    asset_number: str
    text: str


# Codes from 100001 are printed labels. IMP- stands for a label that is still to be stuck on. Codes from 999001 are
# assets that nobody can label. The actual room = is the target room.
_OBJECTS = """
100001|Empfangstresen|Mobiliar||Dresden/0.01|=|in use|1890.0|2019-03-11|85.5|1|9||0410-0|Eiche, zwei Meter
100002|Besprechungstisch Elbe|Mobiliar|Wilkhahn|Dresden/0.12|=|in use|1249.5|2020-11-02|64.0|1|0||0433-0|Zehn Plätze
100003|Konferenzstuhl|Mobiliar|Wilkhahn|Dresden/0.12|=|in use|279.9|2020-11-02|7.25|10|0|||Drehstuhl, grau
100004|Deckenbeamer|Technik|Epson|Dresden/0.12|=|in use|899.0|2021-05-20|3.2|1|3|PJ-77120-A|0451-0|An der Decke
100005|Schreibtisch, verstellbar|Mobiliar|Steelcase|Dresden/1.01|=|in use|649.0|2022-01-17|41.0|1|2|||
100006|Schreibtisch, verstellbar|Mobiliar|Steelcase|Dresden/1.01|=|in use|649.0|2022-01-17|41.0|1|6|||
100007|Notebook 14"|IT|Lenovo|Dresden/1.01|=|in use|1399.0|2023-02-06|1.35|1|2|LT-4410-0091|4702-0|16 GB, 512 GB
100008|Notebook 14"|IT|Lenovo|Dresden/1.02|=|in use|1399.0|2023-02-06|1.35|1|4|LT-4410-0092|4703-0|16 GB, 512 GB
100009|Notebook 16"|IT|Lenovo|Dresden/2.01|=|in use|2199.0|2023-09-18|2.1|1|0|LT-5520-0007|4709-0|32 GB, 1 TB
100010|Monitor 27"|IT|Dell|Dresden/1.01|=|in use|329.0|2022-01-17|6.4|1|2|MN-2700-3311||
100011|Monitor 27"|IT|Dell|Dresden/1.02|=|in use|329.0|2022-01-17|6.4|1|4|MN-2700-3312||
100012|Laserdrucker|IT|Brother|Dresden/1.01|=|in repair|749.0|2018-06-04|29.8|1|3|PR-9004-55||Papierstau
100013|Dateiserver|IT|Dell|Dresden/1.10|=|in use|4820.0|2021-10-01|18.0|1|3|SV-1U-20871|4650-0|RAID 6
100014|Feuerlöscher|Technik|Gloria|Dresden/1.10|=|in use|79.5|2020-02-14|9.1|1|3|FE-6-114||
100015|Telefonanlage|IT|Auerswald|Dresden/1.10|=|in use|1180.0|2019-08-05|4.2|1|3||4588-0|
100016|Akkubohrer|Werkzeug|Bosch|Werkstatt/0.02|=|in storage|189.0|2022-04-12|1.8|4|5|CD-18V-801||Zwei Akkus
100017|Notebook 14"|IT|Dell|Dresden/1.04|=|in use|1299.0|2022-09-05|1.4|1|3||4711-0|16 GB, 256 GB
100018|Notebook 14"|IT|Dell|Dresden/1.04|=|in use|1299.0|2022-09-05|1.4|1|8||4712-0|16 GB, 256 GB
100019|Monitor 27"|IT|LG|Dresden/1.04|=|in use|289.0|2022-09-05|6.1|1|3|||
100020|Akkuschrauber|Werkzeug|Makita||Werkstatt/0.02|in storage|159.0|2022-06-20|2.2|1|5|||
100021|Handkreissäge|Werkzeug|Festool|Werkstatt/0.02|=|in storage|459.0|2021-03-30|4.6|2|5|HS-165-033||
100022|Leiter, 12 Sprossen|Werkzeug|Zarges|Werkstatt/0.02|=|in storage|219.0|2019-09-09|14.2|3|7|||Aluminium
100023|Entfernungsmesser|Werkzeug|Leica|Werkstatt/0.02|=|in storage|129.0|2023-03-03|0.14|2|1|LM-60-2290||60 m
100024|Spritzpistole|Werkzeug|SATA|Werkstatt/0.02|Werkstatt/0.03|in use|349.0|2020-07-21|0.6|1|7|SG-4000-12||
100025|Transporter|Fuhrpark|Volkswagen|Werkstatt/0.01|=|in use|31500.0|2021-12-01|2150.0|1|1|WV2ZZZ7HZNH000017|0320-0|
100026|Studiokamera|Technik|Canon|Leipzig/3.01|=|in use|2799.0|2022-10-10|0.74|1|8|SC-R6-40917|4715-0|Mit Objektiv
100027|Stativ|Technik|Manfrotto|Leipzig/3.01|=|in use|239.0|2022-10-10|2.3|2|8|||
100028|Sofa|Mobiliar|Rolf Benz|Leipzig/3.02|=|in use|1150.0|2017-05-15|52.0|1|6|||Dreisitzer, blau
100029|Zeichnungsschrank|Mobiliar||Leipzig/3.03|=|retired||2009-01-05|96.0|1||||A0, zehn Schübe
100030|Bürostuhl|Mobiliar|Interstuhl|Dresden/1.01|=|in use|389.0|2021-01-11|15.0|1|2|||
100031|Bürostuhl|Mobiliar|Interstuhl|Dresden/1.01|=|in use|389.0|2021-01-11|15.0|1|6|||
100032|Bürostuhl|Mobiliar|Interstuhl|Dresden/1.02|=|in use|389.0|2021-01-11|15.0|1|4|||
100033|Aktenvernichter|Technik|HSM|Dresden/1.02|=|in use|540.0|2020-03-16|17.0|1|4|||Stufe P-4
100034|Dockingstation|IT|Dell|Dresden/1.04|=|in use|219.0|2022-09-05|2.0|1|3|||
100035|Dockingstation|IT|Dell|Dresden/1.04|=|in storage|219.0|2022-09-05|2.0|1|3|||
100036|Konferenztelefon|IT|Poly|Dresden/0.12|=|in use|429.0|2021-05-20|2.4|1|3|||
100037|Whiteboard|Mobiliar|Legamaster|Dresden/0.12|=|in use|310.0|2020-11-02|12.0|1|0|||
100038|Kaffeemaschine|Technik|Jura|Dresden/0.01|=|in use|1690.0|2022-11-28|14.0|1|9||0470-0|
100039|Switch, 48 Ports|IT|Aruba|Dresden/1.10|=|in use|1240.0|2021-10-01|4.6|1|3||4651-0|
100040|USV|IT|APC|Dresden/1.10|=|in use|780.0|2021-10-01|24.0|1|3||4652-0|
100041|Tablet 10"|IT|Samsung|Werkstatt/0.01|=|in use|379.0|2022-05-02|2.0|1|1|||Zeichnungen an der Säge
100042|Etikettendrucker|IT|Brother|Dresden/1.04|=|in use|169.0|2020-08-24|2.1|1|3|||
100101|Formatkreissäge|Maschinen|Altendorf|Werkstatt/0.01|=|in use|12400.0|2016-08-29|780.0|1|1|PS-3200-18|0210-0|
100102|Kabeltrommel|Werkzeug|Brennenstuhl|Werkstatt/0.02|=|in use|119.0|2020-05-18|11.0|1|5|||DGUV V3
100103|Abrichthobel|Maschinen|Felder|Werkstatt/0.01|=|in use|4650.0|2017-02-13|310.0|1|1||0211-0|
100104|Absauganlage|Maschinen|Felder|Werkstatt/0.01|=|in use|3900.0|2017-02-13|145.0|1|1||0212-0|
100105|Kompressor|Maschinen|Kaeser|Werkstatt/0.03|=|in use|2890.0|2018-10-22|190.0|1|7||0215-0|
100106|Hubwagen|Maschinen|Jungheinrich|Werkstatt/0.01|=|in use|640.0|2019-06-03|68.0|1|7|||
100107|Lackierkabine|Maschinen|Wiwa|Werkstatt/0.03|=|in use|4790.0|2018-10-22|950.0|1|7||0216-0|
100201|Beamer|Verleih|BenQ|Leipzig/3.02|=|in use|690.0|2021-09-13|2.8|1|8|||
100202|Planschrank|Mobiliar||Leipzig/3.03|=|in storage|820.0|2011-04-04|110.0|1|8||0380-0|
100203|Pedelec|Fuhrpark|Riese und Müller|Leipzig/3.01|=|in use|3690.0|2022-04-04|25.0|1|2||0331-0|
100204|Musterkoffer|Verleih||Leipzig/3.01|=|in storage|260.0|2019-11-18|9.0|1|6|||
100301|Messestand|Verleih||4010/A 366|=|in storage|3400.0|2018-01-29|210.0|1|0||0440-0|
100302|Vitrine|Mobiliar|Glasbau Hahn|4010/0.01|=|in use|1480.0|2018-01-29|88.0|1|0||0441-0|
100303|Bildschirm 55"|Technik|Samsung|4010/0.01|=|in use|1090.0|2020-09-07|19.0|1|0||0455-0|
IMP-000001|Besprechungstisch|Mobiliar||Dresden/0.12||in use|980.0|2022-12-05|48.0|1|0||0475-0|Etikett fehlt noch
IMP-000002|Rollcontainer|Mobiliar||||in use|240.0|2022-12-05|22.0|1|4|||Aus dem Anlagenbuch
IMP-000003|Regal|Mobiliar||Dresden/1.02||in use|310.0|2022-12-05|35.0|1|4|||Etikett fehlt noch
999001|Grundstück Dresden|Grundstücke||Dresden/Gebäude Dresden||in use|420000.0|2008-07-01||1|0||0001-0|
999002|CAD-Lizenz, 5 Plätze|Software|Autodesk|Dresden/Lizenzen||in use|4150.0|2022-01-03||1|3||0002-0|
"""
_ARCHIVED = "100202"
"""An archived object. It blocks the deletion of its room, although no list shows it."""

_FOUND_ELSEWHERE = {
    "100018": "Leipzig/3.01",
    "100030": "Dresden/1.02",
    "100041": "Werkstatt/0.03",
    "100302": "4010/A 366",
}
"""Scan code to the room in which the stocktake found the object."""

_NOT_FOUND = ("100012", "100019", "100204")


def load(context: Context, *, after_stocktake: bool = False) -> None:
    """Load the demonstration data."""
    fields = _fields(context)
    users = _users(context)
    rooms = _places(context)
    persons = _persons(context, users)
    files = _files(context)
    objects = _objects(context, fields, rooms, persons, users, files)
    _scan(context, _LAST_STOCKTAKE, dict(_seen()))
    context.store.run("UPDATE asset SET archived_at = ? WHERE barcode = ?", (context.now, _ARCHIVED))
    _tasks(context, objects, users, files)
    _rental_cases(context, objects, users)
    _hub(context, objects)
    _catalog(context)
    if after_stocktake:
        _stocktake(context)


def _rows() -> list[_Row]:
    return [_Row(*line.split("|")) for line in _OBJECTS.strip().splitlines()]


def _seen() -> Iterator[tuple[str, str]]:
    """Yield each object that was scanned in the last stocktake, with its room."""
    for row in _rows():
        if row.actual:
            yield row.code, row.target if row.actual == "=" else row.actual


def _stocktake(context: Context) -> None:
    """Take stock: clear the actual rooms, and scan the objects that are found."""
    context.store.run("UPDATE asset SET actual_room = NULL, actual_building = NULL WHERE archived_at IS NULL")
    records.compare_fields(context, context.templates["asset"])
    found = {code: room for code, room in _seen() if code not in (*_NOT_FOUND, _ARCHIVED)}
    _scan(context, _STOCKTAKE, {**found, **_FOUND_ELSEWHERE})


def _scan(context: Context, moment: datetime, found: dict[str, str]) -> None:
    witness = context.store.row("SELECT * FROM user WHERE email = ?", (_WITNESS,))
    caller = internal_context(context.service, witness, moment)
    for code, room in found.items():
        scan(caller, code, room)


def _fields(context: Context) -> dict[str, str]:
    """Add the instance's own fields, and return their keys by label."""
    keys = {}
    for label, type_name, attributes in _FIELDS:
        key = keys[label] = f"{label.lower()}_{zlib.crc32(label.encode()):08x}"
        all_of_it = {"form_group": "accounting", "editable": "web_app", **attributes}
        body = {
            "field_type": {"name": type_name, "constraints": []},
            "label": label,
            "comment": "",
            "default_value": None,
            "possible_values": [],
            "attributes": [{"type": name, "value": value} for name, value in all_of_it.items()],
            "relations": [],
        }
        add_definition(context.store, Definition(fixed_uuid("definition", "asset", key), "asset", key, body))
    context.templates.forget()
    return keys


def _users(context: Context) -> list[str]:
    users = []
    for (first, last, _department, _phone), (rights, locations) in zip(_PERSONS, _USERS, strict=False):
        email = _email(first, last)
        users.append(fixed_uuid("user", email))
        insert_user(
            context.store,
            uuid=users[-1],
            email=email,
            firstname=first,
            lastname=last,
            rights=rights,
            locations=locations and [fixed_uuid("location", name) for name in locations],
        )
    return users


def _email(first: str, last: str) -> str:
    return f"{first}.{last}@{_DOMAIN}".lower()


def _insert(context: Context, template: str, name: str, fields: dict[str, Any]) -> str:
    return records.insert(context, context.templates[template], fields, uuid=fixed_uuid(template, name))[1]


def _places(context: Context) -> dict[str, str]:
    locations = {
        name: _insert(
            context,
            "location",
            name,
            {"name": name, "address": address, "zip": code, "city": city, "country": country},
        )
        for name, address, code, city, country in _LOCATIONS
    }
    rooms = {}
    for location, number, name, area, more in _ROOMS:
        path = f"{location}/{number}"
        fields = {"name": name, "number": number, "building_id": locations[location], "area": area}
        rooms[path] = _insert(context, "room", path, {**fields, "additional_information": more})
        rooms.setdefault(f"{location}/{name}", rooms[path])
    return rooms


def _persons(context: Context, users: list[str]) -> list[str]:
    persons = []
    for index, (first, last, department, phone) in enumerate(_PERSONS):
        fields = {
            "email": _email(first, last),
            "first_name": first,
            "last_name": last,
            "department": department,
            "phone": phone,
        }
        persons.append(_insert(context, "person", _email(first, last), fields))
        if index < len(users):
            context.store.run("UPDATE person SET user_uuid = ? WHERE uuid = ?", (users[index], persons[-1]))
    return persons


def _files(context: Context) -> dict[str, str]:
    contents = {
        "saege.pdf": ("application/pdf", manual("Formatkreissäge", "Vor dem Einschalten lesen.")),
        "grundriss.png": ("image/png", drawing()),
        "protokoll.txt": ("text/plain", note("Vollständig und betriebsbereit übergeben.")),
    }
    uuids = {}
    for name, (media, content) in contents.items():
        uuids[name] = fixed_uuid("file", name)
        insert_file(
            context.store, uuid=uuids[name], name=name, media=media, content=content, creator_id=1, now=context.now
        )
    return uuids


def _objects(
    context: Context,
    fields: dict[str, str],
    rooms: dict[str, str],
    persons: list[str],
    users: list[str],
    files: dict[str, str],
) -> dict[str, str]:
    objects = {}
    for row in _rows():
        account, useful_life = _ACCOUNTS[row.group]
        of_accounting = {
            "Anlagennummer": row.asset_number or None,
            "Kostenstelle": _COST_CENTRES.get(row.target.partition("/")[0]),
            "Konto": account,
            "Nutzungsdauer": useful_life,
            "Rechnungsnummer": f"ER-{row.bought[:4]}-{row.code[-4:]}",
        }
        person = int(row.person) if row.person else None
        objects[row.code] = _insert(
            context,
            "asset",
            row.code,
            {
                "inventory_name": row.name,
                "barcode": row.code,
                "inventory_group": row.group,
                "manufacturer": row.manufacturer or None,
                "serial_number": row.serial or None,
                "condition": row.condition,
                "description": row.text or None,
                "purchasing_price": float(row.price) if row.price else None,
                "purchasing_date": row.bought,
                "weight": float(row.weight) if row.weight else None,
                "quantity": int(row.quantity),
                "is_loaned": row.code in ("100016", "100026", "100201"),
                "target_room": rooms[row.target] if row.target else None,
                "responsible_person": None if person is None else persons[person],
                "responsible_user": None if person is None or person >= len(users) else users[person],
                **{fields[label]: value for label, value in of_accounting.items()},
            },
        )
    _more(context, objects, files)
    return objects


def _more(context: Context, objects: dict[str, str], files: dict[str, str]) -> None:
    """Set values of rare types on a few objects."""
    changes: dict[str, dict[str, Any]] = {
        "100004": {"last_inspection": "2024-03-04T09:30:00+01:00", "link": "https://nordhain.example/anleitung/pj"},
        "100007": {"accessories": [objects["100010"]]},
        "100013": {"documents": [files["protokoll.txt"]]},
        "100014": {"next_maintenance": "2027-02-14", "last_inspection": "2025-02-14T10:00:00+01:00"},
        "100101": {"documents": [files["saege.pdf"]], "next_maintenance": "2027-08-29"},
        "100102": {"next_maintenance": "2027-05-18"},
        "100025": {"position": "51.0768,13.7423"},
        "100026": {"accessories": [objects["100027"]], "cover": [files["grundriss.png"]]},
    }
    template = context.templates["asset"]
    for barcode, fields in changes.items():
        records.change(context, template, records.find(context, template, objects[barcode]), fields)


def _tasks(context: Context, objects: dict[str, str], users: list[str], files: dict[str, str]) -> None:
    written: Sequence[tuple[str, str, int, list[str], list[dict[str, Any]], Any, str]] = (
        ("Formatkreissäge warten", "2027-08-29", 1, ["100101"], [_span("weeks", 2)], _span("years", 1), "open"),
        ("Laserdrucker reparieren", "2027-01-15", 3, ["100012"], [_span("days", 3), _span("days", 0)], None, "open"),
        ("Feuerlöscher prüfen", "2027-02-14", 3, ["100014"], [_span("months", 1)], _span("years", 2), "open"),
        ("Akkus bestellen", "2026-12-01", 1, ["100016"], [], None, "open"),
        ("Atelier aufnehmen", "2025-06-30", 2, ["100026", "100027"], [_span("weeks", 1)], None, "closed"),
    )
    for title, deadline, user, barcodes, reminders, recurring, status in written:
        uuid = fixed_uuid("task", title)
        body = {
            "title": title,
            "comment": "Beim üblichen Lieferanten." if title.startswith("Akkus") else None,
            "deadline": deadline,
            "reminders": reminders,
            "recurring_schedule": recurring,
            "assignees": [users[user]],
            "references": [{"type": "asset", "uuid": objects[barcode]} for barcode in barcodes],
            "attachments": [files["saege.pdf"]] if title.startswith("Formatkreissäge") else [],
        }
        tasks.insert(context, body, uuid=uuid)
        context.store.run("UPDATE task SET status = ? WHERE uuid = ?", (status, uuid))


def _span(unit: str, value: int) -> dict[str, Any]:
    return {"unit": unit, "value": value}


def _rental_cases(context: Context, objects: dict[str, str], users: list[str]) -> None:
    plain = {"type": "plain", "value": "Tischlerei Weber"}
    written: Sequence[tuple[str, str, list[str], str, str, dict[str, Any]]] = (
        ("Akkubohrer für die Messe", "borrowed", ["100016"], "2026-11-02", "2027-03-31", plain),
        ("Kamera für den Katalog", "confirmed", ["100026", "100027"], "2027-04-12", "2027-04-16", _user(users[2])),
        ("Leiter für die Fassade", "completed", ["100022"], "2025-05-05", "2025-05-09", plain),
    )
    for title, status, barcodes, issue, due, renter in written:
        body = {
            "title": title,
            "status": status,
            "references": [{"type": "asset", "uuid": objects[barcode]} for barcode in barcodes],
            "issue_date": issue,
            "issue_date_reminder": _span("days", 1) if status == "confirmed" else None,
            "due_date": due,
            "due_date_reminder": _span("days", 2),
            "responsible_user_uuid": users[1],
            "renter": renter,
            "comment": "",
            "attachments": [],
        }
        rentals.insert(context, body, uuid=fixed_uuid("rental_case", title))


def _user(uuid: str) -> dict[str, Any]:
    return {"type": "user", "value": uuid}


def _hub(context: Context, objects: dict[str, str]) -> None:
    items = []
    for barcode, price in (("100028", 380.0), ("100003", 95.0), ("100012", 120.0)):
        sql = "SELECT id, inventory_name, purchasing_price FROM asset WHERE uuid = ?"
        row = context.store.row(sql, (objects[barcode],))
        assert row is not None
        items.append(hub_items.insert(context, row, suggested_category(row["inventory_name"]), price))
    hub_orders.insert(context, items[2:])


def _catalog(context: Context) -> None:
    for name, price, text in (
        ("Schreibtisch, verstellbar", 649.0, "160 x 80 cm"),
        ('Notebook 14"', 1399.0, "16 GB, 512 GB"),
        ('Monitor 27"', 329.0, None),
    ):
        fields = {"inventory_name": name, "purchasing_price": price, "description": text}
        written = {f"catalog_object_{key}": value for key, value in fields.items() if value is not None}
        catalog.insert(context, written, uuid=fixed_uuid("catalog_item", name))
