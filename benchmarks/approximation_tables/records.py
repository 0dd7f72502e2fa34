"""What comes of one run, as plain records that can be kept as JSON."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from schemas.approximation_trees import ApproximationTreeRequest
from tree_explainers.approximation_trees.generators import GeneratorSettings
from tree_explainers.approximation_trees.trees import ApproximationTree

PAPER = ApproximationTreeRequest(model="", dataset="", settings="paper")
N_LEVELS = PAPER.deepest  # questions on the longest way: the paper's five layers, the root included
GENERATOR = GeneratorSettings(**PAPER.generator.model_dump())


class Who(NamedTuple):
    """Which predictor, from how many pseudo rows."""

    name: str  # forest, CART, STA, CART on pseudo rows, born again
    n_pseudo: int = 0  # of a node at most (STA), or of the whole tree; 0 where none are drawn


@dataclass(frozen=True, slots=True)
class Mimicked:
    """A predictor evaluated on rows that neither it nor the forest was made from."""

    study: str  # simulation, or the name of a questionnaire
    who: Who
    repetition: int
    accuracy: float
    balanced_accuracy: float
    agreement: float | None = None  # share of rows with the forest's class; None for the forest itself
    probability_l1: float | None = None  # sum over classes, mean over rows: 0 to 2
    n_questions: float | None = None  # mean number on the path of a row
    n_leaves: int | None = None
    share_at_cap: float | None = None  # of the tree's questions; None where there is no test
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Structures:
    """Trees made again and again from one forest."""

    study: str
    who: Who
    occurrences: tuple[tuple[int, ...], ...]  # by level, of each different tree down to there, most frequent first
    n_by_features: tuple[int, ...]  # by level, different trees where thresholds do not count
    share_at_cap: float | None  # of all trees' questions; None where there is no test

    @property
    def n_replications(self) -> int:
        """Trees that were made."""
        return sum(self.occurrences[0])

    @property
    def n_different(self) -> tuple[int, ...]:
        """Different trees by level."""
        return tuple(len(of_level) for of_level in self.occurrences)


@dataclass(frozen=True, slots=True)
class Ruled:
    """A tree of one draw of a dataset of Hara & Hayashi (2018); its leaves are rules."""

    dataset: str
    seed: int
    predictor: str  # born again; STA, depth 2; CART on pseudo rows, depth 2; those of the rule sets' tables
    n_rules: int | None  # None of a forest
    error: float  # share of wrong classes, or mean squared error
    unlike_forest: float  # the same measure against what the forest says
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """All of a run."""

    mimicked: tuple[Mimicked, ...]
    structures: tuple[Structures, ...]
    ruled: tuple[Ruled, ...]


def structures(study: str, who: Who, trees: Sequence[ApproximationTree]) -> Structures:
    """Count different trees at each level of questions."""
    occurrences = []
    for level in range(1, N_LEVELS + 1):
        counted = Counter(tree.structure(level) for tree in trees)
        occurrences.append(tuple(sorted(counted.values(), reverse=True)))
    n_by_features = tuple(len({_features(tree, level) for tree in trees}) for level in range(1, N_LEVELS + 1))
    shares = [share for share in map(share_at_cap, trees) if share is not None]
    return Structures(study, who, tuple(occurrences), n_by_features, float(np.mean(shares)) if shares else None)


def share_at_cap(tree: ApproximationTree) -> float | None:
    """Return the share of a tree's questions that were unsure with all pseudo rows allowed; None without tests."""
    tests = [node.confidence.at_cap for node in tree.nodes if node.confidence is not None]
    return float(np.mean(tests)) if tests else None


def _features(tree: ApproximationTree, level: int) -> tuple[str, ...]:
    """Return the column tested at each place down to a level of questions; a place is how it is reached."""
    places = {0: ""}
    for at, node in enumerate(tree.nodes):  # parents come first
        if node.condition is not None:
            places[node.left], places[node.right] = f"{places[at]}l", f"{places[at]}r"
    tested = {place: tree.nodes[at].condition for at, place in places.items() if len(place) < level}
    return tuple(f"{place} {condition.column}" for place, condition in sorted(tested.items()) if condition is not None)


def balanced_accuracy(predicted: NDArray[np.int64], true: NDArray[np.int64]) -> float:
    """Return the mean over classes of the share of a class that is predicted right."""
    return float(np.mean([np.mean(predicted[true == own] == own) for own in np.unique(true)]))


def as_json(found: Found) -> dict[str, list[dict[str, Any]]]:
    """Return everything as plain objects."""
    return {
        "mimicked": [_flat(one) for one in found.mimicked],
        "structures": [_flat(one) for one in found.structures],
        "ruled": [asdict(one) for one in found.ruled],
    }


def from_json(plain: dict[str, list[dict[str, Any]]]) -> Found:
    """Return what ``as_json`` was given."""
    return Found(
        tuple(Mimicked(**_with_who(each)) for each in plain["mimicked"]),
        tuple(Structures(**_with_who(each)) for each in plain["structures"]),
        tuple(Ruled(**each) for each in plain["ruled"]),
    )


def of_each(found: Iterable[Mimicked], study: str) -> dict[Who, list[Mimicked]]:
    """Put the repetitions of a study together, by predictor in the order in which they came."""
    own: dict[Who, list[Mimicked]] = {}
    for one in found:
        if one.study == study:
            own.setdefault(one.who, []).append(one)
    return own


def _flat(one: Mimicked | Structures) -> dict[str, Any]:
    plain = asdict(one)
    return {**plain.pop("who")._asdict(), **plain}


def _who(plain: dict[str, Any]) -> Who:
    return Who(*(plain[name] for name in Who._fields))


def _with_who(plain: dict[str, Any]) -> dict[str, Any]:
    rest = {name: _as_tuples(value) for name, value in plain.items() if name not in Who._fields}
    return {"who": _who(plain), **rest}


def _as_tuples(value: Any) -> Any:  # whatever JSON holds
    return tuple(map(_as_tuples, value)) if isinstance(value, list) else value
