"""What would have to differ, on real pipelines: the other row has it, and the row does not."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from explanations.contrasts import Differences, difference_text
from tests.support import naive_contrasts
from tests.support.models import FittedModel, fitted
from tests.support.pipelines import PIPELINES, FittedPipeline, fitted_pipeline
from tests.tree_explainers.prototype_sets.test_readable import admits
from tree_explainers.prototype_sets.leaf_paths import LeafPaths, path_arrays
from tree_explainers.prototype_sets.partings import parting_reasons
from tree_explainers.prototype_sets.readable import ReasonReader, feature_numbers

CASES = ("scaled_and_one_hot", "ordinal_categories", "dropped_indicators", "missing_kept", "xgboost_multiclass")
ROWS, OTHERS = (0, 33, 71), (5, 60, 118)


def made(name: str) -> FittedModel | FittedPipeline:
    return fitted_pipeline(name) if name in PIPELINES else fitted(name)


def differences_of(model: FittedModel | FittedPipeline, shown: frozenset[str] | None = None) -> Differences:
    ensemble, description = model.read.ensemble, model.read.description
    arrays = path_arrays(ensemble, ensemble.leaf_nodes, ensemble.leaf_offsets)
    return Differences(
        LeafPaths.of_arrays(arrays, feature_numbers(description.columns)),
        np.arange(1, ensemble.n_trees + 1),
        ReasonReader.build(description.columns, description.precision),
        {name: index for index, name in enumerate(description.feature_names)},
        shown,
    )


def row_of(model: FittedModel | FittedPipeline, leaves: NDArray[np.int32], row: int) -> tuple[NDArray[np.int32], Any]:
    values = [column[row] for column in model.rows.columns]
    return leaves[row], [None if value is None or value != value else value for value in values]  # noqa: PLR0124  # NaN


@pytest.mark.parametrize("name", CASES)
def test_the_other_row_has_what_would_have_to_hold_and_the_row_itself_has_not(name: str) -> None:
    model = made(name)
    writer, leaves = differences_of(model), model.session.run_in_chunks(model.rows).leaves
    for row in ROWS:
        reasons = parting_reasons(writer.paths, leaves[row], leaves[list(OTHERS)], writer.weights)
        for other, features in zip(OTHERS, writer.reader.read(reasons, len(OTHERS)), strict=True):
            own, others = row_of(model, leaves, row)[1], row_of(model, leaves, other)[1]
            for reason in features:
                index = writer.feature_indices[reason["feature"]]
                assert admits(reason, others[index])
                assert not admits(reason, own[index])


@pytest.mark.parametrize("name", CASES)
def test_shares_are_those_of_the_trees_that_part_the_rows_and_the_largest_come_first(name: str) -> None:
    model = made(name)
    columns, ensemble = model.read.description.columns, model.read.ensemble
    writer, leaves = differences_of(model), model.session.run_in_chunks(model.rows).leaves
    for row, other in zip(ROWS, OTHERS, strict=True):
        places = naive_contrasts.partings(ensemble, leaves[row], leaves[other])
        expected: dict[str, float] = {}
        for column, share in naive_contrasts.shares_by_column(ensemble, places, writer.weights.tolist()).items():
            expected[columns[column].name] = expected.get(columns[column].name, 0.0) + float(share)

        (found,) = writer.of(row_of(model, leaves, row), [row_of(model, leaves, other)], None)
        (few,) = writer.of(row_of(model, leaves, row), [row_of(model, leaves, other)], 2)

        shares = [each["share_of_trees"] for each in found]
        assert shares == sorted(shares, reverse=True)
        assert {each["feature"]: each["share_of_trees"] for each in found} == pytest.approx(expected)
        assert sum(shares) == pytest.approx(1)
        assert few == found[:2]


def test_a_difference_names_both_values_and_what_would_have_to_hold() -> None:
    model = made("scaled_and_one_hot")
    leaves = model.session.run_in_chunks(model.rows).leaves
    row, other = (row_of(model, leaves, each) for each in (0, 1))
    names = list(model.rows.names)

    (found,) = differences_of(model).of(row, [other], None)
    (sex,) = differences_of(model, frozenset({"sex"})).of(row, [other], None)

    texts = {each["feature"]: each for each in found}
    assert texts["sex"] == sex[0]
    assert (
        sex[0]["text"]
        == f"sex is {row[1][names.index('sex')]} here and would have to be {other[1][names.index('sex')]}"
    )
    fare = texts["fare"]
    assert (fare["value"], fare["prototype_value"]) == (row[1][names.index("fare")], other[1][names.index("fare")])
    assert fare["text"].startswith(f"fare is {fare['value']} here and would have to be above ")


def test_columns_that_are_not_raw_features_have_no_values_and_are_hidden_with_the_others() -> None:
    model = made("principal_components")
    leaves = model.session.run_in_chunks(model.rows).leaves
    row, other = (row_of(model, leaves, each) for each in (0, 3))

    (found,) = differences_of(model).of(row, [other], None)
    (shown,) = differences_of(model, frozenset(model.rows.names)).of(row, [other], None)

    transformed = [each for each in found if "value" not in each]
    assert transformed
    assert all("(transformed) would have to be " in each["text"] for each in transformed)
    assert shown == [each for each in found if "value" in each]


def test_a_missing_value_is_said_to_be_missing() -> None:
    reason: Any = {"feature": "age", "text": "age is above 30", "transformed": False}

    assert difference_text(reason, "missing") == "age is missing here and would have to be above 30"
