"""Dataset files: an uploaded CSV, Parquet or JSON file becomes a normalised Parquet file, which is read ever after."""

from .dataset_file import BLOCK_ROWS, DatasetFile, Parts, Values
from .layout import DatasetLimits, DeclaredColumns
from .normalising import ColumnSummary
from .reading import ReadDataset, read_upload

__all__ = [
    "BLOCK_ROWS",
    "ColumnSummary",
    "DatasetFile",
    "DatasetLimits",
    "DeclaredColumns",
    "Parts",
    "ReadDataset",
    "Values",
    "read_upload",
]
