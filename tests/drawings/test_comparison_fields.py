"""Fields of the comparison with prototypes: what a field cuts off stands below it."""

import re

from leafspace_drawings import WhyContext, draw_explanation

_LONG = "Married, and the spouse is in the armed forces"


def _drawn(value: str, categories: list[str] | None, *, is_editable: bool = True) -> str:
    column = {"name": "status", "type": "category", "categories": categories, "n_categories": 3, "quantiles": None}
    near = {"row_id": "3", "proximity": 0.5, "label": "1", "reasons": [], "shared_trees": 1, "n_trees": 2}
    row = {
        "row_id": "7",
        "status": "ok",
        "summary": "It is so.",
        "prediction": {"task": "classification", "label": "1", "scores": [{"label": "1", "value": 1.0}]},
        "warnings": [],
        "nearest_prototypes": [near],
        "values": [{"feature": "status", "value": value, "prototype_values": ["single"]}],
    }
    dataset = {"id": "ds_1", "name": None, "target": None, "columns": [column]}
    return draw_explanation(row, WhyContext(dataset=dataset, is_editable=is_editable))


def _below(drawing: str) -> list[str]:
    return [
        re.sub(r"<wbr>|\u00ad|\u200b", "", text) for text in re.findall(r'class="ls-whole[^"]*">(.*?)</bdi>', drawing)
    ]


def test_a_text_that_is_longer_than_its_field_stands_whole_below_it() -> None:
    assert _below(_drawn(_LONG, [_LONG, "single"])) == [_LONG]
    assert _below(_drawn(_LONG, None)) == [_LONG]


def test_a_text_that_its_field_shows_stands_once() -> None:
    for categories in ([_LONG, "single"], None):
        assert _below(_drawn("single", categories)) == []
    assert _below(_drawn(_LONG, [_LONG], is_editable=False)) == []
