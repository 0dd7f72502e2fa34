"""Rows and models of less usual kinds are converted, or refused in words that say what to pass."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
import pytest
from leafspace_client import CannotConvert, Invalid
from leafspace_client.conversion import convert_model
from leafspace_client.rows import instances_of
from sklearn.compose import make_column_transformer
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.feature_extraction import DictVectorizer
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, OrdinalEncoder

from tests.support.converted import outcome_of_converted

Estimator: TypeAlias = Any
_RNG = np.random.default_rng(0)
_TABLE = pd.DataFrame(
    {"town": np.array(["Ulm", "Köln", "Bonn"])[_RNG.integers(3, size=90)], "age": _RNG.integers(18, 80, 90)}
)
_TARGET = ((_TABLE["town"] == "Ulm") ^ (_TABLE["age"] > 50)).to_numpy().astype(int)


def forest() -> Estimator:
    return RandomForestClassifier(4, random_state=0)


@pytest.mark.parametrize("kind", ["objects", "texts"])
def test_arrays_with_texts_are_read_column_by_column(kind: str) -> None:
    one_hot = (OneHotEncoder(handle_unknown="ignore"), [0])
    arrays: dict[str, tuple[Any, Estimator]] = {
        "objects": (_TABLE.to_numpy(object), make_column_transformer(one_hot, ("passthrough", [1]))),
        "texts": (_TABLE[["town", "town"]].to_numpy(str), OrdinalEncoder()),
    }
    rows, step = arrays[kind]
    model = make_pipeline(step, forest()).fit(rows, _TARGET)

    converted = convert_model(model, rows)

    assert converted.declared.feature_names == ["x0", "x1"]
    assert converted.parity is not None
    frame = pd.DataFrame(rows.astype(object), columns=["x0", "x1"]).infer_objects()
    outcome = outcome_of_converted(converted.onnx, frame, ("0", "1"))
    np.testing.assert_allclose(outcome.scores, model.predict_proba(rows))


@pytest.mark.parametrize(
    ("step", "rows", "what"),
    [
        (CountVectorizer(), _TABLE["town"], "CountVectorizer, which reads texts"),
        (TfidfVectorizer(), _TABLE["town"].tolist(), "TfidfVectorizer, which reads texts"),
        (DictVectorizer(), _TABLE.to_dict("records"), "DictVectorizer, which reads dictionaries"),
    ],
)
def test_steps_that_make_columns_of_other_things_are_refused_by_name(step: Estimator, rows: Any, what: str) -> None:
    model = make_pipeline(step, forest()).fit(rows, _TARGET)

    for some in (rows, None):
        with pytest.raises(CannotConvert, match=f"begins with {what}.*X=pipeline\\[:-1\\].transform"):
            convert_model(model, some)
    behind = convert_model(model[-1], model[:-1].transform(rows))
    assert behind.parity is not None


def _with_ratio(rows: pd.DataFrame) -> pd.DataFrame:
    return rows.assign(ratio=rows["age"] / 7)


def test_a_function_that_makes_columns_is_named_and_not_the_step_that_reads_them() -> None:
    columns = make_column_transformer(("passthrough", ["age", "ratio"]))
    model = make_pipeline(make_pipeline(FunctionTransformer(_with_ratio), columns), forest()).fit(_TABLE, _TARGET)

    with pytest.raises(CannotConvert, match="FunctionTransformer, in its step 'pipeline', calls _with_ratio"):
        convert_model(model, _TABLE)


def test_whole_numbers_beyond_the_exact_ones_are_read_as_scikit_learn_reads_them() -> None:
    rows = _TABLE[["age"]].assign(key=2**53 + 2 * np.arange(90))
    model = make_pipeline(make_column_transformer(("passthrough", ["key", "age"])), forest()).fit(rows, _TARGET)

    converted = convert_model(model, rows)

    outcome = outcome_of_converted(converted.onnx, rows, ("0", "1"))
    np.testing.assert_allclose(outcome.scores, model.predict_proba(rows))


_REFUSED: dict[str, tuple[Callable[[], Estimator], type[Exception], str]] = {
    "another model first": (
        lambda: GradientBoostingClassifier(n_estimators=2, init=LogisticRegression()).fit(_TABLE[["age"]], _TARGET),
        CannotConvert,
        r"init=LogisticRegression\(…\), which gives each row another score",
    ),
    "a class without a name": (
        lambda: forest().fit(_TABLE[["age"]], np.array(["", "yes"])[_TARGET]),
        Invalid,
        "a class is an empty text; fit the model on labels that have a name each",
    ),
    "texts that no rows show": (
        lambda: make_pipeline(OrdinalEncoder(), forest()).fit(_TABLE[["town"]], _TARGET),
        CannotConvert,
        "of which no X says what it holds",
    ),
}


@pytest.mark.parametrize("case", _REFUSED)
def test_what_is_refused_says_what_to_change(case: str) -> None:
    make, kind, message = _REFUSED[case]

    with pytest.raises(kind, match=message):
        convert_model(make())


class _Wrapper:
    def __init__(self, model: Estimator) -> None:
        self.inner = model

    def predict(self, rows: Any) -> Any:  # rows, an array
        return self.inner.predict(rows)


@pytest.mark.parametrize(
    ("wrapped", "where"),
    [(_Wrapper, r"\.inner"), (lambda model: {"v1": model}, r"\['v1'\]"), (lambda model: [model], r"\[0\]")],
    ids=["object", "mapping", "list"],
)
def test_the_model_that_an_unknown_object_holds_is_named(wrapped: Callable[[Estimator], Any], where: str) -> None:
    model = forest().fit(_TABLE[["age"]], _TARGET)

    with pytest.raises(CannotConvert, match=rf"no model of scikit-learn.*the model that it holds \({where}\)"):
        convert_model(wrapped(model))


@pytest.mark.parametrize(
    ("name", "reader"),
    [
        ("model.json", "xgboost.Booster"),
        ("model.UBJ", "xgboost.Booster"),
        ("model.txt", "lightgbm.Booster"),
        ("model.cbm", "catboost.CatBoostClassifier"),
        ("model.joblib", "joblib.load"),
    ],
)
def test_files_that_libraries_write_are_refused_with_what_reads_them(tmp_path: Path, name: str, reader: str) -> None:
    with pytest.raises(Invalid, match=f"{name} is no ONNX: load it, {reader}.*and register what that returns"):
        convert_model(tmp_path / name)


def test_an_ensemble_is_no_list_of_rows_though_it_holds_trees() -> None:
    for estimator in (forest().fit([[0.0], [1.0]], [0, 1]), LogisticRegression()):
        with pytest.raises(Invalid, match=r"rows are of type \w+; send a DataFrame"):
            instances_of(estimator)


def test_of_many_columns_that_rows_lack_the_first_are_named() -> None:
    frame = pd.DataFrame(_RNG.normal(size=(90, 30)), columns=[f"x{index}" for index in range(30)])

    with pytest.raises(Invalid, match=r"X lacks the columns 'x1', .*'x10' and 19 more, which"):
        convert_model(forest().fit(frame, _TARGET), frame[["x0"]])
