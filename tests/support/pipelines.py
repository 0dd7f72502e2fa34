"""Pipelines on real tables with categories and missing values, and their ONNX form."""

import functools
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pandas as pd
from numpy.typing import NDArray
from skl2onnx import convert_sklearn, to_onnx
from skl2onnx.common.data_types import FloatTensorType, Int64TensorType, StringTensorType
from sklearn.base import ClassifierMixin
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import (
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    RobustScaler,
    StandardScaler,
)

from tests.support.native_models import NATIVE, native_model, native_table
from tests.support.shared import shared_path
from tree_explainers.onnx_models.description import DeclaredModel, ModelLimits
from tree_explainers.onnx_models.encoding import Feeds
from tree_explainers.onnx_models.reading import ReadModel, read_model
from tree_explainers.onnx_models.session import ModelSession
from tree_explainers.rows import Rows

_N_ROWS = 1500


@dataclass(frozen=True)
class Table:
    """Features of a real data set: numbers with NaN, texts with None."""

    features: pd.DataFrame
    target: Any


def titanic() -> Table:
    """Survival: fares and ages (some missing), sex and port (two missing), small integers."""
    return _table("titanic", "survived", ["age", "fare", "sex", "embarked", "pclass", "sibsp", "parch"])


def adult() -> Table:
    """Income: mixed, with missing categories; the first rows only."""
    names = ["age", "workclass", "education_num", "occupation", "sex", "capital_gain", "hours_per_week"]
    return _table("adult", "income", names)


def sick_thyroid() -> Table:
    """Sickness: flags as text, measurements of which many are missing."""
    names = ["age", "sex", "on thyroxine", "TSH", "T3", "TT4", "FTI measured", "FTI", "referral source"]
    return _table("sick_thyroid", "class", names)


def _table(name: str, target: str, features: Sequence[str]) -> Table:
    frame = pd.read_parquet(shared_path(f"data/{name}.parquet")).head(_N_ROWS)
    columns = {name: _plain_column(frame[name]) for name in features}
    return Table(pd.DataFrame(columns), np.asarray(frame[target].astype(str)))


def _plain_column(column: "pd.Series[Any]") -> "pd.Series[Any]":
    if pd.api.types.is_numeric_dtype(column):
        is_integer = isinstance(column.dtype, np.dtype) and column.dtype.kind == "i"
        return column.astype(np.int64 if is_integer else np.float32)
    return column.astype(object).where(column.notna(), None)


def rows_of_frame(frame: pd.DataFrame) -> Rows:
    """Return a data frame as rows: texts stay, all else becomes float64."""
    columns = [frame[name].to_numpy() for name in frame.columns]
    return Rows(
        tuple(frame.columns), tuple(each if each.dtype == object else each.astype(np.float64) for each in columns)
    )


def columns_onnx(pipeline: Pipeline, frame: pd.DataFrame) -> bytes:
    """Return a pipeline as ONNX with one input per column."""
    types = {"O": StringTensorType, "f": FloatTensorType, "i": Int64TensorType}
    inputs = [(name, types[frame[name].dtype.kind]([None, 1])) for name in frame.columns]
    return bytes(convert_sklearn(pipeline, initial_types=inputs, options=_as_sklearn_scales()).SerializeToString())


def matrix_onnx(pipeline: Pipeline, matrix: NDArray[np.float32]) -> bytes:
    """Return a pipeline as ONNX with one matrix as input."""
    return bytes(to_onnx(pipeline, matrix[:1], options=_as_sklearn_scales()).SerializeToString())


def _as_sklearn_scales() -> dict[type, dict[str, str]]:
    """Divide, as scikit-learn does: multiplying by the reciprocal is off by a last digit, which can cross a split."""
    return {StandardScaler: {"div": "div"}}


def scaled_and_one_hot() -> tuple[Pipeline, Table]:
    """Numbers imputed and scaled, categories one-hot (missing is a category), integers as they are."""
    table = titanic()
    steps = ColumnTransformer(
        [
            ("numbers", make_pipeline(SimpleImputer(), StandardScaler()), ["age", "fare"]),
            ("categories", OneHotEncoder(handle_unknown="ignore"), ["sex", "embarked"]),
            ("integers", "passthrough", ["pclass", "sibsp"]),
        ]
    )
    return _fit(steps, RandomForestClassifier(30, max_depth=7, random_state=0), table)


