"""Explanations of a dataset's rows on a cluster: each worker warms the explainer up, and explains runs of blocks."""

import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from explanations.explainer_records import ExplainerRecords
from explanations.included_parts import parts_of
from explanations.warm_explainer import WarmExplainer, warm_up_records
from schemas.explanation_sets import ExplanationSetRequest
from storage.dataset_rows import find_rows
from tree_explainers.compute.partitions import check_cancelled
from tree_explainers.onnx_models.session import Outcome

from ..cluster.identity import identity
from .explained_blocks import BlockExplainer, RenderedBlock
from .node_inputs import ModelSource, RowsSource, check_node, node_objects, open_on_node

if TYPE_CHECKING:
    from ..cluster.connection import Cluster  # it brings Dask, which is there for those who have a cluster

_MOST_BLOCKS = 4  # of a partition: 16 MiB of lines before they are compressed


@dataclass(frozen=True, slots=True)
class ExplainedRows:
    """Which rows are explained, by what, and how."""

    records: ExplainerRecords
    model: ModelSource
    request: ExplanationSetRequest
    rows: RowsSource
    n_rows: int
    n_block_rows: int

    @property
    def n_blocks(self) -> int:
        """Number of blocks."""
        return -(-self.n_rows // self.n_block_rows)


def explained_on_cluster(cluster: "Cluster", rows: ExplainedRows) -> Iterator[RenderedBlock]:
    """Yield all blocks in their order; a partition is some blocks that follow each other."""
    length = cluster.items_of_partition(rows.n_blocks, _MOST_BLOCKS)
    bounds = [(first, min(first + length, rows.n_blocks)) for first in range(0, rows.n_blocks, length)]
    for explained in cluster.spread(bounds).map(explain_blocks, rows, dict(identity())):
        yield from explained


def explain_blocks(first: int, stop: int, rows: ExplainedRows, expected: Mapping[str, str]) -> list[RenderedBlock]:
    """Explain the rows of blocks ``first`` to ``stop - 1``, on a worker."""
    check_node(expected)
    warm = _warm(rows.records, rows.model)
    explainer = BlockExplainer(
        warm=warm,
        parts=parts_of(warm, rows.request),
        path=find_rows(node_objects(), rows.rows.content, pages=True),
        columns=rows.rows.columns,
        n_rows=rows.n_rows,
        n_block_rows=rows.n_block_rows,
        kept=None,
    )
    explained = []
    for block in range(first, stop):
        check_cancelled()
        explained.append(_without_outcome(explainer.explain(block)))
    return explained


def _without_outcome(block: RenderedBlock) -> RenderedBlock:
    """Return a block without the leaves of its rows, of which no leaf table is made here."""
    scores, leaves = block.outcome.scores[:0].copy(), block.outcome.leaves[:0].copy()
    return replace(block, outcome=Outcome(scores, None, leaves))


_held = threading.local()


def _warm(records: ExplainerRecords, model: ModelSource) -> WarmExplainer:
    """Return the explainer, which each thread keeps for its next partition."""
    if getattr(_held, "of", None) != (records, model):
        _held.warm = warm_up_records(records, node_objects(), open_on_node(model)[0])
        _held.of = (records, model)
    warm: WarmExplainer = _held.warm
    return warm
