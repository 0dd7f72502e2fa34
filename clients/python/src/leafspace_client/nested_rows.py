"""Nested rows: examples as the rows of several tables, each of which is an instance where a model has a feature set."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from .arrow_tables import has_arrow_stream, pyarrow
from .errors import Invalid
from .row_batches import gathered
from .row_kinds import holds_columns, is_frame, is_series
from .rows import instances_of, sent, with_named_index

NestedInstance: TypeAlias = dict[str, list[dict[str, Any]]]
"""The rows of one example, by table."""
_INSTANCES_A_CALL = 100
_ROWS_A_CALL = 100_000
_BYTES_A_CALL = 4 << 20  # half of what the service takes
_VALUES_A_CALL = 150_000  # of features, in an answer of at most 4 MiB
_NAMES_A_CALL = 200_000  # the service refuses bodies of 300,000 rows and names


def nested_instances(rows: Any) -> list[NestedInstance] | None:  # see below
    """Return examples as the rows of several tables; ``None`` for rows of one table.

    Parameters
    ----------
    rows
        One example or a list of them: a dict of tables by name, each a data frame, a list of dicts, or one row as a
        dict or Series, such as ``{"customer": customer, "account": accounts}``.

    Raises
    ------
    Invalid
        For tables that do not name their columns, and for values that the API does not have.
    """
    examples = [rows] if isinstance(rows, Mapping) else gathered(rows)
    if not isinstance(examples, Sequence) or isinstance(examples, str | bytes) or not any(map(is_nested, examples)):
        return None
    return [_instance(example, number) for number, example in enumerate(examples)]


def nested_batches(
    instances: Sequence[NestedInstance], most: int = _INSTANCES_A_CALL
) -> Iterator[list[NestedInstance]]:
    """Yield the examples in batches that one call may hold, of at most ``most``; a larger example is sent alone."""
    batch: list[NestedInstance] = []
    held: tuple[int, ...] = (0, 0, 0)
    for instance in instances:
        rows = [row for table in instance.values() for row in table]
        size = len(rows), sum(1 + len(row) for row in rows), len(json.dumps(instance))
        total = tuple(a + b for a, b in zip(held, size, strict=True))
        limits = (_ROWS_A_CALL, _NAMES_A_CALL, _BYTES_A_CALL)
        is_full = len(batch) >= most or any(a > b for a, b in zip(total, limits, strict=True))
        if batch and is_full:
            yield batch
            batch, total = [], size
        batch.append(instance)
        held = total
    if batch:
        yield batch


def examples_a_call(n_features: int) -> int:
    """Return the number of examples whose values of this number of features fit into one answer."""
    return max(1, min(_INSTANCES_A_CALL, _VALUES_A_CALL // max(1, n_features)))


def is_nested(example: object) -> bool:
    """Whether this is an example as the rows of several tables."""
    values = list(example.values()) if isinstance(example, Mapping) else []
    # A Series may be a row, and lists without values are tables without rows.
    if holds_columns(example) and not any(map(is_series, values)) and any(map(len, values)):
        return False
    is_table = any(is_frame(value) or (has_arrow_stream(value) and not is_series(value)) for value in values)
    return is_table or (bool(values) and all(map(_is_table, values)))


def _is_table(value: Any) -> bool:  # a table, or a cell
    return isinstance(value, Mapping | list | tuple) or is_frame(value) or is_series(value) or has_arrow_stream(value)


def _instance(example: Any, number: int) -> NestedInstance:  # what a caller mixes
    if not is_nested(example):
        detail = f"instance {number} is no dict of tables by name, as others are; do not mix them with rows"
        raise Invalid("schema_mismatch", detail)
    return {str(table): _rows(rows, f"table {table!r} of instance {number}") for table, rows in example.items()}


def _rows(table: Any, where: str) -> list[dict[str, Any]]:  # any form of table
    if not _is_table(table):
        raise Invalid("schema_mismatch", f"{where} is {str(table)[:80]!r}; give a data frame, or a list of dicts")
    if isinstance(table, list | tuple) and not table:
        return []
    if is_frame(table):
        table = with_named_index(table)
    elif has_arrow_stream(table) and not is_series(table):  # which streams values without names
        table = pyarrow().table(table).to_pylist()
    rows: list[Any] = instances_of(table) if len(table) else []
    if not all(isinstance(row, dict) for row in rows):
        raise Invalid("schema_mismatch", f"{where} has rows without names; give a data frame, or a list of dicts")
    return sent(rows)
