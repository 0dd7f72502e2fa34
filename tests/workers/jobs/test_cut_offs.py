"""A label that is not that of the highest score is the label in every job, wherever predictions are counted."""

import pytest

from schemas.explanations import EXPLANATION_SETS
from schemas.label_audits import LABEL_AUDITS
from schemas.maps import MAPS, MapRequest
from service.operations import maps
from tests.support.cut_offs import CutOffForest, cut_off_forest
from tests.support.workshop import Workshop, result_of

Made = tuple[CutOffForest, dict[str, str]]
_TREES = ("sta", "ism", "born_again", "cart")
_LIMITED = ("rule_list", "fab", "em")
_RULES = ("rule_list", "fab", "em", "in_trees", "node_harvest", "decision_tree")


@pytest.fixture(scope="module")
def made(workshop: Workshop) -> Made:
    """One tree, whose leaves say all that there is to be learned, and its rows."""
    forest = cut_off_forest(n_trees=1)
    model = workshop.register_model(forest.onnx, ensemble="random_forest")
    dataset = workshop.register_dataset(forest.frame(), target="t")
    assert sum(ours != theirs for ours, theirs in zip(forest.labels, forest.frame()["t"], strict=True)) > 20
    return forest, {"model": model, "dataset": dataset}


@pytest.mark.parametrize("method", ["sm_u", "sm_a", "sm_wa", "k_medoids", "sg"])
@pytest.mark.sampled("thirds")
def test_prototypes_and_criticisms_are_of_the_classes_of_the_graph(workshop: Workshop, made: Made, method: str) -> None:
    forest, inputs = made

    result = result_of(workshop.make(**inputs, method=method, n_prototypes=4))

    shown = [(row.row, row.label, row.predicted) for row in result.prototypes]
    shown += [(row.row, row.label, row.predicted) for row in result.criticisms]
    assert shown == [(row, forest.labels[row], forest.labels[row]) for row, _, _ in shown]
    assert result.baseline.model is not None
    assert result.baseline.model.fidelity == 1
    n_wrong = sum(ours != theirs for ours, theirs in zip(forest.labels, forest.frame()["t"], strict=True))
    assert result.baseline.model.accuracy == pytest.approx(1 - n_wrong / len(forest.labels))


@pytest.mark.parametrize("method", _TREES)
def test_trees_are_grown_towards_the_labels_of_the_graph(workshop: Workshop, made: Made, method: str) -> None:
    forest, inputs = made

    result = result_of(workshop.grow_tree(**inputs, method=method, max_depth=2, max_pseudo_samples=1000))

    assert result.evaluation.fidelity == 1
    assert result.evaluation.constant is not None
    assert result.evaluation.constant.model_prediction == max(set(forest.labels), key=forest.labels.count)
    assert {node.prediction for node in result.nodes if node.feature is None} == {"no", "yes"}


@pytest.mark.parametrize("method", _RULES)
@pytest.mark.sampled("thirds")
def test_rules_are_made_of_the_labels_of_the_graph(workshop: Workshop, made: Made, method: str) -> None:
    _, inputs = made

    limits = {"max_rules": 3} if method in _LIMITED else {}

    result = result_of(workshop.find_rules(**inputs, method=method, **limits))

    assert result.evaluation.as_printed.fidelity == 1
    assert result.evaluation.model is not None
    assert result.evaluation.model.fidelity == 1


def test_audits_maps_and_explanations_name_the_labels_of_the_graph(workshop: Workshop, made: Made) -> None:
    forest, inputs = made
    audit = workshop.audit(**inputs, method="all_rows")
    drawn = maps.request_map(workshop.context, MapRequest.model_validate(inputs))
    prototypes = workshop.make(**inputs, n_prototypes=3)
    explainer = workshop.register_explainer(model=inputs["model"], prototype_set=prototypes.id)
    explained = workshop.explain(explainer=explainer, dataset=inputs["dataset"])

    audited = workshop.table_of(LABEL_AUDITS, audit).to_pydict()
    mapped = workshop.table_of(MAPS, workshop._made(MAPS, drawn)).to_pydict()
    answers = workshop.table_of(EXPLANATION_SETS, explained).to_pydict()

    assert audited["predicted_label"] == [forest.labels[row] for row in audited["row"]]
    assert mapped["predicted_label"] == [forest.labels[row] for row in mapped["row"]]
    assert answers["label"] == forest.labels
    for label, text in zip(forest.labels, answers["summary"], strict=True):
        assert text.startswith((f"Predicted as {label}.", f"Predicted {label}, was ", f"The decision is {label}: "))
    assert not any(answers["warnings"])
