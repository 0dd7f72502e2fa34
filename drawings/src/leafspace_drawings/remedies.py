"""Remedies: what can be done about a caution or a warning where it stands, or why nothing can be done.

Both have codes. Each kind has a form where the view that shows it can offer one, or else a link to where it is done, or
else the reason why there is nothing to do.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from .links import Links
from .words import sentence

Step = Literal["other_rows", "larger", "nearest_rows"]
"""What a form makes again: the same on other rows, more of it or by another method, a label audit by nearest rows."""

_REGISTER_ROWS = ("register", "Register rows that it was not trained on")
_REGISTER = ("register", "Register such rows")
_REGISTER_MODEL = ("register", "Register another model")
_REVIEW = ("reviews", "Review them one by one")
_TAKES_COLUMNS = "Nothing can be done here: the model file computes these columns; a model of raw features has none."


@dataclass(frozen=True, slots=True)
class CautionKind:
    """What can be done about the cautions of a code."""

    step: Step | None = None  # that a form makes, where the view has one
    link: tuple[str, str] | None = None  # part of an address, and what the link to it says
    reason: str = ""  # why there is nothing to do, where there is neither form nor link


CAUTION_KINDS: Mapping[str, CautionKind] = {
    "measured_on_training_rows": CautionKind("other_rows", _REGISTER_ROWS),
    "measured_on_its_own_rows": CautionKind(
        "other_rows", reason="Nothing needs to be done: the model was not trained on these rows."
    ),
    "grown_from_its_evaluation_rows": CautionKind("other_rows", _REGISTER_ROWS),
    "chosen_by_its_evaluation_rows": CautionKind(
        "larger", reason="Choose them by coverage in the view of the model: then these rows choose nothing."
    ),
    "few_rows": CautionKind("other_rows", ("register", "Register more rows")),
    "one_label": CautionKind("other_rows", ("register", "Register rows with other labels")),
    "hardly_better_than_constant": CautionKind(
        "larger", reason="Request more of them, or another method, in the view of the model."
    ),
    "few_rows_covered": CautionKind("larger", reason="Request more prototypes in the view of the model."),
    "classes_without_prototype": CautionKind(
        "larger", reason="Request more prototypes, or as many of each class, in the view of the model."
    ),
    "splits_not_significant": CautionKind(
        "larger", reason="Request the tree with more pseudo-samples in the view of the model."
    ),
    "outcomes_without_rows": CautionKind(link=_REGISTER),
    "candidates_split_nothing": CautionKind(
        reason="Nothing needs to be done: the splits are chosen from the other candidates."
    ),
    "no_effects_compared": CautionKind(
        reason="Nothing can be done about these models; what else is compared needs no effects."
    ),
    "audited_by_training_labels": CautionKind("nearest_rows", _REGISTER_MODEL),
    "class_not_known": CautionKind(link=_REVIEW),
    "coarser_leaves": CautionKind(
        reason="Nothing needs to be done about the coarser leaves: they were chosen because they show more."
    ),
    "uncertain_estimate": CautionKind(link=_REVIEW),
    "map_is_no_scale": CautionKind(
        reason="Nothing can be done about that: a plane cannot show all proximities. The view of a row has its own."
    ),
    "training_not_known": CautionKind(link=_REGISTER_ROWS),
}
"""By code of a caution."""

_UNKNOWN = CautionKind(reason="This release of the page knows no remedy.")

WARNING_REMEDIES: Mapping[str, tuple[str, str] | str] = {
    "transformed_features": _TAKES_COLUMNS,
    "trees_decide_in_part": "Nothing can be done here: what reaches the predictions past the trees is not explained "
    "by them; a model whose trees alone decide is explained whole.",
    "weighted_ensembles": "Nothing needs to be done: explanations count the trees by these weights, too.",
    "unused_ensembles": "Nothing needs to be done: what does not lead to the predictions explains nothing of them.",
    "onnxruntime_differs": "Nothing needs to be done here; where another runtime serves the model, compare its "
    "predictions with these.",
    "no_better_than_constant": "The page cannot do that: tables and their keys are declared by the API, where the "
    "forest is learned again.",
    "outcomes_disagree": "Nothing can be done about the row itself: weigh both; the rows most like it stand below.",
    "near_tie": "Nothing can be done about that: count the row as undecided between the two.",
    "unseen_category": ("register", "If the value is right, register rows that have it"),
    "outside_reference_range": ("register", "If the value is right, register rows with such values"),
}
"""By code of a warning: a part of an address with what the link to it says, or why there is nothing to do."""


@dataclass(frozen=True, slots=True)
class Remedy:
    """What a view offers beside a caution: one of a form, a link, and a reason."""

    form: object = None  # which a template draws
    link: tuple[str | None, str] | None = None  # its address and what it says
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Cautioned:
    """Something that has cautions, and what the view offers about them."""

    cautions: Sequence[Mapping[str, Any]]
    forms: Mapping[str, object]  # by step, those that the view has
    artefact_id: str = ""
    name: str = ""  # what it is called where a view has cautions of several


@dataclass(frozen=True, slots=True)
class NotedLine:
    """One caution of a note."""

    text: str
    names: Sequence[str]  # of what it is about, where a view has cautions of several things
    remedies: Sequence[Remedy]  # links and reasons


@dataclass(frozen=True, slots=True)
class Note:
    """The cautions of a view, each once, and the forms of what they ask for, each once."""

    lines: Sequence[NotedLine]
    forms: Sequence[object]


def caution_text(caution: Mapping[str, Any]) -> str:
    """Return what a caution says, with what callers of the API can request instead; without a full stop."""
    remedy = caution.get("remedy")
    return caution["detail"] if remedy is None else f"{caution['detail']}; {remedy}"


def step_of(caution: Mapping[str, Any]) -> Step | None:
    """Return what a form makes again to answer a caution; nothing where there is no such form."""
    return CAUTION_KINDS.get(caution["code"], _UNKNOWN).step


def remedy_of(
    code: str, links: Links, forms: Mapping[str, object] | None = None, artefact_id: str = ""
) -> Remedy | None:
    """Return what can be done about a caution; nothing in files, from which nothing can be done.

    Parameters
    ----------
    code
        Of the caution.
    links
        Of the drawing.
    forms
        By step, those that the view has.
    artefact_id
        The id of the artefact whose caution it is.
    """
    if links.base is None:
        return None
    kind = CAUTION_KINDS.get(code, _UNKNOWN)
    if kind.step is not None and forms and kind.step in forms:
        return Remedy(form=forms[kind.step])
    if kind.link is not None:
        part, words = kind.link
        return Remedy(link=(links.to(part, artefact_id) if part == _REVIEW[0] else links.to(part), words))
    return Remedy(reason=kind.reason)


def note_of(several: Sequence[Cautioned], links: Links) -> Note:
    """Return the note that a view has of the cautions of what it shows.

    What shares a caution is named in one line; a form, a link or a reason that answers several cautions stands once,
    behind the last of them.
    """
    names: dict[str, dict[str, None]] = {}
    last: dict[str, tuple[str, Remedy]] = {}  # the text behind which a remedy stands
    for one in several:
        for caution in one.cautions:
            remedy = remedy_of(caution["code"], links, one.forms, one.artefact_id)
            text = sentence(caution["detail"] if remedy else caution_text(caution))
            names.setdefault(text, {})[one.name] = None
            last |= {repr(remedy): (text, remedy)} if remedy else {}
    lines = [
        NotedLine(text, list(filter(None, of)), [each for at, each in last.values() if at == text and not each.form])
        for text, of in names.items()
    ]
    return Note(lines, [remedy.form for _, remedy in last.values() if remedy.form])


def note_of_one(
    cautions: Sequence[Mapping[str, Any]],
    links: Links,
    forms: Mapping[str, object] | None = None,
    artefact_id: str = "",
) -> Note:
    """Return the note of the cautions of one artefact."""
    return note_of([Cautioned(cautions, forms or {}, artefact_id)], links)


def warnings_with_remedies(warnings: Sequence[Mapping[str, str]], links: Links) -> Iterator[tuple[str, Remedy | None]]:
    """Yield the detail of each warning; with the last of each code what can be done about it."""
    last = {warning["code"]: at for at, warning in enumerate(warnings)}
    for at, warning in enumerate(warnings):
        known = WARNING_REMEDIES.get(warning["code"]) if last[warning["code"]] == at else None
        if known is None or links.base is None:
            yield warning["detail"], None
        elif isinstance(known, str):
            yield warning["detail"], Remedy(reason=known)
        else:
            yield warning["detail"], Remedy(link=(links.to(known[0]), known[1]))
