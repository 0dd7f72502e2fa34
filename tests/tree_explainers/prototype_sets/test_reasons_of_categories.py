"""Reasons of models that split categories themselves: what they admit keeps a row in its leaves, all else does not."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support.naive_trees import walk_leaves
from tests.support.native_models import CATEGORIES, NATIVE
from tests.support.pipelines import FittedPipeline, fitted_pipeline
from tests.tree_explainers.prototype_sets.test_readable import admits
from tree_explainers.prototype_sets.feature_reasons import FeatureReason, ReferenceColumn
from tree_explainers.prototype_sets.leaf_boxes import LeafBoxes, leaf_boxes
from tree_explainers.prototype_sets.readable import ReasonReader, feature_numbers
from tree_explainers.prototype_sets.reasons import Reasons
from tree_explainers.rows import Rows

PROTOTYPES = np.array([3, 41, 500, 777])
INSTANCES = (0, 10, 640, 1311)


def reference_of(model: FittedPipeline) -> tuple[ReferenceColumn, ...]:
    columns = []
    for values in model.rows.columns:
        known = {value for value in values.tolist() if value is not None} if values.dtype == object else set()
        columns.append(ReferenceColumn(has_missing=True, categories=tuple(sorted(known)) or None))
    return tuple(columns)


def reader_of(model: FittedPipeline, boxes: LeafBoxes) -> ReasonReader:
    description = model.read.description
    return ReasonReader.build(description.columns, description.precision, reference_of(model), boxes.sets)


def probes(model: FittedPipeline, feature: str) -> NDArray[Any]:
    """Return all values of a feature, one that nobody has seen, and a missing one."""
    values = model.rows.select([feature]).columns[0]
    if values.dtype == object:
        known = sorted({value for value in values.tolist() if value is not None})
        return np.array([*known, "never seen", None], dtype=object)
    return np.array([*np.unique(values[~np.isnan(values)]), -7.0, np.nan])


@pytest.mark.parametrize("name", NATIVE)
def test_leaves_of_the_runtime_are_those_of_a_naive_walk(name: str) -> None:
    model = fitted_pipeline(name)

    leaves = model.session.run_in_chunks(model.rows).leaves

    np.testing.assert_array_equal(leaves[:60], walk_leaves(model.read.ensemble, model.tree_inputs[:60]))


@pytest.mark.parametrize("name", NATIVE)
def test_categories_that_a_reason_admits_keep_all_shared_trees_in_their_leaves_and_no_other_does(name: str) -> None:
    model = fitted_pipeline(name)
    leaves, columns = model.session.run_in_chunks(model.rows).leaves, model.read.description.columns
    boxes = leaf_boxes(model.read.ensemble, leaves[PROTOTYPES], feature_numbers(columns))
    reasons, reader = Reasons.build(boxes), reader_of(model, boxes)
    weights = np.ones(leaves.shape[1], np.uint32)
    seen: list[FeatureReason] = []
    for row in INSTANCES:
        shared = leaves[PROTOTYPES] == leaves[row]
        found_reasons = reasons.of(np.arange(len(PROTOTYPES)), shared, weights)
        for place, rendered in enumerate(reader.read(found_reasons, len(PROTOTYPES))):
            for reason in rendered:
                if reason["feature"] not in CATEGORIES:
                    continue
                values = probes(model, reason["feature"])
                found = leaves_with(model, int(PROTOTYPES[place]), reason["feature"], values)
                stays = (found[:, shared[place]] == leaves[PROTOTYPES[place], shared[place]]).all(axis=1)
                admitted = [admits(reason, None if value == "nan" else value) for value in values]
                assert admitted == stays.tolist(), reason
                assert reason["exact"]
                seen.append(reason)
    assert {reason["feature"] for reason in seen} == set(CATEGORIES)
    assert any(" or " in reason["text"] or "one of" in reason["text"] for reason in seen)


def leaves_with(model: FittedPipeline, row: int, feature: str, values: NDArray[Any]) -> NDArray[np.int32]:
    """Return the leaves of a row in which one feature has each of these values."""
    raw = model.rows.take(np.full(len(values), row))
    columns = [values if name == feature else own for name, own in zip(raw.names, raw.columns, strict=True)]
    return model.session.run_in_chunks(Rows(raw.names, tuple(columns))).leaves
