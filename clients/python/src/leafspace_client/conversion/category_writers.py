"""Writers of encoders: tables from categories to codes, columns of one category each, and means of a target."""

from typing import Any

import numpy as np
from onnx import TensorProto, helper
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, TargetEncoder

from .step_columns import NoCounterpart, StepColumns


def one_hot(columns: StepColumns, step: OneHotEncoder) -> str:
    """Add a one-hot encoder; infrequent categories get one code, and unknown ones that, or none, or are refused."""
    nodes, blocks = columns.nodes, []
    for at, ((tensor, is_text), codes) in enumerate(zip(columns.each(), _shown_codes(step), strict=True)):
        of_categories = _codes(step, at)
        unknown = _code_of_unknown(step, at, of_categories)
        code = _looked_up(columns, tensor, step.categories_[at], of_categories, unknown, is_text=is_text)
        if not codes:  # the only category was dropped: others are refused all the same
            blocks.append(columns.nodes.add("Cast", [columns.chosen(code, [])], to=TensorProto.FLOAT))
            continue
        hot = nodes.add("OneHotEncoder", [nodes.as_whole(code)], domain="ai.onnx.ml", cats_int64s=codes, zeros=1)
        blocks.append(nodes.add("Reshape", [hot, nodes.constant(np.array([-1, len(codes)]))]))
    return columns.side_by_side(blocks)


def ordinal(columns: StepColumns, step: OrdinalEncoder) -> str:
    """Add an ordinal encoder: the code of each category, and what it has for missing and unknown ones, if anything."""
    tensors = []
    for at, (tensor, is_text) in enumerate(columns.each()):
        is_missing = np.array([_is_nan(each) for each in step.categories_[at]])  # None is a category
        codes = np.full(len(is_missing), step.encoded_missing_value, np.float64)
        codes[~is_missing] = _codes(step, at)[: np.count_nonzero(~is_missing)]  # what is missing is the last, if coded
        unknown = None if step.handle_unknown == "error" else float(step.unknown_value)
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
    unknown: float | None,
    *,
    is_text: bool,
) -> str:
    """Add a table from the categories of a column to doubles; unknown ones get a value of their own, or are refused."""
    if unknown is None:
        return _looked_up_or_refused(columns, tensor, categories, values, is_text=is_text)
    keys: Any = [str(each) for each in categories] if is_text else _numbers(columns.step, categories)
    kind = TensorProto.STRING if is_text else TensorProto.DOUBLE
    content = [text.encode() for text in keys] if is_text else keys
    attributes = {
        "keys_tensor": helper.make_tensor("table", kind, [len(keys)], content),
        "values_tensor": helper.make_tensor("table", TensorProto.DOUBLE, [len(keys)], values.astype(float).tolist()),
        "default_tensor": helper.make_tensor("table", TensorProto.DOUBLE, [1], [unknown]),
    }
    return columns.nodes.add("LabelEncoder", [tensor], domain="ai.onnx.ml", **attributes)


def _looked_up_or_refused(
    columns: StepColumns,
    tensor: str,
    categories: Any,  # an array
    values: Any,  # an array
    *,
    is_text: bool,
) -> str:
    """Add a table that makes the runtime refuse unknown categories: their position is behind the last."""
    positions = np.arange(len(categories), dtype=np.float64)
    position = _looked_up(columns, tensor, categories, positions, float(len(categories)), is_text=is_text)
    is_finite = np.isfinite(np.asarray(values, np.float64)).all()  # as constants of a graph have to be
    table = columns.nodes.constant(np.asarray(values, np.float64) if is_finite else positions)
    known = columns.nodes.add("Gather", [table, columns.nodes.as_whole(position)], axis=0)
    return known if is_finite else _looked_up(columns, known, positions, values, -1.0, is_text=False)


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


def _code_of_unknown(step: OneHotEncoder, at: int, codes: Any) -> float | None:  # an array
    """Return the code that unknown categories share with the infrequent ones, or -1; ``None`` to refuse them."""
    if step.handle_unknown == "error":
        return None
    is_infrequent = step.handle_unknown != "ignore" and _has_infrequent(step, at)
    return float(codes.max()) if is_infrequent else -1.0


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
