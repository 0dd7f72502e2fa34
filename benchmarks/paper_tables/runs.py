"""Every run behind the two tables, as flat records."""

import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from tree_explainers.prototypes.selection import Method

from .apete_data import apete_split
from .curves import Measure, Tested, best_on_valid, curve, one_nearest_neighbour, original
from .published import (
    APETE_DATASETS,
    APETE_METHODS,
    TAN_DATASETS,
    TAN_METHODS,
    apete,
    apete_max_features,
)
from .rows import Split
from .tan_data import tan_split
from .tree_spaces import TreeSpace
from .tuning import forest, tuned_boosting, tuned_forest

_MOST_PROTOTYPES = {"mnist_4v9": 300}  # the paper has up to 261 there and up to 62 elsewhere
_MOST_PROTOTYPES_ELSEWHERE = 100
_FEWEST_OF_APETE, _MOST_OF_APETE = 2, 20  # sizes that the authors' script goes through
APETE_ALPHAS = (0.05, 0.01)
_MODELS = {"random_forest": tuned_forest, "boosting": tuned_boosting}


@dataclass(frozen=True, slots=True)
class Run:
    """One method on one division of one dataset."""

    paper: str  # tan or a_pete
    dataset: str
    model: str
    method: str
    seed: int  # of the division and the model (tan), of the forest (a_pete)
    chosen: str  # how the number of prototypes was: on the validation rows, as in the paper, by alpha; "" if not at all
    n_prototypes: int | None
    balanced_accuracy: float
    accuracy: float
    fidelity: float
    unassigned: float
    n_test: int
    settings: dict[str, Any]  # of the model


def tan_runs(seeds: range) -> Iterator[Run]:
    """Yield the cells of Tan et al., table 1, for each seed."""
    for dataset in TAN_DATASETS:
        for seed in seeds:
            split = tan_split(dataset, seed)
            for model, tuned in _MODELS.items():
                start = time.perf_counter()
                space = tuned(split, seed)
                for method in TAN_METHODS:
                    tested = tan_cell(space, split, method, dataset)
                    yield _run(("tan", dataset, model, method), seed, "valid", tested, split, space)
                _say(f"tan {dataset} {model} seed {seed}: {time.perf_counter() - start:.0f} s")


def tan_cell(space: TreeSpace, split: Split, method: str, dataset: str) -> Tested:
    """Return one cell: the number of prototypes that does best on the validation rows, judged on the test rows."""
    if method in _WITHOUT_SELECTION:
        return _WITHOUT_SELECTION[method](space, split)
    most = _MOST_PROTOTYPES.get(dataset, _MOST_PROTOTYPES_ELSEWHERE)
    return best_on_valid(curve(space, split, _method(method), most), "balanced_accuracy")


def apete_runs(seeds: range) -> Iterator[Run]:
    """Yield the cells of A-PETE, table 2, for a forest of each seed; the division is the authors' own."""
    for dataset in APETE_DATASETS:
        split = apete_split(dataset)
        for seed in seeds:
            start = time.perf_counter()
            for method in APETE_METHODS:
                space = forest(split, apete_max_features(dataset, method), seed)
                for chosen, tested in apete_cell(space, split, method, dataset):
                    yield _run(("a_pete", dataset, "random_forest", method), seed, chosen, tested, split, space)
            _say(f"a_pete {dataset} seed {seed}: {time.perf_counter() - start:.0f} s")


def apete_cell(space: TreeSpace, split: Split, method: str, dataset: str) -> Iterator[tuple[str, Tested]]:
    """Yield one cell, in each way in which the number of prototypes can be chosen."""
    if method == "original":
        yield "", original(space, split)
    elif method == "a_pete":
        for alpha in APETE_ALPHAS:
            yield f"alpha {alpha}", curve(space, split, "a_pete", alpha=alpha)[-1]
    else:
        tested = curve(space, split, _method(method), _MOST_OF_APETE)
        measure: Measure = "accuracy"
        yield "valid", best_on_valid(tested[_FEWEST_OF_APETE - 1 :], measure)
        yield "paper", tested[(apete(dataset, method).n_prototypes or 1) - 1]


def as_json(runs: list[Run]) -> list[dict[str, Any]]:
    """Return records as JSON has them."""
    return [asdict(run) for run in runs]


def _method(name: str) -> Method:
    names: dict[str, Method] = {"sm_u": "sm_u", "sg": "sg", "sm_a": "sm_a", "sm_wa": "sm_wa"}
    return names[name]


def _run(
    cell: tuple[str, str, str, str], seed: int, chosen: str, tested: Tested, split: Split, space: TreeSpace
) -> Run:
    test = tested.test
    figures = np.array([test.balanced_accuracy, test.accuracy, test.fidelity, test.unassigned], dtype=float).tolist()
    return Run(*cell, seed, chosen, tested.n_prototypes, *figures, len(split.test.classes), space.settings)


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


_WITHOUT_SELECTION = {"original": original, "1-nn": one_nearest_neighbour}
