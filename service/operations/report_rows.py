"""Rows that a report is to explain: which there may be, and those that are sent along as they are kept."""

from typing import Any, get_args

import orjson

from explanations.instances import read_instances, row_ids_of, run_readable
from schemas.json_numbers import json_number
from schemas.models import Instance, Model
from schemas.reports import MAX_INSTANCES_BYTES, MAX_ROWS, NO_EVALUATION, ModelPart, ReportRequest
from storage.errors import StorageError
from storage.feature_matching import match_features

from ..app_context import AppContext
from .explanations import warm_explainer


def spelled_out(context: AppContext, request: ReportRequest, model: Model, reference: str) -> dict[str, Any]:
    """Return the fields that say which rows and parts are shown, checked: requests of the same have equal ones.

    Raises
    ------
    StorageError
        ``validation_failed`` for too many rows, or two that have a name; ``schema_mismatch`` and others where the model
        cannot read a row that is sent along.
    """
    _check_rows(request)
    rows_dataset = None if request.rows_dataset == reference else request.rows_dataset
    if rows_dataset is not None:
        match_features(model, context.datasets.get(rows_dataset).view)
    instances = _by_feature(context, request) if request.instances else None
    return {"rows_dataset": rows_dataset, "parts": _parts(request), "instances": instances}


def _parts(request: ReportRequest) -> list[ModelPart] | None:
    """Return the parts that are shown, those that the request names among them, in their order; None of all."""
    every: tuple[ModelPart, ...] = get_args(ModelPart)
    if request.parts is None:
        return None
    named: dict[ModelPart, str | None] = {"rules": request.rule_set, "tree": request.approximation_tree}
    named["evaluation"] = request.evaluation
    chosen = [part for part in every if part in request.parts or named.get(part) not in {None, NO_EVALUATION}]
    return None if len(chosen) == len(every) else chosen


def _check_rows(request: ReportRequest) -> None:
    """Refuse rows that nobody could tell apart, or too many."""
    instances, code = request.instances or [], "validation_failed"
    if len(set(request.rows)) < len(request.rows):
        raise StorageError(code, "rows names a row twice; name each once", "/rows")
    if request.rows_dataset is not None and not request.rows:
        raise StorageError(code, "rows_dataset says where `rows` are from; name some", "/rows_dataset")
    if request.instance_ids is not None:
        row_ids_of(request.instance_ids, len(instances), "/instance_ids")
    if (n_rows := len(request.rows) + len(instances)) > MAX_ROWS:
        raise StorageError(code, f"{n_rows} rows, at most {MAX_ROWS} are explained in a report", "/instances")


def _by_feature(context: AppContext, request: ReportRequest) -> list[Instance]:
    """Return the rows that are sent along by feature, without what the model does not read; refuse what it cannot."""
    warm = warm_explainer(context, request.explainer)
    read = read_instances(request.instances or (), warm.features)
    *_, refused = run_readable(warm.session, read, warm.walked)
    if refused:
        index = min(refused)
        raise StorageError(refused[index].code, refused[index].detail, f"/instances/{index}")
    rows = [dict(zip(warm.features.names, map(json_number, values), strict=True)) for values in read.values]
    if (n_bytes := len(orjson.dumps(rows))) > MAX_INSTANCES_BYTES:
        detail = f"the values have {n_bytes:,} bytes by feature, at most {MAX_INSTANCES_BYTES:,} are kept; send fewer"
        raise StorageError("validation_failed", detail, "/instances")
    return [*rows]
