"""Tensors of the Open Inference Protocol: rows that come as columns, and answers that go as tensors.

A tensor's values stand in the JSON or, with the extension for binary data, behind it: numbers in little-endian order,
each text behind its length in four bytes. https://kserve.github.io/website/docs/concepts/architecture/data-plane
"""

import struct
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, Literal, NoReturn

import numpy as np
import orjson

from schemas.models import MAX_INSTANCES
from schemas.open_inference import InferenceRequest, InputTensor
from storage.errors import StorageError

_DTYPES = {
    "BOOL": "?",
    "UINT8": "<u1",
    "UINT16": "<u2",
    "UINT32": "<u4",
    "UINT64": "<u8",
    "INT8": "<i1",
    "INT16": "<i2",
    "INT32": "<i4",
    "INT64": "<i8",
    "FP16": "<f2",
    "FP32": "<f4",
    "FP64": "<f8",
}
_LENGTH = struct.Struct("<I")
_SIZE, _BINARY, _ALL_BINARY = "binary_data_size", "binary_data", "binary_data_output"
_MOST_FOREIGN = 100  # names of tensors that are no features
_SHARED_MEMORY = "shared_memory_region"


@dataclass(frozen=True, slots=True)
class OutputTensor:
    """One tensor of an answer, its values in row-major order."""

    name: str
    datatype: Literal["FP64", "BYTES"]
    shape: tuple[int, ...]
    values: Sequence[float] | Sequence[bytes]


@dataclass(frozen=True, slots=True)
class TensorAnswer:
    """An answer as it is sent: JSON and, behind it, binary data."""

    body: bytes
    n_json_bytes: int

    @property
    def is_binary(self) -> bool:
        """Whether there is binary data behind the JSON."""
        return self.n_json_bytes < len(self.body)


def n_values_of(request: InferenceRequest, features: Collection[str]) -> int:
    """Return how many values the tensors of features have by their shapes."""
    return sum(prod(tensor.shape) for tensor in request.inputs if tensor.name in features)


def instances_of(request: InferenceRequest, binary: bytes, features: Collection[str]) -> list[dict[str, Any]]:
    """Return the rows, each with its values by the names of the tensors; a missing value is ``None``.

    Of tensors that are no features only the names of the first hundred are there, as those of missing values.

    Parameters
    ----------
    request
        The JSON of a request for inference.
    binary
        What comes behind it.
    features
        The names of the tensors to decode.

    Raises
    ------
    StorageError
        ``too_many_rows``, or ``validation_failed`` where tensors are not columns of the same rows.
    """
    columns: dict[str, list[Any]] = {}
    start = 0
    for index, tensor in enumerate(request.inputs):
        pointer = f"/inputs/{index}"
        size = _binary_size(tensor, len(binary) - start, pointer)
        piece = binary[start : start + size]
        start += size
        if tensor.name in columns:
            _refuse(f"there are two tensors {tensor.name!r}; send one for each feature", pointer)
        if tensor.name in features:
            columns[tensor.name] = _column(tensor, piece, pointer)
        else:
            columns[tensor.name] = []
    if start < len(binary):
        _refuse(f"{len(binary) - start} bytes are left behind the last tensor; check its {_SIZE}", "/inputs")
    decoded = {name: values for name, values in columns.items() if name in features}
    n_rows = _common_length({name: len(values) for name, values in decoded.items()})
    foreign = [name for name in columns if name not in features][:_MOST_FOREIGN]
    columns = decoded | dict.fromkeys(foreign, [None] * n_rows)
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def wanted_outputs(request: InferenceRequest, known: Sequence[str]) -> dict[str, bool]:
    """Return the names of the tensors to answer, in their order, and whether each is to be binary."""
    are_binary = request.parameters.get(_ALL_BINARY) is True
    if not request.outputs:
        return dict.fromkeys(known, are_binary)
    for index, output in enumerate(request.outputs):
        if output.name not in known:
            _refuse(f"there is no output {output.name!r}; there are {', '.join(known)}", f"/outputs/{index}/name")
        _refuse_shared_memory(output.parameters, f"/outputs/{index}")
    return {output.name: output.parameters.get(_BINARY, are_binary) is True for output in request.outputs}


def answer_of(head: dict[str, Any], tensors: Sequence[OutputTensor], are_binary: dict[str, bool]) -> TensorAnswer:
    """Return the answer with these tensors; ``head`` holds its other fields."""
    outputs, binary = [], []
    for tensor in tensors:
        described: dict[str, Any] = {"name": tensor.name, "datatype": tensor.datatype, "shape": tensor.shape}
        if are_binary[tensor.name]:
            binary.append(_as_bytes(tensor))
            described["parameters"] = {_SIZE: len(binary[-1])}
        else:
            described["data"] = [value.decode() if isinstance(value, bytes) else value for value in tensor.values]
        outputs.append(described)
    text = orjson.dumps({**head, "outputs": outputs})
    return TensorAnswer(b"".join([text, *binary]), len(text))


