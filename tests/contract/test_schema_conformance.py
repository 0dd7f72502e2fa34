"""The committed description against the real service: what is generated from it, valid or not, is answered as it says.

Never an error of the server, a status or content type that is not described, or a body that its schema does not allow.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis import Case
from schemathesis.checks import not_a_server_error
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

_DESCRIPTION = schemathesis.openapi.from_path(Path(__file__).parents[2] / "openapi.json")
_CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    unsupported_method,
    allow_header_conformance,
]
_generated = settings(
    derandomize=True,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.generate],
)
_answers: defaultdict[str, Counter[int]] = defaultdict(Counter)


@pytest.fixture(scope="module")
def described(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """Return a service of this file's own: what is requested of it here fills its queue."""
    directory = tmp_path_factory.mktemp("described") / "data"
    with serving(directory, LEAFSPACE_STORE_EXPLANATIONS="1") as running:
        yield running


@pytest.fixture(scope="module")
def things(described: Service) -> RealThings:
    return register_everything(Api(described.url))


@_DESCRIPTION.parametrize()
@settings(_generated, max_examples=8)
def test_answers_are_as_the_description_says(case: Case[Any], described: Service, things: RealThings) -> None:
    _hold(case, described, things)


@pytest.mark.long
@pytest.mark.timeout(1800)
@_DESCRIPTION.parametrize()
@settings(_generated, max_examples=200)
def test_many_answers_are_as_the_description_says(case: Case[Any], described: Service, things: RealThings) -> None:
    _hold(case, described, things)


def _hold(case: Case[Any], described: Service, things: RealThings) -> None:
    things.put_into(case)
    answer = case.call_and_validate(described.url, checks=_CHECKS, timeout=PATIENCE_SECONDS)
    _answers[f"{case.method} {case.path}"][answer.status_code] += 1
