"""Depths of born-again trees and of STA, on draws of the rule sets' experiments (Hara & Hayashi, figure 5).

A born-again tree is grown on 20,000 smeared rows; its depth is the smallest within one standard error of the best in
five-fold cross-validation, among depths up to a limit. Printed are the depth that is chosen and the error on test rows,
by the probability that a value is replaced by another row's, and by the limit. STA is grown to six splits on a path,
from 5,000 pseudo rows at a node, and cut back.

``python -m benchmarks.approximation_tables.depths``
"""

import numpy as np

from benchmarks.defrag_tables.datasets import Realisation, realisation
from benchmarks.defrag_tables.forests import forest
from benchmarks.defrag_tables.records import error_of
from benchmarks.defrag_tables.runs import FIRST_SEED
from benchmarks.machine import describe_machine
from tree_explainers.approximation_trees.controls import REPLACED, ControlSettings, grow_born_again
from tree_explainers.approximation_trees.oracle import SessionOracle
from tree_explainers.approximation_trees.size_choice import cut_to_depth
from tree_explainers.approximation_trees.tree_growth import TreeLimits
from tree_explainers.approximation_trees.trees import ApproximationTree
from tree_explainers.onnx_models.walked_session import WalkedSession

from .making import STA, make
from .oracles import OracleCase
from .records import Who

_DATASETS = ("synthetic1", "spambase", "energy")
_PROBABILITIES, _LIMITS = (0.1, REPLACED, 0.5, 1.0), (2, 4, 6, 8, 10)
_N_SMEARED, _N_PSEUDO_STA, _MOST_DEPTH_STA = 20_000, 5_000, 6


def main() -> None:
    """Measure and print."""
    print("# Depths of born-again trees and of STA\n")
    about = (__doc__ or "").split("``python")[0].partition("\n\n")[2].strip()
    print(f"{about}\n\n{describe_machine()}\n\n## Born again\n")
    print("| data | smearing probability | depth: limit | chosen | leaves | test error |\n|---|---|---|---|---|---|")
    cases = {dataset: _case(realisation(dataset, FIRST_SEED)) for dataset in _DATASETS}
    for dataset, (drawn, case) in cases.items():
        settings = [(each, _LIMITS[-1]) for each in _PROBABILITIES] + [(REPLACED, each) for each in _LIMITS[:-1]]
        for probability, limit in settings:
            tree = _born_again(case, probability, limit)
            print(f"| {dataset} | {probability:g} | {limit} | {_shown(drawn, tree)} |", flush=True)
    print("\n## STA, cut back\n\n| data | depth: cut | of the tree | leaves | test error |\n|---|---|---|---|---|")
    for dataset, (drawn, case) in cases.items():
        tree = make(Who(STA, _N_PSEUDO_STA), case, _MOST_DEPTH_STA, FIRST_SEED).tree
        for depth in range(1, tree.depth + 1):
            print(f"| {dataset} | {depth} | {_shown(drawn, cut_to_depth(tree, depth))} |", flush=True)


def _case(drawn: Realisation) -> tuple[Realisation, OracleCase]:
    read = forest(drawn).read
    session = WalkedSession(lambda: read.leaf_graph, read.description, read.ensemble, read.for_walker)
    return drawn, OracleCase(SessionOracle(session), drawn.rows(drawn.train), drawn.train.target)


def _born_again(case: OracleCase, probability: float, limit: int) -> ApproximationTree:
    settings = ControlSettings(TreeLimits(max_depth=limit), _N_SMEARED, smearing_probability=probability)
    return grow_born_again(case.rows, case.oracle, settings, np.random.default_rng([FIRST_SEED, 7]))


def _shown(drawn: Realisation, tree: ApproximationTree) -> str:
    rows = drawn.rows(drawn.test)
    predicted = tree.scores_of(rows)[:, 0] if drawn.is_regression else tree.labels_of(rows)
    return f"{tree.depth} | {tree.n_leaves} | {error_of(predicted, drawn.test.target):.3f}"


if __name__ == "__main__":
    main()
