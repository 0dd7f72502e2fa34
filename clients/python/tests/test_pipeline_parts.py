"""Parts of pipelines: what is converted predicts as scikit-learn in every row, and trees test the raw features."""

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
import pytest
from leafspace_client.conversion import convert_model
from leafspace_client.errors import CannotConvert
from numpy.typing import NDArray
from sklearn import feature_selection, impute, preprocessing
from sklearn.cluster import KMeans
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.decomposition import PCA, FactorAnalysis, FastICA, TruncatedSVD
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import (
    BaggingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    VotingClassifier,
)
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline, make_union
from sklearn.preprocessing import FunctionTransformer, KBinsDiscretizer, OneHotEncoder, OrdinalEncoder, StandardScaler

from tests.support.converted import outcome_of_converted, read_converted
from tree_explainers.onnx_models.reading import ReadModel

Estimator: TypeAlias = Any
Table: TypeAlias = Any
_N_ROWS = 90
_TOLERANCE = 1e-6
_RNG = np.random.default_rng(11)
_IGNORE = OneHotEncoder(handle_unknown="ignore")
_NUMBERS = ["age", "fare", "visits"]


def table() -> pd.DataFrame:
    def with_holes(values: Any, share: float = 0.2) -> "pd.Series[Any]":  # an array
        return pd.Series(values).mask(np.arange(_N_ROWS) % round(1 / share) == 1)

    return pd.DataFrame(
        {
            "age": with_holes(_RNG.normal(40, 15, _N_ROWS)),
            "fare": with_holes(_RNG.exponential(30, _N_ROWS), 0.1),
            "visits": _RNG.integers(0, 6, _N_ROWS),
            "grade": with_holes(_RNG.integers(1, 4, _N_ROWS).astype(float)),
            "dose": _RNG.choice([0.1, 0.25, 0.3], _N_ROWS),
            "number": 2**24 + _RNG.integers(0, 4, _N_ROWS),
            "alone": _RNG.random(_N_ROWS) < 0.5,  # a coin
            "sex": _RNG.choice(["male", "female"], _N_ROWS),
            "port": with_holes(_RNG.choice(["S", "C", "Q"], _N_ROWS).astype(object), 0.1),
            "code": _RNG.choice([-999.0, 1.5, 2.5], _N_ROWS),
        }
    )


_TABLE = table()
_TARGET = (
    (_TABLE["age"].fillna(20) > 40) ^ (_TABLE["port"] == "S") ^ (_TABLE["grade"] == 2) ^ (_TABLE["number"] % 2 == 0)
).to_numpy(int)


def forest() -> RandomForestClassifier:
    return RandomForestClassifier(5, random_state=0)


def histogram() -> HistGradientBoostingClassifier:
    return HistGradientBoostingClassifier(max_iter=3, min_samples_leaf=2)


def columns(*parts: Any, remainder: Any = "drop") -> ColumnTransformer:  # steps
    return ColumnTransformer(
        [(f"c{at}", *part) for at, part in enumerate(parts)], remainder=remainder, sparse_threshold=0
    )


def on(names: Any, step: Any) -> ColumnTransformer:  # columns, a step
    return columns((step, names))


def titanic() -> ColumnTransformer:
    numbers = make_pipeline(impute.SimpleImputer(strategy="median", add_indicator=True), StandardScaler())
    texts = make_pipeline(impute.SimpleImputer(strategy="most_frequent"), _IGNORE)
    return columns((numbers, _NUMBERS), (texts, ["sex", "port"]))


