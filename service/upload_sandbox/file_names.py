"""Files that the child leaves beside the upload."""

CONTENT = "content.parquet"
LEAF_GRAPH = "leaf_graph.onnx"
ENSEMBLE = "ensemble.npz"
