"""Documents that the real service answered, which drawings show: the examples of its contract."""

import json
from functools import cache
from pathlib import Path
from typing import Any

from leafspace_drawings import (
    AuditContext,
    ModelContext,
    RulesContext,
    SetContext,
    TreeContext,
    WhyContext,
    draw_approximation_tree,
    draw_explanation,
    draw_label_audit,
    draw_model,
    draw_prototype_set,
    draw_rule_set,
)

_EXAMPLES = Path(__file__).parents[2] / "service" / "examples.json"


def document(schema: str) -> dict[str, Any]:
    """Return a document of its own, which a test may change."""
    found: dict[str, Any] = json.loads(_texts()[schema])
    return found


@cache
def _texts() -> dict[str, str]:
    schemas = json.loads(_EXAMPLES.read_text(encoding="utf-8"))["schemas"]
    return {name: json.dumps(example) for name, example in schemas.items()}


def drawn(schema: str, found: dict[str, Any]) -> str:
    """Return the drawing of a document, with everything beside it that a drawing can use."""
    model, dataset, prototypes = document("Model"), document("Dataset"), document("PrototypeSet")
    match schema:
        case "Model":
            trees, rules = document("ApproximationTree"), document("RuleSet")
            return draw_model(found, ModelContext([prototypes], [rules], [trees]))
        case "PrototypeSet":
            return draw_prototype_set(found, SetContext(model, dataset))
        case "RuleSet":
            return draw_rule_set(found, RulesContext(model, dataset))
        case "ApproximationTree":
            return draw_approximation_tree(found, TreeContext(model, dataset, document("NextQuestion")))
        case "LabelAudit":
            return draw_label_audit(found, AuditContext(model, dataset))
        case "ExplanationList":
            context = WhyContext(dataset=dataset, prototype_set=prototypes, provenance=found["provenance"])
            return "".join(draw_explanation(row, context) for row in found["data"])
        case _:
            raise KeyError(schema)


DRAWN = ("ApproximationTree", "Model", "PrototypeSet", "RuleSet", "LabelAudit", "ExplanationList")
