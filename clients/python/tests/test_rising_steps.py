"""Power and quantile transformers before trees: cuts in raw units decide as scikit-learn does, to the last digit."""

import warnings
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
import pytest
from leafspace_client.conversion import convert_model
from numpy.typing import NDArray
from sklearn import datasets, ensemble
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    OneHotEncoder,
    PowerTransformer,
    QuantileTransformer,
    StandardScaler,
)

from tests.support.converted import outcome_of_converted, read_converted
from tests.support.models import library
from tree_explainers.ensemble import Operator

Estimator: TypeAlias = Any
Numbers = NDArray[np.float64]
_N_CUTS = 80
_WINE, _CLASSES = datasets.load_wine(return_X_y=True)
_ROWS = np.round(_WINE[:, :6], 1)  # many numbers come several times, so that quantiles are equal
_TARGET = _CLASSES + _WINE[:, 12] / 1000
_STEPS: dict[str, Callable[[], Estimator]] = {
    "yeo-johnson": PowerTransformer,
    "yeo-johnson, not standardized": lambda: PowerTransformer(standardize=False),
    "box-cox": lambda: PowerTransformer("box-cox"),
    "box-cox, not standardized": lambda: PowerTransformer("box-cox", standardize=False),
    "quantiles, uniform": lambda: QuantileTransformer(n_quantiles=100),
    "quantiles, normal": lambda: QuantileTransformer(n_quantiles=100, output_distribution="normal"),
    "scaled behind": lambda: make_pipeline(PowerTransformer(), StandardScaler()),
    "scaled before": lambda: make_pipeline(StandardScaler(), QuantileTransformer(n_quantiles=50)),
}
_TREES: dict[str, Callable[[], Estimator]] = {
    "random forest": lambda: ensemble.RandomForestRegressor(10, random_state=0),
    "bagging": lambda: ensemble.BaggingRegressor(random_state=0, max_features=0.5),
    "gradient boosting": lambda: ensemble.GradientBoostingRegressor(n_estimators=10, random_state=0),
    "histogram gradient boosting": lambda: ensemble.HistGradientBoostingRegressor(max_iter=10, random_state=0),
    "lightgbm": lambda: library("lightgbm").LGBMRegressor(n_estimators=10, n_jobs=1, verbose=-1),
    "xgboost": lambda: library("xgboost").XGBRegressor(n_estimators=10, n_jobs=1),
}


def fitted(steps: Estimator, trees: Estimator, precision: type = np.float64) -> tuple[Estimator, NDArray[Any]]:
    rows = _ROWS.astype(precision)
    return make_pipeline(steps, trees).fit(rows, _TARGET), rows


def predicted(estimator: Estimator, rows: Any) -> Numbers:  # a DataFrame or a matrix
    predict = getattr(estimator, "predict_proba", estimator.predict)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of names of columns
        return np.asarray(predict(rows), np.float64).reshape(len(rows), -1)


def cuts_of(read: Any) -> list[tuple[int, float]]:  # a ReadModel
    """Return the raw columns and thresholds of all tests."""
    nodes = np.flatnonzero(read.ensemble.operator != Operator.LEAF)
    columns = [read.description.columns[at] for at in read.ensemble.column[nodes].tolist()]
    ends = zip(columns, read.ensemble.threshold[nodes].tolist(), strict=True)
    return [(column.raw_index, (end - column.offset) / column.scale) for column, end in ends]


