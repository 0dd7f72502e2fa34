"""Requests that Schemathesis generates from the committed description, each answer held against what that says.

Importing Schemathesis takes seconds in every test process, so tests import this module when they run.
"""

import functools
from typing import Any
from urllib.parse import urlencode

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

from .contract_cases import RealThings
from .patience import PATIENCE_SECONDS
from .serving import Service
from .sources import ROOT

_DESCRIPTION = ROOT / "openapi.json"
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


@functools.cache
def _description() -> BaseSchema:
    return schemathesis.openapi.from_path(_DESCRIPTION)


def hold_answers(operation: str, n_examples: int, service: Service, things: RealThings) -> None:
    """Send an operation requests that are generated here, and hold each answer against the description."""
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
