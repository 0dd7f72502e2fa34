"""Datasets with infinite cells, of libraries that take them: each job does its work or says what to do."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import orjson
import pandas as pd
import pytest
from leafspace_client.conversion import convert_model
from leafspace_client.rows import instances_of, sent
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier

from explanations.explained_rows import explain_instances
from explanations.warm_explainer import warm_up
from schemas.explanations import ExplanationRequest
from schemas.label_audits import LABEL_AUDITS
from schemas.models import PredictionRequest
from schemas.proximities import PROXIMITIES
from service.operations.datasets import list_rows
from service.operations.models import predict
from storage.errors import StorageError
from tests.support.workshop import Workshop, result_of, workshop_in

_N_ROWS = 90
_PARTS = ["values", "intervals", "contrast", "nearest_rows"]


def infinite_rows() -> pd.DataFrame:
    """Return rows of which many cells are infinite, and some are missing."""
    rng = np.random.default_rng(0)
    rows = pd.DataFrame(np.round(rng.normal(size=(_N_ROWS, 3)), 1), columns=["a", "b", "c"])
    rows.iloc[::5, 0], rows.iloc[1::7, 0] = np.inf, -np.inf
    rows.iloc[2::6, 1], rows.iloc[3::8, 1], rows.iloc[4::9, 1] = np.nan, -np.inf, np.inf
    return rows


def labels_of(rows: pd.DataFrame) -> NDArray[np.str_]:
    return np.where((rows["a"] > 0.5) ^ (rows["b"] < -0.5), "yes", "no")


def lightgbm_model() -> Any:  # an estimator
    import lightgbm  # heavy

    return lightgbm.LGBMClassifier(n_estimators=5, min_child_samples=3, num_leaves=8, verbose=-1, n_jobs=1)


def catboost_model() -> Any:  # an estimator
    import catboost  # heavy

    return catboost.CatBoostClassifier(iterations=5, depth=3, verbose=0, thread_count=1)


def histogram_model() -> HistGradientBoostingClassifier:
    return HistGradientBoostingClassifier(max_iter=5, min_samples_leaf=3, max_leaf_nodes=8)


MODELS = {"lightgbm": lightgbm_model, "catboost": catboost_model, "histogram": histogram_model}


@dataclass(frozen=True)
class Shop:
    """A workshop with a model and a dataset, both with infinities."""

    workshop: Workshop
    estimator: Any
    model: str
    dataset: str

    def made_from(self, **request: object) -> dict[str, object]:
        return {"model": self.model, "dataset": self.dataset, **request}


def registered(workshop: Workshop, estimator: Any, rows: pd.DataFrame) -> str:  # an estimator
    converted = convert_model(estimator, rows)
    return workshop.register_model(converted.onnx, **converted.metadata())


@pytest.fixture(scope="module", params=MODELS)
def shop(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    rows = infinite_rows()
    estimator = MODELS[request.param]().fit(rows, labels_of(rows))
    with workshop_in(tmp_path_factory.mktemp("shop")) as workshop:
        dataset = workshop.register_dataset(rows.assign(t=labels_of(rows)), target="t")
        yield Shop(workshop, estimator, registered(workshop, estimator, rows), dataset)


def predicted(workshop: Workshop, model: str, request: PredictionRequest) -> list[Any]:
    answer: dict[str, Any] = orjson.loads(asyncio.run(predict(workshop.context, model, request)))
    return list(answer["data"])


def plain(value: Any) -> Any:  # any JSON value
    """Return a message as JSON has it: no infinity becomes null on the way."""
    return orjson.loads(value.model_dump_json() if hasattr(value, "model_dump_json") else orjson.dumps(value))


def test_rows_are_predicted_as_by_the_library(shop: Shop) -> None:
    rows = infinite_rows()
    request = PredictionRequest.model_validate({"instances": sent(instances_of(rows))})

    answer = predicted(shop.workshop, shop.model, request)

    scores = [[score["value"] for score in row["prediction"]["scores"]] for row in answer]
    np.testing.assert_allclose(scores, shop.estimator.predict_proba(rows), atol=1e-6)


def test_a_dataset_shows_infinite_cells_and_counts_them(shop: Shop) -> None:
    rows, context = infinite_rows(), shop.workshop.context

    column = context.datasets.get(shop.dataset).view.columns[0]
    page = orjson.loads(b"".join(list_rows(context, shop.dataset, ["a"], _N_ROWS, None)))

    assert column.n_infinite == np.isinf(rows["a"]).sum()
    texts = {np.inf: "Infinity", -np.inf: "-Infinity"}
    assert [row["values"][0]["value"] for row in page["data"]] == [texts.get(value, value) for value in rows["a"]]


def test_prototypes_explain_rows_with_infinite_cells(shop: Shop) -> None:
    rows, workshop = infinite_rows(), shop.workshop
    made = workshop.make(**shop.made_from(n_prototypes=6))
    prototypes = result_of(made).prototypes
    warm = warm_up(
        workshop.register_explainer(model=shop.model, prototype_set=made.id),
        workshop.context.database,
        workshop.context.objects,
        workshop.context.sessions.get,
    )
    texts = {np.inf: "Infinity", -np.inf: "-Infinity"}
    expected = [None if np.isnan(value) else texts.get(value, value) for value in rows["a"]]

    request = ExplanationRequest.model_validate({"instances": sent(instances_of(rows)), "include": _PARTS})
    explained = orjson.loads(orjson.dumps(explain_instances(warm, request)))

    assert {row["status"] for row in explained} <= {"ok", "abstained"}
    assert [row["values"][0]["value"] for row in explained] == expected
    assert any(cell.value in {"Infinity", "-Infinity"} for each in prototypes for cell in each.features)
    for row in (each for each in explained if each["status"] == "ok"):
        for prototype in row["nearest_prototypes"]:
            for reason in prototype["reasons"]:
                assert _holds(reason["interval"], row["values"], reason["feature"]), (reason, row["values"])


def _holds(interval: Any, values: Any, feature: str) -> bool:  # JSON
    (value,) = (each["value"] for each in values if each["feature"] == feature)
    if value is None:
        return bool(interval.get("or_missing") or interval.get("is_missing"))
    number = float(value)
    low, high = interval.get("low", -np.inf), interval.get("high", np.inf)
    above = number > low or low == -np.inf or (interval.get("low_inclusive") and number == low)
    below = number < high or high == np.inf or (interval.get("high_inclusive") and number == high)
    return bool(above and below and not interval.get("is_missing"))


@pytest.mark.parametrize("proximity_kind", ["auto", "euclidean"])
@pytest.mark.sampled("thirds")
def test_rows_are_compared_by_leaves_and_by_ranks(shop: Shop, proximity_kind: str) -> None:
    made = shop.workshop.find_neighbors(**shop.made_from(n_neighbors=2, proximity_kind=proximity_kind))
    audit = shop.workshop.audit(**shop.made_from())
    chosen = shop.workshop.make(**shop.made_from(n_prototypes=4, proximity_kind=proximity_kind))

    assert plain(result_of(chosen))["prototypes"]
    assert shop.workshop.table_of(PROXIMITIES, made).num_rows == 2 * _N_ROWS
    assert shop.workshop.table_of(LABEL_AUDITS, audit).num_rows == _N_ROWS


@pytest.mark.parametrize("method", ["em", "fab", "in_trees", "node_harvest", "decision_tree", "rule_list"])
def test_rules_are_found_or_refused_by_the_names_of_columns(shop: Shop, method: str) -> None:
    try:
        result = result_of(shop.workshop.find_rules(**shop.made_from(method=method)))
    except StorageError as refusal:
        _check_refusal(refusal, shop)
    else:
        plain(result)


@pytest.mark.parametrize(
    "request_",
    [{"method": method} for method in ("sta", "ism", "born_again", "cart")]
    + [{"method": "ism", "fitted_on": "dataset"}, {"method": "cart", "fitted_on": "dataset"}],
    ids=str,
)
@pytest.mark.sampled("thirds")
def test_approximation_trees_are_grown_or_refused_by_the_names_of_columns(
    shop: Shop, request_: dict[str, object]
) -> None:
    try:
        result = result_of(shop.workshop.grow_tree(**shop.made_from(max_leaves=4, **request_)))
    except StorageError as refusal:
        _check_refusal(refusal, shop)
    else:
        plain(result)


def _check_refusal(refusal: StorageError, shop: Shop) -> None:
    assert refusal.code == "non_finite_number"
    assert f"dataset {shop.dataset!r} has infinite numbers in 'a' (" in refusal.detail


def test_what_scikit_learn_refuses_is_refused_by_the_columns_of_a_dataset(shop: Shop) -> None:
    rows = infinite_rows()
    finite = rows.replace([np.inf, -np.inf], np.nan)
    forest = RandomForestClassifier(3, random_state=0).fit(finite, labels_of(rows))
    model = registered(shop.workshop, forest, rows)
    context = shop.workshop.context

    with pytest.raises(StorageError, match="takes finite numbers alone, as its library does") as refused:
        shop.workshop.create(model=model, dataset=shop.dataset)
    request = PredictionRequest.model_validate({"instances": [{"a": "-Infinity", "b": 0, "c": None}]})
    (row,) = predicted(shop.workshop, model, request)

    _check_refusal(refused.value, shop)
    assert context.models.get(model).view.finite_only
    assert "feature 'a': the value -inf is refused by the model's library, too" in row["problem"]["detail"]
