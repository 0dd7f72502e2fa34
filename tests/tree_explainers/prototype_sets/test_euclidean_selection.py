"""Prototypes by plain distance: the same integers, and the same rows in the same order, as the slow twin."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support import naive, naive_euclidean
from tests.support.real_leaves import real_leaves
from tests.support.sampling import mostly_long
from tree_explainers.errors import InvalidInput, MethodNotApplicable
from tree_explainers.leaf_space.euclidean_table import TOTAL, EuclideanTable
from tree_explainers.leaf_space.nearest_rows import nearest_rows
from tree_explainers.leaf_space.proximity import each_column
from tree_explainers.leaf_space.subset_proximities import column
from tree_explainers.prototype_sets.classifier import nearest_by_size
from tree_explainers.prototype_sets.coverage import measure_coverage
from tree_explainers.prototype_sets.criticisms import find_criticisms
from tree_explainers.prototype_sets.selection import Method, sample_candidates, select_prototypes
from tree_explainers.prototype_sets.supervised import EvaluatedRows
from tree_explainers.rank_scale import RankScale

METHODS: tuple[Method, ...] = ("sm_u", "sm_a", "sm_wa", "sg", "a_pete", "k_medoids")
RANKED = (True, False, True, False)  # a number, a category, a number with few values, a truth value
N = 8
Columns = list[NDArray[Any]]


def mixed_columns(n_rows: int, seed: int) -> Columns:
    """Return columns of all kinds, each with missing values, many of them tied."""
    rng = np.random.default_rng(seed)
    numbers = np.where(rng.random(n_rows) < 0.1, np.nan, rng.normal(size=n_rows))
    words = rng.choice(np.array(["red", "green", "blue", None], dtype=object), n_rows)
    few = rng.choice([1.0, 2.0, 5.0, np.nan], n_rows)
    return [numbers, words, few, rng.choice([0.0, 1.0, np.nan], n_rows, p=[0.6, 0.3, 0.1])]


def rows_of(columns: Columns) -> list[tuple[Any, ...]]:
    return list(zip(*(each.tolist() for each in columns), strict=True))


def matrix(columns: Columns, others: Columns, reference: Columns) -> NDArray[np.int64]:
    return naive_euclidean.proximity_matrix(rows_of(columns), rows_of(others), rows_of(reference), RANKED)


class Mixed:
    """Rows of all kinds of features in three classes, with their table and the twin's proximities."""

    def __init__(self, n_rows: int = 90, seed: int = 0) -> None:
        self.columns = mixed_columns(n_rows, seed)
        self.scale = RankScale.of(self.columns, RANKED)
        self.table = EuclideanTable(self.scale.positions(self.columns), self.scale.is_ranked)
        self.proximity = matrix(self.columns, self.columns, self.columns)
        few = np.nan_to_num(self.columns[2])
        self.classes = np.searchsorted([1.5, 3.0], few + np.random.default_rng(seed + 1).normal(size=n_rows))

    def of_others(self, n_rows: int, seed: int) -> tuple[Columns, EuclideanTable]:
        """Return other rows, on the scale of these."""
        columns = mixed_columns(n_rows, seed)
        columns[1][0] = "a colour that no reference row has"
        columns[0][:2] = -99.0, 99.0
        return columns, EuclideanTable(self.scale.positions(columns), self.scale.is_ranked)


def columns_of(table: EuclideanTable, positions: NDArray[np.int32]) -> NDArray[np.int64]:
    return np.stack(list(each_column(table, table.weights, positions))).astype(np.int64)


@pytest.fixture(scope="module")
def mixed() -> Mixed:
    return Mixed()


def test_proximities_are_those_of_the_twin(mixed: Mixed) -> None:
    found = columns_of(mixed.table, mixed.table.positions)

    assert found.tolist() == mixed.proximity.tolist()
    assert (np.diag(found) == TOTAL).all()
    assert column(mixed.table, mixed.table.weights, 7).tolist() == mixed.proximity[7].tolist()


