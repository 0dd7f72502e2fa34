"""WarmExplainer: all that explaining a row needs, in memory."""

from dataclasses import dataclass
from typing import Any

from schemas.models import Model
from tree_explainers.onnx_models.session import ModelSession
from tree_explainers.prototype_sets.nearest import PrototypeIndex

from .features import Features
from .reason_texts import ReasonTexts
from .reference import UnexpectedlyMissing
from .warm_rules import WarmRules
from .warm_tree import WarmTree


@dataclass(frozen=True, slots=True)
class WarmPrototype:
    """What is said of a prototype whatever row it is near to."""

    row_id: str
    label: str | None
    value: float | None
    coverage: dict[str, Any]
    texts: tuple[bytes, ...]  # (n_shown,) ComparedFeature as JSON, up to the instance's value
    positions: tuple[int, ...]  # (n_shown,) of these features among the model's


@dataclass(frozen=True, slots=True)
class WarmExplainer:
    """An explainer, ready to answer without a database, a disk or a queue."""

    explainer_id: str
    model: Model
    features: Features
    session: ModelSession
    index: PrototypeIndex
    reason_texts: ReasonTexts
    unexpected: UnexpectedlyMissing
    prototypes: tuple[WarmPrototype, ...]
    rules: WarmRules | None
    tree: WarmTree | None
    provenance: dict[str, Any]
