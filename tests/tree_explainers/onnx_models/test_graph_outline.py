"""A graph in outline keeps all that it does not read."""

from onnx import ModelProto

from tests.support.models import fitted
from tree_explainers.onnx_models.graph_outline import graph_outline


def test_what_is_not_read_is_written_again() -> None:
    graph = fitted("random_forest_binary").read.leaf_graph
    whole, outline = ModelProto.FromString(graph), graph_outline(graph)

    assert [list(node.output) for node in outline.graph.node] == [list(node.output) for node in whole.graph.node]
    assert any(len(node.attribute) for node in whole.graph.node)
    assert not any(hasattr(node, "attribute") for node in outline.graph.node)
    assert ModelProto.FromString(outline.SerializeToString()) == whole


def test_a_node_that_is_dropped_goes_with_its_attributes() -> None:
    graph = fitted("random_forest_binary").read.leaf_graph
    whole, outline = ModelProto.FromString(graph), graph_outline(graph)

    del whole.graph.node[0], outline.graph.node[0]

    assert ModelProto.FromString(outline.SerializeToString()) == whole
