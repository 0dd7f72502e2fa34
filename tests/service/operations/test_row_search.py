"""Rows are found by a value or a range as pandas finds them, page by page, and a search that takes long says so."""

import json
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from service.operations.row_search import FoundRows, Wanted, find_rows, list_found_rows
from storage.errors import StorageError

from ..conftest import Shop

_N_ROWS = 500


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    random = np.random.default_rng(5)
    age = random.integers(18, 80, _N_ROWS).astype(float)
    age[::11] = np.nan
    state = pd.Series(random.choice(["open", "closed", 'ä, "odd"'], _N_ROWS)).where(random.random(_N_ROWS) > 0.1)
    ids = [f"applicant {number}" for number in random.permutation(_N_ROWS)]
    return pd.DataFrame({"age": age, "state": state, "paid": random.random(_N_ROWS) > 0.5, "id": ids})


@pytest.fixture(scope="module")
def dataset(shop: Shop, frame: pd.DataFrame) -> str:
    return shop.workshop.register_dataset(frame, row_id="id")


_CASES: list[tuple[Wanted, Callable[[pd.DataFrame], pd.Series]]] = [
    (Wanted("age", "41"), lambda rows: rows.age == 41),
    (Wanted("age", at_least=30, at_most=35), lambda rows: rows.age.between(30, 35)),
    (Wanted("age", at_most=20.5), lambda rows: rows.age <= 20.5),
    (Wanted("age", at_least=79), lambda rows: rows.age >= 79),
    (Wanted("age", "-1"), lambda rows: rows.age == -1),
    (Wanted("state", 'ä, "odd"'), lambda rows: rows.state == 'ä, "odd"'),
    (Wanted("state", "none such"), lambda rows: rows.state == "none such"),
    (Wanted("paid", "true"), lambda rows: rows.paid),
    (Wanted("paid", "false"), lambda rows: ~rows.paid),
    (Wanted("id", "applicant 17"), lambda rows: rows.id == "applicant 17"),
]


@pytest.mark.parametrize(("wanted", "naive"), _CASES)
@pytest.mark.parametrize("limit", [7, 1000])
def test_pages_together_are_the_rows_that_pandas_finds(
    shop: Shop,
    frame: pd.DataFrame,
    dataset: str,
    wanted: Wanted,
    naive: Callable[[pd.DataFrame], pd.Series],
    limit: int,
) -> None:
    found: list[dict[str, object]] = []
    cursor = None
    while True:
        page = b"".join(list_found_rows(shop.workshop.context, dataset, ["age"], wanted, limit, cursor))
        answered = json.loads(page)
        assert len(answered["data"]) <= limit
        found += answered["data"]
        if (cursor := answered["next_cursor"]) is None:
            break

    expected = frame[naive(frame)]
    assert [row["row"] for row in found] == expected.index.tolist()
    assert [row["row_id"] for row in found] == expected.id.tolist()
    assert [row["values"][0]["value"] for row in found] == [  # type: ignore[index]  # as rows are answered
        None if np.isnan(age) else age for age in expected.age
    ]


def test_a_search_whose_time_is_over_says_where_it_goes_on(shop: Shop) -> None:
    frame = pd.DataFrame({"x": np.arange(300_000) % 1000 / 1.0, "y": 0.5})
    large = shop.workshop.register_dataset(frame)
    rows: list[int] = []
    pieces = list[FoundRows]()
    start: int | None = 0
    while start is not None:
        found = find_rows(shop.workshop.context, large, Wanted("x", "999"), 10_000, start, seconds=0.0)
        assert found.goes_on is None or found.goes_on > start
        rows, start = rows + found.rows, found.goes_on
        pieces.append(found)

    assert len(pieces) > 1
    assert rows == np.flatnonzero(frame.x == 999).tolist()


@pytest.mark.parametrize(
    ("wanted", "pointer", "says"),
    [
        (Wanted("wage", "1"), "/where", "no column 'wage'"),
        (Wanted("age"), "/value", "say what the value is"),
        (Wanted("age", "1", at_least=0), "/value", "say what the value is"),
        (Wanted("age", "forty"), "/value", "'forty' is no value of column 'age'; they are numbers"),
        (Wanted("paid", "yes"), "/value", "`true` or `false`"),
        (Wanted("state", at_most=3), "/at_least", "no numbers, and so no range"),
    ],
)
def test_what_cannot_be_searched_is_refused(shop: Shop, dataset: str, wanted: Wanted, pointer: str, says: str) -> None:
    with pytest.raises(StorageError, match=says) as refused:
        find_rows(shop.workshop.context, dataset, wanted, 10)
    assert (refused.value.code, refused.value.pointer) == ("validation_failed", pointer)
