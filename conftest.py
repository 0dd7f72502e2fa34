"""What holds for all tests: the environment of numerical libraries, the order of files, one shared service."""
# ruff: noqa: E402  # libraries read the environment when they are imported

import atexit
import gc
import os
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import structlog
from hypothesis import HealthCheck, settings

from leafspace.compiled_code import cache_dir

# Looking through modules and tests for garbage, while there are more of them every moment, would take a sixth of the
# time that it takes to collect them.
gc.disable()

# Hundreds of processes would otherwise translate the same modules again, and each run all of the tests' own.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
# Threads of OpenMP wait for each other by turning in circles: where others are at work, too, a small fit takes many
# times the processor time. Test processes are many, so each has one; services have their own.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# The cache of the services that tests start, and of every other clone: nothing is compiled twice.
os.environ.setdefault("NUMBA_CACHE_DIR", str(cache_dir(Path(__file__).parent / ".pytest_cache")))

# Failures are logged in tests, too: drawn with colours and the values of all variables, each would take seconds.
_PLAIN_LINES = structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)
structlog.configure(processors=[*structlog.get_config()["processors"][:-1], _PLAIN_LINES])

from tests.support.databases import migrated_postgresql_url, new_database_url, postgresql_url, rows_database
from tests.support.object_stores import remote_case, s3_server, store_case
from tests.support.process_groups import groups_of_files, places_of_files
from tests.support.processor_seconds import ProcessorSeconds
from tests.support.sampling import without_long_cases
from tests.support.serving import Service, SharedServices, serving

# A busy machine makes a test slow, and not red.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")

if TYPE_CHECKING:
    from xdist.scheduler import LoadFileScheduling

    from tests.support.api import Api, Registered
    from tests.support.guarded import Guarded

__all__ = [
    "migrated_postgresql_url",
    "new_database_url",
    "postgresql_url",
    "remote_case",
    "rows_database",
    "s3_server",
    "store_case",
]


def pytest_configure(config: pytest.Config) -> None:
    """Record what each test takes of processors."""
    config.pluginmanager.register(ProcessorSeconds())


@pytest.hookimpl(wrapper=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> Iterator[None]:
    """Choose among the cases of a test, when they are known and before there is an item of each."""
    yield
    expression = metafunc.config.getoption("markexpr")
    metafunc._calls = without_long_cases(metafunc._calls, metafunc.definition, expression)  # noqa: SLF001  # none is public


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Run the slowest files first: with several processes, none is left with a slow one at the end."""
    places = places_of_files(config.rootpath, map(_file_of, items))
    items.sort(key=lambda item: places[_file_of(item)])


def _file_of(item: pytest.Item) -> str:
    return item.nodeid.partition("::")[0]


def pytest_collection_finish() -> None:
    """Leave what was imported and collected alone: it stays to the end."""
    gc.freeze()
    gc.enable()
    atexit.register(gc.unfreeze)  # libraries report what is still there at the end


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> "LoadFileScheduling":  # xdist's own
    """Give each file to the next free process, and those that share a costly fixture to the same one."""
    from xdist.scheduler import LoadFileScheduling  # of several processes alone

    groups = groups_of_files(config.rootpath)

    class FilesTogether(LoadFileScheduling):  # type: ignore[misc]  # xdist's types are not followed
        def _split_scope(self, nodeid: str) -> str:
            file = nodeid.partition("::")[0]
            return groups.get(file, file)

    return FilesTogether(config, log)


@pytest.fixture(scope="session")
def shared_services(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SharedServices]:
    """Return the test process's services; each is started when a test first needs it."""
    services = SharedServices(tmp_path_factory)
    yield services
    services.stop()


@pytest.fixture(scope="module")
def service(shared_services: SharedServices, lake_root: Path) -> Service:
    """Return the test process's service; a module after one whose service failed gets a new one."""
    own = {"LEAFSPACE_STORE_EXPLANATIONS": "1", "LEAFSPACE_DATASET_SOURCES": f"file://{lake_root}"}
    return shared_services.running("service é", partial(serving, **own))


@pytest.fixture(scope="session")
def lake_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder below which the test process's service reads files of datasets."""
    folder = tmp_path_factory.getbasetemp() / "lakes"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(scope="module")
def guarded(shared_services: SharedServices) -> "Guarded":
    """Return the test process's service that requires keys."""
    from tests.support.guarded import serving_with_keys  # it brings scikit-learn

    return shared_services.running("guarded", partial(serving_with_keys, LEAFSPACE_STORE_EXPLANATIONS="1"))


@pytest.fixture(scope="module")
def api(service: Service) -> "Iterator[Api]":
    """Yield a client of the test process's service."""
    from tests.support.api import Api  # it brings scikit-learn, which few tests need

    client = Api(service.url)
    yield client
    client.http.close()


@pytest.fixture(scope="module")
def forest(api: "Api") -> "Registered":
    """Return a forest with prototypes and an explainer; after its first module it is only looked up."""
    from tests.support.api import register  # it brings scikit-learn, which few tests need

    return register(api, "random_forest_binary")
