"""Rows that a report explains: of the reference data, of another dataset, or sent along by their values."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import orjson
from leafspace_drawings.words import name_or_id

from schemas.explanations import ExplanationRequest
from schemas.reports import ReportInput, ReportRequest
from storage.database import Database
from storage.dataset_rows import open_rows
from storage.datasets import DatasetStore
from storage.errors import NotFound
from storage.feature_matching import match_features
from storage.object_store import ObjectStore
from tree_explainers.compute.progress import Tick

from ..dataset_rows import DatasetRows
from ..explained_rows import explain_instances
from ..instances import ReadInstances, read_instances
from ..result_words import without_values_of
from ..warm_explainer import WarmExplainer

Json = dict[str, Any]

_TEXT_BYTES = 16 << 20  # of the rows that are explained


@dataclass(frozen=True, slots=True)
class ReportRow:
    """An explained row, and where its values come from."""

    explanation: Json
    is_sent: bool = False  # by its values: it is in no dataset
    elsewhere: str | None = None  # the name of its dataset, where that is not the reference data


@dataclass(frozen=True, slots=True)
class RowReader:
    """Explains the rows of a report."""

    database: Database
    objects: ObjectStore
    warm: WarmExplainer

    def read(self, request: ReportRequest, tick: Tick) -> list[ReportRow]:
        """Return the rows of datasets, then those that were sent along; ``tick`` is called before each."""
        return [*self._registered(request, tick), *self._sent(request, tick)]

    def _registered(self, request: ReportRequest, tick: Tick) -> list[ReportRow]:
        if not request.rows:
            return []
        stored = DatasetStore(self.database).get(request.rows_dataset or self.warm.dataset_id)
        of_dataset = ExplanationRequest(dataset=stored.view.id, row_ids=list(request.rows), detail="full")
        read = self._read(stored.view.id, request.rows, tick)
        is_reference = stored.view.id == self.warm.dataset_id
        elsewhere = None if is_reference else name_or_id(stored.view.model_dump(include={"id", "name"}))
        return [ReportRow(each, elsewhere=elsewhere) for each in self._explained(of_dataset, read, tick)]

    def _read(self, dataset_id: str, row_ids: Sequence[str], tick: Tick) -> ReadInstances:
        warm, stored = self.warm, DatasetStore(self.database).get(dataset_id)
        with open_rows(self.objects, stored.content, pages=True) as file:
            numbers = file.find_rows(row_ids)
            if missing := [row_id for row_id in row_ids if row_id not in numbers]:
                raise NotFound("row", missing[0][:80], f"dataset {dataset_id!r} has other rows")
            rows = DatasetRows(file, match_features(warm.model, stored.view), stored.view.target)
            wanted = [numbers[row_id] for row_id in row_ids]
            instances = rows.take(wanted, _TEXT_BYTES)
            targets = rows.take_targets(warm.model.classes, wanted)
        read = read_instances(instances, warm.features, tick)
        return read.registered(targets, wanted, are_reference=dataset_id == warm.dataset_id)

    def _sent(self, request: ReportRequest, tick: Tick) -> list[ReportRow]:
        if not request.instances:
            return []
        sent = ExplanationRequest(instances=request.instances, row_ids=sent_ids(request), detail="full")
        return [ReportRow(each, is_sent=True) for each in self._explained(sent, None, tick)]

    def _explained(self, request: ExplanationRequest, read: ReadInstances | None, tick: Tick) -> list[Json]:
        documents: list[Json] = orjson.loads(orjson.dumps(explain_instances(self.warm, request, read, tick)))
        return documents


def sent_ids(request: ReportRequest) -> list[str]:
    """Return what the rows that were sent along are called: by the caller, or else by their numbers from 1 on."""
    return request.instance_ids or [str(number) for number, _ in enumerate(request.instances or (), 1)]


def inputs_of_sent(request: ReportRequest, hidden: frozenset[str]) -> list[ReportInput]:
    """Return the rows that were sent along with digests of their values, but those of hidden features."""
    shown = [without_values_of(hidden, each) for each in request.instances or ()]
    texts = [orjson.dumps(each, option=orjson.OPT_SORT_KEYS) for each in shown]
    digests = [hashlib.sha256(text).hexdigest() for text in texts]
    named = zip(sent_ids(request), digests, strict=True)
    return [ReportInput(noun="instances", id=name, sha256=digest) for name, digest in named]
