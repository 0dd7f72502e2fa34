"""Instances as callers write them, turned into rows that a session can read; a bad one never fails the others."""

import difflib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, NoReturn

import numpy as np
from leafspace_drawings.words import counted
from numpy.typing import NDArray

from schemas.json_numbers import number_of
from schemas.models import MAX_INSTANCES, Model
from storage.errors import StorageError
from tree_explainers.compute.progress import Tick, no_tick
from tree_explainers.effects.walked_rows import WalkedRows
from tree_explainers.errors import RowRefused
from tree_explainers.onnx_models.session import ModelSession, Outcome
from tree_explainers.relational.query_trie import VisitsLeft
from tree_explainers.rows import Rows

from .nested_instances import NestedFeatures, check_number_of_rows, is_nested

Run = tuple[Outcome, list[int], dict[int, RowRefused]]
"""The model's outcome for the rows that it accepts, their indices, and why the others are refused."""

_PLAIN_TYPES = frozenset({float, int, bool, type(None)})
_N_IGNORED_SHOWN = 100  # names of columns in an answer
_N_NAME_CHARACTERS, _N_SHOWN_CHARACTERS = 255, 80
_N_LACKING_SHOWN, _N_COMPARED = 8, 100  # features that an instance lacks, and pairs of names that are compared
_SEND_NULLS = "send null where a value is missing"
LARGEST_FLOAT32 = 3.4028235677973366e38  # what still rounds to a finite float32


@dataclass(frozen=True, slots=True)
class Features:
    """A model's raw features, as callers name them, in its order."""

    names: tuple[str, ...]
    types: tuple[Literal["number", "category"], ...]
    are_numbers: bool  # all of them
    nested: NestedFeatures | None = None  # where they are queries of several tables, of which rows may be sent

    @staticmethod
    def of(model: Model, nested: NestedFeatures | None = None) -> "Features":
        """Return the features of a model."""
        names, types = tuple(model.feature_names), tuple(model.feature_types)
        return Features(names, types, "category" not in types, nested)


class ReadInstances(NamedTuple):
    """The instances that can be read, and why the others cannot."""

    rows: Rows | NDArray[np.float64]  # a matrix where all features are numbers
    indices: list[int]  # of the rows, among the instances
    values: list[list[Any]]  # of the rows, as sent but for infinities, in the order of the features
    refused: dict[int, RowRefused]  # by index among the instances
    ignored: tuple[str, ...] = ()  # names that instances have and the model does not, the first 100 in their order
    targets: Mapping[int, str | float] = MappingProxyType({})  # of registered rows, by index among the instances
    references: Mapping[int, int] = MappingProxyType({})  # of reference rows: which they are, by the same index

    @property
    def n_rows(self) -> int:
        """Number of all instances."""
        return len(self.indices) + len(self.refused)

    def among(self, positions: Sequence[int], others: Mapping[int, RowRefused]) -> "ReadInstances":
        """Return the same instances among others that are refused.

        Parameters
        ----------
        positions : n_instances indices
            Of these instances among all.
        others
            Why the others are refused, by their indices among all.
        """
        refused = {positions[index]: error for index, error in self.refused.items()}
        indices = [positions[index] for index in self.indices]
        targets = {positions[index]: target for index, target in self.targets.items()}
        references = {positions[index]: row for index, row in self.references.items()}
        return ReadInstances(self.rows, indices, self.values, {**refused, **others}, self.ignored, targets, references)

    def registered(
        self, targets: Sequence[str | float | None], rows: Sequence[int], *, are_reference: bool
    ) -> "ReadInstances":
        """Return the same as rows of a dataset, which may be that of the reference rows.

        Parameters
        ----------
        targets : (n_rows,)
            The target of each instance, ``None`` where it is not known.
        rows : (n_rows,)
            The row of the dataset that each instance is.
        are_reference
            Whether it is the dataset of the reference rows.
        """
        known = {index: target for index, target in enumerate(targets) if target is not None}
        return self._replace(targets=known, references=dict(enumerate(rows)) if are_reference else {})


def read_instances(
    instances: Sequence[dict[str, Any] | list[Any]], features: Features, tick: Tick = no_tick
) -> ReadInstances:
    """Return the instances as rows; ``tick`` is called before each, and may raise.

    Raises
    ------
    StorageError
        ``too_many_rows`` for more than a call may hold.
    """
    _check_number(len(instances))
    if features.nested is not None:
        check_number_of_rows(instances)
    indices, values, encoded, refused = [], [], [], {}
    ignored: dict[str, None] = {}
    visits = VisitsLeft()
    for index, instance in enumerate(instances):
        tick()
        try:
            row, encoded_row = _with_encoded(_in_order(instance, features, ignored, visits), features)
        except RowRefused as error:
            refused[index] = error
            continue
        indices.append(index)
        values.append(row)
        encoded.append(encoded_row)
    return ReadInstances(_rows(encoded, features), indices, values, refused, tuple(ignored))


