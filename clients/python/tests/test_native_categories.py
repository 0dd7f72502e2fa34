"""Models that split categories themselves predict the same after conversion, unseen and missing categories included."""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import onnx
import pandas as pd
import pytest
from leafspace_client import CannotConvert
from leafspace_client.conversion import convert_model
from leafspace_client.conversion.models import ConvertedModel
from numpy.typing import NDArray
from sklearn import ensemble
from sklearn.compose import make_column_transformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder

from tests.support.converted import outcome_of_converted, read_converted
from tests.support.models import library
from tests.support.shared import shared_path

Estimator: TypeAlias = Any
Setting: TypeAlias = float | str | list[int] | list[str]
TEXTS = ["sex", "embarked", "deck"]
_BOOSTER = {"n_estimators": 30, "n_jobs": 1}
_LIGHTGBM = {**_BOOSTER, "verbose": -1, "min_child_samples": 5, "min_data_per_group": 5, "cat_smooth": 1, "cat_l2": 1}
_XGBOOST = {**_BOOSTER, "max_depth": 4, "enable_categorical": True}
_CATBOOST = {"iterations": 30, "depth": 4, "verbose": 0, "allow_writing_files": False, "thread_count": 1}


def passengers(*, as_categories: bool = True) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Return real rows with categories that are texts and numbers, and gaps; and targets by task."""
    frame = pd.read_parquet(shared_path("data/titanic.parquet"))
    targets = {
        "binary": frame["survived"].to_numpy(),
        "texts": np.array(["first", "second", "third"])[frame["pclass"] - 1],
        "multiclass": frame["pclass"].to_numpy() - 1,
        "regression": frame["fare"].to_numpy(),
        "counts": frame["parch"].to_numpy(),
    }
    rows = frame[["age", "sex", "embarked", "sibsp"]].assign(deck=frame["cabin"].str[0])
    for name in TEXTS:
        values = rows[name].astype("str")
        rows[name] = values.astype("category") if as_categories else values.astype(object).where(values.notna(), "nan")
    return rows.assign(sibsp=rows["sibsp"].astype("category" if as_categories else "int64")), targets


def with_values(rows: pd.DataFrame, name: str, values: list[str | None]) -> pd.DataFrame:
    """Return rows in which one column has these values in turn."""
    taken = [values[row % len(values)] for row in range(len(rows))]
    is_category = isinstance(rows[name].dtype, pd.CategoricalDtype)
    column = pd.Categorical(pd.array(taken, "str")) if is_category else np.array(taken, object)
    return rows.assign(**{name: column})


def library_scores(estimator: Estimator, rows: pd.DataFrame) -> NDArray[np.float64]:
    predict = getattr(estimator, "predict_proba", estimator.predict)
    return np.asarray(predict(rows), np.float64).reshape(len(rows), -1)


def assert_predicts_the_same(converted: ConvertedModel, estimator: Estimator, rows: pd.DataFrame) -> None:
    classes = converted.declared.classes
    outcome = outcome_of_converted(converted.onnx, rows, None if classes is None else tuple(classes))
    theirs = library_scores(estimator, rows)
    adds_in_single = type(estimator).__module__.startswith("xgboost")
    np.testing.assert_allclose(outcome.scores, theirs, rtol=1e-5 if adds_in_single else 1e-7, atol=1e-6)
    if classes is not None:
        assert outcome.labels is not None
        known = [str(label) for label in estimator.classes_]
        is_tie = np.sort(theirs)[:, -1] - np.sort(theirs)[:, -2] < 1e-6
        labels = [known.index(str(label)) for label in estimator.predict(rows).ravel()]
        np.testing.assert_array_equal(outcome.labels[~is_tie], np.array(labels)[~is_tie])


def lightgbm(task: str, **settings: Setting) -> Estimator:
    maker = library("lightgbm")
    kind = maker.LGBMRegressor if task in ("regression", "counts") else maker.LGBMClassifier
    return kind(**_LIGHTGBM, **({"objective": "poisson"} if task == "counts" else {}), **settings)


def xgboost(task: str, **settings: Setting) -> Estimator:
    maker = library("xgboost")
    kind = maker.XGBRegressor if task in ("regression", "counts") else maker.XGBClassifier
    return kind(**_XGBOOST, **({"objective": "count:poisson"} if task == "counts" else {}), **settings)


def histogram(task: str, **settings: Setting) -> Estimator:
    is_number = task in ("regression", "counts")
    kind = ensemble.HistGradientBoostingRegressor if is_number else ensemble.HistGradientBoostingClassifier
    return kind(max_iter=15, **({"loss": "poisson"} if task == "counts" else {}), **settings)


def catboost(task: str, **settings: Setting) -> Estimator:
    maker = library("catboost")
    kind = maker.CatBoostRegressor if task in ("regression", "counts") else maker.CatBoostClassifier
    loss = {"loss_function": "Poisson"} if task == "counts" else {}
    return kind(**_CATBOOST, cat_features=[*TEXTS, "sibsp"], **loss, **{"one_hot_max_size": 20, **settings})


@pytest.mark.parametrize("task", ["binary", "texts", "regression", "counts"])
@pytest.mark.parametrize("maker", [lightgbm, histogram])
@pytest.mark.sampled("thirds")
def test_unseen_and_missing_categories_go_where_the_library_sends_them(
    maker: Callable[..., Estimator], task: str
) -> None:
    rows, targets = passengers()
    estimator = maker(task).fit(rows, targets[task])

    converted = convert_model(estimator, rows)

    assert_predicts_the_same(converted, estimator, rows)
    for name in TEXTS:
        assert_predicts_the_same(converted, estimator, with_values(rows, name, ["never seen", None]))
    assert converted.parity is not None
    sent = [row[1] for row in converted.parity.rows]
    assert None in sent
    assert "unknown category" in sent


@pytest.mark.parametrize("task", ["binary", "multiclass", "regression", "counts"])
@pytest.mark.parametrize("one_hot", [1, 50], ids=["partitions", "one-hot"])
@pytest.mark.sampled("thirds")
def test_xgboost_partitions_and_one_hot_splits_are_converted(task: str, one_hot: int) -> None:
    rows, targets = passengers()
    estimator = xgboost(task, max_cat_to_onehot=one_hot).fit(rows, targets[task])

    converted = convert_model(estimator, rows)

    assert_predicts_the_same(converted, estimator, rows)
    for name in TEXTS:
        assert_predicts_the_same(converted, estimator, with_values(rows, name, [rows[name].cat.categories[0], None]))


def test_xgboost_weighs_the_trees_of_dart() -> None:
    rows, targets = passengers()
    estimator = xgboost("binary", booster="dart", rate_drop=0.3).fit(rows, targets["binary"])

    assert_predicts_the_same(convert_model(estimator, rows, parity=False), estimator, rows)


def test_xgboost_takes_a_category_that_it_has_not_seen_for_one_outside_all_sets() -> None:
    """Of a DataFrame XGBoost refuses it; given codes itself, it does not."""
    rows, targets = passengers()
    named = xgboost("binary", max_cat_to_onehot=1).fit(rows[["deck", "age"]], targets["binary"])
    unseen = with_values(rows[["deck", "age"]], "deck", ["never seen"])
    with pytest.raises(library("xgboost").core.XGBoostError, match="not in the training set"):
        named.predict(unseen)
    codes = np.column_stack([rows["deck"].cat.codes.where(rows["deck"].notna()), rows["age"]])
    coded = xgboost("binary", max_cat_to_onehot=1, feature_types=["c", "float"]).fit(codes, targets["binary"])
    codes[:, 0] = 99

    ours = outcome_of_converted(convert_model(named, rows[["deck", "age"]]).onnx, unseen).scores

    np.testing.assert_allclose(ours, coded.predict_proba(codes), atol=1e-6)


def _in_german(rows: pd.DataFrame) -> pd.DataFrame:
    """Return rows whose sexes and ports have letters that take several bytes."""
    sexes, ports = {"male": "männlich", "female": "weiblich"}, {"C": "Cherbourg", "Q": "Königinstadt", "S": "Süd"}
    return rows.assign(
        sex=rows["sex"].cat.rename_categories(sexes), embarked=rows["embarked"].cat.rename_categories(ports)
    )


@pytest.mark.parametrize("one_hot", [1, 50], ids=["partitions", "one-hot"])
def test_xgboost_splits_categories_with_letters_beyond_ascii(one_hot: int) -> None:
    """Its own file has them cut in the wrong places, so that without rows nobody knows them."""
    rows, targets = passengers()
    rows = _in_german(rows[["age", "sex", "embarked"]])
    estimator = xgboost("binary", max_cat_to_onehot=one_hot).fit(rows, targets["binary"])

    assert_predicts_the_same(convert_model(estimator, rows), estimator, rows)
    for other in (None, rows.assign(sex=rows["sex"].cat.reorder_categories(["männlich", "weiblich"]))):
        with pytest.raises(CannotConvert, match="keeps the categories of 'sex' cut in the wrong places"):
            convert_model(estimator, other)


@pytest.mark.parametrize("task", ["binary", "texts", "regression", "counts"])
@pytest.mark.parametrize("policy", ["SymmetricTree", "Lossguide"])
@pytest.mark.sampled("thirds")
def test_catboost_with_one_hot_categories_is_converted(task: str, policy: str) -> None:
    rows, targets = passengers(as_categories=False)
    estimator = catboost(task, grow_policy=policy).fit(rows, targets[task])

    converted = convert_model(estimator, rows)

    assert_predicts_the_same(converted, estimator, rows)
    for name in TEXTS:
        assert_predicts_the_same(converted, estimator, with_values(rows, name, ["never seen", "nan"]))


def test_catboost_with_statistics_of_the_target_is_refused_by_name() -> None:
    rows, targets = passengers(as_categories=False)
    estimator = catboost("binary", one_hot_max_size=3).fit(rows, targets["binary"])

    with pytest.raises(CannotConvert, match=r"CatBoostClassifier .*'deck' \(9 categories\).*one_hot_max_size=9"):
        convert_model(estimator, rows)


def test_catboost_needs_rows_with_every_category_that_its_trees_test() -> None:
    rows, targets = passengers(as_categories=False)
    estimator = catboost("binary").fit(rows, targets["binary"])

    with pytest.raises(CannotConvert, match="pass rows that have all of them"):
        convert_model(estimator)
    with pytest.raises(CannotConvert, match="that no row of X has: pass rows with all categories"):
        convert_model(estimator, rows[rows["sex"] == "male"])


def test_trees_test_membership_in_sets_and_columns_keep_raw_categories() -> None:
    rows, targets = passengers()
    estimator = lightgbm("binary").fit(rows, targets["binary"])

    converted = convert_model(estimator, rows)

    (trees,) = [node for node in onnx.load_from_string(converted.onnx).graph.node if node.op_type == "TreeEnsemble"]
    assert "membership_values" in {attribute.name for attribute in trees.attribute}
    description = read_converted(converted.onnx, list(rows.columns)).description
    assert [column.kind for column in description.columns] == ["identity", *["ordinal"] * 4]
    assert description.columns[1].categories == ("female", "male", None)
    assert description.columns[3].categories == (0, 1, 2, 3, 4, 5, 8, None)
    assert convert_model(estimator, rows).onnx == converted.onnx


def test_a_category_called_none_is_not_a_missing_one() -> None:
    rows = pd.DataFrame({"fence": pd.Categorical(["None", "wood", None, "nan"] * 30), "n": np.arange(120.0)})
    estimator = histogram("regression", min_samples_leaf=5).fit(rows, [1.0, 2.0, 3.0, 4.0] * 30)

    converted = convert_model(estimator, rows)

    assert_predicts_the_same(converted, estimator, rows)
    assert read_converted(converted.onnx, ["fence", "n"]).description.missing_tokens == ("", None)


def test_many_categories_of_one_column_are_converted() -> None:
    random = np.random.default_rng(0)
    codes = random.integers(0, 700, 6000)
    rows = pd.DataFrame({"town": pd.Categorical([f"town {code}" for code in codes]), "n": random.normal(size=6000)})
    estimator = lightgbm("regression", max_cat_threshold=300).fit(rows, np.sin(codes) + rows["n"])

    assert_predicts_the_same(convert_model(estimator, rows, parity=False), estimator, rows)


@pytest.mark.parametrize("kind", ["histogram", "lightgbm", "xgboost"])
def test_codes_that_a_pipeline_makes_of_categories_are_tested_as_they_come(kind: str) -> None:
    rows, targets = passengers(as_categories=False)
    encoder = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=np.nan)
    steps = make_column_transformer((encoder, TEXTS), remainder="passthrough")
    types = ["c", "c", "c", "q", "q"]
    settings: dict[str, dict[str, Any]] = {
        "histogram": {"categorical_features": [0, 1, 2]},
        "xgboost": {"feature_types": types, "max_cat_to_onehot": 1},
        "lightgbm": {},
    }
    booster = {"histogram": histogram, "xgboost": xgboost, "lightgbm": lightgbm}[kind]("binary", **settings[kind])
    fitting = {"lgbmclassifier__categorical_feature": [0, 1, 2]} if kind == "lightgbm" else {}
    pipeline = make_pipeline(steps, booster).fit(rows, targets["binary"], **fitting)

    converted = convert_model(pipeline, rows)

    assert_predicts_the_same(converted, pipeline, rows)
    assert_predicts_the_same(converted, pipeline, with_values(rows, "deck", ["never seen", "A"]))


@pytest.mark.parametrize("kind", ["histogram", "lightgbm", "xgboost"])
def test_columns_of_a_matrix_that_hold_codes_are_categories(kind: str) -> None:
    rows, targets = passengers()
    coded = [rows[name].cat.codes.where(rows[name].notna()).to_numpy(np.float64) for name in TEXTS]
    matrix = np.column_stack([rows["age"], *coded])
    settings: dict[str, dict[str, Any]] = {
        "histogram": {"categorical_features": [1, 2, 3]},
        "xgboost": {"feature_types": ["q", "c", "c", "c"], "max_cat_to_onehot": 1},
        "lightgbm": {},
    }
    booster = {"histogram": histogram, "xgboost": xgboost, "lightgbm": lightgbm}[kind]("binary", **settings[kind])
    fitting = {"categorical_feature": [1, 2, 3]} if kind == "lightgbm" else {}
    booster.fit(matrix, targets["binary"], **fitting)

    converted = convert_model(booster, matrix)

    frame = pd.DataFrame(matrix, columns=[f"x{column}" for column in range(4)])
    ours = outcome_of_converted(converted.onnx, frame).scores
    np.testing.assert_allclose(ours, booster.predict_proba(matrix), atol=1e-6)
    columns = read_converted(converted.onnx, list(frame.columns)).description.columns
    assert [column.kind for column in columns] == ["identity", "ordinal", "ordinal", "ordinal"]
