"""CatBoost: its trees as it writes them, symmetric ones and others, and the links of its losses.

Tests of categories are equality with one. CatBoost knows categories by their hashes only; which texts these are of is
found in the rows that come along. Columns of more categories than ``one_hot_max_size`` become statistics of the target
(CTR), which no test of the raw row equals.
"""

import json
import tempfile
from collections.abc import Mapping, Sequence
from math import nan
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import CannotConvert
from ..row_kinds import is_frame
from .estimators import ModelInputs
from .native_trees import (
    EQ,
    GT,
    MISSING_TEXTS,
    Category,
    Coding,
    NativeTrees,
    Operation,
    TreeNode,
    arrays_of_nodes,
    checked_coding,
    raw_category,
)
from .tree_operators import nearest_float32
from .unwrapping import class_names

_Document = Mapping[str, Any]
_INFINITE_BORDER = (
    "CatBoost cannot write this model down: one of its trees splits between an infinity and all other numbers; put a "
    "large number in place of infinities, X.clip(-1e30, 1e30), fit again and register that model"
)
_KINDS = ("float_features", "categorical_features")
_MOST_ONE_HOT = 255  # categories that CatBoost splits one-hot
_HASH = 2**32
_EXPONENTIAL = ("Poisson", "Tweedie")
_HALF = 0.5


def native_trees(estimator: Any, inputs: ModelInputs) -> NativeTrees:  # an estimator
    """Return a fitted CatBoost model's trees.

    Raises
    ------
    CannotConvert
        For what has no counterpart, by name and with what to do; without rows of all categories that trees test.
    """
    document = _document(estimator, inputs)
    scale, biases = document["scale_and_bias"]
    loss = _loss(document["model_info"])
    is_classifier = hasattr(estimator, "predict_proba")
    _refuse(estimator, loss, len(biases))
    features = document["features_info"]
    columns = {kind: [each["flat_feature_index"] for each in features.get(kind, [])] for kind in _KINDS}
    hashes = {each["value"]: int(each["hash"]) for each in features.get("cat_features_hash", [])}
    known = {column: _known_hashes(inputs, column, hashes) for column in columns["categorical_features"]}
    _refuse_statistics(estimator, document, known, inputs)
    reader = _Reader(document, columns, {column: list(own.values()) for column, own in known.items()}, scale)
    return NativeTrees(
        trees=arrays_of_nodes(reader.trees(), len(biases)),
        labels=estimator.classes_ if is_classifier else None,
        is_single=True,
        link=_link(estimator, loss),
        base=np.array(biases),
        codings={column: _coding(own, inputs, column) for column, own in known.items()},
        cut_off=_cut_off(estimator) if is_classifier and len(biases) == 1 else None,
    )


def _loss(info: _Document) -> str:
    """Return the loss that a model was fitted with; of a sum of models it is written as text, if they have the same."""
    known = info["params"]["loss_function"] if "params" in info else json.loads(info.get("loss_function", "{}"))
    return str(known.get("type", ""))


def _refuse(estimator: Any, loss: str, n_outputs: int) -> None:  # an estimator
    is_classifier = hasattr(estimator, "predict_proba")
    reason = None
    if not {"CatBoostClassifier", "CatBoostRegressor"}.intersection(class_names(estimator)):
        reason = "it does not say what it predicts; save it and load it into a CatBoostClassifier or CatBoostRegressor"
    elif not estimator.tree_count_:
        reason = "it has no trees, and so its own predict() fails, too; fit it with more iterations"
    elif loss == "RMSEWithUncertainty":
        reason = "with this loss it predicts a mean and a variance for each row; fit it with loss_function='RMSE'"
    elif loss == "MultiQuantile":
        reason = "with this loss it predicts several quantiles for each row; fit one model with Quantile for each"
    elif loss in ("MultiLogloss", "MultiCrossEntropy") or (not is_classifier and n_outputs > 1):
        reason = "with this loss it predicts several targets at once; fit one model for each"
    if reason is not None:
        detail = f"this {type(estimator).__name__} (loss {loss}) cannot be registered: {reason}"
        raise CannotConvert("cannot_convert", detail)


def _cut_off(estimator: Any) -> float | None:  # an estimator
    """Return the probability above which the second of two classes is predicted; ``None`` for one half."""
    threshold = float(estimator.get_probability_threshold())
    return None if threshold == _HALF else threshold


def _document(estimator: Any, inputs: ModelInputs) -> _Document:  # an estimator
    """Return the model as CatBoost writes it, with the hashes of all categories of the rows."""
    from catboost import Pool  # an extra

    indices = estimator.get_cat_feature_indices()
    if indices and inputs.rows is None:
        detail = (
            f"{type(estimator).__name__} knows categories by their hashes only: pass rows that have all of them, X=…, "
            "such as those that it was fitted on"
        )
        raise CannotConvert("cannot_convert", detail)
    pool = Pool(inputs.rows, cat_features=indices) if indices else None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        try:
            estimator.save_model(str(path), format="json", pool=pool)
        except Exception as error:  # CatBoost's own, whose type tells nothing
            if "invalid float value" in str(error):
                raise CannotConvert("cannot_convert", _INFINITE_BORDER) from error
            raise
        document: _Document = json.loads(path.read_text())
    return document


