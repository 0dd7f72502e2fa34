"""Dataset files: an uploaded CSV, Parquet or JSON file becomes a normalised Parquet file, which is read ever after."""

from .dataset_file import DatasetFile, Values
from .layout import DeclaredColumns
from .limits import DatasetLimits
from .reading import ReadDataset, read_upload
from .summaries import ColumnSummary

__all__ = ["ColumnSummary", "DatasetFile", "DatasetLimits", "DeclaredColumns", "ReadDataset", "Values", "read_upload"]
