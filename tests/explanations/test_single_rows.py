"""The only row of a call: its answer has the bytes that it has among others, whatever was explained before."""

from typing import Any

import orjson
import pytest

from explanations import near_prototypes
from explanations.cell_texts import MANY_ROWS
from explanations.explained_rows import explain_instances
from schemas.explanations import ExplanationRequest

from .conftest import Case, FindCase

CASES = ("missing_kept", "scaled_and_one_hot", "random_forest_binary", "gradient_boosting_multiclass")


def _json(case: Case, rows: list[Any], **options: Any) -> list[bytes]:
    request = ExplanationRequest.model_validate({"instances": rows, "row_ids": [f"r{row}" for row in range(len(rows))]})
    documents = explain_instances(case.warm, request.model_copy(update=options), form="json")
    return [each if isinstance(each, bytes) else orjson.dumps(each) for each in documents]


def _alone(case: Case, rows: list[Any], **options: Any) -> list[bytes]:
    return [_json(case, [row], **options)[0].replace(b'"r0"', b'"r%d"' % at, 1) for at, row in enumerate(rows)]


@pytest.mark.parametrize("name", CASES)
def test_a_row_alone_is_written_as_among_few_and_among_many(find_case: FindCase, name: str) -> None:
    case = find_case(name, "boosting" if name.startswith("gradient") else "random_forest")
    whole = [int(cell) if isinstance(cell, float) and cell.is_integer() else cell for cell in case.rows[5]]
    rows = [*case.rows[: MANY_ROWS + 4], [1e30 if isinstance(cell, float) else cell for cell in case.rows[0]], whole]
    for options in ({}, {"n_reasons": "all", "n_prototypes": 7}, {"n_reasons": 0}):
        alone = _alone(case, rows, **options)
        assert alone == _json(case, rows, **options)
        assert alone[:9] == _json(case, rows[:9], **options)
        assert len(set(alone)) > 10


def test_reasons_beside_prototypes_that_are_forgotten_are_made_again(
    find_case: FindCase, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = find_case("random_forest_binary", "random_forest")
    rows = case.rows[:20]
    kept = _alone(case, rows)
    monkeypatch.setattr(near_prototypes, "KEPT_REASONS", 0)
    monkeypatch.setattr(near_prototypes, "_LEAST_KEPT", 2)
    case.warm.known.clear()
    assert _alone(case, rows) == kept == _alone(case, rows)
