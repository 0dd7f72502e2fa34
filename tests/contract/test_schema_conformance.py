"""The committed description against the real service: what is generated from it, valid or not, is answered as it says.

Never an error of the server, a status or content type that is not described, or a body that its schema does not allow.
"""

import functools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, assume, settings
from schemathesis import Case
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.pytest.lazy import get_all_tests
from schemathesis.schemas import BaseSchema
from schemathesis.specs.openapi.checks import (
    allow_header_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
)

from tests.support.api import Api
from tests.support.contract_cases import RealThings, register_everything
from tests.support.patience import PATIENCE_SECONDS
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
_CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    unsupported_method,
    allow_header_conformance,
]
_LONGEST_QUERY = 8_000  # characters; the server refuses much longer ones before the application sees them
_generated = settings(
    derandomize=True,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.generate],
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


@functools.cache
def _description() -> BaseSchema:
    return schemathesis.openapi.from_path(_DESCRIPTION)


@_EVERY_OPERATION
@pytest.mark.sampled("tenths")
def test_answers_are_as_the_description_says(operation: str, service: Service, things: RealThings) -> None:
    _hold(operation, 3, service, things)


@pytest.mark.long
@pytest.mark.timeout(1800)
@_EVERY_OPERATION
def test_many_answers_are_as_the_description_says(
    operation: str, described: Service, described_things: RealThings
) -> None:
    _hold(operation, 200, described, described_things)


def _hold(operation: str, n_examples: int, service: Service, things: RealThings) -> None:
    """Send requests that are generated here, as putting them together for all operations takes seconds."""

    method, _, path = operation.partition(" ")
    # Of a stream, each event would be held against the schema of the whole.
    checks = [check for check in _CHECKS if check is not response_schema_conformance or not path.endswith("/events")]

    def answer_is_as_described(case: Case[Any]) -> None:
        things.put_into(case)
        assume(len(urlencode(case.query or {}, doseq=True)) < _LONGEST_QUERY)
        case.call_and_validate(service.url, session=session, checks=checks, timeout=PATIENCE_SECONDS)

    of_operation = _description().include(method=method, path=path)
    wanted = settings(_generated, max_examples=n_examples)
    (found,) = get_all_tests(schema=of_operation, test_func=answer_is_as_described, settings=wanted, given_kwargs={})
    assert isinstance(found, Ok)
    _, send_all = found.ok()
    with requests.Session() as session:
        session.trust_env = False  # no proxy is looked for before each request
        send_all()
