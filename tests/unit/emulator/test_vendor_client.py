# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Every method of the vendor's published Python client works."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
import seventhings as vendor
from seventhings import models

from .bodies import NOBODY, code
from .judge import PREFIX
from .support import Emulator, Steering
from .test_files import PIXEL


@pytest.fixture
def client(emulator: Emulator, steering: Steering) -> Iterator[vendor.Client]:
    assert steering.weather
    about = emulator.about
    with vendor.Client.with_credentials(
        about["base_url"].removesuffix(PREFIX), about["username"], about["password"], about["client_id"], rate_limit=0
    ) as found:
        yield found


class Watched:
    """A service of the client that records which of its methods were called."""

    def __init__(self, service: Any) -> None:
        self._service = service
        self._called: set[str] = set()

    def __getattr__(self, name: str) -> Any:
        self._called.add(name)
        return getattr(self._service, name)


@contextlib.contextmanager
def whole(service: Any) -> Iterator[Any]:
    """Check that every method of a service of the client is called."""
    watched = Watched(service)
    yield watched
    offered = {
        name for name, _member in inspect.getmembers(type(service), inspect.isfunction) if not name.startswith("_")
    }
    assert watched._called == offered


def filter_for(field: str, value: str) -> Any:
    return models.FilterObject(filter={field: {models.FilterOperator.EQ: value}})


def test_client_itself(client: vendor.Client) -> None:
    assert client.ping().status == "OK"
    response = client.request("GET", "objects", query="per_page=1")
    assert (response.status_code, len(response.json()["items"])) == (200, 1)


def test_auth(client: vendor.Client, emulator: Emulator, steering: Steering) -> None:
    about = emulator.about
    with whole(client.auth) as auth:
        tokens = auth.login(about["username"], about["password"], about["client_id"])
        assert (tokens.token_type, tokens.expires_in) == ("Bearer", 3600)
        renewed = auth.refresh(tokens.refresh_token)
        assert renewed.access_token != tokens.access_token
        assert client.users.get_by_id(renewed.user_id).id == renewed.user_id
        given = steering.call("POST", "/sso-codes", {})
        auth.login_sso(given["provider_name"], given["auth_code"], about["client_id"], models.SSOAppTarget.WEB)
        assert client.objects.count() >= 0
        auth.revoke_tokens()
    with pytest.raises(vendor.APIError) as caught:
        client.objects.list()
    assert caught.value.is_unauthorized
    with pytest.raises(vendor.APIError) as caught:
        client.auth.login(about["username"], "wrong", about["client_id"])
    assert caught.value.is_unauthorized


def test_objects(client: vendor.Client) -> None:
    with whole(client.objects) as objects:
        barcode = code()
        before = objects.count()
        created = objects.create({"inventory_name": "Lamp", "barcode": barcode})
        assert objects.count() == before + 1
        assert objects.get(created)["inventory_name"] == "Lamp"
        assert objects.get_by_barcode(barcode)["asset_uuid"] == created
        objects.patch(created, {"inventory_name": "Bright lamp"})
        options = models.ListOptions().with_per_page(5).sort_by("id", models.SortDirection.DESC)
        found = objects.list(options.where(models.eq("barcode", barcode)))
        assert [entry["inventory_name"] for entry in found] == ["Bright lamp"]
        assert objects.count(models.ListOptions().where(models.in_("barcode", barcode, "x"))) == 1
        assert len(list(objects.all(models.ListOptions(per_page=7)))) == before + 1
        file = client.files.upload("note.txt", b"12345")
        pair = models.FileAttachment(field_key="documents", file_uuid=file)
        assert objects.add_files(created, [pair]).status_code == 200
        assert objects.add_files(created, [pair]).status_code == 207
        assert objects.remove_files(created, [pair]).status_code == 200
        objects.archive(created)
        assert objects.count() == before
        objects.unarchive(created)
        history = objects.history(created, models.HistoryListOptions(page=1, per_page=2))
        assert (history.page, history.per_page, len(history.items)) == (1, 2, 2)
        assert history.items[0]["type"] == "asset"
        objects.delete(created)
        with pytest.raises(vendor.APIError) as caught:
            objects.get(created)
        assert caught.value.is_not_found


