"""Answer in KServe's protocols: version 1, and version 2, the Open Inference Protocol. A model is an explainer's name.

A row that the model refuses has no prediction, which these protocols cannot express for one row: it fails its call,
except in version 1's explanations, which say why for each row.
"""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import orjson
from pydantic import ValidationError

from explanations.decisions import decisions_of
from explanations.documents import decimals, written
from explanations.explained_rows import explain_read
from explanations.included_parts import parts_of
from explanations.instances import ReadInstances, Run, ids_of_instances, read_instances, run_readable
from explanations.warm_explainer import WarmExplainer
from schemas.explanations import ExplanationRequest
from schemas.models import Model
from schemas.open_inference import InferenceRequest
from storage.errors import NotFound, StorageError
from tree_explainers.compute.progress import Tick
from tree_explainers.errors import RowRefused
from tree_explainers.onnx_models.session import Outcome

from ..app_context import AppContext
from ..field_faults import fault_text
from .explanation_records import CallRecord, record_of, store
from .explanations import (
    checked_size,
    cost_of,
    cost_of_predicting,
    explainer_named,
    find_warm,
    run_rows,
    sent_instances,
)
from .tensors import OutputTensor, TensorAnswer, answer_of, instances_of, n_values_of, wanted_outputs

_MOST_VALUES_AT_ONCE = 10_000  # more would keep the event loop from other callers
_PLATFORM = "leafspace"
_NUMBERS, _TEXTS = "FP64", "BYTES"
_EXPLANATION, _SCORES, _LABEL, _VALUE, _OUTCOME = "explanation", "scores", "label", "value", "outcome"
# Triton's own parameters, which clients may send to any server.
_IGNORED = frozenset({"binary_data_output", "sequence_id", "sequence_start", "sequence_end", "priority", "timeout"})

Instances = Sequence[dict[str, Any] | list[Any]]


async def explain(context: AppContext, name: str, request: ExplanationRequest) -> bytes:
    """Return version 1's predictions and explanations as JSON; the prediction of a refused row is null."""
    warm = await _find(context, name)
    instances = sent_instances(request)
    cost = await cost_of(warm, request, checked_size(context, warm, request))
    record = record_of(context, warm, request, name) if warm.stores_explanations else None
    work = partial(_explained, warm, name, request, record)
    body = await run_rows(context, len(instances), cost, work)
    await store(context, record)
    return body


async def predict(context: AppContext, name: str, request: ExplanationRequest) -> bytes:
    """Return version 1's predictions as JSON, beside them scores, labels, values and outcomes.

    Clients of version 1 read ``predictions``, which are what ``:explain`` answers, and leave other keys unread.
    """
    warm = await _find(context, name)

    instances = sent_instances(request)

    def predicted(tick: Tick) -> bytes:
        _, (outcome, _, refused) = _run(warm, instances, tick)
        _refuse_call(refused)
        return orjson.dumps({"predictions": _predictions(warm, outcome), **_by_name(warm, outcome)})

    return await run_rows(context, len(instances), cost_of_predicting(warm, instances), predicted)


async def infer(
    context: AppContext, name: str, model_version: str | None, request: InferenceRequest, binary: bytes
) -> TensorAnswer:
    """Return version 2's tensors: predictions, and explanations unless others alone are wanted.

    Raises
    ------
    NotFound
        If no explainer has the name, or it means another one than the version says.
    StorageError
        If the tensors are not columns of rows that the model accepts.
    """
    warm = await _find(context, name, model_version)
    _refuse_texts_for_numbers(request, warm.model)
    rows = await _decoded(request, binary, warm.model)
    sent_instances(rows)
    size = checked_size(context, warm, rows)
    are_binary = wanted_outputs(request, [output["name"] for output in _outputs(warm.model)])
    has_explanation = _EXPLANATION in are_binary
    record = record_of(context, warm, rows, name) if has_explanation and warm.stores_explanations else None

    def inferred(tick: Tick) -> TensorAnswer:
        computed = _tensors(warm, rows, record, tick, has_explanation=has_explanation)
        tensors = {tensor.name: tensor for tensor in computed}
        head = {"model_name": name, "model_version": warm.explainer_id} | ({"id": request.id} if request.id else {})
        return answer_of(head, [tensors[wanted] for wanted in are_binary], are_binary)

    cost = await cost_of(warm, rows, size) if has_explanation else cost_of_predicting(warm, rows.instances)
    answer = await run_rows(context, len(rows.instances), cost, inferred)
    await store(context, record)
    return answer


