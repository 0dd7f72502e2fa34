"""Leaf tables: the model looks at a dataset once, and whatever happens to what was kept, jobs get the same."""

import errno
import os
import stat
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from threading import Barrier

import numpy as np
import pandas as pd
import pytest
from sqlalchemy import func, select

from service.operations import datasets
from storage.errors import NotFound
from storage.leaf_tables import REVISION, LeafTableObjects, LeafTableStore
from storage.tables import leaf_tables as leaf_tables_table
from tests.support.job_contexts import forget_leaf_tables, job_context
from tests.support.patience import PATIENCE_SECONDS
from tests.support.real_jobs import REGRESSION, RealCase, register_real
from tests.support.workshop import Workshop, workshop_in
from tree_explainers.onnx_models.description import NOT_COMPARED, Engine
from tree_explainers.onnx_models.walked_session import WalkedSession
from workers.jobs import leaf_tables
from workers.jobs.inputs import OpenModel, ScoredDataset, apply_model, open_model

_COMPUTED, _KEPT = ["reading leaves"], ["reading kept leaves"]


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("data")


@pytest.fixture(scope="module")
def workshop(directory: Path) -> Iterator[Workshop]:
    with workshop_in(directory) as opened:
        yield opened


@pytest.fixture(scope="module")
def registered(workshop: Workshop) -> RealCase:
    return register_real(workshop, "titanic", "random_forest")


@pytest.fixture
def case(workshop: Workshop, registered: RealCase) -> Iterator[RealCase]:
    yield registered
    forget_leaf_tables(workshop)


@contextmanager
def _without_graph(workshop: Workshop, case: RealCase) -> Iterator[None]:
    """Have the model served by onnxruntime alone, and take its graph away."""
    stored = workshop.context.models.get(case.model)
    content = workshop.context.objects.get(stored.leaf_graph)
    workshop.context.objects.delete(stored.leaf_graph)
    workshop.context.models.keep_engine(case.model, asdict(Engine("onnxruntime", "for this test")))
    yield
    workshop.context.models.keep_engine(case.model, stored.description["engine"])
    workshop.context.objects.put(content)


def _open(workshop: Workshop, case: RealCase) -> OpenModel:
    return open_model(workshop.context.models, workshop.context.objects, case.model)


def _see(workshop: Workshop, case: RealCase, folder: Path) -> tuple[ScoredDataset, list[str]]:
    """Return what a job sees, and the stages that it went through."""
    stages: dict[str, None] = {}
    seen = apply_model(
        job_context(workshop, folder),
        _open(workshop, case),
        case.dataset,
        lambda _fraction, stage: stages.update({stage: None}),
    )
    return seen, list(stages)


def _kept(workshop: Workshop, case: RealCase) -> LeafTableObjects | None:
    return LeafTableStore(workshop.context.database).find(leaf_tables.leaf_table_key(case.model, case.dataset))


def _n_kept(workshop: Workshop) -> int:
    with workshop.context.database.reading() as connection:
        return connection.execute(select(func.count()).select_from(leaf_tables_table)).scalar_one()


def _n_objects(directory: Path) -> int:
    """Count the objects; what is left of workspaces is counted, too."""
    return sum(path.is_file() for path in (directory / "objects").rglob("*"))


def _assert_same(found: ScoredDataset, expected: ScoredDataset) -> None:
    np.testing.assert_array_equal(found.table.codes, expected.table.codes, strict=True)
    np.testing.assert_array_equal(found.table.members, expected.table.members, strict=True)
    np.testing.assert_array_equal(found.scores, expected.scores, strict=True)
    assert (found.labels is None) == (expected.labels is None)
    if found.labels is not None and expected.labels is not None:
        np.testing.assert_array_equal(found.labels, expected.labels, strict=True)


@pytest.mark.parametrize("dataset", ["covertype_20k", REGRESSION])
def test_what_is_kept_is_what_the_model_predicted(workshop: Workshop, tmp_path: Path, dataset: str) -> None:
    case = register_real(workshop, dataset, "boosting")
    first, requested = _see(workshop, case, tmp_path)
    again, kept = _see(workshop, case, tmp_path)

    assert (requested, kept) == (_COMPUTED, _KEPT)
    _assert_same(again, first)
    outcome = case.opened.session.run(case.opened.session.encode_matrix(case.real.features[case.training]))
    np.testing.assert_array_equal(again.leaves_of(np.arange(again.n_rows)), outcome.leaves)
    np.testing.assert_array_equal(again.scores, outcome.scores, strict=True)
    if outcome.labels is not None:
        np.testing.assert_array_equal(again.labels, outcome.labels, strict=True)


def test_codes_are_mapped_from_the_kept_file_and_cannot_be_changed(
    workshop: Workshop, case: RealCase, tmp_path: Path
) -> None:
    _see(workshop, case, tmp_path)
    again, _ = _see(workshop, case, tmp_path)
    kept = _kept(workshop, case)
    assert kept is not None

    assert str(workshop.context.objects.path(kept.codes)) in Path("/proc/self/maps").read_text()
    with pytest.raises(ValueError, match="read-only"):
        again.table.codes[0, 0] = 0


