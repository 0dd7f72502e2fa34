"""Rows that prove a conversion: with the caller's rows and without, of any width, and such as data can hold."""

import json
import logging
from typing import Any

import numpy as np
import pandas as pd
import pytest
from leafspace_client import Leafspace
from leafspace_client.conversion import convert_model
from leafspace_client.conversion.declared import Declared
from leafspace_client.errors import CannotConvert, Invalid
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from tests.support.models import library

_FIRST = np.random.default_rng(0)
_X: NDArray[np.float64] = _FIRST.normal(10, 3, (60, 4))
_Y: NDArray[np.int64] = (_X[:, 0] + _X[:, 1] > 20).astype(np.int64)


def forest(**settings: Any) -> RandomForestClassifier:
    return RandomForestClassifier(5, max_depth=3, random_state=0, **settings)


class OtherLabels(LogisticRegression):  # type: ignore[misc]  # scikit-learn has no types
    """Predicts the first class, whatever its scores are."""

    def predict(self, X: Any) -> Any:  # noqa: N803
        return np.full(len(X), self.classes_[0])


@pytest.mark.parametrize("rows", [_X, pd.DataFrame(_X, columns=list("abcd"))], ids=["array", "frame"])
def test_without_rows_predictions_are_compared_on_drawn_ones(rows: Any) -> None:
    for estimator in (forest(), make_pipeline(StandardScaler(), forest())):
        model = estimator.fit(rows, _Y)

        parity = convert_model(model).parity

        assert parity is not None
        assert len(parity.rows) == len(parity.predictions) == len(parity.labels or ()) > 50
        assert len(set(parity.labels or ())) == 2
        numbers = np.array(parity.rows, np.float64)
        given = pd.DataFrame(numbers, columns=list("abcd")) if isinstance(rows, pd.DataFrame) else numbers
        np.testing.assert_allclose(parity.predictions, model.predict_proba(given))


def test_missing_values_are_drawn_where_the_model_takes_them() -> None:
    holes = np.where(_FIRST.random(_X.shape) < 0.2, np.nan, _X)
    parity = convert_model(library("lightgbm").LGBMClassifier(n_estimators=3, verbose=-1).fit(holes, _Y)).parity

    assert parity is not None
    assert any(None in row for row in parity.rows)


def test_it_is_said_where_no_rows_can_be_drawn(caplog: pytest.LogCaptureFixture) -> None:
    model = RandomForestRegressor(3, random_state=0).fit(_X, _X[:, 0])
    model._validate_X_predict = lambda *_: (_ for _ in ()).throw(ValueError("not these"))
    with caplog.at_level(logging.WARNING, "leafspace_client"):
        parity = convert_model(model).parity

    assert parity is None
    assert "none could be drawn to compare predictions with" in caplog.text


def test_numbers_next_to_zero_are_no_rows_that_data_hold() -> None:
    changes = pd.DataFrame({"change": np.tile([-2.0, -1.0, 0.0, 1.0, 2.0], 40)})
    model = library("lightgbm").LGBMClassifier(n_estimators=3, verbose=-1).fit(changes, changes.change < 0)

    for rows in (changes, None):
        parity = convert_model(model, rows).parity
        assert parity is not None
        assert not [row for row in parity.rows for cell in row if isinstance(cell, float) and 0 < abs(cell) < 1e-30]


def test_columns_of_whole_numbers_and_booleans_keep_them() -> None:
    frame = pd.DataFrame({"n": np.arange(60), "is": np.arange(60) % 2 == 0, "x": _X[:, 0]})
    parity = convert_model(forest().fit(frame, _Y), frame).parity

    assert parity is not None
    kinds = [{type(row[column]) for row in parity.rows} for column in range(3)]
    assert kinds == [{int}, {bool}, {float}]


@pytest.mark.parametrize(
    ("n_features", "n_classes"),
    [
        (500, 2),
        (4, 300),
        pytest.param(10_000, 2, marks=pytest.mark.long),
        pytest.param(4, 1_000, marks=pytest.mark.long),  # the most that are accepted
    ],
)
def test_models_of_any_width_are_registered_and_compared(client: Leafspace, n_features: int, n_classes: int) -> None:
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(max(200, 2 * n_classes), n_features))
    model = RandomForestClassifier(3, max_depth=4, random_state=0).fit(rows, np.arange(len(rows)) % n_classes)

    registered = client.register_model(model, rows)

    assert registered.parity is not None
    assert registered.parity.n_rows >= 2
    assert registered.parity.label_mismatches == 0


def test_rows_of_long_texts_are_few_enough_to_be_sent() -> None:
    frame = pd.DataFrame({"x": _X[:, 0], "text": ["long " * 20_000] * 60})
    converted = convert_model(forest().fit(frame[["x"]], _Y), frame)

    assert converted.parity is not None
    assert len(json.dumps(converted.metadata())) < 2_000_000


def test_labels_of_an_own_predict_are_refused(client: Leafspace) -> None:
    model = OtherLabels().fit(_X, _Y)

    with pytest.raises((CannotConvert, Invalid), match=r"predict|labels differ"):
        client.register_model(model, _X, oracle_only=True)


def test_no_rows_at_all_are_no_rows_to_compare() -> None:
    with pytest.raises(Invalid, match="no rows"):
        convert_model(forest().fit(_X, _Y), _X[:0])
    assert convert_model(forest().fit(_X, _Y), parity=False).parity is None
    assert Declared().oracle_only is False


@pytest.mark.parametrize("n_rows", [5, 300])
def test_rows_of_the_caller_are_counted_apart_from_drawn_ones(n_rows: int) -> None:
    rows = np.random.default_rng(0).normal(size=(n_rows, 2)).round(3)
    forest = RandomForestClassifier(3, random_state=0).fit(rows, np.arange(n_rows) % 2)
    compared, drawn = convert_model(forest, rows).parity, convert_model(forest).parity
    assert compared is not None
    assert drawn is not None
    n_own = len(compared.rows) - compared.n_drawn
    assert 0 < n_own < len(compared.rows)
    known = set(map(tuple, rows.tolist()))
    assert all(tuple(row) in known for row in compared.rows[:n_own])
    assert not any(tuple(row) in known for row in compared.rows[n_own:])
    assert drawn.n_drawn == len(drawn.rows) > 0


def test_rows_with_other_categories_are_drawn_ones() -> None:
    rows = pd.DataFrame({"kind": pd.Categorical(["a", "b", "c", "a"] * 5)})
    model = HistGradientBoostingClassifier(categorical_features="from_dtype", max_iter=3, min_samples_leaf=1)
    compared = convert_model(model.fit(rows, [0, 1, 1, 0] * 5), rows).parity
    assert compared is not None
    n_own = len(compared.rows) - compared.n_drawn
    assert {row[0] for row in compared.rows[:n_own]} <= {"a", "b", "c"}
    assert {None} <= {row[0] for row in compared.rows[n_own:]} - {"a", "b", "c"}
