"""What the trees ask that tell two rows apart, on real pipelines: yes for the other row, no for the row."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from explanations.contrasts import ContrastLimits, difference_text, write_differences
from explanations.reason_texts import Compared, ReasonTexts
from tests.support import naive_contrasts
from tests.support.models import FittedModel, fitted
from tests.support.pipelines import PIPELINES, FittedPipeline, fitted_pipeline
from tests.tree_explainers.prototype_sets.test_readable import admits
from tree_explainers.column_words import BooleanPhrases
from tree_explainers.prototype_sets.leaf_paths import LeafPaths, path_arrays
from tree_explainers.prototype_sets.readable import ReasonReader, feature_numbers
from tree_explainers.prototype_sets.separating_splits import parting_reasons

CASES = ("scaled_and_one_hot", "ordinal_categories", "dropped_indicators", "missing_kept", "xgboost_multiclass")
ROWS, OTHERS = (0, 33, 71), (5, 60, 118)


def made(name: str) -> FittedModel | FittedPipeline:
    return fitted_pipeline(name) if name in PIPELINES else fitted(name)


class Differences:
    """The differences between rows of a model."""

    def __init__(self, model: FittedModel | FittedPipeline, shown: frozenset[str] | None = None) -> None:
        ensemble, description = model.read.ensemble, model.read.description
        arrays = path_arrays(ensemble, ensemble.leaf_nodes, ensemble.leaf_offsets)
        self.paths = LeafPaths.of_arrays(arrays, feature_numbers(description.columns))
        self.weights = np.arange(1, ensemble.n_trees + 1)
        self.reader = ReasonReader.build(description.columns, description.precision)
        self.leaves = model.session.run_in_chunks(model.rows).leaves
        self._texts = ReasonTexts.build(self.reader, shown)
        self._rows = model.rows

    def values(self, row: int) -> list[Any]:
        found = [column[row] for column in self._rows.columns]
        return [None if value is None or value != value else value for value in found]  # NaN

    def reasons(self, row: int, *others: int) -> NDArray[Any]:
        return parting_reasons(self.paths, self.leaves[row], self.leaves[list(others)], self.weights)

    def of(self, row: int, other: int, n_differences: int | None = None) -> list[dict[str, Any]]:
        compared = Compared(self.values(row), [self.values(other)])
        limits = ContrastLimits(1, n_differences, with_intervals=True)
        (found,) = write_differences(self._texts, self.reasons(row, other), compared, limits)
        return found


@pytest.mark.parametrize("name", CASES)
def test_the_other_row_has_what_would_have_to_hold_and_the_row_itself_has_not(name: str) -> None:
    model = made(name)
    differences, index_of = Differences(model), {name: index for index, name in enumerate(model.rows.names)}
    for row in ROWS:
        found = differences.reader.read(differences.reasons(row, *OTHERS), len(OTHERS))
        for other, features in zip(OTHERS, found, strict=True):
            for reason in features:
                index = index_of[reason["feature"]]
                assert admits(reason, differences.values(other)[index])
                assert not admits(reason, differences.values(row)[index])


@pytest.mark.parametrize("name", CASES)
def test_shares_are_those_of_the_trees_that_part_the_rows_and_the_largest_come_first(name: str) -> None:
    model = made(name)
    columns, ensemble, differences = model.read.description.columns, model.read.ensemble, Differences(model)
    for row, other in zip(ROWS, OTHERS, strict=True):
        places = naive_contrasts.partings(ensemble, differences.leaves[row], differences.leaves[other])
        expected: dict[str, float] = {}
        for column, share in naive_contrasts.shares_by_column(ensemble, places, differences.weights.tolist()).items():
            expected[columns[column].name] = expected.get(columns[column].name, 0.0) + float(share)

        found = differences.of(row, other)

        shares = [each["share_of_trees"] for each in found]
        assert shares == sorted(shares, reverse=True)
        assert {each["feature"]: each["share_of_trees"] for each in found} == pytest.approx(expected, abs=5e-5)
        assert sum(shares) == pytest.approx(1, abs=5e-5 * len(shares))
        assert differences.of(row, other, 2) == found[:2]


def test_a_difference_names_both_values_and_what_the_trees_ask() -> None:
    model = made("scaled_and_one_hot")
    names, differences = list(model.rows.names), Differences(model)
    row, other = (differences.values(each) for each in (0, 1))

    texts = {each["feature"]: each for each in differences.of(0, 1)}
    only_sex = Differences(model, frozenset({"sex"})).of(0, 1)

    assert only_sex == [texts["sex"]]
    sex, fare = names.index("sex"), names.index("fare")
    assert only_sex[0]["text"] == f"whether sex is {other[sex]}; it is {row[sex]} here"
    assert only_sex[0]["interval"]["category"] == other[sex]
    assert (texts["fare"]["value"], texts["fare"]["prototype_value"]) == (row[fare], other[fare])
    low = texts["fare"]["interval"]["low"]
    asked, here = texts["fare"]["text"].split("; ")
    before, printed = asked.rsplit(" ", 1)
    assert (before, here) == ("whether fare is above", f"it is {row[fare]} here")
    assert row[fare] <= low < float(printed) < other[fare]
    assert len(printed) < len(str(low))


def test_columns_that_are_not_raw_features_have_no_values_and_are_hidden_with_the_others() -> None:
    model = made("principal_components")

    found = Differences(model).of(0, 3)
    shown = Differences(model, frozenset(model.rows.names)).of(0, 3)

    transformed = [each for each in found if "value" not in each]
    assert transformed
    assert all("(transformed) is " in each["text"] and "here" not in each["text"] for each in transformed)
    assert shown == [each for each in found if "value" in each]


@pytest.mark.parametrize(
    ("value", "text"), [(None, "missing"), (True, "yes"), (12345.5, "12,345.5"), ("A or B", "'A or B'"), ("C", "C")]
)
def test_the_own_value_is_written_as_in_conditions(value: Any, text: str) -> None:  # any cell
    reason = {"feature": "age", "text": "age is above 30", "value": value}

    assert difference_text(reason) == f"whether age is above 30; it is {text} here"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (False, "whether smoker is yes; it is no here"),
        (0, "whether smoker is yes; it is no here"),
        (None, "whether smoker is yes; it is missing here"),
    ],
)
def test_of_boolean_columns_it_is_asked_whether_the_answer_is_yes(value: Any, text: str) -> None:  # any cell
    reason = {"feature": "smoker", "text": "smoker is yes", "value": value}

    assert difference_text(reason, BooleanPhrases.of("smoker")) == text
