"""The view of a comparison: both sides by name, and each row with its explanations by both models."""

import asyncio
import json

from leafspace_drawings import Links

from service.drawings.documents import VIEWS
from service.drawings.explanations import RowToExplain
from service.operations.explanations import explain
from tests.support.api import frame_of
from tests.support.models import fitted
from tests.support.workshop import result_of

from ..conftest import Shop

_OTHER = "the <other> model"


def test_both_models_are_named_and_each_row_leads_to_its_explanations_by_both(shop: Shop) -> None:
    other_onnx = fitted("gradient_boosting_binary").onnx
    names = list(shop.fitted.rows.names)
    other = shop.workshop.register_model(other_onnx, feature_names=names, name=_OTHER)
    newer = shop.workshop.register_dataset(frame_of(shop.fitted).iloc[::2], target="t", name="every second row")
    prototypes = shop.workshop.make(model=other, dataset=shop.dataset, n_prototypes=3)
    explainer = shop.workshop.register_explainer(model=other, prototype_set=prototypes.id)
    made = shop.workshop.compare(model=shop.model, dataset=newer, other_model=other)
    drawn = VIEWS["comparisons"](shop.workshop.context, made.id, {})

    assert f"“<bdi>the &lt;other&gt; model</bdi>” differ from “<bdi>{shop.model}</bdi>”" in drawn
    changed = result_of(made).models
    assert changed is not None
    assert changed.rows
    for row in changed.rows[:3]:
        for each in (shop.explainer, explainer):
            assert f'href="{Links("").to_row(each, row.row_id, newer)}"' in drawn

    assert drawn.count("not measured on them yet") == 2
    evaluation = shop.workshop.evaluate(model=other, dataset=newer)
    again = VIEWS["comparisons"](shop.workshop.context, made.id, {})
    assert again.count("not measured on them yet") == 1
    assert f'<a href="#/evaluations/{evaluation.id}">the &lt;other&gt; model</a>' in again


def test_a_row_of_another_dataset_is_explained_as_it_is_and_with_a_change(shop: Shop) -> None:
    context, frame = shop.workshop.context, frame_of(shop.fitted)
    elsewhere = shop.workshop.register_dataset(frame.iloc[5:9], target="t", name="four rows")
    name = shop.fitted.rows.names[0]
    for changed in ({}, {name: "0.25"}):
        row = RowToExplain.find(context, shop.explainer, "2", changed, dataset_id=elsewhere)
        answer = asyncio.run(explain(context, shop.explainer, row.request))
        drawn = row.draw(answer, None, 0)

        assert "row 2 of four rows" in drawn
        assert f"dataset={elsewhere}" in drawn
        assert ("→" in drawn) == bool(changed)
        assert json.loads(answer)["data"][0]["prediction"]
