"""The studies of Zhou & Hooker (2016): trees for one forest after the other, and many trees for one."""

import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from .making import CART_AMONG_CANDIDATES, CART_ON_PSEUDO_ROWS, STA, make
from .mimicry import NewRows
from .oracles import OracleCase, fitted_forest, rows_of
from .questionnaires import divided
from .records import N_LEVELS, Mimicked, Structures, Who, structures
from .simulation import N_NEW, N_TRAINING, NAMES, draw

SIMULATION = "simulation"


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is done."""

    n_pseudo: tuple[int, ...]  # N_ps, the paper's maximal number of pseudo rows
    n_repetitions: int  # forests, each with one tree of each kind
    n_replications: dict[str, dict[int, int]]  # by study and N_ps: trees of one forest


def mimicked(study: str, sizes: Sizes) -> Iterator[Mimicked]:
    """Yield each predictor on each forest, evaluated on rows new to it."""
    for repetition in range(sizes.n_repetitions):
        case, new = given(study, repetition)
        yield new.of_forest(study, repetition)
        if study == SIMULATION:
            yield new.of_cart(study, repetition, case)
        for n_pseudo in sizes.n_pseudo:
            who = Who(STA, n_pseudo)
            yield new.of_tree(study, repetition, who, make(who, case, N_LEVELS, repetition))
        _print_progress(f"{study} forest {repetition}")


def replicated(study: str, sizes: Sizes) -> Iterator[Structures]:
    """Yield the different trees that the first forest gets from different pseudo rows, by each method."""
    case, _ = given(study, 0)
    for n_pseudo, n_replications in sizes.n_replications[study].items():
        for name in (STA, CART_AMONG_CANDIDATES, CART_ON_PSEUDO_ROWS) if study == SIMULATION else (STA,):
            who, begun = Who(name, n_pseudo), time.perf_counter()
            trees = [make(who, case, N_LEVELS, 1_000 + seed).tree for seed in range(n_replications)]
            _print_progress(
                f"{study}, {n_replications} of {name} with {n_pseudo:,}: {time.perf_counter() - begun:.0f} s"
            )
            yield structures(study, who, trees)


def given(study: str, repetition: int) -> tuple[OracleCase, NewRows]:
    """Return a forest and new rows: of the simulation, or of a questionnaire's other persons."""
    if study == SIMULATION:
        rng = np.random.default_rng(repetition)
        train, new = draw(N_TRAINING, rng), draw(N_NEW, rng)
        case = fitted_forest(NAMES, train.features, train.target, repetition)
        return case, NewRows.of(case, rows_of(NAMES, new.features), new.target)
    persons = divided(study, repetition)
    case = persons.forest(repetition)
    return case, NewRows.of(case, rows_of(persons.items, persons.new), persons.new_target)


def _print_progress(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
