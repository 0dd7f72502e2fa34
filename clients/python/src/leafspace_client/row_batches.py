"""Batches of rows: rows in any form, in batches that one call may hold; streams are read as they are sent."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice
from typing import Any, TypeAlias

from .errors import Invalid
from .row_kinds import is_batch, is_frame, is_row, is_table
from .rows import Instance, batches, index_names, instances_of, named_instances, names_of, refuse_repeats

NamedRows: TypeAlias = tuple[list[Any], list[str]]
"""Instances, and the id of each."""
_ROWS_READ_AT_ONCE = 1000
_ADVICE = "give each row an id of its own"


def named_batches(
    rows: Any,  # as for instances_of, or a stream of rows or of batches of them
    row_ids: Iterable[Any] | None = None,
) -> Iterator[NamedRows]:
    """Yield rows as instances with their ids, in batches that one call may hold.

    Parameters
    ----------
    rows
        As for ``instances_of``; of a generator or another iterator only the rows of the next call are held.
    row_ids
        As for ``named_instances``; without them the frames of a stream have the names of their indices, and other rows
        their 0-based indices in the whole stream.

    Raises
    ------
    Invalid
        As ``named_instances``; of a stream, when the faulty row is reached.
    """
    parts = _parts(rows, row_ids) if is_stream(rows) else iter([named_instances(rows, row_ids)])
    for instances, names in parts:
        first = 0
        for batch in batches(instances):
            yield batch, names[first : first + len(batch)]
            first += len(batch)


def is_stream(rows: object) -> bool:
    """Whether rows, or batches of them, are only known one by one: generators, readers of files."""
    return isinstance(rows, Iterable) and not hasattr(rows, "__len__") and not is_table(rows)


def gathered(rows: Any) -> Any:  # any rows
    """Return the rows of a stream or of a list of batches as one list or DataFrame, and others unchanged."""
    if not is_stream(rows) and not (isinstance(rows, list) and any(map(is_batch, rows))):
        return rows
    listed = list(rows)
    if not listed or not all(map(is_frame, listed)):
        return instances_of(listed) if any(map(is_batch, listed)) else listed
    import pandas as pd  # an extra

    only_count = all(frame.index.equals(pd.RangeIndex(len(frame))) for frame in listed)
    return pd.concat(listed, ignore_index=only_count)


def peeked(rows: Iterable[Any]) -> tuple[Any, Iterator[Any]]:
    """Return the first item of a stream, ``None`` where there is none, and the whole stream."""
    items = iter(rows)
    first = list(islice(items, 1))
    return (first[0] if first else None), chain(first, items)


def _parts(rows: Iterable[Any], row_ids: Iterable[Any] | None) -> Iterator[tuple[list[Instance], list[str]]]:
    """Yield the parts of a stream that are read at once, and the names of their rows."""
    given = None if row_ids is None else iter(row_ids)
    seen: dict[str, None] = {}
    for part in _read(rows):
        try:
            instances = instances_of(part)
        except Invalid as error:
            raise Invalid(error.code, f"{error.detail} (counted from row {len(seen)} of the stream)") from error
        if given is None:
            names = _names_in_stream(part, len(seen), len(instances))
        else:
            names = names_of(islice(given, len(instances)), len(instances))
        n_before = len(seen)
        seen |= dict.fromkeys(names)
        if len(seen) < n_before + len(names):
            refuse_repeats([*list(seen)[:n_before], *names], "row_ids hold", "validation_failed", _ADVICE)
        yield instances, names
    if given is not None and next(given, None) is not None:
        raise Invalid("validation_failed", f"more row_ids than the {len(seen)} rows; give one for each, or none at all")


def _read(rows: Iterable[Any]) -> Iterator[Any]:
    """Yield each batch of a stream as it is, and single rows in lists."""
    first, items = peeked(rows)
    if not is_row(first) and not is_batch(first):
        yield list(items)  # the values of one row, or nothing
        return
    single: list[Any] = []
    for item in items:
        if is_batch(item):
            if single:
                yield single
                single = []
            yield item
        else:
            single.append(item)
        if len(single) == _ROWS_READ_AT_ONCE:
            yield single
            single = []
    if single:
        yield single


def _names_in_stream(part: Any, n_before: int, n_rows: int) -> list[str]:  # any rows
    is_named = is_frame(part) or isinstance(part, list | tuple)
    names = index_names(part, "validation_failed", "row_ids") if is_named and not isinstance(part, Mapping) else None
    return [str(n_before + row) for row in range(n_rows)] if names is None else names
