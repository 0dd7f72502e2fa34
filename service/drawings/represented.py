"""The view of the rows that a prototype represents: what the model says of each, and in what it differs from it."""

import json
from collections.abc import Sequence
from typing import Any

from leafspace_drawings import Call, RepresentedRow, SetContext, draw_represented

from explanations.decisions import decisions_of
from explanations.instances import Features, read_instances, run_readable
from schemas.prototype_sets import PROTOTYPE_SETS
from storage.errors import StorageError
from storage.feature_matching import match_features, target_of_cell

from ..app_context import AppContext
from ..operations import prototype_sets
from ..operations.datasets import list_numbered_rows
from ..operations.prediction_costs import prediction_seconds
from .documents import LINKS, Json, at, beside, column_usage, newest_explainer, of_model, ready

_MOST_ROWS = 200
_MOST_CELLS = 50_000  # of the rows that are listed
_MOST_SECONDS = 1.0  # of one processor, to predict them


def represented(context: AppContext, artefact_id: str, rank: int) -> str:
    """Draw the rows that a prototype represents."""
    document = ready(context, PROTOTYPE_SETS, artefact_id)
    known, dataset = beside(context, document)
    n_rows = _n_rows(context, known["id"])
    page = json.loads(b"".join(prototype_sets.list_represented_rows(context, artefact_id, rank, n_rows, None)))
    explainer = newest_explainer(context, prototype_set=artefact_id)
    shown = SetContext(known, dataset, links=LINKS, explainer=explainer)
    rows = _with_values(context, document, dataset, page["data"])
    drawing = draw_represented(document, rank, rows, shown, column_usage(context, known))
    way = [*of_model(known, ""), (f"no. {rank}", None)]
    way[1] = ("prototypes", LINKS.to("prototypes", artefact_id))
    python = f'client.prototype_sets.get("{artefact_id}").rows({rank})'
    return at(drawing, way, Call(f"{PROTOTYPE_SETS.path}/{artefact_id}/rows?rank={rank}", python))


def _n_rows(context: AppContext, model_id: str) -> int:
    """Return how many rows are listed, so that their values are few and they are predicted at once."""
    model = context.models.get(model_id).view
    most = min(_MOST_ROWS, _MOST_CELLS // max(1, model.n_features), int(_MOST_SECONDS / prediction_seconds(model, 1)))
    return max(1, most)


def _with_values(context: AppContext, document: Json, dataset: Json, rows: Sequence[Json]) -> list[RepresentedRow]:
    """Return the rows with their values, without those of hidden features, and what the model says of each."""
    model = context.models.get(document["request"]["model"]).view
    whole = context.datasets.get(dataset["id"]).view  # the model needs hidden features, too
    columns = match_features(model, whole)
    target = [] if whole.target is None else [whole.target]
    numbers = [each["row"] for each in rows]
    try:
        page = b"".join(list_numbered_rows(context, whole.id, [*columns, *target], numbers, None))
    except StorageError as error:
        if error.code != "too_many_rows":
            raise
        return [RepresentedRow(each, {}) for each in rows]  # their texts are too long to be shown
    values = [{cell["name"]: cell["value"] for cell in each["values"]} for each in json.loads(page)["data"]]
    instances = [[each[name] for name in columns] for each in values]
    predicted = _predicted(context, document, instances)
    shown = {column["name"] for column in dataset["columns"]}
    names = [(name, column) for name, column in zip(model.feature_names, columns, strict=True) if column in shown]
    return [
        RepresentedRow(
            row=row,
            values={name: each[column] for name, column in names},
            predicted=predicted.get(index),
            target=target_of_cell(each[target[0]], model.classes or ()) if target else None,
        )
        for index, (row, each) in enumerate(zip(rows, values, strict=True))
    ]


def _predicted(context: AppContext, document: Json, instances: list[list[Any]]) -> dict[int, str | float]:
    """Return what the model says of rows, by their indices: what prototypes are of, the outcome or else the class."""
    model_id = document["request"]["model"]
    model, session = context.models.get(model_id).view, context.sessions.get(model_id)
    outcome, indices, _ = run_readable(session, read_instances(instances, Features.of(model)))
    decided, classes = decisions_of(session.description, outcome), set(document["result"].get("classes") or ())
    if decided and classes <= set(session.description.outcomes):
        said: list[Any] = [each["outcome"] for each in decided]
    elif outcome.labels is None:
        said = outcome.scores[:, 0].tolist()
    else:
        said = [(model.classes or [])[label] for label in outcome.labels.tolist()]
    return dict(zip(indices, said, strict=True))
