"""Ensembles without a split, of one tree or one answer, and tables of one row, class or value: every kind of job.

Each job is done, or refused in a sentence that says why; none breaks.
"""

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np
import pandas as pd
import pytest
from skl2onnx import to_onnx
from sklearn.base import is_classifier
from sklearn.ensemble import (
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from schemas.approximation_trees import APPROXIMATION_TREES
from schemas.maps import MAPS, MapRequest
from schemas.prototype_sets import PROTOTYPE_SETS
from schemas.reports import REPORTS, ReportRequest
from schemas.rule_sets import RULE_SETS
from service.drawings.files import export_html
from service.operations import approximation_trees, maps, reports, rule_sets
from service.operations.prototype_sets import classifier_file, export_classifier
from storage.errors import StorageError
from tests.support.models import Estimator
from tests.support.sampling import mostly_long
from tests.support.workshop import Workshop

_RNG = np.random.default_rng(0)
_X = _RNG.normal(size=(40, 2)).astype(np.float32)
_TWO, _THREE = (_X[:, 0] > 0).astype(int), np.digitize(_X[:, 0], [-0.5, 0.5])
_VALUES = _X[:, 0].astype(np.float64)
_NO_SPLIT = {"min_samples_split": 1000}

ENSEMBLES: dict[str, Callable[[], Estimator]] = {
    "classifier without a split": lambda: RandomForestClassifier(3, **_NO_SPLIT).fit(_X, _TWO),
    "classifier of three classes without a split": lambda: DecisionTreeClassifier(**_NO_SPLIT).fit(_X, _THREE),
    "classifier of one tree": lambda: DecisionTreeClassifier(max_depth=1).fit(_X, _TWO),
    "classifier of one class": lambda: RandomForestClassifier(3).fit(_X, np.zeros(40, int)),
    "classifier of one feature": lambda: RandomForestClassifier(3, max_depth=1).fit(_X[:, :1], _TWO),
    "boosting without a split": lambda: GradientBoostingClassifier(n_estimators=2, **_NO_SPLIT).fit(_X, _TWO),
    "regressor without a split": lambda: RandomForestRegressor(3, **_NO_SPLIT).fit(_X, _VALUES),
    "regressor of one tree": lambda: DecisionTreeRegressor(max_depth=1).fit(_X, _VALUES),
    "regressor of one value": lambda: DecisionTreeRegressor().fit(_X, np.full(40, 2.5)),
    "boosting of one value": lambda: GradientBoostingRegressor(n_estimators=2).fit(_X, np.full(40, 2.5)),
}
# An ensemble of which rules and trees are made, one of which nothing can be told apart, one of values.
_FEW = ("classifier of one tree", "classifier without a split", "regressor of one value")
TABLES: dict[str, Callable[[pd.DataFrame], pd.DataFrame]] = {
    "its rows": lambda frame: frame,
    "one row": lambda frame: frame[:1],
    "two rows": lambda frame: frame[:2],
    "a constant column": lambda frame: frame.assign(x0=np.float32(1)),
    "a constant target": lambda frame: frame.assign(t=frame["t"].iloc[0]),
}
_REASONS = {"schema_mismatch", "method_not_applicable", "validation_failed"}


@cache
def _fitted(name: str) -> tuple[bytes, pd.DataFrame, bool]:
    estimator = ENSEMBLES[name]()
    classifies = is_classifier(estimator)
    onnx = to_onnx(estimator, _X[:1, : estimator.n_features_in_], options={"zipmap": False} if classifies else None)
    frame = pd.DataFrame(_X[:, : estimator.n_features_in_], columns=["x0", "x1"][: estimator.n_features_in_])
    known = {1: np.zeros(40, int), 2: _TWO, 3: _THREE}
    target = known[len(estimator.classes_)].astype(str) if classifies else _VALUES
    return onnx.SerializeToString(), frame.assign(t=target), classifies


def _jobs(workshop: Workshop, inputs: dict[str, str]) -> dict[str, Callable[[], Any]]:
    """Return every kind of job, by every method, each to be done on the spot."""
    make = partial(workshop.make, **inputs)
    find_rules, audit = partial(workshop.find_rules, **inputs), partial(workshop.audit, **inputs)
    grow_tree = partial(workshop.grow_tree, **inputs, max_depth=1, max_pseudo_samples=1000)
    methods = ("sm_u", "sm_a", "sm_wa", "sg", "k_medoids")
    rules = ("rule_list", "fab", "em", "in_trees", "node_harvest", "decision_tree")
    return {
        **{f"prototypes by {method}": partial(make, method=method, n_prototypes=1) for method in methods},
        "prototypes by a_pete": partial(make, method="a_pete"),
        "prototypes of targets": partial(make, labels="target", n_prototypes=1),
        "prototypes that cover": partial(make, coverage=0.9),
        "prototypes of larger leaves": partial(make, min_leaf_rows="auto", n_prototypes=1),
        "proximities": partial(workshop.find_neighbors, **inputs, n_neighbors=1),
        **{f"audit by {method}": partial(audit, method=method) for method in ("all_rows", "neighbors")},
        **{f"rules by {method}": partial(find_rules, method=method) for method in rules},
        **{f"tree by {method}": partial(grow_tree, method=method) for method in ("sta", "ism", "born_again", "cart")},
        "map": partial(_map, workshop, inputs),
        "report": partial(_report, workshop, inputs),
    }


def _map(workshop: Workshop, inputs: dict[str, str]) -> Any:  # a map
    return workshop._made(
        MAPS, maps.request_map(workshop.context, MapRequest.model_validate({**inputs, "n_neighbors": 3}))
    )


def _report(workshop: Workshop, inputs: dict[str, str]) -> Any:  # what is not ready, or a report
    prototypes = workshop.make(**inputs, n_prototypes=1)
    if prototypes.status != "ready":
        return prototypes
    explainer = workshop.register_explainer(model=inputs["model"], prototype_set=prototypes.id)
    explained = workshop.explain(explainer=explainer, dataset=inputs["dataset"])
    if explained.status != "ready":
        return explained
    request = ReportRequest.model_validate({"explainer": explainer, "title": "All of it"})
    return workshop._made(REPORTS, reports.request_report(workshop.context, request))


def _exports(workshop: Workshop, job: str, made: Any) -> None:  # an artefact that is ready
    """Write what was made in every form that there is."""
    context = workshop.context
    if job.startswith("tree"):
        for tree_form in ("json", "text", "graphviz", "svg", "sql", "python", "onnx"):
            assert approximation_trees.export_tree(context, made.id, tree_form)
        assert "<svg" in export_html(context, APPROXIMATION_TREES, made.id)
    elif job.startswith("rules"):
        for rule_form in ("json", "markdown", "sql", "python"):
            assert rule_sets.export_rules(context, made.id, rule_form)
        assert "<html" in export_html(context, RULE_SETS, made.id)
    elif job.startswith("prototypes"):
        document = classifier_file(context, made.id, "json").read_bytes()
        for form in ("sql", "python"):
            assert export_classifier(document, form)
        assert classifier_file(context, made.id, "onnx").stat().st_size
        assert "<html" in export_html(context, PROTOTYPE_SETS, made.id)


@pytest.mark.sampled("values")
@pytest.mark.parametrize("table", mostly_long(TABLES, "its rows", "one row", "a constant target"))
@pytest.mark.parametrize("name", mostly_long(ENSEMBLES, *_FEW))
def test_every_job_is_done_or_refused_for_a_reason(workshop: Workshop, name: str, table: str) -> None:
    onnx, frame, classifies = _fitted(name)
    kind = "boosting" if "boosting" in name else "random_forest"
    inputs = {
        "model": workshop.register_model(onnx, ensemble=kind),
        "dataset": workshop.register_dataset(TABLES[table](frame), target="t"),
    }
    outcomes: dict[str, str] = {}
    for job, do in _jobs(workshop, inputs).items():
        try:
            done = do()
        except StorageError as error:
            outcomes[job] = f"{error.code}: {error.detail}"
            continue
        outcomes[job] = "" if done.status == "ready" else f"{done.problem.code}: {done.problem.detail}"
        if done.status == "ready":
            _exports(workshop, job, done)

    refused = {job: outcome for job, outcome in outcomes.items() if outcome}
    assert {outcome.split(":")[0] for outcome in refused.values()} <= _REASONS, refused
    if table == "its rows" and "one tree" in name:
        for_classes = {job for job in outcomes if "audit" in job or job.endswith(" sg")}
        assert set(refused) == (set() if classifies else for_classes)


@pytest.mark.parametrize(
    ("ensemble", "advice"),
    [
        ("classifier of one class", "take a model of at least two classes"),
        ("classifier without a split", "or take labels=target if the targets differ"),
    ],
)
def test_prototypes_of_one_class_are_refused_with_advice_that_can_be_followed(
    workshop: Workshop, ensemble: str, advice: str
) -> None:
    onnx, frame, _ = _fitted(ensemble)
    inputs = {
        "model": workshop.register_model(onnx, ensemble="random_forest", feature_names=["x0", "x1"]),
        "dataset": workshop.register_dataset(frame, target="t"),
    }

    made = workshop.make(**inputs, n_prototypes=1)

    assert made.problem is not None
    assert made.problem.code == "schema_mismatch"
    assert made.problem.detail.endswith(advice)
    assert ("send rows" in made.problem.detail) == (ensemble != "classifier of one class")
