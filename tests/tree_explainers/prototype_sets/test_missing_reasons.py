"""Reasons of models that send missing values their own way, against changed values and the twin that walks paths."""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from leafspace_client.conversion import convert_model
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier

from tests.support import naive
from tests.support.converted import read_converted
from tests.support.models import library, rows_of_matrix
from tree_explainers.onnx_models.reading import ReadModel
from tree_explainers.onnx_models.session import ModelSession
from tree_explainers.prototype_sets.feature_reasons import FeatureReason, ReferenceColumn
from tree_explainers.prototype_sets.leaf_boxes import LeafBoxes, leaf_boxes
from tree_explainers.prototype_sets.raw_units import RawSide, raw_interval
from tree_explainers.prototype_sets.readable import ReasonReader, feature_numbers
from tree_explainers.prototype_sets.reasons import Reasons
from tree_explainers.rows import Rows

N_COLUMNS, N_NULLABLE = 5, 3  # the first three miss cells
REFERENCE = tuple(ReferenceColumn(has_missing=column < N_NULLABLE) for column in range(N_COLUMNS))
ROWS = np.arange(60)
PROTOTYPES = np.arange(60, 72)
FAMILIES: dict[str, Callable[[int], Any]] = {
    "xgboost": lambda seed: library("xgboost").XGBClassifier(n_estimators=25, max_depth=4, n_jobs=1, random_state=seed),
    "lightgbm": lambda seed: library("lightgbm").LGBMClassifier(
        n_estimators=25, num_leaves=12, n_jobs=1, verbose=-1, random_state=seed
    ),
    "hist_gradient_boosting": lambda seed: HistGradientBoostingClassifier(
        max_iter=25, max_leaf_nodes=12, random_state=seed
    ),
    "random_forest": lambda seed: RandomForestClassifier(25, max_depth=6, random_state=seed),
}
CASES = [pytest.param(family, seed, marks=[pytest.mark.long] * seed) for family in FAMILIES for seed in (0, 1)]


@dataclass(frozen=True)
class Case:
    read: ReadModel
    session: ModelSession
    rows: Rows
    leaves: NDArray[np.int32]
    boxes: LeafBoxes
    reader: ReasonReader

    def changed(self, row: int, column: int, values: NDArray[np.float64]) -> NDArray[np.int32]:
        """Return the leaves of a row with each of these values in a column."""
        rows = self.rows.take(np.full(len(values), row))
        columns = [values if at == column else own for at, own in enumerate(rows.columns)]
        return self.session.run_in_chunks(Rows(rows.names, tuple(columns))).leaves


@functools.cache
def fit(family: str, seed: int) -> Case:
    """Fit on whole and broken numbers, of which those missing say something of the class."""
    rng = np.random.default_rng(seed)
    features = np.round(rng.normal(size=(400, N_COLUMNS)), 2)
    features[:, 1] = np.round(features[:, 1] * 5)
    target = (features[:, 0] + features[:, 3] * features[:, 1] > 0.2).astype(int)
    features[:, :N_NULLABLE][rng.random((400, N_NULLABLE)) < 0.3] = np.nan
    target ^= np.isnan(features[:, 2]) & (features[:, 4] > 0)
    matrix = features.astype(np.float32)
    estimator = FAMILIES[family](seed).fit(matrix, target)
    names = [f"f{column}" for column in range(N_COLUMNS)]
    read = read_converted(convert_model(estimator, matrix).onnx, names)
    session, rows = ModelSession(read.leaf_graph, read.description), rows_of_matrix(matrix)
    leaves, columns = session.run_in_chunks(rows).leaves, read.description.columns
    boxes = leaf_boxes(read.ensemble, leaves[PROTOTYPES], feature_numbers(columns))
    reader = ReasonReader.build(columns, read.description.precision, REFERENCE)
    return Case(read, session, rows, leaves, boxes, reader)


def reasons_of(case: Case, row: int, *, missing: tuple[int, ...] = ()) -> list[tuple[int, NDArray[Any], FeatureReason]]:
    """Return the prototypes, the trees shared with them, and the reasons of a row."""
    shared = case.leaves[PROTOTYPES] == case.leaves[row]
    every, is_missing = np.arange(len(PROTOTYPES)), np.isin(np.arange(N_COLUMNS), missing)
    found = case.reader.read(
        Reasons.build(case.boxes).of(every, shared, np.ones(shared.shape[1], np.uint32)), len(every), is_missing
    )
    return [(place, shared[place], reason) for place, reasons in enumerate(found) for reason in reasons]


def column_of(reason: FeatureReason) -> int:
    return int(reason["feature"].removeprefix("f"))


def admits(case: Case, reason: FeatureReason, value: float) -> bool:
    """Read a reason as a person would, its ends in the precision of the model."""
    if np.isnan(value):
        return reason["or_missing"] or reason["is_missing"]
    if reason["is_missing"]:
        return False
    kind = case.reader.precision
    low, high = (None if end is None else float(kind(end)) for end in (reason["low"], reason["high"]))
    above = low is None or value > low or (value == low and reason["low_inclusive"])
    return above and (high is None or value < high or (value == high and reason["high_inclusive"]))


