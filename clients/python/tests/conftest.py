"""Fixtures of the SDK's tests: clients of the test process's service."""

import sys
from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from leafspace_client import Leafspace

from tests.support.additive_effects import effects_add_up
from tests.support.serving import Service

__all__ = ["effects_add_up"]


@pytest.fixture
def client(service: Service) -> Iterator[Leafspace]:
    with Leafspace(service.url) as connected:
        yield connected


@pytest.fixture(scope="session", autouse=True)
def _operator_versions_are_looked_up_once() -> None:
    """Have skl2onnx look through all operators of ONNX once, and not at each of a thousand conversions (7 ms)."""
    containers = sys.modules.get("skl2onnx.common._container")  # where no test file converts, it is not imported
    if containers is not None:
        looked_up = SimpleNamespace()
        containers.ModelComponentContainer._build_op_version(looked_up)
        containers.ModelComponentContainer._op_versions = looked_up._op_versions
