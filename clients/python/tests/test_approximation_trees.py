"""Approximation trees through the SDK, against a real service."""

import asyncio
import json
from pathlib import Path

import numpy as np
import onnxruntime
import pandas as pd
import pytest
from leafspace_client import ApproximationTree, AsyncLeafspace, Conflict, Invalid, Leafspace
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier

from tests.support.serving import Service

_DATA = load_breast_cancer(as_frame=True)
_FEATURES: pd.DataFrame = _DATA.data.astype(np.float32)
_FRAME = _FEATURES.assign(target=_DATA.target_names[_DATA.target])
_FOREST = RandomForestClassifier(20, max_depth=8, random_state=0).fit(_FEATURES, _FRAME["target"])


@pytest.fixture
def model(client: Leafspace) -> str:
    return client.register_model(_FOREST, _FEATURES).id


@pytest.fixture
def dataset(client: Leafspace) -> str:
    return client.register_dataset(_FRAME, target="target").id


@pytest.fixture
def tree(client: Leafspace, model: str, dataset: str) -> ApproximationTree:
    created = client.approximation_trees.create(model, dataset, max_depth=3, max_pseudo_samples=1000)
    return created.wait()


def test_a_tree_approximates_a_forest(tree: ApproximationTree) -> None:
    lines = str(tree).splitlines()

    figures, constant = lines[len(tree.nodes) :], tree.evaluation.constant
    assert figures[0] == "Measured on 569 rows, the rows that it was made from:"
    assert figures[1].startswith(f"  tree: accuracy {tree.evaluation.accuracy:.3f}, balanced accuracy ")
    assert figures[2].startswith("  model: accuracy ")
    assert constant
    assert figures[3].startswith(f"  always 'benign': accuracy {constant.accuracy:.3f}, balanced accuracy 0.500, ")
    assert figures[4:] == [
        f"Caution: {'; '.join(filter(None, (each.detail, each.remedy)))}." for each in tree.result.cautions
    ]
    assert lines[0] == f"{tree.nodes[0].text}?"
    assert lines[1].startswith("  yes: ")
    assert tree.evaluation.fidelity is not None
    assert tree.evaluation.fidelity > 0.85
    assert f"splits of the tree {'is' if _n_significant(tree) == 1 else 'are'} significant within 1,000" in figures[-1]
    assert tree.to_frame()["settled"].tolist() == [None] * len(tree.nodes)
    assert tree.to_frame()["n_samples"].tolist() == [node.n_samples for node in tree.nodes]
    n_leaves = sum(node.left is None for node in tree.nodes)
    assert repr(tree).startswith(f"ApproximationTree {tree.id} (ready, {n_leaves} leaves, ")


def _n_significant(tree: ApproximationTree) -> int:
    return [node.at_cap for node in tree.nodes].count(False)


@pytest.mark.parametrize(
    "generator",
    [
        {"method": "ranks", "bandwidth": 0.2, "neighbor_probability": 0.3},
        {"method": "kernel", "bandwidth": 0.2, "neighbor_probability": 0.3},
        {"method": "residual_permutation", "neighbor_probability": 0.3},
        {"method": "bootstrap"},
        {"method": "dataset", "dataset": None},
    ],
)
@pytest.mark.sampled("thirds")
def test_a_generator_is_read_back_as_what_it_was_and_sent_again(
    client: Leafspace, model: str, dataset: str, generator: dict[str, object]
) -> None:
    sent = {**generator, "dataset": dataset} if "dataset" in generator else generator
    candidates = [{"feature": "mean area", "thresholds": [500.0]}, {"feature": "worst area"}]
    about = {"max_depth": 1, "max_pseudo_samples": 1000}

    made = client.approximation_trees.create(model, dataset, generator=sent, candidates=candidates, **about)
    request = made.details.request
    again = client.approximation_trees.create(
        model, dataset, generator=request.generator, candidates=request.candidates, **about
    )

    assert type(request.generator).__name__ == f"{str(sent['method']).title().replace('_', '')}Generator"
    assert request.generator.to_dict() == sent
    assert again.id == made.id


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"generator": {"method": "bootstrap", "bandwidth": 0.1}}, "method bootstrap` has no 'bandwidth', but method"),
        ({"generator": {"method": "ranks", "width": 1}}, "no 'width', but method, bandwidth, neighbor_probability"),
        ({"generator": {"bandwidth": 1}}, "give one of ranks, kernel"),
        ({"generator": {"method": "dataset"}}, "needs 'dataset'"),
        ({"candidates": [{"feature": "mean area", "cuts": [1]}]}, "`candidates` has no 'cuts', but feature, "),
    ],
)
@pytest.mark.sampled("thirds")
def test_a_field_that_a_part_of_the_request_does_not_have_is_named(
    client: Leafspace, model: str, dataset: str, changes: dict[str, object], named: str
) -> None:
    with pytest.raises(ValueError, match=named):
        client.approximation_trees.create(model, dataset, **changes)  # type: ignore[arg-type]  # that is what is tested


