"""Warm an explainer up: read once what its answers need."""

import json
from importlib.metadata import version
from typing import Any

import orjson

from schemas.explainers import Explainer
from schemas.models import Model
from storage.array_files import read_arrays
from tree_explainers.prototypes.leaf_boxes import LeafBoxes
from tree_explainers.prototypes.nearest import PrototypeIndex
from tree_explainers.prototypes.readable import ReasonReader
from tree_explainers.prototypes.reasons import Reasons

from ..features import Features
from ..parts import Parts
from ..reason_texts import ReasonTexts
from ..warm_explainer import WarmExplainer, WarmPrototype
from .artefacts import ready_result
from .prototype_sets import PROTOTYPE_SETS

_BOXES = "boxes_"


def warm_up(parts: Parts, explainer_id: str) -> WarmExplainer:
    """Return the explainer, opened; raise ``NotFound`` where there is none."""
    explainer = parts.explainers.get(explainer_id)
    model = parts.models.get(explainer.model).view
    artefact = parts.artefacts.get(PROTOTYPE_SETS.name, explainer.prototype_set)
    result = json.loads(parts.objects.get(ready_result(artefact)))
    arrays = read_arrays(parts.objects.get(artefact.arrays or ""))
    session = parts.sessions.get(explainer.model)
    shown = None if explainer.shown_features == "all" else frozenset(explainer.shown_features)
    boxes = {name.removeprefix(_BOXES): array for name, array in arrays.items() if name.startswith(_BOXES)}
    return WarmExplainer(
        explainer_id=explainer_id,
        model=model,
        features=Features.of(model),
        session=session,
        index=PrototypeIndex.build(arrays["leaves"], arrays["weights"], arrays["classes"]),
        reason_texts=ReasonTexts.build(
            Reasons.build(LeafBoxes.from_arrays(boxes)),
            ReasonReader.build(session.description.columns, session.description.precision),
            shown,
        ),
        prototypes=tuple(_prototype(item, shown, model) for item in result["prototypes"]),
        provenance=_provenance(model, parts.datasets.get(artefact.dataset).view.sha256, explainer),
    )


def _prototype(item: dict[str, Any], shown: frozenset[str] | None, model: Model) -> WarmPrototype:
    position = {name: index for index, name in enumerate(model.feature_names)}
    cells = [cell for cell in item["features"] if shown is None or cell["name"] in shown]
    return WarmPrototype(
        row_id=item["row_id"],
        label=item["label"],
        value=item["value"],
        coverage=item["coverage"],
        texts=tuple(map(_compared_text, cells)),
        positions=tuple(position[cell["name"]] for cell in cells),
    )


def _compared_text(cell: dict[str, Any]) -> bytes:
    return b'{"name":%b,"value":%b,"instance_value":' % (orjson.dumps(cell["name"]), orjson.dumps(cell["value"]))


def _provenance(model: Model, dataset_sha256: str, explainer: Explainer) -> dict[str, Any]:
    return {
        "model_sha256": model.sha256,
        "dataset_sha256": dataset_sha256,
        "prototype_set": explainer.prototype_set,
        "numerics": "float32",
        "service": version("leafspace"),
    }
