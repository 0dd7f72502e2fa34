"""Request feature sets, evaluate them for examples that are sent along, and make datasets of them."""

from collections.abc import Hashable, Sequence
from typing import Any

import orjson

from explanations.feature_sets import (
    OpenFeatureSet,
    dataset_identifier,
    describe_features,
    english_names,
    listed_set,
    open_feature_set,
    plain_document,
    schema_of,
)
from explanations.nested_instances import NestedFeatures, WarmFeatureSet
from schemas.datasets import DATASETS
from schemas.feature_sets import (
    FEATURE_SETS,
    MAX_NESTED_INSTANCES,
    MAX_NESTED_ROWS,
    FeatureDataset,
    FeatureDatasetRequest,
    FeatureExportFormat,
    FeatureSet,
    FeatureSetRequest,
    NestedInstance,
)
from schemas.problems import problem_for
from schemas.relational_datasets import RelationalDataset
from schemas.relational_features import RequestedFeature, SqlSource
from storage.artefacts import MAX_RESULT_BYTES, Artefact
from storage.errors import StorageError
from storage.feature_matching import match_features
from storage.relational_datasets import check_same_schema
from tree_explainers.compute.progress import Tick, no_tick
from tree_explainers.errors import InvalidInput, RowRefused
from tree_explainers.relational.feature_json import feature_of
from tree_explainers.relational.queries import Feature, returns_to_examples
from tree_explainers.relational.query_trie import VisitsLeft
from tree_explainers.relational.schema import Schema

from ..admission.batches import Cost
from ..app_context import AppContext
from ..exports import TablesBehind
from ..sql_queries import write_features
from .artefacts import MadeFromTables, NewJob, request_artefact, view_of
from .json_pages import MAX_PAGE_BYTES

_NAMED_TABLES = 5  # that nothing leads to, in a refusal


def request_feature_set(context: AppContext, request: FeatureSetRequest) -> FeatureSet:
    """Return the feature set if it is made or being made; a listed one is made at once, a generated one by a job.

    Raises
    ------
    StorageError, ExplainerError
        What in the request cannot be done; nothing is kept then.
    """
    view = context.relational_datasets.get(request.relational_dataset).view
    if (request.features is None) == (request.generate is None):
        detail = "a feature set has either a list of features or `generate`; send one of them"
        raise StorageError("validation_failed", detail, "/features")
    if request.generate is not None:
        check_joined(view, "/generate/ignore_unjoined", ignore_unjoined=request.generate.ignore_unjoined)
        return request_artefact(context, FEATURE_SETS, request, MadeFromTables(view))
    return _keep_list(context, view, request.features or [])


def check_joined(view: RelationalDataset, pointer: str, *, ignore_unjoined: bool) -> None:
    """Refuse tables that the examples do not lead to, unless the request ignores them.

    Raises
    ------
    StorageError
        ``method_not_applicable``, with the tables and what to declare; ``pointer`` is where the request ignores them.
    """
    if not view.unused or ignore_unjoined:
        return
    names = [*map(repr, view.unused[:_NAMED_TABLES]), *(["…"] if len(view.unused) > _NAMED_TABLES else [])]
    reasons = [each.detail for each in view.warnings if each.code in {"key_in_doubt", "table_not_joined"}]
    detail = (
        f"no relationship leads from the examples of relational dataset {view.id!r}, in table {view.examples.table!r}, "
        f"to {', '.join(names)}; declare their keys, register the tables without those that are not needed, or set "
        f"`ignore_unjoined`: {'; '.join(reasons[:_NAMED_TABLES])}"
    )
    raise StorageError("method_not_applicable", detail, pointer)


def _keep_list(context: AppContext, view: RelationalDataset, requested: Sequence[RequestedFeature]) -> FeatureSet:
    schema = schema_of(view)
    features = [_read_feature(feature, index, schema) for index, feature in enumerate(requested)]
    _refuse_repeats(features, "is the same as")
    described = describe_features(features, _names(features, requested, schema), schema)
    _refuse_repeats([feature.name for feature in described], "has the name of")
    new, result = listed_set(view.id, described)
    if len(result) > MAX_RESULT_BYTES:
        detail = f"the features have {len(result):,} bytes as JSON; at most {MAX_RESULT_BYTES:,} are kept: send fewer"
        raise StorageError("result_too_large", detail, "/features")
    with context.objects.keeping():
        artefact, is_new = context.artefacts.add_ready(new, context.objects.put(result))
    return view_of(context, FEATURE_SETS, artefact, reused=not is_new)