def test_explanations_exports_and_questionnaires_say_the_same(
    client: Leafspace, model: str, dataset: str, tree: ApproximationTree
) -> None:
    prototypes = client.prototype_sets.create(model, dataset, n_prototypes=3).wait()
    explainer = client.explainers.create(model, prototypes, approximation_tree=tree)

    explained = explainer.explain(_FEATURES, n_prototypes=1, include=["approximation_path"])

    paths = [each.approximation_path for each in explained]
    served = [path.leaf.prediction for path in paths if path is not None]
    names: dict[str, object] = {}
    exec(tree.export("python"), names)  # noqa: S102  # that is what it is for
    predict = names["predict"]
    assert callable(predict)
    assert [predict(row) for row in _FEATURES.to_dict("records")] == served
    session = onnxruntime.InferenceSession(tree.export("onnx"))
    feeds = {each.name: _FEATURES[[each.name]].to_numpy(np.float64) for each in session.get_inputs()}
    assert session.run(["label"], feeds)[0].tolist() == served
    assert [_requested(tree, row) for _, row in _FEATURES.head(10).iterrows()] == served[:10]
    first = next(path for path in paths if path is not None)
    question = f"{first.nodes[0].text}? {'yes' if first.nodes[0].holds else 'no'}"
    assert f"In the tree: {question}, " in " ".join(str(explained[0]).split())
    assert str(explained[0]).endswith(f": {first.leaf.prediction}, {'as' if first.agrees else 'unlike'} the model.")


def _requested(tree: ApproximationTree, row: "pd.Series[float]") -> float | str | None:
    """Answer questions with single values, as numpy has them, until there is a prediction."""
    answers: dict[str, object] = {}
    while (found := tree.next_question(answers)).question is not None:
        answers[found.question.column] = row[found.question.column]
    assert found.n_asked == len(answers) <= 3 < found.n_features
    return found.prediction


def test_results_are_written_to_files(tree: ApproximationTree, tmp_path: Path) -> None:
    whole = json.loads(tree.download(tmp_path / "tree.json").read_text())
    table = pd.read_csv(tree.download(tmp_path / "tree.csv", "csv"))

    assert [node["text"] for node in whole["nodes"]] == [node.text for node in tree.nodes]
    assert table["prediction"].tolist() == [node.prediction for node in tree.nodes]
    assert json.loads(tree.content()) == whole
    assert tree.export("svg").startswith("<svg")
    assert str(tree.nodes[0].text) in tree.export()


def test_what_is_wrong_with_an_answer_is_reported(tree: ApproximationTree) -> None:
    with pytest.raises(Invalid, match="has no feature 'colour'"):
        tree.next_question({"colour": "red"})
    with pytest.raises(Invalid, match=r"feature 'mean area' is 'Infinity', and model .* takes finite numbers alone"):
        tree.next_question({"mean area": np.inf})


def test_trees_that_are_not_ready_say_so(client: Leafspace, model: str, dataset: str) -> None:
    slow = client.approximation_trees.create(model, dataset, max_depth=8, n_repeats=200, significance=1e-6)
    cancelled = slow.cancel()

    with pytest.raises(Conflict, match=r"call wait\(\)"):
        _ = cancelled.nodes
    with pytest.raises(Conflict) as refused:
        cancelled.export("onnx")
    assert refused.value.code == "artefact_not_ready"
    assert str(cancelled) == repr(cancelled)


@pytest.mark.long
def test_trees_are_listed_and_deleted(client: Leafspace, model: str, dataset: str) -> None:
    made = client.approximation_trees.create(model, dataset, method="ism", max_leaves=3).wait()

    assert client.approximation_trees.get(made.id).nodes == made.nodes
    assert made.id in {each.id for each in client.approximation_trees.list()}
    client.approximation_trees.delete(made)
    assert made.id not in {each.id for each in client.approximation_trees.list()}


def test_coroutines_do_the_same(service: Service, model: str, dataset: str, tree: ApproximationTree) -> None:
    async def fetched() -> tuple[str, str | None]:
        async with AsyncLeafspace(service.url) as client:
            request = client.approximation_trees.create(model, dataset, max_depth=3, max_pseudo_samples=1000)
            found = await (await request).wait()
            question = (await found.next_question()).question
            return await found.export("sql"), question.text if question else None

    assert asyncio.run(fetched()) == (tree.export("sql"), tree.nodes[0].text)
