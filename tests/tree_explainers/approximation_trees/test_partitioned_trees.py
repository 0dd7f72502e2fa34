"""Trees of rows that lie in partitions: the same measures, and by ISM the same tree, as of rows in one process."""

import pickle
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support.implied_columns import implied_case
from tests.support.ism_training import IsmCase, ism_case
from tests.support.sampling import mostly_long
from tree_explainers.approximation_trees.fidelity import ModelPredictions, measure_fidelity
from tree_explainers.approximation_trees.ism import IsmSettings, IsmTraining, grow_ism
from tree_explainers.approximation_trees.partitioned_fidelity import PredictedRows, measure_in_partitions, with_counts
from tree_explainers.approximation_trees.partitioned_ism import PartitionedTraining, grow_ism_in_partitions
from tree_explainers.approximation_trees.tree_growth import TreeLimits
from tree_explainers.approximation_trees.trees import ApproximationTree
from tree_explainers.compute.partitions import LocalPartitions
from tree_explainers.errors import InvalidInput, MethodNotApplicable
from tree_explainers.prediction_scores import Targets
from tree_explainers.questions.implications import Implications
from tree_explainers.rows import Rows

_BLOCK = 37  # rows of a block: a partition has several
_CASES = ("missing_kept", "random_forest_regression", "lightgbm_multiclass", "scaled_and_one_hot", "dropped_indicators")
LIMITS = TreeLimits(5, 3)


@dataclass(frozen=True)
class HeldPart:
    """Rows of a partition that are held: as of a job, they are given block by block."""

    rows: Rows
    scores: NDArray[np.float64]
    predicted: NDArray[Any]
    truth: NDArray[Any] | None

    def blocks(self, names: Sequence[str]) -> Iterator[PredictedRows]:
        for start in range(0, len(self.scores), _BLOCK):
            own = slice(start, start + _BLOCK)
            truth = None if self.truth is None else self.truth[own]
            yield PredictedRows(self.rows.select(names).take(own), self.scores[own], self.predicted[own], truth)


class LostPartitions(LocalPartitions):
    """Parts that are made again for each map, as if their worker was lost every time: nothing is remembered."""

    def map(self, function: Callable[..., Any], *broadcast: Any) -> Iterator[Any]:  # as it is
        parts = [tuple(map(pickle.loads, map(pickle.dumps, part))) for part in self._parts]
        return LocalPartitions(parts).map(function, *broadcast)

    def _of(self, parts: Sequence[tuple[Any, ...]]) -> "LostPartitions":
        return LostPartitions(parts)


def _parts(training: IsmTraining, truth: NDArray[Any] | None, n_parts: int) -> LocalPartitions:
    predicted = training.scores[:, 0] if training.labels is None else training.labels
    parts = []
    for own in np.array_split(np.arange(len(training.scores)), n_parts):
        own_truth = None if truth is None else truth[own]
        parts.append((HeldPart(training.rows.take(own), training.scores[own], predicted[own], own_truth),))
    return LocalPartitions(parts, n_threads=2)


def _grown(
    case: IsmCase, n_parts: int, settings: IsmSettings, implications: Implications | None = None
) -> ApproximationTree:
    truth = None if case.training.labels is None else case.training.classes
    training = PartitionedTraining(
        _parts(case.training, truth, n_parts), case.statements, implications or Implications()
    )
    return grow_ism_in_partitions(training, case.read.ensemble, case.read.description, settings)


def _assert_same_tree(one: ApproximationTree, other: ApproximationTree) -> None:
    assert [replace(node, facts=None) for node in one.nodes] == [replace(node, facts=None) for node in other.nodes]  # type: ignore[arg-type]  # compared below
    for node, twin in zip(one.nodes, other.nodes, strict=True):
        np.testing.assert_allclose(node.facts.scores, twin.facts.scores, rtol=1e-12)
        assert replace(node.facts, scores=twin.facts.scores) == twin.facts


@pytest.mark.parametrize("n_parts", [1, 2, 5])
@pytest.mark.parametrize("name", mostly_long(_CASES, *_CASES[:2]))
@pytest.mark.sampled("thirds")
def test_ism_grows_the_same_tree_from_counts_of_partitions(name: str, n_parts: int) -> None:
    case = ism_case(name)
    _assert_same_tree(_grown(case, n_parts, IsmSettings(LIMITS)), case.grow(LIMITS))


def test_partitions_that_are_lost_after_each_map_grow_the_same_tree() -> None:
    case = ism_case("random_forest_multiclass")
    parts = LostPartitions(_parts(case.training, case.training.classes, 3)._parts)

    tree = grow_ism_in_partitions(
        PartitionedTraining(parts, case.statements), case.read.ensemble, case.read.description, IsmSettings(LIMITS)
    )

    _assert_same_tree(tree, case.grow(LIMITS))


def test_batches_of_few_statements_find_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    case = ism_case("missing_kept")
    tree = _grown(case, 2, IsmSettings(LIMITS))
    monkeypatch.setattr("tree_explainers.approximation_trees.partitioned_ism.MOST_CELLS", 160)
    _assert_same_tree(_grown(case, 2, IsmSettings(LIMITS)), tree)


