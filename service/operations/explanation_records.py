"""Records of explanations: what is stored of a call, each row by itself."""

import time
from typing import Any

import orjson

from explanations.warm_explainer import WarmExplainer
from schemas.explanations import EXPLANATION_SETS, ExplanationRequest
from storage.errors import StorageError
from storage.explanations import ExplanationRow, digest_of, draw_explanation_id

from ..app_context import AppContext
from ..callers import CURRENT_KEY

MAX_RECORD_BYTES = 4 << 20
"""Of a row's request and response together: what one answer returns."""

REVISION = EXPLANATION_SETS.revision
"""Explanation sets and single explanations are computed by the same code."""


class CallRecord:
    """The explanations of the call that is being answered, as they are to be stored; refused rows are not.

    Parameters
    ----------
    warm
        The explainer that answers.
    request
        What was requested.
    name
        The name that the explainer was called by, if it was.
    """

    def __init__(self, warm: WarmExplainer, request: ExplanationRequest, name: str | None) -> None:
        self._request = request
        self._options = request.model_dump(mode="json", exclude={"instances", "dataset", "row_ids"})
        self._shared = {
            "explainer": warm.explainer_id,
            "explainer_name": name,
            "caller": CURRENT_KEY.get(),
            "model_sha256": warm.provenance["model_sha256"],
            "provenance": warm.provenance,
            "revision": REVISION,
            "dataset": warm.dataset_id,
            "dictionary_revision": warm.wording.words.revision,
            "created_at": round(time.time(), 6),  # as answers show it, so that lists are cut at what was read
        }
        self.rows: list[ExplanationRow] = []

    def identify(self, explanations: list[dict[str, Any]]) -> list[Any]:
        """Give each explanation an id, keep it, and return all as they are to be answered, those kept as JSON.

        Raises
        ------
        StorageError
            ``too_many_rows`` where one is too large to be stored.
        """
        return [
            explanation if explanation["status"] == "error" else self._keep(index, explanation)
            for index, explanation in enumerate(explanations)
        ]

    def _keep(self, index: int, explanation: dict[str, Any]) -> orjson.Fragment:
        explanation_id, row_id = draw_explanation_id(), explanation["row_id"]
        response = orjson.dumps({"object": explanation["object"], "id": explanation_id} | explanation).decode()
        row = {"instances": [self._request.instances[index]]} if self._request.instances else {}
        named = {"dataset": self._request.dataset, "row_ids": [row_id]}
        request = orjson.dumps({**self._options, **row, **named}).decode()
        n_bytes = len(request.encode()) + len(response.encode())
        if n_bytes > MAX_RECORD_BYTES:
            detail = (
                f"the explanation of row {row_id!r} takes {n_bytes:,} bytes with its row, and at most "
                f"{MAX_RECORD_BYTES:,} are stored; request fewer prototypes, reasons or values"
            )
            raise StorageError("too_many_rows", detail)
        known = {"id": explanation_id, "row_id": row_id, "request": request, "response": response}
        self.rows.append(ExplanationRow(**self._shared, **known, n_bytes=n_bytes, digest=digest_of(response)))
        return orjson.Fragment(response)


def record_of(
    context: AppContext, warm: WarmExplainer, request: ExplanationRequest, name: str | None
) -> CallRecord | None:
    """Return the record of a call, where explanations are stored; ``None`` where the operator does not allow it.

    Raises
    ------
    StorageUnavailable
        If too many wait to be stored for this one to be stored, too.
    """
    if context.explanation_log is None:
        return None
    context.explanation_log.check_capacity()
    return CallRecord(warm, request, name)


async def store(context: AppContext, record: CallRecord | None) -> None:
    """Wait until a call's explanations are stored, if they are to be; raise where they are not."""
    if record is not None and record.rows and context.explanation_log is not None:
        await context.explanation_log.add(record.rows)
