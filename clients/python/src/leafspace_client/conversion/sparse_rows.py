"""Sparse rows: XGBoost takes what a sparse matrix does not hold for missing, where other libraries read 0.

On dense rows, which all else here is about, the same model predicts so with ``missing=0``.
"""

import copy
from collections.abc import Sequence
from math import isnan
from typing import Any

from .unwrapping import all_models, class_names

# Steps that make sparse columns of sparse ones.
_KEEP = (
    "SelectorMixin",
    "StandardScaler",
    "RobustScaler",
    "MaxAbsScaler",
    "Normalizer",
    "Binarizer",
    "FunctionTransformer",
    "SimpleImputer",
    "PolynomialFeatures",
)


def with_zeros_missing(model: Any) -> Any:  # an estimator
    """Return a model whose XGBoost models read 0 as missing, as they read sparse rows; others as they are."""
    if not any(map(_reads_gaps, all_models(model))):
        return model
    changed = copy.deepcopy(model)
    read_zeros_as_missing(changed)
    return changed


def read_zeros_as_missing(model: Any) -> None:  # an estimator
    """Have the XGBoost models in a model read 0 as missing, in place."""
    for each in all_models(model):
        if _reads_gaps(each):
            each.missing = 0.0


def are_sparse_behind(steps: Sequence[Any]) -> bool:
    """Whether what comes of dense rows behind fitted steps is a sparse matrix."""
    is_sparse = False
    for step in steps:
        is_sparse = _is_sparse_behind(step, is_sparse=is_sparse)
    return is_sparse


def _reads_gaps(model: Any) -> bool:  # an estimator
    return "XGBModel" in class_names(model) and (model.missing is None or isnan(model.missing))


def _is_sparse_behind(step: Any, *, is_sparse: bool) -> bool:  # a step
    if step is None or isinstance(step, str):
        return is_sparse
    names = class_names(step)
    if "Pipeline" in names:
        for _, each in step.steps:
            is_sparse = _is_sparse_behind(each, is_sparse=is_sparse)
        return is_sparse
    if "FeatureUnion" in names:
        return any(_is_sparse_behind(each, is_sparse=is_sparse) for _, each in step.transformer_list if each != "drop")
    if "KBinsDiscretizer" in names:
        return bool(step.encode == "onehot")
    for says in ("sparse_output_", "sparse_output"):  # of a ColumnTransformer as it was fitted; of encoders
        if hasattr(step, says):
            return bool(getattr(step, says))
    return is_sparse and any(name in _KEEP for name in names)
