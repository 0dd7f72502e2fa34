"""Remedies: what can be done about a caution or a warning where it stands, or why nothing can be done.

Cautions are sentences of results, which are recognised by their words; warnings have codes. Each kind has a form where
the view that shows it can offer one, or else a link to where it is done, or else the reason why there is nothing to do.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from .links import Links
from .words import sentence

Step = Literal["other_rows", "larger", "nearest_rows"]
"""What a form makes again: the same on other rows, more of it or by another method, a label audit by nearest rows."""

_REGISTER_ROWS = ("register", "Register rows that it was not trained on")
_REGISTER = ("register", "Register such rows")
_REGISTER_MODEL = ("register", "Register another model")
_REVIEW = ("reviews", "Review them one by one")
_TAKES_COLUMNS = "Nothing can be done here: the model file computes these columns; a model of raw features has none."
_ASKS_FOR_OTHER_ROWS = re.compile(
    "; name rows (?:[^;.]* as (?:evaluation_)?dataset\\b|that it was not trained on, and declare them as held_out)"
)
_ASKS_FOR_MORE = "; request more prototypes, or (?:a coverage|the method sm_u, which chooses as many of each class)"
_IN_WORDS_OF_THE_PAGE = (
    (_ASKS_FOR_OTHER_ROWS, ""),
    (re.compile(_ASKS_FOR_MORE), ""),
    (re.compile("(?:the )?rows of evaluation_dataset"), "the rows that figures are measured on"),
    (re.compile("^dataset is not"), "the dataset of the older rows is not"),
)
"""What stands in cautions for callers of the API, and what stands in its place where forms stand beside them."""
_BEGINS = (
    r"the model(?: predicts|'s values have) ",
    "these figures were measured on ",
    r"with each class counted alike, this agrees with the model in [\d.]+% of the rows, ",
    "this agrees with ",
    r"[\d.]+% of the rows (?:have|share) ",
    r"\d+ class(?:es have| has) no prototype ",
    "no row of the dataset is decided ",
    "prototypes were selected ",
    "the number of prototypes was ",
    r"[\d,]+ of the [\d,]+ rows labelled ",
    "the estimated number of ",
)
_BETWEEN_CAUTIONS = re.compile(rf"\. (?=[A-Z\d])|; (?={'|'.join(_BEGINS)})")


@dataclass(frozen=True, slots=True)
class CautionKind:
    """A kind of caution: its words, and what can be done about it."""

    code: str
    words: re.Pattern[str]
    step: Step | None = None  # that a form makes, where the view has one
    link: tuple[str, str] | None = None  # part of an address, and what the link to it says
    reason: str = ""  # why there is nothing to do, where there is neither form nor link


def _kind(
    code: str, words: str, step: Step | None = None, link: tuple[str, str] | None = None, reason: str = ""
) -> CautionKind:
    return CautionKind(code, re.compile(words), step, link, reason)


CAUTION_KINDS: Sequence[CautionKind] = (
    CautionKind("measured_on_training_rows", _ASKS_FOR_OTHER_ROWS, "other_rows", _REGISTER_ROWS),
    _kind(
        "measured_on_its_own_rows",
        "the dataset declares that the model was not trained on them",
        "other_rows",
        reason="Nothing needs to be done: the model was not trained on these rows.",
    ),
    _kind(
        "grown_from_its_evaluation_rows", "pseudo-samples were rows of evaluation_dataset", "other_rows", _REGISTER_ROWS
    ),
    _kind(
        "chosen_by_its_evaluation_rows",
        "by their predictions of the rows of|for their predictions of the rows of",
        "larger",
        reason="Choose them by coverage in the view of the model: then these rows choose nothing.",
    ),
    _kind("few_rows", "rows are uncertain: see their intervals", "other_rows", ("register", "Register more rows")),
    _kind("one_label", "all rows have the label", "other_rows", ("register", "Register rows with other labels")),
    _kind(
        "hardly_better_than_constant",
        "it says little of what the model does|no more than always answering",
        "larger",
        reason="Request more of them, or another method, in the view of the model.",
    ),
    _kind(
        "few_rows_covered",
        "less than the requested coverage|; request more prototypes, or a coverage",
        "larger",
        reason="Request more prototypes in the view of the model.",
    ),
    _kind(
        "classes_without_prototype",
        "never gives their rows their own class",
        "larger",
        reason="Request more prototypes, or as many of each class, in the view of the model.",
    ),
    _kind(
        "splits_not_significant",
        "(is|are) (not )?significant within",
        "larger",
        reason="Request the tree with more pseudo-samples in the view of the model.",
    ),
    _kind("outcomes_without_rows", "no row of the dataset is decided as", link=_REGISTER),
    _kind(
        "candidates_split_nothing",
        "of the given candidates, .* can split nothing",
        reason="Nothing needs to be done: the splits are chosen from the other candidates.",
    ),
    _kind(
        "no_effects_compared",
        "no effects are compared",
        reason="Nothing can be done about these models; what else is compared needs no effects.",
    ),
    _kind("audited_by_training_labels", "wrong ones stand out less", "nearest_rows", _REGISTER_MODEL),
    _kind("class_not_known", "are more like rows of other labels", link=_REVIEW),
    _kind(
        "coarser_leaves",
        "coarser leaves were used",
        reason="Nothing needs to be done about the coarser leaves: they were chosen because they show more.",
    ),
    _kind("uncertain_estimate", "the estimated number of wrong labels", link=_REVIEW),
    _kind(
        "map_is_no_scale",
        "no axis has a meaning",
        reason="Nothing can be done about that: a plane cannot show all proximities. The view of a row has its own.",
    ),
    _kind(
        "training_not_known",
        "not known whether the model was trained on these rows",
        link=_REGISTER_ROWS,
    ),
)
"""All kinds of cautions; a text may be of several."""

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
    "outcomes_disagree": "Nothing can be done about the row itself: weigh both; rows like it stand below.",
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

    cautions: Sequence[str]
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


def kinds_of(caution: str) -> list[CautionKind]:
    """Return the kinds that a caution is of."""
    return [kind for kind in CAUTION_KINDS if kind.words.search(caution)]


def phrases_of(caution: str) -> list[str]:
    """Return the cautions that are joined in one text."""
    return [phrase for phrase in _BETWEEN_CAUTIONS.split(caution) if phrase]


def remedies_of(caution: str, links: Links, forms: Mapping[str, object], artefact_id: str = "") -> list[Remedy]:
    """Return what can be done about a caution, each once; nothing in files, from which nothing can be done.

    Parameters
    ----------
    caution
        Its text, which may be of several kinds.
    links
        Of the drawing.
    forms
        By step, those that the view has.
    artefact_id
        The id of the artefact whose caution it is.
    """
    if links.base is None:
        return []
    remedies = (_remedy(kind, links, forms, artefact_id) for kind in kinds_of(caution))
    return list({repr(each): each for each in remedies}.values())


def _remedy(kind: CautionKind, links: Links, forms: Mapping[str, object], artefact_id: str) -> Remedy:
    if kind.step is not None and kind.step in forms:
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
        for phrase in (phrase for caution in one.cautions for phrase in phrases_of(caution)):
            remedies = remedies_of(phrase, links, one.forms, one.artefact_id)
            text = sentence(plain_caution(phrase) if remedies else phrase)
            names.setdefault(text, {})[one.name] = None
            last |= {repr(remedy): (text, remedy) for remedy in remedies}
    lines = [
        NotedLine(text, list(filter(None, of)), [each for at, each in last.values() if at == text and not each.form])
        for text, of in names.items()
    ]
    return Note(lines, [remedy.form for _, remedy in last.values() if remedy.form])


def note_of_one(
    cautions: Sequence[str], links: Links, forms: Mapping[str, object] | None = None, artefact_id: str = ""
) -> Note:
    """Return the note of the cautions of one artefact."""
    return note_of([Cautioned(cautions, forms or {}, artefact_id)], links)


def plain_caution(caution: str) -> str:
    """Return a caution without what it asks for, where that can be done beside it, and without names of fields."""
    for words, instead in _IN_WORDS_OF_THE_PAGE:
        caution = words.sub(instead, caution)
    return caution


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