def _read_feature(requested: RequestedFeature, index: int, schema: Schema) -> Feature:
    try:
        feature = feature_of(plain_document(requested), schema)
    except InvalidInput as refusal:
        raise StorageError(refusal.code, refusal.detail, f"/features/{index}") from refusal
    if returns_to_examples(feature, schema):
        check_time_of_examples(schema, f"/features/{index}")
    return feature


def check_time_of_examples(schema: Schema, pointer: str) -> None:
    """Refuse ways that lead back into the examples' table where it is not known when its columns became known.

    Raises
    ------
    StorageError
        ``relational_time_type``, with the place.
    """
    if schema.cutoff is not None and schema.tables[schema.examples].time is None:
        detail = (
            f"examples see what is before their cutoff {schema.cutoff!r}, but the columns of other examples in table "
            f"{schema.examples!r} have no time, and may show what became known later; name a `time` of that table, or "
            "follow no relationship back to it"
        )
        raise StorageError("relational_time_type", detail, pointer)


def _names(features: Sequence[Feature], requested: Sequence[RequestedFeature], schema: Schema) -> list[str]:
    """Return the names that were requested; where one was not, the feature's name in English."""
    names = [of.name for of in requested]
    if None not in names:
        return [name for name in names if name is not None]
    return [name or english for name, english in zip(names, english_names(features, schema), strict=True)]


def _refuse_repeats(keys: Sequence[Hashable], what: str) -> None:
    first: dict[Hashable, int] = {}
    for index, key in enumerate(keys):
        if (earlier := first.setdefault(key, index)) != index:
            detail = f"feature {index} {what} feature {earlier}; send each once (counted from 0)"
            raise StorageError("validation_failed", detail, f"/features/{index}")


def export_features(context: AppContext, feature_set_id: str, form: FeatureExportFormat) -> str:
    """Return the features in a form that other programs can read or run.

    Raises
    ------
    StorageError
        ``method_not_applicable`` where the examples have no key, by which rows in SQL would be known.
    """
    opened = open_set(context, feature_set_id)
    if form == "sql":
        return write_features(opened.schema, dict(zip(opened.names, opened.features, strict=True)))
    return orjson.dumps([feature.model_dump(mode="json") for feature in opened.described]).decode()


def tables_behind(context: AppContext, artefact: Artefact, form: str, over: SqlSource | None) -> TablesBehind | None:
    """Return the tables over which a result is exported; ``None`` where it is over the features.

    By default SQL reads the tables where the model's features are those of the dataset's feature set.

    Raises
    ------
    StorageError
        ``validation_failed`` where there are no tables to read, or the format is not SQL.
    """
    if over is not None and form != "sql":
        raise StorageError("validation_failed", f"`over` is for format sql, not for {form}; leave it out", "/over")
    if form != "sql" or over == "features":
        return None
    dataset = context.datasets.get(str(artefact.dataset)).view
    opened = None if dataset.feature_set is None else open_set(context, dataset.feature_set)
    known = {} if opened is None else dict(zip(opened.names, opened.features, strict=True))
    model = context.models.get(str(artefact.model)).view
    columns = dict(zip(model.feature_names, match_features(model, dataset), strict=True))
    if opened is not None and known.keys() >= set(columns.values()):
        return TablesBehind(opened.schema, {name: known[column] for name, column in columns.items()})
    if over == "tables":
        detail = f"the model's features are not those of a feature set of dataset {dataset.id!r}; take over=features"
        raise StorageError("validation_failed", detail, "/over")
    return None


def open_set(context: AppContext, feature_set_id: str) -> OpenFeatureSet:
    """Return a feature set that is ready, opened."""
    return open_feature_set(context.artefacts, context.relational_datasets, context.objects, feature_set_id)


# Examples that are sent along.


def find_warm_set(context: AppContext, feature_set_id: str) -> WarmFeatureSet:
    """Return a feature set that is ready, warmed up if need be."""
    context.artefacts.get(FEATURE_SETS.name, feature_set_id).ready_result()  # another process may have deleted it
    cache = context.feature_set_cache
    warm_up = lambda: WarmFeatureSet.of(open_set(context, feature_set_id))  # noqa: E731  # as others are
    return cache.find(feature_set_id) or cache.get(feature_set_id, warm_up)


