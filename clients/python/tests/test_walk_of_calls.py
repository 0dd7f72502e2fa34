"""Every public call of the SDK with odd models: it answers, or says what is wrong; nothing fails unexplained."""

from pathlib import Path

import pytest
from leafspace_client import Leafspace

from scripts.models_table import GROUPS
from scripts.models_table.trial import fitted
from tests.support.sampling import mostly_long
from tests.support.sdk_walk import walk

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


@pytest.mark.parametrize("name", mostly_long(_ODD, _ODD[0]))
def test_every_call_answers_or_says_what_is_wrong(name: str, client: Leafspace, tmp_path: Path) -> None:
    failures, n_calls = walk(client, fitted(_CASES[name]), tmp_path)

    assert failures == []
    assert n_calls > 1