@pytest.mark.parametrize("kind", ["rooms", "locations"])
def test_places(client: vendor.Client, kind: str) -> None:
    with whole(getattr(client, kind)) as places:
        fields: dict[str, Any] = {"name": "Place"}
        if kind == "rooms":
            fields |= {"number": code(), "building_id": client.locations.list()[0]["id"]}
        before = places.count()
        created = places.create(fields)
        assert places.get(created)["name"] == "Place"
        assert places.patch(created, {"name": "Other place"})["name"] == "Other place"
        assert [
            entry["name"] for entry in places.list(models.ListOptions().where(models.eq("name", "Other place")))
        ] == ["Other place"]
        assert len(list(places.all())) == before + 1
        entries = places.history(created).items
        assert entries
        assert {getattr(entry, f"{kind[:-1]}_uuid") for entry in entries} == {created}
        places.delete(created)
        assert places.count() == before


def test_users(client: vendor.Client) -> None:
    with whole(client.users) as users:
        listed = users.list(models.UserListOptions(sort_by=models.UserSortBy.EMAIL, order=models.UserSortOrder.DESC))
        assert (listed.sort_by, listed.order, listed.total) == ("email", "desc", len(listed.items))
        assert users.get(listed.items[0].uuid) == listed.items[0]
        assert users.get_by_id(listed.items[0].id) == listed.items[0]
        assert len(list(users.all())) == listed.total


def test_persons(client: vendor.Client) -> None:
    with whole(client.persons) as persons:
        email = f"{code()}@example.org"
        created = persons.create({"first_name": "Ada", "last_name": "Byron", "email": email, "department": "Maths"})
        person = persons.get(created)
        assert (person.uuid, person.firstname, person.lastname, person.email) == (created, "Ada", "Byron", email)
        assert persons.get_by_id(person.id) == person
        persons.patch(created, {"last_name": "Lovelace"})
        assert persons.get(created).lastname == "Lovelace"
        listed = persons.list(models.PersonListOptions(sort_by="email", order=models.UserSortOrder.ASC, per_page=1000))
        assert [entry.email for entry in listed.items] == sorted(entry.email for entry in listed.items)
        assert listed.total == persons.count() == len(list(persons.all()))
        persons.create_user(filter_for("email", email))
        assert [user for user in client.users.all() if user.email == email]
        assert persons.get(created).user_uuid
        assert {entry.person_uuid for entry in persons.history(created).items} == {created}
        persons.delete(created)
        with pytest.raises(vendor.APIError) as caught:
            persons.get(created)
        assert caught.value.is_not_found


def test_files(client: vendor.Client) -> None:
    with whole(client.files) as files:
        uploaded = files.upload("pixel.png", PIXEL)
        file = files.get(uploaded)
        assert (file.uuid, file.name, file.size) == (uploaded, "pixel.png", len(PIXEL))
        assert file in files.list()
        assert files.get_data(uploaded) == PIXEL
        assert files.get_thumbnail(uploaded)[:4] == files.get_thumbnail(uploaded, width=20, height=10)[:4]