def refuse_many_examples(instances: Sequence[NestedInstance]) -> None:
    """Refuse more examples, or more rows of them together, than one call may have."""
    if len(instances) > MAX_NESTED_INSTANCES:
        detail = f"{len(instances)} examples were sent; at most {MAX_NESTED_INSTANCES} go into one call"
        raise StorageError("too_many_rows", detail, "/instances")
    n_rows = sum(len(rows) for instance in instances for rows in instance.values())
    if n_rows > MAX_NESTED_ROWS:
        detail = f"the examples have {n_rows:,} rows; at most {MAX_NESTED_ROWS:,} go into one call"
        raise StorageError("too_many_rows", detail, "/instances")


async def evaluate_examples(context: AppContext, warm: WarmFeatureSet, instances: Sequence[NestedInstance]) -> bytes:
    """Return the same as ``evaluate_rows`` when the call's turn has come.

    Raises
    ------
    StorageError
        ``too_many_rows`` where that takes too long, or ``unavailable`` where too much waits already.
    """
    cost = Cost(warm.features.seconds(instances), answer_bytes(warm, instances))
    return await context.batches.run(cost, lambda tick: evaluate_rows(warm, instances, tick))


def evaluate_rows(warm: WarmFeatureSet, instances: Sequence[NestedInstance], tick: Tick = no_tick) -> bytes:
    """Return the values of the features of the examples, in their order, as the JSON of a ``FeatureRowList``.

    Raises
    ------
    StorageError
        ``too_many_rows`` where they are more than ``MAX_PAGE_BYTES``.
    """
    rows: list[bytes] = []
    n_bytes, visits = 0, VisitsLeft()
    for index, instance in enumerate(instances):
        tick()
        rows.append(orjson.dumps(_row(warm.features, instance, index, visits)))
        n_bytes += len(rows[-1]) + 1
        if n_bytes > MAX_PAGE_BYTES:
            detail = (
                f"the values of the first {index + 1} of {len(instances)} examples have over {MAX_PAGE_BYTES:,} bytes, "
                "more than one answer; send fewer examples in each call, or make a dataset of them"
            )
            raise StorageError("too_many_rows", detail, "/instances")
    return warm.head + b",".join(rows) + b"]}"


def answer_bytes(warm: WarmFeatureSet, instances: Sequence[NestedInstance]) -> int:
    """Return the number of bytes of ``evaluate_rows``, at most."""
    return len(warm.head) + min(len(instances) * warm.row_bytes, MAX_PAGE_BYTES)


def _row(features: NestedFeatures, instance: NestedInstance, index: int, visits: VisitsLeft) -> dict[str, Any]:
    """Return a ``FeatureRow``; as plain values, which takes less time."""
    row = {"object": "feature_row", "row_id": features.row_id(instance) or str(index)}
    try:
        return {**row, "status": "ok", "values": features.values_of(instance, visits), "problem": None}
    except RowRefused as refusal:
        problem = problem_for(refusal.code, refusal.detail).model_dump(mode="json")
        return {**row, "status": "error", "values": None, "problem": problem}


# Datasets.


def request_feature_dataset(context: AppContext, feature_set_id: str, request: FeatureDatasetRequest) -> FeatureDataset:
    """Return the dataset of the features of a relational dataset's examples; a job makes it unless it is there.

    Raises
    ------
    StorageError
        ``schema_mismatch``, naming the first table or column that lacks or differs.
    """
    opened = open_set(context, feature_set_id)
    origin = context.relational_datasets.get(opened.relational_dataset).view
    delivery = origin
    if request.relational_dataset not in {None, origin.id}:
        delivery = context.relational_datasets.get(str(request.relational_dataset)).view
        check_same_schema(origin, delivery)
    identifier = dataset_identifier(opened.id, delivery.id)
    if context.datasets.find(identifier) is not None:
        return FeatureDataset(dataset=identifier, status="ready", job=None)
    document = {"feature_set": opened.id, "relational_dataset": delivery.id}
    made_from = MadeFromTables(delivery, len(opened.features))
    job = NewJob.of(context, DATASETS.name, identifier, document, made_from)
    with context.jobs.requested(identifier) as requested:
        if requested.is_new:
            requested.job = job.add(context, requested.connection)
    if requested.is_new:
        job.notify(context, requested.job)
    return FeatureDataset(dataset=identifier, status="pending", job=requested.job)
