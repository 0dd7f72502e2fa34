"""Forms offer what can be made: rows with the model's labels, and models of the same features and classes."""

import re

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

from schemas.dictionaries import DictionaryRequest
from service.drawings.documents import VIEWS
from service.drawings.represented import represented
from service.operations.dictionaries import put_dictionary
from service.operations.preconditions import Precondition
from tests.support.api import frame_of
from tests.support.models import fitted, onnx_of

from ..conftest import Shop


def _form(drawing: str, words: str) -> str:
    """Return the first form of this name on a view."""
    forms = (each[: each.index("</form>")] for each in drawing.split("<form")[1:])
    return next(form for form in forms if f">{words}<" in form)


def test_forms_offer_rows_of_whose_labels_the_model_knows_all(shop: Shop) -> None:
    workshop, frame = shop.workshop, frame_of(shop.fitted)
    known = workshop.register_dataset(frame.iloc[::2], target="t", name="known")
    labels = frame["t"].astype(str)
    texts = workshop.register_dataset(frame.iloc[::4].assign(t=labels.iloc[::4]), target="t", name="known as texts")
    some = labels.where(frame.index % 9 > 0, "neither")
    others = workshop.register_dataset(frame.iloc[::3].assign(t=some.iloc[::3]), target="t", name="others")
    values = workshop.register_dataset(frame.iloc[::5].assign(t=frame["t"].iloc[::5] / 7), target="t", held_out=True)

    drawing = VIEWS["models"](workshop.context, shop.model, {})

    for words in ("evaluation", "prototypes", "rules", "one tree", "label audit", "map"):
        form = _form(drawing, words)
        assert known in form
        assert texts in form
        assert others not in form
        assert values not in form


def test_results_that_a_report_may_show_are_told_apart_by_their_rows_and_what_they_are_compared_with(
    shop: Shop,
) -> None:
    workshop, frame = shop.workshop, frame_of(shop.fitted)
    names = {"May": frame.iloc[::2], "June": frame.iloc[1::2]}
    may, june = (workshop.register_dataset(rows, target="t", name=name) for name, rows in names.items())
    for dataset in (may, june):
        workshop.evaluate(model=shop.model, dataset=dataset)
    workshop.compare(model=shop.model, dataset=may, other_dataset=june)

    form = _form(VIEWS["explainers"](workshop.context, shop.explainer, {}), "report")

    for said in (">May, 20", ">June, 20", ">May with June, 20"):
        assert said in form


def test_a_report_is_offered_explainers_of_other_models_of_the_task_that_take_its_rows(shop: Shop) -> None:
    workshop, names = shop.workshop, list(shop.fitted.rows.names)
    metadata = {"ensemble": "random_forest", "name": "alike and explained"}
    alike = workshop.register_model(shop.fitted.onnx, feature_names=names, **metadata)
    regression = fitted("random_forest_regression")
    some = names[: len(regression.rows.names)]
    of_values = workshop.register_model(regression.onnx, feature_names=some, ensemble="random_forest")
    explainers = []
    for model in (alike, of_values):
        made = workshop.make(model=model, dataset=shop.dataset, n_prototypes=2, labels="predicted")
        explainers.append(workshop.register_explainer(model=model, prototype_set=made.id))

    form = _form(VIEWS["explainers"](workshop.context, shop.explainer, {}), "report")

    assert f'value="{explainers[0]}">an explainer of alike and explained<' in form
    assert explainers[1] not in form


def test_a_positive_outcome_is_chosen_by_its_label(shop: Shop) -> None:
    words = DictionaryRequest.model_validate({"outcomes": [{"name": "1", "label": "ill"}]})
    put_dictionary(shop.workshop.context, shop.dataset, words, Precondition())
    try:
        form = _form(VIEWS["models"](shop.workshop.context, shop.model, {}), "evaluation")
        _, _, choices = form.partition('data-field="positive"')
        assert re.findall(r'<option value="([^"]*)"[^>]*>([^<]*)<', choices)[:2] == [("", "ill"), ("0", "0")]
        assert choices.count(">ill<") == 1
    finally:
        put_dictionary(shop.workshop.context, shop.dataset, DictionaryRequest(), Precondition())