def test_other_rows_are_ranked_among_the_reference_rows(mixed: Mixed) -> None:
    columns, others = mixed.of_others(30, 5)

    assert columns_of(mixed.table, others.positions).tolist() == matrix(columns, mixed.columns, mixed.columns).tolist()


def test_the_number_of_threads_and_the_length_of_blocks_change_no_byte() -> None:
    rng = np.random.default_rng(4)
    positions = rng.integers(-1, 65_537, (2_500, 60)).astype(np.int32)
    table = EuclideanTable(positions, np.arange(60) % 5 > 0)
    queries = positions[:300]

    whole = table.columns(queries, n_threads=1)

    assert whole.tobytes() == table.columns(queries, n_threads=3).tobytes()
    assert whole[7:9].tobytes() == table.columns(queries[7:9], n_threads=2).tobytes()
    limits = rng.integers(0, TOTAL, (2, 2_500))
    counted = table.tally(np.arange(300), np.arange(2_500), limits)
    excess = np.maximum(whole.astype(np.int64)[None] - limits[:, None], 0)
    assert counted.tolist() == [(excess > 0).sum(axis=2).tolist(), excess.sum(axis=2).tolist()]


@pytest.mark.parametrize("seed", mostly_long([0, 1], 0))
@pytest.mark.parametrize("method", METHODS)
def test_each_method_chooses_the_rows_of_its_slow_twin_in_the_same_order(method: Method, seed: int) -> None:
    mixed = Mixed(seed=seed)

    found = select_prototypes(mixed.table, mixed.classes, mixed.table.weights, method, n_prototypes=N)

    parameter = 0.05 if method == "a_pete" else N
    assert found.rows.tolist() == naive.SELECTIONS[method](mixed.proximity, mixed.classes, parameter, None)


@pytest.mark.parametrize("method", METHODS)
def test_ties_among_equal_rows_go_to_the_lowest(method: Method) -> None:
    once = Mixed(30, 3)
    columns, classes = [np.tile(each, 3) for each in once.columns], np.tile(once.classes, 3)
    scale = RankScale.of(columns, RANKED)
    table = EuclideanTable(scale.positions(columns), scale.is_ranked)

    found = select_prototypes(table, classes, table.weights, method, n_prototypes=N)

    parameter = 0.05 if method == "a_pete" else N
    twin = naive.SELECTIONS[method](np.tile(once.proximity, (3, 3)), classes, parameter, None)
    assert found.rows.tolist() == twin
    assert found.rows.max() < 30


@pytest.mark.parametrize("method", METHODS)
def test_candidates_alone_are_chosen_to_cover_all_rows(mixed: Mixed, method: Method) -> None:
    candidates = sample_candidates(mixed.classes, 25, np.random.default_rng(3))

    found = select_prototypes(
        mixed.table, mixed.classes, mixed.table.weights, method, n_prototypes=N, candidates=candidates
    )

    parameter = 0.05 if method == "a_pete" else N
    twin = naive.SELECTIONS[method](mixed.proximity, mixed.classes, parameter, candidates.tolist())
    assert found.rows.tolist() == twin


@pytest.mark.long
def test_supervised_greedy_raises_the_accuracy_of_other_rows(mixed: Mixed) -> None:
    columns, others = mixed.of_others(40, 6)
    classes = np.random.default_rng(8).integers(0, 3, 40)

    found = select_prototypes(
        mixed.table, mixed.classes, mixed.table.weights, "sg", n_prototypes=N, evaluated=EvaluatedRows(classes, others)
    )

    whole = [np.concatenate(each) for each in zip(mixed.columns, columns, strict=True)]
    proximity = matrix(whole, whole, mixed.columns)
    assert found.rows.tolist() == naive.sg_on_other_rows(proximity, mixed.classes, classes, N, is_balanced=True)


