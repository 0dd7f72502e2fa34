"""What each preprocessing operator does to columns; of what other operators make nothing is known."""

from collections.abc import Callable

from .column_arithmetic import arithmetic, elementwise, logical_not, negation, product, row_wise, scaler
from .column_encoding import cast, equal, imputer, is_nan, label_encoder, one_hot, where
from .column_layout import columns_slice, concat, gather, reshape, same, split, transpose
from .tensor_columns import UNKNOWN, Step, TensorColumns, combination


def follow(step: Step) -> list[TensorColumns]:
    """Return what is known of each output of an operator."""
    result = _STEPS.get(step.node.op_type, _unknown)(step)
    outputs = result if isinstance(result, list) else [result]
    return outputs + [UNKNOWN] * (len(step.node.output) - len(outputs))


def _unknown(_: Step) -> TensorColumns:
    return UNKNOWN


_STEPS: dict[str, Callable[[Step], TensorColumns | list[TensorColumns]]] = {
    **dict.fromkeys(("Identity", "Squeeze", "Unsqueeze", "Flatten"), same),
    **dict.fromkeys(("Add", "Sub", "Mul", "Div"), arithmetic),
    **dict.fromkeys(
        ("Abs", "Binarizer", "Ceil", "Clip", "Exp", "Floor", "Log", "Reciprocal", "Relu", "Round"),
        elementwise,
    ),
    **dict.fromkeys(
        ("Sigmoid", "Sign", "Sqrt", "Tanh"),
        elementwise,
    ),
    **dict.fromkeys(("Greater", "GreaterOrEqual", "Less", "LessOrEqual", "Max", "Min", "Mod", "Pow"), combination),
    **dict.fromkeys(("Normalizer", "Softmax", "CumSum"), row_wise),
    **dict.fromkeys(("MatMul", "Gemm"), product),
    **dict.fromkeys(("Concat", "FeatureVectorizer"), concat),
    **dict.fromkeys(("Gather", "ArrayFeatureExtractor"), gather),
    **dict.fromkeys(("LabelEncoder", "CategoryMapper"), label_encoder),
    "Cast": cast,
    "Equal": equal,
    "Imputer": imputer,
    "IsNaN": is_nan,
    "Neg": negation,
    "Not": logical_not,
    "OneHotEncoder": one_hot,
    "Reshape": reshape,
    "Scaler": scaler,
    "Slice": columns_slice,
    "Split": split,
    "Transpose": transpose,
    "Where": where,
}
