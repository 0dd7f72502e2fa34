"""Explanation sets as jobs: blocks make one whole, kept leaves save the model's work, what cannot be done is said."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import orjson
import pandas as pd
import pyarrow as pa
import pytest
from sqlalchemy import update

from explanations.explained_rows import explain_instances
from explanations.warm_explainer import WarmExplainer, warm_up
from schemas.explanation_sets import ExplanationSet, ExplanationSetRequest
from schemas.explanations import EXPLANATION_SETS, ExplanationRequest
from schemas.jobs import Progress
from service.operations.artefacts import delete_one
from service.operations.explainers import delete_explainer
from service.operations.explanation_sets import StoredLines, list_explanations, open_lines, request_explanation_set
from storage.array_files import write_arrays
from storage.errors import StorageError
from storage.leaf_tables import LeafTableStore
from storage.tables import artefact_files, artefacts
from tests.support.api import frame_of
from tests.support.job_contexts import forget_leaf_tables
from tests.support.job_farm import JobFarm
from tests.support.models import fitted
from tests.support.workshop import Workshop, result_of, workshop_in
from workers.jobs.leaf_tables import leaf_table_key

_N_ROWS = 1600
_MANY_ROWS = 60_000


@dataclass(frozen=True)
class Shop:
    """A workshop with a forest's explainer and more of its rows than fit into a block."""

    workshop: Workshop
    model: str
    prototype_set: str
    explainer: str
    rows: str

    def explain(self, **request: object) -> ExplanationSet:
        return self.workshop.explain(**{"explainer": self.explainer, "dataset": self.rows, **request})

    def open(self, made: ExplanationSet) -> StoredLines:
        return open_lines(self.workshop.context, made.id)

    def lines(self, made: ExplanationSet) -> list[bytes]:
        return b"".join(self.open(made).blocks()).splitlines()

    def table(self, made: ExplanationSet) -> pa.Table:
        return self.workshop.table_of(EXPLANATION_SETS, made)

    def forget(self, made: ExplanationSet) -> None:
        delete_one(self.workshop.context, EXPLANATION_SETS, made.id)

    @property
    def warm(self) -> WarmExplainer:
        context = self.workshop.context
        return warm_up(self.explainer, context.database, context.objects, context.sessions.get)


def _more_rows(n_rows: int) -> pd.DataFrame:
    """Draw real rows again and again, each a little different."""
    frame = frame_of(fitted("random_forest_binary")).drop(columns="t")
    rng = np.random.default_rng(0)
    drawn = frame.iloc[rng.integers(0, len(frame), n_rows)].reset_index(drop=True)
    return drawn * rng.normal(1, 0.01, drawn.shape)


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    forest = fitted("random_forest_binary")
    with workshop_in(tmp_path_factory.mktemp("shop")) as workshop:
        model = workshop.register_model(forest.onnx, feature_names=list(forest.rows.names), ensemble="random_forest")
        dataset = workshop.register_dataset(frame_of(forest), target="t")
        made = workshop.make(model=model, dataset=dataset, n_prototypes=5)
        explainer = workshop.register_explainer(model=model, prototype_set=made.id)
        yield Shop(workshop, model, made.id, explainer, workshop.register_dataset(_more_rows(_N_ROWS)))


def test_many_blocks_make_one_whole(shop: Shop) -> None:
    made = shop.explain()

    starts = shop.open(made).rows.tolist()
    assert (starts[0], starts[-1]) == (0, _N_ROWS)
    assert len(starts) > 3
    lines, values = shop.lines(made), _more_rows(_N_ROWS)
    assert len(lines) == result_of(made).n_rows == _N_ROWS
    for row in (0, 1, starts[1] - 1, starts[1], _N_ROWS - 1):
        request = ExplanationRequest(instances=[values.iloc[row].tolist()], row_ids=[str(row)])
        assert lines[row] == orjson.dumps(explain_instances(shop.warm, request)[0])
    table = shop.table(made)
    assert table.column("row").to_pylist() == list(range(_N_ROWS))
    assert table.column("row_id").to_pylist() == [orjson.loads(line)["row_id"] for line in lines]


