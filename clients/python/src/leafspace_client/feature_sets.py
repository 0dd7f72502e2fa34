"""Feature sets: queries about the examples of a relational dataset, each of which is a column of ordinary datasets."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any, TypeVar, overload

from .arguments import checked
from .artefacts import (
    TABLE_MEDIA_TYPES,
    ArtefactView,
    AwaitableArtefact,
    BlockingArtefact,
    Content,
    TableForm,
    content,
    download,
)
from .calls import Program, Work, awaitable, blocking, call_of, create, fetch
from .contract.datasets import get_dataset, list_rows
from .contract.feature_sets import (
    create_feature_set,
    delete_feature_set,
    evaluate_features,
    export_feature_set,
    get_feature_set,
    get_feature_set_content,
    list_feature_sets,
    request_dataset,
)
from .errors import Invalid
from .frames import feature_rows_frame, features_frame
from .headlines import counted
from .jobs import check_success, wait_for_job
from .nested_rows import examples_a_call, nested_batches, nested_instances
from .nouns import AsyncDeletable, Collection, Identified, Noun, Settings, SyncDeletable, id_of, id_or_none
from .relational_texts import describe_features
from .types import (
    Dataset,
    ExportFeatureSetFormat,
    FeatureDatasetRequest,
    FeatureRow,
    FeatureRowsRequest,
    FeatureSetRequest,
    Problem,
    RelationalFeature,
)
from .types import FeatureSet as Details

FEATURE_SETS: Noun[Details] = Noun(get_feature_set, list_feature_sets, delete_feature_set)
ExportForm = ExportFeatureSetFormat
_PARQUET = "application/vnd.apache.parquet"
_MADE_BY_THE_SERVICE = frozenset({"id", "type"})  # of a feature
_MAX_FEATURES = 10_000
Kept = TypeVar("Kept")


class FeatureSetView(ArtefactView[Details]):
    """A feature set as it was when it was last fetched; ``details`` has all fields that the service sends.

    As text it is the names of its features, one a line.
    """

    noun = FEATURE_SETS
    contents = Content(get_feature_set_content, TABLE_MEDIA_TYPES)

    @property
    def features(self) -> list[RelationalFeature]:
        """The features in the order of their columns."""
        features: list[RelationalFeature] = self._part("features")
        return features

    def __str__(self) -> str:
        return describe_features(self.features) if self._has_result() else repr(self)


class FeatureRows(Sequence[FeatureRow]):
    """The values of features of several examples, in their order; ``features`` has their names."""

    def __init__(self, features: list[str], rows: Sequence[FeatureRow]) -> None:
        self.features = features
        self._rows = list(rows)

    @overload
    def __getitem__(self, index: int) -> FeatureRow: ...
    @overload
    def __getitem__(self, index: slice) -> "FeatureRows": ...
    def __getitem__(self, index: int | slice) -> "FeatureRow | FeatureRows":
        rows = self._rows[index]
        return FeatureRows(self.features, rows) if isinstance(rows, list) else rows

    def __len__(self) -> int:
        return len(self._rows)

    def __repr__(self) -> str:
        return f"FeatureRows ({counted(len(self), 'row')} of {counted(len(self.features), 'feature')})"

    @checked
    def to_frame(self) -> Any:  # a DataFrame
        """Return a DataFrame with a row for each example, by its id, and a column for each feature; needs pandas.

        Raises
        ------
        Invalid
            Where an example could not be read.
        """
        for row in self:
            if isinstance(row.problem, Problem):
                raise Invalid(row.problem.code, f"row {row.row_id}: {row.problem.detail}")
        return feature_rows_frame(self.features, self._rows)


def _rows(self: FeatureSetView, instances: Any) -> Program[FeatureRows]:  # see nested_instances
    """Return the values of the features of some examples, at once.

    Parameters
    ----------
    instances
        A list of examples, each a dict of its rows by table: ``{"customer": customer, "account": accounts}``, of data
        frames, lists of dicts, or one row as a dict or Series. More than 100 are sent in several calls.

    Returns
    -------
    FeatureRows
        In the order of the examples; one that cannot be read does not fail the others: its ``problem`` says why.
    """
    nested = nested_instances(instances)
    if nested is None:
        detail = 'give a list of examples, each a dict of tables: {"customer": customer, "account": accounts}'
        raise Invalid("schema_mismatch", detail)
    rows: list[FeatureRow] = []
    names: list[str] = []
    named: set[str] = set()
    loaded = self._loaded_result
    for batch in nested_batches(nested, examples_a_call(_MAX_FEATURES if loaded is None else loaded.n_features)):
        request = FeatureRowsRequest.from_dict({"instances": batch})
        answer = yield from fetch(evaluate_features(self.id, body=request))
        # Examples without a key are named by their indices among all: those of calls begin again in each.
        for index, row in enumerate(answer.data):
            if row.row_id == str(index) and row.row_id in named:
                row.row_id = str(len(rows) + index)
        named.update(row.row_id for row in answer.data)
        rows.extend(answer.data)
        names = answer.features
    return FeatureRows(names, rows)


def _dataset(
    self: FeatureSetView,
    relational_dataset: Identified | None = None,
    *,
    progress: bool | None = None,
    timeout: float | None = None,
) -> Program[Dataset]:
    """Return the dataset with these features of all examples, which every method takes; wait for it, if need be.

    Parameters
    ----------
    relational_dataset : other

    Raises
    ------
    JobFailed, JobCancelled
        With the code and the detail of the job's problem.
    JobNotFinished
        If ``timeout`` is over; the job goes on.
    """
    other = id_or_none(relational_dataset)
    request = FeatureDatasetRequest(relational_dataset=other)
    made = yield from fetch(request_dataset(self.id, body=request))
    if made.job is not None and made.status != "ready":
        check_success((yield from wait_for_job(made.job, progress=progress, timeout_seconds=timeout)))
    return (yield from fetch(get_dataset(made.dataset)))


def _to_frame(self: FeatureSetView, relational_dataset: Identified | None = None) -> Program[Any]:
    """Return the features of all examples as a DataFrame, which any library can learn from; needs pandas and pyarrow.

    Parameters
    ----------
    relational_dataset : other

    Returns
    -------
    pandas.DataFrame
        A row for each example in the order of their table, by their row ids, and a column for each feature by its name:
        booleans, numbers, and pandas' categories. The target is not among them.
    """
    dataset = yield from _dataset(self, relational_dataset)
    call = call_of(list_rows(dataset.id))
    response = yield replace(call, headers={**call.headers, "Accept": _PARQUET})
    return (yield Work(partial(features_frame, BytesIO(response.content), dataset)))


def _content(self: FeatureSetView, form: TableForm = "json") -> Program[bytes]:
    """Return the whole result as the bytes of a JSON, CSV or Parquet file."""
    return (yield from content(self, form))


def _download(self: FeatureSetView, path: str | Path, form: TableForm = "json") -> Program[Path]:
    """Write the whole result to a file, CSV and Parquet with a row for each feature, and return its path.

    Raises
    ------
    CannotWrite
        If the file cannot be written there.
    """
    return (yield from download(self, path, form))


def _export(self: FeatureSetView, form: ExportForm = "sql") -> Program[str]:
    """Return the features as one SQL ``SELECT`` over the raw tables, with a column for each, or as JSON.

    Parameters
    ----------
    form
        ``"sql"``, ``"json"`` or ``"html"``.
    """
    response = yield call_of(export_feature_set(self.id, format_=form))
    text: str = response.content.decode()
    return text


def _sql(self: FeatureSetView) -> Program[str]:
    """Return one ``SELECT`` over the raw tables, with a row for each example and a column for each feature."""
    return (yield from _export(self, "sql"))


def _json(self: FeatureSetView) -> Program[list[dict[str, Any]]]:
    """Return the features as plain data: ``feature_sets.create`` takes them, or some of them, again."""
    exported = json.loads((yield from _export(self, "json")))
    features: list[dict[str, Any]] = exported["features"] if isinstance(exported, dict) else exported
    return features


def _create(
    self: Collection[Details, Kept],
    relational_dataset: Identified,
    features: Sequence[Mapping[str, Any] | RelationalFeature] | None = None,
    *,
    generate: Mapping[str, Any] | None = None,
    settings: Settings | None = None,
) -> Program[Kept]:
    """Request a set of features of several tables; call ``wait()`` on what is returned.

    Parameters
    ----------
    features
        The features as dicts, or those of another set: ``forest.feature_set.features[:20]``. For example ``{"kind":
        "exists", "variables": [{"id": "a", "table": "account", "from": "example", "by": "account.customer_id"}],
        "conditions": [{"variable": "a", "column": "kind", "operator": "=", "value": "credit"}]}``.
    generate
        ``{"depth": 1}`` instead: each column of the example, and every aggregate along one relationship, or along up to
        two with ``{"depth": 2}``. Tables that no relationship leads to are refused but for ``"ignore_unjoined": True``.
    settings
        ``"paper"`` changes nothing here.
    """
    request: dict[str, Any] = {"relational_dataset": id_of(relational_dataset)}
    if features is not None:
        request["features"] = list(map(_requested, features))
    if generate is not None:
        request["generate"] = dict(generate)
    if settings is not None:
        request["settings"] = settings
    body = FeatureSetRequest.from_dict(request)
    return self._wrapped((yield from create(create_feature_set(body=body))))


def _requested(feature: Any) -> dict[str, Any]:  # a mapping, or a record
    plain: Mapping[str, Any] = feature.to_dict() if isinstance(feature, RelationalFeature) else feature
    return {name: value for name, value in plain.items() if name not in _MADE_BY_THE_SERVICE}


class FeatureSet(FeatureSetView, BlockingArtefact):
    """A feature set, for the blocking client."""

    rows = blocking(_rows)
    dataset = blocking(_dataset)
    to_frame = blocking(_to_frame)
    content = blocking(_content)
    download = blocking(_download)
    export = blocking(_export)
    sql = blocking(_sql)
    json = blocking(_json)


class AsyncFeatureSet(FeatureSetView, AwaitableArtefact):
    """A feature set, for the async client."""

    rows = awaitable(_rows)
    dataset = awaitable(_dataset)
    to_frame = awaitable(_to_frame)
    content = awaitable(_content)
    download = awaitable(_download)
    export = awaitable(_export)
    sql = awaitable(_sql)
    json = awaitable(_json)


class FeatureSets(SyncDeletable[Details, FeatureSet, FeatureSet]):
    """All feature sets, newest first."""

    noun = FEATURE_SETS
    view = FeatureSet
    create = blocking(_create)


class AsyncFeatureSets(AsyncDeletable[Details, AsyncFeatureSet, AsyncFeatureSet]):
    """All feature sets, newest first."""

    noun = FEATURE_SETS
    view = AsyncFeatureSet
    create = awaitable(_create)
