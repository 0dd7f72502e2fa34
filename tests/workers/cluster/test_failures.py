"""What becomes of a job when parts of its cluster fail, for real: the same bytes, or a job that waits or says why."""

import operator
import shutil
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import tree_explainers
from schemas.datasets import SourceDatasetRequest
from schemas.jobs import Job
from schemas.rule_sets import RuleSetRequest
from service.operations.dataset_sources import register_source
from service.operations.rule_sets import request_rule_set
from storage.errors import StorageError
from tests.support.clusters import SmallCluster, small_cluster
from tests.support.patience import PATIENCE_SECONDS, when_idle
from tests.support.processes import kept_port
from tests.support.real_jobs import RealCase, register_real
from tests.support.workshop import Workshop, result_of, workshop_in
from tree_explainers.compute.progress import no_tick
from workers.cluster.identity import identity, refuse_others
from workers.cluster.settings import ClusterSettings, TlsFiles
from workers.runtime.settings import WorkerSettings

from .conftest import FindCase
from .test_same_bytes import hold_few_rows, made, requested

_REQUEST: dict[str, Any] = {"method": "sm_a", "n_prototypes": 8, "min_leaf_rows": 2}


@pytest.fixture
def case(real_case: FindCase) -> RealCase:
    return real_case("titanic", "random_forest")


@contextmanager
def on_cluster(workshop: Workshop, address: str, **changes: object) -> Iterator[None]:
    """Have the workshop's jobs find a cluster at an address."""
    before = workshop._settings
    given = {"dask_scheduler": address, "dask_block_rows": 60, "dask_patience_seconds": 2, **changes}
    workshop._settings = WorkerSettings.model_validate(before.model_dump() | given)
    try:
        yield
    finally:
        workshop._settings = before


def requested_there(workshop: Workshop, case: RealCase, seed: int, **changes: object) -> str:
    """Request a prototype set that nobody has requested; return its job."""
    given = {**_REQUEST, "seed": seed, "run_on": "cluster", **changes}
    made = workshop.create(model=case.model, dataset=case.dataset, **given)
    assert (made.status, made.request.run_on) == ("pending", "auto")
    return made.job or ""


@pytest.mark.usefixtures("dask")
def test_a_cluster_that_is_away_is_waited_for(workshop: Workshop, case: RealCase) -> None:
    job_id = requested_there(workshop, case, seed=1)

    with on_cluster(workshop, f"tcp://127.0.0.1:{kept_port()}"):
        job = workshop.run(job_id)

    assert (job.status, job.attempt) == ("queued", 0)
    assert job.progress.message.startswith("waits for the cluster: the scheduler at tcp://127.0.0.1:")
    workshop.context.jobs.request_cancel(job_id)


@pytest.mark.long
def test_a_request_runs_on_the_cluster_that_it_names(workshop: Workshop, cluster: SmallCluster, case: RealCase) -> None:
    job_id = requested_there(workshop, case, seed=2)

    with on_cluster(workshop, cluster.address, dask_patience_seconds=PATIENCE_SECONDS):
        job = workshop.run(job_id)

    assert (job.status, job.problem) == ("succeeded", None)
    again = workshop.create(model=case.model, dataset=case.dataset, seed=2, **_REQUEST)
    assert again.reused
    assert len(result_of(again).prototypes) == 8


def test_workers_that_are_not_like_us_are_refused() -> None:
    other = {**identity(), "numpy": "1.2.3"}

    with pytest.raises(StorageError, match=r"numpy is 1\.2\.3 there and .* here") as refused:
        refuse_others(identity(), other, "worker tcp://there:1")

    assert refused.value.code == "cluster_mismatch"
    refuse_others(identity(), dict(identity()), "worker")


def test_files_of_a_certificate_go_together() -> None:
    with pytest.raises(ValueError, match="go together"):
        TlsFiles.of(Path("ca.pem"), None, None)
    assert TlsFiles.of(None, None, None) is None


_KILLED: dict[str, tuple[dict[str, Any], list[str]]] = {  # changes of requests, and the stages in which workers die
    "prototype_sets sm_u": ({**_REQUEST, "refine": "swap"}, ["choosing prototypes", "swapping prototypes"]),
    "approximation_trees ism on many rows": ({}, ["growing the tree", "evaluating the tree"]),
    "rule_sets fab": ({}, ["fitting regions"]),
    "rule_sets rule_list": ({}, ["fitting regions", "searching rules"]),
}