def _known_hashes(inputs: ModelInputs, column: int, hashes: Mapping[str, int]) -> dict[Category, int]:
    """Return the hash of each category that a column of the rows has."""
    rows = inputs.rows
    values = rows.iloc[:, column].unique().tolist() if is_frame(rows) else np.unique(rows[:, column]).tolist()
    return {raw_category(value, _name(inputs, column)): hashes[str(value)] for value in values}


def _name(inputs: ModelInputs, column: int) -> str:
    return inputs.names[column] if inputs.names else f"x{column}"


def _coding(known: Mapping[Category, int], inputs: ModelInputs, column: int) -> Coding:
    """Return codes that are the categories' indices; a text such as "nan" among them means a missing one."""
    codes = {category: float(code) for code, category in enumerate(known)}
    missing = next((codes[text] for text in MISSING_TEXTS if text in codes), nan)
    return checked_coding(Coding(codes, missing=missing), _name(inputs, column))


def _refuse_statistics(
    estimator: Any,  # an estimator
    document: _Document,
    known: Mapping[int, Mapping[Category, int]],
    inputs: ModelInputs,
) -> None:
    if not document["features_info"].get("ctrs"):
        return
    most = document["model_info"]["params"]["cat_feature_params"].get("one_hot_max_size", 2)
    many = {_name(inputs, column): len(own) for column, own in known.items() if len(own) > most}
    needed = max(many.values(), default=0)
    advice = (
        f"fit it with one_hot_max_size={needed}, so that they are split one-hot"
        if needed <= _MOST_ONE_HOT
        else f"join rare categories to at most {_MOST_ONE_HOT} a column, and fit it with that one_hot_max_size"
    )
    columns = ", ".join(f"{name!r} ({size} categories)" for name, size in many.items())
    detail = (
        f"{type(estimator).__name__} splits statistics of the target (CTR) in place of the categories of {columns}, "
        f"which cannot be converted: {advice}; or encode them before, for example with a TargetEncoder in a pipeline"
    )
    raise CannotConvert("cannot_convert", detail)


class _Reader:
    """Reads trees, symmetric ones and others."""

    def __init__(
        self,
        document: _Document,
        columns: Mapping[str, Sequence[int]],
        hashes: Mapping[int, Sequence[int]],
        scale: float,
    ) -> None:
        self._document, self._columns, self._hashes, self._scale = document, columns, hashes, scale
        floats = document["features_info"].get("float_features", [])
        self._missing_is_above = [each.get("nan_value_treatment") == "AsTrue" for each in floats]

    def trees(self) -> list[list[TreeNode]]:
        symmetric, others = (self._document.get(name) or [] for name in ("oblivious_trees", "trees"))
        return [*map(self._symmetric, symmetric), *map(self._other, others)]

    def _symmetric(self, tree: _Document) -> list[TreeNode]:
        """Return the nodes of a tree with the same test at all nodes of a level, level by level; yes goes left."""
        splits = tree.get("splits") or []
        n_leaves = 2 ** len(splits)
        values = np.reshape(tree["leaf_values"], (n_leaves, -1))
        branches = [
            self._branch(split, *(2 * at + side for side in (1, 2)))
            for level, split in enumerate(splits)
            for at in range(2**level - 1, 2 ** (level + 1) - 1)
        ]
        # Bit l of a leaf's number is the answer of level l; its place has the opposite bits, the first level's highest.
        places = [
            sum(1 << level for level in range(len(splits)) if not at >> (len(splits) - 1 - level) & 1)
            for at in range(n_leaves)
        ]
        return [*branches, *(self._leaf(values[number]) for number in places)]

    def _other(self, root: _Document) -> list[TreeNode]:
        listed, waiting = [], [root]
        while waiting:
            node = waiting.pop()
            listed.append(node)
            waiting += [node["left"], node["right"]] if "split" in node else []
        place = {id(node): at for at, node in enumerate(listed)}
        return [
            self._branch(node["split"], place[id(node["right"])], place[id(node["left"])])
            if "split" in node
            else self._leaf(np.atleast_1d(node["value"]))
            for node in listed
        ]

    def _leaf(self, values: Any) -> TreeNode:  # an array
        return TreeNode(values={output: float(value) * self._scale for output, value in enumerate(values)})

    def _branch(self, split: _Document, left: int, right: int) -> TreeNode:
        if split["split_type"] == "FloatFeature":
            index = split["float_feature_index"]
            column, border = self._columns["float_features"][index], float(nearest_float32(split["border"]))
            return TreeNode(left, right, column, GT, border, missing_left=self._missing_is_above[index])
        if split["split_type"] != "OneHotFeature":
            raise CannotConvert("cannot_convert", f"CatBoost's split {split['split_type']} is not converted")
        column = self._columns["categorical_features"][split["cat_feature_index"]]
        number = split["value"] % _HASH
        if number not in self._hashes[column]:
            detail = (
                f"the trees test a category of column {column} (counted from 0) that no row of X has: pass rows with "
                "all categories, X=…, such as those that the model was fitted on"
            )
            raise CannotConvert("cannot_convert", detail)
        return TreeNode(left, right, column, EQ, float(self._hashes[column].index(number)))


def _link(estimator: Any, loss: str) -> Operation | None:  # an estimator
    if not hasattr(estimator, "predict_proba"):
        is_exponent = loss.startswith(_EXPONENTIAL)
        return (lambda nodes, raw: nodes.add("Exp", [raw])) if is_exponent else None
    if loss == "MultiClass":
        return lambda nodes, raw: nodes.add("Softmax", [raw], axis=1)
    return lambda nodes, raw: nodes.add("Sigmoid", [raw])
