"""Rows of models: kept once, not deleted while in use, and only objects that nobody else needs are let go."""

import pytest

from storage.errors import InUse, NotFound
from tests.support.models import fitted
from tests.support.stored import Shelf, new_model, some_hash


def test_a_model_is_read_as_it_was_described(shelf: Shelf) -> None:
    description = fitted("decision_tree_binary").read.description

    model = shelf.models.get("mdl_1").view

    assert (model.n_trees, model.n_features, model.task) == (1, 30, "classification")
    assert tuple(model.feature_names) == description.feature_names
    assert model.feature_types == ["number"] * 30
    assert [column.feature for column in model.column_map] == [column.feature for column in description.columns]
    assert not any(column.transformed for column in model.column_map)


def test_codes_that_are_missing_to_the_trees_can_be_read_back(shelf: Shelf) -> None:
    description = fitted("decision_tree_binary").read.description.to_json()
    ordinal = {"kind": "ordinal", "categories": ["a", None], "codes": [0.0, None], "default_code": None}
    description["columns"] = [{**description["columns"][0], **ordinal}]

    model, _ = shelf.models.add(new_model("mdl_2", description=description))

    assert model.column_map[0].codes == [0.0, None]


def test_adding_a_model_again_keeps_the_first(shelf: Shelf) -> None:
    first = shelf.models.get("mdl_1").view

    again, is_new = shelf.models.add(new_model("mdl_1", name="another name"))

    assert (again, is_new) == (first, False)


def test_an_unknown_model_is_not_found(shelf: Shelf) -> None:
    assert shelf.models.find("mdl_2") is None
    for look in (shelf.models.get, shelf.models.delete):
        with pytest.raises(NotFound, match="no model has the id 'mdl_2'"):
            look("mdl_2")


def test_the_id_of_another_kind_of_thing_is_named_as_such(shelf: Shelf) -> None:
    with pytest.raises(NotFound, match="no model has the id 'ds_2'; such ids are of datasets; list the mo"):
        shelf.models.get("ds_2")


def test_a_deleted_model_lets_its_objects_go(shelf: Shelf) -> None:
    new = new_model("mdl_2")
    shelf.models.add(new)

    assert set(shelf.models.delete("mdl_2")) == {new.sha256, new.leaf_graph, new.ensemble}
    assert shelf.models.find("mdl_2") is None


def test_objects_that_another_model_refers_to_in_any_column_are_kept(shelf: Shelf) -> None:
    upload, graph = some_hash(), some_hash()
    shelf.models.add(new_model("mdl_2", sha256=upload, leaf_graph=graph, ensemble="e" * 64))
    shelf.models.add(new_model("mdl_3", sha256=upload, leaf_graph=some_hash(), ensemble=graph))

    assert shelf.models.delete("mdl_2") == ("e" * 64,)
    assert set(shelf.models.delete("mdl_3")) >= {upload, graph}


def test_a_model_in_use_is_not_deleted_and_its_user_is_named(shelf: Shelf) -> None:
    artefact, _ = shelf.create()
    with pytest.raises(InUse, match="artefact 'prs_1'"):
        shelf.models.delete("mdl_1")

    shelf.make(artefact)
    shelf.explain("xpl_1")
    with pytest.raises(InUse, match="explainer 'xpl_1'"):
        shelf.models.delete("mdl_1")

    shelf.explainers.delete("xpl_1")
    shelf.artefacts.delete("prototype_sets", "prs_1")
    shelf.models.delete("mdl_1")
