"""Rule sets, approximation trees and prototype classifiers in other formats, written from the public document alone.

An export is neither mathematics nor part of HTTP: it is another notation for a published result. It belongs to the
service because the document's types are known here. Start with ``formats.py``.
"""

from .formats import (
    CLASSIFIER_MEDIA_TYPES,
    RULE_MEDIA_TYPES,
    TREE_MEDIA_TYPES,
    TextFormat,
    write_classifier,
    write_rules,
    write_tree,
)
from .over_tables import TablesBehind, write_rules_over_tables, write_tree_over_tables

__all__ = [
    "CLASSIFIER_MEDIA_TYPES",
    "RULE_MEDIA_TYPES",
    "TREE_MEDIA_TYPES",
    "TablesBehind",
    "TextFormat",
    "write_classifier",
    "write_rules",
    "write_rules_over_tables",
    "write_tree",
    "write_tree_over_tables",
]
