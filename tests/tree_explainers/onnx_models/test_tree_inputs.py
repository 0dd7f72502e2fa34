"""What trees compare is taken from the input without a graph where it is a copy of it, and is what the graph gives."""

import numpy as np
import pytest
from onnx import load_from_string
from onnxruntime import InferenceSession

from tests.support.converted import read_converted
from tests.support.models import ALL_MODELS, fitted, rows_of_matrix
from tree_explainers.onnx_models.tree_inputs import TreeColumns
from tree_explainers.onnx_models.walked_parts import WalkedParts


@pytest.mark.parametrize("name", sorted(ALL_MODELS))
def test_values_of_a_matrix_are_those_that_the_graph_gives(name: str) -> None:
    model = fitted(name)
    read = read_converted(model.onnx, model.rows.names)
    front = WalkedParts.from_arrays(read.arrays()).front_graph
    rows = np.array(model.features[:20], np.float64)

    values = TreeColumns(read.description, WalkedParts(front, b"")).of(rows)

    expected = np.asarray(rows, np.float32 if read.description.inputs[0].type == "float" else np.float64)
    if front:
        (given,) = (each.name for each in load_from_string(front).graph.input)
        outputs = [tensor.name for tensor in read.description.tensors]
        session = InferenceSession(front, providers=["CPUExecutionProvider"])
        expected = np.concatenate(session.run(outputs, {given: expected}), axis=1)
    np.testing.assert_array_equal(values, expected.astype(np.float64))
    np.testing.assert_array_equal(
        values, TreeColumns(read.description, WalkedParts(front, b"")).of(rows_of_matrix(rows))
    )
