"""One field finds things, rows and features; what is hidden is not found."""

import re

import pandas as pd
import pytest

from schemas.dictionaries import DictionaryRequest
from service.drawings import found
from service.drawings.documents import VIEWS
from service.operations.dictionaries import put_dictionary
from service.operations.preconditions import Precondition
from storage.errors import NotFound
from tests.support.api import frame_of

from ..conftest import Shop


def _rows(drawing: str) -> list[str]:
    return re.findall(r'<a href="(#/explainers/[^"]*/rows/[^"]*)"', drawing)


def test_a_row_is_found_by_its_number_in_the_data_of_explainers(shop: Shop) -> None:
    last = str(len(frame_of(shop.fitted)) - 1)
    assert f"#/explainers/{shop.explainer}/rows/{last}" in _rows(found.search(shop.workshop.context, f" {last} "))
    for text in (str(len(frame_of(shop.fitted))), "01", "-1", "no such row"):
        assert _rows(found.search(shop.workshop.context, text)) == []


def test_a_row_is_found_by_an_id_of_text(shop: Shop) -> None:
    frame = frame_of(shop.fitted)
    ids = [f"case {number}" for number in range(len(frame))]
    dataset = shop.workshop.register_dataset(frame.assign(case=ids), target="t", row_id="case")
    prototypes = shop.workshop.make(model=shop.model, dataset=dataset, n_prototypes=2)
    explainer = shop.workshop.register_explainer(model=shop.model, prototype_set=prototypes.id)
    assert f"#/explainers/{explainer}/rows/case%2017" in _rows(found.search(shop.workshop.context, "case 17"))


def test_a_row_of_other_data_is_found_where_an_explainer_takes_its_features(shop: Shop) -> None:
    frame = frame_of(shop.fitted).head(3)
    ids = ["held out 1", "held out 2", "held out 3"]
    of_model = shop.workshop.register_dataset(frame.assign(id=ids), target="t", row_id="id", held_out=True)
    shop.workshop.register_dataset(pd.DataFrame({"other": [1.0, 2.0, 3.0], "id": ids}), row_id="id")
    for text in ("held out 2", "row held out 2"):
        (href,) = _rows(found.search(shop.workshop.context, text))
        assert href.endswith(f"/rows/held%20out%202?dataset={of_model}")


def test_features_are_found_by_name_and_title_unless_they_are_hidden(shop: Shop) -> None:
    context, (first, second) = shop.workshop.context, shop.fitted.rows.names[:2]
    words = [{"name": first, "label": "Quite unlike <any>"}, {"name": second, "label": "quite hidden", "hidden": True}]
    dictionary = DictionaryRequest.model_validate({"features": words})
    put_dictionary(context, shop.dataset, dictionary, Precondition())
    try:
        drawing = found.search(context, "QUITE").replace("<wbr>", "")
        assert "Quite unlike &lt;any&gt;" in drawing
        assert "quite hidden" not in drawing
        (href,) = set(re.findall(r'href="#/(features/[^"]+)"', drawing))
        assert href.startswith(f"features/{shop.explainer}?name=")
        shown = VIEWS["features"](context, shop.explainer, {"name": first}).replace("<wbr>", "")
        assert "Quite unlike &lt;any&gt;" in shown
        assert "Place among the features" in shown or "none" in shown
        for name in (second, "no such feature"):
            with pytest.raises(NotFound):
                VIEWS["features"](context, shop.explainer, {"name": name})
    finally:
        put_dictionary(context, shop.dataset, DictionaryRequest(), Precondition())


def test_things_are_found_by_a_part_of_a_name_or_the_beginning_of_an_id(shop: Shop) -> None:
    dataset = shop.workshop.register_dataset(frame_of(shop.fitted).iloc[:9], target="t", name="Nine rows of TEST")
    for text in ("of test", dataset[:9]):
        assert f'href="#/datasets/{dataset}"' in found.search(shop.workshop.context, text)


def test_results_are_found_by_their_kind_and_their_model_or_the_beginning_of_an_id(shop: Shop) -> None:
    context, address = shop.workshop.context, f'href="#/prototypes/{shop.prototype_set}"'
    for text in ("prototypes", f"PROTO {shop.model[:9]}", shop.prototype_set[:9], f" {shop.prototype_set[:9]} "):
        assert address in found.search(context, text), text
    for text in ("rules", "prototypes of-another-model", shop.prototype_set[1:9], shop.model[:9]):
        assert address not in found.search(context, text), text
