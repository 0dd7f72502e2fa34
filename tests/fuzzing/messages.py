"""Protobuf messages changed in a few places: any field of any message within, as its type allows."""

import random
import struct
from collections.abc import Callable, Iterator
from typing import Any

from google.protobuf.descriptor import FieldDescriptor as Field  # type: ignore[import-untyped]  # ships no types
from onnx import ModelProto

Message = Any  # protobuf's classes have no common type that is known here
Kinds = dict[str, list[Message]]

_INTEGERS = (
    -(2**63),
    -(2**31),
    -2,
    -1,
    0,
    1,
    2,
    3,
    7,
    255,
    256,
    2**15,
    2**24 + 1,
    2**31 - 1,
    2**31,
    2**32,
    2**62,
    2**63 - 1,
)
_REALS = (float("nan"), float("inf"), float("-inf"), 0.0, -0.0, 1.0, -1.5, 1e-45, 3.4e38)
_TEXTS = (
    "",
    "X",
    "Y",
    "ai.onnx",
    "ai.onnx.ml",
    "com.example",
    "LEAF",
    "BRANCH_LEQ",
    "é\u202e\n",
    "\ud7ff",
    "0" * 300,
    "../x",
)
_BIT_WIDTHS = {Field.CPPTYPE_INT32: 32, Field.CPPTYPE_UINT32: 32, Field.CPPTYPE_INT64: 64, Field.CPPTYPE_UINT64: 64}
_UNSIGNED = (Field.CPPTYPE_UINT32, Field.CPPTYPE_UINT64)


def mutated_model(data: bytes, rng: random.Random, n_changes: int) -> bytes:
    """Return a model with this number of changes, each in a place of its own choosing."""
    model = ModelProto.FromString(data)
    for _ in range(n_changes):
        # Large graphs have thousands of places; those that matter most are few, so the kind of message is drawn first.
        by_kind: Kinds = {}
        for message in _messages(model):
            by_kind.setdefault(message.DESCRIPTOR.name, []).append(message)
        _change(rng.choice(by_kind[rng.choice(sorted(by_kind))]), rng, by_kind)
    return bytes(model.SerializeToString())


def _messages(message: Message) -> Iterator[Message]:
    yield message
    for field, value in message.ListFields():
        if field.type == Field.TYPE_MESSAGE:
            for each in value if _is_repeated(field) else (value,):
                yield from _messages(each)


def _change(message: Message, rng: random.Random, by_kind: Kinds) -> None:
    present = [field for field, _ in message.ListFields()]
    fields = present if present and rng.random() < 0.85 else list(message.DESCRIPTOR.fields)
    if not fields:
        return
    field = rng.choice(fields)
    if _is_repeated(field):
        _change_list(getattr(message, field.name), field, rng, by_kind)
    elif rng.random() < 0.15:
        message.ClearField(field.name)
    elif field.type == Field.TYPE_MESSAGE:
        _replace(getattr(message, field.name), rng, by_kind)
    else:
        setattr(message, field.name, _scalar(field, getattr(message, field.name), rng))


def _change_list(values: Message, field: Any, rng: random.Random, by_kind: Kinds) -> None:  # protobuf's
    way = rng.choice(_WAYS)
    if way == "add" or not len(values):
        if field.type == Field.TYPE_MESSAGE:
            donors = by_kind.get(field.message_type.name, [])
            added = _copy(rng.choice(donors)) if donors else None
            values.add()
            if added is not None:
                values[-1].CopyFrom(added)
        else:
            values.append(_scalar(field, None, rng))
        return
    at = rng.randrange(len(values))
    if way == "remove":
        del values[at]
    elif way == "cut":
        del values[at:]
    elif field.type == Field.TYPE_MESSAGE:
        _replace(values[at], rng, by_kind)
    elif way == "swap":
        other = rng.randrange(len(values))
        values[at], values[other] = values[other], values[at]
    elif way == "repeat":
        values.extend(list(values))
    else:
        values[at] = _scalar(field, values[at], rng)


_WAYS = ("add", "remove", "cut", "swap", "repeat", "change", "change", "change")


def _replace(message: Message, rng: random.Random, by_kind: Kinds) -> None:
    donors = by_kind.get(message.DESCRIPTOR.name, [])
    if donors and rng.random() < 0.6:
        message.CopyFrom(_copy(rng.choice(donors)))
    else:
        message.Clear()


def _copy(message: Message) -> Message:
    """Return a copy of its own: a message may hold the very place that it is to be copied to."""
    copy = type(message)()
    copy.CopyFrom(message)
    return copy


def _scalar(field: Any, value: Any, rng: random.Random) -> Any:  # of any type
    if field.cpp_type in _BIT_WIDTHS:
        return _integer(field, value, rng)
    return _MAKERS[field.cpp_type](field, value, rng)


def _integer(field: Any, value: int | None, rng: random.Random) -> int:  # protobuf's
    width: int = _BIT_WIDTHS[field.cpp_type]
    is_unsigned = field.cpp_type in _UNSIGNED
    revealing: int = rng.choice(_INTEGERS)
    chosen: int = (revealing if value is None or rng.random() < 0.6 else value + rng.choice((-1, 1))) % 2**width
    return chosen if is_unsigned or chosen < 2 ** (width - 1) else chosen - 2**width


def _real(_field: Any, _value: float | None, rng: random.Random) -> float:  # protobuf's
    return rng.choice(_REALS)


def _text(field: Any, value: str | bytes | None, rng: random.Random) -> str | bytes:  # protobuf's
    if field.type != Field.TYPE_BYTES:
        return rng.choice(_TEXTS)
    bytes_now = value if isinstance(value, bytes) else b""
    return rng.choice(
        (
            b"",
            b"\xff\xfe",
            rng.choice(_TEXTS).encode(),
            bytes_now[:-1],
            bytes_now * 2,
            struct.pack("<d", rng.choice(_REALS)),
        )
    )


def _enumerated(field: Any, _value: int | None, rng: random.Random) -> int:  # protobuf's
    number: int = rng.choice(field.enum_type.values).number
    return number


_MAKERS: dict[int, Callable[[Any, Any, random.Random], Any]] = {
    Field.CPPTYPE_FLOAT: _real,
    Field.CPPTYPE_DOUBLE: _real,
    Field.CPPTYPE_STRING: _text,
    Field.CPPTYPE_ENUM: _enumerated,
    Field.CPPTYPE_BOOL: lambda _field, value, _rng: not value,
}


def _is_repeated(field: Any) -> bool:  # protobuf's
    return bool(field.is_repeated)
