"""Cases of what stands before the trees: scalers, encoders, imputers, selections, columns by name, texts."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from sklearn import (
    compose,
    decomposition,
    discriminant_analysis,
    feature_extraction,
    feature_selection,
    impute,
    kernel_approximation,
    preprocessing,
    random_projection,
)
from sklearn.cluster import KMeans
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline, make_union

from .cases import Case, Estimator, Group, Rows
from .estimators import forest, histogram, lgb, xgb

_TEXTS = ["sex", "port"]


def _before(*steps: Any) -> Callable[[], Estimator]:
    return lambda: make_pipeline(*steps, forest())


def _columns(
    *parts: Any, remainder: Any = "drop", model: Callable[[], Estimator] = forest, **settings: Any
) -> Callable[[], Estimator]:
    return lambda: make_pipeline(compose.ColumnTransformer(list(parts), remainder=remainder, **settings), model())


def _on_numbers(step: Any) -> Callable[[], Estimator]:
    return _columns(("n", step, ["age", "parch"]), ("c", preprocessing.OneHotEncoder(), ["sex"]))


def _on_texts(step: Any) -> Callable[[], Estimator]:
    return _columns(("c", step, ["sex"]), ("n", "passthrough", ["age", "parch"]))


_ONE_HOT = preprocessing.OneHotEncoder(handle_unknown="ignore")
_OF_NUMBERS: dict[str, Any] = {
    "StandardScaler": preprocessing.StandardScaler(),
    "StandardScaler, with_mean=False": preprocessing.StandardScaler(with_mean=False),
    "StandardScaler, with_std=False": preprocessing.StandardScaler(with_std=False),
    "MinMaxScaler": preprocessing.MinMaxScaler(),
    "MinMaxScaler, clip": preprocessing.MinMaxScaler(clip=True),
    "MaxAbsScaler": preprocessing.MaxAbsScaler(),
    "RobustScaler": preprocessing.RobustScaler(),
    "Normalizer": preprocessing.Normalizer(),
    "Binarizer": preprocessing.Binarizer(),
    "PowerTransformer": preprocessing.PowerTransformer(),
    "QuantileTransformer": preprocessing.QuantileTransformer(n_quantiles=10),
    "KBinsDiscretizer, ordinal": preprocessing.KBinsDiscretizer(
        3, encode="ordinal", quantile_method="averaged_inverted_cdf"
    ),
    "KBinsDiscretizer, onehot": preprocessing.KBinsDiscretizer(3, quantile_method="averaged_inverted_cdf"),
    "KBinsDiscretizer, onehot-dense, uniform": preprocessing.KBinsDiscretizer(
        3, encode="onehot-dense", strategy="uniform"
    ),
    "PolynomialFeatures": preprocessing.PolynomialFeatures(2),
    "PolynomialFeatures, interaction_only": preprocessing.PolynomialFeatures(
        2, interaction_only=True, include_bias=False
    ),
    "SplineTransformer": preprocessing.SplineTransformer(n_knots=3),
    "FunctionTransformer()": preprocessing.FunctionTransformer(),
    "FunctionTransformer(np.abs)": preprocessing.FunctionTransformer(np.abs),
    "FunctionTransformer(np.log1p)": preprocessing.FunctionTransformer(np.log1p),
    "PCA": decomposition.PCA(2),
    "PCA, whiten": decomposition.PCA(2, whiten=True),
    "TruncatedSVD": decomposition.TruncatedSVD(2, random_state=0),
    "IncrementalPCA": decomposition.IncrementalPCA(2),
    "KernelPCA": decomposition.KernelPCA(2, kernel="rbf"),
    "FastICA": decomposition.FastICA(2, random_state=0, max_iter=50, tol=0.1),
    "FactorAnalysis": decomposition.FactorAnalysis(2),
    "GaussianRandomProjection": random_projection.GaussianRandomProjection(2, random_state=0),
    "SparseRandomProjection": random_projection.SparseRandomProjection(2, random_state=0),
    "KMeans": KMeans(2, n_init=1, random_state=0),
    "LinearDiscriminantAnalysis": discriminant_analysis.LinearDiscriminantAnalysis(),
    "Nystroem": kernel_approximation.Nystroem(n_components=3, random_state=0),
    "SelectKBest": feature_selection.SelectKBest(k=2),
    "SelectPercentile": feature_selection.SelectPercentile(percentile=50),
    "VarianceThreshold": feature_selection.VarianceThreshold(),
    "SelectFromModel": feature_selection.SelectFromModel(forest()),
    "SelectFpr": feature_selection.SelectFpr(alpha=0.9),
    "SelectFdr": feature_selection.SelectFdr(alpha=0.9),
    "RFE": feature_selection.RFE(forest(n_estimators=2), n_features_to_select=2),
    "GenericUnivariateSelect": feature_selection.GenericUnivariateSelect(mode="k_best", param=2),
    "passthrough": "passthrough",
    "None": None,
    "FeatureUnion of two": make_union(preprocessing.StandardScaler(), decomposition.PCA(1)),
    "FeatureUnion with passthrough": FeatureUnion([("a", "passthrough"), ("p", decomposition.PCA(1))]),
    "FeatureUnion with drop": FeatureUnion([("a", "drop"), ("p", preprocessing.StandardScaler())]),
}
_OF_HOLES: dict[str, Any] = {
    "SimpleImputer": impute.SimpleImputer(),
    "SimpleImputer, median": impute.SimpleImputer(strategy="median"),
    "SimpleImputer, most_frequent": impute.SimpleImputer(strategy="most_frequent"),
    "SimpleImputer, constant": impute.SimpleImputer(strategy="constant", fill_value=-1.0),
    "SimpleImputer, add_indicator": impute.SimpleImputer(add_indicator=True),
    "MissingIndicator in a union": FeatureUnion([("i", impute.SimpleImputer()), ("m", impute.MissingIndicator())]),
    "MissingIndicator alone": impute.MissingIndicator(features="all"),
    "KNNImputer": impute.KNNImputer(),
    "StandardScaler": preprocessing.StandardScaler(),
    "RobustScaler": preprocessing.RobustScaler(),
    "MinMaxScaler": preprocessing.MinMaxScaler(),
}
_OF_TEXTS: dict[str, Any] = {
    "OneHotEncoder": preprocessing.OneHotEncoder(),
    "OneHotEncoder, ignore": _ONE_HOT,
    "OneHotEncoder, drop=first": preprocessing.OneHotEncoder(drop="first"),
    "OneHotEncoder, drop=if_binary": preprocessing.OneHotEncoder(drop="if_binary"),
    "OneHotEncoder, dense": preprocessing.OneHotEncoder(sparse_output=False),
    "OneHotEncoder, categories": preprocessing.OneHotEncoder(categories=[["male", "female", "other"]]),
    "OneHotEncoder, min_frequency": preprocessing.OneHotEncoder(min_frequency=40, handle_unknown="infrequent_if_exist"),
    "OrdinalEncoder": preprocessing.OrdinalEncoder(),
    "OrdinalEncoder, use_encoded_value": preprocessing.OrdinalEncoder(
        handle_unknown="use_encoded_value", unknown_value=-1
    ),
    "OrdinalEncoder, min_frequency": preprocessing.OrdinalEncoder(min_frequency=5),
    "TargetEncoder": preprocessing.TargetEncoder(cv=2, random_state=0),
}


def _whole_with_holes(values: list[Any]) -> Callable[[Rows], Rows]:
    def change(rows: Rows) -> Rows:
        return rows.assign(grade=np.resize(np.array(values, np.float64), len(rows)))

    return change


def _changed(name: str, steps: Callable[[], Estimator], change: Callable[[Rows], Rows], data: str = "titanic") -> Case:
    return Case(name, steps, data, lambda e, x, y: e.fit(change(x), y), rows=change, ways=(True,))


def _titanic(model: Callable[[], Estimator]) -> Callable[[], Estimator]:
    numeric = make_pipeline(impute.SimpleImputer(strategy="median", add_indicator=True), preprocessing.StandardScaler())
    texts = make_pipeline(impute.SimpleImputer(strategy="most_frequent"), _ONE_HOT)
    return _columns(("n", numeric, ["age", "fare", "parch"]), ("c", texts, _TEXTS), model=model)


_DATES = pd.date_range("2024-01-01", periods=60)

STEPS = Group(
    "Pipeline parts before a random forest",
    "Each by itself, on a table of numbers, on two columns of a mixed one, on numbers with holes, on texts.",
    (
        *(Case(f"{name}", _before(step), "binary") for name, step in _OF_NUMBERS.items()),
        *(
            Case(f"{name}, in a ColumnTransformer", _on_numbers(step), "titanic", ways=(True,))
            for name, step in _OF_NUMBERS.items()
            if step is not None
        ),
        *(Case(f"{name}, missing values", _before(step), "holes") for name, step in _OF_HOLES.items()),
        *(Case(f"{name}, texts", _on_texts(step), "titanic", ways=(True,)) for name, step in _OF_TEXTS.items()),
    ),
)

COLUMNS = Group(
    "Columns by name, place and type",
    "A ColumnTransformer before trees.",
    (
        Case("a titanic pipeline, random forest", _titanic(forest), "titanic", ways=(True,)),
        Case("a titanic pipeline, HistGradientBoosting", _titanic(histogram), "titanic", ways=(True,)),
        Case("a titanic pipeline, XGBoost", _titanic(xgb()), "titanic", ways=(True,)),
        Case("a titanic pipeline, LightGBM", _titanic(lgb()), "titanic", ways=(True,)),
        Case(
            "remainder=passthrough",
            _columns(("c", _ONE_HOT, ["sex"]), ("p", "drop", ["port"]), remainder="passthrough", model=histogram),
            "titanic",
            ways=(True,),
        ),
        Case(
            "remainder=an imputer",
            _columns(("c", _ONE_HOT, _TEXTS), remainder=impute.SimpleImputer()),
            "titanic",
            ways=(True,),
        ),
        Case("columns by index", _columns(("n", "passthrough", [0, 2]), ("c", _ONE_HOT, [3])), "titanic", ways=(True,)),
        Case(
            "columns by negative index",
            _columns(("n", "passthrough", [0, -1]), ("c", _ONE_HOT, [-3])),
            "titanic",
            ways=(True,),
        ),
        Case(
            "columns by slice",
            _columns(("n", impute.SimpleImputer(), slice(0, 3)), ("c", _ONE_HOT, slice(3, 4))),
            "titanic",
            ways=(True,),
        ),
        Case(
            "columns by slice of names",
            _columns(("n", impute.SimpleImputer(), slice("age", "parch"))),
            "titanic",
            ways=(True,),
        ),
        Case(
            "columns by mask",
            _columns(("n", "passthrough", [True, False, True, False, False, False])),
            "titanic",
            ways=(True,),
        ),
        Case(
            "columns by make_column_selector",
            _columns(
                ("n", impute.SimpleImputer(), compose.make_column_selector(dtype_include=np.number)),
                ("c", _ONE_HOT, compose.make_column_selector(dtype_include=[object, "str"])),
            ),
            "titanic",
            ways=(True,),
        ),
        Case(
            "columns by function",
            _columns(("n", "passthrough", lambda frame: ["age", "parch"])),
            "titanic",
            ways=(True,),
        ),
        Case(
            "one column by text",
            _columns(("n", feature_extraction.text.CountVectorizer(), "sex")),
            "titanic",
            ways=(True,),
        ),
        Case(
            "the same column twice",
            _columns(("n", preprocessing.StandardScaler(), ["age"]), ("m", "passthrough", ["age", "parch"])),
            "titanic",
            ways=(True,),
        ),
        Case(
            "columns on an array",
            lambda: make_pipeline(
                compose.ColumnTransformer([("n", preprocessing.StandardScaler(), [0, 1])], remainder="passthrough"),
                forest(),
            ),
            "array",
        ),
        Case(
            "columns on an array, negative",
            lambda: make_pipeline(
                compose.ColumnTransformer([("n", preprocessing.StandardScaler(), [-1, 0])]), forest()
            ),
            "array",
        ),
        Case(
            "transformer_weights",
            _columns(
                ("n", preprocessing.StandardScaler(), ["age"]),
                ("m", "passthrough", ["parch"]),
                transformer_weights={"n": 2.0},
            ),
            "titanic",
            ways=(True,),
        ),
        Case(
            "set_output(transform=pandas)",
            lambda: make_pipeline(
                compose.ColumnTransformer([("n", preprocessing.StandardScaler(), ["age"])], remainder="drop"), forest()
            ).set_output(transform="pandas"),
            "titanic",
            ways=(True,),
        ),
        Case(
            "a ColumnTransformer in a FeatureUnion",
            lambda: make_pipeline(
                make_union(
                    compose.ColumnTransformer([("n", "passthrough", ["age"])]),
                    compose.ColumnTransformer([("c", preprocessing.OneHotEncoder(sparse_output=False), ["sex"])]),
                ),
                forest(),
            ),
            "titanic",
            ways=(True,),
        ),
        Case(
            "a scaler after a ColumnTransformer",
            lambda: make_pipeline(
                compose.ColumnTransformer([("n", impute.SimpleImputer(), ["age", "fare"])]),
                preprocessing.StandardScaler(),
                forest(),
            ),
            "titanic",
            ways=(True,),
        ),
        Case(
            "passthrough chosen by a search",
            lambda: GridSearchCV(
                Pipeline([("s", preprocessing.StandardScaler()), ("f", forest())]), {"s": ["passthrough"]}, cv=2
            ),
            "binary",
        ),
        Case(
            "OneHotEncoder of booleans",
            _columns(("c", _ONE_HOT, ["alone"]), ("n", "passthrough", ["age"])),
            "titanic",
            ways=(True,),
        ),
        Case(
            "OneHotEncoder of whole numbers",
            _columns(("c", _ONE_HOT, ["parch"]), ("n", "passthrough", ["age"])),
            "titanic",
            ways=(True,),
        ),
        _changed("OneHotEncoder of 1.0, 2.0", _columns(("c", _ONE_HOT, ["grade"])), _whole_with_holes([1.0, 2.0])),
        _changed(
            "OneHotEncoder of 1.0, 2.0, missing",
            _columns(("c", _ONE_HOT, ["grade"])),
            _whole_with_holes([1.0, 2.0, np.nan]),
        ),
        _changed("OneHotEncoder of 1.0, 2.5", _columns(("c", _ONE_HOT, ["grade"])), _whole_with_holes([1.0, 2.5])),
        _changed("OneHotEncoder of 0.1, 0.3", _columns(("c", _ONE_HOT, ["grade"])), _whole_with_holes([0.1, 0.3])),
        _changed(
            "OrdinalEncoder of 1.0, 2.5, missing",
            _columns(("c", preprocessing.OrdinalEncoder(), ["grade"]), model=histogram),
            _whole_with_holes([1.0, 2.5, np.nan]),
        ),
        Case("OneHotEncoder of texts with missing", _columns(("c", _ONE_HOT, ["port"])), "titanic", ways=(True,)),
        Case(
            "OrdinalEncoder of texts with missing",
            _columns(("c", preprocessing.OrdinalEncoder(), ["port"]), model=histogram),
            "titanic",
            ways=(True,),
        ),
        Case(
            "OrdinalEncoder, encoded_missing_value",
            _columns(("c", preprocessing.OrdinalEncoder(encoded_missing_value=-2), ["port"])),
            "titanic",
            ways=(True,),
        ),
        Case(
            "OneHotEncoder of pandas categories",
            _columns(("c", _ONE_HOT, _TEXTS), ("n", "passthrough", ["age"])),
            "categories",
            ways=(True,),
        ),
        Case(
            "SimpleImputer of texts, constant",
            _columns(
                (
                    "c",
                    make_pipeline(
                        impute.SimpleImputer(strategy="constant", fill_value="none", missing_values=None), _ONE_HOT
                    ),
                    ["port"],
                )
            ),
            "titanic",
            ways=(True,),
        ),
        Case(
            "CountVectorizer",
            lambda: make_pipeline(
                compose.ColumnTransformer([("t", feature_extraction.text.CountVectorizer(), "review")]), forest()
            ),
            "texts",
            ways=(True,),
        ),
        Case(
            "TfidfVectorizer",
            lambda: make_pipeline(
                compose.ColumnTransformer([("t", feature_extraction.text.TfidfVectorizer(), "review")]), forest()
            ),
            "texts",
            ways=(True,),
        ),
        Case(
            "HashingVectorizer",
            lambda: make_pipeline(
                compose.ColumnTransformer([("t", feature_extraction.text.HashingVectorizer(n_features=8), "review")]),
                forest(),
            ),
            "texts",
            ways=(True,),
        ),
        _changed(
            "a date that the pipeline drops",
            _columns(("n", "passthrough", ["age", "parch"])),
            lambda x: x.assign(day=_DATES),
        ),
        _changed(
            "a long text that the pipeline drops",
            _columns(("n", "passthrough", ["age", "parch"])),
            lambda x: x.assign(note="x" * 12_000),
        ),
        _changed(
            "a list that the pipeline drops",
            _columns(("n", "passthrough", ["age", "parch"])),
            lambda x: x.assign(note=[[1, 2]] * len(x)),
        ),
    ),
)
GROUPS = (STEPS, COLUMNS)