_STEPS: dict[str, Callable[[], Estimator]] = {
    "titanic": titanic,
    "indicators of all": lambda: on(_NUMBERS, impute.MissingIndicator(features="all")),
    "imputed and indicated": lambda: on(_NUMBERS, make_union(impute.SimpleImputer(), impute.MissingIndicator())),
    "constant": lambda: on(_NUMBERS, impute.SimpleImputer(strategy="constant", fill_value=-999)),
    "constant, indicated": lambda: on(
        _NUMBERS, impute.SimpleImputer(strategy="constant", fill_value=-999, add_indicator=True)
    ),
    "most frequent": lambda: on(_NUMBERS, impute.SimpleImputer(strategy="most_frequent")),
    "another missing value": lambda: on(["code"], impute.SimpleImputer(missing_values=-999, add_indicator=True)),
    "text constant": lambda: on(
        ["port"], make_pipeline(impute.SimpleImputer(strategy="constant", fill_value="none"), _IGNORE)
    ),
    "texts and numbers imputed": lambda: on(
        ["sex", "port", "visits", "alone", "grade"],
        make_pipeline(impute.SimpleImputer(strategy="most_frequent"), _IGNORE),
    ),
    "whole numbers with holes": lambda: on(["grade"], _IGNORE),
    "fractions": lambda: on(["dose"], _IGNORE),
    "large whole numbers": lambda: on(["number"], _IGNORE),
    "large whole numbers passed": lambda: on(["number", "visits"], "passthrough"),
    "a large whole number passed": lambda: on(["number"], "passthrough"),
    "large whole numbers imputed": lambda: on(["number", "age"], impute.SimpleImputer()),
    "booleans": lambda: on(["alone", "visits"], _IGNORE),
    "numbers and texts": lambda: on(["grade", "sex", "dose", "port"], _IGNORE),
    "infrequent numbers": lambda: on(
        ["grade", "dose", "visits"], OneHotEncoder(min_frequency=20, handle_unknown="infrequent_if_exist")
    ),
    "most categories": lambda: on(["visits", "port"], OneHotEncoder(max_categories=3, handle_unknown="ignore")),
    "first dropped": lambda: on(["grade", "port", "alone"], OneHotEncoder(drop="first")),
    "binary dropped": lambda: on(["grade", "sex", "alone"], OneHotEncoder(drop="if_binary", sparse_output=False)),
    "some dropped": lambda: on(["sex", "alone"], OneHotEncoder(drop=["male", False])),
    "ordinal": lambda: on(
        ["grade", "dose", "port", "sex"],
        OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1, encoded_missing_value=-2),
    ),
    "ordinal, infrequent": lambda: on(["visits", "port"], OrdinalEncoder(max_categories=3, encoded_missing_value=9)),
    "target means": lambda: on(["visits", "sex", "dose"], preprocessing.TargetEncoder(cv=2, random_state=0)),
    "bins": lambda: on(["visits", "code", "dose"], KBinsDiscretizer(3, strategy="uniform")),
    "bins of quantiles": lambda: on(
        ["visits", "dose"], KBinsDiscretizer(3, encode="onehot-dense", quantile_method="averaged_inverted_cdf")
    ),
    "bins of clusters": lambda: on(["visits", "code"], KBinsDiscretizer(3, encode="ordinal", strategy="kmeans")),
    "bins, imputed": lambda: on(
        _NUMBERS, make_pipeline(impute.SimpleImputer(), KBinsDiscretizer(3, strategy="uniform", encode="ordinal"))
    ),
    "negative indices": lambda: columns((impute.SimpleImputer(), [0, -9]), (_IGNORE, [-3, -2])),
    "slice of names": lambda: columns((impute.SimpleImputer(), slice("age", "visits")), (_IGNORE, slice(-3, -1))),
    "mask": lambda: on([name in ("visits", "sex") for name in _TABLE], _IGNORE),
    "functions": lambda: columns(
        (impute.SimpleImputer(), make_column_selector(dtype_include="float")), (_IGNORE, lambda _: ["port", "sex"])
    ),
    "turned": lambda: make_pipeline(on(["visits", "dose"], "passthrough"), columns((StandardScaler(), [1, 0]))),
    "behind another": lambda: make_pipeline(
        on(_NUMBERS, impute.SimpleImputer()), columns((StandardScaler(), [-1]), (KBinsDiscretizer(2), [0]))
    ),
    "behind a text": lambda: make_pipeline(
        columns((impute.SimpleImputer(strategy="most_frequent"), ["port"]), (impute.SimpleImputer(), ["age"])),
        columns((_IGNORE, [0]), ("passthrough", [1])),
    ),
    "nested": lambda: columns(
        (columns((StandardScaler(), ["visits"]), remainder="passthrough"), ["dose", "visits"]),
        (titanic(), list(_TABLE)),
    ),
    "remainder": lambda: columns(
        (_IGNORE, ["sex", "port", "grade"]), remainder=make_pipeline(impute.SimpleImputer(add_indicator=True))
    ),
    "union with passage": lambda: make_pipeline(
        on(_NUMBERS, impute.SimpleImputer()), FeatureUnion([("a", "passthrough"), ("d", "drop"), ("p", PCA(2))])
    ),
    "weights": lambda: ColumnTransformer(
        [("a", "passthrough", ["visits"]), ("b", StandardScaler(), ["dose", "code"])], transformer_weights={"a": 0.3}
    ),
    "scaled and unscaled": lambda: make_pipeline(
        columns((StandardScaler(), ["age"]), remainder="drop"), impute.SimpleImputer(), "passthrough"
    ),
}
_SELECTIONS: dict[str, Callable[[], Estimator]] = {
    "best": lambda: feature_selection.SelectKBest(k=1),
    "by a model": lambda: feature_selection.SelectFromModel(forest()),
    "by variance": lambda: feature_selection.VarianceThreshold(0.3),
    "percentile": lambda: feature_selection.SelectPercentile(percentile=60),
    "eliminated": lambda: feature_selection.RFE(forest(), n_features_to_select=2),
    "KMeans": lambda: KMeans(3, n_init=1, random_state=0),
    "discriminants": LinearDiscriminantAnalysis,
    "eigenvectors": lambda: LinearDiscriminantAnalysis("eigen"),
    "independent": lambda: FastICA(2, random_state=0, max_iter=500, tol=0.1),
    "factors": lambda: FactorAnalysis(2),
    "components": lambda: PCA(2),
    "singular": lambda: TruncatedSVD(2),
    "polynomials": lambda: preprocessing.PolynomialFeatures(2),
    "powers": preprocessing.PowerTransformer,
    "quantiles": lambda: preprocessing.QuantileTransformer(n_quantiles=9),
    "norms": preprocessing.Normalizer,
    "flags": lambda: preprocessing.Binarizer(threshold=30.0),
    "logarithms": lambda: FunctionTransformer(np.log1p),
    "rounded": lambda: make_union(*(FunctionTransformer(each) for each in (np.sign, np.floor, np.ceil, np.rint))),
}