def test_pure_nodes_ratios_and_implications_are_those_of_one_process() -> None:
    case = ism_case("random_forest_multiclass")
    for settings in (IsmSettings(LIMITS, stop_when_pure=True), IsmSettings(LIMITS, criterion="gain_ratio")):
        tree = grow_ism(case.training, case.read.ensemble, case.read.description, settings)
        _assert_same_tree(_grown(case, 3, settings), tree)
    implied = implied_case()
    settings = IsmSettings(LIMITS)
    tree = grow_ism(implied.training, implied.read.ensemble, implied.read.description, settings)
    _assert_same_tree(_grown(implied, 3, settings, implied.training.implications), tree)


def test_independent_leaf_probabilities_are_those_of_all_partitions() -> None:
    case, settings = ism_case("few_random_forest_binary"), IsmSettings(LIMITS, leaf_probabilities="independent")
    tree = grow_ism(case.training, case.read.ensemble, case.read.description, settings)
    for n_parts in (1, 3):
        _assert_same_tree(_grown(case, n_parts, settings), tree)
    with pytest.raises(MethodNotApplicable, match="means"):
        _grown(ism_case("lightgbm_multiclass"), 2, settings)


def test_purity_of_rows_without_a_target_is_refused() -> None:
    case = ism_case("missing_kept")
    with pytest.raises(InvalidInput, match="stop_when_pure"):
        _grown(case, 2, IsmSettings(stop_when_pure=True))


@pytest.mark.parametrize("n_parts", [1, 2, 5])
@pytest.mark.parametrize("name", ["random_forest_multiclass", "random_forest_regression"])
def test_measures_of_partitions_are_those_of_all_rows(name: str, n_parts: int) -> None:
    case, rng = ism_case(name), np.random.default_rng(0)
    tree, training = case.grow(LIMITS), case.training
    if training.labels is None:
        truth: NDArray[Any] = training.scores[:, 0] + rng.standard_normal(len(training.scores))
        targets, of_model = Targets.of_values(truth), Targets.of_values(training.scores[:, 0])
    else:
        truth, n_classes = rng.permutation(training.labels), training.scores.shape[1]
        targets, of_model = (Targets.of_classes(of, n_classes) for of in (truth, training.labels))
    answers = ModelPredictions(training.scores, of_model)

    for given, known in ((truth, targets), (None, None)):
        found = measure_in_partitions(tree, _parts(training, given, n_parts))
        twin = measure_fidelity(tree, training.rows, answers, known)
        assert _flat(asdict(found.fidelity)) == pytest.approx(_flat(asdict(twin)), rel=1e-9, abs=1e-9)
        counted = with_counts(tree, found.n_rows)
        assert [node.facts.n_samples for node in counted.nodes] == [node.facts.n_samples for node in tree.nodes]


def _flat(measures: dict[str, Any], prefix: str = "") -> dict[str, float]:
    """Return the measures that there are, by name."""
    found: dict[str, float] = {}
    for name, value in measures.items():
        found |= _flat(value, f"{prefix}{name}.") if isinstance(value, dict) else {}
        found |= {f"{prefix}{name}": value} if isinstance(value, float) else {}
    return found


def test_however_rows_are_cut_measures_are_the_same_to_the_last_bit() -> None:
    for name in ("random_forest_multiclass", "random_forest_regression"):
        case = ism_case(name)
        tree, training = case.grow(TreeLimits(2, 3)), case.training
        noise = np.random.default_rng(0).standard_normal(len(training.scores))
        truth = training.labels if training.labels is not None else training.scores[:, 0] * 1e3 + noise
        found = [measure_in_partitions(tree, _parts(training, truth, n_parts)) for n_parts in (1, 2, 5)]
        assert {(repr(each.fidelity), each.constants, *each.n_rows.tolist()) for each in found[1:]} == {
            (repr(found[0].fidelity), found[0].constants, *found[0].n_rows.tolist())
        }


def test_rows_without_a_target_count_for_the_model_alone() -> None:
    case = ism_case("random_forest_multiclass")
    tree, training = case.grow(LIMITS), case.training
    assert training.labels is not None
    truth = np.where(np.arange(len(training.labels)) % 3 == 0, training.labels, -1)
    known, n_classes = truth >= 0, training.scores.shape[1]
    own = ModelPredictions(training.scores[known], Targets.of_classes(training.labels[known], n_classes))
    twin = measure_fidelity(
        tree, training.rows.take(np.flatnonzero(known)), own, Targets.of_classes(truth[known], n_classes)
    )

    found = measure_in_partitions(tree, _parts(training, truth, 2)).fidelity

    assert found.tree is not None
    assert found.tree.accuracy == pytest.approx(twin.tree and twin.tree.accuracy)
    assert found.model == twin.model
    assert found.fidelity == measure_in_partitions(tree, _parts(training, None, 2)).fidelity.fidelity


def test_equal_values_have_no_r2() -> None:
    case = ism_case("random_forest_regression")
    tree, training = case.grow(LIMITS), case.training
    truth = np.full(len(training.scores), 0.1)

    found = measure_in_partitions(tree, _parts(training, truth, 3)).fidelity

    assert found.tree is not None
    assert (found.tree.r2, found.constant.against_target and found.constant.against_target.r2) == (None, None)


def test_values_whose_errors_have_no_squares_are_refused() -> None:
    case = ism_case("random_forest_regression")
    tree, training = case.grow(LIMITS), case.training
    truth = np.where(np.arange(len(training.scores)) == 7, 1e200, 0.1)

    with pytest.raises(MethodNotApplicable, match=r"Values differ by 1e\+200"):
        measure_in_partitions(tree, _parts(training, truth, 3))
