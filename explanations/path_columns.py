"""Ways in the approximation tree as Arrow columns: whether it agrees, the questions asked, the leaf reached."""

import pyarrow as pa

from .explained_blocks import ExplainedBlock
from .warm_explainer import WarmExplainer

_NODES = pa.list_(
    pa.struct([("id", pa.int64()), ("feature", pa.string()), ("text", pa.string()), ("holds", pa.bool_())])
)


class PathColumns:
    """Makes the columns of explained blocks; what is said of a leaf is prepared. Threads may share it."""

    def __init__(self, warm: WarmExplainer) -> None:
        told = () if warm.tree is None else warm.tree.told
        self._nodes = pa.array([way and way["nodes"] for way in told], _NODES)
        self._leaves = pa.array([way and way["leaf"] for way in told], _leaf(is_regression=not warm.model.classes))
        self._is_regression = not warm.model.classes

    def of(self, explained: ExplainedBlock) -> dict[str, pa.Array]:
        """Return the columns of the rows taken; all null where ways were not asked for."""
        if explained.reached is None:
            n_taken = len(explained.taken)
            agrees, nodes, leaves = (
                pa.nulls(n_taken, kind) for kind in (pa.bool_(), self._nodes.type, self._leaves.type)
            )
        else:
            reached = pa.array(explained.reached)
            agrees = pa.nulls(len(reached), pa.bool_()) if self._is_regression else pa.array(explained.tree_agrees)
            nodes, leaves = self._nodes.take(reached), self._leaves.take(reached)
        return {
            "approximation_path_agrees": agrees,
            "approximation_path_nodes": nodes,
            "approximation_path_leaf": leaves,
        }


def _leaf(*, is_regression: bool) -> pa.DataType:
    """Return the type of what is said of a leaf; a prediction is a number in regression, else a text."""
    score = pa.struct([("label", pa.string()), ("value", pa.float64())])
    prediction = pa.float64() if is_regression else pa.string()
    fields = [("id", pa.int64()), ("prediction", prediction), ("scores", pa.list_(score)), ("n_samples", pa.int64())]
    return pa.struct(fields)
