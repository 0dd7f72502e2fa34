"""Compile loops before they are needed: compiling one takes about a second, loading it from the cache milliseconds.

What is compiled goes into numba's cache (``NUMBA_CACHE_DIR``), from which other processes load it. Loops of requests
declare their types. Those of jobs are compiled for the types that they are called with, so that each method is run
once on a small forest, with few and with many leaves per tree, and with weights of both sizes.
"""

import gc
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from importlib import import_module
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .compute.compiled import compile_ahead, load_compiler
from .compute.threads import n_cores
from .ensemble import Operator, TreeEnsemble, TreeTensor
from .leaf_space.leaf_masks import BLOCK
from .leaf_space.leaves import LeafTable, tree_weights
from .onnx_models.description import InputSpec, ModelColumn, ModelDescription
from .rows import Rows

_ANSWER_REQUESTS = (  # what takes longest to compile is first
    "leaf_space.reference_loops",
    "relational.query_loops",
    "effects.path_patterns",
    "effects.paired_walk",
    "effects.ranked_trees",
    "effects.walked_rows",
    "compute.byte_texts",
    "changes.open_walks",
    "changes.pair_walks",
    "leaf_space.proximity",
    "prototype_sets.leaf_paths",
    "prototype_sets.raw_units",
    "prototype_sets.near_reasons",
    "prototype_sets.separating_splits",
)
_THEIRS = "requests"  # in a cache that holds all of their loops
_N_TREES, _N_ROWS = 24, 300
_N_EXAMPLES = 40  # of several tables
_LEAVES_OF_A_TREE = 4
_MANY_ROWS, _SOME_LEAVES, _MANY_LEAVES = 20_000, 200, 10_000  # codes of one byte and of two
_MOST_PROCESSES = 4  # more would wait for the longest part
_OBJECTS_BETWEEN_COLLECTIONS = 100_000  # Python's own 700 take a twelfth of compiling, which leaves few cycles
_BYTES_PER_PROCESS = 3 << 29  # the largest needs half of it, and others run beside it


def compile_loops_at_once(memory_bytes: int, *, for_jobs: bool) -> None:
    """Compile all loops that the cache lacks in processes on all cores; this one loads them when it needs them.

    What several of them need at the same time is compiled by each, and what one leaves undone is compiled here. They
    end with this process.

    Parameters
    ----------
    memory_bytes
        How much there is for all of them: little is left to this process alone.
    for_jobs
        As for ``compile_loops``.
    """
    longest, *others = _ANSWER_REQUESTS
    parts = iter([longest, *(_METHODS if for_jobs else ()), *others])
    n_processes = min(n_cores(), _MOST_PROCESSES, memory_bytes // _BYTES_PER_PROCESS)
    are_done = False
    if n_processes > 1 and _cache() is not None:
        with ThreadPoolExecutor(n_processes) as threads:
            are_done = all(list(threads.map(_compile_elsewhere, [parts] * n_processes)))
    if are_done:
        _note_that_all_are_kept()
    else:
        compile_loops(for_jobs=for_jobs)


def _compile_elsewhere(parts: Iterator[str]) -> bool:
    """Have a process compile one part after the other; return whether it did until none was left."""
    command = [sys.executable, "-P", "-m", __name__]  # not what lies in the working directory
    pipe, nowhere = subprocess.PIPE, subprocess.DEVNULL
    with (
        suppress(OSError),
        subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=nowhere, text=True) as process,  # this module
    ):
        assert process.stdin is not None and process.stdout is not None  # noqa: PT018  # for the type checker
        for part in parts:
            print(part, file=process.stdin, flush=True)
            if not process.stdout.readline():
                return False
        return True
    return False


@contextmanager
def _rare_collections() -> Iterator[None]:
    """Have Python look for cycles less often."""
    thresholds = gc.get_threshold()
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS, *thresholds[1:])
    try:
        yield
    finally:
        gc.set_threshold(*thresholds)


@_rare_collections()
def _compile_parts() -> None:
    """Compile the parts that standard input names, line by line; it ends with the process that writes them."""
    for line in map(str.strip, sys.stdin):
        if line in _METHODS:
            _METHODS[line]()
        else:
            import_module(f".{line}", __package__)
            compile_ahead()
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()


