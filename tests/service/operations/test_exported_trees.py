"""Exports of trees that people read say which outcomes are adverse, by the model's decision or by the dictionary."""

from schemas.dictionaries import DictionaryRequest
from service.operations.approximation_trees import export_tree
from service.operations.dictionaries import put_dictionary
from service.operations.preconditions import Precondition
from tests.support.api import frame_of

from ..conftest import Shop


def test_a_tree_names_the_outcomes_that_the_decision_and_the_dictionary_declare_adverse(shop: Shop) -> None:
    workshop = shop.workshop
    bands = [{"outcome": "approve", "below": 0.5}, {"outcome": "decline", "below": None}]
    score_of = workshop.context.models.get(shop.model).view.classes[1]
    for declared, spoken in (([], None), (["decline"], "decline")):
        model = workshop.register_model(
            shop.fitted.onnx,
            feature_names=list(shop.fitted.rows.names),
            decision={"score_of": score_of, "bands": bands, "adverse": declared},
        )
        tree = workshop.grow_tree(model=model, dataset=shop.dataset, max_depth=1, max_pseudo_samples=1000).id
        text = export_tree(workshop.context, tree, "text").decode()
        assert (f"Adverse to the person concerned: {spoken}\n" in text) == (spoken is not None)
        assert ("decline (adverse)" in export_tree(workshop.context, tree, "svg").decode()) == (spoken is not None)

    dataset = workshop.register_dataset(frame_of(shop.fitted).iloc[::-1], target="t")
    words = DictionaryRequest(outcomes=[{"name": "approve", "adverse": True}])
    put_dictionary(workshop.context, dataset, words, Precondition())
    tree = workshop.grow_tree(model=model, dataset=dataset, max_depth=1, max_pseudo_samples=1000).id
    assert "concerned: approve, decline\n" in export_tree(workshop.context, tree, "text").decode()