def imputed_categories() -> tuple[Pipeline, Table]:
    """Categories imputed by a constant before a one-hot encoder that refuses unknown ones; ordinal integers."""
    table = titanic()
    frame = table.features.fillna({"embarked": "unknown"})
    steps = ColumnTransformer(
        [
            ("numbers", make_pipeline(SimpleImputer(strategy="median"), MinMaxScaler()), ["age", "fare"]),
            (
                "categories",
                make_pipeline(
                    SimpleImputer(strategy="constant", fill_value="S", missing_values="unknown"),
                    OneHotEncoder(handle_unknown="error", sparse_output=False),
                ),
                ["embarked"],
            ),
            ("ordinal", OrdinalEncoder(), ["pclass", "sibsp"]),
        ],
        remainder="drop",
    )
    return _fit(steps, GradientBoostingClassifier(n_estimators=30, random_state=0), Table(frame, table.target))


def one_matrix() -> tuple[Pipeline, Table]:
    """All numbers in one float32 matrix with NaN; different treatment by position."""
    table = titanic()
    names = ["age", "fare", "pclass", "sibsp", "parch"]
    matrix = table.features[names].to_numpy(np.float32)
    steps = ColumnTransformer(
        [
            ("numbers", make_pipeline(SimpleImputer(), StandardScaler()), [0, 1]),
            ("categories", OneHotEncoder(handle_unknown="ignore"), [2]),
            ("robust", RobustScaler(), [3]),
            ("rest", "passthrough", [4]),
        ]
    )
    pipeline = Pipeline([("columns", steps), ("trees", ExtraTreesClassifier(30, max_depth=7, random_state=0))])
    return pipeline.fit(matrix, table.target), Table(table.features[names], table.target)


def ordinal_categories() -> tuple[Pipeline, Table]:
    """Categories as ordinal codes, unknown ones as -1; numbers as they are."""
    table = adult()
    steps = ColumnTransformer(
        [
            (
                "categories",
                OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1, encoded_missing_value=-2),
                ["workclass", "occupation", "sex"],
            ),
            ("numbers", MaxAbsScaler(), ["age", "education_num"]),
            ("rest", "passthrough", ["capital_gain", "hours_per_week"]),
        ]
    )
    return _fit(steps, RandomForestClassifier(30, max_depth=8, random_state=0), table)


def dropped_indicators() -> tuple[Pipeline, Table]:
    """Imputed measurements, and flags one-hot with one of two columns dropped."""
    table = sick_thyroid()
    numbers = ["age", "TSH", "T3", "TT4", "FTI"]
    texts = ["sex", "on thyroxine", "FTI measured", "referral source"]
    steps = ColumnTransformer(
        [
            ("numbers", make_pipeline(SimpleImputer(), StandardScaler()), numbers),
            ("texts", OneHotEncoder(drop="if_binary", handle_unknown="ignore"), texts),
        ]
    )
    return _fit(steps, RandomForestClassifier(30, max_depth=8, random_state=0), table)


def missing_kept() -> tuple[Pipeline, Table]:
    """Missing numbers reach the trees, which route them themselves."""
    table = sick_thyroid()
    steps = ColumnTransformer(
        [
            ("numbers", StandardScaler(), ["age", "TSH", "T3", "TT4", "FTI"]),
            ("texts", OneHotEncoder(handle_unknown="ignore", sparse_output=False), ["sex", "referral source"]),
        ]
    )
    trees = RandomForestClassifier(30, max_depth=8, random_state=0)
    return _fit(steps, trees, table)


def principal_components() -> tuple[Pipeline, Table]:
    """A regression on columns of which two are mixed, so that they cannot be mapped back to one feature."""
    table = titanic()
    frame = table.features.fillna({"age": 30.0})
    steps = ColumnTransformer([("mixed", PCA(2), ["fare", "age"]), ("rest", "passthrough", ["pclass"])])
    pipeline = Pipeline([("columns", steps), ("trees", RandomForestRegressor(20, max_depth=6, random_state=0))])
    return pipeline.fit(frame, frame["sibsp"]), Table(frame, frame["sibsp"])