def imputed_before(step: Callable[[], Estimator]) -> Pipeline:
    return make_pipeline(on(_NUMBERS, impute.SimpleImputer()), step())


_CASES: dict[str, Callable[[], Estimator]] = {
    **_STEPS,
    **{name: partial(imputed_before, step) for name, step in _SELECTIONS.items()},
}


def scores_of(model: Estimator, rows: Table) -> NDArray[Any]:
    predict = getattr(model, "predict_proba", model.predict)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of unknown categories
        return np.asarray(predict(rows), np.float64).reshape(len(rows), -1)


def read_of(model: Estimator) -> ReadModel:
    converted = convert_model(model, _TABLE)
    return read_converted(converted.onnx, list(converted.declared.feature_names or ()), ("0", "1"))


def check(model: Estimator, rows: Table, *, others: Table = None) -> None:
    """Check scores and labels of all rows that the model was registered with, and of others that it takes."""
    onnx = convert_model(model, rows).onnx
    for some in (rows,) if others is None else (rows, others):
        outcome = outcome_of_converted(onnx, some, tuple(map(str, model.classes_)))
        np.testing.assert_allclose(outcome.scores, scores_of(model, some), rtol=0, atol=_TOLERANCE)
        assert np.array(outcome.labels).tolist() == np.searchsorted(model.classes_, model.predict(some)).tolist()


@pytest.mark.filterwarnings("ignore:.*:UserWarning")
@pytest.mark.parametrize("case", _CASES)
@pytest.mark.sampled("tenths")
def test_a_part_is_right_in_every_row(case: str) -> None:
    check(make_pipeline(_CASES[case](), forest()).fit(_TABLE, _TARGET), _TABLE)


@pytest.mark.filterwarnings("ignore:.*:UserWarning")
@pytest.mark.parametrize("case", list(_CASES)[::2])
@pytest.mark.sampled("tenths")
def test_a_part_is_right_before_trees_that_decide_in_double_precision(case: str) -> None:
    check(make_pipeline(_CASES[case](), histogram()).fit(_TABLE, _TARGET), _TABLE)


