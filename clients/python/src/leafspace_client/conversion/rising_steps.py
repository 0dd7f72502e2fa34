"""Power and quantile transformers, and bins, taken off: trees test raw numbers in place of what is made of them.

Each rises, so ``f(x) <= t`` holds for all numbers up to some ``c``. It is found by bisection of the numbers that a
float can be, with scikit-learn's own ``transform`` and the rounding in front of the trees: raw rows go to the very
leaves that the estimator sends them to. The graph then holds neither transformer, and thresholds are in raw units.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper
from sklearn import config_context
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import Binarizer, KBinsDiscretizer, PowerTransformer, QuantileTransformer

from .preprocessing import SCALERS
from .tree_operators import MODES, nearest_float32

_RISING = (PowerTransformer, QuantileTransformer, Binarizer, KBinsDiscretizer)
_STRICT = (MODES[b"BRANCH_LT"], MODES[b"BRANCH_GTE"])
_PASSTHROUGH = "passthrough"


@dataclass(frozen=True, slots=True)
class TakenOff:
    """Steps that each change every column by itself, and rise."""

    steps: tuple[Any, ...]  # one that rises, and scalers behind it
    first: int = 0  # index of their first column among those that the trees read

    @property
    def columns(self) -> Any:  # an array
        """The indices of their columns among those that the trees read, (n_columns,)."""
        return self.first + np.arange(self.steps[0].n_features_in_)

    def values(self, numbers: Any) -> Any:  # arrays
        """Return what the steps make of raw numbers, (n, n_columns), in the precision of the numbers."""
        with config_context(assume_finite=True), np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of names of columns, which an array has not
            for step in self.steps:
                numbers = np.asarray(step.transform(numbers))
        return numbers

    def lowest(self, numbers: type) -> float:
        """Return the lowest number that the steps take: Box and Cox take positive ones only."""
        is_box_cox = getattr(self.steps[0], "method", None) == "box-cox"
        return float(np.nextafter(numbers(0), numbers(1)) if is_box_cox else np.finfo(numbers).min)


def take_off(pipeline: Any) -> list[TakenOff]:  # an estimator
    """Take transformers that are the last before the trees, scalers behind them included, off a pipeline in place.

    They are steps of the pipeline, or end the branches of a ColumnTransformer in front of the trees. A transformer that
    another step reads stays where it is.
    """
    if not isinstance(pipeline, Pipeline) or len(pipeline.steps) == 1 or isinstance(pipeline.steps[-1][1], Pipeline):
        return []
    before, taken = _shorter(Pipeline(pipeline.steps[:-1]))
    if taken:
        pipeline.steps[:-1] = [] if before == _PASSTHROUGH else before.steps
    return taken


def _rises(step: Any) -> bool:  # a step
    return isinstance(step, _RISING) and getattr(step, "encode", "ordinal") == "ordinal"


def _without_last(step: Any) -> tuple[Any, list[TakenOff]]:  # steps
    """Return a step without the transformers that end it, and these."""
    if _rises(step):
        return _PASSTHROUGH, [TakenOff((step,))]
    if isinstance(step, Pipeline):
        return _shorter(step)
    if isinstance(step, ColumnTransformer):
        return step, _off_branches(step)
    return step, []


def _shorter(pipeline: Pipeline) -> tuple[Any, list[TakenOff]]:
    """Return a pipeline, or nothing but a passage, without the transformers that end it, and these."""
    steps = [pair for pair in pipeline.steps if pair[1] not in (None, _PASSTHROUGH)]
    scalers: list[Any] = []
    while steps and isinstance(steps[-1][1], SCALERS):
        scalers.insert(0, steps.pop()[1])
    if not steps or (scalers and not _rises(steps[-1][1])):
        return pipeline, []
    last, taken = _without_last(steps[-1][1])
    kept = steps[:-1] if isinstance(last, str) else [*steps[:-1], (steps[-1][0], last)]
    taken = [replace(each, steps=(*each.steps, *scalers)) for each in taken]
    return (Pipeline(kept) if kept else _PASSTHROUGH) if taken else pipeline, taken


def _off_branches(transformer: ColumnTransformer) -> list[TakenOff]:
    branches, taken_off = [], []
    for name, step, columns in transformer.transformers_:
        output = transformer.output_indices_.get(name, slice(0))
        kept, taken = _without_last(step) if output.stop > (output.start or 0) else (step, [])  # it has columns
        taken_off += [replace(each, first=each.first + output.start) for each in taken]
        branches.append((name, kept, columns))
    transformer.transformers_ = branches
    return taken_off


def move_tests_to_raw_numbers(model: ModelProto, taken: Sequence[TakenOff], n_columns: int, numbers: type) -> None:
    """Change a graph whose pipeline lacks transformers in place: its trees decide as they would behind them.

    Parameters
    ----------
    model
        Whose trees read ``n_columns``; their thresholds are of what the transformers make.
    taken
        From ``take_off``.
    n_columns
        Number of columns that the trees read.
    numbers
        The precision of the raw rows, in which scikit-learn transforms them: float32 or float64.
    """
    raw = np.concatenate([each.columns for each in taken])
    for index, node in reversed(list(enumerate(model.graph.node))):
        if not node.op_type.startswith("TreeEnsemble"):
            continue
        # The tensor of doubles that trees read rounded to single precision; ``None`` where nothing rounds.
        casts = {node.output[0]: node for node in model.graph.node if node.op_type == "Cast"}
        outer = casts.get(node.input[0])
        inner = None if outer is None else casts.get(outer.input[0])
        tensor = inner.input[0] if inner is not None and inner.attribute[0].i == TensorProto.FLOAT else None
        for each in taken:
            _move_thresholds(node, each, numbers, rounds=tensor is not None)
        for made in reversed([] if tensor is None else _round_others(node, tensor, raw, n_columns)):
            model.graph.node.insert(index, made)


def _move_thresholds(node: NodeProto, taken: TakenOff, numbers: type, *, rounds: bool) -> None:
    attributes = {each.name: each for each in node.attribute}
    features, modes = np.array(attributes["nodes_featureids"].ints), attributes["nodes_modes"]
    codes = np.array([MODES.get(mode, -1) for mode in modes.strings] or numpy_helper.to_array(modes.t))
    kept = attributes["nodes_splits" if "nodes_splits" in attributes else "nodes_values_as_tensor"].t
    thresholds = numpy_helper.to_array(kept).copy()
    is_test, is_strict = codes != -1, np.isin(codes, _STRICT)
    for strict in (False, True):
        tested = [np.flatnonzero(is_test & (is_strict == strict) & (features == column)) for column in taken.columns]
        distinct, places = zip(*(np.unique(thresholds[nodes], return_inverse=True) for nodes in tested), strict=True)
        raw = _raw_thresholds(taken, distinct, numbers, strict=strict, rounds=rounds)
        for nodes, place, ends in zip(tested, places, raw.T, strict=True):
            thresholds[nodes] = ends[place]
    kept.CopyFrom(numpy_helper.from_array(thresholds, kept.name))


def _raw_thresholds(
    taken: TakenOff, distinct: Sequence[Any], numbers: type, *, strict: bool, rounds: bool
) -> Any:  # an array
    """Return for each column's thresholds the largest numbers that pass ``<=``, or the smallest that do not pass ``<``.

    The result has a column for each of theirs, and as many rows as the longest has thresholds.
    """
    n_distinct = max(map(len, distinct))
    table = np.column_stack([np.append(each, np.zeros(n_distinct - len(each))) for each in distinct])
    low = np.full(table.shape, _order_of(taken.lowest(numbers), numbers) - 1)
    high = np.full(table.shape, _order_of(float(np.finfo(numbers).max), numbers) + 1)
    while (is_open := low + 1 < high).any():
        middle = low // 2 + high // 2 + (low & high & 1)  # their sum may be too large
        values = taken.values(_number_at(np.where(is_open, middle, 1), numbers))  # 1: a number that all steps take
        values = nearest_float32(values) if rounds else values
        passes = values < table if strict else values <= table
        low, high = np.where(is_open & passes, middle, low), np.where(is_open & ~passes, middle, high)
    ends = _number_at(high if strict else low, numbers).astype(np.float64)
    return np.where(ends == np.finfo(numbers).max, np.inf, ends)  # a test that holds for all numbers


def _order_of(number: float, numbers: type) -> int:
    """Return the index of a number among all of its precision, in their order; that of 0 is 0."""
    bits = int(np.array(abs(number), numbers).view(f"i{np.dtype(numbers).itemsize}"))
    return bits if number >= 0 else -bits


def _number_at(order: Any, numbers: type) -> Any:  # arrays
    magnitudes = np.abs(order).astype(f"i{np.dtype(numbers).itemsize}").view(numbers)
    return np.where(order < 0, -magnitudes, magnitudes)


def _round_others(node: NodeProto, tensor: str, raw: Any, n_columns: int) -> list[NodeProto]:  # an array
    """Have trees read raw columns as they are, and the others rounded as before; return what is put before them."""
    others = np.setdiff1d(np.arange(n_columns), raw)
    if not len(others):
        node.input[0] = tensor
        return []
    index = np.empty(n_columns, np.int64)
    index[np.concatenate([raw, others])] = np.arange(n_columns)
    features = next(each for each in node.attribute if each.name == "nodes_featureids")
    features.ints[:] = index[np.array(features.ints)].tolist()
    rounded, chosen = node.input[0], f"{tensor}_unrounded"
    made = []
    for columns, source, name in ((raw, tensor, chosen), (others, rounded, f"{chosen}_others")):
        constant = helper.make_node("Constant", [], [f"{name}_index"], value=numpy_helper.from_array(columns))
        made += [constant, helper.make_node("Gather", [source, f"{name}_index"], [name], axis=1)]
    node.input[0] = f"{chosen}_and_rounded"
    return [*made, helper.make_node("Concat", [chosen, f"{chosen}_others"], [node.input[0]], axis=1)]
