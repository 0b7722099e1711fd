# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The vendor's published Python client does what its own live tests do not try."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
import seventhings as vendor
from seventhings import models

from .bodies import NOBODY, code
from .judge import PREFIX
from .support import Emulator, Steering


def account(emulator: Emulator) -> dict[str, Any]:
    """Return the options of a client that signs in."""
    names = ("base_url", "username", "password", "client_id")
    url, username, password, client_id = (emulator.about[name] for name in names)
    options = {"username": username, "password": password, "client_id": client_id, "rate_limit": 0}
    return {"base_url": url.removesuffix(PREFIX), **options}


@pytest.fixture
def client(emulator: Emulator, steering: Steering) -> Iterator[vendor.Client]:
    assert steering.weather
    with vendor.Client.with_credentials(**account(emulator)) as found:
        yield found


@pytest.mark.sample(1000)
@pytest.mark.parametrize("name", ["objects", "rooms", "locations", "persons", "users", "rentals", "catalog_items"])
def test_iterators_read_every_page(client: vendor.Client, name: str) -> None:
    service = getattr(client, name)
    small: Any = {"users": models.UserListOptions, "persons": models.PersonListOptions}.get(name, models.ListOptions)
    whole = service.list(small(per_page=1000))
    everything = list(service.all(small(per_page=3)))
    assert everything == list(getattr(whole, "items", whole))
    assert len(everything) > 1


@pytest.mark.sample(1000)
@pytest.mark.parametrize("name", ["objects", "rooms", "locations", "persons", "tasks", "rentals"])
def test_histories(client: vendor.Client, name: str) -> None:
    service = getattr(client, name)
    listed = service.list()
    (record, *_others) = getattr(listed, "items", listed)
    uuid = record["uuid"] if isinstance(record, dict) else record.uuid
    found = service.history(uuid, models.HistoryListOptions(page=1, per_page=2))
    assert (found.page, found.per_page) == (1, 2)


def test_single_sign_on(client: vendor.Client, emulator: Emulator, steering: Steering) -> None:
    given = steering.call("POST", "/sso-codes", {})
    target = models.SSOAppTarget.WEB
    client.auth.login_sso(given["provider_name"], given["auth_code"], emulator.about["client_id"], target)
    assert client.objects.count() > 0


def test_missing_fields_and_items_of_the_hub(client: vendor.Client) -> None:
    asset = models.AssetTrackingTemplate.ASSET
    assert set(client.field_definitions.missing_mandatory_fields(asset, {"barcode": "x"})) == {"inventory_name"}
    items = list(client.circularity_hub.all_items())
    client.circularity_hub.delete_item(items[0]["id"])
    assert list(client.circularity_hub.all_items()) == items[1:]


def test_errors(client: vendor.Client, steering: Steering) -> None:
    steering.call("PUT", "/faults", [{"fault": "429", "retry_after": 7, "times": 1}])
    with pytest.raises(vendor.APIError) as caught:
        client.users.list()
    assert caught.value.is_rate_limited
    assert caught.value.retry_after() == timedelta(seconds=7)
    steering.call("PUT", "/faults", [{"fault": "reset_before", "times": 1}])
    with pytest.raises(vendor.NetworkError):
        client.users.get(NOBODY)
    steering.call("PUT", "/settings", {"modules_off": ["rental"]})
    with pytest.raises(vendor.APIError) as caught:
        client.rentals.list()
    assert caught.value.is_feature_inactive


def test_asynchronous_client(emulator: Emulator, steering: Steering) -> None:
    async def work() -> None:
        async with await vendor.AsyncClient.with_credentials(**account(emulator)) as client:
            created = await client.objects.create({"inventory_name": "Lamp", "barcode": code()})
            assert (await client.objects.get(created))["inventory_name"] == "Lamp"
            assert len([entry async for entry in client.objects.all()]) == await client.objects.count()
            await client.objects.delete(created)

    assert steering.weather
    asyncio.run(work())
