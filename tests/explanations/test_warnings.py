"""Warnings about rows, against looking at each reference row."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest

from explanations.dictionary_words import DictionaryWords
from explanations.warnings import RowWarnings, near_tie, outcomes_disagree
from storage.feature_matching import match_features
from tests.support.models import fitted
from tests.support.pipelines import PIPELINES, fitted_pipeline
from tests.support.workshop import Workshop, workshop_in
from tree_explainers.onnx_models.description import ModelDescription
from tree_explainers.rows import Rows

CASES = ("scaled_and_one_hot", "ordinal_categories", "missing_kept", "random_forest_binary", "lightgbm_regression")


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workshop]:
    with workshop_in(tmp_path_factory.mktemp("warnings")) as workshop:
        yield workshop


def reference(workshop: Workshop, name: str, shown: frozenset[str] | None = None) -> tuple[RowWarnings, Rows]:
    """Return what compares rows with a third of the rows of a fitted model or pipeline, and all its rows."""
    made = fitted_pipeline(name) if name in PIPELINES else fitted(name)
    rows, onnx = made.rows, made.onnx
    frame = pd.DataFrame(dict(zip(rows.names, rows.columns, strict=True)))[::3]
    model = workshop.context.models.get(workshop.register_model(onnx, feature_names=list(rows.names)))
    dataset = workshop.context.datasets.get(workshop.register_dataset(frame)).view
    columns = {column.name: column for column in dataset.columns}
    description = ModelDescription.from_json(model.description)
    return RowWarnings(description, [columns[each] for each in match_features(model.view, dataset)], shown), rows


def as_sent(rows: Rows, row: int) -> list[Any]:
    values = [column[row] for column in rows.columns]
    return [None if value is None or value != value else value for value in values]  # NaN


def unusual(rows: Rows, values: list[Any]) -> list[tuple[str, str]]:
    """Return code and feature of each warning, by looking at each reference row."""
    found = []
    for name, column, value in zip(rows.names, rows.columns, values, strict=True):
        others = [other for other in column[::3].tolist() if other is not None and other == other]
        if isinstance(value, str):
            found += [] if value in others else [("unseen_category", name)]
        elif value is not None and not min(others) <= value <= max(others):
            found.append(("outside_reference_range", name))
    return sorted(found, key=lambda each: each[0], reverse=True)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.sampled("thirds")
def test_rows_are_unusual_where_no_reference_row_is_like_them(workshop: Workshop, name: str) -> None:
    warnings, rows = reference(workshop, name)
    n_found = 0
    for row in range(300):
        values = as_sent(rows, row % len(rows))
        if row % 4 == 0:
            values = ["never seen" if isinstance(value, str) else value for value in values]
        if row % 5 == 0:
            values[row % len(values)] = 1e9 if isinstance(values[row % len(values)], float) else None
        found = [(each["code"], each["feature"]) for each in warnings.of_row(values) if "feature" in each]
        assert found == unusual(rows, values)
        n_found += len(found)
    assert n_found > 20


def test_the_detail_names_value_and_range_unless_the_feature_is_hidden(workshop: Workshop) -> None:
    table = PIPELINES["missing_kept"]()[1].features
    names = list(table.columns)
    text = next(name for name in names if table[name].dtype == object)
    number = next(name for name in names if table[name].dtype.kind == "f")
    values: list[Any] = [{text: "yacht", number: 12345678.5}.get(name) for name in names]

    warnings, rows = reference(workshop, "missing_kept")
    unseen, outside, *_ = warnings.of_row(values)
    hidden = reference(workshop, "missing_kept", frozenset({text}))[0].of_row(values)[1]

    assert unseen == {
        "code": "unseen_category", "feature": text, "detail": f"{text} is yacht, which no reference row has",
    }  # fmt: skip
    others = rows.columns[names.index(number)][::3]
    low, high = (f"{end:,}".removesuffix(".0") for end in map(float, (np.nanmin(others), np.nanmax(others))))
    assert outside["detail"] == f"{number} is 12,345,678.5; the reference rows have {low} to {high}"
    assert hidden["detail"] == f"{number} is 12,345,678.5; no reference row has one as small or as large"


def test_an_end_in_single_precision_is_inside_in_the_digits_that_people_write(workshop: Workshop) -> None:
    """A tenth, kept in single precision, is a little more than the tenth that callers send."""
    made = fitted("random_forest_binary")
    frame = pd.DataFrame(0.1, index=range(9), columns=list(made.rows.names), dtype=np.float32)
    model = workshop.context.models.get(workshop.register_model(made.onnx, feature_names=list(made.rows.names)))
    dataset = workshop.context.datasets.get(workshop.register_dataset(frame)).view
    warnings = RowWarnings(ModelDescription.from_json(model.description), dataset.columns)
    n_features = len(frame.columns)

    assert warnings.of_row([0.1] * n_features) == []
    few = warnings.of_row([0.1001, *[0.1] * (n_features - 1)])
    assert [each["detail"] for each in few] == [f"{frame.columns[0]} is 0.1001; all reference rows have 0.1"]
    many = warnings.of_row([7] * n_features)
    assert len(many) == 11
    assert many[-1] == {
        "code": "outside_reference_range",
        "detail": f"{n_features - 10} more features are outside the ranges of the reference rows",
    }


def test_columns_that_cannot_be_mapped_back_are_named_for_every_row(workshop: Workshop) -> None:
    warnings, rows = reference(workshop, "principal_components")

    *_, last = warnings.of_row(as_sent(rows, 0))

    assert last["code"] == "transformed_features"
    assert last["detail"].startswith("reasons name columns of the model that cannot be mapped back to raw features: ")


def test_a_near_tie_names_the_two_best_classes() -> None:
    found = near_tie([("a", 0.4), ("b", 0.1), ("c and d", 0.4000001)])

    assert found["code"] == "near_tie"
    assert found["detail"].startswith("the scores of 'c and d' and a differ")


@pytest.mark.parametrize(
    ("out_of_bag", "of_reference_row", "whose"),
    [
        (True, True, "the score of good by the trees that did not learn from this row is 78%, outside of"),
        (True, False, "the model's score of good is 78%, outside of"),
        (False, True, "the model's score of good is 78%, outside of"),
    ],
)
def test_outcomes_that_disagree_name_the_score_that_they_disagree_with(
    out_of_bag: bool, of_reference_row: bool, whose: str
) -> None:
    evidence = {
        "agrees": False,
        "score_of": "good",
        "score": 0.78,
        "shares": [{"label": "good", "share": 1.0, "low": 0.88, "high": 1.0}],
        "out_of_bag": out_of_bag,
        **({"is_reference_row": True} if of_reference_row else {}),
    }

    found = outcomes_disagree(evidence, DictionaryWords())

    assert found is not None
    assert found["detail"].startswith(whose)


@pytest.mark.parametrize(
    ("score", "said"),
    [
        (0.766574, "is 76.7%, outside of what became of the reference rows most like it: 76.8% to 95.8% of"),
        (0.9581, "is 95.81%, outside of what became of the reference rows most like it: 77% to 95.79% of"),
        (0.2, "is 20%, outside of what became of the reference rows most like it: 77% to 95.8% of"),
    ],
)
def test_a_score_next_to_the_interval_is_not_printed_as_its_end(score: float, said: str) -> None:
    share = {"label": "good", "share": 0.896552, "low": 0.767531, "high": 0.957894}
    evidence = {"agrees": False, "score_of": "good", "score": score, "shares": [share], "out_of_bag": False}

    found = outcomes_disagree(evidence, DictionaryWords())

    assert found is not None
    assert said in found["detail"]
