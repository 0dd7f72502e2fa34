"""The studies with 1,000,000 pseudo rows a node: made tree by tree, each kept at once, so that they can be continued.

One tree takes minutes. Trees are made in rounds, one of each kind after the other: whenever the program is stopped, all
kinds have about as many.
"""

import json
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from tree_explainers.approximation_trees.trees import ApproximationTree, Confidence, NodeFacts, TreeNode
from tree_explainers.questions.conditions import Condition

from .making import AUTHORS_RULES, STA, make
from .mimicry import NewRows
from .oracles import OracleCase
from .questionnaires import QUESTIONNAIRES
from .records import N_LEVELS, Found, Mimicked, Structures, Who, as_json, from_json, structures
from .studies import SIMULATION, given

_MILLION = 1_000_000
_DIVORCE, _BFI = QUESTIONNAIRES
# By study and predictor: trees of the first forest from different pseudo rows; the paper makes 100.
_REPLICATIONS: dict[tuple[str, Who], int] = {
    (SIMULATION, Who(AUTHORS_RULES, 100_000)): 20,
    (SIMULATION, Who(AUTHORS_RULES, _MILLION)): 100,
    (SIMULATION, Who(STA, _MILLION)): 100,
    (_DIVORCE, Who(STA, _MILLION)): 100,
    (_BFI, Who(STA, _MILLION)): 100,
}
_N_REPETITIONS = 5  # forests, each with one tree: figures 1, 2 and 4
_Kept = dict[tuple[str, str, Who, int], dict[str, Any]]
"""What was made, by kind (tree, mimicked), study, predictor and number."""


def make_trees(path: Path, minutes: float, studies: tuple[str, ...] = (SIMULATION, _DIVORCE, _BFI)) -> None:
    """Make what is lacking among the kept lines, for some minutes; a tree that was begun is finished."""
    end = time.monotonic() + 60 * minutes
    kept = _read(path)
    for kind, study, who, number in _rounds(studies):
        if (kind, study, who, number) in kept:
            continue
        if time.monotonic() > end:
            return
        case, new = _given(study, number if kind == "mimicked" else 0)
        made = make(who, case, N_LEVELS, number if kind == "mimicked" else 1_000 + number)
        plain: Any
        if kind == "tree":
            plain = _plain_tree(made.tree)
        else:
            plain = as_json(Found((new.of_tree(study, number, who, made),), (), ()))["mimicked"][0]
        line = {"kind": kind, "study": study, **who._asdict(), "number": number, "seconds": made.seconds, "made": plain}
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
        print(kind, study, who, number, f"{made.seconds:.0f} s", file=sys.stderr, flush=True)


def with_long_study(found: Found, path: Path) -> Found:
    """Return everything with what was made of the studies with 1,000,000 pseudo rows; more trees replace fewer."""
    kept = _read(path)
    made = {(one.study, one.who): one for one in found.structures}
    for one in _structures(kept):
        key = one.study, one.who
        made[key] = max(made.get(key, one), one, key=lambda each: each.n_replications)
    of_figures = tuple(_mimicked(kept))
    new = {(one.study, one.who) for one in of_figures}
    mimicked = (*(one for one in found.mimicked if (one.study, one.who) not in new), *of_figures)
    return Found(_by_study(mimicked), _by_study(tuple(made.values())), found.ruled)


def _rounds(studies: tuple[str, ...]) -> Iterator[tuple[str, str, Who, int]]:
    for number in range(max(_REPLICATIONS.values())):
        for (study, who), n in _REPLICATIONS.items():
            if number < n and study in studies:
                yield "tree", study, who, number
        if number < _N_REPETITIONS:
            yield from (("mimicked", study, Who(STA, _MILLION), number) for study in studies)


@cache
def _given(study: str, repetition: int) -> tuple[OracleCase, NewRows]:
    return given(study, repetition)


def _read(path: Path) -> _Kept:
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    found = [json.loads(line) for line in lines]
    return {(each["kind"], each["study"], Who(each["name"], each["n_pseudo"]), each["number"]): each for each in found}


def _structures(kept: _Kept) -> Iterator[Structures]:
    for study, who in _REPLICATIONS:
        own = [each["made"] for key, each in sorted(kept.items()) if key[:3] == ("tree", study, who)]
        if len(own) > 1:
            yield structures(study, who, [_tree(plain) for plain in own])


def _mimicked(kept: _Kept) -> Iterator[Mimicked]:
    plain = [each["made"] for key, each in sorted(kept.items()) if key[0] == "mimicked"]
    yield from from_json({"mimicked": plain, "structures": [], "ruled": []}).mimicked


def _by_study(records: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return records with those of a study together, in the order of the studies."""
    order = [SIMULATION, *QUESTIONNAIRES]
    return tuple(sorted(records, key=lambda one: order.index(one.study)))


def _plain_tree(tree: ApproximationTree) -> list[dict[str, Any]]:
    """Return what distinguishes trees, node by node."""
    return [
        {
            "condition": None if node.condition is None else asdict(node.condition),
            "left": node.left,
            "right": node.right,
            "n_pseudo_samples": node.facts.n_pseudo_samples,
            "confidence": None if node.confidence is None else asdict(node.confidence),
        }
        for node in tree.nodes
    ]


def _tree(plain: list[dict[str, Any]]) -> ApproximationTree:
    return ApproximationTree(
        tuple(
            TreeNode(
                NodeFacts(np.zeros(1), None, 0, each["n_pseudo_samples"]),
                None if each["condition"] is None else Condition(**_hashable(each["condition"])),
                each["left"],
                each["right"],
                None if each["confidence"] is None else Confidence(**each["confidence"]),
            )
            for each in plain
        ),
        {},
    )


def _hashable(plain: dict[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in plain.items()}