@pytest.mark.parametrize("case", ["titanic", "ordinal", "numbers and texts", "infrequent numbers", "most categories"])
def test_unknown_and_missing_categories_are_what_the_encoder_makes_of_them(case: str) -> None:
    others = _TABLE.assign(
        sex="x",
        port=pd.Series("Z", _TABLE.index, dtype=object).where(np.arange(_N_ROWS) % 2 == 1, np.nan),
        grade=np.where(np.arange(_N_ROWS) % 2, 1.5, np.nan),
        visits=np.where(np.arange(_N_ROWS) % 2, 99, 1),
        dose=0.2,
    )
    check(make_pipeline(_CASES[case](), forest()).fit(_TABLE, _TARGET), _TABLE, others=others)


def _in_single(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.astype(dict.fromkeys(["age", "fare", "grade", "dose", "code"], np.float32))


@pytest.mark.filterwarnings("ignore:.*:UserWarning")
@pytest.mark.parametrize("case", ["titanic", "fractions", "numbers and texts", "bins of quantiles", "remainder"])
def test_a_frame_in_single_precision(case: str) -> None:
    rows = _in_single(_TABLE)
    check(make_pipeline(_CASES[case](), histogram()).fit(rows, _TARGET), rows)


_TYPES: dict[str, dict[str, Any]] = {
    "texts": {"port": "str", "sex": "str"},
    "categories": {"port": "category", "sex": "category"},
    "numbers with NA": {"grade": "Int64", "visits": "Int64", "alone": "boolean"},
}


@pytest.mark.parametrize("kind", _TYPES)
def test_columns_of_the_types_of_pandas(kind: str) -> None:
    rows = _TABLE.astype(_TYPES[kind])
    steps = columns((titanic(), list(rows)), (_IGNORE, ["grade", "alone"]))
    check(make_pipeline(steps, forest()).fit(rows, _TARGET), rows)


@pytest.mark.filterwarnings("ignore:.*:UserWarning")
@pytest.mark.parametrize("settings", [{}, {"keep_empty_features": True}, {"strategy": "constant", "fill_value": -999}])
def test_a_column_of_holes_is_dropped_or_filled(settings: dict[str, Any]) -> None:
    rows = _TABLE.assign(none=np.nan)
    steps = on(["none", "age", "fare"], impute.SimpleImputer(add_indicator=True, **settings))
    check(make_pipeline(steps, forest()).fit(rows, _TARGET), rows)


@pytest.mark.parametrize(("missing", "filled"), [(np.nan, None), (None, None), (np.nan, np.nan)])
def test_imputers_of_texts_fill_the_kind_of_missing_that_they_name(missing: Any, filled: Any) -> None:
    texts = _TABLE["port"].astype(object)
    rows = _TABLE.assign(port=texts.where(texts.notna(), filled))
    step = make_pipeline(impute.SimpleImputer(strategy="constant", fill_value="none", missing_values=missing), _IGNORE)
    check(make_pipeline(on(["port"], step), forest()).fit(rows, _TARGET), rows)


_AROUND: dict[str, Callable[[Estimator], Estimator]] = {
    "a search": lambda model: GridSearchCV(Pipeline([("s", StandardScaler()), ("m", model)]), {"s": ["passthrough"]}),
    "bagged": lambda model: BaggingClassifier(
        make_pipeline(impute.SimpleImputer(add_indicator=True), "passthrough", model), 2, random_state=0
    ),
    "a vote": lambda model: VotingClassifier(
        [("a", make_pipeline(None, impute.MissingIndicator(features="all"), model)), ("b", forest())], voting="soft"
    ),
    "a frame set": lambda model: make_pipeline(
        FeatureUnion([("a", impute.SimpleImputer()), ("m", impute.MissingIndicator())]), model
    ).set_output(transform="pandas"),
    "binned": lambda model: make_pipeline(
        impute.SimpleImputer(), KBinsDiscretizer(3, encode="onehot-dense", strategy="uniform"), model
    ),
}


@pytest.mark.filterwarnings("ignore:.*:UserWarning")
@pytest.mark.parametrize("case", _AROUND)
def test_parts_are_right_without_rows_too(case: str) -> None:
    rows = _TABLE[[*_NUMBERS, "grade"]].to_numpy(np.float64)
    model = _AROUND[case](forest()).fit(rows, _TARGET)
    check(model, rows)
    outcome = outcome_of_converted(convert_model(model).onnx, rows, ("0", "1"))
    np.testing.assert_allclose(outcome.scores, scores_of(model, rows), rtol=0, atol=_TOLERANCE)


_NOT_CONVERTED: dict[str, tuple[Callable[[], Estimator], str]] = {
    "words": (lambda: columns((CountVectorizer(), "sex")), "CountVectorizer"),
    "weighted words": (lambda: columns((TfidfVectorizer(), "sex"), ("passthrough", ["visits"])), "TfidfVectorizer"),
    "neighbours": (lambda: on(_NUMBERS, impute.KNNImputer()), "KNNImputer"),
    "splines": (lambda: on(["visits"], preprocessing.SplineTransformer(n_knots=3)), "SplineTransformer"),
    "a function": (lambda: on(["visits"], FunctionTransformer(np.sin)), "calls sin"),
    "a lambda": (lambda: on(["visits"], FunctionTransformer(lambda rows: rows * 2)), "calls <lambda>"),
    "indicated texts": (
        lambda: on(
            ["port"], make_pipeline(impute.SimpleImputer(strategy="most_frequent", add_indicator=True), _IGNORE)
        ),
        "add_indicator=True",
    ),
}


@pytest.mark.parametrize("case", _NOT_CONVERTED)
def test_what_is_not_converted_is_refused_by_its_step_with_what_to_do(case: str) -> None:
    make, named = _NOT_CONVERTED[case]
    pipeline = Pipeline([("prepared", make()), ("trees", forest())]).fit(_TABLE, _TARGET)
    with pytest.raises(CannotConvert) as refusal:
        convert_model(pipeline, _TABLE)
    text = str(refusal.value)
    assert named in text
    assert "step 'prepared'" in text
    assert "client.register_model(pipeline[-1], X=pipeline[:-1].transform(X))" in text
    check(pipeline[-1], pipeline[:-1].transform(_TABLE))


def test_of_steps_of_one_class_the_one_that_is_not_converted_is_named() -> None:
    steps = [("one", FunctionTransformer(np.log1p)), ("other", FunctionTransformer(np.sin)), ("trees", forest())]
    pipeline = Pipeline(steps).fit(_TABLE[["visits"]], _TARGET)
    with pytest.raises(CannotConvert, match="step 'other', calls sin"):
        convert_model(pipeline, _TABLE[["visits"]])


def test_a_step_of_a_member_is_refused_with_what_to_do_about_a_member() -> None:
    member = make_pipeline(on(["visits"], FunctionTransformer(np.sin)), forest())
    vote = VotingClassifier([("a", member), ("b", make_pipeline(on(["visits"], "passthrough"), forest()))])
    with pytest.raises(CannotConvert, match="fit the VotingClassifier on rows that the step has transformed"):
        convert_model(vote.set_params(voting="soft").fit(_TABLE, _TARGET), _TABLE)


@pytest.mark.parametrize("case", ["titanic", "remainder", "negative indices", "nested", "first dropped"])
def test_trees_test_the_raw_features_that_scikit_learn_names(case: str) -> None:
    steps = _CASES[case]()
    model = make_pipeline(steps, forest()).fit(_TABLE, _TARGET)
    read = read_of(model)
    names = [name.split("__")[-1].removeprefix("missingindicator_") for name in steps.get_feature_names_out()]
    features = [str(each.feature) for each in read.description.columns]
    assert len(features) == len(names)
    pairs = zip(names, features, strict=True)
    assert [pair for pair in pairs if pair[0] != pair[1] and not pair[0].startswith(f"{pair[1]}_")] == []


@pytest.mark.parametrize("case", ["bins", "bins of quantiles", "another missing value", "flags"])
def test_columns_that_are_made_of_one_feature_know_it(case: str) -> None:
    model = make_pipeline(_CASES[case](), forest()).fit(_TABLE, _TARGET)
    read = read_of(model)
    assert {each.feature for each in read.description.columns} <= set(_TABLE)


def test_powers_and_distances_are_named_after_what_they_are_made_of() -> None:
    names = []
    for case in ("polynomials", "KMeans"):
        model = make_pipeline(_CASES[case](), forest()).fit(_TABLE, _TARGET)
        read = read_of(model)
        names += [each.name for each in read.description.columns]
    assert {"mul(age, fare)", "sqrt(max(add(value 2 of 3 of age, fare, visits)))"} <= set(names)
