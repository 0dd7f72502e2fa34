"""A forest whose label is not that of the highest score: it says "yes" from a probability of .25 on."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from onnx import ModelProto, TensorProto, helper, numpy_helper
from skl2onnx import to_onnx
from sklearn.ensemble import RandomForestClassifier

CUT_OFF = 0.25
CLASSES = ("no", "yes")


@dataclass(frozen=True)
class CutOffForest:
    """The forest, its graph, and what it says of the rows that it was fitted to."""

    onnx: bytes
    forest: RandomForestClassifier
    features: NDArray[np.float32]

    def labels_of(self, features: NDArray[np.float32]) -> list[str]:
        """Return the labels by the cut-off."""
        is_yes = self.forest.predict_proba(features)[:, 1].astype(np.float32) >= np.float32(CUT_OFF)
        return [CLASSES[index] for index in is_yes.astype(int)]

    @property
    def labels(self) -> list[str]:
        """The labels of the rows that it was fitted to."""
        return self.labels_of(self.features)

    def frame(self) -> pd.DataFrame:
        """Return the rows with their true classes."""
        names = [f"x{column}" for column in range(self.features.shape[1])]
        is_yes = self.forest.predict(self.features)
        return pd.DataFrame(self.features, columns=names).assign(t=[CLASSES[index] for index in is_yes])


def cut_off_forest(n_trees: int = 5, n_rows: int = 80) -> CutOffForest:
    """Return a fitted forest; a good part of its rows is "yes" with a probability below one half."""
    rng = np.random.default_rng(4)
    features = rng.normal(size=(n_rows, 2)).astype(np.float32)
    chance = np.array([0.03, 0.4, 0.97])[np.digitize(features[:, 0], [-0.3, 0.6])]
    target = (rng.random(n_rows) < chance).astype(int)
    forest = RandomForestClassifier(n_trees, max_depth=2, random_state=1).fit(features, target)
    model: ModelProto = to_onnx(forest, features[:1], options={"zipmap": False})
    graph = model.graph
    scores = next(value for value in graph.output if "prob" in value.name)
    graph.node.extend(
        [
            helper.make_node("ArrayFeatureExtractor", [scores.name, "second"], ["of_yes"], domain="ai.onnx.ml"),
            helper.make_node("GreaterOrEqual", ["of_yes", "cut_off"], ["is_yes"]),
            helper.make_node("Cast", ["is_yes"], ["index"], to=TensorProto.INT64),
            helper.make_node("ArrayFeatureExtractor", ["classes", "index"], ["labels"], domain="ai.onnx.ml"),
            helper.make_node("Reshape", ["labels", "row"], ["cut_label"]),
        ]
    )
    constants = {
        "second": np.array([1]),
        "cut_off": np.array([CUT_OFF], np.float32),
        "classes": np.array([name.encode() for name in CLASSES], object),
        "row": np.array([-1]),
    }
    graph.initializer.extend(numpy_helper.from_array(value, name) for name, value in constants.items())
    del graph.output[:]
    graph.output.extend([helper.make_tensor_value_info("cut_label", TensorProto.STRING, [None]), scores])
    return CutOffForest(model.SerializeToString(), forest, features)
