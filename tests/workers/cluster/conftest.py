"""One workshop and one cluster of two workers for all quick tests of jobs on a cluster."""

import functools
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.clusters import SmallCluster, small_cluster
from tests.support.real_jobs import RealCase, register_real
from tests.support.workshop import Workshop, workshop_in

FindCase = Callable[..., RealCase]


@pytest.fixture(scope="session")
def cluster_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cluster")


@pytest.fixture(scope="session")
def workshop(cluster_dir: Path) -> Iterator[Workshop]:
    with workshop_in(cluster_dir, dask_scheduler="tcp://somewhere:8786") as opened:
        yield opened


@pytest.fixture(scope="session")
def real_case(workshop: Workshop) -> FindCase:
    return functools.cache(lambda dataset, kind: register_real(workshop, dataset, kind))


@pytest.fixture(scope="session")
def dask() -> None:
    """Skip the test where Dask is not installed."""
    pytest.importorskip("distributed", reason="the requirements of requirements/cluster.txt are not installed")


@pytest.fixture(scope="session")
def cluster(dask: None, cluster_dir: Path) -> Iterator[SmallCluster]:
    with small_cluster(cluster_dir) as started:
        yield started
