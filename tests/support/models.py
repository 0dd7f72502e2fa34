"""Small real fitted models and their ONNX form, made once for all processes: ``fitted("random_forest_binary")``."""

import functools
import hashlib
import importlib
import os
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from skl2onnx import to_onnx
from sklearn import datasets, ensemble, tree

from tree_explainers.onnx_models.description import DeclaredModel, ModelLimits
from tree_explainers.onnx_models.reading import ReadModel, read_model
from tree_explainers.onnx_models.session import ModelSession
from tree_explainers.rows import Rows

# None of these libraries ships types.
Estimator = Any
Library = Any
Maker = Any
Setting = int | float | str | bool

TASKS = ("binary", "multiclass", "regression")
FORESTS = ("random_forest", "extra_trees", "bagging", "bagging_of_features")
SKLEARN_FAMILIES = (*FORESTS, "gradient_boosting", "ada_boost", "decision_tree")
BOOSTER_FAMILIES = ("xgboost", "lightgbm", "catboost")
SKLEARN_MODELS = tuple(f"{family}_{task}" for family in SKLEARN_FAMILIES for task in TASKS)
BOOSTER_MODELS = tuple(f"{family}_{task}" for family in BOOSTER_FAMILIES for task in TASKS)
ALL_MODELS = SKLEARN_MODELS + BOOSTER_MODELS

_CONVERTERS = ("numpy", "scipy", "scikit-learn", "onnx", "skl2onnx", "onnxmltools", "onnxconverter-common")
_N_TREES = 20


@dataclass(frozen=True)
class FittedModel:
    """A fitted estimator beside what the service makes of it."""

    name: str
    fit: Callable[[], Estimator]  # the same each time
    onnx: bytes
    features: NDArray[np.float32]  # what the estimator takes
    rows: Rows  # the same rows as the service takes them
    target: NDArray[Any]

    @functools.cached_property
    def estimator(self) -> Estimator:
        """The fitted estimator, which many tests never need: they take its ONNX form."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return self.fit()

    @property
    def is_classifier(self) -> bool:
        return hasattr(self.estimator, "predict_proba")

    def library_scores(self) -> NDArray[np.float64]:
        """Return what the library itself predicts: (n_rows, n_classes) or (n_rows, 1)."""
        if self.is_classifier:
            return np.asarray(self.estimator.predict_proba(self.features), np.float64)
        return np.asarray(self.estimator.predict(self.features), np.float64).reshape(-1, 1)

    def library_labels(self) -> NDArray[np.str_]:
        """Return the classes that the library predicts, as texts."""
        return np.asarray(self.estimator.predict(self.features)).reshape(-1).astype(str)

    def library_leaves(self) -> NDArray[np.int64] | None:
        """Return the leaf of each row in each tree in the library's own numbers; ``None`` where it does not say."""
        return leaves_of(self.estimator, self.features)

    @functools.cached_property
    def read(self) -> ReadModel:
        return read_model(self.onnx, DeclaredModel(feature_names=self.rows.names), ModelLimits())

    @functools.cached_property
    def session(self) -> ModelSession:
        return ModelSession(self.read.leaf_graph, self.read.description)


@functools.cache
def fitted(name: str) -> FittedModel:
    """Return the model called ``<family>_<task>``, one of ``ALL_MODELS``; skip where its library is lacking."""
    family, _, task = name.rpartition("_")
    features, target = matrix_data(task)
    unfitted = _MAKERS[family](task)
    return _fitted_model(name, lambda: unfitted.fit(features, target), features, target)


def _fitted_model(
    name: str, fit: Callable[[], Estimator], features: NDArray[np.float32], target: NDArray[Any]
) -> FittedModel:
    """Return a model whose ONNX form is read from a file that all test processes share, and written by the first."""
    path = _onnx_folder() / f"{name}.onnx"
    if path.exists():
        return FittedModel(name, fit, path.read_bytes(), features, rows_of_matrix(features), target)
    model = FittedModel(name, fit, b"", features, rows_of_matrix(features), target)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        onnx = onnx_of(model.estimator, features)
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
        file.write(onnx)
    Path(file.name).replace(path)  # in one step: another process may read it
    return replace(model, onnx=onnx, fit=lambda: model.estimator)


@functools.cache
def _onnx_folder() -> Path:
    """Return the folder of what this source and these versions of libraries make."""
    parts = [Path(__file__).read_bytes()]
    parts += [f"{name} {_version(name)}".encode() for name in (*_CONVERTERS, *BOOSTER_FAMILIES)]
    key = hashlib.sha256(b"\n".join(parts)).hexdigest()[:16]
    folder = Path(__file__).parents[2] / ".pytest_cache" / "fitted_models" / key
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


@functools.cache
def matrix_data(task: str) -> tuple[NDArray[np.float32], NDArray[Any]]:
    """Return real data that come with scikit-learn: features in float32, and the target."""
    loader = {"binary": datasets.load_breast_cancer, "multiclass": datasets.load_wine}.get(task, datasets.load_diabetes)
    features, target = loader(return_X_y=True)
    return features.astype(np.float32), target


def rows_of_matrix(features: NDArray[np.floating[Any]]) -> Rows:
    """Return a matrix as rows whose features are called ``f0``, ``f1``, ..."""
    names = tuple(f"f{column}" for column in range(features.shape[1]))
    return Rows(names, tuple(np.asarray(column, np.float64) for column in features.T))