def test_rows_of_a_dataset_with_a_target_have_it_in_lines_and_in_the_table(shop: Shop) -> None:
    frame = frame_of(fitted("random_forest_binary"))
    labels = frame["t"].to_numpy(copy=True)
    labels[3] = 1 - labels[3]
    frame["t"] = labels  # in row 3 what the forest, which was fitted on these rows, does not predict
    dataset = shop.workshop.register_dataset(frame, target="t")
    made = shop.explain(dataset=dataset)
    targets = [str(int(value)) for value in frame["t"]]

    explanations = [orjson.loads(line) for line in shop.lines(made)]
    assert [explanation["target"] for explanation in explanations] == targets
    assert explanations[3]["prediction"]["label"] != targets[3]
    assert f"was {targets[3]}" in explanations[3]["summary"]
    assert shop.table(made).column("target").to_pylist() == targets


def test_rows_without_a_target_have_none(shop: Shop) -> None:
    made = shop.explain()

    assert not any("target" in orjson.loads(line) for line in shop.lines(made))
    assert shop.table(made).column("target").null_count == _N_ROWS


def test_each_block_of_lines_can_be_read_alone(shop: Shop) -> None:
    made = shop.explain()
    kept, lines = shop.open(made), shop.lines(made)

    middle = int(kept.rows[2])
    assert list(kept.read(middle - 3, middle + 10)) == lines[middle - 3 : middle]
    assert list(kept.read(middle, middle + 10)) == lines[middle : middle + 10]
    assert list(kept.read(_N_ROWS - 1, _N_ROWS + 10)) == lines[-1:]
    assert list(kept.read(_N_ROWS, _N_ROWS + 10)) == []
    assert b"".join(kept.stored_blocks()) == kept.path.read_bytes()


def test_leaves_that_an_earlier_job_kept_give_the_same(shop: Shop) -> None:
    store, rows = LeafTableStore(shop.workshop.context.database), shop.workshop.register_dataset(_more_rows(900))
    first = shop.explain(dataset=rows, include=["contrast"])
    lines, table = shop.lines(first), shop.table(first)
    assert len(shop.open(first).rows) > 2  # blocks
    shop.forget(first)
    assert store.find(leaf_table_key(shop.model, rows)) is not None

    again = shop.explain(dataset=rows, include=["contrast"])

    assert shop.lines(again) == lines
    assert shop.table(again) == table


def test_leaves_that_explanations_leave_behind_are_those_of_any_other_job(shop: Shop) -> None:
    dataset = shop.workshop.register_dataset(_more_rows(800))
    store, place = LeafTableStore(shop.workshop.context.database), leaf_table_key(shop.model, dataset)
    shop.forget(shop.explain(dataset=dataset, include=["contrast"]))
    of_explanations = store.find(place)
    forget_leaf_tables(shop.workshop)

    shop.workshop.find_neighbors(model=shop.model, dataset=dataset, n_neighbors=2)

    assert of_explanations is not None
    assert store.find(place) == of_explanations  # by the hashes of what is in them


def test_leaves_of_rows_of_which_one_is_refused_are_not_kept(shop: Shop) -> None:
    rows = _more_rows(700)
    rows.loc[699, "f4"] = 1e300
    dataset = shop.workshop.register_dataset(rows)

    made = shop.explain(dataset=dataset)

    assert result_of(made).n_refused == 1
    assert LeafTableStore(shop.workshop.context.database).find(leaf_table_key(shop.model, dataset)) is None


@pytest.mark.long
def test_the_same_set_made_again_has_the_same_bytes(shop: Shop) -> None:
    first = shop.explain(n_prototypes=2)
    files = shop.workshop.context.artefacts.get(EXPLANATION_SETS.name, first.id).files
    shop.forget(first)

    again = shop.explain(n_prototypes=2)

    assert not again.reused
    assert shop.workshop.context.artefacts.get(EXPLANATION_SETS.name, again.id).files == files
    assert {**again.model_dump(), "job": 0, "created_at": 0} == {**first.model_dump(), "job": 0, "created_at": 0}


def test_a_set_of_nothing_but_refused_rows_says_so(shop: Shop) -> None:
    rows = _more_rows(20)
    rows["f4"] = 1e300

    made = shop.explain(dataset=shop.workshop.register_dataset(rows))

    result = result_of(made)
    assert (
        result.n_rows,
        result.n_explained,
        result.n_refused,
        result.n_unassigned,
    ) == (20, 0, 20, 0)
    assert (result.agreement, result.mean_proximity) == (None, None)
    assert {orjson.loads(line)["problem"]["code"] for line in shop.lines(made)} == {"non_finite_number"}
    assert shop.table(made).column("reasons").null_count == 20


