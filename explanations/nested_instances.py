"""Instances sent as the rows of one example, by table, for models whose features are queries of several tables."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any

import orjson

from schemas.datasets import Column
from schemas.feature_sets import MAX_NESTED_INSTANCES, MAX_NESTED_ROWS
from storage.dataset_files.json_reading import spelled
from storage.errors import StorageError
from tree_explainers.relational.nested_rows import NestedRows
from tree_explainers.relational.queries import Feature
from tree_explainers.relational.query_trie import MOST_VISITS, MOST_VISITS_OF_CALL, QueryTrie, VisitsLeft
from tree_explainers.relational.schema import ColumnSchema, Schema

from .feature_sets import OpenFeatureSet, row_id_of

# Measured on one core of a 2025 server: reading a row, evaluating a feature, looking at a row for a feature.
_SECONDS_PER_ROW, _SECONDS_PER_FEATURE, _SECONDS = 4e-6, 5e-7, 2e-9
_SECONDS_PER_VISIT = 1e-8  # to a row, for several variables, each of whose rows may combine with all of the others
_LONGEST_ID = 255  # of the ids that requests may name rows by
_ROW_BYTES, _NUMBER_BYTES = 4096, 26  # of a row beside its values: its id, or its problem; of a number and a comma


@dataclass(frozen=True, slots=True)
class NestedFeatures:
    """Evaluates a model's features of one example; what depends on the schema alone is prepared once."""

    reader: NestedRows
    trie: QueryTrie
    holds: tuple[ColumnSchema, ...]  # (n_features,) what each feature's values are
    most_variables: int  # of one feature

    @staticmethod
    def of(features: OpenFeatureSet, columns: Sequence[Column]) -> "NestedFeatures | None":
        """Prepare for a model; ``None`` where a column that it reads is none of the set's features.

        Parameters
        ----------
        features
            Of the dataset that the model's features are taken from.
        columns : n_features columns
            The dataset's column for each of the model's features.
        """
        known = dict(zip(features.names, features.features, strict=True))
        if not known.keys() >= {column.name for column in columns}:
            return None
        return NestedFeatures.prepared([known[column.name] for column in columns], features.schema)

    @staticmethod
    def prepared(features: Sequence[Feature], schema: Schema) -> "NestedFeatures":
        """Prepare for some features, in their order."""
        trie = QueryTrie(features, schema)
        most_variables = max((len(feature.query.variables) for feature in features), default=0)
        return NestedFeatures(NestedRows(schema, trie.used), trie, trie.columns, most_variables)

    def values_of(self, instance: dict[str, Any], visits: VisitsLeft) -> list[Any]:
        """Return the value of each feature, as a row of the dataset has it; ``None`` where it is missing.

        Parameters
        ----------
        visits
            How many rows may still be looked at for the examples of the call.

        Raises
        ------
        RowRefused
            ``schema_mismatch`` for rows that are not those of one example; see ``NestedRows.rows_of``.
            ``too_many_rows`` where they combine in more ways than a call may wait for.
        """
        vector: list[Any] = self.trie.vector(self.reader.rows_of(instance), visits).tolist()
        return [
            None if isnan(value) else value if holds.kind == "number" else _named(value, holds)
            for value, holds in zip(vector, self.holds, strict=True)
        ]

    def row_id(self, instance: Mapping[str, Sequence[Any]]) -> str | None:
        """Return the primary key of the example that is sent, as ids of datasets are written.

        It is ``None`` where there is no key, or a part of it is missing or no text, number or boolean, and where it is
        no id that a request may name a row by: longer than 255 characters, or with some that are not printed.
        """
        schema = self.reader.schema
        rows = instance.get(schema.examples) or [None]
        columns = schema.tables[schema.examples].primary_key
        parts = [rows[0].get(column) for column in columns] if isinstance(rows[0], Mapping) else []
        texts = [spelled(part) for part in parts if isinstance(part, str | int | float)]
        if not texts or len(texts) < len(parts):
            return None
        key = row_id_of(texts)
        return key if 0 < len(key) <= _LONGEST_ID and key.isprintable() else None

    def row_ids(self, instances: Sequence[dict[str, Any] | list[Any]]) -> list[str] | None:
        """Return the primary key of each example as text; ``None`` unless each has one, and each another one."""
        nested = [each for each in instances if isinstance(each, dict) and is_nested(each)]
        keys = [key for key in map(self.row_id, nested) if key is not None]
        return keys if len(set(keys)) == len(instances) else None

    def seconds(self, instances: Sequence[dict[str, Any] | list[Any]]) -> float:
        """Return about how long it takes at most to evaluate those of some instances that are nested."""
        n_rows = [sum(map(len, each.values())) for each in instances if isinstance(each, dict) and is_nested(each)]
        n_features = len(self.holds)
        plain = sum(_SECONDS_PER_ROW * rows + n_features * (_SECONDS_PER_FEATURE + _SECONDS * rows) for rows in n_rows)
        if self.most_variables <= 1:
            return plain
        n_visits: int = sum(min(MOST_VISITS, rows**self.most_variables) for rows in n_rows)
        return plain + _SECONDS_PER_VISIT * min(MOST_VISITS_OF_CALL, n_visits)


@dataclass(frozen=True, slots=True)
class WarmFeatureSet:
    """A feature set that is ready to evaluate examples: what depends on its features alone is prepared."""

    features: NestedFeatures
    head: bytes  # of answers: JSON up to their rows
    row_bytes: int  # of one example's values as JSON, at most

    @staticmethod
    def of(opened: OpenFeatureSet) -> "WarmFeatureSet":
        """Prepare all features of a set."""
        head = orjson.dumps({"object": "list", "feature_set": opened.id, "features": opened.names})
        features = NestedFeatures.prepared(opened.features, opened.schema)
        row_bytes = _ROW_BYTES + sum(map(_value_bytes, features.holds))
        return WarmFeatureSet(features, head[:-1] + b',"data":[', row_bytes)


def _value_bytes(holds: ColumnSchema) -> int:
    return max([_NUMBER_BYTES, *(len(orjson.dumps(level)) + 1 for level in holds.levels)])


def _named(value: float, holds: ColumnSchema) -> bool | str | None:
    """Return a boolean or a category; one that the schema does not have equals none of those that it has."""
    if holds.kind == "boolean":
        return bool(value)
    return holds.levels[int(value)] if int(value) < len(holds.levels) else None


def is_nested(instance: dict[str, Any] | list[Any]) -> bool:
    """Return whether an instance consists of lists of rows; values of features are never lists."""
    return isinstance(instance, dict) and bool(instance) and all(isinstance(rows, list) for rows in instance.values())


def check_number_of_rows(instances: Sequence[dict[str, Any] | list[Any]]) -> None:
    """Refuse more examples, or more rows of them together, than are evaluated at once.

    Raises
    ------
    StorageError
        ``too_many_rows``.
    """
    nested = [each for each in instances if isinstance(each, dict) and is_nested(each)]
    n_rows = sum(len(rows) for each in nested for rows in each.values())
    if len(nested) > MAX_NESTED_INSTANCES or n_rows > MAX_NESTED_ROWS:
        detail = (
            f"{len(nested)} examples with {n_rows:,} rows of all tables in one call; at most {MAX_NESTED_INSTANCES} "
            f"with {MAX_NESTED_ROWS:,} rows are answered at once: send them in several calls, or make a dataset of them"
        )
        raise StorageError("too_many_rows", detail)
