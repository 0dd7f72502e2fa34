"""What fits of regions begin with, what a region costs, and forests tuned as in the authors' scripts: MAP errors.

The draws are those of ``benchmarks.defrag_tables`` (seeds from 200 on). Forests: scikit-learn with R's defaults, and
tuned: of every combination of 10, 50 and 150 rows below which no node is split and of at most 16, 32, 64 and 128 leaves
the one with the least out-of-bag error. Fits: K_max 10, 20 restarts of each start, of which the one with the least
training error counts; "in turn": 20 and 60 restarts that take the three starts in turn. Rules are made for the true
classes or values of the training rows, and errors are those of the two-step MAP prediction on test rows: share of wrong
classes, mean squared error for Energy.

``python -m benchmarks.defrag_tables.starts --draws 5 > benchmarks/results/defrag_starts.md``
"""

import argparse
import itertools
import sys
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

from tree_explainers.rule_sets.fab import STARTS, FitSettings, fit_restarts, omega_of

from .datasets import DATASETS, Realisation, realisation
from .evaluation_case import EvaluationCase
from .forests import forest_settings
from .records import FOREST, MOST_RULES, Who

FIRST_SEED, N_RESTARTS = 200, 20
_SPLIT_ROWS, _LEAVES = (10, 50, 150), (16, 32, 64, 128)
_IN_TURN = tuple(FitSettings(start) for start in STARTS)
_COLUMNS = ("forest", *STARTS, "in turn", "in turn, 60", "omega / 10", "omega / 100")


def tuned(drawn: Realisation) -> dict[str, int]:
    """Return the settings with the least out-of-bag error."""
    kind = RandomForestRegressor if drawn.is_regression else RandomForestClassifier
    features, target = drawn.train.features.astype(np.float32), drawn.train.target

    def score(settings: dict[str, int]) -> float:
        given: dict[str, Any] = forest_settings(drawn) | settings
        return float(kind(oob_score=True, **given).fit(features, target).oob_score_)

    grid = itertools.product(_SPLIT_ROWS, _LEAVES)
    return max(({"min_samples_split": rows, "max_leaf_nodes": leaves} for rows, leaves in grid), key=score)


def errors(case: EvaluationCase) -> Iterator[tuple[float, int]]:
    """Yield the test error and the number of regions of each column."""
    yield case.evaluate(FOREST, case.forest_predictions).error, 0
    omega = omega_of(case.labelled)
    ways: list[tuple[tuple[FitSettings, ...], int]] = [((FitSettings(start),), N_RESTARTS) for start in STARTS]
    ways += [(_IN_TURN, N_RESTARTS), (_IN_TURN, 3 * N_RESTARTS)]
    ways += [(tuple(FitSettings(start, omega / part) for start in STARTS), N_RESTARTS) for part in (10, 100)]
    for settings, n_restarts in ways:
        rng = np.random.default_rng([case.realisation.seed, 3])
        fits = fit_restarts("fab", case.labelled, MOST_RULES, n_restarts, rng, settings=settings)
        model = fits.best.model
        yield case.evaluate_regions(Who("map"), model).error, model.n_regions


def lines(n_draws: int) -> Iterator[str]:
    """Yield the table, line by line."""
    yield "| data | forest | L | " + " | ".join(_COLUMNS) + " |"
    yield "|---|---|---:|" + "---:|" * len(_COLUMNS)
    for dataset in DATASETS:
        for name, settings_of in (("defaults", lambda _: {}), ("tuned", tuned)):
            found, n_statements = [], []
            for seed in range(FIRST_SEED, FIRST_SEED + n_draws):
                drawn = realisation(dataset, seed)
                case = EvaluationCase.of(drawn, **settings_of(drawn))
                found.append(list(errors(case)))
                n_statements.append(case.train.statements.n_statements)
                print(dataset, name, seed, found[-1], file=sys.stderr, flush=True)
            means = np.mean(found, axis=0)
            cells = [f"{error:.3f}" + (f" ({regions:.1f})" if regions else "") for error, regions in means]
            yield f"| {dataset} | {name} | {np.mean(n_statements):.0f} | " + " | ".join(cells) + " |"


def main() -> None:
    """Print the table; in brackets the mean number of regions."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=5)
    warnings.simplefilter("ignore")
    n_draws = parser.parse_args().draws
    print(f"# MAP errors by start, cost and forest\n\n{__doc__}\nMeans over {n_draws} draws; in brackets: regions.\n")
    for line in lines(n_draws):
        print(line, flush=True)


if __name__ == "__main__":
    main()
