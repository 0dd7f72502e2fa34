"""The table of models that were tried: its trial sees what is wrong, and what is not meant for people."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from leafspace_client import CannotConvert

from scripts.models_table import GROUPS
from scripts.models_table.cases import Case, Prediction
from scripts.models_table.trial import FittedCase, fitted, tried

_CASES = {case.name: case for group in GROUPS for case in group.cases}
_FOREST = _CASES["RandomForestClassifier, two classes"]


@pytest.fixture(scope="module")
def forest() -> FittedCase:
    return fitted(_FOREST)


def test_cases_are_many_and_each_has_a_name_of_its_own() -> None:
    names = Counter((group.title, case.name) for group in GROUPS for case in group.cases)

    assert len(names) > 300
    assert set(names.values()) == {1}


@pytest.mark.parametrize("with_rows", [True, False])
def test_a_forest_is_right_and_one_other_label_or_score_is_wrong(forest: FittedCase, *, with_rows: bool) -> None:
    truth = forest.truth
    assert truth is not None
    assert truth.labels is not None
    clear = int(np.argmax(np.abs(truth.scores[:, 0] - 0.5)))
    labels = [1 - label if row == clear else label for row, label in enumerate(truth.labels)]
    scores = truth.scores + 0.01 * (np.arange(len(truth.scores)) == clear)[:, None]

    assert tried(forest, with_rows=with_rows).verdict == "right"
    other_label = tried(replace(forest, truth=Prediction(truth.scores, labels)), with_rows=with_rows)
    assert (other_label.verdict, other_label.words[:27]) == ("wrong", "1 of 60 labels differ; row ")
    other_score = tried(replace(forest, truth=Prediction(scores, truth.labels)), with_rows=with_rows)
    assert (other_score.verdict, other_score.words[:25]) == ("wrong", "scores of 1 of 60 rows di")
    assert tried(replace(forest, truth=None), with_rows=with_rows).verdict == "wrong"


@pytest.mark.parametrize(
    ("detail", "verdict", "words"),
    [
        ("this model has no trees. Register another.", "refused", "this model has no trees"),
        ("it fails: KeyError: 0.48", "raw", "it fails: KeyError: 0.48"),
        ("/metadata/feature_names/2: String should match", "raw", "/metadata/feature_names/2: String should match"),
        ("Check failed at tree_model.cc:779", "raw", "Check failed at tree_model.cc:779"),
    ],
)
def test_messages_that_nobody_wrote_for_people_are_raw(
    forest: FittedCase, monkeypatch: pytest.MonkeyPatch, detail: str, verdict: str, words: str
) -> None:
    def refuse(*_: object) -> None:
        raise CannotConvert("cannot_convert", detail)

    monkeypatch.setattr("scripts.models_table.trial.convert_model", refuse)

    outcome = tried(forest, with_rows=True)

    assert (outcome.verdict, outcome.words) == (verdict, words)


def test_an_exception_of_any_other_kind_is_raw(forest: FittedCase, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError

    monkeypatch.setattr("scripts.models_table.trial.convert_model", fail)

    assert tried(forest, with_rows=True).verdict == "raw"


def test_a_refused_model_says_why() -> None:
    case = _CASES["RandomForestClassifier, two targets"]
    assert isinstance(case, Case)

    outcome = tried(fitted(case), with_rows=True)

    assert outcome.verdict == "refused"
    assert "several targets" in outcome.words
