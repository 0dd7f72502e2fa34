"""Columns through encoders: casts, imputation, one-hot and ordinal codes."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import TensorProto

from . import column_changes as changes
from .description import ClosedFeature, ModelColumn
from .graph import tensor_array
from .tensor_columns import (
    UNKNOWN,
    Columns,
    Element,
    Step,
    TensorColumns,
    combination,
    each_transformed,
    is_row,
    one_each,
    settled,
)
from .tree_attributes import Attributes, integers, numbers

_ELEMENT_OF_TYPE: dict[int, Element] = {
    TensorProto.FLOAT: "float",
    TensorProto.DOUBLE: "double",
    TensorProto.INT64: "integer",
    TensorProto.INT32: "integer",
    TensorProto.BOOL: "bool",
    TensorProto.STRING: "string",
}
_LOSSLESS = (("integer", "string"), ("bool", "string"), ("bool", "integer"))


def cast(step: Step) -> TensorColumns:
    """Follow a cast; one to integers loses fractions, which encoders behind it do not mind."""
    tensor = step.tensor()
    if tensor.columns is None:
        return UNKNOWN
    # Without a type it is no cast, which the runtime says.
    target = _ELEMENT_OF_TYPE.get(step.attributes["to"].i, "unknown") if "to" in step.attributes else "unknown"
    if target in ("float", "double") and tensor.element != "string":
        columns = settled(tensor)
        rounds = columns is not None and (tensor.element, target) == ("double", "float")
        columns = tuple(map(changes.rounded, columns)) if columns and rounds else columns
        return TensorColumns(target, tuple(map(changes.single, columns)) if columns and target == "float" else columns)
    if target == "integer" and tensor.element in ("float", "double"):
        return TensorColumns(target, tensor.columns, lost_fractions=True)
    keeps_values = (tensor.element, target) in _LOSSLESS or target == tensor.element
    if keeps_values or (target == "bool" and all(map(changes.is_flag, tensor.columns))):
        return replace(tensor, element=target)
    return TensorColumns(target, each_transformed(tensor, "cast"))


def equal(step: Step) -> TensorColumns:
    """Follow a comparison with one constant: an indicator of it."""
    tensor, constant = step.tensor(), step.constant(1)
    if tensor.columns is None or constant is None or constant.size != 1:
        return replace(combination(step), element="bool")
    category = category_of(constant.ravel()[0])
    return TensorColumns("bool", tuple(_indicators(step, tensor.columns, [category])))


def is_nan(step: Step) -> TensorColumns:
    """Follow IsNaN: an indicator of what is missing."""
    columns = step.tensor().columns
    if columns is None:
        return UNKNOWN
    return TensorColumns("bool", tuple(changes.missing_indicator(column) for column in columns))


def where(step: Step) -> TensorColumns:
    """Follow imputation written out: a constant where the value is missing, else the value."""
    condition, otherwise, constant = step.tensor(0).columns, step.tensor(2), step.constant(1)
    if condition is None or otherwise.columns is None or constant is None or not is_row(constant):
        return combination(step)
    pairs = list(zip(condition, otherwise.columns, strict=False))
    if len(condition) != len(otherwise.columns) or not all(_marks_missing(*pair) for pair in pairs):
        return combination(step)
    values = np.broadcast_to(constant.ravel(), len(pairs))
    columns = (
        changes.imputed(column, category_of(value)) for column, value in zip(otherwise.columns, values, strict=True)
    )
    return replace(otherwise, columns=tuple(columns))


def _marks_missing(flag: ModelColumn, column: ModelColumn) -> bool:
    """Whether a flag marks a column's raw value as missing: it is, or it is the text that represents it."""
    if not changes.is_flag(flag) or flag.raw_index != column.raw_index or column.imputed is not None:
        return False
    return flag.category is None if flag.kind == "indicator" else isinstance(flag.categories[0], str)


def imputer(step: Step) -> TensorColumns:
    """Follow an Imputer of NaN; where it replaces another value, columns are transformed."""
    tensor = step.tensor()
    columns = settled(tensor)
    if columns is None:
        return UNKNOWN
    attributes = step.attributes
    values = numbers(attributes, "imputed_value_floats")
    replaced = attributes["replaced_value_float"].f if "replaced_value_float" in attributes else np.nan
    each = one_each(values, len(columns), default=np.nan)
    if each is None or not len(values) or not np.isnan(replaced) or "replaced_value_int64" in attributes:
        return TensorColumns(tensor.element, each_transformed(replace(tensor, columns=columns), "imputed"))
    changed = (changes.imputed(column, value) for column, value in zip(columns, each.tolist(), strict=True))
    return TensorColumns(tensor.element, tuple(changed))


def one_hot(step: Step) -> TensorColumns:
    """Follow a OneHotEncoder: one indicator per column and category."""
    columns = step.tensor().columns
    if columns is None:
        return UNKNOWN
    attributes = step.attributes
    texts = attributes["cats_strings"].strings if "cats_strings" in attributes else ()
    categories = [category_of(text) for text in texts] or [float(code) for code in integers(attributes, "cats_int64s")]
    indicators = tuple(_indicators(step, columns, categories))
    takes_unknown = "zeros" not in attributes or attributes["zeros"].i != 0
    return TensorColumns("float", indicators, closed=() if takes_unknown else _closed(step, columns, categories))


