"""Every public call of the SDK with odd models: it answers, or says what is wrong; nothing fails unexplained."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from leafspace_client import Leafspace

from scripts.models_table import GROUPS
from scripts.models_table.trial import fitted
from tests.support.sampling import mostly_long
from tests.support.sdk_walk import Walk, walk_model, walk_tables
from tests.support.wrong_arguments import WRONG_VALUES

_ODD = (
    "scikit-learn: trees and forests: DecisionTreeRegressor, constant target",
    "scikit-learn: trees and forests: RandomForestClassifier, no split",
    "scikit-learn: trees and forests: RandomForestClassifier, one class",
    "scikit-learn: trees and forests: RandomForestClassifier, one feature",
    "scikit-learn: trees and forests: RandomForestClassifier, one tree",
    "scikit-learn: trees and forests: RandomForestClassifier, 300 classes",
    "scikit-learn: trees and forests: RandomForestClassifier, 600 features",
    "scikit-learn: trees and forests: RandomForestClassifier, missing values",
    "scikit-learn: trees and forests: RandomForestRegressor, constant target",
    "scikit-learn: trees and forests: RandomForestRegressor",
    "scikit-learn: trees and forests: DecisionTreeClassifier, one class",
    "scikit-learn: boosting: GradientBoostingClassifier, ties",
    "scikit-learn: boosting: GradientBoostingClassifier, no split",
    "scikit-learn: boosting: GradientBoostingRegressor, constant target",
    "scikit-learn: boosting: HistGradientBoostingClassifier, no split",
    "scikit-learn: boosting: HistGradientBoostingClassifier, categories",
    "scikit-learn: boosting: AdaBoostClassifier, three classes",
    "Labels: labels of bool",
    "Labels: labels in Unicode",
    "Labels: labels with markup",
    "Labels: labels of an empty text",
    "Labels: labels of 300 letters",
    "Labels: labels of large whole numbers",
    "XGBoost: XGBClassifier, no split, three classes",
    "XGBoost: XGBClassifier, n_estimators=0",
    "XGBoost: XGBRegressor, survival:cox",
    "LightGBM: LGBMClassifier, no split, three classes",
    "LightGBM: LGBMRegressor, regression, no split",
    "LightGBM: LGBMClassifier, infinite cells",
    "LightGBM: LGBMClassifier, categories",
    "CatBoost: CatBoostClassifier, set_probability_threshold",
    "CatBoost: CatBoostClassifier, categories by statistics",
    "Models without trees: LogisticRegression, oracle_only",
    "Cut-offs: FixedThresholdClassifier of a forest",
    "Wrappers: VotingClassifier, hard",
    "Wrappers: VotingClassifier of a forest and a logistic regression",
    "Columns by name, place and type: a titanic pipeline, random forest",
    "Frames and arrays: nullable boolean, random forest",
    "Frames and arrays: infinite cells, HistGradientBoosting",
    "Frames and arrays: one row, random forest",
    "Names of columns: called as fields of the API, random forest",
    "Names of columns: with quotes and brackets, random forest",
    "Names of columns: differing in case, random forest",
    "Names of columns: whole numbers, random forest",
    "ONNX graphs by hand: tree operators: TreeEnsembleRegressor, one leaf",
    "ONNX graphs by hand: tree operators: TreeEnsembleClassifier, one class",
    "ONNX graphs by hand: tree operators: TreeEnsembleClassifier, negative weights",
)
_CASES = {f"{group.title}: {case.name}": case for group in GROUPS for case in group.cases}
_REFUSED = {
    "CatBoost: CatBoostClassifier, categories by statistics",  # ONNX cannot say them
    "Labels: labels of 300 letters",  # a label has 1 to 255 characters
    "Labels: labels of an empty text",
}
_EACH_ONCE = (_ODD[0], _ODD[2], "Models without trees: LogisticRegression, oracle_only")


@pytest.mark.parametrize("name", mostly_long(_EACH_ONCE, _EACH_ONCE[0]))
def test_every_call_answers_or_says_what_is_wrong(name: str, client: Leafspace, tmp_path: Path) -> None:
    walk = Walk(client, tmp_path, with_choices=False)

    walk_model(walk, fitted(_CASES[name]))

    assert walk.failures == []
    assert {"model", "dataset", "approximation_tree"} <= set(walk.arguments)


@pytest.mark.long
@pytest.mark.parametrize("name", _ODD)
def test_every_call_with_every_choice_answers_or_says_what_is_wrong(
    name: str, client: Leafspace, tmp_path: Path
) -> None:
    walk = Walk(client, tmp_path)

    walk_model(walk, fitted(_CASES[name]))

    assert walk.failures == []
    assert {"model", "dataset"} - set(walk.arguments) == ({"model"} if name in _REFUSED else set())


@pytest.mark.long
def test_no_call_fails_in_another_way_whatever_its_arguments_are(
    client: Leafspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # a text is the name of a file, which is written
    walk = Walk(client, tmp_path, with_choices=False, wrong_values=WRONG_VALUES)

    walk_model(walk, fitted(_CASES["scikit-learn: trees and forests: RandomForestClassifier, one tree"]))

    assert walk.failures == []
    assert walk.n_calls > 2_000


_TARGETS: dict[str, Any] = {
    "as they are": ["good", "bad"] * 20,
    "one class": "good",
    "values": [0.5, 2.0] * 20,
    "one value": 1.5,
    "no target": None,
}


@pytest.mark.parametrize("name", mostly_long(_TARGETS, "as they are"))
def test_every_call_about_several_tables_answers_or_says_what_is_wrong(
    name: str, client: Leafspace, tmp_path: Path
) -> None:
    walk = Walk(client, tmp_path)
    numbers = range(40)
    customers = pd.DataFrame({"id": numbers, "age": [number % 23 for number in numbers], "grade": _TARGETS[name]})
    orders = pd.DataFrame({"customer_id": [*numbers, *numbers], "amount": [row % 7 / 2 for row in range(80)]})
    keys = {"keys": {"customer": "id"}, "references": {"order.customer_id": "customer"}}
    declared = {"examples": "customer", "target": "grade", **keys}
    instances = [{"customer": {"id": 1, "age": 3}, "order": [{"customer_id": 1, "amount": 0.5}]}]

    walk_tables(walk, {"customer": customers, "order": orders}, declared, instances)

    assert walk.failures == []
    assert {"relational_dataset", "feature_set"} <= set(walk.arguments)