@functools.cache
def undecided_forest() -> FittedModel:
    """Return a small forest of pure leaves on noisy rows, as skl2onnx writes it; its classes tie on some rows."""
    features, target = datasets.make_classification(600, 8, n_informative=5, flip_y=0.3, class_sep=0.5, random_state=2)
    features = features.astype(np.float32)
    forest = ensemble.RandomForestClassifier(20, random_state=0)
    return _fitted_model("undecided_forest", lambda: forest.fit(features[:200], target[:200]), features, target)


def onnx_of(estimator: Estimator, features: NDArray[np.float32]) -> bytes:
    """Return the estimator as ONNX with one float32 matrix as input, by its library's own converter."""
    module = type(estimator).__module__.split(".")[0]
    if module == "catboost":
        return _catboost_onnx(estimator)
    if module in ("xgboost", "lightgbm"):
        return _onnxmltools_onnx(estimator, module, features.shape[1])
    return bytes(to_onnx(estimator, features[:1]).SerializeToString())


def leaves_of(estimator: Estimator, features: NDArray[np.float32]) -> NDArray[np.int64] | None:
    """Return the library's own leaf numbers, shape (n_rows, n_trees), in the order in which the trees are exported."""
    if hasattr(estimator, "estimators_features_"):
        parts = zip(estimator.estimators_, estimator.estimators_features_, strict=True)
        return np.column_stack([each.apply(features[:, columns]) for each, columns in parts])
    if hasattr(estimator, "calc_leaf_indexes"):
        return np.asarray(estimator.calc_leaf_indexes(features), np.int64)
    if type(estimator).__module__.startswith("lightgbm"):
        return np.asarray(estimator.predict(features, pred_leaf=True), np.int64).reshape(len(features), -1)
    if hasattr(estimator, "apply"):
        return np.asarray(estimator.apply(features), np.int64).reshape(len(features), -1)
    if hasattr(estimator, "estimators_"):
        return np.column_stack([each.apply(features) for each in estimator.estimators_])
    return None


def library(name: str) -> Library:
    """Return an imported library; skip where it, or what it needs from the system, is not there.

    With ``LEAFSPACE_REQUIRE_BOOSTERS=1`` that is a failure, so that a build which installs it all cannot pass without.
    """
    try:
        return importlib.import_module(name)
    except (ImportError, OSError) as error:
        message = f"{name} cannot be imported here: {error}"
        if os.environ.get("LEAFSPACE_REQUIRE_BOOSTERS") == "1":
            pytest.fail(message)
        pytest.skip(message)


def _sklearn(classifier: Maker, regressor: Maker, **settings: Setting) -> Callable[[str], Estimator]:
    return lambda task: (regressor if task == "regression" else classifier)(random_state=0, **settings)


def _bagging(max_features: float) -> Callable[[str], Estimator]:
    def make(task: str) -> Estimator:
        is_regression = task == "regression"
        base = (tree.DecisionTreeRegressor if is_regression else tree.DecisionTreeClassifier)(max_depth=6)
        maker = ensemble.BaggingRegressor if is_regression else ensemble.BaggingClassifier
        return maker(base, n_estimators=_N_TREES, max_features=max_features, random_state=0)

    return make


def _booster(module: str, classifier: str, regressor: str, **settings: Setting) -> Callable[[str], Estimator]:
    return lambda task: getattr(library(module), regressor if task == "regression" else classifier)(
        n_estimators=_N_TREES, **settings
    )


_MAKERS: dict[str, Callable[[str], Estimator]] = {
    "random_forest": _sklearn(
        ensemble.RandomForestClassifier, ensemble.RandomForestRegressor, n_estimators=_N_TREES, max_depth=8
    ),
    "extra_trees": _sklearn(
        ensemble.ExtraTreesClassifier, ensemble.ExtraTreesRegressor, n_estimators=_N_TREES, max_depth=8
    ),
    "bagging": _bagging(max_features=1.0),
    "bagging_of_features": _bagging(max_features=0.5),
    "gradient_boosting": _sklearn(
        ensemble.GradientBoostingClassifier, ensemble.GradientBoostingRegressor, n_estimators=_N_TREES
    ),
    "ada_boost": _sklearn(ensemble.AdaBoostClassifier, ensemble.AdaBoostRegressor, n_estimators=_N_TREES),
    "decision_tree": _sklearn(tree.DecisionTreeClassifier, tree.DecisionTreeRegressor, max_depth=5),
    "xgboost": _booster("xgboost", "XGBClassifier", "XGBRegressor", max_depth=4, n_jobs=1),
    "lightgbm": _booster(
        "lightgbm", "LGBMClassifier", "LGBMRegressor", num_leaves=15, n_jobs=1, verbose=-1, random_state=0
    ),
    "catboost": _booster(
        "catboost",
        "CatBoostClassifier",
        "CatBoostRegressor",
        depth=4,
        learning_rate=0.3,
        verbose=0,
        allow_writing_files=False,
        thread_count=1,
        random_seed=0,
    ),
}


def _onnxmltools_onnx(estimator: Estimator, module: str, n_features: int) -> bytes:
    onnxmltools = library("onnxmltools")
    float_type = onnxmltools.convert.common.data_types.FloatTensorType
    convert = getattr(onnxmltools, f"convert_{module}")
    return bytes(convert(estimator, initial_types=[("X", float_type([None, n_features]))]).SerializeToString())


def _catboost_onnx(estimator: Estimator) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.onnx"
        estimator.save_model(str(path), format="onnx")
        return path.read_bytes()
