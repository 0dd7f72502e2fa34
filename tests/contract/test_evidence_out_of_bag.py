"""Evidence of a forest whose bags are known, over HTTP: trees that learned from a row say nothing about it."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
from leafspace_client.conversion import convert_model
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier

from tests.support.api import Api, Json
from tests.support.naive_evidence import rows_most_like

_N_ROWS, _N_NEW = 260, 6


class _Known(NamedTuple):
    """A registered forest, what its trees drew, and an explainer by its training rows."""

    forest: RandomForestClassifier
    frame: pd.DataFrame  # training rows with their target
    new: NDArray[Any]
    model: Json
    metadata: Json
    explainer: str
    dataset: str

    @property
    def is_in_bag(self) -> NDArray[np.bool_]:
        """Whether a tree learned from a row, (n_trees, n_rows)."""
        return np.stack([np.isin(np.arange(_N_ROWS), drawn) for drawn in self.forest.estimators_samples_])


@pytest.fixture(scope="module", params=[1, 8], ids=["grown out", "large leaves"])
def known(api: Api, request: pytest.FixtureRequest) -> _Known:
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(_N_ROWS + _N_NEW, 3))
    target = (rows[:, 0] + rng.normal(size=len(rows)) > 0).astype(int)
    frame = pd.DataFrame(rows[:_N_ROWS], columns=["a", "b", "c"]).assign(t=target[:_N_ROWS])
    forest = RandomForestClassifier(25, min_samples_leaf=request.param, random_state=0)
    forest.fit(frame[["a", "b", "c"]].to_numpy(), frame["t"])
    converted = convert_model(forest, frame[["a", "b", "c"]])
    model = api.upload("/v1/models", converted.onnx, converted.metadata()).json()
    dataset, explainer = _explainer(api, model, frame)
    return _Known(forest, frame, rows[_N_ROWS:], model, converted.metadata(), explainer, dataset)


def _explainer(api: Api, model: Json, frame: pd.DataFrame) -> tuple[str, str]:
    dataset = api.upload("/v1/datasets", frame.to_csv(index=False).encode(), {"target": "t"}).json()["id"]
    prototypes = api.make(model=model["id"], dataset=dataset, n_prototypes=4, min_leaf_rows=1)
    request = {"model": model["id"], "prototype_set": prototypes["id"]}
    return dataset, api.post("/v1/explainers", request).json()["id"]


def _expected(known: _Known, row: NDArray[Any], label: int, itself: int | None = None) -> tuple[set[int], float]:
    """Return the rows most like a row, and its score, one by one."""
    forest, training = known.forest, known.frame[["a", "b", "c"]].to_numpy(np.float32)
    leaves, other_leaves = forest.apply(row[None])[0], forest.apply(training)
    of_trees = np.stack([tree.predict_proba(training)[:, label] for tree in forest.estimators_])
    is_out = ~known.is_in_bag
    scores = [of_trees[is_out[:, other], other].mean() for other in range(_N_ROWS)]
    score = float(forest.predict_proba(row[None])[0, label]) if itself is None else scores[itself]
    counts = is_out if itself is None else is_out & is_out[:, [itself]]
    n_shared = [int((leaves == other_leaves[other])[counts[:, other]].sum()) for other in range(_N_ROWS)]
    shares = [n / max(1, int(counts[:, other].sum())) for other, n in enumerate(n_shared)]
    scores = [-9.0 if other == itself else each for other, each in enumerate(scores)]
    return rows_most_like(shares, scores, score, 50, 0.05), score


def test_trees_that_learned_from_a_reference_row_do_not_say_how_like_it_a_row_is(api: Api, known: _Known) -> None:
    assert known.model["n_bagged_rows"] == _N_ROWS
    answers = api.explain(known.explainer, known.new.tolist(), include=["evidence"])["data"]
    for row, answer in zip(known.new, answers, strict=True):
        evidence = answer["evidence"]
        like, score = _expected(known, row.astype(np.float32), int(evidence["score_of"]))
        assert (evidence["out_of_bag"], "cautions" in evidence, "is_reference_row" in evidence) == (True, False, False)
        assert evidence["score"] == pytest.approx(score, abs=1e-6)
        _assert_counted(evidence, known, like)


def test_a_training_row_is_looked_at_by_trees_that_did_not_learn_from_it(api: Api, known: _Known) -> None:
    named = {"dataset": known.dataset, "row_ids": ["3", "70", "201"], "include": ["evidence"]}
    answers = api.post(f"/v1/explainers/{known.explainer}/explanations", named).json()["data"]
    for row, answer in zip((3, 70, 201), answers, strict=True):
        evidence = answer["evidence"]
        values = known.frame[["a", "b", "c"]].to_numpy(np.float32)[row]
        like, score = _expected(known, values, int(evidence["score_of"]), itself=row)
        assert (evidence["out_of_bag"], evidence["is_reference_row"]) == (True, True)
        assert evidence["score"] == pytest.approx(score, abs=1e-6)
        _assert_counted(evidence, known, like)
        assert "the trees that did not learn from it say" in answer["summary"] or not evidence["shares"]


def _assert_counted(evidence: Json, known: _Known, like: set[int]) -> None:
    assert evidence["n_rows"] == len(like)
    targets = known.frame["t"].to_numpy()[sorted(like)].tolist()
    shares = {share["label"]: share["share"] for share in evidence["shares"]}
    assert shares == {label: pytest.approx(targets.count(int(label)) / len(like), abs=1e-6) for label in shares}


def test_the_picture_says_that_evidence_is_out_of_bag(api: Api, known: _Known) -> None:
    body = {"instances": known.new[:1].tolist(), "include": ["evidence"]}
    page = api.post(f"/v1/explainers/{known.explainer}/explanations", body, Accept="text/html").text
    assert "Out of bag: each of these rows is scored and compared by the trees that did not learn from it." in page
    assert "not known whether the model was trained on these rows" not in page


def test_of_other_rows_than_the_forests_own_it_is_not_known(api: Api, known: _Known) -> None:
    _, explainer = _explainer(api, known.model, known.frame.iloc[::-1])
    (answer,) = api.explain(explainer, known.new[:1].tolist(), include=["evidence"])["data"]
    assert answer["evidence"]["out_of_bag"] is False
    assert "not known whether the model was trained on these rows" in answer["evidence"]["cautions"][0]["detail"]


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"seeds": [1, 2, 3]}, "there are 3 seeds, and the model has 25 trees; send one for each tree"),
        ({"n_drawn": _N_ROWS + 1}, "n_drawn is 261, more than the 260 rows that the forest was trained on"),
        ({"leaf_rows_sha256": "ff"}, "leaf_rows_sha256"),
        ({"seeds": [2**32] * 25}, "seeds"),
    ],
)
def test_bags_that_do_not_fit_are_refused(api: Api, known: _Known, changed: Json, words: str) -> None:
    metadata = {**known.metadata, "bags": {**known.metadata["bags"], **changed}}
    answer = api.upload("/v1/models", convert_model(known.forest).onnx, metadata)
    assert answer.status_code == 422
    assert words in answer.text
