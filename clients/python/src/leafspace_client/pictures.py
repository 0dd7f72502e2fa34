"""Pictures: what the drawings make of the client's objects, each with what stands beside it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

from leafspace_drawings import (
    Fact,
    FactCard,
    Picture,
    WhyContext,
    draw_explanation,
    draw_explanations,
    draw_fact_card,
    notebook_output,
    pictures,
    whole_document,
    words,
)

from .known_documents import KnownDocuments

Json: TypeAlias = Mapping[str, Any]
Figures: TypeAlias = Mapping[str, str]
"""What fields are called, by their names."""

_N_EFFECTS = 3
_N_FEATURES, _N_FOLDED = 8, 24
_NOTHING: Json = {}
_SHARES = ("share", "agreement", "rows that")
_JOB = {"kind": "kind", "status": "status", "artefact": "makes", "attempt": "attempt"}


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


def drawing_of(document: Json, known: KnownDocuments, figures: Figures = _NOTHING) -> Drawing:
    """Return the picture of an object, of which ``document`` is the service's answer.

    Parameters
    ----------
    document
        As JSON.
    known
        What the client has met, which a picture can use.
    figures
        Fields that the card of an object without a picture shows, and what they are called.
    """
    kind = str(document["object"])
    title = f"{kind.replace('_', ' ').capitalize()} {document.get('name') or document.get('id', '')}".strip()
    if "status" in document and kind != "job" and not document.get("result"):
        return Drawing(title, _unfinished(title, document))
    picture = pictures().get(kind)
    if picture is None or picture.context is None:
        return Drawing(title, _facts(document, figures))
    draw = partial(_drawn, picture, document, known)
    smaller = None if picture.smaller is None else partial(draw, picture.smaller)
    return Drawing(title, draw(picture.brief), smaller)


def _drawn(picture: Picture, document: Json, known: KnownDocuments, options: Json) -> str:
    """Return the drawing of an object, beside the model and the dataset that it was made from, where they were met."""
    request = document.get("request") or _NOTHING
    texts = (document.get("result") or _NOTHING).get("outcome_texts", ())
    dataset = known.document(request.get("dataset")) or _words_alone(request.get("dataset"), texts)
    return picture.draw(document, picture.beside(known.document(request.get("model")), dataset, **options))


def _words_alone(dataset_id: str | None, outcome_texts: Sequence[Json]) -> Json | None:
    """Return what a picture takes for the dataset, where that was not met: its words for classes and outcomes alone."""
    labels = [{"value": each["outcome"], "label": each["text"]} for each in outcome_texts]
    target = {"name": "", "role": "target", "labels": labels}
    return {"id": dataset_id, "columns": [target]} if labels else None


def drawing_of_explanation(
    row: Json, provenance: Json | None, known: KnownDocuments, outcome_texts: Sequence[Json] = ()
) -> Drawing:
    """Return the picture of an explained row, in the dictionary's words for classes and outcomes."""
    made_by = provenance or _NOTHING
    context = WhyContext(
        dataset=known.document(made_by.get("dataset_sha256")) or _words_alone(None, outcome_texts),
        prototype_set=known.document(made_by.get("prototype_set")),
        provenance=provenance,
        n_shown=_N_FEATURES,
        n_folded=_N_FOLDED,
    )
    return Drawing(f"Why row {row['row_id']}?", draw_explanation(row, context))


def drawing_of_explanations(
    rows: list[Json], provenance: Json | None, known: KnownDocuments, outcome_texts: Sequence[Json] = ()
) -> Drawing:
    """Return the table of explained rows, in these words, too."""
    dataset = known.document((provenance or _NOTHING).get("dataset_sha256")) or _words_alone(None, outcome_texts)
    return Drawing(f"{len(rows):,} explanations", draw_explanations(rows, dataset=dataset))


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


def _facts(document: Json, figures: Figures) -> str:
    """Return a card with the figures of what has no picture: those of its result, else its own."""
    kind, shown = str(document["object"]), document.get("result") or document
    values = {name: shown[key] for key, name in figures.items() if shown.get(key) is not None}
    if kind == "job":
        progress = document["progress"]
        values = {name: document[key] for key, name in _JOB.items()}
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
