"""Many rows in one call: each is explained byte for byte as it is alone."""

from math import inf, nan
from typing import Any

import orjson
import pytest

from explanations import many_reasons
from explanations.cell_texts import MANY_ROWS, cell_texts
from explanations.explained_rows import Form, explain_instances
from schemas.explanations import ExplanationRequest
from tests.support.sampling import mostly_long

from .conftest import Case, FindCase

CASES = ("missing_kept", "scaled_and_one_hot", "random_forest_binary", "gradient_boosting_multiclass")
OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"n_prototypes": 1, "n_reasons": 0},
    {"detail": "full"},
    {"n_prototypes": 8, "n_reasons": "all", "include": ["intervals", "values", "contrast"]},
)


def _explained(case: Case, rows: list[Any], form: Form = "values", **options: object) -> list[bytes]:
    request = ExplanationRequest.model_validate({"instances": rows, **options})
    documents = explain_instances(case.warm, request, form=form)
    return [each if isinstance(each, bytes) else orjson.dumps({**each, "row_id": ""}) for each in documents]


@pytest.mark.parametrize("name", mostly_long(CASES, CASES[0]))
def test_each_of_many_rows_is_explained_as_it_is_alone(find_case: FindCase, name: str) -> None:
    case = find_case(name, "boosting" if name.startswith("gradient") else "random_forest")
    # Some of them are refused, some miss values, and some are out of range.
    rows = [
        *case.rows[: 2 * MANY_ROWS],
        *([1e30 if isinstance(cell, float) else cell for cell in row] for row in case.rows[:3]),
    ]
    for options in OPTIONS:
        together = _explained(case, rows, **options)
        assert together == [_explained(case, [row], **options)[0] for row in rows]
        assert together == _explained(case, rows, "fragments", **options)
        as_json = map(orjson.loads, _explained(case, rows, "json", **options))
        assert together == [orjson.dumps({**document, "row_id": ""}) for document in as_json]
        assert len(set(together)) > 10


def test_texts_with_commas_and_quotes_are_written_as_they_are_alone(find_case: FindCase) -> None:
    case = find_case("scaled_and_one_hot", "random_forest")
    odd = ['clerk, "senior"', ",", "a\\b,", "[", "\u00e9, \u2028"]
    rows = [
        [odd[number % len(odd)] if isinstance(cell, str) else cell for cell in row]
        for number, row in enumerate(case.rows[: 2 * MANY_ROWS])
    ]
    together = _explained(case, rows, n_reasons="all")
    assert together == [_explained(case, [row], n_reasons="all")[0] for row in rows]
    explained = [row for row in map(orjson.loads, together) if row["status"] == "ok"]  # some are refused
    listed = [effect["value"] for row in explained for effect in row["effects"]["features"]]
    assert set(odd) <= set(map(str, listed))


def test_reasons_of_many_rows_that_are_forgotten_are_made_again(
    find_case: FindCase, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = find_case("random_forest_binary", "random_forest")
    parts = [case.rows[start : start + MANY_ROWS + 4] for start in (0, 28, 10, 0)]
    kept = [_explained(case, rows, include=["intervals"]) for rows in parts]
    monkeypatch.setattr(many_reasons, "KEPT_REASONS", 0)  # all are forgotten when the next one is new
    assert kept == [_explained(case, rows, include=["intervals"]) for rows in parts]


@pytest.mark.parametrize("n_others", [0, 100])
@pytest.mark.parametrize(
    "cells", [[0.1, -0.0, 1e300, 3, True], ["a, b", 0.1, ""], [None, 1e16], [inf, -inf, nan], [10**30, 2], []]
)
def test_the_values_of_a_row_are_written_as_each_is_alone(cells: list[Any], n_others: int) -> None:
    texts = cell_texts([*cells, *range(n_others)])
    for index, cell in enumerate(cells):
        if cell == 10**30:  # no JSON of ours has it, which hurts only where it is asked for
            with pytest.raises(TypeError, match="64-bit"):
                texts[index]
            continue
        text = {inf: '"Infinity"', -inf: '"-Infinity"'}.get(cell) if isinstance(cell, float) else None
        assert texts[index] == (orjson.dumps(cell) if text is None else text.encode())
