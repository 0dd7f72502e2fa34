"""Many rows in one call: each is explained byte for byte as it is alone."""

from typing import Any

import orjson
import pytest

from explanations.explained_rows import explain_instances
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


def _explained(case: Case, rows: list[Any], **options: object) -> list[bytes]:
    request = ExplanationRequest.model_validate({"instances": rows, **options})
    return [orjson.dumps({**document, "row_id": ""}) for document in explain_instances(case.warm, request)]


@pytest.mark.parametrize("name", mostly_long(CASES, *CASES[:2]))
def test_each_of_many_rows_is_explained_as_it_is_alone(find_case: FindCase, name: str) -> None:
    case = find_case(name, "boosting" if name.startswith("gradient") else "random_forest")
    # Some of them are refused, some miss values, and some are out of range.
    rows = [*case.rows[:24], *([1e30 if isinstance(cell, float) else cell for cell in row] for row in case.rows[:3])]
    for options in OPTIONS:
        together = _explained(case, rows, **options)
        assert together == [_explained(case, [row], **options)[0] for row in rows]
        assert len(set(together)) > 10
