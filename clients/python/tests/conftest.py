"""Fixtures of the SDK's tests: a real service, and clients of it."""

from collections.abc import Iterator

import pytest
from leafspace_client import Leafspace

from tests.support.serving import Service, service

__all__ = ["service"]


@pytest.fixture
def client(service: Service) -> Iterator[Leafspace]:  # the fixture of that name
    with Leafspace(service.url) as connected:
        yield connected
