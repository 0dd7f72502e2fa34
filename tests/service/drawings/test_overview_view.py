"""The overview: each model with a figure, on which rows it was measured, its cautions and its date."""

import json

from leafspace_drawings import words

from schemas.evaluations import EVALUATIONS
from schemas.prototype_sets import PROTOTYPE_SETS
from service.drawings import views
from service.drawings.documents import VIEWS
from service.operations import artefacts
from tests.support.api import frame_of

from ..conftest import Shop


def _card(drawing: str, model: str) -> str:
    (card,) = (each for each in drawing.split("</li>") if f'href="#/models/{model}"' in each)
    return card


def test_a_model_has_the_figure_of_its_prototypes_until_it_is_evaluated(shop: Shop) -> None:
    context = shop.workshop.context
    result = json.loads(artefacts.get_result(context, PROTOTYPE_SETS, shop.prototype_set))
    card = _card(views.overview(context), shop.model)
    assert words.share(result["baseline"]["model"]["balanced_accuracy"]) in card
    assert f"{words.share(result['baseline']['constant']['balanced_accuracy'])} by always the same answer" in card
    assert "2 cautions" in card or "1 caution" in card
    assert f'registered <span class="ls-when">{words.moment(_created_at(shop))}' in card

    held_out = shop.workshop.register_dataset(frame_of(shop.fitted).iloc[::2], target="t", held_out=True)
    made = shop.workshop.evaluate(model=shop.model, dataset=held_out)
    evaluation = json.loads(artefacts.get_result(context, EVALUATIONS, made.id))
    card = _card(views.overview(context), shop.model)
    assert f"{words.share(evaluation['classification']['accuracy']['share'])}</b>" in card
    assert evaluation["measured_on"] in card

    shop.workshop.evaluate(model=shop.model, dataset=shop.dataset)  # a newer one, on rows that are not held out
    for drawing in (views.overview(context), views.explainer(context, shop.explainer, {})):
        assert evaluation["measured_on"] in drawing
    assert evaluation["measured_on"] in VIEWS["models"](context, shop.model, {})


def _created_at(shop: Shop) -> str:
    created: str = shop.workshop.context.models.get(shop.model).view.model_dump(mode="json")["created_at"]
    return created


def test_a_model_s_rows_lead_to_their_explanations_though_newer_prototypes_have_no_explainer(shop: Shop) -> None:
    workshop, forest = shop.workshop, shop.fitted
    model = workshop.register_model(forest.onnx, feature_names=list(forest.rows.names), name="explained")
    first = workshop.make(model=model, dataset=shop.dataset, n_prototypes=3)
    explainer = workshop.register_explainer(model=model, prototype_set=first.id)
    workshop.make(model=model, dataset=shop.dataset, n_prototypes=4)
    assert f"explainers/{explainer}/rows/" in VIEWS["models"](workshop.context, model, {})

    others = workshop.register_dataset(frame_of(forest).iloc[::3], target="t")
    workshop.make(model=model, dataset=others, n_prototypes=4)
    assert f"explainers/{explainer}/rows/" not in VIEWS["models"](workshop.context, model, {})


def test_a_model_of_which_nothing_was_measured_says_so(shop: Shop) -> None:
    forest = shop.fitted
    model = shop.workshop.register_model(
        forest.onnx, feature_names=list(forest.rows.names), ensemble="random_forest", name="not measured"
    )
    assert "not measured yet" in _card(views.overview(shop.workshop.context), model)


def test_results_of_a_kind_are_told_apart_by_the_size_that_was_requested(shop: Shop) -> None:
    workshop, about = shop.workshop, {"model": shop.model, "dataset": shop.dataset}
    workshop.make(**about, n_prototypes=7, method="sm_a")
    workshop.grow_tree(**about, method="cart", max_depth=2)

    drawing = VIEWS["models"](workshop.context, shop.model, {})

    assert ", 7: coverage</span>" in drawing
    assert ", depth at most 2: plain</span>" in drawing