def _closed(step: Step, columns: Columns, categories: Sequence[changes.Category]) -> tuple[ClosedFeature, ...]:
    """Return the features of which an encoder takes these categories, or these codes of categories, alone."""
    closed = []
    for column in columns:
        known: list[changes.Category | None] = []
        if column.kind == "ordinal" and column.default_code not in categories:
            known += [raw for raw, code in zip(column.categories, column.codes, strict=True) if code in categories]
        elif column.kind == "identity":
            known += [_raw(step, column, category) for category in categories]
        if known and column.raw_index is not None:
            closed.append(ClosedFeature(column.raw_index, _with_imputed(column, known)))
    return tuple(closed)


def _with_imputed(column: ModelColumn, known: Sequence[changes.Category | None]) -> tuple[changes.Category | None, ...]:
    """Return the categories that are taken, with a missing value where that counts as one of them."""
    return (*known, None) if column.imputed in known and None not in known else tuple(known)


def table_lookup(step: Step) -> TensorColumns:
    """Follow codes of categories that are indices of a constant row of numbers; other codes are refused."""
    table, columns = step.constant(0), step.tensor(1).columns
    if table is None or columns is None or table.ndim != 1 or table.dtype.kind not in "fiu":
        return UNKNOWN
    values = table.astype(np.float64).tolist()
    changed = [changes.looked_up(column, values) for column in columns]
    closed = [
        ClosedFeature(each.raw_index, _with_imputed(each, each.categories))
        for column, each in zip(columns, changed, strict=True)
        if changes.is_closed_by(column, values) and each.raw_index is not None
    ]
    element: Element = "integer" if table.dtype.kind in "iu" else "double" if table.dtype == np.float64 else "float"
    return TensorColumns(element, tuple(changed), closed=tuple(closed))


def _indicators(step: Step, columns: Columns, categories: Sequence[changes.Category]) -> list[ModelColumn]:
    return [changes.indicator(column, _raw(step, column, each)) for column in columns for each in categories]


def _raw(step: Step, column: ModelColumn, category: changes.Category) -> changes.Category:
    """Return a category as its raw feature has it: numbers that were cast to text are numbers there."""
    if column.kind == "identity" and column.raw_index is not None and not step.reads_text[column.raw_index]:
        try:
            return float(category)
        except ValueError:
            return category
    return category


def category_of(value: object) -> changes.Category:
    """Return a constant as a category: a text, or a number."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return value if isinstance(value, str) else float(value)  # type: ignore[arg-type]  # a number of numpy's


def label_encoder(step: Step) -> TensorColumns:
    """Follow a LabelEncoder or CategoryMapper from categories to numbers."""
    columns = step.tensor().columns
    table = lookup_table(step.attributes)
    if columns is None or table is None:
        return UNKNOWN
    keys, values, default = table
    if values.dtype == object:
        return TensorColumns("string", each_transformed(step.tensor(), "relabelled"))
    element: Element = "integer" if values.dtype.kind in "iu" else "float"
    return TensorColumns(element, tuple(_encoded(step, column, keys, values, default) for column in columns))


def _encoded(step: Step, column: ModelColumn, keys: NDArray[Any], values: NDArray[Any], default: float) -> ModelColumn:
    categories = [None if key != key else _raw(step, column, category_of(key)) for key in keys.tolist()]  # NaN
    return changes.encoded(column, categories, values.astype(np.float64).tolist(), float(default))


def lookup_table(attributes: Attributes) -> tuple[NDArray[Any], NDArray[Any], Any] | None:
    """Return the keys, values and default of a LabelEncoder or CategoryMapper; ``None`` in forms that are not known."""
    keys = _listed(attributes, ("keys_strings", "keys_int64s", "keys_floats", "keys_tensor", "cats_strings"))
    values = _listed(attributes, ("values_strings", "values_int64s", "values_floats", "values_tensor", "cats_int64s"))
    if keys is None or values is None or len(keys) != len(values):
        return None
    return keys, values, _default(attributes, values)


def _listed(attributes: Attributes, names: Sequence[str]) -> NDArray[Any] | None:
    for name in names:
        if name in attributes:
            attribute = attributes[name]
            if attribute.HasField("t"):
                return tensor_array(attribute.t).ravel()
            if len(attribute.strings):
                return np.array(list(attribute.strings), dtype=object)
            return integers(attributes, name) if len(attribute.ints) else numbers(attributes, name)
    return None


def _default(attributes: Attributes, values: NDArray[Any]) -> Any:  # text or number
    if "default_tensor" in attributes:
        return tensor_array(attributes["default_tensor"].t).ravel()[0]
    if values.dtype == object:
        return attributes["default_string"].s if "default_string" in attributes else b"_Unused"
    if values.dtype.kind in "iu":
        return attributes["default_int64"].i if "default_int64" in attributes else -1
    return attributes["default_float"].f if "default_float" in attributes else -0.0
