"""Converted models predict what their own library predicts, on real data and real fitted models."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import onnx
import pandas as pd
import pytest
from leafspace_client import CannotConvert, Invalid, MissingExtra
from leafspace_client.conversion import convert_model
from leafspace_client.conversion.declared import Declared
from leafspace_client.conversion.models import ConvertedModel
from leafspace_client.conversion.tree_operators import floor_float32
from leafspace_client.rows import received
from numpy.typing import NDArray
from sklearn import datasets, ensemble, tree
from sklearn.compose import ColumnTransformer
from sklearn.feature_selection import SelectKBest
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV
from sklearn.multioutput import MultiOutputRegressor
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    RobustScaler,
    StandardScaler,
)

from tests.support.converted import n_infinite, outcome_of_converted, read_converted, scores_of_converted
from tests.support.models import ALL_MODELS, fitted, library
from tests.support.shared import shared_path
from tree_explainers.ensemble import Operator

Data = tuple[NDArray[np.float64], NDArray[Any]]
Estimator: TypeAlias = Any
Table: TypeAlias = Any  # a DataFrame or a matrix
_BREAST_CANCER: Data = datasets.load_breast_cancer(return_X_y=True)
_WINE: Data = datasets.load_wine(return_X_y=True)
_DIABETES: Data = datasets.load_diabetes(return_X_y=True)
_KINDS = {"binary": _BREAST_CANCER, "multiclass": _WINE, "regression": _DIABETES}
_ENSEMBLES = {
    "random_forest": "random_forest",
    "extra_trees": "random_forest",
    "bagging": "random_forest",
    "bagging_of_features": "random_forest",
    "decision_tree": "random_forest",
    "gradient_boosting": "boosting",
    "xgboost": "boosting",
    "lightgbm": "boosting",
    "catboost": "boosting",
    "ada_boost": "other",
}


def library_scores(estimator: Estimator, rows: Table) -> NDArray[np.float64]:
    """Return what the library itself predicts for the rows as they are."""
    predict = getattr(estimator, "predict_proba", estimator.predict)
    return np.asarray(predict(rows), np.float64).reshape(len(rows), -1)


def in_float32(rows: Table) -> Table:
    """Return rows rounded to float32: scaled after that, a value may lie on the other side of a threshold."""
    if not isinstance(rows, pd.DataFrame):
        return rows.astype(np.float32).astype(rows.dtype)
    rounded = rows.copy()
    for name in rounded.select_dtypes("float64"):
        rounded[name] = rounded[name].astype(np.float32).astype(np.float64)
    return rounded


def assert_agrees(converted: ConvertedModel, estimator: Estimator, rows: Table) -> None:
    ours, theirs = scores_of_converted(converted.onnx, rows), library_scores(estimator, rows)
    np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("name", ALL_MODELS)
@pytest.mark.sampled("tenths")
def test_each_supported_model_predicts_the_same_after_conversion(name: str) -> None:
    model = fitted(name)

    converted = convert_model(model.estimator, model.features)

    assert_agrees(converted, model.estimator, model.features)
    assert converted.declared.ensemble == _ENSEMBLES[name.rpartition("_")[0]]
    assert converted.parity is not None
    assert len(converted.parity.rows) - n_infinite(converted.parity) == 100
    assert n_infinite(converted.parity) in {0, min(model.features.shape[1], 10)}  # where the library takes them


@pytest.mark.parametrize("name", ALL_MODELS)
@pytest.mark.sampled("tenths")
def test_parity_predictions_are_those_of_the_library(name: str) -> None:
    model = fitted(name)

    converted = convert_model(model.estimator, model.features)

    assert converted.parity is not None
    rows = np.array([[received(value) for value in row] for row in converted.parity.rows])
    np.testing.assert_allclose(converted.parity.predictions, library_scores(model.estimator, rows), rtol=1e-6)


@pytest.mark.filterwarnings("error")
def test_a_model_fitted_to_an_array_takes_a_table_without_a_warning() -> None:
    features, target = datasets.load_iris(return_X_y=True)
    forest = ensemble.RandomForestClassifier(5, random_state=0).fit(features, target)
    rows = pd.DataFrame(features, columns=["sepal length", "sepal width", "petal length", "petal width"])

    converted = convert_model(forest, rows)

    assert converted.declared.feature_names == list(rows.columns)
    assert converted.parity is not None
    np.testing.assert_allclose(converted.parity.predictions, forest.predict_proba(np.array(converted.parity.rows)))


@pytest.mark.parametrize("kind", _KINDS)
def test_histogram_gradient_boosting_predicts_the_same_after_conversion(kind: str) -> None:
    features, target = _KINDS[kind]
    maker = ensemble.HistGradientBoostingRegressor if kind == "regression" else ensemble.HistGradientBoostingClassifier
    holed = np.where(np.random.default_rng(0).random(features.shape) < 0.1, np.nan, features)
    estimator = maker(max_iter=20).fit(holed, target)

    converted = convert_model(estimator, holed)

    assert_agrees(converted, estimator, holed)
    assert converted.declared.ensemble == "boosting"


def grid(n_rows: int, seed: int) -> Data:
    """Return prices: numbers of two decimals, which hardly ever are exact in float32, and a noisy class."""
    random = np.random.default_rng(seed)
    features = random.integers(0, 1000, (n_rows, 4)) / 100
    return features, (features[:, 0] * features[:, 1] > 20).astype(int) ^ (random.random(n_rows) < 0.1)


def double_boosters(kind: str) -> Estimator:
    """Return a booster that decides in double precision."""
    if kind == "histogram":
        return ensemble.HistGradientBoostingClassifier(max_iter=50)
    return library("lightgbm").LGBMClassifier(n_estimators=50, min_child_samples=3, n_jobs=1, verbose=-1)


@pytest.mark.parametrize("kind", ["histogram", "lightgbm"])
@pytest.mark.parametrize("precision", [np.float64, np.float32])
@pytest.mark.parametrize("source", ["breast cancer", "grid"])
@pytest.mark.sampled("thirds")
def test_values_on_a_threshold_go_where_double_precision_sends_them(kind: str, precision: type, source: str) -> None:
    features, target = _BREAST_CANCER if source == "breast cancer" else grid(1200, 0)
    features = features.astype(precision)
    estimator = double_boosters(kind).fit(features[::2], target[::2])

    converted = convert_model(estimator, features[::2])

    assert_agrees(converted, estimator, features)
    assert converted.parity is not None
    assert len(converted.parity.rows) - n_infinite(converted.parity) == 100
    assert n_infinite(converted.parity) == min(features.shape[1], 10)  # one for a column: both libraries take them


@pytest.mark.parametrize("kind", ["histogram", "lightgbm"])
def test_float32_values_keep_their_side_behind_a_pipeline(kind: str) -> None:
    features, target = grid(1200, 1)
    features = features.astype(np.float32)
    pipeline = make_pipeline(SimpleImputer(), double_boosters(kind)).fit(features[::2], target[::2])

    assert_agrees(convert_model(pipeline, features[::2]), pipeline, features)


def test_values_on_a_threshold_keep_their_side_without_rows() -> None:
    features, target = grid(600, 2)
    estimator = double_boosters("histogram").fit(features, target)

    assert_agrees(convert_model(estimator), estimator, features)


def between_neighbours(n_rows: int, n_between: int) -> Data:
    """Return one feature: many small numbers, and some that differ but are one and the same in float32."""
    features = np.arange(n_rows, dtype=np.float64).reshape(-1, 1) / n_rows
    features[-n_between:, 0] = np.where(np.arange(n_between) % 2, 7 + 2e-9, 7 + 1e-9)
    target = np.zeros(n_rows)
    target[-n_between:] = np.arange(n_between) % 2
    return features, target


def test_a_booster_that_decides_in_double_precision_separates_what_single_precision_cannot() -> None:
    features, target = between_neighbours(100, 40)
    estimator = ensemble.HistGradientBoostingRegressor(max_iter=5, min_samples_leaf=5).fit(features, target)

    converted = convert_model(estimator, features)

    np.testing.assert_allclose(scores_of_converted(converted.onnx, features)[:, 0], estimator.predict(features))
    assert converted.parity is not None
    assert converted.parity.n_beyond_precision == 0


@pytest.mark.parametrize(("n_beyond", "n_left_out"), [(40, 20), (100, 0)])
def test_rows_that_single_precision_spoils_before_the_trees_are_counted_and_warned_of(
    n_beyond: int, n_left_out: int, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    features, target = np.arange(100.0).reshape(-1, 1), np.zeros(100)
    target[-n_beyond:] = np.arange(n_beyond) % 2
    features[-n_beyond:, 0] = 7e8 + 1 + target[-n_beyond:]  # one and the same number in single precision
    rows = features if n_beyond < 100 else features[np.argsort(target)][30:]
    monkeypatch.setattr("leafspace_client.conversion.scikit_learn._is_scaled_in_double", lambda *_: False)
    regressor = tree.DecisionTreeRegressor(random_state=0).fit(features - 7e8, target)
    pipeline = make_pipeline(StandardScaler(with_std=False).fit([[7e8]]), regressor)
    assert set(pipeline.predict(features)) == {0, 1}

    with caplog.at_level("WARNING", logger="leafspace_client"):
        parity = convert_model(pipeline, rows).parity

    assert parity is not None
    assert parity.n_beyond_precision == n_left_out
    warnings = [record.getMessage() for record in caplog.records if record.name == "leafspace_client"]
    assert len(warnings) == (n_left_out > 0)
    assert all(f"{n_left_out} of {len(rows)} parity rows of this Pipeline were left out" in each for each in warnings)
    assert len(parity.rows) == len(rows) - n_left_out


@pytest.mark.parametrize("values", [np.random.default_rng(0).normal(size=2000), np.array([0.0, 1.0, -1.0, 16777217.0])])
def test_thresholds_are_rounded_down(values: NDArray[np.float64]) -> None:
    floored = floor_float32(values)

    assert (floored <= values).all()
    assert (np.nextafter(floored.astype(np.float32), np.float32(np.inf)) > values).all()


_LABELS = {
    "-1 and 1": (-1, 1),
    "1 and 2": (1, 2),
    "booleans": (False, True),
    "fractions": (0.5, 1.5),
    "texts": ("no", "yes"),
    "texts of booleans": ("True", "yes"),
    "three around 0": (-1, 0, 1),
    "three fractions": (-0.5, 0.0, 0.5),
    "three texts": ("a", "b", "c"),
}


@pytest.mark.parametrize("labels", _LABELS.values(), ids=_LABELS.keys())
def test_catboost_is_accepted_whatever_its_labels_are(labels: tuple[Any, ...]) -> None:
    features, target = _BREAST_CANCER if len(labels) == 2 else _WINE
    maker = library("catboost").CatBoostClassifier
    model = maker(n_estimators=10, depth=4, verbose=0, allow_writing_files=False, thread_count=1)
    model.fit(features, np.array(labels)[target])

    converted = convert_model(model, features)

    classes = converted.declared.classes
    assert classes is not None
    outcome = outcome_of_converted(converted.onnx, features, tuple(classes))
    assert outcome.labels is not None
    theirs = [list(model.classes_).index(label) for label in model.predict(features).ravel()]
    assert outcome.labels.tolist() == theirs
    assert set(theirs) == set(range(len(labels)))
    np.testing.assert_allclose(outcome.scores, model.predict_proba(features), atol=1e-5)


@pytest.mark.parametrize(
    "maker", [ensemble.RandomForestClassifier, ensemble.ExtraTreesClassifier, tree.DecisionTreeClassifier]
)
def test_missing_numbers_go_where_the_forest_sends_them(maker: Callable[..., Any]) -> None:
    features, target = _BREAST_CANCER
    holed = np.where(np.random.default_rng(0).random(features.shape) < 0.2, np.nan, features)
    estimator = maker(random_state=0, max_depth=8).fit(holed, target)

    assert_agrees(convert_model(estimator, holed), estimator, holed)


def test_missing_numbers_go_where_bagged_trees_send_them() -> None:
    features, target = _WINE
    holed = np.where(np.random.default_rng(0).random(features.shape) < 0.2, np.nan, features)
    estimator = ensemble.BaggingClassifier(tree.DecisionTreeClassifier(), random_state=0).fit(holed, target)

    assert_agrees(convert_model(estimator, holed), estimator, holed)


@pytest.mark.parametrize(
    "scaler",
    [StandardScaler(), MinMaxScaler(clip=True), RobustScaler(), MaxAbsScaler(), StandardScaler(with_mean=False)],
)
@pytest.mark.sampled("thirds")
def test_scaled_values_stay_on_their_side_of_every_threshold(scaler: Estimator) -> None:
    features, target = _WINE
    estimator = make_pipeline(scaler, ensemble.RandomForestClassifier(200, random_state=0)).fit(features, target)

    converted = convert_model(estimator, features)

    assert_agrees(converted, estimator, in_float32(features))
    columns = read_converted(converted.onnx, None).description.columns
    assert {column.kind for column in columns} <= {"affine", "identity"} or isinstance(scaler, MinMaxScaler)


def titanic() -> tuple[pd.DataFrame, "pd.Series[Any]"]:
    """Return passengers with numbers, texts, a boolean and missing values, as pandas usually reads them."""
    frame = pd.read_parquet(shared_path("data/titanic.parquet"))
    target = frame.pop("survived")
    texts = frame.select_dtypes(["string", "object"]).columns
    frame = frame.assign(**{name: frame[name].astype(object).where(frame[name].notna(), np.nan) for name in texts})
    return frame.assign(alone=(frame["sibsp"] + frame["parch"]) == 0), target


_NUMBERS = ("numbers", make_pipeline(SimpleImputer(), StandardScaler()), ["age", "fare", "sibsp"])
_IMPUTED = make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder(handle_unknown="ignore"))
_CONSTANT = make_pipeline(
    SimpleImputer(strategy="constant", fill_value="?"),
    OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1),
)
_COLUMNS = {
    "imputed and one-hot": [_NUMBERS, ("texts", _IMPUTED, ["sex", "embarked"])],
    "a constant for what is missing": [_NUMBERS, ("texts", _CONSTANT, ["sex", "embarked"])],
    "missing is a category": [_NUMBERS, ("texts", OneHotEncoder(handle_unknown="ignore"), ["sex", "embarked"])],
    "integers and booleans one-hot": [_NUMBERS, ("codes", OneHotEncoder(handle_unknown="ignore"), ["pclass", "alone"])],
    "texts and integers one-hot together": [
        _NUMBERS,
        ("codes", OneHotEncoder(handle_unknown="ignore"), ["sex", "pclass"]),
    ],
    "some as they are": [_NUMBERS, ("texts", _IMPUTED, ["sex"]), ("rest", "passthrough", ["pclass", "alone", "parch"])],
}


@pytest.mark.parametrize("steps", _COLUMNS.values(), ids=_COLUMNS.keys())
@pytest.mark.sampled("thirds")
def test_a_pipeline_on_a_data_frame_predicts_the_same_column_by_column(steps: list[Any]) -> None:
    frame, target = titanic()
    forest = ensemble.RandomForestClassifier(60, random_state=0)
    pipeline = Pipeline([("columns", ColumnTransformer(steps)), ("forest", forest)]).fit(frame, target)

    converted = convert_model(pipeline, frame)

    assert_agrees(converted, pipeline, in_float32(frame))
    picked = {name for _, _, names in steps for name in names}
    features = [name for name in frame.columns if name in picked]
    assert converted.declared.feature_names == features
    assert [each.name for each in onnx.load_from_string(converted.onnx).graph.input] == features


@pytest.mark.parametrize("kind", ["xgboost", "lightgbm"])
def test_a_booster_behind_a_pipeline_predicts_the_same(kind: str) -> None:
    module = library(kind)
    frame, target = titanic()
    makers = {"xgboost": "XGBClassifier", "lightgbm": "LGBMClassifier"}
    booster = getattr(module, makers[kind])(n_estimators=20, max_depth=4, n_jobs=1)
    steps = [("numbers", SimpleImputer(), ["age", "fare"]), ("texts", _IMPUTED, ["sex", "embarked"])]
    pipeline = Pipeline([("columns", ColumnTransformer(steps)), ("booster", booster)]).fit(frame, target)

    converted = convert_model(pipeline, frame)

    assert_agrees(converted, pipeline, frame)
    assert converted.declared.ensemble == "boosting"


def test_a_model_fitted_on_a_numeric_data_frame_is_fed_one_matrix_and_keeps_its_names() -> None:
    data = datasets.load_breast_cancer(as_frame=True)
    forest = ensemble.RandomForestClassifier(10, random_state=0).fit(data.data, data.target)

    converted = convert_model(forest, data.data[data.data.columns[::-1]])

    assert len(onnx.load_from_string(converted.onnx).graph.input) == 1
    assert converted.declared.feature_names == list(data.data.columns)
    assert_agrees(converted, forest, data.data)


def test_xgboost_fitted_on_named_columns_is_converted_and_stays_as_it_is() -> None:
    xgboost = library("xgboost")
    data = datasets.load_breast_cancer(as_frame=True)
    model = xgboost.XGBClassifier(n_estimators=5).fit(data.data, data.target)

    converted = convert_model(model, data.data)

    assert converted.declared.feature_names == list(data.data.columns)
    assert model.get_booster().feature_names == list(data.data.columns)


@pytest.mark.parametrize("booster", ["gbtree", "dart"])
def test_xgboost_splits_booleans_of_a_data_frame(booster: str) -> None:
    xgboost = library("xgboost")
    data = datasets.load_breast_cancer(as_frame=True)
    rows = data.data[["mean radius", "mean texture"]].assign(is_large=data.data["mean area"] > 700)
    model = xgboost.XGBClassifier(n_estimators=5, booster=booster).fit(rows, data.target)
    assert "is_large" in model.get_booster().get_score()

    converted = convert_model(model, rows)

    assert_agrees(converted, model, rows)
    assert model.get_booster().feature_types[-1] == "i"


def test_the_same_model_gives_the_same_file_and_the_same_metadata() -> None:
    frame, target = titanic()
    steps = ColumnTransformer(_COLUMNS["imputed and one-hot"])
    pipeline = Pipeline([("columns", steps), ("forest", ensemble.RandomForestClassifier(3))]).fit(frame, target)

    first, second = convert_model(pipeline, frame), convert_model(pipeline, frame)

    assert first.onnx == second.onnx
    assert first.metadata() == second.metadata()


@pytest.mark.parametrize("family", ["random_forest", "gradient_boosting", "bagging", "xgboost", "lightgbm", "catboost"])
def test_converted_again_a_model_is_the_same_to_the_last_byte(family: str) -> None:
    model = fitted(f"{family}_binary")

    assert convert_model(model.estimator).onnx == convert_model(model.estimator).onnx


def test_names_and_classes_come_from_the_model_without_rows() -> None:
    features, target = _WINE
    names = np.array(["barolo", "grignolino", "barbera"])
    forest = ensemble.RandomForestClassifier(5, random_state=0).fit(features, names[target])

    metadata = convert_model(forest).metadata()

    assert metadata.pop("parity")["labels"]  # of drawn rows
    assert metadata.pop("bags")["n_rows"] == len(features)
    assert metadata == {
        "classes": ["barbera", "barolo", "grignolino"],
        "ensemble": "random_forest",
        "finite_only": True,  # scikit-learn's forests refuse infinite numbers
    }


def test_what_the_caller_says_goes_before_what_the_model_says() -> None:
    features, target = _WINE
    forest = ensemble.RandomForestClassifier(5, random_state=0).fit(features, target)
    declared = Declared("wines", [f"f{column}" for column in range(13)], ["a", "b", "c"], "other")

    metadata = convert_model(forest, features, declared, parity=False).metadata()

    assert metadata["name"] == "wines"
    assert metadata["classes"] == ["a", "b", "c"]
    assert metadata["ensemble"] == "other"
    assert metadata["feature_names"][12] == "f12"
    assert "parity" not in metadata


def test_classes_are_spelled_as_the_service_spells_them() -> None:
    features, target = _BREAST_CANCER
    forest = ensemble.RandomForestClassifier(5, random_state=0)

    assert convert_model(forest.fit(features, target.astype(float))).declared.classes == ["0", "1"]
    assert convert_model(forest.fit(features, target.astype(bool))).declared.classes == ["false", "true"]


def test_a_search_over_parameters_is_converted_as_its_best_model() -> None:
    features, target = _WINE
    search = GridSearchCV(ensemble.RandomForestClassifier(5, random_state=0), {"max_depth": [2, 3]}, cv=2)
    search.fit(features, target)

    assert_agrees(convert_model(search, features), search, features)


def test_feature_selection_before_the_trees_is_kept() -> None:
    features, target = _BREAST_CANCER
    pipeline = make_pipeline(SelectKBest(k=5), ensemble.RandomForestClassifier(20, random_state=0))
    pipeline.fit(features, target)

    assert_agrees(convert_model(pipeline, features), pipeline, features)


def test_onnx_is_taken_as_bytes_path_and_model(tmp_path: Path) -> None:
    features, target = _WINE
    data = convert_model(ensemble.RandomForestClassifier(3).fit(features, target)).onnx
    path = tmp_path / "model.onnx"
    path.write_bytes(data)

    assert convert_model(data).onnx == data
    assert convert_model(str(path)).onnx == data
    assert convert_model(onnx.load_from_string(data)).onnx == data


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (ensemble.RandomForestClassifier(), "not fitted"),
        (ensemble.IsolationForest().fit(_WINE[0]), "IsolationForest.*outliers"),
        (ensemble.RandomForestRegressor(3).fit(_WINE[0], _WINE[0][:, :2]), "several targets"),
        (MultiOutputRegressor(ensemble.RandomForestRegressor(3)).fit(_WINE[0], _WINE[0][:, :2]), "several targets"),
        (ensemble.RandomForestClassifier, "is a class"),
        (object(), "builtins.object is no model"),
        (pd, "no model of"),
    ],
)
def test_what_cannot_be_converted_is_refused_by_name(model: Estimator, message: str) -> None:
    with pytest.raises(CannotConvert, match=message):
        convert_model(model, _WINE[0])


@pytest.mark.parametrize("name", ["XGBRegressor", "LGBMClassifier", "CatBoostClassifier"])
def test_boosters_that_are_not_fitted_are_refused_by_name(name: str) -> None:
    module = {"X": "xgboost", "L": "lightgbm", "C": "catboost"}[name[0]]

    with pytest.raises(CannotConvert, match=f"this {name} is not fitted yet"):
        convert_model(getattr(library(module), name)(), _WINE[0])


@pytest.mark.parametrize("name", ["XGBRanker", "LGBMRanker"])
def test_rankers_are_refused_by_name(name: str) -> None:
    module = library({"X": "xgboost", "L": "lightgbm"}[name[0]])
    ranker = getattr(module, name)(n_estimators=2)
    groups = {"group": [100, 78]}
    ranker.fit(*_WINE, **groups)

    with pytest.raises(CannotConvert, match=f"{name} cannot be registered: it ranks"):
        convert_model(ranker, _WINE[0])


def test_an_xgboost_model_of_several_targets_or_without_trees_is_refused_by_name() -> None:
    xgboost = library("xgboost")
    several = xgboost.XGBRegressor(n_estimators=2).fit(_WINE[0], _WINE[0][:, :2])
    linear = xgboost.XGBRegressor(n_estimators=2, booster="gblinear").fit(*_DIABETES)

    with pytest.raises(CannotConvert, match="several targets"):
        convert_model(several, _WINE[0])
    with pytest.raises(CannotConvert, match="has no trees: its booster is gblinear"):
        convert_model(linear, _DIABETES[0])


@pytest.mark.parametrize(
    ("name", "reason"),
    [("RandomSurvivalForest", "survival functions"), ("RandomForestQuantileRegressor", "quantiles")],
)
def test_forests_that_predict_neither_classes_nor_means_are_refused_by_name(name: str, reason: str) -> None:
    # Their libraries are not among those that tests install; they derive from the same class.
    kind = type(name, (ensemble.RandomForestRegressor,), {})

    with pytest.raises(CannotConvert, match=f"{name} cannot be registered: it predicts {reason}"):
        convert_model(kind(n_estimators=2).fit(*_DIABETES), _DIABETES[0])


@pytest.mark.parametrize("precision", [np.float64, np.float32])
@pytest.mark.parametrize("function", [np.log, np.log1p, np.log2, np.log10, np.sqrt, np.exp, np.expm1, np.tanh])
@pytest.mark.sampled("values")
def test_monotone_functions_before_trees_are_converted_and_read_in_raw_units(function: Any, precision: type) -> None:
    features, target = _WINE[0][:, :1].astype(precision) / 10, _WINE[1]
    steps = make_pipeline(FunctionTransformer(function), StandardScaler())
    pipeline = make_pipeline(steps, ensemble.RandomForestClassifier(20, random_state=0)).fit(features, target)

    converted = convert_model(pipeline, features)

    assert_agrees(converted, pipeline, in_float32(features))
    read = read_converted(converted.onnx, ["alcohol"])
    (column,) = read.description.columns
    assert (column.kind, column.name, read.description.warnings) == ("monotone", "alcohol", ())
    thresholds = read.ensemble.threshold[read.ensemble.operator != Operator.LEAF]
    assert features.min() < thresholds.min() < thresholds.max() < features.max()


@pytest.mark.parametrize("function", [np.square, np.absolute, np.negative, np.reciprocal])
def test_other_functions_of_numpy_are_converted(function: Any) -> None:
    steps = make_pipeline(FunctionTransformer(function), ensemble.RandomForestClassifier(20, random_state=0))
    pipeline = steps.fit(*_WINE)

    if function is np.reciprocal:  # of no zeros
        pipeline = steps.fit(_WINE[0] + 1, _WINE[1])
        assert_agrees(convert_model(pipeline, _WINE[0] + 1), pipeline, _WINE[0] + 1)
    else:
        assert_agrees(convert_model(pipeline, _WINE[0]), pipeline, _WINE[0])


def test_a_function_that_has_no_counterpart_is_refused_with_those_that_have() -> None:
    pipeline = make_pipeline(FunctionTransformer(np.sin), ensemble.RandomForestClassifier(3)).fit(*_WINE)

    with pytest.raises(CannotConvert, match=r"step 'functiontransformer', calls sin, .*np\.log1p"):
        convert_model(pipeline, _WINE[0])


@pytest.mark.parametrize("handle_unknown", ["ignore", "infrequent_if_exist"])
@pytest.mark.parametrize("drop", [None, "first"])
def test_infrequent_categories_are_one_column_and_lead_back_to_a_set(handle_unknown: str, drop: str | None) -> None:
    frame, target = titanic()
    frame = frame.assign(embarked=frame["embarked"].fillna("S").astype(object))
    encoder = OneHotEncoder(min_frequency=300, handle_unknown=handle_unknown, drop=drop)
    steps = ColumnTransformer([("texts", encoder, ["embarked", "pclass"])])
    pipeline = make_pipeline(steps, ensemble.RandomForestClassifier(20, random_state=0)).fit(frame, target)
    unknown = frame.head(20).assign(embarked=pd.Series("never seen", frame.index[:20], dtype=object))

    converted = convert_model(pipeline, frame)

    assert_agrees(converted, pipeline, frame)
    assert_agrees(converted, pipeline, unknown)
    description = read_converted(converted.onnx, converted.declared.feature_names).description
    rare = [column for column in description.columns if column.kind == "ordinal" and column.feature == "embarked"]
    infrequent = set(pipeline[0].named_transformers_["texts"].infrequent_categories_[0])
    (column,) = rare
    assert {name for name, code in zip(column.categories, column.codes, strict=True) if code == 1} == infrequent
    assert column.default_code == float(handle_unknown == "infrequent_if_exist")
    assert description.warnings == ()


def test_a_pipeline_that_picks_columns_by_name_needs_rows() -> None:
    frame, target = titanic()
    steps = ColumnTransformer([("texts", _IMPUTED, ["sex"])])
    pipeline = Pipeline([("columns", steps), ("forest", ensemble.RandomForestClassifier(3))]).fit(frame, target)

    with pytest.raises(CannotConvert, match="pass rows"):
        convert_model(pipeline)


def test_rows_that_do_not_fit_the_model_are_refused() -> None:
    data = datasets.load_breast_cancer(as_frame=True)
    forest = ensemble.RandomForestClassifier(3).fit(data.data, data.target)

    with pytest.raises(Invalid, match=r"lacks the columns.*mean radius"):
        convert_model(forest, data.data.drop(columns="mean radius"))
    with pytest.raises(Invalid, match="2 feature_names for 30"):
        convert_model(forest, data.data, Declared(feature_names=["a", "b"]))


def test_a_missing_converter_is_named_with_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    model = tree.DecisionTreeClassifier(max_depth=2).fit(*_BREAST_CANCER)
    monkeypatch.delitem(sys.modules, "leafspace_client.conversion.scikit_learn", raising=False)
    monkeypatch.setitem(sys.modules, "skl2onnx", None)

    with pytest.raises(MissingExtra, match=r'pip install "leafspace-client\[sklearn\]"'):
        convert_model(model)


def test_a_model_without_trees_is_left_for_the_service_to_refuse() -> None:
    assert convert_model(LinearRegression().fit(*_DIABETES)).declared.ensemble == "other"