def row_ids_of(row_ids: Sequence[str] | None, n_instances: int, pointer: str = "/row_ids") -> Sequence[str]:
    """Return the id of each row: the one that the caller gave it, or else its 0-based index as text.

    Raises
    ------
    StorageError
        ``validation_failed`` if the number of ids is not that of the rows, or if two rows have the same id.
    """
    if row_ids is None:
        return [str(row) for row in range(n_instances)]
    if len(row_ids) != n_instances:
        name = pointer.removeprefix("/")
        detail = f"{len(row_ids)} {name} for {n_instances} instances; send one for each, or none at all"
        raise StorageError("validation_failed", detail, pointer)
    if len(set(row_ids)) != n_instances:
        _refuse_repeated_id(row_ids, pointer)
    return row_ids


def ids_of_instances(
    row_ids: Sequence[str] | None, instances: Sequence[dict[str, Any] | list[Any]], features: Features
) -> Sequence[str]:
    """Return the id of each instance as ``row_ids_of``; without the caller's, examples have their primary keys.

    That is so where all are sent as nested rows that have a key, each another one.
    """
    if row_ids is None and features.nested is not None:
        row_ids = features.nested.row_ids(instances)
    return row_ids_of(row_ids, len(instances))


def _refuse_repeated_id(row_ids: Sequence[str], pointer: str) -> NoReturn:
    first_rows: dict[str, int] = {}
    for row, row_id in enumerate(row_ids):
        first = first_rows.setdefault(row_id, row)
        if first != row:
            detail = f"rows {first} and {row} (counted from 0) have the same id {row_id!r}; each row needs its own"
            raise StorageError("validation_failed", detail, f"{pointer}/{row}")
    raise AssertionError


def joined(reads: Sequence[ReadInstances]) -> ReadInstances:
    """Return the instances of several calls one after the other; they are of the same features."""
    indices, values, n_before = list[int](), list[list[Any]](), 0
    refused, targets, references = dict[int, RowRefused](), dict[int, str | float](), dict[int, int]()
    for read in reads:
        indices += [n_before + index for index in read.indices]
        values += read.values
        refused |= {n_before + index: error for index, error in read.refused.items()}
        targets |= {n_before + index: target for index, target in read.targets.items()}
        references |= {n_before + index: row for index, row in read.references.items()}
        n_before += read.n_rows
    rows = _stacked([read.rows for read in reads])
    return ReadInstances(rows, indices, values, refused, targets=targets, references=references)


def _stacked(blocks: Sequence[Rows | NDArray[np.float64]]) -> Rows | NDArray[np.float64]:
    columns = [block.columns for block in blocks if isinstance(block, Rows)]
    if not columns:
        return np.concatenate(blocks)  # type: ignore[arg-type]  # matrices, as those of all calls of a model are
    names = blocks[0].names  # type: ignore[union-attr]  # likewise
    return Rows(names, tuple(np.concatenate(parts) for parts in zip(*columns, strict=True)))


def run_readable(session: ModelSession, read: ReadInstances, walked: WalkedRows | None = None) -> Run:
    """Apply the model to instances, by ``walked`` where its rows can be walked."""
    if walked is not None and len(read.rows):
        outcome = walked.outcome(read.rows)
        if outcome is not None:
            return outcome, read.indices, read.refused
    run = session.run_rows(read.rows)
    if not run.refused:
        return run.outcome, read.indices, read.refused
    late = {read.indices[row]: error for row, error in run.refused}
    return run.outcome, [read.indices[row] for row in run.accepted], read.refused | late


def encoded_value(
    feature: str, kind: Literal["number", "category"], value: Any
) -> float | str | None:  # any JSON value
    """Return a value as models take it, NaN or ``None`` where it is missing; refuse one of another type.

    Refused is also a finite number that no single precision has.
    """
    encoded = _ENCODE[kind](feature, number_of(value) if kind == "number" else value)
    if isinstance(encoded, float) and LARGEST_FLOAT32 <= abs(encoded) < math.inf:
        detail = f"feature {feature!r} is {value!r}, which is not finite as a 32-bit number"
        raise RowRefused("non_finite_number", detail)
    return encoded


def _with_encoded(ordered: list[Any], features: Features) -> tuple[list[Any], list[Any]]:
    """Return the values with numbers in place of the texts of infinite ones, and the same as models take them."""
    # Numbers as JSON has them need no check of each: numpy takes them all, and null for NaN; the session refuses
    # those that are not finite in the model's precision, where the model does.
    if features.are_numbers and _PLAIN_TYPES.issuperset(map(type, ordered)):
        return ordered, ordered
    values = [
        number_of(value) if kind == "number" else value for kind, value in zip(features.types, ordered, strict=True)
    ]
    named = zip(features.names, features.types, values, strict=True)
    return values, [_ENCODE[kind](name, value) for name, kind, value in named]


