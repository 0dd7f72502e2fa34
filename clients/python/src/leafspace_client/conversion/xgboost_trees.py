"""XGBoost: its trees as its own file has them, and the links of its objectives.

A split of categories, one-hot or a partition, sends the members of a set right. All other categories go left, also
those that were not there when the model was fitted; of DataFrames XGBoost itself refuses these. Missing ones go where
the node says. XGBoost rounds what it reads, adds and predicts to single precision.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from math import isinf, isnan, log
from typing import Any

import numpy as np

from ..errors import CannotConvert
from ..row_kinds import is_frame
from .estimators import ModelInputs
from .native_trees import (
    LT,
    MEMBER,
    Category,
    Coding,
    NativeTrees,
    Operation,
    TreeNode,
    arrays_of_nodes,
    as_missing,
    checked_coding,
    own_codes,
)
from .tree_operators import nearest_float32

_Document = Mapping[str, Any]
_LOGISTIC = ("binary:logistic", "reg:logistic")
_SOFTMAX = ("multi:softprob", "multi:softmax")
_EXPONENTIAL = ("count:poisson", "reg:gamma", "reg:tweedie", "survival:cox", "survival:aft")
_PLAIN = (
    "binary:logitraw",
    "reg:absoluteerror",
    "reg:expectileerror",
    "reg:pseudohubererror",
    "reg:quantileerror",
    "reg:squarederror",
    "reg:squaredlogerror",
)


def native_trees(estimator: Any, inputs: ModelInputs) -> NativeTrees:  # an estimator
    """Return a fitted XGBoost model's trees, as many as it predicts with.

    Raises
    ------
    CannotConvert
        For what has no counterpart, by name.
    """
    document = json.loads(estimator.get_booster().save_raw("json"))["learner"]
    objective, gradient = document["objective"]["name"], document["gradient_booster"]
    _refuse(estimator, document)
    n_outputs = max(1, int(document["learner_model_param"]["num_class"]))
    weights = gradient.get("weight_drop")  # of DART's trees
    model = gradient["model"] if weights is None else gradient["gbtree"]["model"]
    trees = arrays_of_nodes(_trees(estimator, model, weights), n_outputs)
    names = inputs.names or [f"x{column}" for column in range(inputs.n_features)]
    parameters = document["learner_model_param"]
    return NativeTrees(
        trees=trees,
        labels=getattr(estimator, "classes_", None),
        is_single=True,
        link=_link(estimator, objective),
        base=_margins(_numbers(parameters["base_score"]), objective) if model["trees"] else _margin_alone(estimator),
        codings={**own_codes(trees), **_codings(model.get("cats", {}), names, inputs)},
        missing=_missing(estimator.missing),
    )


def _refuse(estimator: Any, document: _Document) -> None:  # an estimator
    name, objective = type(estimator).__name__, document["objective"]["name"]
    reason = None
    if document["gradient_booster"]["name"] == "gblinear":
        reason = "it has no trees: its booster is gblinear"
    elif int(document["learner_model_param"].get("num_target", 1)) > 1:
        several = "quantiles" if objective == "reg:quantileerror" else "targets"
        reason = f"it predicts several {several} at once; fit one model for each"
    elif getattr(estimator, "multi_strategy", None) == "multi_output_tree":
        reason = "its leaves hold vectors; fit it with multi_strategy='one_output_per_tree'"
    elif objective.startswith("rank:"):
        reason = f"with the objective {objective} it ranks the rows of a query, and predicts no values of their own"
    elif getattr(estimator, "n_classes_", None) == 1:
        reason = "it was fitted on rows of one class, and distinguishes nothing"
    elif getattr(estimator, "n_classes_", 0) == 2 and objective == "multi:softprob":  # two classes
        reason = (
            "with the objective multi:softprob and two classes its own predict() returns two labels a row; fit it with "
            "the objective binary:logistic"
        )
    if reason is not None:
        raise CannotConvert("cannot_convert", f"this {name} cannot be registered: {reason}")


def _trees(estimator: Any, model: _Document, weights: Sequence[float] | None) -> list[list[TreeNode]]:
    best = getattr(estimator, "best_iteration", None)  # of early stopping
    starts = model["iteration_indptr"]
    n_trees = starts[-1] if best is None else starts[min(best + 1, len(starts) - 1)]
    some = zip(model["trees"][:n_trees], model["tree_info"], weights or [1.0] * n_trees, strict=False)
    return [_tree(*each) for each in some]


def _tree(tree: _Document, output: int, weight: float) -> list[TreeNode]:
    sets = dict(zip(tree["categories_nodes"], _segments(tree), strict=True))
    numbers = np.array(tree["split_conditions"], np.float32)
    leaves = (np.float32(weight) * numbers).tolist()
    thresholds = numbers.tolist()
    nodes = []
    for at, (left, right) in enumerate(zip(tree["left_children"], tree["right_children"], strict=True)):
        feature, missing_left = tree["split_indices"][at], bool(tree["default_left"][at])
        if left < 0:
            nodes.append(TreeNode(values={output: leaves[at]}))
        elif at in sets:
            nodes.append(TreeNode(right, left, feature, MEMBER, members=sets[at], missing_left=not missing_left))
        else:
            nodes.append(TreeNode(left, right, feature, LT, thresholds[at], missing_left=missing_left))
    return nodes


def _segments(tree: _Document) -> Iterator[tuple[int, ...]]:
    for start, size in zip(tree["categories_segments"], tree["categories_sizes"], strict=True):
        yield tuple(tree["categories"][start : start + size])


def _margin_alone(estimator: Any) -> Any:  # an estimator, an array
    """Return what a model without trees adds up to: versions differ in whether the link is undone before."""
    rows = np.zeros((1, estimator.n_features_in_), np.float32)
    return np.ravel(estimator.predict(rows, output_margin=True))


def _numbers(written: str) -> list[float]:
    """Return the base score of each output, or one of all: a number or a list of numbers, as it is written."""
    return [float(nearest_float32(float(score))) for score in written.strip("[]").split(",")]


def _margins(scores: Sequence[float], objective: str) -> list[float]:
    """Return what is added to the sums for base scores, which are written as they are after the link."""
    if objective in _LOGISTIC:
        return [log(score / (1 - score)) for score in scores]
    return [log(score) for score in scores] if objective in _EXPONENTIAL else list(scores)


def _link(estimator: Any, objective: str) -> Operation | None:  # an estimator
    if objective in _LOGISTIC:
        # Rounded: a share that is one half in single precision is not above one half, and XGBoost predicts class 0.
        return lambda nodes, raw: nodes.as_rounded(nodes.add("Sigmoid", [raw]))
    if objective in _SOFTMAX:
        return lambda nodes, raw: nodes.add("Softmax", [raw], axis=1)
    if objective in _EXPONENTIAL:
        return lambda nodes, raw: nodes.add("Exp", [raw])
    if objective == "binary:hinge":
        return lambda nodes, raw: nodes.as_double(nodes.add("Greater", [raw, nodes.constant(0.0)]))
    if objective in _PLAIN:
        return None
    detail = (
        f"this {type(estimator).__name__} has the objective {objective}, whose link is not known here; fit it with one "
        f"of {', '.join(sorted((*_LOGISTIC, *_SOFTMAX, *_EXPONENTIAL, 'binary:hinge', *_PLAIN)))}"
    )
    raise CannotConvert("cannot_convert", detail)


def _missing(number: float | None) -> Operation | None:
    """Return what makes NaN of the number that a model takes for missing, in single precision as it compares."""
    if number is None or isnan(number):
        return None
    if isinf(number):
        signs: dict[str, Any] = {"detect_negative": int(number < 0), "detect_positive": int(number > 0)}
        return lambda nodes, tensor: as_missing(nodes, tensor, nodes.add("IsInf", [tensor], **signs))
    same = float(nearest_float32(number))

    return lambda nodes, tensor: as_missing(nodes, tensor, nodes.add("Equal", [tensor, nodes.constant(same)]))


def _codings(kept: _Document, names: Sequence[str], inputs: ModelInputs) -> dict[int, Coding]:
    """Return the codings of the columns whose categories XGBoost keeps; in other columns it was given codes."""
    listed = [_categories(each, names[column], inputs, column) for column, each in enumerate(kept.get("enc", []))]
    return {
        column: checked_coding(Coding({category: float(code) for code, category in enumerate(own)}), names[column])
        for column, own in enumerate(listed)
        if own
    }


def _categories(kept: _Document, name: str, inputs: ModelInputs, column: int) -> list[Category]:
    """Return the categories of one column: texts one after the other in bytes, or numbers.

    XGBoost counts the letters of pandas' categories where it means their bytes. From the first letter of several bytes
    on, what it keeps is cut in the wrong places, and only rows say what the categories are.
    """
    if "offsets" not in kept:
        return [float(value) for value in kept["values"]]
    data, offsets = bytes(value % 256 for value in kept["values"]), list(kept["offsets"])
    texts = [data[start:end].decode(errors="replace") for start, end in pairwise(offsets)]
    if data.isascii():
        return list(texts)
    series: Any = inputs.features_of(inputs.rows).iloc[:, column] if is_frame(inputs.rows) else None
    categories = [str(each) for each in series.cat.categories] if hasattr(series, "cat") else []
    if _as_cut(categories) == (data, offsets):
        return list(categories)
    if categories and set(categories) <= set(texts):
        return list(texts)
    detail = (
        f"XGBoost keeps the categories of {name!r} cut in the wrong places, because they hold letters beyond ASCII: "
        "pass rows of the DataFrame that it was fitted on, X=…, with the same categories in the same order, or fit it "
        "on categories in ASCII"
    )
    raise CannotConvert("cannot_convert", detail)


def _as_cut(categories: Sequence[str]) -> tuple[bytes, list[int]]:
    """Return the bytes that XGBoost keeps of pandas' categories, and where it has each begin."""
    offsets = [0, *accumulate(map(len, categories))]
    return "".join(categories).encode()[: offsets[-1]], offsets
