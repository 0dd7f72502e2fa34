"""Reasons of blocks of rows are those that are found pair by pair."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.support.models import fitted
from tests.support.pipelines import PIPELINES, fitted_pipeline
from tests.tree_explainers.prototype_sets.test_reasons import MODELS, chain
from tree_explainers.ensemble import Operator, join_ensembles
from tree_explainers.onnx_models.description import ModelColumn
from tree_explainers.onnx_models.reading import ReadModel
from tree_explainers.prototype_sets.block_reasons import BlockReasons, PairReasons
from tree_explainers.prototype_sets.feature_reasons import FeatureReason, number_sentence
from tree_explainers.prototype_sets.leaf_boxes import LeafBoxes, leaf_boxes
from tree_explainers.prototype_sets.nearest import NearPairs, PrototypeIndex
from tree_explainers.prototype_sets.raw_units import RawSide
from tree_explainers.prototype_sets.readable import ReasonReader, feature_numbers
from tree_explainers.prototype_sets.reasons import Reasons

PROTOTYPES = np.array([3, 40, 77, 120])
N_ROWS = 130


def pairs_of(leaves: NDArray[np.int32]) -> NearPairs:
    index = PrototypeIndex.build(leaves[PROTOTYPES], np.ones(leaves.shape[1], np.int64), np.zeros(4, np.int64))
    return index.near_pairs(leaves[:N_ROWS], index.proximities(leaves[:N_ROWS]), 3)


def one_by_one(boxes: LeafBoxes, reader: ReasonReader, pairs: NearPairs) -> list[list[FeatureReason]]:
    """Return the reasons of each pair as the hot path finds them."""
    reasons = Reasons.build(boxes)
    found = []
    for prototype, shared in zip(pairs.prototypes, pairs.shared, strict=True):
        own = reasons.of(np.array([prototype]), shared[None, :])
        found += reader.read(own, 1)
    return found


def read_all(reasons: PairReasons, reader: ReasonReader) -> list[list[FeatureReason]]:
    """Put arrays into words."""
    words = [_read_one(reasons, place, reader) for place in range(len(reasons.column))]
    return [words[start:end] for start, end in zip(reasons.bounds[:-1], reasons.bounds[1:], strict=True)]


def _read_one(reasons: PairReasons, place: int, reader: ReasonReader) -> FeatureReason:
    column, side, other = reader.columns[reasons.column[place]], int(reasons.side[place]), int(reasons.other[place])
    ends = [
        None if np.isinf(end) else float(str(reader.rounded(np.array([end]), reasons.column[place : place + 1])[0]))
        for end in (reasons.low[place], reasons.high[place])
    ]
    other_end = reasons.others[other] if other >= 0 else None
    return FeatureReason(
        feature=column.name,
        text=other_end["text"] if other_end else number_sentence(column, ends[0], ends[1], RawSide(side)),
        low=ends[0],
        high=ends[1],
        low_inclusive=bool(side & RawSide.LOW_INCLUSIVE),
        high_inclusive=bool(side & RawSide.HIGH_INCLUSIVE),
        or_missing=bool(side & RawSide.OR_MISSING),
        exact=bool(side & RawSide.EXACT),
        is_missing=bool(side & RawSide.IS_MISSING),
        category=other_end["category"] if other_end else None,
        categories=other_end["categories"] if other_end else (),
        excluded_categories=other_end["excluded_categories"] if other_end else (),
        share_of_trees=float(reasons.share_of_trees[place]),
        transformed=column.transformed,
    )


def compare(read: ReadModel, leaves: NDArray[np.int32]) -> PairReasons:
    columns = read.description.columns
    reader = ReasonReader.build(columns, read.description.precision)
    boxes = leaf_boxes(read.ensemble, leaves[PROTOTYPES], feature_numbers(columns))
    pairs = pairs_of(leaves)

    found = BlockReasons.build(boxes, reader, np.ones(len(columns), np.bool_)).of(pairs)

    assert read_all(found, reader) == one_by_one(boxes, reader, pairs)
    assert len(found.bounds) == len(pairs.prototypes) + 1
    return found


@pytest.mark.parametrize("name", [*MODELS, "ada_boost_binary"])
def test_numbers_have_the_reasons_that_they_have_pair_by_pair(name: str) -> None:
    model = fitted(name)

    found = compare(model.read, model.session.run_in_chunks(model.rows).leaves)

    assert len(found.column) > 500
    assert not found.others


def test_a_feature_in_several_columns_has_the_reasons_that_it_has_pair_by_pair() -> None:
    model = fitted("bagging_of_features_regression")

    found = compare(model.read, model.session.run_in_chunks(model.rows).leaves)

    assert 0 < (found.other >= 0).sum() <= len(found.column)


@pytest.mark.parametrize("name", PIPELINES)
def test_categories_and_scaled_numbers_have_the_reasons_that_they_have_pair_by_pair(name: str) -> None:
    pipeline = fitted_pipeline(name)

    found = compare(pipeline.read, pipeline.session.run_in_chunks(pipeline.rows).leaves)

    assert len(found.column) > 100
    # Equal reasons are listed once.
    assert len({str({**reason, "share_of_trees": 0}) for reason in found.others}) <= len(found.others)
    assert len(found.others) < max(1, (found.other >= 0).sum())


@pytest.mark.parametrize("shown", [[], [0], [2, 3, 29]])
def test_of_columns_that_are_not_shown_nothing_is_found_and_of_the_others_the_same(shown: Sequence[int]) -> None:
    model = fitted("random_forest_binary")
    columns = model.read.description.columns
    leaves = model.session.run_in_chunks(model.rows).leaves
    reader = ReasonReader.build(columns, model.read.description.precision)
    boxes = leaf_boxes(model.read.ensemble, leaves[PROTOTYPES], feature_numbers(columns))

    found = BlockReasons.build(boxes, reader, np.isin(np.arange(30), shown)).of(pairs_of(leaves))

    names = {columns[column].name for column in shown}
    everything = one_by_one(boxes, reader, pairs_of(leaves))
    assert read_all(found, reader) == [[reason for reason in own if reason["feature"] in names] for own in everything]


def test_a_block_without_pairs_has_no_reasons() -> None:
    model = fitted("random_forest_binary")
    leaves = model.session.run_in_chunks(model.rows).leaves
    boxes = leaf_boxes(model.read.ensemble, leaves[PROTOTYPES], np.arange(30, dtype=np.int32))
    nothing = NearPairs(np.array([0, 0]), np.empty(0, int), np.empty(0, int), np.empty((0, 20), np.bool_))

    found = BlockReasons.build(boxes, ReasonReader.build(model.read.description.columns), np.ones(30, bool)).of(nothing)

    assert found.bounds.tolist() == [0]
    assert len(found.column) == 0


# Two columns of their own, of which one is imputed and scaled backwards, and two that are one feature.
COLUMNS = (
    ModelColumn("a", "identity", "a", 0),
    ModelColumn("b", "affine", "b", 1, scale=-2.0, offset=1.0, imputed=1.5),
    ModelColumn("c", "indicator", "c", 2, category="x"),
    ModelColumn("c", "indicator", "c", 2, category="y"),
    ModelColumn(
        "d", "ordinal", "d", 3, categories=("x", "y", "z", None), codes=(0.0, 1.0, 2.0, None), default_code=-1.0
    ),
)
OPERATORS = (Operator.LEQ, Operator.LT, Operator.GTE, Operator.GT, Operator.EQ, Operator.NEQ, Operator.MEMBER)
QUESTIONS = st.tuples(
    st.integers(0, 4), st.sampled_from(OPERATORS), st.integers(0, 4).map(float), st.booleans()
)  # column, test, value, answer


@settings(deadline=None, max_examples=150)
@given(paths=st.lists(st.lists(QUESTIONS, min_size=1, max_size=6), min_size=1, max_size=5), data=st.data())
def test_any_questions_of_any_shared_trees_give_the_same_reasons(
    paths: list[list[tuple[int, Operator, float, bool]]], data: st.DataObject
) -> None:
    n = len(paths)
    ensemble = join_ensembles([chain(path, missing_left=data.draw(st.booleans())) for path in paths])
    some = st.lists(st.booleans(), min_size=n, max_size=n).filter(any)
    shared = np.array(data.draw(st.lists(some, min_size=1, max_size=4)))
    leaves = np.array([[len(path) for path in paths], [0] * n], np.int32)
    boxes = leaf_boxes(ensemble, leaves, feature_numbers(COLUMNS))
    reader = ReasonReader.build(COLUMNS, np.float32, sets=boxes.sets)
    prototypes = np.array(data.draw(st.lists(st.integers(0, 1), min_size=len(shared), max_size=len(shared))))
    pairs = NearPairs(np.array([0, len(shared)]), prototypes, shared.sum(axis=1), shared)

    found = BlockReasons.build(boxes, reader, np.ones(5, np.bool_)).of(pairs)

    assert read_all(found, reader) == one_by_one(boxes, reader, pairs)
