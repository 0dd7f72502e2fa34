"""Headlines: a thing of the service in one line: what it is, its name, its state and what it holds.

``Model 'credit risk' (boosted trees, 300 trees, 23 features, outcomes good/bad)``. The words follow from the fields
that a thing has, by one table for all kinds of things: ``repr`` of every object and of every answer is made here.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

from .fields import UNSET
from .known_documents import KnownDocuments

Describe: TypeAlias = Callable[[Any], str]

_MOST_NAMED = 5  # classes, and the rest is counted
_N_EFFECTS = 3
_SAID_BY = {"classes": "decision"}  # outcomes of bands stand in the place of classes


def headline(details: Any, *, kind: str = "", contents: str = "", known: KnownDocuments | None = None) -> str:
    """Return one line about an answer of the service; empty, where nothing in it has a name or is worth a word.

    Parameters
    ----------
    details
        The answer.
    kind
        What it is called; default: the name of its class, without the ``Summary`` of lists.
    contents
        What its result holds, in words of its own; default: by the fields of the result.
    known
        What the client has met, for the names of what it was made of.
    """
    subject = _subject(details)
    words = ", ".join(_facts(details, contents, known or KnownDocuments())) if subject else ""
    kind = kind or type(details).__name__.removesuffix("Summary")
    if not words:
        return ""
    return f"{kind} {subject}: {words}" if subject.startswith("of row ") else f"{kind} {subject} ({words})"


def _facts(details: Any, contents: str, known: KnownDocuments) -> list[str]:
    """Return what an answer's fields say in a few words each, in the order of the table."""
    request, result = getattr(details, "request", None), getattr(details, "result", None)
    # Lists have no results: what was requested says as much as there is to know.
    held = _described(_OF_RESULTS, result) if result else _requested(request)
    made_of = [*_made_of(details, known, is_named_only=False), *_made_of(request, known, is_named_only=True)]
    return [*_described(_OF_THINGS, details), *([contents] if contents else held), *made_of]


def _subject(details: Any) -> str:
    """Return which one it is: by its name or title, by its row, else by its id."""
    if name := getattr(details, "name", None) or getattr(getattr(details, "request", None), "title", None):
        return repr(name)
    has_rows = hasattr(details, "n_rows")  # of a dataset, row_id is the name of a column
    row_id = None if has_rows else getattr(details, "row_id", None)
    return f"of row {row_id}" if row_id else getattr(details, "id", None) or ""


def _described(table: Mapping[str, Describe], holder: Any) -> Iterator[str]:
    described: set[str] = set()
    for field, describe in table.items():
        value = getattr(holder, field, None)
        if field in _SAID_BY and _SAID_BY[field] in described:
            continue
        if value is not None and value is not UNSET and (words := describe(value)):
            described.add(field)
            yield words


def _requested(request: Any) -> Iterator[str]:
    """Yield how large a result was requested, and how it is made; of explanations, one or many, nothing."""
    is_of_rows = hasattr(request, "explainer") or hasattr(request, "row_ids")
    return iter(()) if is_of_rows else _described(_OF_REQUESTS, request)


def _made_of(holder: Any, known: KnownDocuments, *, is_named_only: bool) -> Iterator[str]:
    """Yield what a thing was made of, by its name, or by what it holds where it has none and was met."""
    for field in ("model", "other_model", "prototype_set", "explainer", "dataset", "other_dataset"):
        thing_id = getattr(holder, field, None) or None
        thing = known.record(thing_id)
        if name := known.name(thing_id):
            yield f"{field.replace('_', ' ')} {name!r}"
        elif thing_id is not None and not is_named_only:
            held = next(_described(_OF_RESULTS, getattr(thing, "result", None)), None)
            yield held or f"{field.replace('_', ' ')} {thing_id}"


def counted(n: int, noun: str, plural: str | None = None) -> str:
    """Return a number and what is counted: ``1 leaf``, ``2,000 leaves``."""
    return str(_words().counted(n, noun, plural))


def _counted(noun: str, plural: str | None = None, before: str = "") -> Describe:
    """Return what describes a number, or a list by its length; nothing of 0."""

    def describe(value: Any) -> str:
        n = len(value) if isinstance(value, list) else value
        return before + counted(n, noun, plural) if n else ""

    return describe


