"""Figure 5 of Hara & Hayashi (2018): the leaves of trees as rules, on the draws that the rule sets were made on."""

import sys
from collections.abc import Iterator
from typing import Any

from numpy.typing import NDArray

from benchmarks.defrag_tables.datasets import DATASETS, Realisation, realisation
from benchmarks.defrag_tables.forests import Forest, forest
from benchmarks.defrag_tables.records import error_of
from benchmarks.defrag_tables.runs import FIRST_SEED
from tree_explainers.approximation_trees.oracle import SessionOracle
from tree_explainers.onnx_models.session import ModelSession

from .making import BORN_AGAIN, CART_ON_PSEUDO_ROWS, STA, Made, make
from .oracles import OracleCase
from .records import Ruled, Who

_MOST_DEPTH = 10  # among which the paper chooses by five-fold cross-validation, too
_N_PSEUDO, _N_PSEUDO_STA = 50_000, 10_000
_TREES = (
    ("born again", Who(BORN_AGAIN, _N_PSEUDO), _MOST_DEPTH),
    ("CART on pseudo rows, depth 2", Who(CART_ON_PSEUDO_ROWS, _N_PSEUDO), 2),
    ("STA, depth 2", Who(STA, _N_PSEUDO_STA), 2),
    ("STA, depth 4", Who(STA, _N_PSEUDO_STA), 4),
)


def ruled(n_draws: int) -> Iterator[Ruled]:
    """Yield each tree on each draw of each dataset."""
    for dataset in DATASETS:
        for seed in range(FIRST_SEED, FIRST_SEED + n_draws):
            drawn = realisation(dataset, seed)
            fitted = forest(drawn)
            case, of_forest = _case_of(drawn, fitted), fitted.predict(drawn.test)
            for name, who, max_depth in _TREES:
                yield _evaluated(drawn, of_forest, name, make(who, case, max_depth, seed))
            print(f"{dataset} draw {seed}", file=sys.stderr, flush=True)


def _case_of(drawn: Realisation, fitted: Forest) -> OracleCase:
    session = ModelSession(fitted.read.leaf_graph, fitted.read.description)
    return OracleCase(SessionOracle(session), drawn.rows(drawn.train), drawn.train.target)


def _evaluated(drawn: Realisation, of_forest: NDArray[Any], name: str, made: Made) -> Ruled:
    rows, target = drawn.rows(drawn.test), drawn.test.target
    predicted = made.tree.scores_of(rows)[:, 0] if drawn.is_regression else made.tree.labels_of(rows)
    errors = error_of(predicted, target), error_of(predicted, of_forest.astype(target.dtype))
    return Ruled(drawn.dataset, drawn.seed, name, made.tree.n_leaves, *errors, seconds=made.seconds)