async def is_ready(context: AppContext, name: str, model_version: str | None = None) -> dict[str, Any]:
    """Return that a name has an explainer; raise ``NotFound`` where it has none, or another than the version."""
    await _explainer_id(context, name, model_version)
    return {"name": name, "ready": True}


async def describe(context: AppContext, name: str, model_version: str | None = None) -> dict[str, Any]:
    """Return version 2's metadata of a model: its tensors; its version is the id of the explainer."""
    warm = await _find(context, name, model_version)
    kinds = zip(warm.model.feature_names, warm.model.feature_types, strict=True)
    inputs = [_described(feature, _NUMBERS if kind == "number" else _TEXTS, 1) for feature, kind in kinds]
    described = {"inputs": inputs, "outputs": _outputs(warm.model)}
    return {"name": name, "versions": [warm.explainer_id], "platform": _PLATFORM, **described}


async def _find(context: AppContext, name: str, model_version: str | None = None) -> WarmExplainer:
    return await find_warm(context, await _explainer_id(context, name, model_version))


async def _explainer_id(context: AppContext, name: str, model_version: str | None) -> str:
    explainer_id = await explainer_named(context, name)
    if model_version not in {None, explainer_id}:
        raise NotFound("version", str(model_version), f"{name!r} has one version, {explainer_id!r}")
    return explainer_id


def _explained(
    warm: WarmExplainer, name: str, request: ExplanationRequest, record: CallRecord | None, tick: Tick
) -> bytes:
    read, run = _run(warm, request.instances, tick)
    explanations = _explanations(warm, request, read, run, record, tick)
    outcome, indices, _ = run
    by_index = dict(zip(indices, _predictions(warm, outcome), strict=True))
    predictions = [by_index.get(index) for index in range(len(request.instances))]
    called = {"explainer": warm.explainer_id, "explainer_name": name, "provenance": warm.provenance}
    return orjson.dumps({"predictions": predictions, "explanations": written(explanations), **called})


def _run(warm: WarmExplainer, instances: Instances, tick: Tick) -> tuple[ReadInstances, Run]:
    read = read_instances(instances, warm.features, tick)
    return read, run_readable(warm.session, read, warm.walked)


def _explanations(
    warm: WarmExplainer,
    request: ExplanationRequest,
    read: ReadInstances,
    run: Run,
    record: CallRecord | None,
    tick: Tick,
) -> list[Any]:
    row_ids = ids_of_instances(request.row_ids, request.instances, warm.features)
    explanations = explain_read(warm, parts_of(warm, request), row_ids, read, run, tick)
    return explanations if record is None else record.identify(explanations)


def _predictions(warm: WarmExplainer, outcome: Outcome) -> Sequence[str] | Sequence[float]:
    """Return what is predicted of each row: its outcome where the model has a decision, else its class or value."""
    if warm.model.decision is not None:
        return _outcomes(warm, outcome)
    return decimals(outcome.scores[:, 0]) if outcome.labels is None else _labels(warm, outcome)


def _by_name(warm: WarmExplainer, outcome: Outcome) -> dict[str, Any]:
    """Return what version 2 has as tensors as lists of one item a row, and the classes whose scores they are."""
    decided = {} if warm.model.decision is None else {"outcomes": _outcomes(warm, outcome)}
    if outcome.labels is None:
        return {"values": decimals(outcome.scores[:, 0]), **decided}
    scores = decimals(outcome.scores)
    return {"labels": _labels(warm, outcome), "classes": warm.model.classes, "scores": scores, **decided}


def _labels(warm: WarmExplainer, outcome: Outcome) -> list[str]:
    indices = [] if outcome.labels is None else outcome.labels.tolist()
    return [warm.model.classes[index] for index in indices]


def _outcomes(warm: WarmExplainer, outcome: Outcome) -> list[str]:
    return [each["outcome"] for each in decisions_of(warm.session.description, outcome) or ()]


def _refuse_call(refused: Mapping[int, RowRefused]) -> None:
    """Refuse the call for its first row that the model refuses, if there is one."""
    if refused:
        row = min(refused)
        raise StorageError(refused[row].code, f"row {row}, counted from 0: {refused[row].detail}")


