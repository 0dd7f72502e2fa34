"""One running service for a test process, with a client and a registered forest."""

from collections.abc import Iterator

import pytest

from tests.support.api import Api, Registered, register
from tests.support.serving import Service, service

__all__ = ["service"]


@pytest.fixture(scope="session")
def api(service: Service) -> Iterator[Api]:  # the fixture of that name
    client = Api(service.url)
    yield client
    client.http.close()


@pytest.fixture(scope="session")
def forest(api: Api) -> Registered:
    return register(api, "random_forest_binary")
