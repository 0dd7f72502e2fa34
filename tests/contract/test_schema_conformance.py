"""The committed description against the real service: what is generated from it, valid or not, is answered as it says.

Never an error of the server, a status or content type that is not described, or a body that its schema does not allow.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.api import Api
from tests.support.contract_cases import RealThings, register_everything
from tests.support.serving import Service, serving

_DESCRIPTION = Path(__file__).parents[2] / "openapi.json"
_PATHS = json.loads(_DESCRIPTION.read_text(encoding="utf-8"))["paths"]
_WITHOUT_END = "/v1/jobs/events"  # an answer that is never whole
_EVERY_OPERATION = pytest.mark.parametrize(
    "operation",
    [
        f"{method.upper()} {path}"
        for path, operations in _PATHS.items()
        for method in operations
        if path != _WITHOUT_END
    ],
)


@pytest.fixture(scope="module")
def things(service: Service) -> RealThings:
    """Return what is on the shared service, which nobody needs afterwards (``tests/support/process_groups.py``)."""
    return register_everything(Api(service.url))


@pytest.fixture(scope="module")
def described(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """Return a service of this file's own: what many requests ask of it fills its queue."""
    directory = tmp_path_factory.mktemp("described") / "data"
    with serving(directory, LEAFSPACE_STORE_EXPLANATIONS="1") as running:
        yield running


@pytest.fixture(scope="module")
def described_things(described: Service) -> RealThings:
    return register_everything(Api(described.url))


@_EVERY_OPERATION
@pytest.mark.sampled("tenths")
def test_answers_are_as_the_description_says(operation: str, service: Service, things: RealThings) -> None:
    from tests.support.generated_requests import hold_answers  # it brings Schemathesis, seconds of imports

    hold_answers(operation, 3, service, things)


@pytest.mark.long
@pytest.mark.timeout(1800)
@_EVERY_OPERATION
def test_many_answers_are_as_the_description_says(
    operation: str, described: Service, described_things: RealThings
) -> None:
    from tests.support.generated_requests import hold_answers  # it brings Schemathesis, seconds of imports

    hold_answers(operation, 200, described, described_things)
