"""Dataset files: an uploaded CSV, Parquet or JSON file becomes a normalised Parquet file, which is read ever after."""

from .dataset_file import DatasetFile, Values
from .layout import DatasetLimits, DeclaredColumns
from .normalising import ColumnSummary
from .reading import ReadDataset, read_upload

__all__ = ["ColumnSummary", "DatasetFile", "DatasetLimits", "DeclaredColumns", "ReadDataset", "Values", "read_upload"]
