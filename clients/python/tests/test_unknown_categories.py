"""Encoders that refuse unknown categories: a converted model refuses the rows that scikit-learn refuses, no others."""

from typing import Any, TypeAlias

import numpy as np
import pandas as pd
import pytest
from leafspace_client.conversion import convert_model
from leafspace_client.conversion.declared import Declared
from leafspace_client.conversion.models import ConvertedModel
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder

from tests.support.converted import raw_rows
from tree_explainers.onnx_models.derivation import derive_model
from tree_explainers.onnx_models.description import DeclaredModel, ModelLimits
from tree_explainers.onnx_models.session import ModelSession

Estimator: TypeAlias = Any
_N_ROWS, _TOLERANCE = 60, 1e-6
_FEATURES = ["sex", "port", "grade", "visits", "alone"]


def table() -> pd.DataFrame:
    random = np.random.default_rng(3)
    return pd.DataFrame(
        {
            "sex": random.choice(["f", "m"], _N_ROWS),
            "port": random.choice(np.array(["C", "Q", "S", np.nan], object), _N_ROWS, p=[0.4, 0.1, 0.4, 0.1]),
            "grade": random.choice([1.0, 2.5, 7.0, np.nan], _N_ROWS),
            "visits": random.integers(0, 4, _N_ROWS),
            "alone": "yes",
        }
    ).astype(dict.fromkeys(["sex", "port", "alone"], object))


_TABLE = table()
_TARGET = ((_TABLE["sex"] == "m") ^ (_TABLE["grade"] > 2) ^ (_TABLE["visits"] % 2 == 0)).to_numpy(int)
_STEPS: dict[str, Any] = {
    "one-hot": OneHotEncoder(),
    "one-hot, first dropped": OneHotEncoder(drop="first"),
    "one-hot, infrequent": OneHotEncoder(min_frequency=10),
    "one-hot, ignoring": OneHotEncoder(handle_unknown="ignore"),
    "ordinal": OrdinalEncoder(),
    "ordinal, missing coded": OrdinalEncoder(encoded_missing_value=-1),
    "ordinal, infrequent": OrdinalEncoder(max_categories=3, encoded_missing_value=-1),
    "imputed": make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder()),
}
_TREES = [RandomForestClassifier(3, random_state=0), HistGradientBoostingClassifier(max_iter=2)]
_UNKNOWN: dict[str, tuple[Any, str]] = {
    "sex": ("x", "'sex': 'x' (it knows 'f', 'm')"),
    "port": ("Zürich", r"'port': 'Z\xfcrich' (it knows 'C', 'Q', 'S', a missing value)"),
    "grade": (3.0, "'grade': 3 (it knows 1, 2.5, 7, a missing value)"),
    "visits": (9, "'visits': 9 (it knows 0, 1, 2, 3)"),
    "alone": ("no", "'alone': 'no' (it knows 'yes')"),
}


def fitted(step: Any, trees: Estimator) -> Pipeline:  # an encoder
    names = ["sex", "port", "alone"] if isinstance(step, Pipeline) else _FEATURES
    columns = make_column_transformer((step, names), remainder="passthrough", sparse_threshold=0)
    return make_pipeline(columns, trees).fit(_TABLE, _TARGET)


def session_of(model: Estimator) -> ModelSession:
    """Return the session of a model that was converted and registered."""
    return registered(convert_model(model, _TABLE), tuple(map(str, _TABLE)))


def registered(converted: ConvertedModel, names: tuple[str, ...]) -> ModelSession:
    declared = DeclaredModel(feature_names=names, oracle_only=bool(converted.declared.oracle_only))
    return derive_model(converted.onnx, declared, ModelLimits()).session


def with_value(feature: str, value: Any) -> pd.DataFrame:  # a text, a number or None
    """Return four rows, the third with another value."""
    rows = _TABLE.head(4).copy()
    rows[feature] = pd.Series([*rows[feature][:2], value, rows[feature][3]], rows.index, dtype=rows[feature].dtype)
    return rows


