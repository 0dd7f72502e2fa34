"""Colours of classes: neutral where nothing is declared, warm for outcomes that are adverse to a person."""

import json
import re
from html import unescape
from pathlib import Path
from typing import Any

import leafspace_drawings
import pytest
from leafspace_drawings import (
    Links,
    MapContext,
    ModelContext,
    SetContext,
    TreeContext,
    chart_of,
    draw_map,
    draw_model,
    draw_prototype_set,
)
from leafspace_drawings.approximation_tree import draw_approximation_tree
from leafspace_drawings.classes import COLOURS, Classes, colour_numbers, with_adverse

from .documents import Json, document

_WARM = {"#e69f00", "#d55e00", "#f0e442"}  # orange, vermillion and yellow: the hue of warnings
_ORANGE = "#e69f00"


def _dataset(*adverse: str) -> Json:
    return {"columns": [{"name": "risk", "role": "target", **({"adverse": list(adverse)} if adverse else {})}]}


@pytest.mark.parametrize("n_classes", range(1, 8))
def test_without_a_declaration_no_class_has_the_hue_of_warnings(n_classes: int) -> None:
    marks = Classes([f"c{index}" for index in range(n_classes)])
    assert not {marks[label].colour for label in marks.labels} & _WARM
    assert len({marks[label].colour for label in marks.labels}) == n_classes


@pytest.mark.parametrize("labels", [("bad", "good"), ("good", "bad"), ("good", "fair", "bad")])
def test_what_is_adverse_alone_is_warm_whatever_the_order_of_classes(labels: tuple[str, ...]) -> None:
    marks = Classes(labels, _dataset("bad"))
    assert marks["bad"].colour == _ORANGE
    assert not {marks[label].colour for label in labels if label != "bad"} & _WARM
    assert [marks[label].shape for label in labels] == ["circle", "square", "triangle"][: len(labels)]


def test_each_of_many_classes_has_a_colour_of_its_own_until_none_is_left() -> None:
    labels = [str(index) for index in range(14)]
    for adverse in ((), ("0", "3"), tuple(labels)):
        numbers = [number for number in colour_numbers(labels, adverse).values() if number is not None]
        assert len(set(numbers)) == len(numbers)
        assert set(numbers) <= set(range(1, len(COLOURS) + 1))
    assert colour_numbers(labels)["13"] is None


def test_a_decision_declares_what_is_adverse_beside_the_dictionary() -> None:
    model = {"decision": {"bands": [{"outcome": "pay"}, {"outcome": "refuse"}], "adverse": ["refuse"]}}
    shown = with_adverse(_dataset("bad"), model)
    assert Classes(["refuse", "bad", "good"], shown).adverse == {"refuse", "bad"}
    assert Classes.of_outcomes(model, _dataset())["refuse"].colour == _ORANGE
    assert with_adverse(_dataset(), {"decision": None}) == _dataset()


def test_no_class_has_the_mark_of_the_explained_row() -> None:
    marks = Classes([f"c{index}" for index in range(8)])
    assert [marks[label].shape for label in marks.labels] == ["circle", "square", "triangle", "wedge"] * 2


def test_a_class_has_one_colour_on_all_pictures() -> None:
    dataset, classes = document("Dataset"), document("Model")["classes"]
    next(column for column in dataset["columns"] if column["role"] == "target")["adverse"] = [classes[0]]

    model = draw_model(document("Model"), ModelContext(columns=dataset))
    prototypes = draw_prototype_set(document("PrototypeSet"), SetContext(dataset=dataset))
    tree = draw_approximation_tree(document("ApproximationTree"), TreeContext(dataset=dataset))
    chart = chart_of(document("Map"), dataset)
    assert chart is not None
    dots = {group.label: group.colour for group in chart.dots}

    marked = rf'fill="{_ORANGE}"/></svg> <bdi>{re.escape(classes[0])}</bdi>'
    assert re.search(marked, model)
    assert re.search(marked, prototypes)
    assert f'fill="{_ORANGE}"' in tree
    assert dots[classes[0]] == _ORANGE
    assert _ORANGE not in draw_prototype_set(document("PrototypeSet"), SetContext(dataset=document("Dataset")))


def test_the_style_sheet_has_the_same_colours_on_light_ground() -> None:
    style = (Path(leafspace_drawings.__file__).parent / "leafspace.css").read_text(encoding="utf-8")
    tokens = dict(re.findall(r"--c(\d+): light-dark\((#[0-9a-f]{6}),", style))
    assert tuple(tokens[str(number)] for number in range(1, len(COLOURS) + 1)) == COLOURS


def test_a_map_of_decisions_offers_no_colours_of_labels_that_it_does_not_show() -> None:
    found, model, dataset = document("Map"), document("Model"), document("Dataset")
    target = next(column for column in dataset["columns"] if column["role"] == "target")
    target["labels"] = [{"value": "go home", "label": "nothing is done"}]
    outcomes = {**found["result"], "classes": ["go home", "operate"]}
    decided = {**found, "result": outcomes}

    def colours(document: dict[str, Any], model: dict[str, Any]) -> list[str]:
        return re.findall(r'<option value="(\w+)">', draw_map(document, MapContext(model, dataset, links=Links(""))))

    assert colours(found, model) == ["label", "predicted_label", "error"]
    assert colours(decided, model) == ["label", "error"]
    assert colours(decided, {**model, "classes": []}) == []  # a regression, whose values are decided by bands
    drawn = draw_map(decided, MapContext(model, dataset, links=Links("")))
    assert ">decision</option>" in drawn
    assert json.loads(unescape(re.search(r'data-words="([^"]*)"', drawn)[1])) == {"go home": "nothing is done"}  # type: ignore[index]
