"""Fixtures of the SDK's tests: clients of the test process's service."""

from collections.abc import Iterator

import pytest
from leafspace_client import Leafspace

from tests.support.serving import Service


@pytest.fixture
def client(service: Service) -> Iterator[Leafspace]:
    with Leafspace(service.url) as connected:
        yield connected
