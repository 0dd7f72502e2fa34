"""Documents that the real service answered, which drawings show: the examples of its contract."""

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from leafspace_drawings import (
    AuditContext,
    Call,
    ColumnName,
    ComparisonContext,
    DatasetContext,
    EvaluationContext,
    Fact,
    FactCard,
    Found,
    FoundFeature,
    FoundRow,
    Here,
    JobInput,
    Jobs,
    Links,
    MapContext,
    ModelContext,
    ModelFigure,
    OverRows,
    Panel,
    Place,
    Queue,
    RegionsContext,
    RepresentedRow,
    ReviewContext,
    RulesContext,
    SetContext,
    Side,
    TreeContext,
    WhyContext,
    draw_approximation_tree,
    draw_at,
    draw_comparison,
    draw_dataset,
    draw_evaluation,
    draw_explainer,
    draw_explanation,
    draw_explanations,
    draw_fact_card,
    draw_feature_set,
    draw_found,
    draw_jobs,
    draw_label_audit,
    draw_label_review,
    draw_map,
    draw_model,
    draw_next_question,
    draw_overview,
    draw_pending,
    draw_prototype_set,
    draw_regions,
    draw_relational_forest,
    draw_represented,
    draw_rule_set,
    report,
)
from leafspace_drawings.decided import Decided

Json = dict[str, Any]
_EXAMPLES = Path(__file__).parents[2] / "service" / "examples.json"


def document(schema: str) -> Json:
    """Return a document of its own, which a test may change."""
    found: Json = json.loads(_texts()[schema])
    return found


@cache
def _texts() -> dict[str, str]:
    schemas = json.loads(_EXAMPLES.read_text(encoding="utf-8"))["schemas"]
    return {name: json.dumps(example) for name, example in schemas.items()}


def drawn(schema: str, found: Json) -> str:
    """Return the drawing of a document, with everything beside it that a drawing can use."""
    return _DRAWINGS[schema](found)


def _beside() -> tuple[Json, Json]:
    return document("Model"), document("Dataset")


def _model(found: Json) -> str:
    made = ([document("PrototypeSet")], [document("RuleSet")], [document("ApproximationTree")])
    usage = document("FeatureUsageList")["data"]
    return draw_model(found, ModelContext(*made, usage))


def _dataset(found: Json) -> str:
    drawing = draw_dataset(found, DatasetContext({"prototype_sets": [document("PrototypeSet")]}, Links("")))
    call = Call("/v1/explainers/xpl_1/explanations?a=1", "client", "POST", {"name": found["name"]})
    return draw_at(Place((("Overview", "#/"), (found["name"] or found["id"], None)), call), drawing)


def _jobs(found: Json) -> str:
    failed = {**found, "status": "failed", "problem": {"detail": found["progress"]["stage"]}}
    of = [JobInput("model", "mdl_1", found["artefact"]), JobInput("dataset", "ds_1", "iris")]
    jobs = [found, failed, {**found, "status": "running", "id": "job_1"}]
    return draw_jobs(Jobs(jobs, {job["id"]: of for job in jobs}, Links("")))


def _regions(found: Json) -> str:
    sides = Side(found["name"], (0, 1, 2)), Side("b", (0, 5))
    names = found["classes"]
    lines = [[names[0], names[0], names[1]], [names[1], names[1], names[1]]]
    context = RegionsContext(
        names, (found["name"], "b"), found["name"], (found["name"],), (1.5, 2), Links(""), document("Dataset")
    )
    numbers = RegionsContext((), (found["name"], "b"), found["name"], links=Links(""))
    panels = [Panel("the model", lines), Panel("its rules", [lines[1], lines[0]])]
    values = draw_regions(*sides, [Panel("the model", [[1.0, 2.0, 3.0], [1.0, 1.0, 9.0]])], numbers)
    sizes = [{"feature": f"{found['name']}{index}", "effect": 0.5**index} for index in range(14)]
    over = {"n_rows": 1000, "among": 2000, "kind": "contrast", "scale": "log_odds", "mean_absolute_effects": sizes}
    prototypes = document("PrototypeSet")["result"]
    reached = OverRows(prototypes["row_coverage"], over)
    decided = Decided.of_model(document("Model"), document("Dataset"))
    of_model = (document("Model"), decided, ModelFigure.of_prototypes(prototypes))
    explainer = draw_explainer(document("Explainer"), prototypes["prototypes"], Links(""), reached, of_model)
    listed = {"row_id": found["name"], "proximity": 0.5, "row": 3, "rank": 1}
    cells = {each["name"]: each["value"] for each in prototypes["prototypes"][1]["features"]}
    rows = [RepresentedRow(listed, cells, prototypes["prototypes"][1]["label"], prototypes["prototypes"][0]["label"])]
    represented = draw_represented(document("PrototypeSet"), 1, rows, SetContext(*_beside(), links=Links("")))
    return draw_regions(*sides, panels, context) + values + explainer + represented


