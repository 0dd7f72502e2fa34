"""Fixtures of the SDK's tests: clients of the test process's service."""

from collections.abc import Iterator

import pytest
from leafspace_client import Leafspace

from tests.support.additive_effects import effects_add_up
from tests.support.serving import Service

__all__ = ["effects_add_up"]


@pytest.fixture
def client(service: Service) -> Iterator[Leafspace]:
    with Leafspace(service.url) as connected:
        yield connected
