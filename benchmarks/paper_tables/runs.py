"""Every run behind the two tables, as flat records."""

import functools
import sys
import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from tree_explainers.prototype_sets.classifier import Scores
from tree_explainers.prototype_sets.selection import Method

from .apete_data import apete_split
from .curves import Tested, Ties, best_on_test, best_on_valid, curve, one_nearest_neighbour, original
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
from .tuning import forest, tuned_boosting, tuned_forest, tuned_one_multiplier

_MOST_PROTOTYPES = {"mnist_4v9": 300}  # the paper has up to 261 there and up to 62 elsewhere
_MOST_PROTOTYPES_ELSEWHERE = 100
_FEWEST_OF_APETE, _MOST_OF_APETE = 2, 20  # sizes that the authors' script goes through
_SEED_OF_APETE = 42  # the authors' own comes first
_FEWER_FORESTS = {"mnist_4v9": 2}  # which take minutes each
_DIVISIONS = {"breast_cancer": 10, "diabetes": 10, "mnist_4v9": 3}  # many where test rows are few and fits are short
_SCORES = ("balanced_accuracy", "accuracy", "fidelity", "unassigned")
RHC_TARGETS = ("swang1", "death", "dth30")
_TIES: tuple[Ties, ...] = ("earlier", "lower class")
APETE_ALPHAS = (0.05, 0.01)  # the second "due to sub-optimal outcomes" for COMPAS and RHC
MODELS: dict[str, Callable[[Split, int], TreeSpace]] = {
    "random_forest": tuned_forest,
    "boosting_line_search": functools.partial(tuned_one_multiplier, multiplier="line_search"),
    "boosting_authors": functools.partial(tuned_one_multiplier, multiplier="authors"),
    "boosting": tuned_boosting,
}


class Cell(NamedTuple):
    """What was run."""

    paper: str  # tan or a_pete
    dataset: str
    model: str
    method: str
    seed: int  # of the division and the model (tan), of the forest (a_pete)
    chosen: str  # how many prototypes: by valid or test rows, as in the paper, by an alpha; "" where nothing is chosen
    ties: Ties = "earlier"  # between prototypes equally near


@dataclass(frozen=True, slots=True)
class Run:
    """One method on one division of one dataset, evaluated on the test rows."""

    cell: Cell
    n_prototypes: int | None
    scores: Scores
    n_test: int
    settings: dict[str, Any]  # of the model


def tan_runs(
    n_seeds: int,
    models: Collection[str] = tuple(MODELS),
    datasets: Collection[str] = TAN_DATASETS,
    known: Collection[Cell] = frozenset(),
) -> Iterator[list[Run]]:
    """Yield the columns of Tan et al., table 1: some models for a number of divisions, or a single one of each dataset.

    Columns among the known cells are left out.
    """
    for dataset in datasets:
        for seed in range(_DIVISIONS.get(dataset, n_seeds) if n_seeds > 1 else 1):
            split = tan_split(dataset, seed)
            for model in models:
                if Cell("tan", dataset, model, "original", seed, "") in known:
                    continue
                start = time.perf_counter()
                yield list(tan_column(dataset, model, MODELS[model](split, seed), split, seed))
                _print_progress(f"tan {dataset} {model} seed {seed}: {time.perf_counter() - start:.0f} s")


def target_runs(n_seeds: int) -> Iterator[Run]:
    """Yield the cells of table 1 for rhc, for each column that may have been its target."""
    for target in RHC_TARGETS:
        for seed in range(min(n_seeds, 2)):
            split = tan_split("rhc", seed, None if target == RHC_TARGETS[0] else target)
            yield from tan_column(f"rhc, {target}", "random_forest", forest(split, "sqrt", seed), split, seed)
            yield from tan_column(f"rhc, {target}", "boosting", tuned_boosting(split, seed), split, seed)
            _print_progress(f"rhc {target} seed {seed}")


def tan_column(dataset: str, model: str, space: TreeSpace, split: Split, seed: int) -> Iterator[Run]:
    """Yield one model's cells on one division of a dataset."""
    for method in TAN_METHODS:
        for chosen, tested in tan_cell(space, split, method, dataset):
            yield _run(Cell("tan", dataset, model, method, seed, chosen), tested, split, space)


def tan_cell(space: TreeSpace, split: Split, method: str, dataset: str) -> Iterator[tuple[str, Tested]]:
    """Yield one cell: the number of prototypes chosen on the validation rows and, to compare with, on the test rows."""
    if method in _WITHOUT_SELECTION:
        yield "", _WITHOUT_SELECTION[method](space, split)
        return
    most = _MOST_PROTOTYPES.get(dataset, _MOST_PROTOTYPES_ELSEWHERE)
    tested = curve(space, split, _method(method), most)
    yield "valid", best_on_valid(tested, "balanced_accuracy")
    yield "test", best_on_test(tested, "balanced_accuracy")


def apete_runs(n_seeds: int) -> Iterator[Run]:
    """Yield the cells of A-PETE, table 2, for several forests; the division is the authors' own."""
    for dataset in APETE_DATASETS:
        split = apete_split(dataset)
        for seed in range(_SEED_OF_APETE, _SEED_OF_APETE + min(n_seeds, _FEWER_FORESTS.get(dataset, n_seeds))):
            start = time.perf_counter()
            for method in APETE_METHODS:
                space = forest(split, apete_max_features(dataset, method), seed)
                for ties in _TIES:
                    for chosen, tested in apete_cell(space, split, method, dataset, ties):
                        yield _run(
                            Cell("a_pete", dataset, "random_forest", method, seed, chosen, ties), tested, split, space
                        )
            _print_progress(f"a_pete {dataset} seed {seed}: {time.perf_counter() - start:.0f} s")


def apete_cell(space: TreeSpace, split: Split, method: str, dataset: str, ties: Ties) -> Iterator[tuple[str, Tested]]:
    """Yield one cell, in each way in which the number of prototypes can be chosen."""
    if method == "original":
        yield "", original(space, split)
    elif method == "a_pete":
        for alpha in APETE_ALPHAS:
            yield f"alpha {alpha}", curve(space, split, "a_pete", alpha=alpha, ties=ties)[-1]
    else:
        tested = curve(space, split, _method(method), _MOST_OF_APETE, ties=ties)
        yield "valid", best_on_valid(tested[_FEWEST_OF_APETE - 1 :], "accuracy")
        yield "paper", tested[(apete(dataset, method).n_prototypes or 1) - 1]


def as_json(run: Run) -> dict[str, Any]:
    """Return a run as a flat object."""
    return {
        **run.cell._asdict(),
        "n_prototypes": run.n_prototypes,
        **{name: getattr(run.scores, name) for name in _SCORES},
        "n_test": run.n_test,
        "model_settings": run.settings,
    }


def from_json(written: dict[str, Any]) -> Run:
    """Return the run that ``as_json`` wrote."""
    cell = Cell(**{name: written[name] for name in Cell._fields})
    scores = Scores(**{name: written[name] for name in _SCORES})
    return Run(cell, written["n_prototypes"], scores, written["n_test"], written["model_settings"])


def _method(name: str) -> Method:
    names: dict[str, Method] = {"sm_u": "sm_u", "sg": "sg", "sm_a": "sm_a", "sm_wa": "sm_wa"}
    return names[name]


def _run(cell: Cell, tested: Tested, split: Split, space: TreeSpace) -> Run:
    return Run(cell, tested.n_prototypes, tested.test, len(split.test.classes), space.settings)


def _print_progress(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


_WITHOUT_SELECTION = {"original": original, "1-nn": one_nearest_neighbour}
