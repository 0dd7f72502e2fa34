"""The form of a dictionary keeps every word that there is, and shows what can be changed."""

import json
import re
from html import unescape

import pandas as pd

from schemas.dictionaries import DictionaryRequest
from service.drawings.documents import VIEWS
from service.drawings.explanations import Beside
from service.operations.dictionaries import get_dictionary, put_dictionary
from service.operations.preconditions import Precondition
from tests.support.api import frame_of

from ..conftest import Shop


def test_the_words_of_the_form_are_those_that_there_are(shop: Shop) -> None:
    frame = pd.DataFrame({"age": [1.0, 2.0], "state": ["A<1>", "A2"], "paid": [True, False], "t": ["no", "yes"]})
    dataset = shop.workshop.register_dataset(frame, target="t")
    words = {
        "features": [
            {"name": "age", "unit": "years", "values": [{"value": "2", "label": "two"}], "only_up": True},
            {"name": "state", "hidden": True, "group": "all of it", "values": [{"value": "A2", "label": "B"}]},
        ],
        "outcomes": [{"name": "no", "label": "refused", "adverse": True}],
    }
    request = DictionaryRequest.model_validate(words)
    context = shop.workshop.context
    assert "data-revision" not in VIEWS["dictionary"](context, dataset, {})
    put_dictionary(context, dataset, request, Precondition())
    drawing = VIEWS["dictionary"](context, dataset, {})
    target = next(column for column in context.datasets.get(dataset).view.columns if column.role == "target")
    assert target.adverse == ["no"]  # which decides the colours of classes

    (text,) = re.findall(r'data-words="([^"]*)"', drawing)
    assert DictionaryRequest.model_validate(json.loads(unescape(text))) == request
    assert f'data-revision="{get_dictionary(context, dataset).revision}"' in drawing
    values = re.findall(r'data-value="([^"]*)" value="([^"]*)"', drawing)
    assert [(unescape(value), label) for value, label in values] == [
        ("2", "two"),
        ("A2", "B"),
        ("A<1>", ""),
        ("true", ""),
        ("false", ""),
    ]
    checked = re.findall(r'data-word="(\w+)" checked', drawing)
    assert checked == ["only_up", "hidden", "adverse"]
    assert re.findall(r'data-entry="([^"]*)"', drawing) == ["age", "state", "paid", "no", "yes"]

    held_out = shop.workshop.register_dataset(frame, target="t", held_out=True)
    offered = VIEWS["dictionary"](context, held_out, {})
    assert f'href="#/dictionary/{held_out}?like={dataset}">Begin with the words of' in offered
    (text,) = re.findall(r'data-words="([^"]*)"', offered)
    assert json.loads(unescape(text)) == {}
    begun = VIEWS["dictionary"](context, held_out, {"like": dataset})
    (text,) = re.findall(r'data-words="([^"]*)"', begun)
    assert DictionaryRequest.model_validate(json.loads(unescape(text))) == request
    assert "and not saved yet" in begun
    assert "data-revision" not in begun
    assert "Begin with the words" not in drawing


def test_many_features_have_their_fields_page_by_page(shop: Shop) -> None:
    frame = pd.DataFrame({f"x{number}": [0.0, 1.0] for number in range(130)})
    dataset = shop.workshop.register_dataset(frame)
    shown = [
        re.findall(r'data-entry="([^"]*)"', VIEWS["dictionary"](shop.workshop.context, dataset, {"from": start}))
        for start in ("0", "60", "120")
    ]
    assert [name for names in shown for name in names] == list(frame.columns)


def test_fixed_and_protected_features_are_never_offered_as_a_change(shop: Shop) -> None:
    first, second, third = shop.fitted.rows.names[:3]
    features = [{"name": first, "fixed": True}, {"name": second, "protected": True}, {"name": third, "label": "third"}]
    context = shop.workshop.context
    put_dictionary(context, shop.dataset, DictionaryRequest.model_validate({"features": features}), Precondition())
    try:
        assert Beside.of(context, shop.explainer).fixed == {first, second}
    finally:
        put_dictionary(context, shop.dataset, DictionaryRequest(), Precondition())


def test_outcomes_of_decisions_have_words_like_classes(shop: Shop) -> None:
    frame = frame_of(shop.fitted).rename(columns="decided {}".format)
    names = [column for column in frame if column != "decided t"]
    known = shop.workshop.context.models.get(shop.model).view
    decision = {"score_of": known.classes[0], "bands": [{"outcome": "pass", "below": 0.5}, {"outcome": "look"}]}
    dataset = shop.workshop.register_dataset(frame, target="decided t")
    for more in ({}, {"decision": decision}):
        shop.workshop.register_model(shop.fitted.onnx, feature_names=names, ensemble="random_forest", **more)
    assert known.classes == ["0", "1"]  # of a target of numbers, which has no list of its values
    for of, outcomes in ((dataset, ["0", "1", "pass", "look"]), (shop.dataset, ["0", "1"])):
        drawing = VIEWS["dictionary"](shop.workshop.context, of, {})
        assert re.findall(r'data-part="outcomes" data-entry="([^"]*)"', drawing) == outcomes
