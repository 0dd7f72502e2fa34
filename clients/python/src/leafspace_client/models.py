"""Models: registered ONNX tree ensembles."""

from collections.abc import Iterable, Sequence
from io import BytesIO
from typing import Any, Literal

from .arguments import json_text
from .calls import Connected, Program, awaitable, blocking, create, fetch, transport_of
from .contract.models import (
    compare_rows,
    delete_model,
    get_model,
    get_tree,
    list_features,
    list_models,
    predict,
    register_model,
    rename_model,
)
from .conversion import ConvertedModel
from .errors import Invalid, NotFound
from .labels import KnownLabels, labels_by_text, with_labels
from .nouns import AsyncDeletable, Identified, Noun, SyncDeletable, id_of, id_or_none, rename_one
from .records import Records, warned_of_ignored
from .row_batches import gathered, named_batches
from .rows import named_instances, sent
from .types import (
    UNSET,
    BodyRegisterModel,
    FeatureUsage,
    File,
    LabelAuditProximityKind,
    Model,
    ModelSummary,
    PredictionRequest,
    PredictionRow,
    ProximityBlock,
    ProximityBlockRequest,
    Tree,
)

MODELS: Noun[Model] = Noun(get_model, list_models, delete_model, rename_model)
_ID_PREFIX = "mdl_"


def register(converted: ConvertedModel, known: KnownLabels) -> Program[Model]:
    """Send a converted model, and keep its labels as the caller has them."""
    body = BodyRegisterModel(
        file=File(BytesIO(converted.onnx), "model.onnx", "application/octet-stream"),
        metadata=json_text(converted.metadata()),
    )
    model = yield from create(register_model(body=body))
    known.remember([model.id, model.sha256], converted.declared.labels)
    return model


def _get(self: Connected, thing: Identified) -> Program[Model]:
    """Return one, by its id.

    Parameters
    ----------
    thing
        A model, or its id.

    Raises
    ------
    NotFound
        If there is no such model.
    """
    model_id = id_of(thing)
    if not model_id.startswith(_ID_PREFIX):
        # At the same address the names of explainers answer, with less, to clients of KServe.
        detail = f"no model has the id {model_id!r}: such ids begin with {_ID_PREFIX}; list the models to see them"
        raise NotFound("not_found", f"{detail}, or the explainer names if it is one of these")
    model = yield from fetch(get_model(model_id=model_id))
    transport_of(self).known_documents.remember(model)
    return model


def _use_labels(self: Connected, model: Identified, classes: Iterable[Any]) -> Program[Model]:
    """Have explanations and predictions of a model that another client registered give labels in your own type.

    Parameters
    ----------
    classes
        The labels as you have them, such as ``forest.classes_``, or ``[False, True]``.

    Raises
    ------
    Invalid
        If these are not the model's classes; their order does not matter.

    Examples
    --------
    >>> client.models.use_labels(model, forest.classes_).classes
    ['benign', 'malignant']
    """
    view = yield from _get(self, model)
    labels = labels_by_text(classes)
    if set(labels) != set(view.classes):
        detail = f"the classes of {view.id} are {view.classes}, and those given read {list(labels)} as text"
        raise Invalid("validation_failed", detail)
    transport_of(self).labels.remember([view.id, view.sha256], labels)
    return view


def _tree(self: Connected, model: Identified, tree: int) -> Program[Tree]:  # a method
    """Return one tree of a model, for drawing; trees are numbered from 0.

    Parameters
    ----------
    tree
        Number of the tree, from 0 on.

    Raises
    ------
    NotFound
        If the model has no such tree.
    """
    return (yield from fetch(get_tree(id_of(model), tree=tree)))


def _features(self: Connected, model: Identified) -> Program[list[FeatureUsage]]:  # a method
    """Return how often the trees test each feature, those that most trees test first."""
    return Records((yield from fetch(list_features(id_of(model)))).data)