def _pending(found: Json) -> str:
    pending = {**document("RuleSet"), "status": "pending", "result": None}
    failed = {**pending, "status": "failed", "problem": {"detail": found["model"]}}
    return draw_pending(pending, "rules", document("Job")) + draw_pending(failed, "rules", None)


def _overview(found: Json) -> str:
    filed = {**document("Report"), "status": found["name"] or "ready"}
    here = Here([found], [document("DatasetSummary")], Jobs([document("Job")]), reports=[filed], links=Links(""))
    return draw_overview(here) + draw_found(
        Found(
            found["name"] or "iris",
            [("model", found, "#/models/mdl_1")],
            [FoundRow("17", found["id"], "#/1")],
            [FoundFeature(ColumnName("age"), found["id"], "#/2")],
            n_unsearched=2,
        )
    )


def _report(found: Json) -> str:
    """Return what of a report is drawn in no other view."""
    result, (model, dataset) = found["result"], _beside()
    parts = [
        report.draw_request(found["request"]),
        report.draw_drift(result["drift"], dataset, dataset, model),
        report.draw_decisions([document("LabelDecision")], model["classes"]),
        report.draw_sentences("Methods", ["One sentence."]),
        report.draw_manifest(
            result["inputs"],
            result["parts"],
            found["request"]["decisions"],
            {"service": result["service"], "numerics": "float64"},
        ),
        draw_explanations(document("ExplanationList")["data"]),
        draw_feature_set(document("FeatureSet")),
        draw_fact_card(FactCard("Report", facts=[Fact("title", found["request"]["title"])], foot=found["id"])),
    ]
    return "\n".join(map(report.as_part, parts))


def _explanations(found: Json) -> str:
    context = WhyContext(
        dataset=document("Dataset"), prototype_set=document("PrototypeSet"), provenance=found["provenance"]
    )
    return "".join(draw_explanation(row, context) for row in found["data"])


def _map(found: Json) -> str:
    return draw_map(found, MapContext(*_beside(), "xpl_1", Links("")))


def _review(found: Json) -> str:
    audit, counts = document("LabelAudit"), document("DecisionCounts")
    queue = Queue(audit["result"]["rows"], {found["row"]: document("LabelDecision")}, counts, 3, 5, 7)
    rows = [found["row"], *(each["row"] for each in found["neighbors"])]
    values = dict.fromkeys(rows, document("DatasetRow"))
    return draw_label_review(found, ReviewContext(audit, queue, values, document("Dataset"), Links("")))


_DRAWINGS: dict[str, Callable[[Json], str]] = {
    "ApproximationTree": lambda found: draw_approximation_tree(
        found, TreeContext(*_beside(), next_question=document("NextQuestion"))
    ),
    "Dataset": _dataset,
    "Evaluation": lambda found: draw_evaluation(found, EvaluationContext(*_beside(), Links(""), "xpl_1")),
    "ExplanationList": _explanations,
    "Job": _jobs,
    "Comparison": lambda found: draw_comparison(found, ComparisonContext(*_beside())),
    "LabelAudit": lambda found: draw_label_audit(found, AuditContext(*_beside())),
    "Map": _map,
    "Model": _model,
    "ModelSummary": _overview,
    "ModelMetadata": _regions,
    "NextQuestion": draw_next_question,
    "PrototypeSet": lambda found: draw_prototype_set(found, SetContext(*_beside(), links=Links(""))),
    "RelationalForest": lambda found: draw_relational_forest(found, Links("")),
    "Report": _report,
    "ReviewedRow": _review,
    "RuleSet": lambda found: draw_rule_set(found, RulesContext(*_beside())),
    "RuleSetRequest": _pending,
}
DRAWN = tuple(_DRAWINGS)
