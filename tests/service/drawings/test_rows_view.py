"""The view of a dataset's rows: in the dictionary's words, searched by them, and without what is hidden."""

import re
from html import unescape

import pandas as pd
import pytest

from schemas.dictionaries import DictionaryRequest
from service.drawings.documents import VIEWS
from service.operations.dictionaries import put_dictionary
from service.operations.preconditions import Precondition

from ..conftest import Shop

_FRAME = pd.DataFrame(
    {
        "months": [6.0, 12.0, 24.0, 48.0] * 20,
        "state": ["A1", "A2"] * 40,
        "wage": [1234.5, 2345.5] * 40,
        "key": [f"case {number}" for number in range(80)],
    }
)


@pytest.fixture(scope="module")
def dataset(shop: Shop) -> str:
    dataset = shop.workshop.register_dataset(_FRAME, row_id="key", name="loans")
    words = {
        "features": [
            {"name": "months", "label": "duration of the loan", "unit": "months"},
            {"name": "state", "values": [{"value": "A1", "label": "no <account>"}]},
            {"name": "wage", "hidden": True},
        ]
    }
    put_dictionary(shop.workshop.context, dataset, DictionaryRequest.model_validate(words), Precondition())
    return dataset


def _drawn(shop: Shop, dataset: str, **parameters: str) -> str:
    return VIEWS["rows"](shop.workshop.context, dataset, parameters)


def _ids(drawing: str) -> list[str]:
    return re.findall(r'<th scope="row"><bdi><span>(.*?)</span>', drawing)


def test_rows_have_the_words_of_the_dictionary_and_nothing_hidden(shop: Shop, dataset: str) -> None:
    drawing = _drawn(shop, dataset)

    assert _ids(drawing) == list(_FRAME.key[:50])
    assert drawing.count("case 17<") == 1  # ids stand once, though they are a column
    assert "more column" not in drawing
    assert "duration of the loan" in drawing
    assert "no &lt;account&gt;" in drawing
    assert "wage" not in drawing
    assert "1,234" not in drawing
    assert _ids(_drawn(shop, dataset, cursor="50")) == list(_FRAME.key[50:])


@pytest.mark.parametrize(
    ("searched", "expected"),
    [
        ({"where": "state", "value": "no <ACCOUNT>"}, _FRAME.state == "A1"),
        ({"where": "state", "value": "A2"}, _FRAME.state == "A2"),
        ({"where": "months", "at_least": "20", "at_most": "30"}, _FRAME.months == 24),
        ({"where": "key", "value": "case 17"}, _FRAME.key == "case 17"),
    ],
)
def test_a_search_by_value_or_label_finds_what_pandas_finds(
    shop: Shop, dataset: str, searched: dict[str, str], expected: pd.Series
) -> None:
    assert _ids(_drawn(shop, dataset, **searched)) == list(_FRAME.key[expected])


@pytest.mark.parametrize(
    ("searched", "says"),
    [
        ({"where": "wage", "value": "1234.5"}, "no column 'wage' that can be shown"),
        ({"where": "months", "value": "long"}, "'long' is no value of column 'months'"),
        ({"where": "months", "at_least": "long"}, "'long' is no number"),
        ({"where": "state", "at_least": "1"}, "no numbers, and so no range"),
    ],
)
def test_what_cannot_be_searched_is_said_beside_its_field(
    shop: Shop, dataset: str, searched: dict[str, str], says: str
) -> None:
    drawing = unescape(_drawn(shop, dataset, **searched))
    assert says in drawing
    assert _ids(drawing) == []


def test_rows_lead_to_their_explanation_by_an_explainer_of_a_model_with_these_features(shop: Shop) -> None:
    drawing = _drawn(shop, shop.dataset)
    assert f"explainers/{shop.explainer}/rows/0?dataset={shop.dataset}" in drawing
