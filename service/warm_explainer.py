"""WarmExplainer: all that explaining a row needs, in memory."""

from dataclasses import dataclass
from typing import Any

from schemas.models import Model
from tree_explainers.onnx_graph.session import ModelSession
from tree_explainers.prototypes.nearest import PrototypeIndex
from tree_explainers.prototypes.reasons import Reasons

from .operations.instances import Feature
from .reason_texts import ReasonTexts


@dataclass(frozen=True, slots=True)
class ShownValue:
    """A value of a prototype that callers may see."""

    text: bytes  # ComparedFeature as JSON, up to the instance's value
    position: int  # of the feature among the model's features


@dataclass(frozen=True, slots=True)
class WarmPrototype:
    """What is said of a prototype whatever row it is near to."""

    row_id: str
    label: str | None
    value: float | None
    coverage: dict[str, Any]
    shown: tuple[ShownValue, ...]


@dataclass(frozen=True, slots=True)
class WarmExplainer:
    """An explainer, ready to answer without a database, a disk or a queue."""

    explainer_id: str
    model: Model
    features: tuple[Feature, ...]
    session: ModelSession
    index: PrototypeIndex
    reasons: Reasons
    reason_texts: ReasonTexts
    prototypes: tuple[WarmPrototype, ...]
    provenance: dict[str, Any]
