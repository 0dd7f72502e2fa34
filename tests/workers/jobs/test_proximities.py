"""Proximity jobs: the nearest rows of every row, as the slow twin finds them, and the file that they are kept in."""

from typing import get_args

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
import sklearn.metrics

from schemas.artefacts import TreeWeighting
from schemas.proximities import PROXIMITIES
from tests.support import naive, naive_label_audit
from tests.support.naive_coarser_leaves import coarser_codes, coarser_nodes
from tests.support.real_jobs import N_TRAINING_ROWS, REGRESSION, RealCase
from tests.support.workshop import Workshop, result_of
from tree_explainers.leaf_space import neighborhoods
from tree_explainers.leaf_space.leaves import LeafTable, ProximityKind, tree_weights
from workers.jobs import proximities

from .conftest import FindCase


def _expected(case: RealCase, n_neighbors: int) -> pd.DataFrame:
    proximity, total = case.training_proximity, int(case.weights.sum())
    lines = [
        (row, f"row {row}", rank, other, f"row {other}", proximity[row, other] / total)
        for row in range(N_TRAINING_ROWS)
        for rank, other in enumerate(naive_label_audit.nearest(proximity, row, n_neighbors), 1)
    ]
    return pd.DataFrame(lines, columns=proximities.SCHEMA.names)


@pytest.mark.parametrize("n_neighbors", [1, 10, N_TRAINING_ROWS - 1])
@pytest.mark.parametrize(
    ("dataset", "kind"),
    [
        ("breast_cancer", "random_forest"),
        ("titanic", "boosting"),
        ("covertype_20k", "random_forest"),
        (REGRESSION, "boosting"),
        (REGRESSION, "random_forest"),
    ],
)
@pytest.mark.sampled("values")
def test_the_table_has_the_neighbours_that_the_slow_twin_finds(
    workshop: Workshop, real_case: FindCase, dataset: str, kind: ProximityKind, n_neighbors: int
) -> None:
    case = real_case(dataset, kind)

    made = workshop.find_neighbors(model=case.model, dataset=case.dataset, n_neighbors=n_neighbors)

    expected = _expected(case, n_neighbors)
    pd.testing.assert_frame_equal(
        workshop.table_of(PROXIMITIES, made).to_pandas(), expected, check_dtype=False, check_exact=True
    )
    nearest = expected[expected["rank"] == 1]["proximity"]
    result = result_of(made)
    assert (made.status, result.proximity_kind, result.n_rows, result.n_neighbors) == (
        "ready",
        kind,
        N_TRAINING_ROWS,
        n_neighbors,
    )
    assert result.n_trees == case.real.leaves.shape[1]
    assert result.n_pairs == len(expected)
    assert result.mean_nearest_proximity == pytest.approx(nearest.sum() / N_TRAINING_ROWS)
    assert result.share_without_neighbors == 1 - len(nearest) / N_TRAINING_ROWS


@pytest.mark.parametrize("dataset", ["titanic", REGRESSION])
@pytest.mark.parametrize("kind", ["random_forest", "kernel", "graded"])
@pytest.mark.sampled("values")
def test_what_the_model_says_is_read_off_the_neighbours(
    workshop: Workshop, real_case: FindCase, dataset: str, kind: str
) -> None:
    case = real_case(dataset, "random_forest")

    made = workshop.find_neighbors(model=case.model, dataset=case.dataset, n_neighbors=4, proximity_kind=kind)

    read_off, said = result_of(made).read_off, case.real.predicted[case.training]
    neighbors = workshop.table_of(PROXIMITIES, made).to_pandas().groupby("row")
    assert read_off is not None
    if dataset == REGRESSION:
        nearest, of_all = said.mean() * np.ones(len(said)), said.mean() * np.ones(len(said))
        for row, lines in neighbors:
            values = said[lines["neighbor_row"]]
            nearest[row], of_all[row] = values[0], np.average(values, weights=lines["proximity"])
        expected = [sklearn.metrics.r2_score(said, read) for read in (nearest, of_all)]
        assert (read_off.measure, read_off.constant) == ("r2_of_model", 0)
    else:
        right = np.zeros((2, len(said)))
        for row, lines in neighbors:
            sums = lines.groupby(said[lines["neighbor_row"]])["proximity"].sum()
            right[:, row] = said[lines["neighbor_row"].iloc[0]] == said[row], sums.idxmax() == said[row]
        expected = right.mean(axis=1).tolist()
        assert (read_off.measure, read_off.constant) == ("fidelity", np.bincount(said).max() / len(said))
    assert [read_off.nearest, read_off.neighbors] == pytest.approx(expected, abs=1e-6)
    assert read_off.neighbors > read_off.constant


def test_with_coarser_leaves_neighbours_share_those(workshop: Workshop, real_case: FindCase) -> None:
    case = real_case(REGRESSION, "random_forest")

    made = workshop.find_neighbors(model=case.model, dataset=case.dataset, n_neighbors=3, min_leaf_rows=15)

    leaves = case.real.leaves[case.training]
    codes = coarser_codes(coarser_nodes(case.opened.ensemble, leaves, 15))
    coarser = codes[case.opened.ensemble.leaf_offsets[:-1] + leaves]
    is_used = np.array([len(np.unique(column)) > 1 for column in coarser.T])
    proximity = naive.proximity_matrix(coarser, is_used.astype(np.int64))
    table = workshop.table_of(PROXIMITIES, made).to_pandas()
    for row in range(0, N_TRAINING_ROWS, 29):
        own = table[table["row"] == row]
        assert own["neighbor_row"].tolist() == naive_label_audit.nearest(proximity, row, 3)
        assert own["proximity"].tolist() == [proximity[row, other] / is_used.sum() for other in own["neighbor_row"]]
    assert (result_of(made).min_leaf_rows, result_of(made).n_trees_used) == (15, is_used.sum())