def probes(case: Case, reason: FeatureReason) -> NDArray[np.float64]:
    """Return numbers on both sides of each end and in between, as near as the model can separate them, and none."""
    kind = case.reader.precision
    ends = [kind(end) for end in (reason["low"], reason["high"]) if end is not None]
    near = [value for end in ends for value in (np.nextafter(end, kind(-np.inf)), end, np.nextafter(end, kind(np.inf)))]
    within = [kind(share * ends[0] + (1 - share) * ends[-1]) for share in (0.25, 0.5, 0.75)] if ends else []
    return np.array([*near, *within, -1e9, 0, 1e9, np.nan], dtype=np.float64)


@pytest.mark.parametrize(("family", "seed"), CASES)
@pytest.mark.sampled("thirds")
def test_what_a_reason_admits_keeps_all_shared_leaves_and_nothing_else_does(family: str, seed: int) -> None:
    case = fit(family, seed)
    seen = {"missing alone": 0, "missing allowed": 0, "missing excluded": 0}
    for row in ROWS[:15].tolist():
        for place, shared, reason in reasons_of(case, row):
            column, values = column_of(reason), probes(case, reason)
            own = case.leaves[PROTOTYPES[place], shared]
            stays = (case.changed(int(PROTOTYPES[place]), column, values)[:, shared] == own).all(axis=1)
            if column >= N_NULLABLE:  # where missing values do not occur
                assert not reason["or_missing"]
                assert not reason["is_missing"]
                values, stays = values[:-1], stays[:-1]
            else:
                seen["missing alone"] += reason["is_missing"]
                seen["missing allowed"] += reason["or_missing"]
                seen["missing excluded"] += not (reason["is_missing"] or reason["or_missing"])
            assert reason["exact"]
            assert [admits(case, reason, value) for value in values] == stays.tolist(), reason
    assert min(seen.values()) > 0, seen


@pytest.mark.parametrize(("family", "seed"), CASES)
@pytest.mark.sampled("thirds")
def test_reasons_treat_missing_values_like_the_twin_that_follows_every_path(family: str, seed: int) -> None:
    case = fit(family, seed)
    n_missing = 0
    for row in ROWS[25:32].tolist():
        for place, shared, reason in reasons_of(case, row)[:40]:
            column, leaves = column_of(reason), case.leaves[PROTOTYPES[place]]
            box = naive.values_that_stay(case.read.ensemble, leaves, np.flatnonzero(shared).tolist(), column)
            assert reason["is_missing"] == (box.missing and not box.numbers)
            assert reason["or_missing"] == (box.missing and bool(box.numbers) and column < N_NULLABLE)
            assert all(admits(case, reason, number) for number in box.numbers)
            n_missing += reason["is_missing"]
            assert "e+38" not in reason["text"]  # which tests whether there is a value
    assert n_missing > 0


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.sampled("thirds")
def test_an_interval_that_is_reported_is_never_empty_and_a_row_has_the_reasons_that_are_reported_for_it(
    family: str,
) -> None:
    case = fit(family, 0)
    values = np.array(case.rows.columns).T
    for row in ROWS.tolist():
        for _, _, reason in reasons_of(case, row):
            low, high = reason["low"], reason["high"]
            if low is not None and high is not None:
                assert low < high or (low == high and reason["low_inclusive"] and reason["high_inclusive"])
            assert not (reason["is_missing"] and (reason["or_missing"] or low is not None or high is not None))
            assert admits(case, reason, values[row, column_of(reason)])


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.sampled("thirds")
def test_a_row_that_misses_what_no_reference_row_misses_has_a_reason_that_its_value_would_do(family: str) -> None:
    case = fit(family, 0)
    n_reasons = 0
    for row in ROWS.tolist():
        gone = N_COLUMNS - 1
        (leaves,) = case.changed(row, gone, np.array([np.nan]))
        shared = case.leaves[PROTOTYPES] == leaves
        reasons = Reasons.build(case.boxes).of(np.arange(len(PROTOTYPES)), shared, np.ones(shared.shape[1], np.uint32))
        for found in case.reader.read(reasons, len(PROTOTYPES), np.arange(N_COLUMNS) == gone):
            own = [reason for reason in found if column_of(reason) == gone]
            assert all(reason["or_missing"] for reason in own)
            assert all(not reason["or_missing"] for reason in found if N_NULLABLE <= column_of(reason) < gone)
            n_reasons += len(own)
    assert n_reasons > 0


def test_what_is_above_the_lowest_number_is_any_number() -> None:
    lowest = float(np.finfo(np.float64).min)

    low, high, side = raw_interval(lowest, np.inf, 0, 1.0, 0.0, np.nan, -np.inf, np.inf, False)  # noqa: FBT003  # compiled

    assert (low, high) == (-np.inf, np.inf)
    assert side & RawSide.NOT_MISSING