def _binary_size(tensor: InputTensor, n_left: int, pointer: str) -> int:
    """Return how many of the bytes that are left belong to a tensor."""
    _refuse_shared_memory(tensor.parameters, pointer)
    size = tensor.parameters.get(_SIZE)
    if size is None:
        if tensor.data is None:
            _refuse(f"tensor {tensor.name!r} has neither data nor {_SIZE}", pointer)
        return 0
    if tensor.data is not None:
        _refuse(f"tensor {tensor.name!r} has both data and {_SIZE}; send one of them", pointer)
    if type(size) is not int or not 0 <= size <= n_left:
        _refuse(f"tensor {tensor.name!r} has {_SIZE} {repr(size)[:20]}, where {n_left} bytes are left", pointer)
    return size


def _column(tensor: InputTensor, piece: bytes, pointer: str) -> list[Any]:
    n_rows, *more = tensor.shape
    if more not in ([], [1]) or n_rows < 1:
        _refuse(f"tensor {tensor.name!r} has shape {tensor.shape}; a column of n rows has [n, 1]", f"{pointer}/shape")
    if n_rows > MAX_INSTANCES:
        detail = f"{n_rows} rows in one call, at most {MAX_INSTANCES} are answered at once; send them in several calls"
        raise StorageError("too_many_rows", detail)
    values = _decoded(tensor, piece, n_rows, pointer) if tensor.data is None else _flat(tensor.data)
    if len(values) != n_rows:
        detail = f"tensor {tensor.name!r} has shape {tensor.shape}, and the number of its values is {len(values)}"
        _refuse(detail, f"{pointer}/shape")
    return values


def _flat(data: Sequence[Any]) -> list[Any]:
    return [value[0] if type(value) is list and len(value) == 1 else value for value in data]


def _decoded(tensor: InputTensor, piece: bytes, n_rows: int, pointer: str) -> list[Any]:
    """Return the values of a tensor that came behind the JSON; NaN is a missing value."""
    if tensor.datatype == "BYTES":
        return _texts(tensor.name, piece, n_rows, pointer)
    dtype = np.dtype(_DTYPES[tensor.datatype])
    if len(piece) != n_rows * dtype.itemsize:
        detail = f"tensor {tensor.name!r} has {len(piece)} bytes, and shape {tensor.shape}"
        _refuse(f"{detail}; each value of {tensor.datatype} has {dtype.itemsize}", pointer)
    return [None if value != value else value for value in np.frombuffer(piece, dtype).tolist()]  # NaN


def _texts(name: str, piece: bytes, n_rows: int, pointer: str) -> list[str]:
    texts: list[str] = []
    start = 0
    while start < len(piece):
        if len(texts) == n_rows:  # millions of empty texts would keep every other caller waiting
            _refuse(f"tensor {name!r} has more texts than the {n_rows} rows of its shape", f"{pointer}/shape")
        (length,) = _LENGTH.unpack_from(piece.ljust(start + _LENGTH.size, b"\0"), start)
        start += _LENGTH.size
        text = piece[start : start + length]
        start += length
        if start > len(piece):
            _refuse(f"tensor {name!r} ends within its text number {len(texts)}, counted from 0", pointer)
        try:
            texts.append(text.decode())
        except UnicodeDecodeError:
            _refuse(f"text number {len(texts)}, counted from 0, of tensor {name!r} is not UTF-8", pointer)
    return texts


def _as_bytes(tensor: OutputTensor) -> bytes:
    if tensor.datatype == "FP64":
        return np.asarray(tensor.values, "<f8").tobytes()
    encoded: Callable[[Any], bytes] = lambda value: _LENGTH.pack(len(value)) + value  # noqa: E731  # one expression
    return b"".join(map(encoded, tensor.values))


def _common_length(n_values: dict[str, int]) -> int:
    """Return how many rows all columns have; 1 where there are none, so that it is said which features are missing."""
    first, n_rows = next(iter(n_values.items()), ("", 1))
    for name, number in n_values.items():
        if number != n_rows:
            _refuse(f"tensor {first!r} has {n_rows} rows, and {name!r} has {number}", "/inputs")
    return n_rows


def _refuse_shared_memory(parameters: dict[str, Any], pointer: str) -> None:
    if _SHARED_MEMORY in parameters:
        _refuse("shared memory is not supported; send the data", f"{pointer}/parameters/{_SHARED_MEMORY}")


def _refuse(detail: str, pointer: str) -> NoReturn:
    raise StorageError("validation_failed", detail, pointer)
