"""Forms of what cautions ask for: the artefact again, on other rows, larger, or by another method."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from leafspace_drawings import Choice, Entry, Form, options_of, pictures
from leafspace_drawings.methods import METHODS
from leafspace_drawings.remedies import Step, step_of

from schemas.approximation_trees import APPROXIMATION_TREES
from schemas.comparisons import COMPARISONS
from schemas.evaluations import EVALUATIONS
from schemas.noun import Noun
from schemas.prototype_sets import PROTOTYPE_SETS
from schemas.rule_sets import RULE_SETS

from .documents import Json

_OF_EACH_CLASS = "sm_u"
RULE_METHODS = [("", METHODS["rule_list"]), *((name, METHODS[name]) for name in ("fab", "in_trees", "decision_tree"))]
TREE_METHODS = [("", METHODS["sta"]), *((name, METHODS[name]) for name in ("born_again", "cart"))]
MOST_RULES = 20
_WORDS_OF_ROWS = {COMPARISONS.name: "rows", EVALUATIONS.name: "on"}
_MOST_PROTOTYPES, _MOST_DEPTH, _MOST_PSEUDO_SAMPLES = 1000, 12, 10_000_000


def prototype_methods(*, is_regression: bool) -> list[tuple[str, str]]:
    """Return the methods by which prototypes can be chosen, and their words; those about classes need some."""
    names = ["k_medoids"] if is_regression else [_OF_EACH_CLASS, "sm_wa", "sg", "k_medoids"]
    return [("", METHODS["sm_a"]), *((name, METHODS[name]) for name in names)]


def forms_of_cautions(noun: Noun[Any], document: Json, datasets: Sequence[Json]) -> dict[str, Form]:
    """Return the form of each step that the cautions of an artefact ask for, where there is one.

    Parameters
    ----------
    noun, document
        The artefact, with its result.
    datasets
        Those that fit its model.
    """
    made: Mapping[Step, Callable[[], Sequence[Form]]] = {
        "other_rows": lambda: remeasured(noun, document, datasets),
        "larger": lambda: _larger(noun, document),
        "nearest_rows": lambda: _by_nearest_rows(noun, document),
    }
    steps = {step_of(caution) for caution in document["result"].get("cautions", ())}
    forms = {step: make() for step, make in made.items() if step in steps}
    return {step: some[0] for step, some in forms.items() if some}


def remeasured(noun: Noun[Any], document: Json, datasets: Sequence[Json]) -> list[Form]:
    """Return the form that makes or measures the same on other rows than those of an artefact."""
    request = document["request"]
    field = "evaluation_dataset" if "evaluation_dataset" in request else "dataset"
    others = _other_rows(noun, document, datasets)
    if not others:
        return []
    rows = Choice(field, _WORDS_OF_ROWS.get(noun.name, "measured on"), options_of(held_out_first(others)))
    body = {name: value for name, value in request.items() if value is not None and name != field}
    return [_again(noun, (rows,), body)]


def _other_rows(noun: Noun[Any], document: Json, datasets: Sequence[Json]) -> list[Json]:
    """Return the datasets on which an artefact can be made or measured again, so that its cautions are answered."""
    request, by_id = document["request"], {each["id"]: each for each in datasets}
    first, second, other = (request.get(name) for name in ("dataset", "evaluation_dataset", "other_dataset"))
    others = [each for each in datasets if each["id"] not in (first, second, other)]
    if first in by_id:  # rows with a target of another name have other labels, as a rule
        others = [each for each in others if each["target"] in (by_id[first]["target"], None)]
    if noun == EVALUATIONS:
        others = [each for each in others if each["target"] is not None]
    if other is not None:  # newer rows are compared with such as no model was trained on
        return [each for each in others if each["held_out"]]
    measured = by_id.get(second or first)
    return others if measured is None else _not_worse(others, measured, document)


def _not_worse(others: Sequence[Json], measured: Json, document: Json) -> list[Json]:
    """Return those of other datasets that are held out if the measured one is, and larger where that is too small."""
    codes = {caution["code"] for caution in document["result"]["cautions"]}
    return [
        each
        for each in others
        if each["held_out"] >= measured["held_out"] and ("few_rows" not in codes or each["n_rows"] > measured["n_rows"])
    ]


def _again(noun: Noun[Any], fields: Sequence[Choice | Entry], body: Json) -> Form:
    picture = pictures()[noun.singular]
    return Form(f"{picture.words} again", noun.path, picture.part, fields, body)


def held_out_first(datasets: Sequence[Json]) -> list[Json]:
    """Return datasets with those first that are held out from training, of the target of the first one if any is."""
    target = datasets[0]["target"] if datasets else None
    return sorted(datasets, key=lambda each: (each["target"] != target, not each["held_out"]))


def _larger(noun: Noun[Any], document: Json) -> list[Form]:
    """Return the form that makes more of the same, or makes it by another method."""
    request, result = document["request"], document["result"]
    sizes: Mapping[str, Callable[[], Sequence[Choice | Entry]]] = {
        PROTOTYPE_SETS.name: lambda: (
            _more("n_prototypes", "how many", 2 * len(result["prototypes"]), _MOST_PROTOTYPES),
            Choice(
                "method",
                "method",
                prototype_methods(is_regression=result["task"] == "regression"),
                _OF_EACH_CLASS if result["classes_without_prototypes"] else "",
            ),
        ),
        RULE_SETS.name: lambda: (
            _more("max_rules", "at most", 2 * (request["max_rules"] or 10), MOST_RULES),
            Choice("method", "method", RULE_METHODS),
        ),
        APPROXIMATION_TREES.name: lambda: (
            _more("max_depth", "depth at most", (request["max_depth"] or 3) + 1, _MOST_DEPTH),
            _more("max_pseudo_samples", "pseudo-samples", 10 * request["max_pseudo_samples"], _MOST_PSEUDO_SAMPLES),
            Choice("method", "method", TREE_METHODS),
        ),
    }
    if noun.name not in sizes:
        return []
    kept = ("model", "dataset", "evaluation_dataset", "proximity_kind", "seed")
    body = {name: request[name] for name in kept if request.get(name) is not None}
    return [_again(noun, sizes[noun.name](), body)]


def _more(name: str, words: str, number: int, most: int) -> Entry:
    return Entry(name, words, str(min(number, most)), most=most)


def _by_nearest_rows(noun: Noun[Any], document: Json) -> list[Form]:
    """Return the form of a label audit in which the nearest rows vote, unless they did."""
    if document["request"].get("method") == "neighbors":
        return []
    fields = (Choice("method", "by", (("neighbors", METHODS["neighbors"]),)), Entry("n_neighbors", "how many", "50"))
    body = {name: document["request"][name] for name in ("model", "dataset")}
    return [_again(noun, fields, body)]
