"""Request evaluations of a model on the rows of a dataset, and read the wrong rows page by page."""

from collections.abc import Generator

import orjson

from schemas.evaluations import EVALUATIONS, MAX_OUTCOMES, MAX_SAMPLED_ROWS, Evaluation, EvaluationRequest
from schemas.models import Model
from storage.datasets import StoredDataset
from storage.errors import StorageError
from storage.feature_matching import match_features
from tree_explainers.compute.job_sizes import JobSizes
from tree_explainers.evaluations.cost import evaluation_bytes, evaluation_seconds
from tree_explainers.wording import did_you_mean

from ..app_context import AppContext
from .artefact_tables import open_table
from .artefacts import MadeFrom, request_artefact
from .job_estimates import KindEstimate, Need, Request
from .json_pages import PARQUET_ADVICE, Rows, first_row_of, page_blocks

_N_CLASSES_SHOWN = 10
_N_LOOKED_AT = 100


def _needs(sizes: JobSizes, _request: Request) -> tuple[Need, ...]:
    return (Need(evaluation_bytes(sizes, MAX_SAMPLED_ROWS)),)


def _seconds(sizes: JobSizes, request: Request) -> float:
    n_outcomes = 1 if request["positive"] else min(sizes.n_outputs, MAX_OUTCOMES)
    return evaluation_seconds(sizes, MAX_SAMPLED_ROWS, request["max_regions"], n_outcomes, len(request["group_by"]))


ESTIMATE = KindEstimate(_needs, _seconds)


def request_evaluation(context: AppContext, request: EvaluationRequest) -> Evaluation:
    """Return the evaluation if it is made or being made; otherwise begin to make it.

    Raises
    ------
    StorageError
        What in the request cannot be done; no job is made then.
    """
    model, dataset = context.models.get(request.model).view, context.datasets.get(request.dataset)
    match_features(model, dataset.view)
    if dataset.view.target is None:
        detail = f"dataset {dataset.view.id!r} has no target to evaluate on; name it in the dataset's metadata"
        raise StorageError("validation_failed", detail, "/dataset")
    _check_positive(model, request.positive)
    _check_groups(context, dataset, request.group_by)
    return request_artefact(context, EVALUATIONS, request, MadeFrom(model, dataset))


def _check_positive(model: Model, positive: str | None) -> None:
    """Refuse a class that the model does not have."""
    if positive is None or positive in model.classes:
        return
    if not model.classes:
        detail = f"positive is {positive!r}, but model {model.id!r} predicts numbers; leave it out"
        raise StorageError("validation_failed", detail, "/positive")
    shown = ", ".join(map(repr, model.classes[:_N_CLASSES_SHOWN]))
    detail = f"positive is {positive!r}; the model's classes are {shown}"
    raise StorageError("validation_failed", detail, "/positive")


def _check_groups(context: AppContext, dataset: StoredDataset, names: list[str]) -> None:
    """Refuse columns that the dataset does not show, and those that are named twice."""
    hidden = context.dictionaries.get(dataset.view.id).hidden
    shown = {column.name for column in dataset.view.columns if column.role != "row_id"} - hidden
    for index, name in enumerate(names):
        if name not in shown:
            near = did_you_mean(name, sorted(shown))
            detail = f"dataset {dataset.view.id!r} shows no column {name!r} to group by; name one of its columns{near}"
            raise StorageError("validation_failed", detail, f"/group_by/{index}")
        if name in names[:index]:
            detail = f"group_by names {name!r} twice; name each column once"
            raise StorageError("validation_failed", detail, f"/group_by/{index}")


def newest_held_out(context: AppContext, model: str) -> str | None:
    """Return the id of a model's newest evaluation that is ready, on rows that are declared as held out, if any is.

    It is looked for among the newest ``_N_LOOKED_AT`` evaluations of the model.
    """
    ready = context.artefacts.list(EVALUATIONS.name, _N_LOOKED_AT, None, model=model, status="ready").data
    return next((each.id for each in ready if context.datasets.get(each.request["dataset"]).view.held_out), None)


def list_wrong_rows(context: AppContext, evaluation_id: str, limit: int, cursor: str | None) -> Generator[bytes]:
    """Return one page of wrong rows as JSON, the most serious first: a ``Page`` of ``WrongRow``."""
    start = first_row_of(cursor)
    with open_table(context, EVALUATIONS, evaluation_id)[1] as table:
        rows = table.read(start, min(start + limit, table.n_rows))
        return page_blocks(Rows(map(orjson.dumps, rows.to_pylist()), start, table.n_rows, PARQUET_ADVICE))
