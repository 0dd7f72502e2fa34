"""Exports of a model that decides predict the outcomes that the service says of the same rows."""

import json
from typing import Any

import onnxruntime
import pytest
from numpy.typing import NDArray

from schemas.dictionaries import DictionaryRequest
from schemas.explanations import ExplanationRequest
from service.operations.approximation_trees import export_tree
from service.operations.dictionaries import put_dictionary
from service.operations.explained_calls import explain_rows
from service.operations.explanations import warm_explainer
from service.operations.preconditions import Precondition
from service.operations.prototype_sets import classifier_file, export_classifier
from service.operations.rule_sets import export_rules
from tests.service.conftest import Shop
from tests.support.printed_rules import run_python, run_sql

_N_ROWS = 80
_BANDS = [{"outcome": "approve", "below": 0.25}, {"outcome": "refer", "below": 0.6}, {"outcome": "decline"}]


class _Deciding:
    """A model with bands, what was made of it, and what the service says of some rows."""

    def __init__(self, shop: Shop) -> None:
        self.context, workshop = shop.workshop.context, shop.workshop
        names = list(shop.fitted.rows.names)
        decision = {"score_of": "1", "bands": _BANDS}
        model = workshop.register_model(
            shop.fitted.onnx, feature_names=names, ensemble="random_forest", decision=decision
        )
        about: dict[str, Any] = {"model": model, "dataset": shop.dataset}
        self.prototypes = workshop.make(**about, n_prototypes=8).id
        self.rules = workshop.find_rules(**about, n_restarts=1, max_rules=4).id
        self.tree = workshop.grow_tree(**about, method="cart", max_depth=4, max_pseudo_samples=2000).id
        explainer = workshop.register_explainer(
            model=model, prototype_set=self.prototypes, rule_set=self.rules, approximation_tree=self.tree
        )
        self.rows = [shop.instance(row) for row in range(_N_ROWS)]
        request = ExplanationRequest(instances=self.rows, include=["rules", "approximation_path"])
        self.explained = json.loads(explain_rows(warm_explainer(self.context, explainer), request))["data"]
        self.default = json.loads(self._rules("json"))["default_prediction"]

    def _rules(self, form: Any) -> str:
        return export_rules(self.context, self.rules, form)

    def exported(self, noun: str, form: Any) -> str:
        """Return the source of an export in Python or SQL."""
        if noun == "rules":
            return self._rules(form)
        if noun == "tree":
            return export_tree(self.context, self.tree, form).decode()
        document = classifier_file(self.context, self.prototypes, form).read_bytes()
        return export_classifier(document, form).decode()

    def outcome(self, noun: str, explanation: dict[str, Any]) -> str | None:
        """Return the outcome that an explanation says for the rules, the tree or the nearest prototype."""
        if noun == "rules":
            predictions = [rule["prediction"] for rule in explanation["rules"]] or [self.default]
            first: str = predictions[0]
            return first
        if noun == "tree":
            leaf: str = explanation["approximation_path"]["leaf"]["prediction"]
            return leaf
        near = explanation["nearest_prototypes"]
        return near[0]["label"] if near else None


@pytest.fixture(scope="module")
def deciding(shop: Shop) -> _Deciding:
    return _Deciding(shop)


@pytest.mark.parametrize("noun", ["rules", "tree", "prototypes"])
def test_exports_predict_outcomes_as_explanations_do(deciding: _Deciding, noun: str) -> None:
    expected = [deciding.outcome(noun, each) for each in deciding.explained]

    assert set(expected) <= {"approve", "refer", "decline", None}
    assert len(set(expected)) >= 2
    assert run_python(deciding.exported(noun, "python"), deciding.rows) == expected
    assert run_sql(deciding.exported(noun, "sql"), deciding.rows, frozenset()) == expected


def test_onnx_predicts_the_outcome_of_the_nearest_prototype(deciding: _Deciding, shop: Shop) -> None:
    session = onnxruntime.InferenceSession(
        classifier_file(deciding.context, deciding.prototypes, "onnx"), providers=["CPUExecutionProvider"]
    )
    matrix: NDArray[Any] = shop.fitted.features[:_N_ROWS].astype("float32")

    labels = session.run(None, {session.get_inputs()[0].name: matrix})[0]

    assert labels.tolist() == [deciding.outcome("prototypes", each) for each in deciding.explained]


def test_files_for_people_call_outcomes_as_the_dictionary_does_and_code_as_the_model_does(
    shop: Shop, deciding: _Deciding
) -> None:
    said = {"approve": "granted", "refer": "looked at", "decline": "refused"}
    outcomes = [{"name": name, "label": label, "adverse": name == "decline"} for name, label in said.items()]
    put_dictionary(deciding.context, shop.dataset, DictionaryRequest(outcomes=outcomes), Precondition())
    try:
        printed = {form: deciding.exported("tree", form) for form in ("text", "graphviz", "svg")}
        printed["markdown"] = deciding.exported("rules", "markdown")
        code = [deciding.exported(noun, form) for noun in ("rules", "tree") for form in ("python", "sql", "json")]
    finally:
        put_dictionary(deciding.context, shop.dataset, DictionaryRequest(), Precondition())

    assert [form for form, text in printed.items() if any(name in text for name in said)] == []
    assert [form for form, text in printed.items() if not any(label in text for label in said.values())] == []
    assert "Adverse to the person concerned: refused" in printed["text"]
    assert [text for text in code if any(label in text for label in said.values())] == []