@_rare_collections()
def compile_loops(*, for_jobs: bool) -> None:
    """Compile all loops that answer requests, or load them from the cache: afterwards no request compiles anything.

    Parameters
    ----------
    for_jobs
        Whether to compile the loops of jobs, too. It takes minutes of processor time where nothing is cached
        yet, and some seconds otherwise; scikit-learn and scipy are imported. What is not compiled: codes of trees
        with more than 65,536 leaves, and variances of models of very many classes.
    """
    load_compiler()
    for name in _ANSWER_REQUESTS:
        import_module(f".{name}", __package__)
    if for_jobs:
        for run in _METHODS.values():
            run()
    compile_ahead()
    _note_that_all_are_kept()


def _note_that_all_are_kept() -> None:
    if (cache := _cache()) is not None:
        with suppress(OSError):  # nobody can write there: nothing was kept
            (cache / _THEIRS).touch()


def are_compiled() -> bool:
    """Whether the cache holds all loops that answer requests, as far as one knows without loading numba."""
    cache = _cache()
    return cache is not None and (cache / _THEIRS).exists()


def _cache() -> Path | None:
    folder = os.environ.get("NUMBA_CACHE_DIR")
    return Path(folder) if folder else None


def _run_walker() -> None:
    from .walker.loops import logistic_of_sums, softmax_of_sums
    from .walker.walking import Walker

    forest, n_rows = _forest(), 16
    for is_double in (False, True):
        tensors = [TreeTensor("X", 0, is_double=is_double)]
        values = np.zeros((n_rows, int(forest.column.max()) + 1), np.float64 if is_double else np.float32)
        walker = Walker.of(forest, tensors, sums_in_double=is_double)
        words = walker.words.words
        for dtype in (np.uint32, np.uint64):
            wide = replace(walker, words=replace(walker.words, words=words.astype(dtype)))
            wide.sums({"X": values}, n_rows)
    for change in (logistic_of_sums, softmax_of_sums):
        change(np.zeros((n_rows, 2), np.float32))