def _check_number(n_instances: int) -> None:
    if n_instances > MAX_INSTANCES:
        detail = (
            f"{n_instances} instances in one call, at most {MAX_INSTANCES} are answered at once; "
            "send them in several calls, or register them as a dataset and let a job do it"
        )
        raise StorageError("too_many_rows", detail)


def _rows(encoded: list[list[Any]], features: Features) -> Rows | NDArray[np.float64]:
    if features.are_numbers:
        shape = len(encoded), len(features.names)
        return np.fromiter(chain.from_iterable(encoded), np.float64, shape[0] * shape[1]).reshape(shape)
    columns = [
        np.array([row[index] for row in encoded], dtype=np.float64 if kind == "number" else object)
        for index, kind in enumerate(features.types)
    ]
    return Rows(features.names, tuple(columns))


def _in_order(
    instance: dict[str, Any] | list[Any], features: Features, ignored: dict[str, None], visits: VisitsLeft
) -> list[Any]:
    """Return the values in the order of the features; add the names of all others to ``ignored``."""
    if isinstance(instance, list):
        if len(instance) != len(features.names):
            lengths = counted(len(instance), "value"), counted(len(features.names), "feature")
            detail = "the instance has {}, the model has {}".format(*lengths)
            raise RowRefused("schema_mismatch", detail)
        return instance
    if features.nested is not None and is_nested(instance):
        return features.nested.values_of(instance, visits)
    try:
        ordered = [instance[name] for name in features.names]
    except KeyError as error:
        raise RowRefused("schema_mismatch", _lacking(instance, features)) from error
    if len(instance) != len(features.names):
        _add_ignored(ignored, instance, features)
    return ordered


def _add_ignored(ignored: dict[str, None], instance: dict[str, Any], features: Features) -> None:
    known = set(features.names)
    for name in instance:
        if len(ignored) == _N_IGNORED_SHOWN:
            return
        if name not in known:
            ignored[name[:_N_NAME_CHARACTERS]] = None


def _lacking(instance: dict[str, Any], features: Features) -> str:
    """Return which features an instance lacks, all of them at once, and what to do about it."""
    lacking = [name for name in features.names if name not in instance]
    shown = ", ".join(repr(name[:_N_SHOWN_CHARACTERS]) for name in lacking[:_N_LACKING_SHOWN])
    n_more = len(lacking) - _N_LACKING_SHOWN
    listed = f"{len(lacking)} features: {shown}{f' and {n_more} more' if n_more > 0 else ''}"
    named = f"the feature {shown}" if len(lacking) == 1 else listed
    return f"the instance lacks {named}; {_advice(lacking, instance, features)}"


def _advice(lacking: list[str], instance: dict[str, Any], features: Features) -> str:
    """Return what to do about features that are lacking: spell them as the model does, or send null."""
    known = set(features.names)
    has_names = list(features.names) != [f"x{index}" for index in range(len(features.names))]
    if not has_names and known.isdisjoint(instance):
        return "the model's features were never named: send each row as a list of values, in their order"
    others = [name for name in instance if name not in known][: _N_COMPARED // min(len(lacking), _N_LACKING_SHOWN)]
    alike = {name.strip().casefold(): name for name in reversed(others)}
    meant = []
    for name in lacking[:_N_LACKING_SHOWN]:
        close = difflib.get_close_matches(name.strip().casefold()[:_N_NAME_CHARACTERS], alike, n=1, cutoff=0.8)
        if close:
            meant.append((name, alike[close[0]][:_N_SHOWN_CHARACTERS]))
    if len(lacking) == len(meant) == 1:
        return f"did you mean it by {meant[0][1]!r}?"
    spelt = [f"did you mean {name[:_N_SHOWN_CHARACTERS]!r} by {other!r}?" for name, other in meant]
    return "; ".join([*spelt, "send null where its value is missing" if len(lacking) == 1 else _SEND_NULLS])


def _number(feature: str, value: Any) -> float:  # any JSON value
    if value is None:
        return math.nan
    if not isinstance(value, float | int):
        detail = f"feature {feature!r} is a number, got {str(value)[:80]!r}"
        raise RowRefused("bad_feature_type", detail)
    return float(value)


def _category(feature: str, value: Any) -> str | None:  # any JSON value
    if value is None or isinstance(value, str):
        return value
    # Codes such as 7 are often written without quotes; 7.0 and true could be meant in more than one way.
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    detail = f"feature {feature!r} is a category, got {str(value)[:80]!r}; send a string"
    raise RowRefused("bad_feature_type", detail)


_ENCODE: dict[str, Callable[[str, Any], float | str | None]] = {"number": _number, "category": _category}
