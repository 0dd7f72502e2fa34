"""Small good files that changes begin with: models of every family and form, datasets of every kind."""

import functools
import io
import json

import numpy as np
import onnx
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.support.models import fitted
from tests.support.pipelines import PIPELINES, fitted_pipeline
from tests.support.tree_graphs import chain, graph_of, newest, random_trees, regressor, stump

_LARGEST_BYTES = 200_000
_FITTED = (
    "random_forest_multiclass",
    "gradient_boosting_binary",
    "bagging_of_features_regression",
    "decision_tree_binary",
    "xgboost_binary",
    "lightgbm_multiclass",
    "catboost_binary",
)


@functools.cache
def few_model_seeds() -> dict[str, bytes]:
    """Return models by name that take no time to make: written node by node, and one of two libraries."""
    rng = np.random.default_rng(0)
    opset_5 = newest(random_trees(rng, 3, 3), rng, onnx.TensorProto.FLOAT)
    written = {
        "stump": regressor(stump()),
        "chain": regressor(chain(20)),
        "all_operators": regressor(random_trees(rng, 3, 3)),
        "opset_5": graph_of([opset_5], ml_version=5),
    }
    found = {name: bytes(model.SerializeToString()) for name, model in written.items()}
    return found | {name: fitted(name).onnx for name in _FITTED[:2]}


@functools.cache
def model_seeds() -> dict[str, bytes]:
    """Return models of every family and pipeline by name; those made of shared tables only where these are."""
    found = few_model_seeds() | {name: fitted(name).onnx for name in _FITTED}
    for name in PIPELINES:
        try:
            found[name] = fitted_pipeline(name).onnx
        except pytest.skip.Exception:
            continue
    return {name: data for name, data in found.items() if len(data) < _LARGEST_BYTES}


@functools.cache
def dataset_seeds() -> dict[str, bytes]:
    """Return tables by name: of all types, in all forms."""
    rows = [
        {"n": 1.5, "i": 7, "t": 'a, "b"\n', "b": True, "m": None},
        {"n": -2e-300, "i": 2**53 + 1, "t": "é\u202e", "b": False, "m": None},
        {"n": None, "i": -1, "t": None, "b": None, "m": None},
    ] * 4
    frame = pd.DataFrame(rows)
    text = "\n".join(json.dumps(row) for row in rows)
    return {
        "csv": frame.to_csv(index=False).encode(),
        "csv_of_numbers": b"a,b,c\r\n" + b"1,2,nan\r\n3.5,-4e5,\r\n" * 5,
        "json_lines": text.encode(),
        "json_array": json.dumps(rows, ensure_ascii=False).encode(),
        "parquet": _parquet(frame, compression="zstd"),
        "parquet_plain": _parquet(frame, compression="none", use_dictionary=False, write_statistics=False),
        "parquet_types": _parquet_of(_of_all_types(), row_group_size=3),
    }


def _parquet(frame: pd.DataFrame, **options: object) -> bytes:
    return _parquet_of(pa.Table.from_pandas(frame, preserve_index=False), **options)


def _parquet_of(table: pa.Table, **options: object) -> bytes:
    target = io.BytesIO()
    pq.write_table(table, target, **options)
    return target.getvalue()


def _of_all_types() -> pa.Table:
    numbers = pa.array([1, 2, None, 3, 4, 5, 6])
    types = (
        pa.int8(),
        pa.uint64(),
        pa.float16(),
        pa.float32(),
        pa.decimal128(25, 3),
        pa.date32(),
        pa.timestamp("us", "UTC"),
    )
    columns = {f"c{at}": _cast(numbers, kind) for at, kind in enumerate(types)}
    columns["d"] = pa.array(["a", "b", None, "a", "a", "b", "c"]).dictionary_encode()
    return pa.table(columns)


def _cast(numbers: pa.Array, kind: pa.DataType) -> pa.Array:
    if pa.types.is_float16(kind):
        return pa.array([None if value is None else np.float16(value) for value in numbers.to_pylist()], kind)
    return numbers.cast(pa.int32()).cast(kind) if pa.types.is_date(kind) else numbers.cast(kind)
