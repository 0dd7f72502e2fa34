"""One workshop for all tests of jobs, with each real case registered once."""

import functools
from collections.abc import Callable, Iterator

import pytest

from tests.support.real_jobs import RealCase, register_real
from tests.support.workshop import Workshop, workshop_in
from tree_explainers.leaf_space.leaves import ProximityKind

FindCase = Callable[[str, ProximityKind], RealCase]


@pytest.fixture(scope="session")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workshop]:
    with workshop_in(tmp_path_factory.mktemp("workshop")) as opened:
        yield opened


@pytest.fixture(scope="session")
def real_case(workshop: Workshop) -> FindCase:
    return functools.cache(lambda dataset, kind: register_real(workshop, dataset, kind))
