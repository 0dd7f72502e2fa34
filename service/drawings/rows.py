"""The view of a dataset's rows: a page of them, or of those with a value; nothing of hidden columns."""

import json
from collections.abc import Mapping, Sequence
from urllib.parse import urlencode

from leafspace_drawings import Call, ColumnNames, RowsPage, draw_rows, text_of
from leafspace_drawings.words import name_or_id

from schemas.datasets import DATASETS
from storage.errors import StorageError

from ..app_context import AppContext
from ..operations import datasets
from ..operations.row_search import Wanted, list_found_rows
from .documents import LINKS, Json, Parameters, at, listed, shown_dataset, view

_PAGE_ROWS, _MOST_COLUMNS = 50, 24
_MOST_EXPLAINERS, _MOST_MODELS = 50, 20
_TRUTH = {"yes": "true", "no": "false"}
_FIELDS = ("where", "value", "at_least", "at_most")


@view("rows")
def rows(context: AppContext, dataset_id: str, parameters: Parameters) -> str:
    """Draw rows of a dataset: from ``cursor`` on, those where the column ``where`` has a ``value`` or is in a range."""
    dataset = shown_dataset(context, dataset_id)
    searched = {name: parameters[name] for name in _FIELDS if parameters.get(name)}
    if set(searched) == {"where"}:
        searched = {}
    cursor = parameters.get("cursor")
    columns = _columns(dataset, searched.get("where"))
    page: Json = {"data": [], "next_cursor": None}
    refused: dict[str, str] = {}
    try:
        page = _page(context, dataset, columns, searched, cursor)
    except StorageError as error:
        if not searched or error.code != "validation_failed":
            raise
        refused = {(error.pointer or "/value").removeprefix("/"): error.detail}
    explainers = explainers_of(context, dataset_id)
    chosen = parameters.get("explainer", "")
    drawn = RowsPage(
        dataset=dataset,
        columns=columns,
        rows=page["data"],
        next_cursor=page["next_cursor"],
        searched=searched,
        is_later=cursor is not None,
        is_over_early=bool(searched) and page["next_cursor"] is not None and len(page["data"]) < _PAGE_ROWS,
        refused=refused,
        explainers=explainers,
        explainer=chosen if chosen in dict(explainers) else next((each for each, _ in explainers), ""),
        links=LINKS,
    )
    way = [(name_or_id(dataset), LINKS.to("datasets", dataset_id)), ("rows", None)]
    call = _call(
        dataset,
        columns,
        {} if refused else searched,
        is_whole=len(context.datasets.get(dataset_id).view.columns) == len(dataset["columns"]),
    )
    return at(draw_rows(drawn), way, call)


def explainers_of(context: AppContext, dataset_id: str) -> list[tuple[str, str]]:
    """Return ids and names of the newest explainers of models that take the features of a dataset."""
    features = {column.name for column in context.datasets.get(dataset_id).view.columns}
    every = listed(context.explainers.list(_MOST_EXPLAINERS, None).data)
    models = list(dict.fromkeys(each["model"] for each in every))[:_MOST_MODELS]
    known = {model: context.models.get(model).view for model in models}
    fitting = {model: each.name or model for model, each in known.items() if features.issuperset(each.feature_names)}
    return [
        (each["id"], each["name"] or f"an explainer of {fitting[each['model']]}")
        for each in every
        if each["model"] in fitting
    ]


def _call(dataset: Json, columns: Sequence[str], searched: Mapping[str, str], *, is_whole: bool) -> Call:
    """Return the call that answers the same rows; where columns are hidden, it names those that are shown."""
    named = [] if is_whole else list(columns)
    query = urlencode([("limit", str(_PAGE_ROWS)), *searched.items(), *(("columns", name) for name in named)])
    ends = tuple(searched.get(name) for name in ("at_least", "at_most"))
    wanted = searched["value"] if "value" in searched else tuple(None if end is None else float(end) for end in ends)
    where = f", where={{{searched['where']!r}: {wanted!r}}}" if "where" in searched else ""
    only = f", columns={named!r}" if named else ""
    python = f'client.datasets.rows("{dataset["id"]}", limit={_PAGE_ROWS}{where}{only})'
    return Call(f"{DATASETS.path}/{dataset['id']}/rows?{query}", python)


def _columns(dataset: Json, searched: str | None) -> list[str]:
    """Return the columns that are shown, in the order of the file: the target and what is searched among them.

    The ids of rows begin each line, and are shown once.
    """
    names = [column["name"] for column in dataset["columns"] if column["name"] != dataset["row_id"]]
    first = [name for name in dict.fromkeys([searched, dataset["target"]]) if name in names]
    chosen = set(list(dict.fromkeys([*first, *names]))[:_MOST_COLUMNS])
    return [name for name in names if name in chosen]


def _page(
    context: AppContext, dataset: Json, columns: list[str], searched: Mapping[str, str], cursor: str | None
) -> Json:
    """Return a page of rows as the API answers it; a hidden column cannot be searched."""
    if not searched:
        return json.loads(b"".join(datasets.list_rows(context, dataset["id"], columns, _PAGE_ROWS, cursor)))  # type: ignore[no-any-return]  # an object
    wanted = _wanted(dataset, searched)
    found = list_found_rows(context, dataset["id"], columns, wanted, _PAGE_ROWS, cursor)
    return json.loads(b"".join(found))  # type: ignore[no-any-return]  # an object


def _wanted(dataset: Json, searched: Mapping[str, str]) -> Wanted:
    """Return what is searched: a value may be written as people call it."""
    where = searched.get("where", "")
    column = next((each for each in dataset["columns"] if each["name"] == where), None)
    if column is None:
        detail = f"the dataset has no column {where[:80]!r} that can be shown"
        raise StorageError("validation_failed", detail, "/where")
    value = searched.get("value")
    if value is not None:
        labels = ColumnNames(dataset)[where].labels.items()
        value = next((text_of(key) for key, label in labels if label.casefold() == value.casefold()), value)
        value = _TRUTH.get(value, value) if column["type"] == "boolean" else value
    ends = {name: _number(searched[name], name) for name in ("at_least", "at_most") if name in searched}
    return Wanted(where, value, **ends)


def _number(text: str, name: str) -> float:
    try:
        return float(text)
    except ValueError:
        detail = f"{text[:80]!r} is no number; write one, such as 12.5"
        raise StorageError("validation_failed", detail, f"/{name}") from None
