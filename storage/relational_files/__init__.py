"""Relational files: uploaded tables with keys become a normalised Parquet file each, and one file of arrays."""

from .declaration import RelationalDeclaration, check_declaration
from .reading import CUTOFFS, MAX_CLASSES, PARENTS, TIMES, UploadPaths, in_order, read_tables
from .table_files import read_column

__all__ = [
    "CUTOFFS",
    "MAX_CLASSES",
    "PARENTS",
    "TIMES",
    "RelationalDeclaration",
    "UploadPaths",
    "check_declaration",
    "in_order",
    "read_column",
    "read_tables",
]
