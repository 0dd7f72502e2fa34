"""The answers of calls for explanations: of one alone, or of several that wait at the same time, computed together."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NamedTuple, cast

import orjson

from explanations.explained_rows import Form, explain_instances, explain_read, ids_of_rows
from explanations.included_parts import WITHOUT_OPTIONS, parts_of
from explanations.instances import ReadInstances, joined, read_instances, run_readable
from explanations.warm_explainer import WarmExplainer
from schemas.decisions import MOST_OUTCOME_TEXTS
from schemas.explanations import ExplanationRequest
from schemas.problems import FieldProblem
from storage.errors import EveryRowFailed, StorageError
from tree_explainers.compute.progress import Tick, no_tick

from ..admission.joint_calls import Kind
from .explanation_records import CallRecord

_AROUND = "around explanations"  # where an explainer has what answers have around them


class CallOf(NamedTuple):
    """A call for the explanations of a few rows."""

    warm: WarmExplainer
    request: ExplanationRequest
    name: str | None  # that the explainer was called by
    read: ReadInstances | None = None  # the rows, where the request names those of a dataset
    record: CallRecord | None = None  # takes the explanations, where they are to be stored


def explain_rows(
    warm: WarmExplainer,
    request: ExplanationRequest,
    name: str | None = None,
    read: ReadInstances | None = None,
    record: CallRecord | None = None,
    tick: Tick = no_tick,
) -> bytes:
    """Return the explanations as JSON.

    Parameters
    ----------
    name
        The one that the explainer was called by.
    read
        The rows, where the request names those of a dataset.
    record
        Takes the explanations, where they are to be stored.
    tick
        Is called before each row, and may raise.
    """
    return explain_call(CallOf(warm, request, name, read, record), tick)


def explain_call(call: CallOf, tick: Tick = no_tick) -> bytes:
    """Return the answer to one call alone."""
    warm, request, _, read, record = call
    read = read_instances(request.instances, warm.features, tick) if read is None else read
    form: Form = "json" if record is None else "fragments"
    return _answer(call, read, explain_instances(warm, request, read, tick, form))


def kind_of(call: CallOf) -> Kind[CallOf, bytes]:
    """Return which calls it may be computed with: those of its explainer, as that is now, with the same options."""
    request, options = call.request, ""
    if not request.model_fields_set <= WITHOUT_OPTIONS:
        options = request.model_dump_json(exclude=set(WITHOUT_OPTIONS), exclude_unset=True)
    return Kind((id(call.warm), options), explain_call, explain_calls)


def explain_calls(calls: Sequence[CallOf]) -> list[bytes | None]:
    """Return the answers to calls of a kind, computed together; ``None`` for what is to be computed alone.

    Whatever fails is left to the call that it is the fault of: its own computation says what is wrong.
    """
    warm, answers = calls[0].warm, list[bytes | None]([None] * len(calls))
    numbers, reads, row_ids = list[int](), list[ReadInstances](), list[str]()
    try:
        for number, call in enumerate(calls):
            with suppress(StorageError):
                of_call = call.read or read_instances(call.request.instances, warm.features)
                row_ids += ids_of_rows(warm, call.request, of_call.n_rows)
                reads.append(of_call)
                numbers.append(number)
        read = joined(reads)
        parts, run = parts_of(warm, calls[0].request), run_readable(warm.session, read, warm.walked)
        form: Form = "json" if calls[0].record is None else "fragments"  # those of an explainer are stored alike
        data = explain_read(warm, parts, row_ids, read, run, form=form)
    except Exception:  # noqa: BLE001  # raised again by the call that fails alone
        return answers
    for number, read in zip(numbers, reads, strict=True):
        rows, data = data[: read.n_rows], data[read.n_rows :]
        with suppress(StorageError):
            answers[number] = _answer(calls[number], read, rows)
    return answers


def _answer(call: CallOf, read: ReadInstances, data: list[Any]) -> bytes:
    if all(isinstance(row, dict) and row["status"] == "error" for row in data):  # and not one that is JSON already
        rows = "instances" if call.read is None else "row_ids"
        problems = [(f"/{rows}/{index}", row["problem"]) for index, row in enumerate(data)]
        raise EveryRowFailed([FieldProblem(pointer=at, detail=row["detail"], code=row["code"]) for at, row in problems])
    if call.record is not None:
        data = call.record.identify(data)
    start, end = _around(call.warm, call.name)
    # One at a time: the interpreter's lock is released in between, and their memory.
    texts = [row if isinstance(row, bytes) else orjson.dumps(row) for row in data]
    texts[0] = start + texts[0]
    ignored = b',"ignored_columns":%b' % orjson.dumps(read.ignored) if read.ignored else b""
    texts[-1] = b"%b]%b%b" % (texts[-1], ignored, end)
    return b",".join(texts)  # at once: an answer to many rows has megabytes


def _around(warm: WarmExplainer, name: str | None) -> tuple[bytes, bytes]:
    """Return what stands before the explanations of an answer, and behind them."""
    if (known := warm.known.get((_AROUND, name))) is None:
        head = {"object": "list", "explainer": warm.explainer_id} | ({} if name is None else {"explainer_name": name})
        start = b'%b,"data":[' % orjson.dumps(head)[:-1]
        said = warm.wording.words.outcome_texts
        texts = {"outcome_texts": said} if 0 < len(said) <= MOST_OUTCOME_TEXTS else {}
        end = b",%b" % orjson.dumps({**texts, "provenance": warm.provenance})[1:]
        known = warm.known[_AROUND, name] = start, end
    return cast("tuple[bytes, bytes]", known)