def _fit(steps: ColumnTransformer, trees: ClassifierMixin, table: Table) -> tuple[Pipeline, Table]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return Pipeline([("columns", steps), ("trees", trees)]).fit(table.features, table.target), table


PIPELINES: dict[str, Callable[[], tuple[Pipeline, Table]]] = {
    "scaled_and_one_hot": scaled_and_one_hot,
    "imputed_categories": imputed_categories,
    "one_matrix": one_matrix,
    "ordinal_categories": ordinal_categories,
    "dropped_indicators": dropped_indicators,
    "missing_kept": missing_kept,
    "principal_components": principal_components,
}


@dataclass(frozen=True)
class FittedPipeline:
    """A fitted pipeline beside what the service makes of it."""

    name: str
    pipeline: Pipeline  # or one model
    onnx: bytes
    rows: Rows

    @functools.cached_property
    def read(self) -> ReadModel:
        return read_model(self.onnx, DeclaredModel(feature_names=self.rows.names), ModelLimits())

    @functools.cached_property
    def session(self) -> ModelSession:
        return ModelSession(self.read.leaf_graph, self.read.description)

    @functools.cached_property
    def tree_inputs(self) -> NDArray[np.float32]:
        """What the graph's trees read for the rows, shape (n_rows, n_columns)."""
        tensor = next(node.input[0] for node in onnx.load_from_string(self.onnx).graph.node if "Tree" in node.op_type)
        return tensor_values(self.onnx, tensor, self.session.encode(self.rows))

    def library_leaves(self) -> NDArray[np.int64]:
        """Return scikit-learn's own leaves for what the graph's preprocessing makes of the rows."""
        leaves: NDArray[np.int64] = self.pipeline[-1].apply(self.tree_inputs).reshape(len(self.rows), -1)
        return leaves

    def library_scores(self) -> NDArray[np.float64]:
        """Return scikit-learn's own predictions for what the graph's preprocessing makes of the rows."""
        trees = self.pipeline[-1]
        predict = getattr(trees, "predict_proba", trees.predict)
        return np.asarray(predict(self.tree_inputs), np.float64).reshape(len(self.rows), -1)


@functools.cache
def fitted_pipeline(name: str) -> FittedPipeline:
    """Return one of ``PIPELINES`` or ``NATIVE``, fitted and converted; skip where its data are not there."""
    if name in NATIVE:
        return FittedPipeline(name, *native_model(name), rows_of_frame(native_table().drop(columns="income")))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pipeline, table = PIPELINES[name]()
        if name == "one_matrix":
            converted = matrix_onnx(pipeline, table.features.to_numpy(np.float32))
        else:
            converted = columns_onnx(pipeline, table.features)
    if name == "missing_kept":
        converted = with_missing_routes(converted, pipeline[-1].estimators_)
    return FittedPipeline(name, pipeline, converted, rows_of_frame(table.features))


def with_missing_routes(data: bytes, trees: Sequence[Any]) -> bytes:
    """Return a forest's graph with the sides to which scikit-learn sends missing values; skl2onnx leaves them out."""
    model = onnx.load_from_string(data)
    (node,) = (node for node in model.graph.node if "Tree" in node.op_type)
    (routes,) = (each for each in node.attribute if each.name == "nodes_missing_value_tracks_true")
    routes.ints[:] = np.concatenate([each.tree_.missing_go_to_left for each in trees]).tolist()
    return bytes(model.SerializeToString())


def tensor_values(data: bytes, tensor: str, feeds: Feeds) -> NDArray[Any]:
    """Return what a graph computes for one of its inner tensors."""
    model = onnx.load_from_string(data)
    model.graph.output.append(onnx.ValueInfoProto(name=tensor))
    values: NDArray[Any] = onnxruntime.InferenceSession(model.SerializeToString()).run([tensor], feeds)[0]
    return values
