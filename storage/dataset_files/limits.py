"""Limits: how large an uploaded dataset may be, and the refusals of those that are larger."""

from dataclasses import dataclass
from typing import NoReturn

from ..errors import DatasetRefused


@dataclass(frozen=True, slots=True)
class DatasetLimits:
    """What is refused before it is decoded; each one is a setting."""

    max_file_bytes: int = 2 * 1024**3
    max_rows: int = 10_000_000
    max_columns: int = 10_000
    max_cells: int = 2_000_000_000
    max_field_bytes: int = 128 * 1024
    max_decoded_bytes: int = 8 * 1024**3  # a small Parquet file can hold very much text


def refuse_large_file(n_bytes: int, limits: DatasetLimits) -> None:
    """Refuse a file with too many bytes."""
    if n_bytes > limits.max_file_bytes:
        refuse_size(f"the file has {n_bytes:,} bytes; at most {limits.max_file_bytes:,} are read")


def refuse_many_columns(n_columns: int, limits: DatasetLimits) -> None:
    """Refuse a table with too many columns."""
    if n_columns > limits.max_columns:
        refuse_size(f"there are {n_columns:,} columns; at most {limits.max_columns:,} are read")


def refuse_many_rows(n_rows: int, n_columns: int, limits: DatasetLimits) -> None:
    """Refuse a table with too many rows or cells."""
    if n_rows > limits.max_rows:
        refuse_size(f"there are more than {limits.max_rows:,} rows; send fewer rows")
    if n_rows * n_columns > limits.max_cells:
        refuse_size(f"there are more than {limits.max_cells:,} cells; send fewer rows or columns")


def refuse_size(detail: str) -> NoReturn:
    """Refuse a dataset that is over a limit."""
    raise DatasetRefused("dataset_too_large", detail)


def refuse_field(where: str, limits: DatasetLimits) -> NoReturn:
    """Refuse a single value that is over the limit; ``where`` begins the sentence."""
    detail = f"{where} is larger than {limits.max_field_bytes:,} bytes, the limit of a single value; shorten it"
    raise DatasetRefused("dataset_field_too_large", detail)
