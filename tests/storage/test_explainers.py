"""Rows of explainers."""

import pytest

from schemas.explainers import ExplainerRequest
from storage.errors import Conflict, InUse, NotFound
from storage.explainers import NewExplainer
from tests.support.stored import Shelf


@pytest.fixture
def request_of_one(shelf: Shelf) -> ExplainerRequest:
    shelf.make(shelf.create()[0])
    return ExplainerRequest(model="mdl_1", prototype_set="prs_1", name="of one", shown_features=["f3", "f1"])


def test_an_explainer_is_read_as_it_was_registered(shelf: Shelf, request_of_one: ExplainerRequest) -> None:
    added, is_new = shelf.explainers.add(NewExplainer("xpl_1", request_of_one))

    assert is_new
    assert shelf.explainers.get("xpl_1") == added
    assert (added.name, added.model, added.prototype_set) == ("of one", "mdl_1", "prs_1")
    assert added.shown_features == ["f3", "f1"]


def test_registering_it_again_keeps_the_first(shelf: Shelf, request_of_one: ExplainerRequest) -> None:
    first, _ = shelf.explainers.add(NewExplainer("xpl_1", request_of_one))

    assert shelf.explainers.add(NewExplainer("xpl_1", request_of_one)) == (first, False)
    assert [listed.id for listed in shelf.explainers.list(10, None).data] == [first.id]


def test_a_deleted_explainer_is_gone(shelf: Shelf, request_of_one: ExplainerRequest) -> None:
    shelf.explainers.add(NewExplainer("xpl_1", request_of_one))
    shelf.explainers.delete("xpl_1")

    for look in (shelf.explainers.get, shelf.explainers.delete):
        with pytest.raises(NotFound, match="no explainer has the id 'xpl_1'"):
            look("xpl_1")


def test_prototypes_that_were_deleted_meanwhile_are_a_conflict(shelf: Shelf) -> None:
    with pytest.raises(Conflict):
        shelf.explain("xpl_1", prototype_set="prs_gone")

    assert shelf.explainers.list(10, None).data == []


@pytest.mark.parametrize(("part", "noun"), [("rule_set", "rule_sets"), ("approximation_tree", "approximation_trees")])
def test_rules_and_trees_that_an_explainer_uses_stay_as_long_as_it_does(
    shelf: Shelf, request_of_one: ExplainerRequest, part: str, noun: str
) -> None:
    shelf.make(shelf.create("told_1", noun=noun)[0])
    added, _ = shelf.explainers.add(NewExplainer("xpl_1", request_of_one.model_copy(update={part: "told_1"})))

    assert getattr(added, part) == getattr(shelf.explainers.get("xpl_1"), part) == "told_1"
    with pytest.raises(InUse, match="'told_1' is used by explainer 'xpl_1'"):
        shelf.artefacts.delete(noun, "told_1")
    shelf.explainers.delete("xpl_1")
    shelf.artefacts.delete(noun, "told_1")
    with pytest.raises(NotFound):
        shelf.artefacts.get(noun, "told_1")