@pytest.mark.parametrize("method", ["sm_u", "sm_wa"])
def test_real_rows_are_chosen_as_by_the_whole_matrix(method: Method) -> None:
    real = real_leaves("breast_cancer", "random_forest")
    columns = list(real.features[:200].astype(np.float64).T)
    ranked = [True] * len(columns)
    scale = RankScale.of(columns, ranked)
    table, classes = EuclideanTable(scale.positions(columns), scale.is_ranked), real.classes("target")[:200]

    found = select_prototypes(table, classes, table.weights, method, n_prototypes=12)

    proximity = columns_of(table, table.positions)
    ranks = np.stack(
        [(np.searchsorted(np.sort(c), c) + np.searchsorted(np.sort(c), c, "right")) / 400 for c in columns]
    )
    distances = np.sqrt(((ranks[:, :, None] - ranks[:, None]) ** 2).sum(axis=0) / len(columns))
    assert np.abs(proximity / TOTAL - (1 - distances)).max() < 2e-5
    assert found.rows.tolist() == naive.SELECTIONS[method](proximity, classes, 12, None)


def test_what_is_made_of_prototypes_is_as_the_twins_say(mixed: Mixed) -> None:
    table, weights, classes = mixed.table, mixed.table.weights, mixed.classes
    rows = select_prototypes(table, classes, weights, "sm_a", n_prototypes=N).rows

    covered = measure_coverage(table, weights, classes, rows)
    criticisms = find_criticisms(table, weights, classes, rows, 5)

    chosen = rows.tolist()
    assert covered.objectives[-1] == naive.objective(mixed.proximity, classes, chosen)
    assert covered.n_covered.tolist() == naive.coverage(mixed.proximity, classes, chosen)
    assert criticisms.rows.tolist() == naive.criticisms(mixed.proximity, classes, chosen, 5)
    *_, nearest = nearest_by_size(table, weights, table.leaves_of(rows))
    given = classes[rows][nearest]
    assert given.tolist() == naive.nearest_prototype_classes(mixed.proximity, classes, chosen).tolist()


def test_the_nearest_rows_are_those_of_the_sorted_matrix(mixed: Mixed) -> None:
    columns, others = mixed.of_others(20, 9)
    nearest, proximity = nearest_rows(mixed.table, mixed.table.weights), matrix(columns, mixed.columns, mixed.columns)

    rows, proximities = nearest.of_rows(np.array([3, 11]), 89)
    of_others, _ = nearest.of_leaves(others.positions, 4)

    for index, row in enumerate((3, 11)):
        order = sorted((-int(p), other) for other, p in enumerate(mixed.proximity[row]) if other != row)
        assert rows[index].tolist() == [other for _, other in order]
        assert proximities[index].tolist() == [-negative for negative, _ in order]
    assert of_others.tolist() == [np.lexsort((np.arange(90), -line))[:4].tolist() for line in proximity]


def test_a_feature_without_any_value_tells_no_rows_apart() -> None:
    columns: Columns = [np.array([np.nan, np.nan, np.nan]), np.array([1.0, 2.0, 4.0])]
    scale = RankScale.of(columns, [True, True])
    table = EuclideanTable(scale.positions(columns), scale.is_ranked)
    others = scale.positions([np.array([7.0, -7.0]), np.array([np.nan, 3.0])])

    assert scale.positions(columns)[:, 1].tolist() == [10_923, 32_768, 54_613]
    assert others.tolist() == [[0, -1], [0, 43_691]]
    assert table.columns(others)[0].tolist() == [0, 0, 0]


def test_what_needs_leaves_or_a_minimum_proximity_is_refused(mixed: Mixed) -> None:
    table, weights, classes = mixed.table, mixed.table.weights, mixed.classes

    with pytest.raises(MethodNotApplicable, match="give n_prototypes, not coverage"):
        select_prototypes(table, classes, weights, "sm_a", coverage=0.9)
    with pytest.raises(MethodNotApplicable, match="leave out refine"):
        select_prototypes(table, classes, weights, "sm_a", n_prototypes=3, refine="swap")
    with pytest.raises(InvalidInput, match="has 4 features"):
        table.columns(np.zeros((1, 3), dtype=np.int32))
    with pytest.raises(InvalidInput, match="do not fit together"):
        EuclideanTable(np.zeros((2, 3), dtype=np.int32), np.array([True]))
    with pytest.raises(TypeError, match="no leaves"):
        _ = table.codes
