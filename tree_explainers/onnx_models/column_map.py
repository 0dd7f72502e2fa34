"""The column map: what each column that trees read is made of, followed from the graph's inputs onwards."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import GraphProto, NodeProto

from ..ensemble import TreeEnsemble
from ..errors import ModelRefused
from .column_changes import is_flag
from .column_encoding import lookup_table
from .column_steps import follow
from .description import ClosedFeature, FeatureGroup, InputSpec, ModelColumn, column_types
from .graph import tensor_array
from .tensor_columns import Element, Step, TensorColumns
from .tree_attributes import attributes_of, integers, numbers

# What skl2onnx and its users write for a missing category, the surest first.
_MISSING_TEXTS = ("nan", "None", "", "NaN", "<NA>", "null")
_MOST_COLUMNS = 20_000_000  # of all tensors; a thousand members that each pick from 10,000 features make 10,000,000
_ELEMENTS: dict[str, Element] = {
    "float": "float",
    "double": "double",
    "int64": "integer",
    "int32": "integer",
    "bool": "bool",
    "string": "string",
}


@dataclass(frozen=True, slots=True)
class ColumnMap:
    """What is known of the tensors before the trees."""

    tensors: Mapping[str, TensorColumns]
    missing_tokens: tuple[str | None, ...]  # (n_features,) text that represents a missing category; None for numbers

    @property
    def example_texts(self) -> tuple[str | None, ...]:
        """A category of each raw feature that some encoder knows, (n_features,); ``None`` where none does."""
        examples: dict[int, str] = {}
        for column in (column for tensor in self.tensors.values() for column in tensor.columns or ()):
            texts = [text for text in (column.category, *column.categories) if isinstance(text, str)]
            if column.raw_index is not None and texts:
                examples.setdefault(column.raw_index, texts[0])
        return tuple(examples.get(at) for at in range(len(self.missing_tokens)))

    @property
    def closed_features(self) -> tuple[ClosedFeature, ...]:
        """The raw features whose unknown values are refused, with what every encoder that refuses others takes."""
        known: dict[int, tuple[float | str | None, ...]] = {}
        for feature in (feature for tensor in self.tensors.values() for feature in tensor.closed):
            token = self.missing_tokens[feature.raw_index]
            categories = [None if token is not None and each == token else each for each in feature.categories]
            others = known.get(feature.raw_index, categories)
            known[feature.raw_index] = tuple(dict.fromkeys(each for each in others if each in categories))
        return tuple(ClosedFeature(index, known[index]) for index in sorted(known))

    def columns_of(self, tensor: str, ensemble: TreeEnsemble) -> tuple[ModelColumn, ...]:
        """Return the columns of a tensor that trees read; where nothing is known, as many as the trees test."""
        columns = self.tensors[tensor].columns
        if columns is None:
            n_columns = int(ensemble.column.max()) + 1
            return tuple(
                ModelColumn(f"computed column {at + 1} ({tensor})", "transformed", None, None)
                for at in range(n_columns)
            )
        return tuple(self._with_missing(column) for column in columns)

    def _with_missing(self, column: ModelColumn) -> ModelColumn:
        """Return the column with the text for "missing" separated from categories."""
        token = None if column.raw_index is None else self.missing_tokens[column.raw_index]
        if token is None or token not in (column.category, *column.categories):
            return column
        categories = tuple(None if category == token else category for category in column.categories)
        return replace(column, category=None if column.category == token else column.category, categories=categories)


def map_columns(graph: GraphProto, inputs: Sequence[InputSpec], names: Sequence[str]) -> ColumnMap:
    """Return what is known of every tensor of the graph, and what represents a missing category.

    Parameters
    ----------
    graph
        A checked graph.
    inputs
        Its inputs; their columns are the raw features.
    names : (n_features,)
        What the raw features are called.

    Raises
    ------
    ModelRefused
        ``model_too_complex`` where there are too many columns to be followed: each Concat may double them.
    """
    tensors = _input_tensors(inputs, names)
    constants: dict[str, NDArray[Any]] = {tensor.name: tensor_array(tensor) for tensor in graph.initializer}
    reads_text = [each == "string" for each in column_types(inputs)]
    n_columns = 0
    for node in graph.node:
        value = _constant_value(node, constants)
        if value is not None:
            constants[node.output[0]] = value
            continue
        results = follow(Step(node, tensors, constants, reads_text))
        tensors.update(zip(node.output, results, strict=False))
        n_columns += sum(result.width or 0 for result in results)
        if n_columns > _MOST_COLUMNS:
            detail = f"The tensors of the graph have more than {_MOST_COLUMNS:,} columns in all."
            raise ModelRefused("model_too_complex", detail)
    return ColumnMap(tensors, _missing_tokens(tensors, reads_text))


def group_columns(columns: tuple[ModelColumn, ...], groups: Sequence[FeatureGroup]) -> tuple[ModelColumn, ...]:
    """Return the columns with those that a group names turned into indicators of the group's feature.

    Raises
    ------
    ModelRefused
        ``validation_failed`` where a group names a column that is none of the model's features.
    """
    members = {each.column: (group.feature, each.category) for group in groups for each in group.columns}
    unknown = members.keys() - {column.feature for column in columns if column.feature is not None}
    if unknown:
        detail = f"feature_groups names the column {min(unknown)!r}, which the model does not read."
        raise ModelRefused("validation_failed", detail)
    return tuple(
        _grouped(column, *members[column.feature]) if column.feature in members else column for column in columns
    )


def _grouped(column: ModelColumn, feature: str, category: str) -> ModelColumn:
    if column.kind not in ("identity", "affine"):
        return column
    return replace(column, name=feature, kind="indicator", feature=feature, category=category)


def _input_tensors(inputs: Sequence[InputSpec], names: Sequence[str]) -> dict[str, TensorColumns]:
    tensors = {}
    first = 0
    for spec in inputs:
        positions = range(first, first + spec.width)
        columns = tuple(ModelColumn(names[index], "identity", names[index], index) for index in positions)
        tensors[spec.name] = TensorColumns(_ELEMENTS[spec.type], columns)
        first += spec.width
    return tensors


def _constant_value(node: NodeProto, constants: Mapping[str, NDArray[Any]]) -> NDArray[Any] | None:
    """Return what an operator makes of constants alone; ``None`` where it reads rows, or is not worth following."""
    attributes = attributes_of(node)
    if node.op_type == "Constant":
        return _written_value(node)
    if node.op_type == "LabelEncoder" and node.input[0] in constants:
        table = lookup_table(attributes)
        if table is None:
            return None
        keys, values, default = table
        known = dict(zip(keys.tolist(), values.tolist(), strict=True))
        return np.array([known.get(key, default) for key in constants[node.input[0]].ravel().tolist()], values.dtype)
    return None


def _written_value(node: NodeProto) -> NDArray[Any]:
    attributes = attributes_of(node)
    (name, attribute), *_ = attributes.items()
    if attribute.HasField("t"):
        return tensor_array(attribute.t)
    if name in ("value_string", "value_strings"):
        return np.array([attribute.s] if name == "value_string" else list(attribute.strings), dtype=object)
    if name in ("value_int", "value_float"):
        return np.array([attribute.i if name == "value_int" else attribute.f])
    return integers(attributes, name) if name == "value_ints" else numbers(attributes, name)


def _missing_tokens(tensors: Mapping[str, TensorColumns], reads_text: Sequence[bool]) -> tuple[str | None, ...]:
    """Return for each text feature what represents a missing category.

    It is the text that an imputer replaces, or else the one to which an encoder gives a missing code, or else the first
    of the usual ones that an encoder knows, or else "".
    """
    if not any(reads_text):
        return (None,) * len(reads_text)
    known: dict[int, set[object]] = {}
    replaced: dict[int, str] = {}
    uncoded: dict[int, str] = {}
    for column in (column for tensor in tensors.values() for column in tensor.columns or ()):
        if column.raw_index is not None and reads_text[column.raw_index]:
            known.setdefault(column.raw_index, set()).update((column.category, *column.categories))
            uncoded.update((column.raw_index, text) for text in _texts_without_code(column))
            if column.kind == "ordinal" and is_flag(column):
                replaced[column.raw_index] = str(column.categories[0])
    imputed = {column.raw_index for tensor in tensors.values() for column in tensor.columns or () if column.imputed}
    return tuple(
        (replaced[at] if at in imputed and at in replaced else uncoded.get(at, _usual_text(known.get(at, set()))))
        if is_text
        else None
        for at, is_text in enumerate(reads_text)
    )


def _texts_without_code(column: ModelColumn) -> Iterator[str]:
    """Yield the texts that an encoder turns into a missing number."""
    for category, code in zip(column.categories, column.codes, strict=True) if column.kind == "ordinal" else ():
        if code is None and isinstance(category, str):
            yield category


def _usual_text(known: set[object]) -> str:
    return next((text for text in _MISSING_TEXTS if text in known), "")
