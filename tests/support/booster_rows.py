"""Rows on which boosters are compared with what they become: at thresholds, missing, infinite, about 0."""

from typing import Any, TypeAlias

import numpy as np
import onnx
from leafspace_client.conversion import convert_model
from leafspace_client.conversion.double_precision import graph_labels
from numpy.typing import NDArray
from onnx import numpy_helper
from onnxruntime import InferenceSession

from tests.support.converted import outcome_of_converted

Estimator: TypeAlias = Any
_N_ROWS, _N_FEATURES = 80, 3


def training_rows(seed: int = 0) -> NDArray[np.float64]:
    """Return numbers of few digits, so that many lie on thresholds, some of them missing; shape (80, 3)."""
    rng = np.random.default_rng(seed)
    rows = np.round(rng.normal(size=(_N_ROWS, _N_FEATURES)), 1)
    rows[rng.random(rows.shape) < 0.1] = np.nan
    return rows


def targets(rows: NDArray[np.float64], n_classes: int = 2) -> NDArray[np.int64]:
    """Return classes that depend on the rows, with noise."""
    noise = np.random.default_rng(1).normal(size=len(rows))
    signal = np.nan_to_num(rows[:, 0]) * (1 + np.nan_to_num(rows[:, 1])) + 0.5 * noise
    return np.digitize(signal, np.quantile(signal, np.arange(1, n_classes) / n_classes)).astype(np.int64)


def odd_rows(graph: bytes, rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the rows and others: each threshold of the trees, the next numbers beside it, and numbers of extremes."""
    odd = [np.nan, 0.0, -0.0, 1e-36, -1e-36, 1e-35, -1e-35, float(np.float32(1e-35)), -float(np.float32(1e-35))]
    odd += [1e-34, -1e-34, 3e38, -3e38, np.inf, -np.inf]
    pairs = [(column, number) for column in range(rows.shape[1]) for number in odd]
    for column, threshold in sorted(_tests(graph)):
        pairs.append((column, threshold))
        for precision in (np.float32, np.float64):
            near = precision(threshold)
            pairs += [(column, float(np.nextafter(near, precision(end)))) for end in (np.inf, -np.inf)]
    changed = rows[np.arange(len(pairs)) % len(rows)].copy()
    columns, numbers = zip(*pairs, strict=True)
    changed[np.arange(len(pairs)), columns] = numbers
    return np.concatenate([rows, changed, np.full((1, rows.shape[1]), np.nan)])


def _tests(graph: bytes) -> set[tuple[int, float]]:
    tests: set[tuple[int, float]] = set()
    for node in onnx.load_from_string(graph).graph.node:
        attributes = {each.name: each for each in node.attribute}
        name = next((each for each in ("nodes_splits", "nodes_values_as_tensor") if each in attributes), None)
        if name is not None:
            thresholds = numpy_helper.to_array(attributes[name].t).tolist()
            tests |= set(zip(attributes["nodes_featureids"].ints, thresholds, strict=True))
    return tests


def assert_predicts_as_its_library(estimator: Estimator, rows: NDArray[np.float64], *, tolerance: float = 1e-5) -> None:
    """Compare scores and labels, or values, with those of the library, in the service and in onnxruntime."""
    graph = convert_model(estimator, rows, parity=False).onnx
    compared = odd_rows(graph, rows)
    is_classifier = hasattr(estimator, "predict_proba")
    scores = estimator.predict_proba(compared) if is_classifier else estimator.predict(compared)
    expected = np.asarray(scores, np.float64).reshape(len(compared), -1)
    session = InferenceSession(graph, providers=["CPUExecutionProvider"])
    element = {"tensor(float)": np.float32, "tensor(double)": np.float64}
    columns = np.split(compared, compared.shape[1], axis=1) if len(session.get_inputs()) > 1 else [compared]
    feeds = {
        each.name: column.astype(element[each.type]) for each, column in zip(session.get_inputs(), columns, strict=True)
    }
    *labels, outputs = session.run(None, feeds)
    np.testing.assert_allclose(outputs, expected, rtol=tolerance, atol=tolerance)
    if is_classifier:
        indices = _indices(estimator.classes_, estimator.predict(compared))
        np.testing.assert_array_equal(_indices(graph_labels(estimator.classes_), labels[0]), indices)
    outcome = outcome_of_converted(graph, compared)
    np.testing.assert_allclose(outcome.scores, expected, rtol=tolerance, atol=tolerance)
    if is_classifier:
        np.testing.assert_array_equal(outcome.labels, indices)


def _indices(classes: Any, labels: Any) -> NDArray[np.int64]:  # arrays
    index = {str(label): at for at, label in enumerate(np.asarray(classes).tolist())}
    return np.array([index[str(label)] for label in np.ravel(labels).tolist()])
