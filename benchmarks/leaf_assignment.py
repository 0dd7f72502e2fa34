"""Leaves of 100,000 rows in 300 trees: ours through onnxruntime, and scikit-learn's own ``apply``.

Covertype, 20,000 real rows repeated five times with their order drawn again each time, in two forests of scikit-learn:
unrestricted trees, and trees of at most 255 leaves. The model is registered as a user's would be (exported by skl2onnx,
then read and checked).

- leaves alone: the part of our graph that answers with leaves, on both cores; beside ``apply`` with ``n_jobs=2``.
- leaves and predictions: what a job needs of a model, once for each dataset; beside ``apply`` and ``predict_proba``
  with ``n_jobs=2``. The predictions come from the model's own operator, on one thread a piece of the rows, so that its
  sums are those of a row alone. It takes its trees row by row, and so waits for memory where they fill more than a
  cache.

Ours fill the leaf table's codes, 8 or 16 bits wide; ``apply`` gives node numbers of 64 bits. Each way runs five times,
in turns; medians are compared, and the leaves must be the same.

``python -m benchmarks.leaf_assignment``
"""

import time
from collections.abc import Callable
from statistics import median
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pandas as pd
from numpy.typing import NDArray
from skl2onnx import to_onnx
from sklearn.ensemble import RandomForestClassifier

from tests.support.shared import shared_path
from tree_explainers.compute.threads import in_order
from tree_explainers.ensemble import TreeEnsemble
from tree_explainers.leaf_space.leaves import smallest_dtype
from tree_explainers.onnx_models.description import DeclaredModel, ModelLimits
from tree_explainers.onnx_models.leaf_graph import LEAF_OUTPUT
from tree_explainers.onnx_models.reading import ReadModel, read_model
from tree_explainers.onnx_models.session import ModelSession
from tree_explainers.rows import Rows

from .machine import describe_machine

N_ROWS, N_TREES, N_RUNS, TO_STAY_WITHIN = 100_000, 300, 5, 1.5
CHUNK_ROWS = 3_000

Features = NDArray[np.float32]


def main() -> None:
    """Measure both forests and print."""
    print(describe_machine())
    features, target = _covertype()
    rng = np.random.default_rng(0)
    many = np.concatenate([features[rng.permutation(len(features))] for _ in range(N_ROWS // len(features))])
    for most in (None, 255):
        forest = RandomForestClassifier(N_TREES, max_leaf_nodes=most, random_state=0, n_jobs=2).fit(features, target)
        _compare(forest, many)


def _covertype() -> tuple[Features, NDArray[np.int64]]:
    frame = pd.read_parquet(shared_path("data/covertype_20k.parquet"))
    return frame.iloc[:, :-1].to_numpy(np.float32), frame.iloc[:, -1].to_numpy(np.int64)


def _compare(forest: RandomForestClassifier, features: Features) -> None:
    n_leaves = np.array([tree.get_n_leaves() for tree in forest.estimators_])
    print(f"\n{len(features):,} rows x {N_TREES} trees of {n_leaves.min()} to {n_leaves.max()} leaves")
    read = _registered(forest, features.shape[1])
    session, leaves_alone = ModelSession(read.leaf_graph, read.description), _leaves_alone(read.leaf_graph)
    rows = Rows(read.description.feature_names, tuple(features.T.astype(np.float64)))
    codes, same_codes = np.zeros((2, N_TREES, len(features)), smallest_dtype(int(n_leaves.max())))
    ways: dict[str, Callable[[], Any]] = {
        "leaves alone": lambda: leaves_alone(features, codes),
        "apply": lambda: forest.apply(features),
        "leaves and predictions": lambda: session.fill(same_codes, [rows]),
        "apply and predict_proba": lambda: (forest.apply(features), forest.predict_proba(features)),
    }
    runs = [(way, _seconds(work)) for _ in range(N_RUNS) for way, work in ways.items()]
    seconds = {way: median(took for made_by, took in runs if made_by == way) for way in ways}
    assert (codes == same_codes).all()
    assert (_nodes(read.ensemble, codes) == forest.apply(features)).all()
    for way, took in seconds.items():
        print(f"  {way}: {took:.2f} s (median of {N_RUNS})")
    ratio = seconds["leaves alone"] / seconds["apply"]
    print(f"  leaves alone take {ratio:.2f} x as long as apply (to stay within: {TO_STAY_WITHIN})")
    ratio = seconds["leaves and predictions"] / seconds["apply and predict_proba"]
    print(f"  with predictions, {ratio:.2f} x as long as apply and predict_proba")


def _registered(forest: RandomForestClassifier, n_features: int) -> ReadModel:
    """Return the model as the service reads it."""
    graph = to_onnx(forest, np.zeros((1, n_features), np.float32), options={"zipmap": False}).SerializeToString()
    declared = DeclaredModel(feature_names=tuple(f"f{i}" for i in range(n_features)))
    return read_model(graph, declared, ModelLimits())


def _leaves_alone(leaf_graph: bytes) -> Callable[[Features, NDArray[Any]], None]:
    """Return what fills in codes by those operators alone that answer with leaves."""
    model = onnx.load_model_from_string(leaf_graph)
    nodes = [node for node in model.graph.node if node.output[0].startswith(LEAF_OUTPUT)]
    outputs = [output for output in model.graph.output if output.name == LEAF_OUTPUT]
    del model.graph.node[:], model.graph.output[:]
    model.graph.node.extend(nodes)
    model.graph.output.extend(outputs)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    (read,) = session.get_inputs()

    def fill(features: Features, codes: NDArray[Any]) -> None:
        parts = [slice(start, start + CHUNK_ROWS) for start in range(0, len(features), CHUNK_ROWS)]
        for part, (leaves,) in in_order(lambda part: session.run(None, {read.name: features[part]}), parts):
            codes[:, part] = leaves.T

    return fill


def _nodes(ensemble: TreeEnsemble, codes: NDArray[Any]) -> NDArray[np.int64]:
    """Return scikit-learn's numbers of leaves: (n_rows, n_trees)."""
    return (ensemble.leaf_nodes[codes.T + ensemble.leaf_offsets[:-1]] - ensemble.offsets[:-1]).astype(np.int64)


def _seconds(work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
