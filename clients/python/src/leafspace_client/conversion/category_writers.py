"""Writers of encoders: tables from categories to codes, columns of one category each, and means of a target."""

from typing import Any

import numpy as np
from onnx import TensorProto, helper
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, TargetEncoder

from .step_columns import NoCounterpart, StepColumns


def one_hot(columns: StepColumns, step: OneHotEncoder) -> str:
    """Add a one-hot encoder; infrequent categories get one code, and unknown ones that or none."""
    nodes, blocks = columns.nodes, []
    for at, ((tensor, is_text), codes) in enumerate(zip(columns.each(), _shown_codes(step), strict=True)):
        if not codes:  # the only category was dropped
            continue
        of_categories = _codes(step, at)
        is_default = step.handle_unknown in ("infrequent_if_exist", "warn") and _has_infrequent(step, at)
        unknown = float(of_categories.max()) if is_default else -1.0
        code = _looked_up(columns, tensor, step.categories_[at], of_categories, unknown, is_text=is_text)
        hot = nodes.add("OneHotEncoder", [nodes.as_whole(code)], domain="ai.onnx.ml", cats_int64s=codes, zeros=1)
        blocks.append(nodes.add("Reshape", [hot, nodes.constant(np.array([-1, len(codes)]))]))
    return columns.side_by_side(blocks)


def ordinal(columns: StepColumns, step: OrdinalEncoder) -> str:
    """Add an ordinal encoder: the code of each category, and what it has for missing and unknown ones."""
    tensors = []
    for at, (tensor, is_text) in enumerate(columns.each()):
        is_missing = np.array([_is_nan(each) for each in step.categories_[at]])  # None is a category
        codes = np.full(len(is_missing), step.encoded_missing_value, np.float64)
        codes[~is_missing] = _codes(step, at)[: np.count_nonzero(~is_missing)]  # what is missing is the last, if coded
        has_unknown = step.handle_unknown == "use_encoded_value"
        unknown = float(step.unknown_value) if has_unknown else -1.0
        tensors.append(_looked_up(columns, tensor, step.categories_[at], codes, unknown, is_text=is_text))
    return columns.side_by_side(tensors)


def target_means(columns: StepColumns, step: TargetEncoder) -> str:
    """Add a target encoder: the mean of each category, of each class where there are more than two."""
    means = np.atleast_1d(step.target_mean_)
    n_classes = len(means)
    tensors = []
    for at, (tensor, is_text) in enumerate(columns.each()):
        for index, mean in enumerate(means):
            values = step.encodings_[at * n_classes + index]
            tensors.append(
                _looked_up(columns, tensor, step.categories_[at], np.asarray(values), float(mean), is_text=is_text)
            )
    return columns.side_by_side(tensors)


def _looked_up(  # a table and what comes to it
    columns: StepColumns,
    tensor: str,
    categories: Any,  # an array
    values: Any,  # an array
    unknown: float,
    *,
    is_text: bool,
) -> str:
    """Add a table from the categories of a column to doubles; unknown ones get a value of their own."""
    keys: Any = [str(each) for each in categories] if is_text else _numbers(columns.step, categories)
    kind = TensorProto.STRING if is_text else TensorProto.DOUBLE
    content = [text.encode() for text in keys] if is_text else keys
    table = {
        "keys_tensor": helper.make_tensor("table", kind, [len(keys)], content),
        "values_tensor": helper.make_tensor("table", TensorProto.DOUBLE, [len(keys)], values.astype(float).tolist()),
        "default_tensor": helper.make_tensor("table", TensorProto.DOUBLE, [1], [unknown]),
    }
    return columns.nodes.add("LabelEncoder", [tensor], domain="ai.onnx.ml", **table)


def _numbers(step: Any, categories: Any) -> list[float]:  # a step, an array
    try:
        return [float("nan") if _is_missing(each) else float(each) for each in categories]
    except ValueError as error:
        raise NoCounterpart(
            step,
            "was fitted on texts in a column that is numbers in X, or of which no X says what it holds (then pass X=…)",
        ) from error


def _is_missing(category: Any) -> bool:  # a text, a number, NaN, None or what is missing in pandas
    return category is None or _is_nan(category) or type(category).__name__ == "NAType"


def _is_nan(category: Any) -> bool:  # a text, a number, NaN or None
    return isinstance(category, float) and category != category  # not a number


def is_exact(encoder: Any) -> bool:  # an encoder
    """Whether categories that are numbers are the same in single precision, in which rows may come."""
    numbers = [
        float(each)
        for categories in encoder.categories_
        for each in categories
        if isinstance(each, int | float | np.number) and not _is_missing(each)
    ]
    return bool((np.asarray(numbers, np.float32).astype(np.float64) == np.asarray(numbers, np.float64)).all())


def _codes(encoder: Any, at: int) -> Any:  # an encoder, an array
    """Return the code of each category of a column; all infrequent ones have the last."""
    mappings = getattr(encoder, "_default_to_infrequent_mappings", None) or {}
    mapping = mappings[at] if at < len(mappings) else None
    return np.arange(len(encoder.categories_[at])) if mapping is None else np.asarray(mapping, np.int64)


def _has_infrequent(encoder: Any, at: int) -> bool:  # an encoder
    if not getattr(encoder, "_infrequent_enabled", False):
        return False
    return encoder.infrequent_categories_[at] is not None


def _shown_codes(encoder: OneHotEncoder) -> list[list[int]]:
    """Return the codes that have a column each, by column that is encoded."""
    n_encoded = len(encoder.categories_)
    dropped = [None] * n_encoded if encoder.drop_idx_ is None else encoder._drop_idx_after_grouping  # noqa: SLF001
    return [
        [code for code in range(int(_codes(encoder, at).max()) + 1) if code != dropped[at]] for at in range(n_encoded)
    ]
