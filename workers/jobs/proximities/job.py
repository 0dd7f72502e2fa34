"""Make proximities: find the nearest rows of every row, block by block, so that memory holds one block."""

from schemas.proximities import ProximitiesRequest, ProximitiesResult

from ...runtime.context import JobContext, Produced
from ..tree_space import enter_tree_space, row_names
from .neighbor_table import write_neighbors


def make_proximities(context: JobContext) -> Produced:
    """Make what a ``ProximitiesRequest`` asks for."""
    request = ProximitiesRequest(**context.request)
    space = enter_tree_space(context, request)
    table = context.workspace / "neighbors.parquet"
    written = write_neighbors(table, space, row_names(context.objects, space.seen), request.n_neighbors, context.report)
    content = ProximitiesResult(
        kind=space.kind,
        n_rows=space.seen.n_rows,
        n_trees=space.model.view.n_trees,
        n_neighbors=request.n_neighbors,
        n_pairs=written.n_pairs,
        mean_nearest_proximity=written.nearest / space.total_weight / space.seen.n_rows,
        share_without_neighbors=written.n_alone / space.seen.n_rows,
    )
    return Produced(content.model_dump_json().encode(), space.arrays(), files={"table": table})
