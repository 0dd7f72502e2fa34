"""Decisions: what a caller declares of a model's cut-offs or bands, and what its library decides by a cut-off."""

from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import Invalid
from ..labels import labels_by_text
from ..records import Record
from .unwrapping import final_step

_FIELDS = ("score_of", "bands", "best_first", "adverse", "labels_decide")


def decision_document(decision: Any) -> dict[str, Any] | None:
    """Return a decision as it is sent: ``None`` where there is none.

    Parameters
    ----------
    decision
        A mapping with ``score_of``, ``bands`` and what else a decision has, or a ``types.Decision``. Bands are a list
        of ``{"outcome", "below"}``, or a mapping from outcomes to their upper ends, from the lowest to the highest.

    Raises
    ------
    Invalid
        Naming what is no field of a decision, or what bands are instead of these.
    """
    if decision is None:
        return None
    fields = decision.to_dict() if isinstance(decision, Record) else decision
    if unknown := [name for name in fields if name not in _FIELDS]:
        detail = f"decision: there is no field {unknown[0]!r}; its fields are {', '.join(_FIELDS)}"
        raise Invalid("validation_failed", detail)
    document = {name: value for name, value in fields.items() if value is not None}
    if "score_of" in document:
        document["score_of"] = next(iter(labels_by_text([document["score_of"]])))
    if "bands" in document:
        document["bands"] = _bands(document["bands"])
    return document


def _bands(bands: Any) -> list[Any]:  # as the caller writes them
    if isinstance(bands, Mapping):
        return [{"outcome": outcome, "below": end} for outcome, end in bands.items()]
    if isinstance(bands, Sequence) and not isinstance(bands, str):
        return [band.to_dict() if isinstance(band, Record) else band for band in bands]
    detail = (
        f"decision: bands is {type(bands).__name__}; give a mapping from outcomes to upper ends, such as "
        "{'approve': 0.12, 'refer': 0.35, 'decline': None}"
    )
    raise Invalid("validation_failed", detail)


def decision_of(estimator: Any, classes: Sequence[str] | None) -> dict[str, Any] | None:  # an estimator
    """Return the decision of an estimator whose own cut-off of a score decides between two classes; else ``None``.

    ``classes`` are its classes as the service has them, in the order of the scores.
    """
    from .cut_offs import cut_off_of_scores  # imports extras

    known = None if classes is None else cut_off_of_scores(final_step(estimator))
    if known is None or classes is None:
        return None
    positive, threshold = known
    bands = [{"outcome": classes[1 - positive], "below": threshold}, {"outcome": classes[positive], "below": None}]
    return {"score_of": classes[positive], "bands": bands, "labels_decide": True}