def test_of_a_feature_that_is_not_shown_no_value_of_a_prototype_is_shown(shop: Shop) -> None:
    hidden = shop.workshop.register_explainer(model=shop.model, prototype_set=shop.prototype_set, shown_features=["f1"])

    made = shop.explain(explainer=hidden, dataset=shop.workshop.register_dataset(_more_rows(50)), detail="full")

    lines = [orjson.loads(line) for line in shop.lines(made)]
    assert {cell["feature"] for line in lines for cell in line["values"]} == {"f1"}
    near = [near for line in lines for near in line["nearest_prototypes"]]
    assert {reason["feature"] for each in near for reason in each["reasons"]} == {"f1"}


def test_lines_of_an_earlier_release_are_served_as_they_are(shop: Shop) -> None:
    made, context = shop.explain(n_prototypes=1), shop.workshop.context
    lines = [b'{"object":"explanation","row_id":"%d","status":"ok","contrast":null}' % row for row in range(_N_ROWS)]
    text = b"".join(line + b"\n" for line in lines)
    archive = {"rows": np.array([0, _N_ROWS])}
    compressed = pa.Codec("zstd").compress(text, asbytes=True)
    arrays = context.objects.put(write_arrays({**archive, "bytes": np.array([0, len(compressed)])}))
    with context.database.transaction() as connection:
        connection.execute(update(artefacts).where(artefacts.c.id == made.id).values(arrays=arrays))
        own = (artefact_files.c.artefact == made.id) & (artefact_files.c.name == "lines")
        connection.execute(update(artefact_files).where(own).values(object=context.objects.put(compressed)))

    page = orjson.loads(b"".join(list_explanations(context, made.id, 2, "1000")))

    assert shop.lines(made) == lines
    assert page["data"] == [orjson.loads(line) for line in lines[1000:1002]]


def test_a_set_that_is_not_made_yet_has_no_lines(shop: Shop) -> None:
    request = ExplanationSetRequest(explainer=shop.explainer, dataset=shop.rows, n_prototypes=77)
    requested = request_explanation_set(shop.workshop.context, request)

    with pytest.raises(StorageError) as refused:
        shop.open(requested)

    assert refused.value.code == "artefact_not_ready"


def test_a_set_whose_explainer_is_deleted_before_it_is_begun_fails_by_name(shop: Shop) -> None:
    named = shop.workshop.register_explainer(model=shop.model, prototype_set=shop.prototype_set, name="short-lived")
    request = ExplanationSetRequest(explainer=named, dataset=shop.rows)
    requested = request_explanation_set(shop.workshop.context, request)
    delete_explainer(shop.workshop.context, named)

    job = shop.workshop.run(requested.job or "")

    assert job.status == "failed"
    assert job.problem is not None
    assert job.problem.code == "not_found"
    assert named in job.problem.detail


def test_a_set_that_would_be_too_large_is_refused_at_once(shop: Shop) -> None:
    context = shop.workshop.context
    with workshop_in(context.settings.data_dir, max_explanation_set_values=_N_ROWS * 2 * 5) as strict:
        request: dict[str, Any] = {"explainer": shop.explainer, "dataset": shop.rows}
        request_explanation_set(strict.context, ExplanationSetRequest(**request, n_prototypes=2))

        with pytest.raises(StorageError) as refused:
            request_explanation_set(strict.context, ExplanationSetRequest(**request, n_prototypes=3))

    assert refused.value.code == "resource_estimate_exceeds_limit"
    assert "16000 values" in refused.value.detail


@pytest.mark.long
def test_a_set_in_the_making_moves_on_and_stops_within_two_seconds_leaving_nothing(shop: Shop) -> None:
    context = shop.workshop.context
    dataset = shop.workshop.register_dataset(_more_rows(_MANY_ROWS))
    farm = JobFarm(context.settings.data_dir)
    try:
        request = ExplanationSetRequest(explainer=shop.explainer, dataset=dataset)
        job = request_explanation_set(context, request).job or ""
        farm.start_worker("workers", LEAFSPACE_LOOK_SECONDS="1")

        def progress() -> Progress:
            return context.jobs.get(job).progress

        farm.wait_until(lambda: progress().stage == "explaining")
        before = progress().fraction
        farm.wait_until(lambda: progress().fraction > before)
        context.jobs.request_cancel(job)
        farm.wait_until(lambda: context.jobs.get(job).status == "cancelled", seconds=2)

        assert farm.workspaces() == []
    finally:
        farm.stop()