async def _decoded(request: InferenceRequest, binary: bytes, model: Model) -> ExplanationRequest:
    """Return the request for explanations; many values are decoded beside the event loop."""
    decode = partial(_explanation_request, request, binary, frozenset(model.feature_names))
    n_values = n_values_of(request, model.feature_names)
    return decode() if n_values <= _MOST_VALUES_AT_ONCE else await asyncio.to_thread(decode)


def _explanation_request(request: InferenceRequest, binary: bytes, features: Collection[str]) -> ExplanationRequest:
    """Return the request for explanations that a request for inference means: its parameters are that one's fields."""
    fields = {name: value for name, value in request.parameters.items() if name not in _IGNORED}
    if unknown := sorted({"instances", "dataset"} & fields.keys()):
        detail = f"there is no parameter {unknown[0]!r}: rows are sent as tensors, in `inputs`; leave it out"
        raise StorageError("validation_failed", detail, f"/parameters/{unknown[0]}")
    if isinstance(include := fields.get("include"), str):  # parameters are no lists in most clients
        fields["include"] = [part.strip() for part in include.split(",")]
    try:
        return ExplanationRequest(instances=instances_of(request, binary, features), **fields)
    except ValidationError as error:
        fault = error.errors()[0]
        field = str(fault["loc"][0])
        known = ", ".join(name for name in ExplanationRequest.model_fields if name not in {"instances", "dataset"})
        detail = f"parameter {field[:80]!r}: {fault_text(fault)}; parameters are {known}"
        raise StorageError("validation_failed", detail, f"/parameters/{field[:80]}") from error


def _refuse_texts_for_numbers(request: InferenceRequest, model: Model) -> None:
    """Refuse tensors of texts, whatever their values, for features that the model's metadata declares as numbers."""
    kinds = dict(zip(model.feature_names, model.feature_types, strict=True))
    for index, tensor in enumerate(request.inputs):
        if tensor.datatype == _TEXTS and kinds.get(tensor.name) == "number":
            detail = (
                f"tensor {tensor.name!r} has datatype {_TEXTS}, and the feature is a number: send {_NUMBERS}, or "
                "another type of numbers"
            )
            raise StorageError("validation_failed", detail, f"/inputs/{index}/datatype")


def _outputs(model: Model) -> list[dict[str, Any]]:
    predicted = [_described(_VALUE, "FP64", 1)]
    if model.task == "classification":
        predicted = [_described(_LABEL, "BYTES", 1), _described(_SCORES, "FP64", len(model.classes))]
    if model.decision is not None:
        predicted.append(_described(_OUTCOME, "BYTES", 1))
    return [*predicted, _described(_EXPLANATION, "BYTES", 1)]


def _described(name: str, datatype: str, width: int) -> dict[str, Any]:
    return {"name": name, "datatype": datatype, "shape": [-1, width]}


def _tensors(
    warm: WarmExplainer, request: ExplanationRequest, record: CallRecord | None, tick: Tick, *, has_explanation: bool
) -> list[OutputTensor]:
    """Return all tensors of an answer, the explanations only where they are wanted, as they take most of the time."""
    read, run = _run(warm, request.instances, tick)
    outcome, _, refused = run
    _refuse_call(refused)
    n_rows = read.n_rows
    tensors = _prediction_tensors(warm, outcome, n_rows)
    if has_explanation:
        texts = [orjson.dumps(explanation) for explanation in _explanations(warm, request, read, run, record, tick)]
        tensors.append(OutputTensor(_EXPLANATION, "BYTES", (n_rows, 1), texts))
    return tensors


def _prediction_tensors(warm: WarmExplainer, outcome: Outcome, n_rows: int) -> list[OutputTensor]:
    def texts(name: str, column: list[str]) -> OutputTensor:
        return OutputTensor(name, "BYTES", (n_rows, 1), [text.encode() for text in column])

    decided = [] if warm.model.decision is None else [texts(_OUTCOME, _outcomes(warm, outcome))]
    if outcome.labels is None:
        return [OutputTensor(_VALUE, "FP64", (n_rows, 1), decimals(outcome.scores[:, 0])), *decided]
    shape, scores = (n_rows, outcome.scores.shape[1]), decimals(np.ravel(outcome.scores))
    return [texts(_LABEL, _labels(warm, outcome)), OutputTensor(_SCORES, "FP64", shape, scores), *decided]
