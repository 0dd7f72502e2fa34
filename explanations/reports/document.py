"""Reports as files: each part is drawn by itself, so that a verification can say which of them differ.

The same request gives the same bytes, as its date and its author are fields of it: nothing in a report depends on when,
where or for whom it is drawn.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version

from leafspace_drawings import (
    AuditContext,
    ComparisonContext,
    MapContext,
    ModelContext,
    RulesContext,
    SetContext,
    TreeContext,
    WhyContext,
    draw_approximation_tree,
    draw_comparison,
    draw_explanation,
    draw_label_audit,
    draw_map,
    draw_model,
    draw_prototype_set,
    draw_rule_set,
    report,
)

from schemas.reports import MAX_REPORT_BYTES, PartName, ReportComparison, ReportPart, ReportResult
from storage.errors import StorageError
from tree_explainers.compute.progress import Tick, no_tick

from .inputs import Explained, Figures, Json, ReportInputs
from .rows import ReportRow
from .summary import summary_of
from .texts import limits_of, methods_of

_N_CARDS, _N_SUSPECTS, _N_FEATURES, _N_FOLDED = 60, 50, 10, 40
_N_FOLDED_OF_SENT = 200  # of a row that was sent along, whose values are in no dataset


@dataclass(frozen=True, slots=True)
class DrawnReport:
    """A file, and what there is to know of it."""

    html: bytes
    result: ReportResult


def draw_report(shown: ReportInputs, figures: Figures, tick: Tick = no_tick) -> DrawnReport:
    """Return the file of a report; ``tick`` is called before each part, and may raise.

    Raises
    ------
    StorageError
        ``too_many_rows`` where it would be larger than 5 MB.
    """
    parts, summary = [], summary_of(shown, figures)
    for name, part in _parts(shown, figures, summary):
        tick()
        parts.append((name, part if name == "request" else report.as_part(part)))
    listed = [ReportPart(name=name, sha256=_sha256(part)) for name, part in parts]
    drawn_by = {"service": version("leafspace"), "numerics": shown.provenance["numerics"]}
    decisions = shown.request.model_dump(mode="json")["decisions"]
    manifest = report.as_part(report.draw_manifest(_dumped(shown.inputs), _dumped(listed), decisions, drawn_by))
    listed.append(ReportPart(name="manifest", sha256=_sha256(manifest)))
    html = report.draw_report(shown.request.title, [*(part for _, part in parts), manifest]).encode()
    if len(html) > MAX_REPORT_BYTES:
        detail = f"the report would have {len(html):,} bytes, more than {MAX_REPORT_BYTES:,}; name fewer rows"
        raise StorageError("too_many_rows", detail, "/rows")
    result = ReportResult(
        sha256=hashlib.sha256(html).hexdigest(),
        n_bytes=len(html),
        service=version("leafspace"),
        summary=summary,
        parts=listed,
        inputs=shown.inputs,
        comparison=figures.comparison,
        drift=figures.drift,
    )
    return DrawnReport(html, result)


def _parts(shown: ReportInputs, figures: Figures, summary: Sequence[str]) -> Iterator[tuple[PartName, str]]:
    """Yield the parts in their order, each as HTML."""
    explained = shown.own
    yield "request", report.draw_request(shown.request.model_dump(mode="json"))
    yield "summary", report.draw_sentences("Summary", summary)
    yield from _parts_of_model(shown)
    if shown.rows:
        yield "rows", "\n".join(_why(shown, row) for row in shown.rows)
    if shown.label_audit is not None:
        yield "audit", _audit(shown, shown.label_audit)
    if shown.comparison is not None:
        yield "compared", _compared(shown.comparison)
    if shown.other is not None and figures.comparison is not None:
        yield "comparison", _comparison(explained, shown.other, figures.comparison)
    if shown.newer_dataset is not None and figures.drift is not None:
        drift = figures.drift.model_dump(mode="json")
        yield "drift", report.draw_drift(drift, shown.newer_dataset, explained.dataset, explained.model)
    yield "methods", report.draw_sentences("Methods", methods_of(shown))
    yield "limits", report.draw_sentences("Limits", limits_of(shown))


def _parts_of_model(shown: ReportInputs) -> Iterator[tuple[PartName, str]]:
    """Yield what is shown of the model as a whole."""
    explained = shown.own
    beside = ModelContext(
        *_trusted(explained),
        columns=explained.dataset,
        effects=shown.effects,
        evaluation=shown.evaluation,
        errors_follow=True,
    )
    if shown.shows("model"):
        yield "model", draw_model(explained.model, beside)
    if shown.evaluation is not None and shown.shows("evaluation"):
        yield "evaluation", _evaluation(explained, shown.evaluation)
    if shown.shows("prototypes"):
        yield "prototypes", _prototypes(explained)
    if shown.map is not None:
        yield "map", draw_map(shown.map, MapContext(explained.model, explained.dataset))
    if explained.rule_set is not None and shown.shows("rules"):
        yield "rules", draw_rule_set(explained.rule_set, RulesContext(explained.model, explained.dataset))
    if explained.approximation_tree is not None and shown.shows("tree"):
        yield (
            "tree",
            draw_approximation_tree(explained.approximation_tree, TreeContext(explained.model, explained.dataset)),
        )


def _trusted(explained: Explained) -> tuple[list[Json], list[Json], list[Json]]:
    """Return what the table of trust shows."""
    trees = [] if explained.approximation_tree is None else [explained.approximation_tree]
    return [explained.prototype_set], [] if explained.rule_set is None else [explained.rule_set], trees


def _prototypes(explained: Explained) -> str:
    return draw_prototype_set(explained.prototype_set, SetContext(explained.model, explained.dataset, n_cards=_N_CARDS))


def _why(shown: ReportInputs, row: ReportRow) -> str:
    context = WhyContext(
        dataset=shown.own.dataset,
        prototype_set=shown.own.prototype_set,
        n_shown=_N_FEATURES,
        n_folded=_N_FOLDED_OF_SENT if row.is_sent else _N_FOLDED,
        is_sent=row.is_sent,
        elsewhere=row.elsewhere,
    )
    return draw_explanation(row.explanation, context)


def _audit(shown: ReportInputs, audit: Json) -> str:
    explained = shown.own
    drawn = draw_label_audit(audit, AuditContext(explained.model, explained.dataset, n_rows=_N_SUSPECTS))
    decided = [each.model_dump(mode="json", exclude={"key", "created_at"}) for each in shown.decisions]
    return drawn + report.draw_decisions(decided, audit["result"]["classes"])


def _evaluation(explained: Explained, evaluation: Json) -> str:
    return report.draw_evaluation(evaluation["result"], explained.model, evaluation["dataset"])


def _compared(comparison: Json) -> str:
    beside = ComparisonContext(comparison["model"], comparison["dataset"], other=comparison["other"])
    return draw_comparison(comparison, beside)


def _comparison(explained: Explained, other: Explained, comparison: ReportComparison) -> str:
    sides = [
        {
            "model": each.model,
            "trust": report.trust_of(each.model, ModelContext(*_trusted(each))),
            "prototypes": [(p["row_id"], p["label"], p["value"]) for p in each.prototype_set["result"]["prototypes"]],
            "rules": [] if each.rule_set is None else each.rule_set["result"]["rules"],
            "n_leaves": None if each.approximation_tree is None else each.approximation_tree["result"]["n_leaves"],
        }
        for each in (explained, other)
    ]
    return report.draw_comparison(comparison.model_dump(mode="json"), sides)


def _dumped(messages: Sequence[object]) -> list[Json]:
    return [message.model_dump(mode="json") for message in messages]  # type: ignore[attr-defined]  # messages


def _sha256(html: str) -> str:
    return hashlib.sha256(html.encode()).hexdigest()
