"""After ``compile_loops``, neither requests nor jobs compile anything."""

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.support.bank import bank
from tests.support.models import fitted
from tests.support.raw_tables import relational_rows
from tests.support.real_leaves import real_leaves
from tree_explainers import warm
from tree_explainers.compute.compiled import times_compiled
from tree_explainers.label_audits import audit_by_all_rows, audit_by_neighbors
from tree_explainers.leaf_space.coarser_leaves import coarser_leaves
from tree_explainers.leaf_space.leaves import LeafTable
from tree_explainers.prototype_sets.certificate import certify
from tree_explainers.prototype_sets.leaf_boxes import leaf_boxes
from tree_explainers.prototype_sets.prototype_quality import measure_quality
from tree_explainers.prototype_sets.prototype_votes import Classes
from tree_explainers.prototype_sets.readable import feature_numbers
from tree_explainers.prototype_sets.selection import select_prototypes
from tree_explainers.relational.query_trie import evaluate
from tree_explainers.relational.tilde import grow_tilde
from tree_explainers.relational.tilde_trees import TildeSettings

_HEAVY = {"sklearn", "scipy.special", "scipy.stats", "onnx", "onnxruntime", "pandas", "numba"}


def _choose_prototypes() -> None:
    real = real_leaves("pima_diabetes", "boosting")
    classes = real.classes("predicted")
    chosen = select_prototypes(real.table, classes, real.weights, "sm_wa", n_prototypes=3, refine="swap")
    certify(real.table, classes, real.weights, chosen.rows, method="sm_wa", greedy_rows=chosen.rows_before_swaps)
    of_both = Classes(int(classes.max()) + 1, classes, chosen.classes)
    measure_quality(real.table, real.weights, real.table.leaves_of(chosen.rows), of_both)


def _audit_labels() -> None:
    real = real_leaves("covertype_20k", "random_forest")
    classes = real.classes("predicted")
    audit_by_neighbors(real.table, real.weights, classes, 5)
    audit_by_all_rows(real.table, real.weights, classes)


def _describe_leaves() -> None:
    model = fitted("random_forest_binary")
    leaves = np.zeros((2, model.read.ensemble.n_trees), np.int32)
    table = LeafTable.from_leaves(leaves, model.read.ensemble.n_leaves)
    coarser_leaves(model.read.ensemble, table, 2)
    leaf_boxes(model.read.ensemble, leaves, feature_numbers(model.read.description.columns))


def _grow_first_order_trees() -> None:
    for cutoffs in (False, True):
        rows = relational_rows(bank(60, cutoffs=cutoffs))
        tree = grow_tilde(rows, np.ones(60), TildeSettings(test_share=0.5, pruning="none"))
        evaluate([test.feature for test in tree.tests()], rows)
        grow_tilde(replace(rows, labels=None, values=np.arange(60.0)), np.ones(60), TildeSettings(max_depth=2))


@pytest.fixture(scope="module")
def n_compiled() -> int:
    """Return how many loops this process had compiled when it had compiled all."""
    warm.compile_loops(for_jobs=True)
    return times_compiled()


@pytest.mark.parametrize("work", [_choose_prototypes, _audit_labels, _describe_leaves, _grow_first_order_trees])
def test_jobs_find_their_loops_compiled(work: Callable[[], None], n_compiled: int) -> None:
    work()

    assert times_compiled() == n_compiled


def test_other_processes_compile_into_the_cache_and_leave_what_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    parts = iter(["leaf_space.proximity", "no module", "prototype_sets.leaf_paths"])

    are_done = warm._compile_elsewhere(parts)

    assert not are_done
    assert list(parts) == ["prototype_sets.leaf_paths"]
    assert warm._compile_elsewhere(iter(["leaf_space.proximity"]))
    assert "proximity" in {path.name.partition(".")[0] for path in tmp_path.rglob("*.nbc")}


def test_importing_the_methods_that_answer_requests_compiles_nothing_and_imports_nothing_heavy() -> None:
    program = (
        "import sys\n"
        "from tree_explainers.warm import compile_loops\n"
        "from tree_explainers.compute import compiled\n"
        "import tree_explainers.prototype_sets.readable\n"
        "import tree_explainers.prototype_sets.selection\n"
        "import tree_explainers.prototype_sets.certificate\n"
        "import tree_explainers.label_audits\n"
        "assert not any(loop.is_handed_over for loop in compiled._ALL)\n"
        f"assert not {_HEAVY!r} & sys.modules.keys(), sys.modules.keys()\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=300)