@pytest.mark.long
@pytest.mark.parametrize("name", _KILLED)
def test_killed_workers_change_no_byte(
    workshop: Workshop, case: RealCase, cluster_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    from workers.cluster.connection import open_cluster  # it brings Dask

    hold_few_rows(monkeypatch, name)
    (changes, expected), noun = _KILLED[name], name.split(maxsplit=1)[0]
    stages: list[str] = []
    with small_cluster(cluster_dir) as cluster:

        def report(fraction: float, stage: str) -> None:  # as listeners are called
            if stage in expected and stage not in stages:
                stages.append(stage)
                if len(stages) == 1:
                    cluster.kill_work_of(cluster.workers[0])  # its nanny starts it again
                else:
                    cluster.kill_worker(cluster.workers[1])  # for good

        with open_cluster(ClusterSettings(cluster.address, None, 60, PATIENCE_SECONDS), no_tick) as opened:
            context = replace(requested(workshop, case, tmp_path / "there", name, **changes), report=report)
            there = made(replace(context, cluster=replace(opened, n_threads=5)), noun)

    assert stages == expected
    assert there == made(requested(workshop, case, tmp_path / "here", name, **changes), noun)


@pytest.mark.long
def test_a_lost_scheduler_sends_the_job_back_uncounted(workshop: Workshop, case: RealCase, cluster_dir: Path) -> None:
    job_id = requested_there(workshop, case, seed=3)
    with (
        small_cluster(cluster_dir) as cluster,
        on_cluster(workshop, cluster.address, dask_patience_seconds=PATIENCE_SECONDS),
    ):
        killing = threading.Thread(
            target=_when_at, args=(workshop, job_id, "choosing prototypes", cluster.kill_scheduler)
        )
        killing.start()
        job = workshop.run(job_id)
        killing.join()

        assert (job.status, job.attempt) == ("queued", 0)
        assert job.progress.message == "waits for the cluster: the scheduler of the cluster is lost"


@pytest.mark.long
def test_cancelling_leaves_nothing_on_workers(workshop: Workshop, case: RealCase, cluster_dir: Path) -> None:
    job_id = requested_there(workshop, case, seed=4, n_prototypes=150, refine="swap")
    with (
        small_cluster(cluster_dir) as cluster,
        on_cluster(workshop, cluster.address, dask_patience_seconds=PATIENCE_SECONDS),
    ):
        seconds = _seconds_to_cancel(workshop, job_id, cluster, "choosing prototypes")

    assert seconds < when_idle(2)


def _detail(job: Job, code: str) -> str:
    """Return what the problem of a job says, which failed with this code."""
    assert job.status == "failed", job
    assert job.problem is not None
    assert job.problem.code == code, job.problem
    return job.problem.detail or ""


def _when_at(workshop: Workshop, job_id: str, stage: str, act: Callable[[], None]) -> None:
    until = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < until:
        job: Job = workshop.context.jobs.get(job_id)
        assert job.status in {"queued", "running"}, job
        if job.progress.stage == stage:
            act()
            return
        time.sleep(0.02)


@pytest.mark.long
def test_waiting_for_a_task_asks_whether_to_stop_and_takes_no_processor(cluster: SmallCluster) -> None:
    from workers.cluster.connection import open_cluster  # it brings Dask

    ticks: list[float] = []
    settings = ClusterSettings(cluster.address, None, 60, PATIENCE_SECONDS)
    with open_cluster(settings, lambda: ticks.append(time.monotonic())) as opened:
        before, n_before = time.thread_time(), len(ticks)
        assert list(opened.spread([(2.0,)]).map(time.sleep)) == [None]
        used = time.thread_time() - before

    assert used < 0.5
    assert len(ticks) - n_before >= 3


@pytest.mark.long
def test_what_long_tasks_do_ends_with_the_job(workshop: Workshop, case: RealCase, cluster_dir: Path) -> None:
    request = {"method": "em", "n_restarts": 1_000, "max_rules": 20, "seed": 9, "run_on": "cluster"}
    given = RuleSetRequest.model_validate({"model": case.model, "dataset": case.dataset, **request})
    job_id = request_rule_set(workshop.context, given).job or ""
    with (
        small_cluster(cluster_dir) as cluster,
        on_cluster(workshop, cluster.address, dask_patience_seconds=PATIENCE_SECONDS),
    ):
        seconds = _seconds_to_cancel(workshop, job_id, cluster, "fitting regions")

    assert seconds < when_idle(2)


def _seconds_to_cancel(workshop: Workshop, job_id: str, cluster: SmallCluster, stage: str) -> float:
    """Cancel a job when it has come to a stage; return how long it takes until nothing of it is left anywhere."""
    from distributed import Client  # as workers.cluster does

    cancelled_at: list[float] = []

    def cancel() -> None:
        cancelled_at.append(time.monotonic())
        workshop.context.jobs.request_cancel(job_id)

    with Client(cluster.address, set_as_default=False) as client:
        cancelling = threading.Thread(target=_when_at, args=(workshop, job_id, stage, cancel))
        cancelling.start()
        job = workshop.run(job_id)
        cancelling.join()
        assert job.status == "cancelled"
        until = time.monotonic() + PATIENCE_SECONDS
        while (left := _left(client)) and time.monotonic() < until:
            time.sleep(0.02)
        assert not left
        return time.monotonic() - cancelled_at[0]


def _left(client: Any) -> list[str]:  # Dask's
    """Return the tasks and results that workers have: those that run, too, though the scheduler has forgotten them."""
    held = client.run(lambda dask_worker: [str(key) for key in dask_worker.state.tasks])
    return [key for keys in held.values() for key in keys]


@pytest.mark.long
def test_a_part_that_no_worker_can_hold_ends_the_job_and_says_what_to_do(cluster_dir: Path) -> None:
    from workers.cluster.connection import open_cluster  # it brings Dask

    with (
        small_cluster(cluster_dir, ["400MiB"]) as cluster,
        open_cluster(ClusterSettings(cluster.address, None, 60, PATIENCE_SECONDS), no_tick) as opened,
        pytest.raises(
            StorageError, match=r"4 workers of the cluster were lost .* for lack of memory.* --memory"
        ) as lost,
    ):
        list(opened.spread([(b"x", 1 << 30)]).map(operator.mul))  # a gibibyte

    assert lost.value.code == "cluster_worker_lost"


@pytest.mark.long
def test_workers_with_too_little_memory_for_a_block_are_refused_at_once(
    workshop: Workshop, case: RealCase, cluster_dir: Path
) -> None:
    rows = pd.DataFrame(case.real.features[case.training], columns=list(case.opened.view.feature_names))
    many = workshop.register_dataset(pd.concat([rows] * 3_000, ignore_index=True))
    made = workshop.create(model=case.model, dataset=many, **_REQUEST, run_on="cluster")
    with (
        small_cluster(cluster_dir, ["400MiB"]) as cluster,
        on_cluster(workshop, cluster.address, dask_patience_seconds=PATIENCE_SECONDS, dask_block_rows=1_000_000),
    ):
        job = workshop.run(made.job or "")

    detail = _detail(job, "resource_estimate_exceeds_limit")
    assert "the smallest worker of the cluster has 400 MiB of memory, and 900,000 rows" in detail
    assert "leafspace cluster-worker --memory" in detail


@pytest.mark.long
@pytest.mark.parametrize("how", ["changed", "gone"])
def test_a_source_file_that_changes_while_the_job_runs_fails_it_by_name(
    case: RealCase, tmp_path: Path, how: str
) -> None:
    lake = tmp_path / "lake"
    lake.mkdir()
    rows = pd.DataFrame(case.real.features[case.training], columns=list(case.opened.view.feature_names))
    for part in range(3):
        rows[part * 100 : part * 100 + 100].to_parquet(lake / f"part-{part}.parquet", index=False)
    roots = f"file://{lake}"
    data_dir, nodes = tmp_path / "data", {"LEAFSPACE_DATASET_SOURCES": roots}
    settings = {"dask_patience_seconds": PATIENCE_SECONDS, "dataset_sources": roots}
    with (
        workshop_in(data_dir, dask_scheduler="tcp://somewhere:8786", dataset_sources=roots) as workshop,
        small_cluster(data_dir, [], nodes) as cluster,
        on_cluster(workshop, cluster.address, **settings),
    ):
        own = register_real(workshop, "titanic", "random_forest")
        source = SourceDatasetRequest.model_validate({"source": {"files": f"{roots}/*.parquet"}})
        dataset = workshop.run(register_source(workshop.context, source).id).artefact
        made = workshop.create(model=own.model, dataset=dataset, **_REQUEST, run_on="cluster")

        def change() -> None:  # the job runs, and has no worker yet
            if how == "changed":
                rows[:90].to_parquet(lake / "part-1.parquet", index=False)
            else:
                (lake / "part-1.parquet").unlink()
            cluster.add_worker()

        # The worker is a child of this thread, and ends with it.
        running = threading.Thread(target=workshop.run, args=(made.job,))
        running.start()
        _when_at(workshop, made.job or "", "waiting for the cluster", change)
        running.join()
        job = workshop.context.jobs.get(made.job or "")

    assert "part-1.parquet" in _detail(job, "dataset_changed")


@pytest.mark.long
def test_workers_of_another_version_are_refused_with_both(
    workshop: Workshop, case: RealCase, cluster_dir: Path, tmp_path: Path
) -> None:
    """Another checkout, with another line of code and another number of its version, is what workers run."""
    job_id, root = requested_there(workshop, case, seed=10), Path(tree_explainers.__path__[0]).parent
    for package in (
        "explanations",
        "leafspace",
        "observability",
        "sandbox",
        "schemas",
        "storage",
        "tree_explainers",
        "workers",
    ):
        shutil.copytree(root / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    with (tmp_path / "tree_explainers/ensemble.py").open("a") as file:
        file.write("# another line\n")
    metadata = tmp_path / "leafspace-99.0.0.dist-info/METADATA"
    metadata.parent.mkdir()
    metadata.write_text("Metadata-Version: 2.1\nName: leafspace\nVersion: 99.0.0\n")
    environment = {"PYTHONPATH": str(tmp_path)}
    with (
        small_cluster(cluster_dir, environment=environment) as cluster,
        on_cluster(workshop, cluster.address, dask_patience_seconds=PATIENCE_SECONDS),
    ):
        job = workshop.run(job_id)

    detail = _detail(job, "cluster_mismatch")
    assert f"leafspace is 99.0.0 there and {version('leafspace')} here" in detail
    assert f"code is {identity()['code']} there" not in detail
    assert f" there and {identity()['code']} here" in detail


@pytest.mark.long
def test_certificates_of_another_authority_let_nobody_in(
    workshop: Workshop, case: RealCase, cluster_dir: Path, tmp_path: Path
) -> None:
    ours, theirs = _certificates(tmp_path / "ours"), _certificates(tmp_path / "theirs")
    encrypted = {f"LEAFSPACE_{name.upper()}": str(path) for name, path in ours.items()}
    first, second = (requested_there(workshop, case, seed=seed) for seed in (5, 6))
    with small_cluster(cluster_dir, environment=encrypted) as cluster:
        assert cluster.address.startswith("tls://")
        with on_cluster(workshop, cluster.address, dask_patience_seconds=PATIENCE_SECONDS, **ours):
            assert workshop.run(first).status == "succeeded"
        with on_cluster(workshop, cluster.address, **theirs):
            job = workshop.run(second)

    assert job.status == "queued"
    assert "does not answer" in job.progress.message


def _certificates(folder: Path) -> dict[str, Path]:
    """Make an authority and a certificate that it signed; return the settings that name the files."""
    folder.mkdir()
    openssl = shutil.which("openssl")
    assert openssl is not None
    made = "req -x509 -newkey rsa:2048 -nodes -days 2 -keyout ca.key -out ca.pem -subj /CN=authority"
    wanted = "req -newkey rsa:2048 -nodes -keyout node.key -out node.csr -subj /CN=node"
    signed = "x509 -req -in node.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -out node.pem"
    for command in (made, wanted, signed):
        subprocess.run([openssl, *command.split()], cwd=folder, check=True, capture_output=True)  # ours
    return {
        "dask_tls_ca": folder / "ca.pem", "dask_tls_cert": folder / "node.pem", "dask_tls_key": folder / "node.key",
    }  # fmt: skip