def _predict(
    self: Connected,
    model: Identified,
    rows: Any,  # DataFrames, arrays, dicts, lists
    row_ids: Iterable[Any] | None = None,
    *,
    include: Sequence[Literal["leaves"]] = (),
) -> Program[Records[PredictionRow]]:
    """Return the prediction for each row, in their order, and with ``include=["leaves"]`` its leaf in each tree.

    Parameters
    ----------
    rows : (n_rows, n_features)
        A DataFrame, an array, a dict or Series (one row), a list of rows, or an iterator of rows or of batches of them,
        which is read as it is sent.
    row_ids
        Your names for the rows, each another one; default: the index of a DataFrame, the name of a Series, else the
        rows' 0-based indices.
    include
        ``["leaves"]`` for the leaf of each row in each tree.

    Returns
    -------
    list of PredictionRow
        In the order of the rows. One that the model cannot read does not fail the others: its ``problem`` says why. The
        list's ``ignored_columns`` names columns that the model does not read; a warning is logged of them.
    """
    predictions: Records[PredictionRow] = Records()
    ignored: list[str] = []
    labels = transport_of(self).labels.of(id_of(model))
    for batch, names in named_batches(rows, row_ids):
        request = PredictionRequest(instances=batch, row_ids=names, include=list(include) or UNSET)
        answer = yield from fetch(predict(id_of(model), body=request))
        predictions += with_labels(answer.data, labels)
        ignored += answer.ignored_columns or []
    predictions.ignored_columns = warned_of_ignored(ignored)
    return predictions


def _proximities(  # two sets of rows and how to compare them
    self: Connected,  # a method
    model: Identified,
    rows: Any,  # DataFrames, arrays, dicts, lists
    others: Any,  # the same
    *,
    row_ids: Iterable[Any] | None = None,
    other_row_ids: Iterable[Any] | None = None,
    proximity_kind: LabelAuditProximityKind = "auto",
    weights_of: Identified | None = None,
) -> Program[ProximityBlock]:
    """Return the proximity of each row to each of some others, at most 1,000 of each, at once.

    Parameters
    ----------
    rows, others
        DataFrames, arrays of shape (n_rows, n_features), dicts or lists.
    row_ids : names
    other_row_ids
        Likewise for the others.
    weights_of
        Proximities, a label audit or a prototype set whose tree weights to use; default: by ``proximity_kind``.

    Returns
    -------
    ProximityBlock
        ``proximities`` has a list for each row, with its proximity (0 to 1) to each of the others, in their order;
        ``None`` for rows that the model cannot read.
    """
    instances, names = named_instances(gathered(rows), row_ids)
    other_instances, other_names = named_instances(gathered(others), other_row_ids, "other_row_ids")
    request = ProximityBlockRequest(
        instances=sent(instances),
        others=sent(other_instances),
        row_ids=names,
        other_row_ids=other_names,
        proximity_kind=proximity_kind,
        weights_of=id_or_none(weights_of),
    )
    return (yield from fetch(compare_rows(id_of(model), body=request)))


class Models(SyncDeletable[Model, Model, ModelSummary]):
    """All models, newest first; lists yield summaries, and ``get`` takes one for the whole model."""

    noun = MODELS
    get = blocking(_get)
    rename = blocking(rename_one)
    use_labels = blocking(_use_labels)
    tree = blocking(_tree)
    features = blocking(_features)
    predict = blocking(_predict)
    proximities = blocking(_proximities)


class AsyncModels(AsyncDeletable[Model, Model, ModelSummary]):
    """All models, newest first; lists yield summaries, and ``get`` takes one for the whole model."""

    noun = MODELS
    get = awaitable(_get)
    rename = awaitable(rename_one)
    use_labels = awaitable(_use_labels)
    tree = awaitable(_tree)
    features = awaitable(_features)
    predict = awaitable(_predict)
    proximities = awaitable(_proximities)