def test_the_address_of_a_model_stands_below_all_that_can_be_requested(shop: Shop) -> None:
    drawing = VIEWS["models"](shop.workshop.context, shop.model, {})
    assert drawing.index("Request more") < drawing.index("ls-foot")


def test_rows_of_texts_are_not_offered_to_a_regression_nor_rows_without_labels_to_an_audit(shop: Shop) -> None:
    workshop, regression = shop.workshop, fitted("random_forest_regression")
    frame = frame_of(regression)
    model = workshop.register_model(regression.onnx, feature_names=list(regression.rows.names))
    known = workshop.register_dataset(frame, target="t")
    texts = workshop.register_dataset(frame.assign(t=["high", "low"] * (len(frame) // 2)), target="t")
    unlabelled = workshop.register_dataset(frame_of(shop.fitted).drop(columns="t"))

    assert known in _form(VIEWS["models"](workshop.context, model, {}), "evaluation")
    assert texts not in VIEWS["models"](workshop.context, model, {})
    methods = re.findall(r'<option value="(s[mg]\w*|k_\w+)"', VIEWS["models"](workshop.context, model, {}))
    assert set(methods) == {"k_medoids"}  # others are about classes
    of_classes = VIEWS["models"](workshop.context, shop.model, {})
    assert unlabelled in _form(of_classes, "map")
    assert unlabelled not in _form(of_classes, "label audit")


def test_models_are_compared_with_those_of_the_same_features_and_classes(shop: Shop) -> None:
    workshop, names = shop.workshop, list(shop.fitted.rows.names)
    alike = workshop.register_model(shop.fitted.onnx, feature_names=names, name="alike")
    wider = workshop.register_model(shop.fitted.onnx, feature_names=[f"other {name}" for name in names])
    of_values = workshop.register_model(fitted("random_forest_regression").onnx)

    line = LogisticRegression(C=1e-6, max_iter=1000).fit(shop.fitted.features, np.arange(len(shop.fitted.features)) % 2)
    without_leaves = workshop.register_model(onnx_of(line, shop.fitted.features), feature_names=names, oracle_only=True)

    form = _form(VIEWS["models"](workshop.context, shop.model, {}), "another model")

    assert alike in form
    more = {f"more_{name}": shop.fitted.features[:, 0] for name in names}
    wide = [*more][: len(names)]
    workshop.register_dataset(frame_of(shop.fitted).assign(**more), target="t", name="with more columns")
    of_more = workshop.register_model(shop.fitted.onnx, feature_names=wide, name="of those columns")
    offered = _form(VIEWS["models"](workshop.context, shop.model, {}), "another model")
    assert offered.index(alike) < offered.index(of_more)  # which the first dataset has no features of
    assert wider not in form
    assert of_values not in form
    assert without_leaves not in form
    of_line = VIEWS["models"](workshop.context, without_leaves, {})
    assert "/v1/approximation-trees" in of_line
    assert "/v1/comparisons" not in of_line


def test_a_model_of_one_feature_offers_no_regions_and_a_long_name_is_cut_where_it_stands_in_each_line(
    shop: Shop,
) -> None:
    workshop, name = shop.workshop, "a name that nobody needs in each line of a list " * 5
    rows = pd.DataFrame({name: np.linspace(0.0, 1.0, 90)})
    labels = np.where(rows[name] > 0.5, "high", "low")
    forest = RandomForestClassifier(5, random_state=0).fit(rows.to_numpy(np.float32), labels)
    onnx = onnx_of(forest, rows.to_numpy(np.float32))
    model = workshop.register_model(onnx, feature_names=[name], ensemble="random_forest")
    dataset = workshop.register_dataset(rows.assign(t=labels), target="t")
    made = workshop.make(model=model, dataset=dataset, n_prototypes=2)
    explainer = workshop.register_explainer(model=model, prototype_set=made.id)

    assert "regions over two" not in VIEWS["explainers"](workshop.context, explainer, {})
    assert "regions over two" in VIEWS["explainers"](workshop.context, shop.explainer, {})
    listed = represented(workshop.context, made.id, 1).replace("<wbr>", "")
    assert name not in listed
    assert f"{name[:79]}…" in listed
