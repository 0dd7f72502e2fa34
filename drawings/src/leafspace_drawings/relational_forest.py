"""A relational forest: how large it is, how well it predicts, why not to trust it, and what it published."""

from collections.abc import Iterator, Mapping
from typing import Any

from .fact_card import Fact, FactCard, draw_fact_card
from .links import Links
from .pictures import picture
from .words import brief, count, counted, share

Json = Mapping[str, Any]
_NAMED_IDS = 5


def _links(links: Links | None = None) -> Links:
    return links or Links()


@picture("relational_forest", ids="rlf_", part="relational-forests", words="relational forest", context=_links)
def draw_relational_forest(document: Json, links: Links) -> str:
    """Return the drawing of a ready answer of ``GET /v1/relational-forests/{id}``."""
    result = document["result"]
    task = "A regression" if result["task"] == "regression" else "A classification"
    questions = counted(result["n_features"], "question")
    card = FactCard(
        title=f"{counted(len(result['trees']), 'tree')} learned from several tables",
        lead=f"{task} by {questions} about the tables, which are the features of its model.",
        facts=list(_facts(result)),
        foot=f"relational forest {document['id']}",
        warnings=result["warnings"],
        page=links,
        links=[(f"its {part}", links.to(f"{part}s", result[part])) for part in ("model", "dataset")],
    )
    return draw_fact_card(card)


def _facts(result: Json) -> Iterator[Fact]:
    evaluation = result["evaluation"]
    yield Fact(
        "tests", count(evaluation["n_nodes"]), f"{counted(evaluation['n_leaves'], 'leaf', 'leaves')} in all trees"
    )
    if evaluation["out_of_bag"] is not None:
        yield _score("out of bag", evaluation["out_of_bag"], "examples, each by the trees that were grown without it")
    yield _score("on its own examples", evaluation["training"], "examples that the trees were learned from")
    if result["skipped"]:
        yield Fact("questions left out", count(len(result["skipped"])), "they would have matched too many rows")
    if ids := result["ids_left_out"]:
        more = f" and {count(len(ids) - _NAMED_IDS)} more" if len(ids) > _NAMED_IDS else ""
        yield Fact("columns left out", count(len(ids)), f"they hold ids: {', '.join(ids[:_NAMED_IDS])}{more}")


def _score(name: str, scores: Json, rows: str) -> Fact:
    about = f"{count(scores['n_examples'])} {rows}"
    if scores["balanced_accuracy"] is not None:
        return Fact(name, share(scores["balanced_accuracy"]), f"balanced accuracy for {about}")
    return Fact(name, "no R²" if scores["r2"] is None else brief(scores["r2"]), f"R² for {about}")
