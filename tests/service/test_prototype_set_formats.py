"""Prototype sets are read as tables, also those that an earlier release made."""

import io
import json

import pyarrow.parquet as pq

from schemas.nouns import CSV, PARQUET
from schemas.prototype_sets import Prototype
from service.routes.prototype_sets import write

# As it was kept before quality was measured.
_EARLIER = {
    "rank": 1,
    "row_id": "a",
    "row": 0,
    "label": "yes",
    "value": None,
    "predicted": "yes",
    "target": None,
    "gain": 2.5,
    "objective": 2.5,
    "coverage": {"n_rows": 3, "share": 0.75},
    "features": [{"name": "x", "value": 1.5}],
}


def test_a_prototype_of_an_earlier_release_has_no_quality() -> None:
    assert Prototype.model_validate(_EARLIER).quality is None


def test_a_set_of_an_earlier_release_is_written_in_every_form_of_table() -> None:
    result = json.dumps({"prototypes": [_EARLIER]}).encode()

    assert write(result, CSV).decode().splitlines() == [
        '"rank","row_id","row","label","value","predicted","target","gain","objective","coverage_n_rows","coverage_share","feature:x"',
        '1,"a",0,"yes",,"yes",,2.5,2.5,3,0.75,1.5',
    ]
    (line,) = pq.read_table(io.BytesIO(write(result, PARQUET))).to_pylist()
    assert (line["coverage_n_rows"], line["feature:x"]) == (3, 1.5)
