"""A report: the drawings of a model and of what explains it, one below the other, with what they were drawn from."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from markupsafe import Markup

from .classes import Classes
from .document import whole_document
from .evaluation import Evaluated, EvaluationContext
from .links import Links
from .model import Explained, ModelContext, trust_of
from .pictures import picture
from .templating import render

Json = Mapping[str, Any]

__all__ = [
    "ModelContext",
    "as_part",
    "draw_comparison",
    "draw_decisions",
    "draw_drift",
    "draw_evaluation",
    "draw_filed",
    "draw_manifest",
    "draw_report",
    "draw_request",
    "draw_sentences",
    "trust_of",
]

_N_DECISIONS = 200
_N_CELLS, _N_WRONG_ROWS = 25, 20


def draw_report(title: str, parts: Sequence[str]) -> str:
    """Return the whole file, which needs nothing else and runs nothing."""
    return whole_document(title, "\n".join(parts))


@picture("report", ids="rpt_", part="reports", words="report")
def draw_filed(document: Json, file: str, verification: Json | None, links: Links) -> str:
    """Return a report as a view of the page shows it: its content, and at its end the facts about the file.

    Parameters
    ----------
    document
        The ready answer of ``GET /v1/reports/{id}``.
    file
        Its content, as ``draw_report`` wrote it: what stands in its body is shown.
    verification
        The answer of ``POST /v1/reports/{id}/verify``, if it was requested.
    """
    shown = Markup(file.partition("<main>")[2].rpartition("</main>")[0])  # noqa: S704  # the service's own drawing
    return render("report_filed", report=document, shown=shown, verification=verification, links=links)


def as_part(drawing: str) -> str:
    """Return a drawing as a part of a report.

    Its headings are one level lower, as the title has the first, and it has no feet of ids and digests: these stand in
    the manifest, at the report's end.
    """
    drawing = re.sub(r'<footer class="[^"]*ls-foot">.*?</footer>\n?', "", drawing, flags=re.DOTALL)
    lower = re.sub(r"<(/?)h([12])\b", lambda found: f"<{found[1]}h{int(found[2]) + 1}", drawing)
    return f'<section class="ls-part">\n{lower}\n</section>'


def draw_request(request: Json) -> str:
    """Return the head of a report: its title, date, author and verdict, and the author's note."""
    return render("report_request", request=request)


def draw_decisions(decisions: Sequence[Json], classes: Sequence[str]) -> str:
    """Return what people decided about audited labels: the first of those in force."""
    shown, marks = decisions[:_N_DECISIONS], Classes(classes)
    counts = {kind: sum(each["decision"] == kind for each in decisions) for kind in _KINDS}
    return render("report_decisions", decisions=shown, n=len(decisions), counts=counts, kinds=_KINDS, classes=marks)


def draw_comparison(found: Json, sides: Sequence[Json]) -> str:
    """Return two models side by side.

    Parameters
    ----------
    found
        What the report's result says under ``comparison``.
    sides
        This model and the other: its ``model``, ``trust`` (lines), ``prototypes`` (id, label, value), ``rules`` and
        ``n_leaves`` of its tree, which may be null.
    """
    trust = [(side["model"], line) for side in sides for line in side["trust"]]
    lines: Sequence[tuple[Json, Explained]] = trust
    is_regression = found["compared"] == "value"
    marks = Classes.of_outcomes(sides[0]["model"])
    return render(
        "report_comparison", found=found, sides=sides, trust=lines, is_regression=is_regression, classes=marks
    )


def draw_drift(found: Json, newer: Json, reference: Json, model: Json) -> str:
    """Return how many newer rows are far from every prototype, beside the reference rows.

    Parameters
    ----------
    found
        What the report's result says under ``drift``.
    newer, reference
        The datasets' documents.
    model
        The model's document.
    """
    marks = Classes.of_outcomes(model)
    decides = bool(model.get("decision"))
    return render("report_drift", found=found, newer=newer, reference=reference, classes=marks, decides=decides)


def draw_evaluation(found: Json, model: Json, dataset: Json | None) -> str:
    """Return how well the model predicts, and where it is wrong.

    Parameters
    ----------
    found
        The result of the evaluation.
    model
        The model's document.
    dataset
        The document of the rows that it was evaluated on, whose titles are shown; None: names are.
    """
    is_share, decision = found["classification"] is not None, model.get("decision")
    request = {"model": model["id"], "dataset": "" if dataset is None else dataset["id"]}
    known = Evaluated({"request": request, "result": found}, EvaluationContext(model, dataset))
    return render(
        "report_evaluation",
        found=found,
        figures=list(_figures(found)),
        is_share=is_share,
        error_words="wrong" if is_share else "mean absolute error",
        known=known,
        score_of=None if decision is None else known.classes.said(decision.get("score_of")),
        classes=known.classes,
        n_cells=_N_CELLS,
        n_rows=_N_WRONG_ROWS,
    )


def _figures(found: Json) -> Iterator[Json]:
    """Yield the figures of the table, in its order; those that were not measured are left out."""
    classes, values = found["classification"], found["regression"]
    if values is not None:
        names = ("mean_absolute_error", "root_mean_squared_error", "r2", "mean_residual")
        measured = [(name.replace("_", " ").replace("r2", "R²"), values[name], False) for name in names]
    else:
        accuracy = {**classes["accuracy"], "value": classes["accuracy"]["share"]}
        accuracy["constant"] = classes["constant_accuracy"]
        measured = [("accuracy", accuracy, True), ("balanced accuracy", classes["balanced_accuracy"], True)]
        measured.append(("log loss", classes["log_loss"], False))
        for each in classes["outcomes"]:
            of = f" of {each['outcome']}"
            measured.append((f"area under the ROC curve{of}", each["roc_area"], False))
            measured.append((f"average precision{of}", each["average_precision"], False))
            brier = each["calibration"] and each["calibration"]["brier_score"]
            measured.append((f"Brier score{of}", brier, False))
    yield from ({"name": name, "is_share": is_share, **of} for name, of, is_share in measured if of)


def draw_sentences(heading: str, sentences: Sequence[str]) -> str:
    """Return a list of sentences below a heading."""
    return render("report_sentences", heading=heading, sentences=sentences)


def draw_manifest(
    inputs: Sequence[Json], parts: Sequence[Json], decisions: Json | None, drawn_by: Mapping[str, str]
) -> str:
    """Return what the report was drawn from, and the digest of each part before this one.

    Parameters
    ----------
    inputs, parts
        What the report's result says under these names.
    decisions
        The request's decisions on a label audit, which may be null.
    drawn_by
        The version of the ``service``, and the ``numerics`` in which rows were explained.
    """
    return render("report_manifest", inputs=inputs, parts=parts, decisions=decisions, drawn_by=drawn_by)


_KINDS = {"accept": "accepted", "keep": "kept", "relabel": "relabelled", "unsure": "unsure"}
