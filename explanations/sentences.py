"""Sentences of explanations, the same for clients in every language; those of reasons are in ``reason_texts``."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from leafspace_drawings.words import share as percent

from tree_explainers import wording

_N_FEATURES = 3  # that a summary names


Mention = Callable[[str], str]
"""Says a feature's name as the object of a sentence: ``whether it has an account`` for ``has an account``."""


def summary(
    prediction: Mapping[str, Any], nearest: Sequence[Mapping[str, Any]], typicality: str, mention: Mention = str
) -> str:
    """Return an explanation in a sentence or two.

    Parameters
    ----------
    prediction
        As explanations have it.
    nearest
        The nearest prototypes, as explanations have them.
    typicality
        The first sentence, about how typical the row is; empty where that is not known.
    mention
        How features are named; default: by their names.
    """
    explained = _explained(prediction, nearest, mention, is_placed=bool(typicality))
    return f"{typicality} {explained}" if typicality else explained


def _explained(
    prediction: Mapping[str, Any], nearest: Sequence[Mapping[str, Any]], mention: Mention, *, is_placed: bool
) -> str:
    outcome = f"Predicted as {_outcome(prediction)}"
    if not nearest and is_placed:
        return f"{outcome}."
    if not nearest:
        return f"{outcome}; the row shares no leaf with any prototype."
    prototype = nearest[0]
    proximity = f"proximity {percent(prototype['proximity'])}"
    features = [mention(reason["feature"]) for reason in prototype["reasons"][:_N_FEATURES]]
    because = f", mostly by {_listed(features)}" if features else ""
    return f"{outcome}{_beside(prediction, prototype)} ({proximity}){because}."


def _beside(prediction: Mapping[str, Any], prototype: Mapping[str, Any]) -> str:
    name = f"its nearest prototype, row {prototype['row_id']}"
    if "label" not in prototype:
        return f"; {name}, as {_outcome(prototype)}"
    if prototype["label"] == prediction["label"]:
        return f", like {name}"
    return f"; {name}, is {_outcome(prototype)}"


def _outcome(of: Mapping[str, Any]) -> str:
    """Return a label or a value, of a prediction or a prototype."""
    label: str | None = of.get("label")
    return wording.number_text(float(f"{of['value']:.6g}")) if label is None else wording.value_text(label)


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
