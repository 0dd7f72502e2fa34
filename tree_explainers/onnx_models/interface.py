"""The interface of a graph: its inputs, the names of their features, its outputs of labels and scores, its classes."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from onnx import GraphProto, NodeProto, TensorProto, ValueInfoProto

from ..errors import ModelRefused
from .checking import quoted
from .description import DeclaredModel, InputSpec, InputType, ModelLimits, ScoreKind, Task
from .graph import first_that_computes, makers_of
from .label_values import LabelValues, has_cut_off, label_values_of
from .score_columns import split_scores
from .tree_attributes import attributes_of, class_labels, integers, numbers

_TYPES: dict[int, InputType] = {
    TensorProto.FLOAT: "float",
    TensorProto.DOUBLE: "double",
    TensorProto.INT64: "int64",
    TensorProto.INT32: "int32",
    TensorProto.BOOL: "bool",
    TensorProto.STRING: "string",
}
_MAX_RANK = 2
_MAX_CHARACTERS = 255
_NUMBERS = (TensorProto.FLOAT, TensorProto.DOUBLE)
_MAKERS_OF_RAW_SCORES = ("TreeEnsembleClassifier", "TreeEnsembleRegressor", "LinearClassifier", "SVMClassifier")
_LINKS = (b"LOGISTIC", b"SOFTMAX", b"SOFTMAX_ZERO")
_LABELS = (TensorProto.INT64, TensorProto.INT32, TensorProto.STRING, TensorProto.BOOL)


def find_inputs(
    graph: GraphProto, declared_names: tuple[str, ...] | None, limits: ModelLimits
) -> tuple[InputSpec, ...]:
    """Return the graph's inputs; old graphs also list their constants there, which are left out.

    The width of a single matrix may be left open by the graph; it is then the number of declared names.

    Raises
    ------
    ModelRefused
        ``model_unsupported_input`` for element types, ranks and widths that rows cannot be fed to.
    """
    constants = {tensor.name for tensor in graph.initializer}
    values = [value for value in graph.input if value.name not in constants]
    open_width = len(declared_names) if declared_names and len(values) == 1 else None
    inputs = tuple(_input_spec(value, open_width) for value in values)
    n_features = sum(spec.width for spec in inputs)
    if not 0 < n_features <= limits.max_features:
        detail = f"The model reads {n_features:,} features; 1 to {limits.max_features:,} are accepted."
        raise ModelRefused("model_too_complex" if n_features else "model_unsupported_input", detail)
    return inputs


def name_features(inputs: tuple[InputSpec, ...], declared: tuple[str, ...] | None) -> tuple[str, ...]:
    """Return a name for each raw column: as declared, else the names of one-column inputs, else ``x0``, ``x1``, ...

    Raises
    ------
    ModelRefused
        ``validation_failed`` where declared names are too few, too many or not distinct.
    """
    n_features = sum(spec.width for spec in inputs)
    names = _default_names(inputs) if declared is None else declared
    if len(names) != n_features:
        detail = f"{len(names)} feature_names are given; the model reads {n_features} columns."
        raise ModelRefused("validation_failed", detail)
    if len(set(names)) < len(names):
        raise ModelRefused("validation_failed", "The feature names are not distinct.")
    return names


def _default_names(inputs: tuple[InputSpec, ...]) -> tuple[str, ...]:
    if len(inputs) == 1 and inputs[0].width > 1:
        return tuple(f"x{column}" for column in range(inputs[0].width))
    return tuple(
        spec.name if spec.width == 1 else f"{spec.name}_{column}" for spec in inputs for column in range(spec.width)
    )


def _input_spec(value: ValueInfoProto, open_width: int | None) -> InputSpec:
    tensor = value.type.tensor_type
    name = quoted(value.name)
    if not value.type.HasField("tensor_type") or tensor.elem_type not in _TYPES:
        detail = f"The input {name} is not a tensor of floats, doubles, integers, booleans or strings."
        raise ModelRefused("model_unsupported_input", detail)
    rank = len(tensor.shape.dim)
    if not 1 <= rank <= _MAX_RANK:
        detail = f"The input {name} has {rank} dimensions; rows by columns are expected."
        raise ModelRefused("model_unsupported_input", detail)
    width = 1 if rank == 1 else tensor.shape.dim[1].dim_value or open_width
    if width is None or width < 1 or tensor.shape.dim[0].dim_value > 1:
        detail = (
            f"The input {name} must take any number of rows and a known number of columns; give `feature_names` where "
            "the graph leaves the number of columns open."
        )
        raise ModelRefused("model_unsupported_input", detail)
    return InputSpec(value.name, _TYPES[tensor.elem_type], width, rank)


@dataclass(frozen=True, slots=True)
class Outputs:
    """How predictions are read from the graph."""

    task: Task
    classes: tuple[str, ...]  # empty for regression
    label_values: tuple[int | str, ...]  # what the label output contains for each class
    label: str | None  # tensor; None: the highest score decides
    score: str  # tensor
    score_kind: ScoreKind
    labels_are_highest: bool = True  # unless a cut-off says otherwise; running the graph may
    misread_label: str | None = None  # tensor that onnxruntime fills otherwise than the scores imply


def find_outputs(graph: GraphProto, declared: DeclaredModel) -> Outputs:
    """Return the label and score tensors of a graph, and its classes as texts.

    A ZipMap is skipped: the tensor that it reads holds the scores. A graph is a classifier where it has a label
    output, a ZipMap or a TreeEnsembleClassifier, or where classes are declared; otherwise it is a regressor.

    Raises
    ------
    ModelRefused
        ``model_unsupported_input`` for graphs without a score output; ``validation_failed`` for declared classes that
        cannot be the model's, and where classes must be declared.
    """
    makers = makers_of(graph)
    score, zip_map = _score_output(graph, makers)
    score = split_scores(graph) or score
    label = next((value.name for value in graph.output if _element_type(value) in _LABELS), None)
    has_classifier = any(node.op_type == "TreeEnsembleClassifier" for node in graph.node)
    if not (label or zip_map or has_classifier or declared.classes):
        _check_single_value(graph, score)
        return Outputs("regression", (), (), None, score, "value")
    types = (_element_type(value) for value in graph.output if value.name == label)
    label_type = next(types, TensorProto.STRING)  # where there is no label, texts
    classes, label_values = _classes(_label_values(graph, label, zip_map), declared.classes, label_type)
    misread = label if label is not None and _is_misread(first_that_computes(label, makers)) else None
    label = None if misread else label
    is_highest = label is None or not has_cut_off(graph, label)
    kind: ScoreKind = "probability" if _may_be_probabilities(score, makers) else "raw"
    return Outputs("classification", classes, label_values, label, score, kind, is_highest, misread)


def _element_type(value: ValueInfoProto) -> int:
    return value.type.tensor_type.elem_type if value.type.HasField("tensor_type") else TensorProto.UNDEFINED


def _score_output(graph: GraphProto, makers: Mapping[str, NodeProto]) -> tuple[str, NodeProto | None]:
    """Return the tensor that holds the scores, and the ZipMap that wrapped it, if any."""
    for value in graph.output:
        maker = makers.get(value.name)
        if maker is not None and maker.op_type == "ZipMap":
            return maker.input[0], maker
    numbers = [value.name for value in graph.output if _element_type(value) in _NUMBERS]
    if not numbers:
        detail = "The graph has no output of scores or values; export it with its probabilities or predictions."
        raise ModelRefused("model_unsupported_input", detail)
    return next((name for name in numbers if "prob" in name), numbers[0]), None


def _check_single_value(graph: GraphProto, value: str) -> None:
    """Refuse a regression with several outputs of numbers, unless its name says which is the prediction."""
    names = [each.name for each in graph.output if _element_type(each) in _NUMBERS]
    if len(names) > 1 and value in names and "prob" not in value:
        detail = (
            f"The graph has {len(names):,} outputs of values ({', '.join(map(quoted, names[:5]))}), and does not say "
            "which is the prediction; leave one of them, or register one model for each."
        )
        raise ModelRefused("model_unsupported_input", detail)


def _is_misread(maker: NodeProto | None) -> bool:
    """Return whether onnxruntime returns other labels than the operator's scores imply.

    Where a TreeEnsembleClassifier of two classes scores both, as CatBoost's do, it returns 1 where the second score is
    above 0 and otherwise 0, whatever the classes are and whatever the first score is.
    """
    if maker is None or maker.op_type != "TreeEnsembleClassifier":
        return False
    attributes = attributes_of(maker)
    n_scored = len(np.unique(integers(attributes, "class_ids")))
    return len(class_labels(attributes)) == n_scored == 2  # both of two


def _label_values(graph: GraphProto, label: str | None, zip_map: NodeProto | None) -> LabelValues | None:
    """Return the values of the label output; ``None`` where the graph does not tell."""
    if zip_map is not None:
        return LabelValues(class_labels(attributes_of(zip_map)))
    if label is not None:
        return label_values_of(graph, label)
    classifiers = [node for node in graph.node if node.op_type == "TreeEnsembleClassifier"]
    return LabelValues(class_labels(attributes_of(classifiers[-1]))) if classifiers else None


def _classes(
    labels: LabelValues | None, declared: tuple[str, ...] | None, element: int
) -> tuple[tuple[str, ...], tuple[int | str, ...]]:
    """Return the classes in the order of the scores, and what the label output contains for each.

    Declared classes are the graph's labels as texts, or other names for them in the same order.
    """
    values = () if labels is None else labels.values
    in_order = labels is not None and (labels.are_in_order or values == tuple(range(len(values))))
    texts = tuple(map(str, values))
    _check_class_names(texts, "The graph's classes")
    if declared is None:
        if not values or not in_order:
            seen = f" (its labels are {', '.join(map(quoted, texts[:5]))})" if values else ""
            detail = f"The graph does not name its classes{seen}; give them as `classes`, in the order of the scores."
            raise ModelRefused("validation_failed", detail)
        return texts, values
    _check_class_names(declared, "The declared classes")
    if in_order and (len(values) == len(declared) or not set(texts) <= set(declared)):
        _check_declared(declared, texts)
        return declared, values
    return declared, _values_of(declared, set(values), element)


def _values_of(declared: tuple[str, ...], seen: set[int | str], element: int) -> tuple[int | str, ...]:
    """Return what the label output contains for each declared class, where the graph does not tell it of all.

    Integers are the declared names, if these are integers, or else the index of the class.
    """
    if element == TensorProto.STRING:
        return declared
    indices = tuple(range(len(declared)))
    are_integers = all(name.removeprefix("-").isdecimal() for name in declared)
    if are_integers and seen <= set(map(int, declared)):
        return tuple(map(int, declared))
    if not seen <= set(indices):
        detail = (
            f"The graph's labels are {', '.join(map(str, sorted(seen, key=str)[:5]))}; declare `classes` as the label "
            "output writes them, in the order of the scores."
        )
        raise ModelRefused("validation_failed", detail)
    return indices


def _check_declared(declared: tuple[str, ...], texts: tuple[str, ...]) -> None:
    if len(texts) != len(declared):
        detail = f"{len(declared)} classes are declared; the model has {len(texts)}."
        raise ModelRefused("validation_failed", detail)
    if set(texts) == set(declared) and texts != declared:
        detail = "The declared classes are in another order than the model's; give them in the order of the scores."
        raise ModelRefused("validation_failed", detail)


def _check_class_names(classes: tuple[str, ...], whose: str) -> None:
    """Refuse names of classes that are ambiguous or cannot be written."""
    for index, name in enumerate(classes):
        if not name or "\0" in name or len(name) > _MAX_CHARACTERS:
            fault = "are empty" if not name else "hold a NUL character" if "\0" in name else "are very long"
            detail = (
                f"{whose} have names that {fault} (class {index}: {quoted(name[:40])}); name each with 1 to "
                f"{_MAX_CHARACTERS} characters."
            )
            raise ModelRefused("validation_failed", detail)
    if repeated := [name for name, n_times in Counter(classes).items() if n_times > 1]:
        detail = f"{whose} are not distinct: {quoted(repeated[0][:40])} is there more than once."
        raise ModelRefused("validation_failed", detail)


def _may_be_probabilities(score: str, makers: Mapping[str, NodeProto]) -> bool:
    """Return whether scores can be probabilities by the operator that makes them; running the graph shows the rest.

    The sums of trees are, where they are shares of classes (``scores_are_shares``); a probit is a number of any size.
    """
    maker = first_that_computes(score, makers)
    if maker is None or maker.op_type not in _MAKERS_OF_RAW_SCORES:
        return True
    attributes = attributes_of(maker)
    if maker.op_type == "SVMClassifier":
        return "prob_a" in attributes
    transform = attributes["post_transform"].s if "post_transform" in attributes else b"NONE"
    if transform != b"NONE":
        return transform in _LINKS
    weights = numbers(attributes, "class_weights")
    return maker.op_type != "LinearClassifier" and bool((weights >= 0).all())