def test_tasks(client: vendor.Client) -> None:
    with whole(client.tasks) as tasks:
        thing = client.objects.create({"inventory_name": "Pump", "barcode": code()})
        me = client.users.list().items[0].uuid
        body = models.CreateTask(
            title="Oil the pump",
            deadline="2031-05-20",
            assignees=[me],
            references=[models.TaskReferenceInput(uuid=thing)],
            reminders=[models.TimeInterval(unit=models.TimeIntervalUnit.WEEKS, value=2)],
            recurring_schedule=models.TimeInterval(unit=models.TimeIntervalUnit.MONTHS, value=6),
            comment="slowly",
            attachments=[client.files.upload("oil.txt", b"oil")],
            notify=False,
        )
        created = tasks.create(body)
        task = tasks.get(created)
        assert (task.title, task.status, task.assignees, task.comment) == ("Oil the pump", "open", [me], "slowly")
        assert (task.references[0].uuid, task.attachments[0].name) == (thing, "oil.txt")
        assert task.recurring_schedule == body.recurring_schedule
        update = models.UpdateTask(
            title="Grease the pump",
            deadline=body.deadline,
            assignees=body.assignees,
            references=body.references,
            reminders=[],
        )
        tasks.update(created, update)
        assert (tasks.get(created).title, tasks.get(created).reminders) == ("Grease the pump", [])
        tasks.update_status(created, models.TaskStatus.CLOSED)
        found = tasks.list(
            models.TaskListOptions(status=models.TaskStatus.CLOSED, deadline_to="2031-05-20", assignee=me)
        )
        assert created in [entry.uuid for entry in found]
        assert {entry.task_uuid for entry in tasks.history(created).items} == {created}
        tasks.delete(created)
        with pytest.raises(vendor.APIError) as caught:
            tasks.get(created)
        assert caught.value.is_not_found


def test_rentals(client: vendor.Client, steering: Steering) -> None:
    with whole(client.rentals) as rentals:
        thing = client.objects.create({"inventory_name": "Tent", "barcode": code()})
        body = models.CreateRentalCase(
            title="Camping",
            renter=models.RentalCaseRenter(type=models.RenterType.PLAIN, value="A neighbour"),
            issue_date="2031-05-20",
            due_date="2031-05-27",
            responsible_user_uuid=client.users.list().items[0].uuid,
            references=[models.RentalCaseReferenceInput(uuid=thing)],
            issue_date_reminder=models.TimeInterval(unit=models.TimeIntervalUnit.DAYS, value=1),
        )
        created = rentals.create(body)
        case = rentals.get(created)
        assert (case.title, case.renter, case.issue_date_reminder) == ("Camping", body.renter, body.issue_date_reminder)
        assert case.references[0].uuid == thing
        update = models.UpdateRentalCase(
            title="Hiking",
            renter=body.renter,
            issue_date=body.issue_date,
            due_date=body.due_date,
            responsible_user_uuid=body.responsible_user_uuid,
            references=body.references,
        )
        rentals.update(created, update)
        assert (rentals.get(created).title, rentals.get(created).issue_date_reminder) == ("Hiking", None)
        assert [entry.uuid for entry in rentals.list(models.ListOptions().where(models.eq("title", "Hiking")))] == [
            created
        ]
        assert created in [entry.uuid for entry in rentals.all()]
        assert {entry.rental_case_uuid for entry in rentals.history(created).items} == {created}
        rentals.delete(created)
    steering.call("PUT", "/settings", {"modules_off": ["rental"]})
    with pytest.raises(vendor.APIError) as caught:
        client.rentals.list()
    assert caught.value.is_feature_inactive


def test_field_definitions(client: vendor.Client) -> None:
    with whole(client.field_definitions) as definitions:
        asset = models.AssetTrackingTemplate.ASSET
        body = models.CreateFieldDefinition(
            field_type=models.FieldDefinitionFieldType(
                name=models.FieldTypeName.DROPDOWN,
                constraints=[models.FieldValueConstraint(type="allowed_values", value=["red", "green"])],
            ),
            label="Colour",
            attributes=[models.FieldAttribute(type="mandatory", value="no")],
        )
        created = definitions.create(asset, body)
        found = definitions.get(asset, created)
        assert (found.label, found.field_type.allowed_values()) == ("Colour", ["red", "green"])
        assert found in definitions.list(asset)
        mandatory = {entry.field_key for entry in definitions.mandatory(asset)}
        assert mandatory == {"inventory_name", "barcode"}
        assert set(definitions.missing_mandatory_fields(asset, {"barcode": "x"})) == {"inventory_name"}
        definitions.update(asset, created, replace(models.UpdateFieldDefinition.from_definition(found), label="Paint"))
        assert definitions.get(asset, created).label == "Paint"
        thing = client.objects.create({"inventory_name": "Door", "barcode": code(), found.field_key: "red"})
        with pytest.raises(vendor.APIError):
            client.objects.patch(thing, {found.field_key: "blue"})


