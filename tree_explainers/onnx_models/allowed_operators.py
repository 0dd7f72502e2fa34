"""The operators that a graph may hold: tree ensembles and what converters put before and after them.

Left out are operators that hold subgraphs (If, Loop, Scan), that are random, and that can make a large tensor out of a
small file (Tile, Expand, Range, Pad, Resize). ConstantOfShape is accepted after Shape alone.
"""

TREE_OPERATORS = frozenset({"TreeEnsembleClassifier", "TreeEnsembleRegressor", "TreeEnsemble"})

ALLOWED_OPERATORS: dict[str, frozenset[str]] = {
    "ai.onnx.ml": TREE_OPERATORS
    | {
        "ArrayFeatureExtractor",
        "Binarizer",
        "CategoryMapper",
        "FeatureVectorizer",
        "Imputer",
        "LabelEncoder",
        "LinearClassifier",
        "LinearRegressor",
        "Normalizer",
        "OneHotEncoder",
        "Scaler",
        "ZipMap",
    },
    "": frozenset(
        {
            "Abs",
            "Add",
            "And",
            "ArgMax",
            "ArgMin",
            "Cast",
            "Ceil",
            "Clip",
            "Concat",
            "Constant",
            "ConstantOfShape",
            "CumSum",
            "Div",
            "Equal",
            "Exp",
            "Flatten",
            "Floor",
            "Gather",
            "GatherElements",
            "GatherND",
            "Gemm",
            "Greater",
            "GreaterOrEqual",
            "Identity",
            "IsInf",
            "IsNaN",
            "Less",
            "LessOrEqual",
            "Log",
            "LpNormalization",
            "MatMul",
            "Max",
            "Mean",
            "Min",
            "Mod",
            "Mul",
            "Neg",
            "Not",
            "Or",
            "Pow",
            "Reciprocal",
            "ReduceL1",
            "ReduceL2",
            "ReduceMax",
            "ReduceMean",
            "ReduceMin",
            "ReduceProd",
            "ReduceSum",
            "ReduceSumSquare",
            "Relu",
            "Reshape",
            "Round",
            "Shape",
            "Sigmoid",
            "Sign",
            "Slice",
            "Softmax",
            "Split",
            "Sqrt",
            "Squeeze",
            "Sub",
            "Sum",
            "Tanh",
            "TopK",
            "Transpose",
            "Unsqueeze",
            "Where",
            "Xor",
        }
    ),
}

# Of models of which predictions alone are used: networks, linear models, support vectors, with trees or without.
# Those that look at several rows or hold subgraphs are left out here, too: Conv, Einsum, Scan, Loop, If.
ORACLE_OPERATORS: dict[str, frozenset[str]] = {
    "ai.onnx.ml": ALLOWED_OPERATORS["ai.onnx.ml"] | {"SVMClassifier", "SVMRegressor"},
    "": ALLOWED_OPERATORS[""]
    | {
        "BatchNormalization",
        "Celu",
        "Cos",
        "Elu",
        "Erf",
        "Gelu",
        "HardSigmoid",
        "HardSwish",
        "LayerNormalization",
        "LeakyRelu",
        "LogSoftmax",
        "Mish",
        "PRelu",
        "ReduceLogSum",
        "ReduceLogSumExp",
        "Selu",
        "Sin",
        "Softplus",
        "Softsign",
        "ThresholdedRelu",
    },
}

# NaN means "missing" in their attributes; tree operators are looked at closely when they are read.
MAY_HOLD_NON_FINITE = TREE_OPERATORS | {"Imputer", "LabelEncoder"}
