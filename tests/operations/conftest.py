"""The tests' own service, registered with a small model and all that it takes to explain it."""

from collections.abc import Iterator

import pytest

from tests.support.api import Api, Registered, register
from tests.support.serving import Service, serving


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with serving(tmp_path_factory.mktemp("operations") / "data", LEAFSPACE_WORKER_NICENESS="0") as running:
        yield running


@pytest.fixture(scope="session")
def api(service: Service) -> Iterator[Api]:
    found = Api(service.url)
    yield found
    found.http.close()


@pytest.fixture(scope="session")
def registered(api: Api) -> Registered:
    return register(api, "random_forest_binary")
