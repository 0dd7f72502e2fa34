"""What does not depend on how rules are searched: forests, regions by EM and FAB; kept on disk."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import tree_explainers.questions
import tree_explainers.rule_sets
from tree_explainers.rule_sets.fab import FitSettings, fit_restarts

from .em_curve import em_curve
from .evaluation_case import EvaluationCase
from .forests import SMALLER_TREES, forest_settings, kept_folder, shallow_tree
from .random_parameters import best_from_random_parameters
from .records import (
    FOREST,
    MOST_RULES,
    RANDOM_MAP,
    SHALLOW_TREE,
    SMALLER_FOREST,
    SMALLER_MAP,
    Evaluated,
    Who,
    evaluated_as_json,
    evaluated_from_json,
)

_N_RESTARTS, _N_RESTARTS_ENERGY = 20, 200  # as in the paper, and in its authors' program for Energy
_N_SHALLOW_RULES = 4
# Not the paper's algorithm 1, which `settings: "paper"` stands for: `starts` compares the two.
_FROM_RESPONSIBILITIES = (FitSettings("responsibilities"),)


@dataclass(frozen=True, slots=True)
class Fits:
    """Predictors, and what their restarts took."""

    evaluated: tuple[Evaluated, ...]
    seconds: dict[str, tuple[float, ...]]  # of each restart, by method


def fits_of(case: EvaluationCase, n_em_restarts: int) -> Fits:
    """Return the fits of a draw: made, or as they were kept."""
    drawn = case.realisation
    settings = [forest_settings(drawn), SMALLER_TREES, n_em_restarts, n_restarts(drawn.dataset), _sources()]
    name = f"{drawn.dataset}-{hashlib.sha256(json.dumps(settings).encode()).hexdigest()[:16]}.json"
    path = kept_folder() / name
    if not path.exists():
        fits = _fitted(case, n_em_restarts)
        plain = {"evaluated": [evaluated_as_json(one) for one in fits.evaluated], "seconds": fits.seconds}
        partial = path.with_suffix(".part")
        partial.write_text(json.dumps(plain), encoding="utf-8")
        partial.rename(path)
    kept = json.loads(path.read_text(encoding="utf-8"))
    seconds = {method: tuple(each) for method, each in kept["seconds"].items()}
    return Fits(tuple(evaluated_from_json(one) for one in kept["evaluated"]), seconds)


def n_restarts(dataset: str) -> int:
    """Return how often FAB is begun."""
    return _N_RESTARTS_ENERGY if dataset == "energy" else _N_RESTARTS


def _fitted(case: EvaluationCase, n_em_restarts: int) -> Fits:
    drawn, rng = case.realisation, np.random.default_rng([case.realisation.seed, 1])
    n_fab_restarts = n_restarts(drawn.dataset)
    fab = fit_restarts("fab", case.labelled, MOST_RULES, n_fab_restarts, rng, settings=_FROM_RESPONSIBILITIES)
    em = em_curve(case.labelled, MOST_RULES, n_em_restarts, rng)
    otherwise = best_from_random_parameters(case.labelled, MOST_RULES, n_em_restarts, rng)
    evaluated = [*_baselines(case), *_of_smaller_trees(case), case.evaluate_regions(RANDOM_MAP, otherwise)]
    evaluated += [case.evaluate_regions(Who("em", "", number), model) for number, model in enumerate(em.best, 1)]
    return Fits(tuple(evaluated), {"fab": tuple(each.seconds for each in fab.all), "em": em.seconds})


def _baselines(case: EvaluationCase) -> Iterator[Evaluated]:
    yield case.evaluate(FOREST, case.forest_predictions)
    shallow = shallow_tree(case.realisation)
    yield case.evaluate(SHALLOW_TREE, shallow.predict(case.realisation.test.features), _N_SHALLOW_RULES)


def _of_smaller_trees(case: EvaluationCase) -> Iterator[Evaluated]:
    """Evaluate a forest whose trees are small, and the MAP of its regions."""
    drawn = case.realisation
    smaller = EvaluationCase.of(drawn, **SMALLER_TREES)
    rng = np.random.default_rng([drawn.seed, 2])
    n_fab_restarts = n_restarts(drawn.dataset)
    fab = fit_restarts("fab", smaller.labelled, MOST_RULES, n_fab_restarts, rng, settings=_FROM_RESPONSIBILITIES)
    yield smaller.evaluate(SMALLER_FOREST, smaller.forest_predictions)
    yield smaller.evaluate_regions(SMALLER_MAP, fab.best.model)


def _sources() -> str:
    """Return a hash of the files that statements and regions are made by, and of those beside this one."""
    packages = (tree_explainers.questions, tree_explainers.rule_sets)
    folders = (*(Path(package.__path__[0]) for package in packages), Path(__file__).parent)
    files = sorted(path for folder in folders for path in folder.glob("*.py"))
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()
