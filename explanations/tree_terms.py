"""The questions of an approximation tree in plain terms, and how far a row's values lead in it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from schemas.approximation_trees import ApproximationNode, ApproximationTreeResult
from schemas.rule_sets import Condition

from .rule_terms import Term, missing_texts_of, term_of


@dataclass(frozen=True, slots=True)
class Step:
    """A node that asks: what, and where it goes on."""

    term: Term
    left: int  # id of the node for rows for which the term holds
    right: int


@dataclass(frozen=True, slots=True)
class Walk:
    """A way from the root."""

    passed: tuple[tuple[int, bool], ...]  # ids of the nodes, and whether their questions hold
    reached: int  # id of the node at its end: a leaf, or one that asks for what is not known


def condition_of(node: ApproximationNode) -> Condition | None:
    """Return what a node asks, as rules ask it; nothing at a leaf."""
    if node.feature is None or node.column is None or node.operator is None:
        return None
    return Condition(
        feature=node.feature,
        column=node.column,
        operator=node.operator,
        value=node.value,
        or_missing=bool(node.or_missing),
    )


def steps_of(content: ApproximationTreeResult) -> tuple[Step | None, ...]:
    """Return what each node asks, by its id; ``None`` at leaves."""
    missing_texts = missing_texts_of(content.features)
    return tuple(_step(node, missing_texts) for node in content.nodes)


def walk(steps: tuple[Step | None, ...], known: Mapping[str, Any]) -> Walk:
    """Go from the root as far as a row's values are known.

    Parameters
    ----------
    steps
        Of the tree.
    known
        Values by column, as callers send them; ``None`` is a missing value, which is known to be missing.
    """
    passed, at = [], 0
    while (step := steps[at]) is not None and step.term.column in known:
        holds = step.term.holds(known[step.term.column])
        passed.append((at, holds))
        at = step.left if holds else step.right
    return Walk(tuple(passed), at)


def _step(node: ApproximationNode, missing_texts: Mapping[str, str | None]) -> Step | None:
    condition = condition_of(node)
    if condition is None or node.left is None or node.right is None:
        return None
    return Step(term_of(condition, missing_texts), node.left, node.right)
