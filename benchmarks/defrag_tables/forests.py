"""The forests that are approximated by rules, and the depth-2 trees that they are compared with.

A forest is fitted by scikit-learn with what R's randomForest does by default, exported to ONNX, kept on disk, and read
as the service reads it.
"""

import functools
import hashlib
import json
import tempfile
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from skl2onnx import to_onnx
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from tree_explainers.compute.threads import n_cores
from tree_explainers.onnx_models.description import DeclaredModel, ModelLimits
from tree_explainers.onnx_models.reading import ReadModel, read_model
from tree_explainers.onnx_models.session import ModelSession

from .datasets import Part, Realisation

N_TREES, SHALLOW_DEPTH = 100, 2
SMALLER_TREES = {"max_leaf_nodes": 32}  # a fitting that makes far fewer statements
# R splits no node of five rows or fewer (nodesize = 5, regression), and every impure one otherwise (nodesize = 1).
_MIN_SPLIT_REGRESSION, _MIN_SPLIT = 6, 2


@dataclass(frozen=True)
class Forest:
    """A forest as the service knows it."""

    realisation: Realisation
    onnx: bytes

    @functools.cached_property
    def read(self) -> ReadModel:
        """What the service keeps of the model."""
        return read_model(self.onnx, DeclaredModel(feature_names=self.realisation.names), ModelLimits())

    def predict(self, part: Part) -> NDArray[Any]:
        """Return the predictions for some rows: classes 0, 1 as int64, or values."""
        session = ModelSession(self.read.leaf_graph, self.read.description)
        outcome = session.run_in_chunks(self.realisation.rows(part))
        if outcome.labels is None:
            return outcome.scores[:, 0].astype(np.float64)
        return outcome.labels


def forest(realisation: Realisation, **others: int) -> Forest:
    """Return the forest of a draw, with other settings than usual where they are given: fitted, or as it was kept."""
    settings = forest_settings(realisation) | others
    key = json.dumps([realisation.seed, settings, *(version(name) for name in _LIBRARIES)], sort_keys=True)
    path = kept_folder() / f"{realisation.dataset}-{hashlib.sha256(key.encode()).hexdigest()[:16]}.onnx"
    if not path.exists():
        partial = path.with_suffix(".part")
        partial.write_bytes(_fitted(realisation, settings))
        partial.rename(path)
    return Forest(realisation, path.read_bytes())


def forest_settings(realisation: Realisation) -> dict[str, int]:
    """Return the settings that correspond to R's defaults."""
    n_features, is_regression = len(realisation.names), realisation.is_regression
    n_tried = n_features // 3 if is_regression else int(n_features**0.5)
    return {
        "n_estimators": N_TREES,
        "max_features": max(1, n_tried),
        "min_samples_split": _MIN_SPLIT_REGRESSION if is_regression else _MIN_SPLIT,
        "random_state": realisation.seed,
    }


def shallow_tree(realisation: Realisation) -> Any:  # an estimator of a library without types
    """Return the paper's last baseline, a tree of depth two, fitted to the training rows."""
    kind = DecisionTreeRegressor if realisation.is_regression else DecisionTreeClassifier
    tree = kind(max_depth=SHALLOW_DEPTH, random_state=realisation.seed)
    return tree.fit(realisation.train.features, realisation.train.target)


def _fitted(realisation: Realisation, settings: dict[str, int]) -> bytes:
    kind = RandomForestRegressor if realisation.is_regression else RandomForestClassifier
    features = realisation.train.features.astype(np.float32)
    estimator = kind(n_jobs=n_cores(), **settings).fit(features, realisation.train.target)
    return bytes(to_onnx(estimator, features[:1]).SerializeToString())


def kept_folder() -> Path:
    """Return where this benchmark keeps what takes long to make."""
    folder = Path(tempfile.gettempdir()) / "leafspace-defrag-tables"
    folder.mkdir(exist_ok=True)
    return folder


_LIBRARIES = ("scikit-learn", "numpy", "skl2onnx")
