"""read_upload: from an uploaded file to the normalised one, or to a refusal that says what to mend."""

from dataclasses import dataclass, replace
from pathlib import Path

from ..errors import DatasetRefused
from .csv_reading import open_csv, read_header, separator_of
from .json_reading import open_json
from .layout import (
    ColumnDeclaration,
    ColumnSource,
    DatasetLimits,
    DeclaredColumns,
    check_names,
    lay_out,
    refuse_columns,
    refuse_large_file,
)
from .normalising import ColumnSummary, write_normalised
from .parquet_reading import open_parquet, read_parquet_names
from .sniffing import FileForm, sniff

_FORMS: dict[FileForm, str] = {"parquet": "Parquet", "json_array": "a JSON array", "json_lines": "JSON lines"}


@dataclass(frozen=True, slots=True)
class ReadDataset:
    """What an upload holds; its rows are in the normalised file."""

    n_rows: int
    columns: tuple[ColumnSummary, ...]  # as in the normalised file; features are in the model's order
    ignored: tuple[str, ...] = ()  # names of columns that were left out

    @property
    def features(self) -> tuple[str, ...]:
        """Names of the features, in the model's order."""
        return tuple(column.name for column in self.columns if column.role == "feature")


def read_upload(
    path: Path,
    media_hint: str | None,
    declared: ColumnDeclaration,
    limits: DatasetLimits,
    into: Path,
) -> ReadDataset:
    """Read an upload and write it to ``into`` as normalised Parquet.

    Parameters
    ----------
    path
        The uploaded bytes. The name is not used: the content shows the format.
    media_hint
        The media type that the sender claims, if any.
    declared
        What the columns are for.
    limits
        How large the dataset may be.
    into
        The file to be written; worthless where the upload is refused.

    Raises
    ------
    DatasetRefused
        Codes ``dataset_*`` and ``unsupported_media_type``.
    """
    refuse_large_file(path.stat().st_size, limits)
    source = open_source(sniff(path, media_hint), path, declared, limits)
    layout = lay_out(source.names, source.types, declared)
    n_rows, columns = write_normalised(source, layout, into, limits)
    if n_rows == 0:
        raise DatasetRefused("dataset_empty", "there is no row; send a dataset with at least one")
    odd_cells = source.odd_cells
    summaries = tuple(replace(column, category_because=odd_cells.get(column.name)) for column in columns)
    return ReadDataset(n_rows, summaries, source.ignored)


def read_names(form: FileForm, path: Path, limits: DatasetLimits) -> tuple[str, ...]:
    """Return the columns' names, with as little reading as the form allows; raise ``DatasetRefused`` if faulty."""
    if form == "parquet":
        return read_parquet_names(path, limits)
    if form == "csv":
        names = read_header(path, limits, separator_of(path))
        check_names(names)
        return names
    return open_json(path, form, DeclaredColumns(), limits).names


def open_source(form: FileForm, path: Path, declared: ColumnDeclaration, limits: DatasetLimits) -> ColumnSource:
    """Read what it takes to know the columns and their types; raise ``DatasetRefused`` where they are faulty."""
    if declared.separator is not None and form != "csv":
        refuse_columns(f"separator is for CSV, and the file is {_FORMS[form]}; leave separator out")
    if form == "parquet":
        return open_parquet(path, declared, limits)
    if form == "csv":
        return open_csv(path, declared, limits)
    return open_json(path, form, declared, limits)
