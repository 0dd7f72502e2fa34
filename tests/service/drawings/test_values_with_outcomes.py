"""A regression whose values are decided by bands: its rules and its tree give outcomes, and its rows have values."""

import asyncio
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from schemas.reports import REPORTS, ReportRequest
from service.drawings.documents import VIEWS
from service.drawings.explanations import RowToExplain
from service.operations import artefacts
from service.operations.explanations import explain
from service.operations.reports import request_report
from tests.support.api import frame_of
from tests.support.models import fitted
from tests.support.report_shop import text_of
from tests.support.workshop import Workshop, workshop_in

_DECISION = {"bands": [{"outcome": "home", "below": 120}, {"outcome": "ward", "below": 200}, {"outcome": "clinic"}]}
_ROW = "7"


@dataclass(frozen=True)
class _Shop:
    """A model with bands and one without, both with all that explains a row."""

    workshop: Workshop
    model: str
    made: dict[str, str]  # by part of an address
    explainer: str
    plain: str  # the explainer of the model without bands


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[_Shop]:
    forest = fitted("random_forest_regression")
    with workshop_in(tmp_path_factory.mktemp("values")) as workshop:
        dataset = workshop.register_dataset(frame_of(forest) * 1.0, target="t")
        made: dict[str, str] = {}
        explainers = []
        models = []
        for more in ({}, {"decision": _DECISION}):
            names = list(forest.rows.names)
            model = workshop.register_model(forest.onnx, feature_names=names, ensemble="random_forest", **more)
            about: dict[str, Any] = {"model": model, "dataset": dataset}
            prototypes = workshop.make(**about, n_prototypes=4).id
            rules = workshop.find_rules(**about, n_restarts=2, max_rules=3).id
            tree = workshop.grow_tree(**about, method="cart", max_depth=2, max_pseudo_samples=1000).id
            made |= {"prototypes": prototypes, "rules": rules, "trees": tree}
            explained_by = {"prototype_set": prototypes, "rule_set": rules, "approximation_tree": tree}
            explainers.append(workshop.register_explainer(model=model, **explained_by))
            models.append(model)
        yield _Shop(workshop, models[1], made, explainers[1], explainers[0])


def _words(drawn: str) -> str:
    return text_of(f"<main>{drawn}")


def test_why_a_row_is_decided_shows_the_outcomes_of_rules_and_of_the_tree(shop: _Shop) -> None:
    context = shop.workshop.context
    row = RowToExplain.find(context, shop.explainer, _ROW, {})
    answer = asyncio.run(explain(context, shop.explainer, row.request))
    (explained,) = json.loads(answer)["data"]

    shown = _words(row.draw(answer, None, 0))

    outcomes = ("home", "ward", "clinic")
    assert explained["approximation_path"]["leaf"]["prediction"] in outcomes
    rules = [f"then {rule['prediction']}" for rule in explained["rules"]]
    assert [each for each in rules if each not in shown] == []
    assert f"{explained['approximation_path']['leaf']['prediction']} " in shown.partition("The way in the one tree")[2]


def test_what_came_of_prototypes_is_a_number_as_people_write_it(shop: _Shop) -> None:
    for part, thing in (("prototypes", shop.made["prototypes"]), ("models", shop.model)):
        shown = _words(VIEWS[part](shop.workshop.context, thing, {}))
        came_of = re.findall(r" was ([\d.,]+) ", shown)
        assert came_of
        assert [each for each in came_of if each.endswith(".0")] == []


def test_prototypes_of_what_is_decided_have_outcomes_and_no_classes(shop: _Shop) -> None:
    shown = _words(VIEWS["prototypes"](shop.workshop.context, shop.made["prototypes"], {}))
    assert "have the outcome of their nearest prototype" in shown
    assert "of its class" not in shown
    assert "proximity to the nearest prototype of its outcome" in shown


def test_how_far_to_trust_rules_and_tree_is_how_often_they_agree(shop: _Shop) -> None:
    shown = _words(VIEWS["models"](shop.workshop.context, shop.model, {}))

    table = shown.partition("How far to trust what explains it")[2].partition("Results")[0]
    assert "same as the model" in table
    assert table.count("(always “") == len(shop.made)


@pytest.mark.parametrize("is_first", [True, False])
def test_a_report_compares_outcomes_with_values(shop: _Shop, is_first: bool) -> None:
    pair = (shop.explainer, shop.plain) if is_first else (shop.plain, shop.explainer)
    context = shop.workshop.context
    request = ReportRequest(title="Values", explainer=pair[0], compare_with=pair[1], rows=[_ROW])
    shop.workshop.run(request_report(context, request).job or "")
    made = context.artefacts.list(REPORTS.name, 1, None).data[0]

    assert artefacts.get_one(context, REPORTS, made.id).problem is None
    html = context.objects.get(context.artefacts.get(REPORTS.name, made.id).files["document"]).decode()
    assert text_of(html).count("Rules of “") == 2
