"""What comes of one draw of a dataset, as plain records that can be kept as JSON."""

import statistics
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Who(NamedTuple):
    """Which predictor is evaluated."""

    name: str  # forest, shallow tree, map, printed, em
    search: str = ""  # plain or improved, of rules
    limit: int = 0  # most rules requested; of em: the number of regions requested; 0 where there is none


FOREST, SHALLOW_TREE = Who("forest"), Who("shallow tree")
MOST_RULES = 10  # K_max in the paper, and the most that may be printed
MAP = Who("map", "plain", MOST_RULES)
PLAIN, SERVED = (Who("printed", search, MOST_RULES) for search in ("plain", "improved"))
AS_MANY = Who("printed, no more than plain", "improved")  # rules than the plain search has on the same draw
BOXES = Who("boxes of the regions", "plain", MOST_RULES)  # printed as they are, in no particular order
RANDOM_MAP = Who("map from random parameters", "plain", MOST_RULES)
IMPROVED_MAP = Who("map", "improved", MOST_RULES)
IN_TREES, SELECTED_IN_TREES = Who("inTrees"), Who("inTrees, rules selected by a forest")
NODE_HARVEST, DECISION_TREE = Who("Node Harvest"), Who("DTree2")
SMALLER_FOREST, SMALLER_MAP = Who("smaller forest"), Who("map of the smaller forest", "plain", MOST_RULES)


class Seconds(NamedTuple):
    """From binned rows to rules, restarts included."""

    of_processor: float  # both cores together
    of_clock: float


@dataclass(frozen=True, slots=True)
class Evaluated:
    """A predictor on the test rows of one draw."""

    who: Who
    error: float  # share of wrong classes, or mean squared error
    unlike_forest: float  # the same measure against what the forest says
    n_rules: int | None = None  # without the default; of a MAP prediction: regions
    rules_per_row: float | None = None  # that cover a test row, on average
    conditions: tuple[int, ...] = ()  # of each rule
    seconds: Seconds | None = None


@dataclass(frozen=True, slots=True)
class Draw:
    """Everything about one draw."""

    dataset: str
    seed: int
    is_regression: bool
    n_statements: int
    restart_seconds: dict[str, tuple[float, ...]]  # by method; em: all numbers of regions in one
    evaluated: tuple[Evaluated, ...]
    rules: dict[str, tuple[str, ...]]  # by search: as printed, with their predictions

    def of(self, who: Who) -> Evaluated:
        """Return what is known of one predictor; a ``KeyError`` where it was not evaluated."""
        for one in self.evaluated:
            if one.who == who:
                return one
        raise KeyError(who)


def error_of(predicted: NDArray[Any], true: NDArray[Any]) -> float:
    """Return the share of wrong classes, or the mean squared error of values."""
    if true.dtype == np.float64:
        return float(np.mean((predicted - true) ** 2))
    return float(np.mean(predicted != true))


def median_conditions(evaluated: Evaluated) -> float:
    """Return the median number of conditions a rule has; 0 without rules."""
    return float(statistics.median(evaluated.conditions)) if evaluated.conditions else 0.0


def most_conditions(evaluated: Evaluated) -> int:
    """Return how many conditions the longest rule has."""
    return max(evaluated.conditions, default=0)


def as_json(draw: Draw) -> dict[str, Any]:
    """Return a draw as a plain object, predictors one below the other."""
    plain = asdict(draw)
    plain["evaluated"] = [evaluated_as_json(one) for one in draw.evaluated]
    return plain


def evaluated_as_json(evaluated: Evaluated) -> dict[str, Any]:
    """Return what is known of one predictor as a flat object."""
    plain = asdict(evaluated)
    return {**plain.pop("who")._asdict(), **plain}


def evaluated_from_json(plain: dict[str, Any]) -> Evaluated:
    """Return what ``evaluated_as_json`` was given."""
    rest = {name: value for name, value in plain.items() if name not in Who._fields}
    rest["conditions"] = tuple(rest["conditions"])
    rest["seconds"] = None if rest["seconds"] is None else Seconds(*rest["seconds"])
    return Evaluated(Who(*(plain[name] for name in Who._fields)), **rest)


def draw_from_json(plain: dict[str, Any]) -> Draw:
    """Return what ``as_json`` was given."""
    seconds = {method: tuple(each) for method, each in plain["restart_seconds"].items()}
    rules = {name: tuple(each) for name, each in plain["rules"].items()}
    evaluated = tuple(evaluated_from_json(one) for one in plain["evaluated"])
    return Draw(**{**plain, "restart_seconds": seconds, "rules": rules, "evaluated": evaluated})