def test_circularity_hub(client: vendor.Client) -> None:
    with whole(client.circularity_hub) as hub:
        barcode = code()
        thing = client.objects.create({"inventory_name": "Chair", "barcode": barcode, "purchasing_price": 100})
        category = hub.suggest_category(filter_for("barcode", barcode))[thing]
        price = hub.suggest_rest_price({thing: category})[thing]
        assert float(price) >= 0
        assert not hub.suggest_category(filter_for("barcode", "nothing"))
        hub.add_objects({thing: models.AddObjectEntry(category=category, price="30.00")})
        number = client.objects.get(thing)["id"]
        (item,) = [entry for entry in hub.all_items() if entry["asset_id"] == number]
        hub.update_item(item["id"], {"price": 25})
        assert hub.get_item(item["id"])["price"] == 25
        assert item["id"] in [entry["id"] for entry in hub.list_items(models.ListOptions(per_page=1000))]
        order = hub.create_order([item["id"]])
        assert (hub.get_order(order).id, hub.get_order(order).total_price) == (order, 25)
        hub.update_order(order, {"cancelled": True, "cancellation_reason": "broken"})
        assert (hub.get_order(order).cancelled, hub.get_order(order).cancellation_reason) == (True, "broken")
        assert order in [entry.id for entry in hub.list_orders(models.ListOptions(per_page=1000))]
        other = client.objects.create({"inventory_name": "Desk", "barcode": code(), "purchasing_price": 10})
        hub.add_objects({other: models.AddObjectEntry(category=category, price="1")})
        number = client.objects.get(other)["id"]
        (item,) = [entry for entry in hub.all_items() if entry["asset_id"] == number]
        hub.delete_item(item["id"])
        assert item["id"] not in [entry["id"] for entry in hub.all_items()]


def test_reports(client: vendor.Client) -> None:
    with whole(client.reports) as reports:
        template = reports.list_templates()[0]
        thing = client.objects.list(models.ListOptions(per_page=1))[0]["asset_uuid"]
        assert reports.create(models.CreateReport(template.uuid, [thing])).startswith(b"%PDF-")


def test_catalog(client: vendor.Client) -> None:
    with whole(client.catalog_items) as catalog:
        created = catalog.create({"catalog_object_inventory_name": "Chair"})
        item = catalog.get(created)
        assert (item.uuid, item.fields["catalog_object_inventory_name"]) == (created, "Chair")
        catalog.update(created, {**item.fields, "catalog_object_inventory_name": "Stool"})
        assert catalog.get(created).fields["catalog_object_inventory_name"] == "Stool"
        assert catalog.list(models.ListOptions(per_page=1000)).total == len(list(catalog.all()))
        catalog.delete(created)
        with pytest.raises(vendor.APIError) as caught:
            catalog.get(created)
        assert caught.value.is_not_found


def test_retry_after(client: vendor.Client, steering: Steering) -> None:
    steering.call("PUT", "/faults", [{"fault": "429", "retry_after": 7, "times": 1}])
    with pytest.raises(vendor.APIError) as caught:
        client.users.list()
    assert caught.value.is_rate_limited
    assert caught.value.retry_after() == timedelta(seconds=7)


def test_broken_connection(client: vendor.Client, steering: Steering) -> None:
    steering.fault(fault="reset_before", times=1)
    with pytest.raises(vendor.NetworkError):
        client.users.get(NOBODY)


def test_asynchronous_client(emulator: Emulator, steering: Steering) -> None:
    about = emulator.about

    async def work() -> None:
        async with await vendor.AsyncClient.with_credentials(
            about["base_url"].removesuffix(PREFIX),
            about["username"],
            about["password"],
            about["client_id"],
            rate_limit=0,
        ) as client:
            created = await client.objects.create({"inventory_name": "Lamp", "barcode": code()})
            assert (await client.objects.get(created))["inventory_name"] == "Lamp"
            assert len([entry async for entry in client.objects.all()]) == await client.objects.count()
            await client.objects.delete(created)

    assert steering.weather
    asyncio.run(work())
