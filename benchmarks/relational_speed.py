"""Learning from and asking several tables: against a slow twin, DuckDB and featuretools, and by the number of rows.

All in one run, on one core, each against what it is compared with in turns; ratios, not seconds, are to be compared
with the targets. Mutagenesis (230 compounds with atoms and bonds) and copies of it, carcinogenesis (330), and a made-up
bank. DuckDB runs, one by one, the SQL that we print; featuretools makes its own aggregates of the same tables (deep
feature synthesis, depth 2), in an environment of its own (``make featuretools``), and is compared by the feature.
``python -m benchmarks.relational_speed``
"""

import ctypes
import gc
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.relational_tables.folds import divisions
from benchmarks.relational_tables.over_columns import Ensemble, TestColumns, grow_ism
from service.sql_queries.statements import write_features
from tests.support import relational_data
from tests.support.bank import bank
from tests.support.naive_relational import plain_rows
from tests.support.naive_tilde import NaiveTilde
from tests.support.raw_tables import RawTables, relational_rows
from tests.support.sql_engines import in_duckdb
from tree_explainers.relational.generated_features import generated_features
from tree_explainers.relational.language import Language, TableLanguage
from tree_explainers.relational.queries import Feature
from tree_explainers.relational.query_trie import evaluate
from tree_explainers.relational.tables import RelationalRows
from tree_explainers.relational.tilde import grow_tilde
from tree_explainers.relational.tilde_trees import TildeSettings, TildeTree

from .machine import describe_machine
from .peak_memory import PeakMemory

N_FEATURES = 400
FEATURETOOLS = Path(sys.prefix) / "featuretools" / "bin" / "python"
_MOLECULES = Language(
    tables={
        "atom": TableLanguage(bare=False, introduced_with=("element", "type")),
        "bond": TableLanguage(bare=False, introduced_with=("type",)),
    }
)


