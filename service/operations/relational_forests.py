"""Request relational forests."""

from typing import Any, NoReturn

from explanations.feature_sets import schema_of
from schemas.relational_datasets import RelationalDataset
from schemas.relational_forests import (
    RELATIONAL_FORESTS,
    QueryLanguage,
    RelationalForest,
    RelationalForestRequest,
    TableLanguage,
)
from storage.errors import StorageError
from tree_explainers.relational.schema import Schema, TableSchema
from tree_explainers.wording import did_you_mean

from ..app_context import AppContext
from .artefacts import MadeFromTables, request_artefact
from .feature_sets import check_joined, check_time_of_examples

_TESTED = {"number", "category", "boolean"}
_WHOLE = TableLanguage()


def request_relational_forest(context: AppContext, request: RelationalForestRequest) -> RelationalForest:
    """Return the forest if it is made or being made; otherwise begin to make it.

    Raises
    ------
    StorageError
        What in the request cannot be done; no job is made then.
    """
    view = context.relational_datasets.get(request.relational_dataset).view
    check_joined(view, "/ignore_unjoined", ignore_unjoined=request.ignore_unjoined)
    schema = schema_of(view)
    is_regression = _is_regression(request, view)
    check_language(request, schema)
    normalised = _normalised(request, is_regression=is_regression)
    return request_artefact(context, RELATIONAL_FORESTS, normalised, MadeFromTables(view))


def _normalised(request: RelationalForestRequest, *, is_regression: bool) -> RelationalForestRequest:
    """Return the request that all requests with the same answer have in common, so that they share an id."""
    ignored: dict[str, Any] = {"task": "regression" if is_regression else "classification"}
    if request.method != "forf":
        ignored |= {"test_share": 1.0}
    if request.method == "tilde":
        ignored |= {"n_trees": 1, "seed": 0}
    if is_regression:
        ignored |= {"criterion": "gain", "pruning": "none"}
    return request.model_copy(update=ignored)


def _is_regression(request: RelationalForestRequest, view: RelationalDataset) -> bool:
    """Return whether values are learned; refuse targets of which nothing can be."""
    examples = view.examples
    if examples.target is None:
        _refuse_method(view, "it has no target to learn: name one in `examples`")
    if request.task == "regression" or (request.task is None and examples.classes is None):
        _check_values(view, examples.target)
        return True
    if examples.classes is None:
        many = f"its target {examples.target!r} holds over 1,000 different numbers"
        _refuse_method(view, f"{many}: leave `task` out, or request regression")
    if len(examples.classes) < 2:  # something to separate
        _refuse_method(view, f"its target {examples.target!r} has fewer than two classes: {len(examples.classes)}")
    return False


def _check_values(view: RelationalDataset, target: str) -> None:
    table = next(table for table in view.tables if table.name == view.examples.table)
    kind = next(column.type for column in table.columns if column.name == target)
    if kind != "number":
        _refuse_method(view, f"regression learns numbers, and its target {target!r} is a {kind}: leave `task` out")
    if view.examples.n_labelled < 2:  # something to separate
        _refuse_method(view, f"its target {target!r} has fewer than two values: {view.examples.n_labelled}")


def _refuse_method(view: RelationalDataset, why: str) -> NoReturn:
    detail = f"no forest can be learned from relational dataset {view.id!r}: {why}"
    raise StorageError("method_not_applicable", detail, "/relational_dataset")


def check_language(request: RelationalForestRequest, schema: Schema) -> None:
    """Refuse a language that names what the tables do not have, or that leaves nothing to ask.

    Raises
    ------
    StorageError
        ``unknown_feature`` or ``relational_language_empty``, with the place.
    """
    language = request.language
    for name in language.relationships or ():
        if name not in schema.relationships:
            known = ", ".join(schema.relationships) or "none"
            near = did_you_mean(name, schema.relationships)
            _refuse_name(f"there is no relationship {name!r}; there are {known}{near}", "/language/relationships")
    for name, of_table in language.tables.items():
        pointer = f"/language/tables/{name}"
        if (table := schema.tables.get(name)) is None:
            known = f"{', '.join(schema.tables)}{did_you_mean(name, schema.tables)}"
            _refuse_name(f"no relationship leads to a table {name!r}; there are {known}", pointer)
        for column in of_table.columns or ():
            _check_column(schema, name, table, column, f"{pointer}/columns")
    if language.through_examples:
        check_time_of_examples(schema, "/language/through_examples")
    if not _allows_tests(request, schema):
        detail = "the language leaves nothing to ask: no column of the examples, no row or aggregate of other tables"
        raise StorageError("relational_language_empty", detail, "/language")


def _check_column(schema: Schema, name: str, table: TableSchema, column: str, pointer: str) -> None:
    if column not in table.columns:
        known = f"{', '.join(table.columns)}{did_you_mean(column, table.columns)}"
        _refuse_name(f"table {name!r} has no column {column!r}; it has {known}", pointer)
    if (name, column) == (schema.examples, schema.target):
        _refuse_name(f"column {column!r} is the target, which is never tested", pointer)


def _refuse_name(detail: str, pointer: str) -> NoReturn:
    raise StorageError("unknown_feature", detail, pointer)


def _allows_tests(request: RelationalForestRequest, schema: Schema) -> bool:
    """Return whether an example, or a row that one step leads to, can be tested."""
    language = request.language
    if _tested_columns(schema, language, schema.examples):
        return True
    return any(
        _allows_tests_of(request, schema, table)
        for step, table in schema.steps_from(schema.examples)
        if language.relationships is None or step.relationship in language.relationships
        if language.through_examples or table != schema.examples
    )


def _allows_tests_of(request: RelationalForestRequest, schema: Schema, table: str) -> bool:
    of_table = request.language.tables.get(table, _WHOLE)
    has_aggregates = request.aggregates and of_table.aggregates != []
    has_more = any(reached != table for _, reached in schema.steps_from(table) if reached != schema.examples)
    return of_table.bare or has_aggregates or has_more or bool(_tested_columns(schema, request.language, table))


def _tested_columns(schema: Schema, language: QueryLanguage, table: str) -> list[str]:
    wanted = language.tables.get(table, _WHOLE).columns
    target = schema.target if table == schema.examples else None
    return [
        name
        for name, column in schema.tables[table].columns.items()
        if column.kind in _TESTED and (wanted is None or name in wanted) and name != target
    ]
