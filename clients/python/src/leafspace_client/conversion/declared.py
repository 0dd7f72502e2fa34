"""What callers declare about models."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..labels import Label
from .estimators import Ensemble


@dataclass(frozen=True, slots=True)
class Declared:
    """What the caller declares about a model; ``None`` leaves it to the model, or to the graph."""

    name: str | None = None
    feature_names: Sequence[str] | None = None
    classes: Sequence[Any] | None = None
    ensemble: Ensemble | None = None
    feature_groups: Sequence[dict[str, Any]] = ()
    labels: Mapping[str, Label] = field(default_factory=dict)  # the classes as the caller has them, by their text
    oracle_only: bool = False
    finite_only: bool = False  # the library refuses rows with infinite numbers
    decision: dict[str, Any] | None = None  # as ``decision_document`` writes it
    bags: dict[str, Any] | None = None  # which rows each tree was trained on, as ``bags_of`` writes it


NOTHING_DECLARED = Declared()
