"""How much of a model's score goes through its trees, and through each of its ensembles of trees.

It is measured at rows about the thresholds: what tree operators return for one row is exchanged for what they return
for another, and the change of the scores is compared with that of exchanging all else.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import ModelProto, TensorProto, helper

from ..errors import ModelRefused
from .description import Ensemble, ModelWarning
from .encoding import Feeds
from .leaf_dependence import ADVICE
from .leaf_graph import build_prediction_graph, serialized
from .session import open_graph

MOST_ENSEMBLES = 64  # of which shares are measured: each takes a run of what is behind the trees
_LEAST_SHARE = 0.75  # of what decides, that trees have in a model that is explained by them
_NONE = 1e-6
_NOTICED = 0.2  # of the score, by which weights and numbers of trees differ in all
_SHOWN = 5
_TYPES: dict[str, int] = {
    "tensor(float)": TensorProto.FLOAT, "tensor(double)": TensorProto.DOUBLE, "tensor(int64)": TensorProto.INT64,
    "tensor(string)": TensorProto.STRING,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class EnsembleGraph:
    """A graph with several ensembles, or with an input that reaches the outputs past the trees."""

    graph: bytes
    tensors: tuple[tuple[str, ...], ...]  # of each tree operator, its outputs
    n_trees: tuple[int, ...]  # of each tree operator
    outputs: tuple[str, ...]  # the label, if there is one, and the scores
    past_trees: str | None  # the operator by which an input reaches the outputs

    @classmethod
    def of(
        cls, model: ModelProto, trees: Sequence[tuple[Sequence[str], int]], outputs: Sequence[str], past: str | None
    ) -> "EnsembleGraph | None":
        """Return the graph where there are shares to be measured."""
        if past is None and not 1 < len(trees) <= MOST_ENSEMBLES:
            return None
        tensors = tuple(tuple(filter(None, names)) for names, _ in trees)
        return cls(serialized(model), tensors, tuple(n for _, n in trees), tuple(outputs), past)


def check_shares(graph: EnsembleGraph, feeds: Feeds, kind: Ensemble | None) -> tuple[ModelWarning, ...]:
    """Return warnings of what decides beside the trees, and of ensembles that do not count by their numbers of trees.

    Parameters
    ----------
    graph
        The model.
    feeds
        Rows that it takes.
    kind
        The kind of ensemble, by which proximities count trees.

    Raises
    ------
    ModelRefused
        ``model_not_a_tree_ensemble`` where less than three quarters of what decides goes through trees.
    """
    behind = _BehindTrees.of(graph, feeds)
    of_trees = () if graph.past_trees is None else _of_trees(behind, graph.past_trees)
    return of_trees + _of_ensembles(behind, graph.n_trees, kind)


@dataclass(frozen=True, slots=True)
class _BehindTrees:
    """What is calculated of the outputs of tree operators."""

    session: Any
    outputs: tuple[str, ...]
    rows: Feeds  # what it reads of the graph's inputs
    values: tuple[Feeds, ...]  # of each tree operator, what is read of its outputs
    scores: NDArray[np.float64]  # (n_rows, n_scores)
    labels: NDArray[Any] | None

    @classmethod
    def of(cls, graph: EnsembleGraph, feeds: Feeds) -> "_BehindTrees":
        names = [name for some in graph.tensors for name in some]
        heads = open_graph(build_prediction_graph(ModelProto.FromString(graph.graph), names))
        values = dict(zip(names, heads.run(names, feeds), strict=True))
        types = {output.name: _TYPES[output.type] for output in heads.get_outputs()}
        session = open_graph(_without_trees(graph, types))
        read = {each.name for each in session.get_inputs()}
        rows = {name: each for name, each in feeds.items() if name in read}
        of_each = tuple({name: values[name] for name in some if name in read} for some in graph.tensors)
        tail = cls(session, graph.outputs, rows, of_each, np.empty(0), None)
        return cls(session, graph.outputs, rows, of_each, *tail.predict(rows, of_each))

    def predict(self, rows: Feeds, values: Sequence[Feeds]) -> tuple[NDArray[np.float64], NDArray[Any] | None]:
        """Return scores and labels."""
        merged = {name: each for some in (rows, *values) for name, each in some.items()}
        *label, scores = self.session.run(list(self.outputs), merged)
        return scores.reshape(len(scores), -1).astype(np.float64), label[0].reshape(-1) if label else None

    def change(self, rows: Feeds, values: Sequence[Feeds]) -> NDArray[np.float64]:
        """Return how much scores change where rows or values are exchanged, and the share of labels that do, (2,)."""
        scores, labels = self.predict(rows, values)
        changed = 0.0 if labels is None or self.labels is None else float((labels != self.labels).mean())
        return np.array([float(np.abs(scores - self.scores).mean()), changed])


def _without_trees(graph: EnsembleGraph, types: dict[str, int]) -> bytes:
    model = ModelProto.FromString(graph.graph)
    made_by_trees = {name for some in graph.tensors for name in some}
    nodes = [node for node in model.graph.node if made_by_trees.isdisjoint(node.output)]
    read = {name for node in nodes for name in node.input} | set(graph.outputs)
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    model.graph.input.extend(
        helper.make_tensor_value_info(name, types[name], None) for name in sorted(made_by_trees & read)
    )
    cut = ModelProto.FromString(build_prediction_graph(model, graph.outputs))
    needed = {name for node in cut.graph.node for name in node.input} | set(graph.outputs)
    inputs = [value for value in cut.graph.input if value.name in needed]
    del cut.graph.input[:]
    cut.graph.input.extend(inputs)
    return serialized(cut)


def _exchanged(feeds: Feeds) -> Feeds:
    """Return the values of each row for the next but some."""
    return {name: np.roll(each, len(each) // 3 + 1, axis=0) for name, each in feeds.items()}


def refuse_unmeasured(graph: EnsembleGraph) -> None:
    """Refuse a model that decides past its trees where no rows showed by how much."""
    if graph.past_trees is not None:
        detail = f"An input reaches the predictions past the trees, by {graph.past_trees}, so that {ADVICE}"
        raise ModelRefused("model_not_a_tree_ensemble", detail)


def _of_trees(behind: _BehindTrees, past: str) -> tuple[ModelWarning, ...]:
    by_trees = behind.change(behind.rows, [_exchanged(each) for each in behind.values])
    by_others = behind.change(_exchanged(behind.rows), behind.values)
    if (by_others <= _NONE * np.maximum(by_trees, _NONE)).all():
        return ()
    share = float(np.min(by_trees[by_others > 0] / (by_trees + by_others)[by_others > 0]))
    what = f"an input reaches the predictions past the trees, by {past}: {share:.0%} of what decides goes through trees"
    if share < _LEAST_SHARE:
        raise ModelRefused("model_not_a_tree_ensemble", f"{what[0].upper()}{what[1:]}, so that {ADVICE}")
    detail = (
        f"Trees do not decide alone: {what} (measured at {len(behind.scores):,} rows about their thresholds). "
        "Prototypes, proximities and reasons are about the trees only."
    )
    return (ModelWarning("trees_decide_in_part", detail),)


def _of_ensembles(behind: _BehindTrees, n_trees: Sequence[int], kind: Ensemble | None) -> tuple[ModelWarning, ...]:
    if not 1 < len(n_trees) <= MOST_ENSEMBLES:
        return ()
    gains = np.array([_gain(behind, index) for index in range(len(n_trees))])
    if not gains.sum() > 0:
        return ()
    weights, shares = gains / gains.sum(), np.array(n_trees) / sum(n_trees)
    if np.abs(weights - shares).sum() / 2 <= _NOTICED:
        return ()
    listed = "; ".join(
        f"ensemble {index + 1} of {n:,} {'tree' if n == 1 else 'trees'}: {weight:.1%} of the score, {share:.1%} of the "
        "trees"
        for index, (n, weight, share) in enumerate(zip(n_trees[:_SHOWN], weights, shares, strict=False))
    )
    counted = "by how much their own leaves vary" if kind == "boosting" else "alike"
    detail = (
        f"The model weighs its {len(n_trees):,} ensembles otherwise than by their numbers of trees: {listed}"
        f"{'; …' if len(n_trees) > _SHOWN else ''}. Proximities count all trees {counted}, whichever ensemble they are "
        "in; register the ensembles as models of their own to explain by one of them."
    )
    return (ModelWarning("weighted_ensembles", detail),)


def _gain(behind: _BehindTrees, index: int) -> float:
    """Return how much scores change per change of what an ensemble returns, in parts of its range; 0 without a range.

    Sums of trees have larger ranges than their means, and are divided later.
    """
    values = [_exchanged(each) if at == index else each for at, each in enumerate(behind.values)]
    scores, _ = behind.predict(behind.rows, values)
    changes = [_share_changed(each, values[index][name]) for name, each in behind.values[index].items()]
    largest = max(changes, default=0.0)
    return float(np.abs(scores - behind.scores).mean()) / largest if largest > 0 else 0.0


def _share_changed(before: NDArray[Any], after: NDArray[Any]) -> float:
    """Return the mean change of numbers, in parts of their range, or the share of labels that change."""
    if before.dtype.kind != "f":
        return float((after != before).mean())
    numbers = before.reshape(len(before), -1).astype(np.float64)
    change, width = np.abs(after.reshape(numbers.shape) - numbers).mean(axis=0), np.ptp(numbers, axis=0)
    return float((change[width > 0] / width[width > 0]).mean()) if (width > 0).any() else 0.0
