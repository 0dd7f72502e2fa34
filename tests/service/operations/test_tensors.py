"""Tensors: those of features are decoded, the others are only named."""

import time

import pytest

from schemas.open_inference import InferenceRequest
from service.operations.tensors import instances_of, n_values_of
from storage.errors import StorageError


def _request(names: list[str], n_rows: int, datatype: str = "UINT8") -> InferenceRequest:
    sizes = {"parameters": {"binary_data_size": n_rows}}
    inputs = [{"name": name, "shape": [n_rows], "datatype": datatype, **sizes} for name in names]
    return InferenceRequest.model_validate({"inputs": inputs})


def test_thousands_of_tensors_that_are_no_features_are_not_decoded() -> None:
    names = ["amount", *(f"t{number}" for number in range(7000))]
    request = _request(names, 1000)
    began = time.process_time()

    rows = instances_of(request, bytes(1000 * len(names)), frozenset({"amount"}))

    assert time.process_time() - began < 0.5
    assert len(rows) == 1000
    assert len(rows[0]) == 101
    assert rows[0]["amount"] == 0
    assert rows[0]["t99"] is None
    assert n_values_of(request, {"amount"}) == 1000


def test_where_no_tensor_is_a_feature_there_is_one_row_of_their_names() -> None:
    assert instances_of(_request(["amonut"], 3), bytes(3), frozenset({"amount"})) == [{"amonut": None}]


def test_texts_beyond_the_rows_of_their_shape_are_refused_before_they_are_read() -> None:
    sizes = {"parameters": {"binary_data_size": 4_000_000}}
    tensor = {"name": "kind", "shape": [1, 1], "datatype": "BYTES", **sizes}
    request = InferenceRequest.model_validate({"inputs": [tensor]})

    with pytest.raises(StorageError, match="has more texts than the 1 rows of its shape"):
        instances_of(request, bytes(4_000_000), frozenset({"kind"}))