def is_refused(model: Estimator, rows: pd.DataFrame) -> bool:
    try:
        model.predict(rows)
    except ValueError as error:
        assert "Found unknown categories" in str(error)  # noqa: PT017  # of several libraries' errors
        return True
    return False


@pytest.mark.filterwarnings("ignore:Found unknown categories:UserWarning")
@pytest.mark.parametrize(("case", "trees"), zip(_STEPS, _TREES * len(_STEPS), strict=False))
@pytest.mark.sampled("thirds")
def test_rows_are_refused_that_the_library_refuses(case: str, trees: Estimator) -> None:
    model = fitted(_STEPS[case], trees)
    session = session_of(model)
    missing: list[tuple[str, Any]] = [(name, np.nan) for name in ("sex", "port", "grade", "alone")]

    scores = session.run_in_chunks(raw_rows(_TABLE)).scores
    np.testing.assert_allclose(scores, model.predict_proba(_TABLE), rtol=0, atol=_TOLERANCE)
    for feature, value in [*((name, value) for name, (value, _) in _UNKNOWN.items()), *missing]:
        rows = with_value(feature, value)
        outcomes = session.run_rows(raw_rows(rows))

        assert bool(outcomes.refused) == is_refused(model, rows), (feature, value)
        expected = model.predict_proba(rows.iloc[outcomes.accepted.tolist()])
        np.testing.assert_allclose(outcomes.outcome.scores, expected, rtol=0, atol=_TOLERANCE)
        for index, refusal in outcomes.refused:
            assert (index, refusal.code) == (2, "unknown_category")
            assert f"'{feature}': {'a missing value' if pd.isna(value) else ''}" in refusal.detail


@pytest.mark.parametrize("feature", _UNKNOWN)
@pytest.mark.parametrize("case", ["one-hot, first dropped", "ordinal"])
@pytest.mark.sampled("values")
def test_a_refusal_names_the_column_the_value_and_what_is_known(case: str, feature: str) -> None:
    session = session_of(fitted(_STEPS[case], RandomForestClassifier(3, random_state=0)))
    value, words = _UNKNOWN[feature]

    ((_, refusal),) = session.run_rows(raw_rows(with_value(feature, value))).refused

    assert refusal.detail == f"The model does not know the category of {words}."


def test_of_many_known_categories_the_first_are_named() -> None:
    rows = pd.DataFrame({"color": [f"c{index}" for index in range(1_200)] * 2, "n": np.arange(2_400.0)})
    steps = make_column_transformer((OrdinalEncoder(), ["color"]), remainder="passthrough")
    model = make_pipeline(steps, RandomForestClassifier(2, max_depth=3, random_state=0)).fit(rows, rows["n"] > 900)
    session = registered(convert_model(model, rows), tuple(map(str, rows)))

    ((_, refusal),) = session.run_rows(raw_rows(rows.head(1).assign(color="red"))).refused

    assert refusal.detail.endswith("'red' (it knows 'c0', 'c1', 'c10', 'c100', 'c1000', 1,195 more).")


@pytest.mark.parametrize("encoder", [OneHotEncoder(), OrdinalEncoder()])
def test_a_model_that_reads_nothing_but_such_numbers_is_tried_with_those_that_it_knows(encoder: Estimator) -> None:
    rows = np.random.default_rng(0).choice([3.0, 5.5, 8.0], (_N_ROWS, 2))
    for last in (RandomForestClassifier(3, random_state=0), LogisticRegression()):
        model = make_pipeline(encoder, last).fit(rows, rows.sum(axis=1) > 9)
        declared = Declared(oracle_only=isinstance(last, LogisticRegression))
        session = registered(convert_model(model, rows, declared), ("a", "b"))

        labels = session.run(session.encode_matrix(rows)).labels
        assert labels is not None
        assert labels.tolist() == model.predict(rows).astype(int).tolist()
        ((index, refusal),) = session.run_rows(np.array([[3.0, 8.0], [3.0, 4.0]])).refused
        assert (index, refusal.detail) == (1, "The model does not know the category of 'b': 4 (it knows 3, 5.5, 8).")