def _words() -> Any:  # a module
    from leafspace_drawings import words  # importing the client stays quick

    return words


def _ensemble(ensemble: str) -> str:
    from leafspace_drawings.model import ensemble_words  # as above

    return ensemble_words(ensemble)


def _classes(classes: list[str]) -> str:
    if len(classes) > _MOST_NAMED:
        return f"{len(classes):,} outcomes"
    return f"outcomes {'/'.join(classes)}" if classes else ""


def _decision(decision: Any) -> str:
    """Return what was decided of a row, or the outcomes of a model; nothing where no bands decide."""
    bands = getattr(decision, "bands", None) or None
    if bands is None:
        return ""
    outcome = getattr(decision, "outcome", None)
    return f"decision {outcome}" if outcome else _classes([band.outcome for band in bands])


def _progress(progress: Any) -> str:
    share = _words().share(progress.fraction)
    return "" if progress.fraction >= 1 else f"{share} {progress.message or progress.stage}".strip()


def _prediction(prediction: Any) -> str:
    """Return the class with its score, or the value."""
    scores = {score.label: score.value for score in getattr(prediction, "scores", ())}
    if prediction.task != "classification":
        return str(_words().number(prediction.value))
    score = scores.get(prediction.label)
    return f"{prediction.label}{'' if score is None else f' ({_words().brief(score)})'}"


def _effects(effects: Any) -> str:
    """Return the features that move the score most, by how much in the scale."""
    largest = [each for each in effects.features[:_N_EFFECTS] if each.effect]
    return ", ".join(f"{each.feature_text or each.feature} {_words().signed(each.effect)}" for each in largest)


def _near(prototypes: list[Any]) -> str:
    nearest = next(iter(prototypes), None)
    return "" if nearest is None else f"nearest prototype {nearest.row_id} ({_words().brief(nearest.proximity)})"


def _method(method: str) -> str:
    """Return what a method is called; nothing where the service chooses one."""
    from leafspace_drawings.methods import METHODS  # as above

    return "" if method == "auto" else f"by “{METHODS.get(method, method)}”"


# In the order of the line. A field means the same in all answers, so that it has its words once.
_OF_THINGS: Mapping[str, Describe] = {
    "kind": lambda kind: str(_words().kind_words(kind)),
    "status": lambda status: "" if status == "ok" else str(status),
    "progress": _progress,
    "ensemble": _ensemble,
    "n_trees": _counted("tree"),
    "n_tables": _counted("table"),
    "n_rows": _counted("row"),
    "n_features": _counted("feature"),
    "n_examples": _counted("example"),
    "decision": _decision,
    "classes": _classes,
    "target": lambda target: f"target {target}" if isinstance(target, str) else "",
    "scopes": lambda scopes: f"may {', '.join(scopes)}",
    "prediction": _prediction,
    "effects": _effects,
    "nearest_prototypes": _near,
    "problem": lambda problem: str(problem.detail),
}
_OF_REQUESTS: Mapping[str, Describe] = {
    "n_prototypes": lambda n: counted(n, "prototype") if isinstance(n, int) else "",
    "coverage": lambda coverage: f"as many prototypes as cover {_words().share(coverage)}",
    "max_rules": _counted("rule", before="at most "),
    "max_depth": lambda depth: f"depth at most {depth}" if isinstance(depth, int) else "",
    "max_leaves": _counted("leaf", "leaves", before="at most "),
    "n_rows": _counted("row", before="at most "),
    "n_neighbors": _counted("neighbor each", "neighbors each", before="up to "),
    "method": _method,
    "group_by": lambda columns: f"by {', '.join(columns)}" if columns else "",
    "n_trees": _counted("tree"),
}
_OF_RESULTS: Mapping[str, Describe] = {
    "prototypes": _counted("prototype"),
    "rules": _counted("rule"),
    "trees": _counted("tree"),
    "n_leaves": _counted("leaf", "leaves"),
    "n_features": _counted("feature"),
    "n_rows": _counted("row"),
    "n_neighbors": _counted("neighbor each", "neighbors each", before="up to "),
    "n_explained": _counted("explained", "explained"),
    "n_abstained": _counted("abstained", "abstained"),
    "n_refused": _counted("refused", "refused"),
    "classes": _classes,
    "parts": _counted("part"),
}