def rows_at(cuts: list[tuple[int, float]], rows: NDArray[Any]) -> NDArray[Any]:
    """Return rows that lie on cuts, and on the next numbers above and below them."""
    some = cuts[:: max(1, len(cuts) // _N_CUTS)]
    made = rows[np.arange(3 * len(some)) % len(rows)].copy()
    for at, (column, cut) in enumerate(some):
        end = rows.dtype.type(cut)
        made[3 * at : 3 * at + 3, column] = (end, np.nextafter(end, np.inf), np.nextafter(end, -np.inf))
    return made


@pytest.mark.parametrize("precision", [np.float64, np.float32])
@pytest.mark.parametrize("trees", _TREES)
@pytest.mark.parametrize("steps", _STEPS)
@pytest.mark.sampled("values")
def test_both_sides_of_every_raw_cut_are_those_of_the_estimator(steps: str, trees: str, precision: type) -> None:
    estimator, rows = fitted(_STEPS[steps](), _TREES[trees](), precision)
    converted = convert_model(estimator, rows)
    read = read_converted(converted.onnx, None)
    beside = np.concatenate([rows, rows_at(cuts_of(read), rows)])

    scores = outcome_of_converted(converted.onnx, beside).scores

    np.testing.assert_allclose(scores, predicted(estimator, beside), rtol=1e-6 if trees == "xgboost" else 1e-13)
    kind = "affine" if steps == "scaled before" else "identity"
    assert {column.kind for column in read.description.columns} == {kind}
    assert read.description.warnings == ()
    assert converted.parity is not None
    assert converted.parity.n_beyond_precision == 0


@pytest.mark.filterwarnings("ignore:Some values in column")  # inverted as if they were another column's
@pytest.mark.parametrize("steps", [name for name in _STEPS if not name.startswith("scaled")])
@pytest.mark.sampled("thirds")
def test_raw_cuts_are_those_that_scikit_learn_inverts(steps: str) -> None:
    estimator, rows = fitted(_STEPS[steps](), _TREES["histogram gradient boosting"]())  # rounds nothing before it tests
    nodes = np.concatenate([each.nodes for (each,) in estimator[-1]._predictors])  # has no other

    cuts = cuts_of(read_converted(convert_model(estimator, rows, parity=False).onnx, None))

    for column in range(rows.shape[1]):
        transformed = np.unique(nodes["num_threshold"][(nodes["feature_idx"] == column) & (nodes["is_leaf"] == 0)])
        inverse = estimator[0].inverse_transform(np.tile(transformed[:, np.newaxis], rows.shape[1]))[:, column]
        ours = np.unique([cut for at, cut in cuts if at == column])
        # Equal quantiles are a jump: one number, or the one just below it, for all thresholds on its way.
        np.testing.assert_allclose(ours[np.abs(ours[:, np.newaxis] - inverse).argmin(axis=0)], inverse, rtol=1e-9)
        np.testing.assert_allclose(inverse[np.abs(ours - inverse[:, np.newaxis]).argmin(axis=0)], ours, rtol=1e-9)


@pytest.mark.parametrize("precision", [np.float64, np.float32])
@pytest.mark.parametrize("output", ["uniform", "normal"])
def test_a_cut_beyond_the_known_quantiles_holds_for_all_rows_or_for_none(output: str, precision: type) -> None:
    forest = ensemble.RandomForestRegressor(2, random_state=0)
    estimator, rows = fitted(_STEPS[f"quantiles, {output}"](), forest, precision)
    for member, threshold in zip(estimator[-1].estimators_, (-6.0, 6.0), strict=True):
        member.tree_.threshold[0] = threshold
    largest: Numbers = np.array([np.finfo(np.float32).max, np.finfo(precision).max], precision)
    extremes = np.concatenate([-largest, largest])[:, np.newaxis] * np.ones(rows.shape[1], precision)
    beyond: Numbers = np.concatenate([rows - 1e6, rows, rows + 1e6, extremes], dtype=precision)

    converted = convert_model(estimator, rows)
    read = read_converted(converted.onnx, None)

    ends = read.ensemble.threshold[read.ensemble.offsets[:-1]]
    assert ends.tolist() == [-float(np.finfo(np.float64).max), np.inf]
    assert converted.declared.finite_only  # so that no infinite number comes to these ends
    np.testing.assert_allclose(outcome_of_converted(converted.onnx, beyond).scores, predicted(estimator, beyond))


def table() -> tuple[pd.DataFrame, NDArray[Any]]:
    """Return rows with missing numbers, large whole ones, which single precision rounds, and texts."""
    random = np.random.default_rng(0)
    frame = pd.DataFrame({"income": random.lognormal(10, 1, 900), "age": random.integers(18, 80, 900)})
    frame["seen"] = 1_600_000_000 + random.integers(0, 3000, 900)
    frame["port"] = pd.Series(random.choice(list("abc"), 900), dtype=object)
    target = (frame["income"] > 20_000) ^ (frame["seen"] % 3000 > 1500) ^ (random.random(900) < 0.1)
    frame.loc[::9, "income"] = np.nan
    return frame, target.to_numpy().astype(int)


@pytest.mark.parametrize("steps", [PowerTransformer(), QuantileTransformer(n_quantiles=200)], ids=["power", "quantile"])
@pytest.mark.parametrize("remainder", ["passthrough", "drop", StandardScaler()], ids=str)
@pytest.mark.sampled("thirds")
def test_branches_of_a_column_transformer_lose_their_last_steps_and_predict_the_same(
    steps: Estimator,
    remainder: Any,  # what scikit-learn takes
) -> None:
    frame, target = table()
    filled = make_pipeline(SimpleImputer(strategy="median"), steps, StandardScaler())
    branches = [("none", steps, []), ("texts", OneHotEncoder(), ["port"]), ("raw", steps, ["seen"])]
    columns = ColumnTransformer([*branches, ("filled", filled, ["income"])], remainder=remainder)
    forest = ensemble.RandomForestClassifier(20, min_samples_leaf=2, random_state=0)
    pipeline = Pipeline([("columns", columns), ("forest", forest)]).fit(frame[:600], target[:600])

    converted = convert_model(pipeline, frame)

    outcome = outcome_of_converted(converted.onnx, frame)
    np.testing.assert_allclose(outcome.scores, predicted(pipeline, frame), rtol=0, atol=1e-14)
    description = read_converted(converted.onnx, converted.declared.feature_names).description
    kinds = {column.name: (column.kind, column.imputed) for column in description.columns}
    assert kinds["seen"] == ("identity", None)
    assert kinds["income"] == ("identity", frame["income"][:600].median())
    assert description.warnings == ()


def test_missing_numbers_go_through_transformers_to_where_the_trees_send_them() -> None:
    frame, target = table()
    rows = frame[["income", "age"]]
    pipeline = make_pipeline(PowerTransformer(), ensemble.RandomForestClassifier(20, random_state=0)).fit(rows, target)

    scores = outcome_of_converted(convert_model(pipeline, rows).onnx, rows).scores

    np.testing.assert_allclose(scores, predicted(pipeline, rows), rtol=0, atol=1e-14)


def test_functions_before_a_transformer_are_mapped_back_behind_it() -> None:
    rows = _ROWS[:, :1]
    steps = make_pipeline(FunctionTransformer(np.log), QuantileTransformer(n_quantiles=50))
    forest = make_pipeline(steps, ensemble.RandomForestRegressor(10, random_state=0)).fit(rows, _TARGET)

    converted = convert_model(forest, rows)

    (column,) = read_converted(converted.onnx, ["alcohol"]).description.columns
    assert (column.kind, column.function) == ("monotone", "log(alcohol)")
    np.testing.assert_allclose(outcome_of_converted(converted.onnx, rows).scores, predicted(forest, rows))


def test_a_transformer_that_another_step_reads_stays_and_is_warned_of() -> None:
    estimator, rows = fitted(make_pipeline(PowerTransformer(), PCA(3)), ensemble.RandomForestRegressor(5))

    (warning,) = read_converted(convert_model(estimator, rows, parity=False).onnx, None).description.warnings

    assert warning.code == "transformed_features"


def test_the_estimator_keeps_its_transformers() -> None:
    estimator, rows = fitted(PowerTransformer(), ensemble.RandomForestRegressor(5, random_state=0))
    before = predicted(estimator, rows)

    convert_model(estimator, rows)

    assert [type(step) for _, step in estimator.steps] == [PowerTransformer, ensemble.RandomForestRegressor]
    np.testing.assert_array_equal(predicted(estimator, rows), before)