def test_a_second_job_on_the_same_rows_needs_the_model_no_more(workshop: Workshop, case: RealCase) -> None:
    first = workshop.make(model=case.model, dataset=case.dataset, n_prototypes=5, min_leaf_rows=1)

    with _without_graph(workshop, case):
        second = workshop.find_neighbors(model=case.model, dataset=case.dataset, n_neighbors=3)
        elsewhere = workshop.find_neighbors(model=case.model, dataset=case.evaluation_dataset, n_neighbors=3)

    assert (first.status, second.status, elsewhere.status) == ("ready", "ready", "failed")


def test_rows_to_evaluate_on_are_kept_as_well(workshop: Workshop, case: RealCase) -> None:
    request = {"model": case.model, "dataset": case.dataset, "evaluation_dataset": case.evaluation_dataset}
    workshop.make(**request, n_prototypes=5)

    assert _n_kept(workshop) == 2
    assert workshop.make(**request, n_prototypes=4).status == "ready"
    assert _n_kept(workshop) == 2


@pytest.mark.parametrize("part", ["codes", "outcome"])
@pytest.mark.parametrize("damage", ["a byte", "all bytes", "the file"])
def test_what_is_damaged_is_made_again(
    workshop: Workshop, case: RealCase, tmp_path: Path, part: str, damage: str
) -> None:
    first, _ = _see(workshop, case, tmp_path)
    kept = _kept(workshop, case)
    path = workshop.context.objects.path(getattr(kept, part))
    content = path.read_bytes()
    path.unlink()
    if damage != "the file":
        path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]) if damage == "a byte" else b"")

    again, stages = _see(workshop, case, tmp_path)

    assert stages == [*_KEPT, *_COMPUTED]
    _assert_same(again, first)
    assert _kept(workshop, case) == kept
    assert _see(workshop, case, tmp_path)[1] == _KEPT


def test_two_jobs_that_look_at_the_same_rows_at_once_keep_one_table(
    workshop: Workshop, case: RealCase, tmp_path: Path
) -> None:
    both_look = Barrier(2, timeout=PATIENCE_SECONDS)

    def see(name: str) -> ScoredDataset:
        folder = tmp_path / name
        folder.mkdir()

        def wait(fraction: float, stage: str) -> None:
            if fraction == 1 and stage in _COMPUTED:
                both_look.wait()

        return apply_model(job_context(workshop, folder), _open(workshop, case), case.dataset, wait)

    with ThreadPoolExecutor(2) as threads:
        one, other = threads.map(see, ("one", "other"))

    _assert_same(one, other)
    assert _n_kept(workshop) == 1
    _assert_same(_see(workshop, case, tmp_path)[0], one)


@pytest.mark.parametrize("function", ["fsync", "posix_fallocate"])
def test_a_full_disk_costs_the_kept_table_but_not_the_job(
    workshop: Workshop,
    directory: Path,
    case: RealCase,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    function: str,
) -> None:
    n_objects = _n_objects(directory)

    def refuse(*_arguments: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as full:
        full.setattr(os, function, refuse)
        seen, stages = _see(workshop, case, tmp_path)

    assert stages == _COMPUTED
    assert _kept(workshop, case) is None
    assert _n_objects(directory) == n_objects
    _assert_same(_see(workshop, case, tmp_path)[0], seen)
    assert _kept(workshop, case) is not None


def test_nothing_is_left_behind_when_only_a_part_could_be_kept(
    workshop: Workshop, directory: Path, case: RealCase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    n_objects, fsync = _n_objects(directory), os.fsync
    n_files = iter(range(100))

    def refuse_later(descriptor: int) -> None:
        if stat.S_ISREG(os.fstat(descriptor).st_mode) and next(n_files) >= 1:  # its folder, too, is flushed
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        fsync(descriptor)

    with monkeypatch.context() as full:
        full.setattr(os, "fsync", refuse_later)
        _see(workshop, case, tmp_path)

    assert _n_objects(directory) == n_objects


def test_tables_of_an_earlier_revision_are_replaced(
    workshop: Workshop, case: RealCase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, _ = _see(workshop, case, tmp_path)
    monkeypatch.setattr(leaf_tables, "REVISION", REVISION + 1)

    again, stages = _see(workshop, case, tmp_path)

    assert stages == _COMPUTED
    _assert_same(again, first)
    assert _n_kept(workshop) == 1
    assert _see(workshop, case, tmp_path)[1] == _KEPT  # the same bytes are referred to, and were not deleted


def test_kept_tables_keep_no_dataset_and_go_with_it(workshop: Workshop, registered: RealCase, tmp_path: Path) -> None:
    few = pd.DataFrame(registered.real.features[:50]).rename(columns="f{}".format)
    case = replace(registered, dataset=workshop.register_dataset(few))
    seen, _ = _see(workshop, case, tmp_path)
    kept = _kept(workshop, case)
    assert kept is not None

    datasets.delete_dataset(workshop.context, case.dataset)

    assert _n_kept(workshop) == 0
    for sha256 in (kept.codes, kept.outcome):
        with pytest.raises(NotFound):
            workshop.context.objects.get(sha256)
    assert seen.table.codes.max() > 0  # a process that has it open still reads it


def test_the_first_job_finds_the_engine_where_registration_did_not(workshop: Workshop, case: RealCase) -> None:
    workshop.context.models.keep_engine(case.model, asdict(NOT_COMPARED))

    session = _open(workshop, case).session

    engine = workshop.context.models.get(case.model).view.engine
    assert isinstance(session, WalkedSession)
    assert (engine.name, engine.reason) == ("walker", None)