def _run_prototype_sets() -> None:
    from .bags import Bags
    from .leaf_space.nearest_between_groups import NearestBetweenGroups
    from .leaf_space.proximity import columns as columns_of
    from .prototype_sets.candidate_pairs import PairStore, gather_pairs, nearest_in_pairs
    from .prototype_sets.certificate import certify
    from .prototype_sets.prototype_quality import measure_quality
    from .prototype_sets.prototype_votes import Classes
    from .prototype_sets.selection import select_prototypes
    from .prototype_sets.swapping import refine_by_swaps
    from .prototype_sets.sweep import Sweep
    from .prototype_sets.widening_columns import WideningColumns

    for table, weights in _tables():
        classes = np.arange(table.n_rows) % 2
        few = np.arange(0, table.n_rows, max(1, table.n_rows // 64))
        n_leaves = np.diff(table.offsets)
        uncut = (np.arange(table.offsets[-1]) - np.repeat(table.offsets[:-1], n_leaves)).astype(table.codes.dtype)
        Bags((0,) * table.n_trees, table.n_rows, len(few), "").in_bag(table.codes, n_leaves)
        columns = WideningColumns(table, few).widen(uncut, n_leaves, np.minimum(weights, 1))
        select_prototypes(table, classes, weights, "sm_a", n_prototypes=2, candidates=few, columns=columns)
        select_prototypes(table, classes, weights, "sg", n_prototypes=2, candidates=few)
        selection = select_prototypes(table, classes, weights, "sm_a", n_prototypes=4, refine="swap", candidates=few)
        certify(
            table, classes, weights, selection.rows,
            method="sm_a", greedy_rows=selection.rows_before_swaps, candidates=few,
        )  # fmt: skip
        some_pairs = gather_pairs(table, classes, weights, selection.rows, candidates=few, max_pairs=100)
        refine_by_swaps(
            table, classes, weights, few[:4], method="sm_a", candidates=few, pairs=some_pairs, try_other_starts=False
        )
        rows = np.arange(_N_ROWS)
        list(Sweep(table, weights, rows).close_pairs(few, np.zeros(_N_ROWS, np.int64), 1_000_000))
        _run_block_sums(table, weights, few)
        leaves = table.leaves_of(selection.rows)
        measure_quality(table, weights, leaves, Classes(2, classes, selection.classes))
    for limits in (None, (1, 1)):  # pairs of 8 and of 4 bytes
        PairStore(1, 1, limits).drop(np.zeros(1, np.int64))
    for table, weights in islice(_tables(), 2):  # the same
        within = nearest_in_pairs(gather_pairs(table, np.arange(table.n_rows) % 2, weights, np.arange(2)))
        crowded = LeafTable.from_leaves(np.zeros((_N_ROWS, 1), np.int32), np.array([_MANY_LEAVES]))
        columns_of(crowded, np.array([weights.max()]), crowded.leaves_of(np.arange(2)))
    for table, weights in _tables():
        groups = np.arange(table.n_rows) % 2
        unknown = within._replace(groups=groups, rows=np.full_like(groups, -1), proximities=np.zeros_like(groups))
        NearestBetweenGroups(table, weights, unknown).find(lambda _: None)
    _run_leaf_boxes()


def _run_block_sums(table: LeafTable, weights: NDArray[np.int64], rows: NDArray[np.int64]) -> None:
    from .leaf_space.nearest_by_blocks import NearestToBlocks
    from .leaf_space.proximity_block_sums import BlockSums

    sums_of, limits = BlockSums(table, weights), np.zeros((1, len(rows)), np.int64)
    for _, sums in sums_of.of(rows, sums_of.block(table.codes, rows)):
        sums.tally(limits, np.zeros((2, 1, BLOCK), np.int64))
    NearestToBlocks(table, weights).find(table.leaves_of(rows), rows, lambda _: None)


def _run_leaf_boxes() -> None:
    from .leaf_space.coarser_leaves import coarser_leaves
    from .prototype_sets.leaf_boxes import leaf_boxes
    from .prototype_sets.readable import feature_numbers

    ensemble, description, rows = _forest(), _description("classification"), _rows()
    leaves = _leaves(rows)
    coarser_leaves(ensemble, LeafTable.from_leaves(leaves, ensemble.n_leaves), 2)
    leaf_boxes(ensemble, leaves[:3], feature_numbers(description.columns))


def _run_nearest_rows() -> None:
    from .label_audits import audit_by_all_rows, audit_by_neighbors
    from .prototype_sets.classifier import nearest_training_rows

    for table, weights in _tables():
        audit_by_neighbors(table, weights, np.arange(table.n_rows) % 2, 3)
        audit_by_all_rows(table, weights, np.arange(table.n_rows) % 2)
        nearest_training_rows(table, weights, table.leaves_of(np.arange(3)))


def _run_rule_sets() -> None:
    from .prediction_scores import Targets
    from .questions.binned_rows import BinnedRows
    from .questions.statements import statements_of
    from .rule_sets.in_trees import InTreesSettings, in_trees_rules
    from .rule_sets.node_harvest import NodeHarvestSettings, harvest
    from .rule_sets.row_parts import RowParts
    from .rule_sets.rule_search import RuleSettings, find_rules
    from .rule_sets.tree_paths import TreePaths

    rows, description = _rows(), _description("classification")
    labels, values = _labels(rows), _scores(rows)[:, 1]
    statements = statements_of(_forest(), description)
    binned, paths = BinnedRows.of(statements, rows), TreePaths.of(_forest(), description, statements, 2)
    for targets in (Targets.of_classes(labels, 2), Targets.of_values(values)):
        for settings in (RuleSettings("rule_list", n_restarts=2), RuleSettings("em", "shortened", n_restarts=2)):
            find_rules(RowParts.here(binned, targets), settings, np.random.default_rng(0))
        in_trees_rules(paths, binned, targets, InTreesSettings(), np.random.default_rng(0))
        harvest(paths, binned, targets, NodeHarvestSettings())


def _run_approximation_trees() -> None:
    from .approximation_trees.controls import ControlSettings, grow_born_again, grow_cart
    from .approximation_trees.ism import IsmSettings, IsmTraining, grow_ism
    from .approximation_trees.partitioned_tests import PartitionedTests
    from .approximation_trees.sta import StaSettings, grow_sta
    from .approximation_trees.tree_growth import TreeLimits
    from .compute.partitions import LocalPartitions
    from .questions.binned_rows import BinnedRows
    from .questions.statements import statements_of

    rows, description = _rows(), _description("classification")
    binned = BinnedRows.of(statements_of(_forest(), description), rows)
    training = IsmTraining(rows, binned, _scores(rows), _labels(rows))
    for prune_safely in (True, False):
        settings = IsmSettings(TreeLimits(8, 1), prune_safely=prune_safely)
        grow_ism(training, _forest(), description, settings)
    tests_of = partial(PartitionedTests.of, spread=LocalPartitions, most_rows=64)
    grow_ism(training, _forest(), description, tests_of=tests_of)
    for oracle in (_Oracle(is_classifier=True), _Oracle(is_classifier=False)):
        grow_sta(rows, oracle, StaSettings(max_pseudo_samples=5_000), np.random.default_rng(0))
        for grow in (grow_cart, grow_born_again):
            grow(rows, oracle, ControlSettings(n_pseudo_samples=1_000), np.random.default_rng(0))


def _run_relational_trees() -> None:
    from .relational.language import Language
    from .relational.query_trie import evaluate
    from .relational.schema import ColumnSchema, RelationshipSchema, Schema, TableSchema
    from .relational.tables import RelationalRows, Relationship, Table
    from .relational.tilde import grow_tilde
    from .relational.tilde_trees import TildeSettings

    rng = np.random.default_rng(3)
    columns = {"number": ColumnSchema("number"), "kind": ColumnSchema("category", ("x", "y"))}
    keys = {
        name: RelationshipSchema("row", (name,), parent, ("id",))
        for name, parent in (("of", "example"), ("like", "row"))
    }
    schema = Schema({"example": TableSchema({}), "row": TableSchema(columns, time="at")}, keys, "example")
    times = rng.random(_N_ROWS)
    values = {"number": rng.normal(size=_N_ROWS).astype(np.float32), "kind": rng.integers(-1, 2, _N_ROWS, np.int32)}
    tables = {"example": Table(_N_EXAMPLES, {}), "row": Table(_N_ROWS, values, times)}
    relationships = {
        "of": Relationship.of(rng.integers(0, _N_EXAMPLES, _N_ROWS, np.int32), _N_EXAMPLES, times),
        "like": Relationship.of(rng.integers(-1, _N_ROWS, _N_ROWS, np.int32), _N_ROWS, times),
    }
    labels = rng.integers(0, 2, _N_EXAMPLES)
    rows = RelationalRows(schema, tables, relationships, rng.random(_N_EXAMPLES), labels, ("a", "b"))
    tree = grow_tilde(rows, np.ones(_N_EXAMPLES), TildeSettings(pruning="none", language=Language(max_variables=2)))
    evaluate([test.feature for test in tree.tests()], rows)


_METHODS: dict[str, Callable[[], None]] = {
    "prototypes": _run_prototype_sets,
    "nearest rows": _run_nearest_rows,
    "rules": _run_rule_sets,
    "approximation trees": _run_approximation_trees,
    "first-order trees": _run_relational_trees,
    "walker": _run_walker,
}


class _Oracle:
    """The small forest, as trees are grown from it."""

    n_at_once = None

    def __init__(self, *, is_classifier: bool) -> None:
        self.is_classifier = is_classifier

    def predict(self, rows: Rows) -> NDArray[np.float64]:
        """Return the shares of both classes, or the second of them as a value."""
        return _scores(rows) if self.is_classifier else _scores(rows)[:, 1:]


def _tables() -> Iterator[tuple[LeafTable, NDArray[np.int64]]]:
    """Yield the forest's leaves and random ones of larger trees, each with small and with large weights."""
    rng = np.random.default_rng(0)
    small = LeafTable.from_leaves(_leaves(_rows()), np.full(_N_TREES, _LEAVES_OF_A_TREE))
    large = [
        LeafTable.from_leaves(rng.integers(0, n, (_MANY_ROWS, 3), dtype=np.int32), np.full(3, n))
        for n in (_SOME_LEAVES, _MANY_LEAVES)
    ]
    for table in (small, *large):
        yield table, tree_weights("random_forest", table)
        yield table, tree_weights("boosting", table, rng.random((len(table.starts) - 1, 1)))


def _rows() -> Rows:
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=(2, _N_ROWS)).round(2)
    numbers[0, 0] = np.nan
    return Rows(("a", "b", "c"), (*numbers, rng.choice(np.array(["x", "y", None], dtype=object), _N_ROWS)))


def _splits() -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return columns and thresholds of the root, its left and its right child in each tree, (n_trees, 3) each."""
    rng = np.random.default_rng(1)
    columns = rng.integers(0, 3, (_N_TREES, 3))
    thresholds = rng.normal(size=(_N_TREES, 3)).astype(np.float32).astype(np.float64)
    return columns, np.where(columns == 2, 0.5, thresholds)  # the indicator


def _leaves(rows: Rows) -> NDArray[np.int32]:
    """Return the leaf of each row in each tree, (n_rows, n_trees); a missing value goes right."""
    columns, thresholds = _splits()
    compared = np.column_stack([rows.columns[0], rows.columns[1], rows.columns[2] == "x"]).astype(np.float64)
    values = compared[:, columns]  # (n_rows, n_trees, 3)
    goes_right = ~(values <= thresholds)
    below = np.where(goes_right[:, :, 0], goes_right[:, :, 2], goes_right[:, :, 1])
    return (2 * goes_right[:, :, 0] + below).astype(np.int32, order="C")  # as the leaves that are found are


def _leaf_values() -> NDArray[np.float64]:
    shares = np.random.default_rng(2).choice([0.0, 0.25, 0.75, 1.0], _N_TREES * _LEAVES_OF_A_TREE)
    return np.column_stack([1 - shares, shares])


def _scores(rows: Rows) -> NDArray[np.float64]:
    leaves = _leaves(rows) + _LEAVES_OF_A_TREE * np.arange(_N_TREES)
    scores: NDArray[np.float64] = _leaf_values()[leaves].mean(axis=1)
    return scores


def _labels(rows: Rows) -> NDArray[np.int64]:
    labels: NDArray[np.int64] = _scores(rows).argmax(axis=1)
    return labels


def _forest() -> TreeEnsemble:
    """Return trees of two levels: of seven nodes, 0, 1 and 4 split, and 2, 3, 5 and 6 are leaves."""
    columns, thresholds = _splits()
    split, leaf = np.array([0, 1, 4]), np.array([2, 3, 5, 6])
    column, threshold = np.zeros((_N_TREES, 7), np.int32), np.zeros((_N_TREES, 7))
    column[:, split], threshold[:, split] = columns, thresholds
    operator = np.zeros((_N_TREES, 7), np.uint8)
    operator[:, split] = Operator.LEQ
    first = 7 * np.arange(_N_TREES)[:, None]
    return TreeEnsemble(
        offsets=np.arange(0, 7 * _N_TREES + 1, 7, dtype=np.int32),
        column=column.ravel(),
        operator=operator.ravel(),
        threshold=threshold.ravel(),
        missing_left=np.zeros(7 * _N_TREES, np.bool_),
        left=(first + np.array([1, 2, 2, 3, 5, 5, 6])).astype(np.int32).ravel(),
        right=(first + np.array([4, 3, 2, 3, 6, 5, 6])).astype(np.int32).ravel(),
        leaf_nodes=(first + leaf).astype(np.int32).ravel(),
        leaf_offsets=np.arange(0, 4 * _N_TREES + 1, 4, dtype=np.int32),
        leaf_values=_leaf_values(),
    )


def _description(task: str) -> ModelDescription:
    return ModelDescription(
        task="classification" if task == "classification" else "regression",
        classes=("0", "1"),
        label_values=(0, 1),
        inputs=(InputSpec("numbers", "float", 2), InputSpec("texts", "string", 1)),
        feature_names=("a", "b", "c"),
        missing_tokens=(None, None, ""),
        n_trees=_N_TREES,
        n_nodes=7 * _N_TREES,
        n_leaves=_LEAVES_OF_A_TREE * _N_TREES,
        max_depth=2,
        operators=("TreeEnsembleClassifier",),
        ensemble="random_forest",
        ensemble_inferred=False,
        label_output="label",
        score_output="scores",
        score_kind="probability",
        leaf_output="leaves",
        columns=(
            ModelColumn("a", "identity", "a", 0),
            ModelColumn("b", "identity", "b", 1),
            ModelColumn("c", "indicator", "c", 2, category="x"),
        ),
    )


if __name__ == "__main__":
    _compile_parts()
