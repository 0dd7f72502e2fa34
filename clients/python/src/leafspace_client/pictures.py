"""Pictures: what the drawings make of the client's objects, each with what stands beside it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

from leafspace_drawings import (
    AuditContext,
    DatasetContext,
    Fact,
    FactCard,
    Links,
    MapContext,
    ModelContext,
    RulesContext,
    SetContext,
    TreeContext,
    WhyContext,
    draw_approximation_tree,
    draw_dataset,
    draw_explanation,
    draw_explanations,
    draw_fact_card,
    draw_label_audit,
    draw_map,
    draw_model,
    draw_next_question,
    draw_prototype_set,
    draw_relational_forest,
    draw_rule_set,
    notebook_output,
    whole_document,
    words,
)

from .known_documents import KnownDocuments

Json: TypeAlias = Mapping[str, Any]

_N_EFFECTS = 3
_N_CARDS, _N_FEATURES, _N_FOLDED, _N_SUSPECTS = 12, 8, 24, 10
_NOTHING: Json = {}
_SHARES = ("share", "agreement", "rows that")
_FIGURES: Mapping[str, tuple[tuple[str, str], ...]] = {
    "proximities": (
        ("n_rows", "rows"),
        ("n_trees", "trees"),
        ("n_neighbors", "nearest rows of each"),
        ("mean_nearest_proximity", "mean proximity of the nearest"),
        ("share_without_neighbors", "share of rows that are like no other"),
    ),
    "explanation_set": (
        ("n_rows", "rows"),
        ("n_explained", "explained"),
        ("n_abstained", "abstained"),
        ("n_refused", "refused"),
        ("agreement", "agreement of model and nearest prototype"),
        ("mean_proximity", "mean proximity"),
        ("mean_absolute_effects", "largest mean effects"),
    ),
    "explainer": (
        ("model", "model"),
        ("prototype_set", "prototypes"),
        ("rule_set", "rules"),
        ("approximation_tree", "tree"),
    ),
    "job": (("kind", "kind"), ("status", "status"), ("artefact", "makes"), ("attempt", "attempt")),
    "feature_set": (("n_features", "features"), ("n_left_out", "left out")),
    "relational_dataset": (
        ("n_tables", "tables"),
        ("n_rows", "rows"),
        ("n_examples", "examples"),
        ("target", "target"),
    ),
    "report": (("sha256", "SHA-256"), ("n_bytes", "bytes"), ("parts", "parts"), ("inputs", "things shown")),
}


@dataclass(frozen=True, slots=True)
class Drawing:
    """A picture and the title of its file."""

    title: str
    html: str
    smaller: Callable[[], str] | None = None  # the same with less in it, where the whole is too large to be shown


def output_of(drawing: Drawing, most_bytes: int) -> str:
    """Return what a notebook shows; of what is too large for it, less, or a card that says so."""
    for html in (lambda: drawing.html, drawing.smaller):
        shown = None if html is None else notebook_output(html())
        if shown is not None and len(shown.encode()) <= most_bytes:
            return shown
    return notebook_output(_card(drawing.title, lead="It is too large to be shown here: save() writes it to a file."))


def document_of(drawing: Drawing) -> str:
    """Return a whole HTML file."""
    return whole_document(drawing.title, drawing.html)


def drawing_of(document: Json, known: KnownDocuments) -> Drawing:
    """Return the picture of an object, of which ``document`` is the service's answer."""
    kind = str(document["object"])
    title = f"{kind.replace('_', ' ').capitalize()} {document.get('name') or document.get('id', '')}".strip()
    if "status" in document and kind != "job" and not document.get("result"):
        return Drawing(title, _unfinished(title, document))
    draw, smaller = _DRAWN.get(kind, _facts), _SMALLER.get(kind)
    return Drawing(title, draw(document, known), None if smaller is None else partial(smaller, document, known))


def drawing_of_explanation(row: Json, provenance: Json | None, known: KnownDocuments) -> Drawing:
    """Return the picture of an explained row."""
    made_by = provenance or _NOTHING
    context = WhyContext(
        dataset=known.document(made_by.get("dataset_sha256")),
        prototype_set=known.document(made_by.get("prototype_set")),
        provenance=provenance,
        n_shown=_N_FEATURES,
        n_folded=_N_FOLDED,
    )
    return Drawing(f"Why row {row['row_id']}?", draw_explanation(row, context))


