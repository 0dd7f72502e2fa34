"""From a fitted model to an explained prediction: SDK, HTTP, queue, a worker's process, and back."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from leafspace_client import Explanations, Leafspace, PrototypeSet
from leafspace_client.prototype_sets import Method
from leafspace_client.types import ReasonInterval, Unset
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.model_selection import train_test_split
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, PowerTransformer, QuantileTransformer, StandardScaler

from tests.support.patience import PATIENCE_SECONDS
from tests.support.sampling import mostly_long
from tests.support.serving import Service, serving
from tests.support.shared import shared_path


@pytest.fixture
def client(service: Service) -> Iterator[Leafspace]:
    with Leafspace(service.url) as connected:
        yield connected


def finished_by_a_worker(client: Leafspace, requested: PrototypeSet) -> PrototypeSet:
    """Wait for a set, and see that a worker made it once, as a job."""
    ready = requested.wait(timeout=PATIENCE_SECONDS)
    assert ready.job is not None
    job = client.jobs.get(ready.job)
    assert (job.status, job.attempt, job.artefact, job.progress.fraction) == ("succeeded", 1, ready.id, 1.0)
    return ready


@pytest.mark.parametrize("method", mostly_long(["sm_a", "a_pete"], "sm_a"))
def test_a_forest_on_breast_cancer_explains_tumours_that_it_has_never_seen(client: Leafspace, method: Method) -> None:
    data = load_breast_cancer(as_frame=True)
    labels = pd.Series(data.target_names[data.target], name="diagnosis")
    rows, new_rows, known, _ = train_test_split(data.data, labels, random_state=0)
    forest = RandomForestClassifier(100, random_state=0).fit(rows, known)
    model = client.register_model(forest, rows)
    dataset = client.register_dataset(rows.assign(diagnosis=known).reset_index(drop=True), target="diagnosis")

    chosen = finished_by_a_worker(client, client.prototype_sets.create(model, dataset, method=method))
    explanations = client.explainers.create(model, chosen).explain(new_rows, detail="full")

    assert [each.label for each in explanations] == list(forest.predict(new_rows))
    _proximities_are_those_of_the_forest(explanations, forest, rows, new_rows)
    agreeing = [each.prototype_prediction is not None and each.prototype_prediction.agrees for each in explanations]
    assert agreeing.count(True) > 0.85 * len(agreeing)


def _proximities_are_those_of_the_forest(
    explanations: Explanations, forest: RandomForestClassifier, rows: pd.DataFrame, new_rows: pd.DataFrame
) -> None:
    leaves, new_leaves = forest.apply(rows), forest.apply(new_rows)
    for explanation, own in zip(explanations, new_leaves, strict=True):
        for near in explanation.nearest_prototypes:
            shared = int((leaves[int(near.row_id)] == own).sum())
            assert (near.shared_trees, near.n_trees) == (shared, 100)
            assert near.proximity == pytest.approx(shared / 100)


@pytest.mark.long
def test_a_pipeline_on_titanic_explains_passengers_in_their_own_words(client: Leafspace) -> None:
    frame = pd.read_parquet(shared_path("data/titanic.parquet"))
    texts = ["sex", "embarked"]
    frame = frame.assign(**{name: frame[name].astype(object).where(frame[name].notna(), np.nan) for name in texts})
    features = frame[["pclass", "sex", "age", "sibsp", "fare", "embarked"]]
    pipeline = _titanic_pipeline().fit(features, frame["survived"])
    model = client.register_model(pipeline, features)
    dataset = client.register_dataset(features.assign(survived=frame["survived"]), target="survived")

    chosen = finished_by_a_worker(client, client.prototype_sets.create(model, dataset, n_prototypes=6))
    explanations = client.explainers.create(model, chosen).explain(features, include=["intervals"], n_reasons="all")

    assert model.parity is not None
    assert model.parity.n_rows == 100
    assert not any(column.transformed for column in model.column_map)
    assert [each.label for each in explanations] == pipeline.predict(features).tolist()
    _reasons_hold_for_both_rows(explanations, features)


def _titanic_pipeline() -> Pipeline:
    steps = [
        ("numbers", make_pipeline(SimpleImputer(), StandardScaler()), ["age"]),
        ("skewed", make_pipeline(SimpleImputer(), PowerTransformer()), ["fare"]),
        ("ranks", QuantileTransformer(n_quantiles=50, output_distribution="normal"), ["sibsp"]),
        (
            "texts",
            make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder(handle_unknown="ignore")),
            ["sex", "embarked"],
        ),
        ("rest", "passthrough", ["pclass"]),
    ]
    forest = RandomForestClassifier(100, max_depth=8, random_state=0)
    return Pipeline([("columns", ColumnTransformer(steps)), ("forest", forest)])


def _reasons_hold_for_both_rows(explanations: Explanations, features: pd.DataFrame) -> None:
    """Every reason names a raw column, and the row and its prototype both fulfil it."""
    n_reasons = 0
    for row, explanation in enumerate(explanations):
        for near in explanation.nearest_prototypes:
            for reason in near.reasons:
                for position in (row, int(near.row_id)):
                    assert _holds(reason.interval, features[reason.feature].tolist()[position]), (reason, position)
                n_reasons += 1
    assert n_reasons > len(explanations)


def _holds(interval: ReasonInterval | Unset, value: object) -> bool:
    assert isinstance(interval, ReasonInterval)
    if not isinstance(value, str | int | float) or value != value:  # not-a-number is missing
        return bool(interval.or_missing or interval.is_missing)
    if not isinstance(interval.category, Unset):
        return value == interval.category
    if isinstance(value, str):
        return value not in (interval.excluded_categories or ())
    # The model rounds scaled values to float32: ends in raw units are exact to that.
    slack = 1e-6 * max(1.0, abs(value))
    above = isinstance(interval.low, Unset) or value > interval.low - slack
    below = isinstance(interval.high, Unset) or value < interval.high + slack
    return above and below and not interval.is_missing


@pytest.mark.long
def test_after_a_restart_everything_is_found_again(tmp_path: Path) -> None:
    data = load_breast_cancer(as_frame=True)
    forest = RandomForestClassifier(20, random_state=0).fit(data.data, data.target)
    with serving(tmp_path) as running, Leafspace(running.url) as client:
        model = client.register_model(forest, data.data)
        chosen = client.prototype_sets.create(model, client.register_dataset(data.data), n_prototypes=3)
        explainer = client.explainers.create(model, chosen.wait(timeout=PATIENCE_SECONDS))
        before = explainer.explain(data.data.iloc[:3])
    with serving(tmp_path) as running, Leafspace(running.url) as client:
        after = client.explainers.get(explainer.id).explain(data.data.iloc[:3])

    assert [each.to_dict() for each in after] == [each.to_dict() for each in before]