def main() -> None:
    """Measure all, and print."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    print(describe_machine(), "(one core)\n")
    print("| ratio | measured | target |\n|---|---|---|")
    raw = relational_data.mutagenesis()
    measurements: tuple[Callable[[], tuple[str, str, str]], ...] = (
        partial(_slow_twin, raw),
        partial(_duckdb, raw),
        partial(_featuretools, raw),
        partial(_growth, raw),
        _ism,
        _memory,
    )
    for measured in measurements:
        name, words, target = measured()
        print(f"| {name} | {words} | {target} |", flush=True)


def _seconds(work: Callable[[], Any], rounds: int = 3) -> float:
    """Return the least of a few times: what else runs on the machine only adds to it."""
    seconds = []
    for _ in range(rounds):
        started = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - started)
    return min(seconds)


def _grow(rows: RelationalRows, tree: TildeSettings, key: int = 0) -> TildeTree:
    return grow_tilde(rows, np.ones(rows.n_examples), tree, (0, key), n_threads=1)


def _slow_twin(raw: RawTables) -> tuple[str, str, str]:
    rows = relational_rows(raw)
    tree = TildeSettings("gain", 4, aggregates=False, language=_MOLECULES)
    assert rows.labels is not None
    naive = NaiveTilde(plain_rows(rows), rows.labels.tolist(), [1.0] * rows.n_examples, 2, tree)
    fast = _grow(rows, tree)
    started = time.perf_counter()
    assert naive.grow().class_weights == tuple(fast.nodes[0].class_weights)
    slow = time.perf_counter() - started
    quick = _seconds(lambda: _grow(rows, tree))
    return (
        "slow twin / one TILDE tree, mutagenesis",
        f"{slow:.2f} s / {quick * 1000:.1f} ms = {slow / quick:.0f}",
        "≥ 20",
    )


def _duckdb(raw: RawTables) -> tuple[str, str, str]:
    forest = _forest_features(relational_rows(raw))
    features = [*forest, *generated_features(raw.schema, 2)][:N_FEATURES]
    hundred = copies(raw, 100)
    rows = relational_rows(hundred)
    evaluate(features[:1], rows, n_threads=1)
    quick = _seconds(lambda: evaluate(features, rows, n_threads=1))
    statements = [write_features(raw.schema, {"value": feature}) for feature in features]
    with in_duckdb(hundred) as run:
        run(statements[0])
        slow = _seconds(lambda: [run(statement) for statement in statements], rounds=1)
    per_query = tuple(1000 * seconds / len(features) for seconds in (slow, quick))
    words = f"{per_query[0]:.1f} / {per_query[1]:.2f} ms a query = {slow / quick:.1f}"
    return f"DuckDB one by one / trie, {len(features)} features, {rows.n_examples:,} examples", words, "≥ 4"


def _forest_features(rows: RelationalRows) -> list[Feature]:
    """Return the features of a FORF forest, in the order of first use."""
    tree = TildeSettings("gain", 2, pruning="none", test_share=0.25)
    found: dict[Feature, None] = {}
    for key in range(33):
        drawn = np.random.default_rng(key).integers(rows.n_examples, size=rows.n_examples)
        weights = np.bincount(drawn, minlength=rows.n_examples).astype(float)
        grown = grow_tilde(rows, weights, tree, (0, key), n_threads=1)
        found |= dict.fromkeys(test.feature for test in grown.tests())
    return list(found)


def _featuretools(raw: RawTables) -> tuple[str, str, str]:
    ten = copies(raw, 10)
    rows = relational_rows(ten)
    features = _forest_features(relational_rows(raw))
    ours = _seconds(lambda: evaluate(features, rows, n_threads=1)) / len(features)
    name = f"featuretools / trie, per feature, {rows.n_examples:,} examples"
    if not FEATURETOOLS.exists():
        return name, "not measured: call `make featuretools`", "≥ 50"
    with tempfile.TemporaryDirectory() as folder:
        for table in ten.schema.tables:
            pd.DataFrame(dict(ten.columns[table])).to_csv(Path(folder) / f"{table}.csv", index=False)
        program = Path(__file__).with_name("featuretools_run.py")
        printed = subprocess.run([FEATURETOOLS, program, folder], check=True, capture_output=True, text=True).stdout
    theirs = json.loads(printed.splitlines()[-1])
    per_feature = theirs["seconds"] / theirs["n_features"]
    words = (
        f"{theirs['n_features']} aggregates: {theirs['seconds']:.1f} s; {len(features)} queries: "
        f"{ours * len(features):.3f} s = {per_feature / ours:.0f}"
    )
    return name, words, "≥ 50"


def _growth(raw: RawTables) -> tuple[str, str, str]:
    seconds, sizes = [], []
    for n_copies in (10, 100):
        rows = relational_rows(copies(raw, n_copies))
        # Limits in proportion, so that the same tests are tried: their shares are the same in every copy.
        tree = TildeSettings("gain", 2 * n_copies, pruning="none", test_share=0.25, language=_MOLECULES)
        seconds.append(_seconds(partial(_grow, rows, tree), rounds=2))
        sizes.append(_grow(rows, tree).n_tests)
    words = f"{seconds[1]:.2f} / {seconds[0]:.2f} s = {seconds[1] / seconds[0]:.1f} ({sizes[1]} and {sizes[0]} tests)"
    return "100 copies / 10 copies, one FORF tree", words, "≤ 15"


def _ism() -> tuple[str, str, str]:
    rows = relational_rows(relational_data.canc())
    assert rows.labels is not None
    train = divisions(rows, 0)[0][0]
    tree = TildeSettings("gain", 2, aggregates=False, test_share=0.25)
    started = time.perf_counter()
    trees = [_grow(rows, tree, key) for key in range(33)]
    forest = time.perf_counter() - started
    columns = TestColumns.of(trees, rows)
    ensemble = Ensemble.of(trees, columns)
    labels = rows.labels
    ism = _seconds(lambda: grow_ism(ensemble, columns, train, labels))
    words = f"{ism:.2f} / {forest:.2f} s = {ism / forest:.3f} ({len(columns.places)} tests)"
    return "ISM / its forest, 33 trees, carcinogenesis", words, "≤ 0.1"


def _memory() -> tuple[str, str, str]:
    """Measure in a process of its own, in which nothing else was freed or kept."""
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        return pool.submit(_memory_of_a_tree).result()


def _memory_of_a_tree() -> tuple[str, str, str]:
    rows = relational_rows(bank(50_000, seed=5))
    tree = TildeSettings("gain", 20, max_depth=2)
    _grow(relational_rows(bank(50)), tree)  # loads what is compiled
    gc.collect()
    ctypes.CDLL("libc.so.6").malloc_trim(0)  # what is free already must not hide what is taken
    peak = PeakMemory()
    started = time.perf_counter()
    _grow(rows, tree)
    seconds, grown = time.perf_counter() - started, peak.megabytes()
    held, columns = (size / 2**20 for size in (sum(array.nbytes for array in _arrays(rows)), _columns_size(rows)))
    words = (
        f"({held:.0f} held + {grown:.0f}) / {columns:.0f} MB = {(held + grown) / columns:.1f}; "
        f"of what is held: {(held + grown) / held:.1f}; {seconds:.0f} s"
    )
    n_rows = sum(table.n_rows for table in rows.tables.values())
    return f"memory while a TILDE tree grows / columns, {n_rows:,} rows", words, "≤ 3"


def _columns_size(rows: RelationalRows) -> int:
    """Return the bytes of all columns of the tables: 4 a value, 8 of a key or a time."""
    sizes = {"key": 8, "time": 8}
    return sum(
        rows.tables[name].n_rows * sum(sizes.get(column.kind, 4) for column in table.columns.values())
        for name, table in rows.schema.tables.items()
    )


def _arrays(rows: RelationalRows) -> Sequence[np.ndarray[Any, Any]]:
    of_tables = [column for table in rows.tables.values() for column in table.columns.values()]
    times = [table.times for table in rows.tables.values() if table.times is not None]
    keys = [part for key in rows.relationships.values() for part in (key.parents, key.starts, key.child_rows)]
    return [*of_tables, *times, *keys]


def copies(raw: RawTables, n: int) -> RawTables:
    """Return the tables with this number of copies of each row, each under keys of its own."""

    def copied(table: str, column: str, values: Sequence[Any]) -> list[Any]:
        if raw.schema.tables[table].columns[column].kind != "key":
            return [*values] * n
        return [f"{value}~{copy}" for copy in range(n) for value in values]

    columns = {table: {name: copied(table, name, of[name]) for name in of} for table, of in raw.columns.items()}
    return replace(raw, columns=columns)


if __name__ == "__main__":
    main()