def drawing_of_explanations(rows: list[Json]) -> Drawing:
    """Return the table of explained rows."""
    return Drawing(f"{len(rows):,} explanations", draw_explanations(rows))


def drawing_of_id(kind: str, thing_id: str) -> Drawing:
    """Return the card of a thing of which nothing but its id is here."""
    return Drawing(
        f"{kind} {thing_id}", _card(kind, lead="Nothing but its id is here: load() fetches it.", foot=thing_id)
    )


def _unfinished(title: str, document: Json) -> str:
    status = document["status"]
    problem = document.get("problem") or _NOTHING
    lead = {
        "pending": "It is being made: wait() waits for it.",
        "ready": "Its result is not here: load() fetches it.",
    }.get(status, "")
    return _card(title, {"status": status}, lead, problem.get("detail", ""), document["id"])


def _model(document: Json, _known: KnownDocuments) -> str:
    return draw_model(document, ModelContext())


def _dataset(document: Json, _known: KnownDocuments) -> str:
    return draw_dataset(document, DatasetContext())


def _prototype_set(document: Json, known: KnownDocuments) -> str:
    return draw_prototype_set(document, SetContext(*_beside(document, known), n_cards=_N_CARDS))


def _rule_set(document: Json, known: KnownDocuments) -> str:
    return draw_rule_set(document, RulesContext(*_beside(document, known)))


def _approximation_tree(document: Json, known: KnownDocuments) -> str:
    return draw_approximation_tree(document, TreeContext(*_beside(document, known)))


def _listed_tree(document: Json, known: KnownDocuments) -> str:
    return draw_approximation_tree(document, TreeContext(*_beside(document, known), has_picture=False))


def _next_question(document: Json, _known: KnownDocuments) -> str:
    return draw_next_question(document)


def _label_audit(document: Json, known: KnownDocuments) -> str:
    return draw_label_audit(document, AuditContext(*_beside(document, known), n_rows=_N_SUSPECTS))


def _map(document: Json, known: KnownDocuments) -> str:
    return draw_map(document, MapContext(*_beside(document, known)))


def _relational_forest(document: Json, _known: KnownDocuments) -> str:
    return draw_relational_forest(document, Links())


def _beside(document: Json, known: KnownDocuments) -> tuple[Json | None, Json | None]:
    """Return the model and the dataset that an artefact was made from, where they were met."""
    request = document["request"]
    return known.document(request.get("model")), known.document(request.get("dataset"))


def _facts(document: Json, _known: KnownDocuments) -> str:
    """Return a card with the figures of what has no picture: those of its result, else its own."""
    kind, shown = str(document["object"]), document.get("result") or document
    named = _FIGURES.get(kind, ())
    values = {name: shown[key] for key, name in named if shown.get(key) is not None}
    if kind == "job":
        progress = document["progress"]
        values["progress"] = f"{progress['fraction']:.0%} {progress['message'] or progress['stage']}".strip()
    title = f"{kind.replace('_', ' ').capitalize()} {document.get('name') or ''}".strip()
    note = (document.get("problem") or _NOTHING).get("detail", "")
    return _card(title, values, "", note, str(document.get("id", "")))


def _card(title: str, values: Json = _NOTHING, lead: str = "", note: str = "", foot: str = "") -> str:
    facts = [Fact(name, _figure(name, value)) for name, value in values.items()]
    card = FactCard(title, lead, facts, [note] if note else [], foot)
    return draw_fact_card(card)


def _figure(name: str, value: Any) -> str:  # a figure
    if name.endswith("effects"):
        return ", ".join(f"{each['feature']} {words.brief(each['effect'])}" for each in value[:_N_EFFECTS])
    if isinstance(value, list):
        return words.count(len(value))
    if isinstance(value, float) and name.startswith(_SHARES):
        return words.share(value)
    return words.cell(value)


_SMALLER: Mapping[str, Callable[[Json, KnownDocuments], str]] = {"approximation_tree": _listed_tree}
_DRAWN: Mapping[str, Callable[[Json, KnownDocuments], str]] = {
    "model": _model,
    "dataset": _dataset,
    "prototype_set": _prototype_set,
    "rule_set": _rule_set,
    "approximation_tree": _approximation_tree,
    "next_question": _next_question,
    "label_audit": _label_audit,
    "map": _map,
    "relational_forest": _relational_forest,
}