@pytest.mark.parametrize("kind", get_args(TreeWeighting))
def test_rows_are_compared_by_each_weighting_of_the_contract(
    workshop: Workshop, real_case: FindCase, kind: TreeWeighting
) -> None:
    case = real_case("titanic", "boosting")

    made = workshop.find_neighbors(model=case.model, dataset=case.dataset, n_neighbors=2, proximity_kind=kind)

    ensemble, leaves = case.opened.ensemble, case.real.leaves[case.training]
    weights = tree_weights(kind, LeafTable.from_leaves(leaves, ensemble.n_leaves), ensemble.leaf_values)
    proximity = naive.proximity_matrix(leaves, weights)
    np.fill_diagonal(proximity, 0)
    nearest = workshop.table_of(PROXIMITIES, made).to_pandas().query("rank == 1").set_index("row")["proximity"]
    assert result_of(made).proximity_kind == kind
    assert nearest.to_dict() == {
        row: proximity[row].max() / weights.sum() for row in range(N_TRAINING_ROWS) if proximity[row].any()
    }


def test_the_file_is_written_in_groups_that_a_page_can_be_read_from(
    workshop: Workshop, real_case: FindCase, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = real_case("covertype_20k", "random_forest")
    whole = workshop.find_neighbors(model=case.model, dataset=case.dataset, n_neighbors=7)
    monkeypatch.setattr(neighborhoods, "BLOCK_CELLS", 7 * 130)
    monkeypatch.setattr(proximities, "_GROUP_LINES", 100)
    in_blocks = workshop.find_neighbors(
        model=case.model, dataset=case.dataset, proximity_kind="boosting", n_neighbors=7
    )
    artefact = workshop.context.artefacts.get("proximities", in_blocks.id)

    metadata = pq.ParquetFile(workshop.context.objects.path(artefact.files["table"])).metadata

    assert metadata.num_row_groups >= 20
    assert max(metadata.row_group(group).num_rows for group in range(metadata.num_row_groups)) == 100
    assert result_of(whole).n_pairs is not None
    rows = workshop.table_of(PROXIMITIES, in_blocks).column("row").to_numpy()
    assert np.array_equal(rows, np.sort(rows))
    assert set(rows.tolist()) == set(range(N_TRAINING_ROWS))


def test_long_names_make_for_shorter_groups(
    workshop: Workshop, real_case: FindCase, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = real_case("breast_cancer", "random_forest")
    frame = pd.DataFrame(case.real.features[:40], columns=case.opened.view.feature_names)
    names = [f"{'é' * 240} {row:02}" for row in range(40)]
    dataset = workshop.register_dataset(frame.assign(name=names), row_id="name")
    monkeypatch.setattr(proximities, "_GROUP_BYTES", 2 * 483 * 30)

    made = workshop.find_neighbors(model=case.model, dataset=dataset, n_neighbors=3)

    artefact = workshop.context.artefacts.get("proximities", made.id)
    metadata = pq.ParquetFile(workshop.context.objects.path(artefact.files["table"])).metadata
    assert max(metadata.row_group(group).num_rows for group in range(metadata.num_row_groups)) == 30
    table = workshop.table_of(PROXIMITIES, made).to_pandas()
    assert table["row_id"].tolist() == [names[row] for row in table["row"]]
    assert table["neighbor_row_id"].tolist() == [names[row] for row in table["neighbor_row"]]


def test_rows_without_names_are_called_by_their_position(workshop: Workshop, real_case: FindCase) -> None:
    case = real_case("breast_cancer", "random_forest")
    names = case.opened.view.feature_names
    frame = pd.DataFrame(case.real.features[:40], columns=names)
    dataset = workshop.register_dataset(frame)

    made = workshop.find_neighbors(model=case.model, dataset=dataset, n_neighbors=3)

    table = workshop.table_of(PROXIMITIES, made).to_pandas()
    assert table["row_id"].tolist() == table["row"].astype(str).tolist()
    assert table["neighbor_row_id"].tolist() == table["neighbor_row"].astype(str).tolist()


def test_rows_that_are_all_alike_are_reported(workshop: Workshop, real_case: FindCase) -> None:
    case = real_case("breast_cancer", "random_forest")
    frame = pd.DataFrame(np.repeat(case.real.features[:1], 5, axis=0), columns=case.opened.view.feature_names)
    dataset = workshop.register_dataset(frame)

    made = workshop.find_neighbors(model=case.model, dataset=dataset, n_neighbors=4)

    result = result_of(made)
    assert (
        result.mean_nearest_proximity,
        result.share_without_neighbors,
        result.n_pairs,
    ) == (1, 0, 20)
    table = workshop.table_of(PROXIMITIES, made).to_pandas()
    assert table[table["row"] == 2]["neighbor_row"].tolist() == [0, 1, 3, 4]
