"""Feature sets as they are stored, and opened again: the schema that they are about, and their features in order."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import orjson

from schemas.feature_sets import FEATURE_SETS, FeatureSetRequest, FeatureSetResult
from schemas.identifiers import content_identifier
from schemas.relational_datasets import RelationalColumn, RelationalDataset
from schemas.relational_features import FeatureType, RelationalFeature, RequestedFeature
from storage.artefacts import Artefact, ArtefactStore, NewArtefact
from storage.object_store import ObjectStore
from storage.relational_datasets import RelationalDatasetStore
from storage.relational_files import in_order
from tree_explainers.relational.canonical import feature_id
from tree_explainers.relational.feature_json import document_of, feature_of
from tree_explainers.relational.feature_texts import names_of
from tree_explainers.relational.queries import Feature
from tree_explainers.relational.query_program import column_of
from tree_explainers.relational.schema import ColumnSchema, RelationshipSchema, Schema, TableSchema

MAX_LEVELS = 1_000
"""Columns of categories with more levels than this count as keys, which no query tests."""


@dataclass(frozen=True, slots=True)
class OpenFeatureSet:
    """The features of a set, ready to be evaluated, printed or written as SQL."""

    id: str
    relational_dataset: str  # id
    schema: Schema  # of that dataset, with the levels that its categories have
    features: tuple[Feature, ...]  # in canonical form
    described: tuple[RelationalFeature, ...]  # the same features, as the API has them

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the features, of the columns of datasets, and of what models learned on these read."""
        return tuple(each.name for each in self.described)


def open_feature_set(
    artefacts: ArtefactStore, relational_datasets: RelationalDatasetStore, objects: ObjectStore, feature_set: str
) -> OpenFeatureSet:
    """Return a feature set of this id.

    Raises
    ------
    StorageError
        ``not_found``, or ``artefact_not_ready`` while its job runs.
    """
    artefact = artefacts.get(FEATURE_SETS.name, feature_set)
    schema = schema_of(relational_datasets.get(_dataset_of(artefact)).view)
    described = tuple(FeatureSetResult.model_validate_json(objects.get(artefact.ready_result())).features)
    features = tuple(feature_of(plain_document(each), schema) for each in described)
    return OpenFeatureSet(artefact.id, _dataset_of(artefact), schema, features, described)


def _dataset_of(artefact: Artefact) -> str:
    return str(artefact.request["relational_dataset"])


def plain_document(feature: RequestedFeature) -> dict[str, Any]:
    """Return a feature as the mathematics reads it: without its id and type."""
    document = feature.model_dump(mode="json", exclude={"id", "type"})
    return document if document["name"] is not None else {**document, "name": ""}


def describe_features(features: Sequence[Feature], names: Sequence[str], schema: Schema) -> list[RelationalFeature]:
    """Return features as the API has them, in their order."""
    return [
        RelationalFeature.model_validate(
            {**document_of(feature, schema, name), "id": feature_id(feature), "type": type_of(feature, schema)}
        )
        for feature, name in zip(features, names, strict=True)
    ]


def described_by_name(features: Sequence[Feature], schema: Schema) -> list[RelationalFeature]:
    """Return features under their names in English."""
    return describe_features(features, english_names(features, schema), schema)


def english_names(features: Sequence[Feature], schema: Schema) -> list[str]:
    """Return the features' names in English, each once, without characters that no name may have."""
    return [_printable(name) for name in names_of(features, schema)]


def _printable(name: str) -> str:
    if name.isprintable():
        return name
    return "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in name)


def type_of(feature: Feature, schema: Schema) -> FeatureType:
    """Return the type of a feature's column."""
    kind: Literal["number", "category", "boolean"] = column_of(feature, schema).kind  # type: ignore[assignment]
    return "boolean" if feature.kind == "exists" else kind


def listed_set(relational_dataset: str, features: Sequence[RelationalFeature]) -> tuple[NewArtefact, bytes]:
    """Return a feature set that holds these features, and its result: equal lists have equal ids.

    The request is kept without the features, which the result has.
    """
    result = FeatureSetResult(n_features=len(features), features=list(features)).model_dump(mode="json")
    stored_request = FeatureSetRequest(relational_dataset=relational_dataset).model_dump(mode="json")
    requested = [{name: of[name] for name in of if name not in {"id", "type"}} for of in result["features"]]
    identifier = content_identifier(FEATURE_SETS.name, FEATURE_SETS.revision, stored_request | {"features": requested})
    new = NewArtefact(identifier, FEATURE_SETS.name, stored_request, relational_dataset=relational_dataset)
    return new, orjson.dumps(result)


def dataset_identifier(feature_set: str, relational_dataset: str, *, values_of_labels: bool = False) -> str:
    """Return the id of the dataset with the features of a set for the examples of a relational dataset.

    ``values_of_labels``: its target has numbers where the relational dataset lists classes.
    """
    of_regression = {"target": "number"} if values_of_labels else {}
    source = {"feature_set": feature_set, "relational_dataset": relational_dataset}
    return content_identifier("datasets", source | of_regression)


def row_id_of(key: Sequence[str]) -> str:
    """Return the id of an example, the parts of its primary key joined by commas; no two keys have one id."""
    if len(key) == 1:
        return key[0]
    return ",".join(part.replace("\\", "\\\\").replace(",", "\\,") for part in key)


def schema_of(view: RelationalDataset) -> Schema:
    """Return the schema of the tables of a relational dataset that relationships lead to from the examples."""
    tables = {
        table.name: TableSchema(
            {column.name: _column(column, view) for column in table.columns},
            tuple(table.primary_key),
            table.time,
            table.is_key_inferred,
        )
        for table in view.tables
        if table.name not in view.unused
    }
    keys = {table.name: tuple(table.primary_key) for table in view.tables}
    relationships = {
        key.name: RelationshipSchema(key.from_, tuple(key.columns), key.to, keys[key.to], key.inferred)
        for key in view.relationships
        if key.from_ in tables
    }
    return Schema(tables, relationships, view.examples.table, view.examples.target, view.examples.cutoff)


def _column(column: RelationalColumn, view: RelationalDataset) -> ColumnSchema:
    if column.role in {"key", "time", "id"} or (column.n_categories or 0) > MAX_LEVELS:
        return ColumnSchema("time" if column.role == "time" else "key")
    levels = (view.examples.classes if column.role == "target" else column.categories) or ()
    return ColumnSchema(column.type, tuple(in_order(levels)) if column.type == "category" else ())
