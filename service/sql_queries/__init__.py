"""SQL that is written for the user's own database: features of several tables, and trees and rules over them.

Nothing here reads data or runs a query. A query becomes a ``SELECT`` of its bindings (``joins.py``), a feature an
expression over such subqueries (``features.py``), and a statement has one row for each example (``statements.py``).
"""

from .features import ExampleTest, feature_test, node_test
from .statements import NamedTests, write_features, write_predictions

__all__ = ["ExampleTest", "NamedTests", "feature_test", "node_test", "write_features", "write_predictions"]
