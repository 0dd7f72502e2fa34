"""Blocks of a dataset's rows, explained by the code for single rows, counted, and rendered as lines and as a table.

On a cluster, each worker warms the explainer up and explains runs of blocks.
"""

import dataclasses
import json
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import orjson
import pyarrow as pa
from numpy.typing import NDArray

from explanations.dataset_rows import DatasetRows
from explanations.explained_rows import NoteEffects, explain_read
from explanations.explainer_records import ExplainerRecords
from explanations.included_parts import Parts, parts_of
from explanations.instances import read_instances, run_readable
from explanations.tables import table_of
from explanations.warm_explainer import WarmExplainer, warm_up_records
from schemas.explanation_sets import ExplanationSetRequest
from storage.array_files import read_arrays, write_arrays
from storage.dataset_files import DatasetFile
from storage.dataset_files import Parts as DatasetParts
from storage.dataset_rows import find_rows
from tree_explainers.compute.exact_sums import exact_sum
from tree_explainers.compute.partitions import check_cancelled
from tree_explainers.onnx_models.session import Outcome

from ..cluster.identity import identity
from .cluster_inputs import ModelSource, RowsSource, check_node, node_objects, open_on_node
from .leaf_tables import LeafTableContent

if TYPE_CHECKING:
    from ..cluster.connection import Cluster  # it brings Dask, which is there for those who have a cluster

_MOST_BLOCKS = 4  # of a partition: 16 MiB of lines before they are compressed
_COMPRESSION_LEVEL = 1  # the next ones take twice as long for the same size
_LEAVES, _SCORES, _LABELS = "leaves", "scores", "labels"

Json = dict[str, Any]


@dataclass(slots=True)
class Tally:
    """Counts and sums over explained rows."""

    n_rows: int = 0
    n_explained: int = 0
    n_abstained: int = 0  # of these
    n_unassigned: int = 0
    n_agreeing: int = 0  # rows whose nearest prototype has what is predicted, or decided where it is of an outcome
    proximity: float = 0.0  # to the nearest prototype, summed over rows
    n_with_effects: int = 0
    effects: list[int] = field(default_factory=list)  # by player: exact sums of their sizes (``exact_sums.py``)
    n_of_label: dict[str, int] = field(default_factory=dict)
    n_of_outcome: dict[str, int] = field(default_factory=dict)
    n_of_level: dict[str, int] = field(default_factory=dict)  # of typicality
    n_of_code: dict[str, int] = field(default_factory=dict)  # rows with such a warning

    @classmethod
    def of(
        cls, documents: Sequence[Json], effects: Sequence[NDArray[np.float64]] = (), *, by_outcome: bool = False
    ) -> Self:
        """Count explanations, as callers get them, and add up the sizes of effects, (n_players,) of a row each.

        ``by_outcome``: prototypes have outcomes as labels.
        """
        explained = [document for document in documents if "prediction" in document]
        labels = [document["prediction"].get("label") for document in explained]
        outcomes = [document["decision"]["outcome"] if "decision" in document else None for document in explained]
        near = [(document["nearest_prototypes"] or [None])[0] for document in explained]
        levels = [document["typicality"]["level"] for document in explained if "typicality" in document]
        codes = [code for document in explained for code in {warning["code"] for warning in document["warnings"]}]
        compared = zip(near, outcomes if by_outcome else labels, strict=True)
        pairs = [(prototype, label) for prototype, label in compared if prototype is not None]
        return cls(
            n_rows=len(documents),
            n_explained=len(explained),
            n_abstained=sum(document["status"] == "abstained" for document in explained),
            n_unassigned=len(explained) - len(pairs),
            n_agreeing=sum(label is not None and prototype["label"] == label for prototype, label in pairs),
            proximity=sum(prototype["proximity"] for prototype, _ in pairs),
            n_with_effects=len(effects),
            effects=[exact_sum(column) for column in np.abs(effects).T] if effects else [],
            n_of_label=dict(Counter(label for label in labels if label is not None)),
            n_of_outcome=dict(Counter(outcome for outcome in outcomes if outcome is not None)),
            n_of_level=dict(Counter(levels)),
            n_of_code=dict(Counter(codes)),
        )

    def add(self, other: "Tally") -> None:
        """Add the counts of other rows."""
        self.n_rows += other.n_rows
        self.n_explained += other.n_explained
        self.n_abstained += other.n_abstained
        self.n_unassigned += other.n_unassigned
        self.n_agreeing += other.n_agreeing
        self.proximity += other.proximity
        self.n_with_effects += other.n_with_effects
        self.effects = [sum(sizes) for sizes in zip_longest(self.effects, other.effects, fillvalue=0)]
        self.n_of_label = dict(Counter(self.n_of_label) + Counter(other.n_of_label))
        self.n_of_outcome = dict(Counter(self.n_of_outcome) + Counter(other.n_of_outcome))
        self.n_of_level = dict(Counter(self.n_of_level) + Counter(other.n_of_level))
        self.n_of_code = dict(Counter(self.n_of_code) + Counter(other.n_of_code))


@dataclass(frozen=True, slots=True)
class RenderedBlock:
    """A block, ready to be written."""

    tally: Tally
    n_line_bytes: int  # before compression
    lines: bytes  # a frame of zstd, which can be read alone
    table: pa.Table
    outcome: Outcome  # of the rows that the model takes

    def parts(self) -> list[bytes | memoryview]:
        """Return the block as bytes, for another process."""
        counts = {**dataclasses.asdict(self.tally), "n_line_bytes": self.n_line_bytes}
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, self.table.schema) as stream:
            stream.write_table(self.table)
        labels = {} if self.outcome.labels is None else {_LABELS: self.outcome.labels}
        arrays = write_arrays({_LEAVES: self.outcome.leaves, _SCORES: self.outcome.scores, **labels})
        return [json.dumps(counts).encode(), self.lines, memoryview(sink.getvalue()), arrays]

    @classmethod
    def of_parts(cls, parts: Sequence[bytes]) -> Self:
        """Return the block that these bytes are of."""
        counts, lines, table, arrays = parts
        tally: Json = json.loads(counts)  # exact sums are whole numbers of hundreds of digits
        n_line_bytes = tally.pop("n_line_bytes")
        outcome = read_arrays(arrays)
        return cls(
            Tally(**tally),
            n_line_bytes,
            lines,
            pa.ipc.open_stream(table).read_all(),
            Outcome(outcome[_SCORES], outcome.get(_LABELS), outcome[_LEAVES]),
        )


@dataclass(frozen=True)
class BlockExplainer:
    """Explains blocks of a dataset's rows, in this process or in others that are forked from it."""

    warm: WarmExplainer
    parts: Parts  # what explanations have
    path: Path | DatasetParts  # of the dataset's file or files, which each process opens for itself
    columns: Sequence[str]  # (n_features,) the dataset's column for each feature
    n_rows: int  # of the dataset
    n_block_rows: int
    leaf_table: LeafTableContent | None  # the model's outcome, if an earlier job kept it
    target: str | None = None  # the dataset's target column
    are_reference: bool = False  # it is the dataset of the reference rows

    @property
    def n_blocks(self) -> int:
        """Number of blocks."""
        return -(-self.n_rows // self.n_block_rows)

    def rows_of(self, block: int) -> range:
        """Return the rows of a block."""
        start = block * self.n_block_rows
        return range(start, min(start + self.n_block_rows, self.n_rows))

    def explain(self, block: int) -> RenderedBlock:
        """Explain and render the block with this index."""
        rows = self.rows_of(block)
        effects: list[NDArray[np.float64]] = []
        documents, outcome = self._explain(rows, effects.extend)
        text = b"".join(orjson.dumps(document) + b"\n" for document in documents)
        table = table_of(documents, rows.start, is_regression=not self.warm.model.classes)
        compressed = pa.Codec("zstd", compression_level=_COMPRESSION_LEVEL).compress(text, asbytes=True)
        tally = Tally.of(documents, effects, by_outcome=self.warm.by_outcome)
        return RenderedBlock(tally, len(text), compressed, table, outcome)

    def _explain(self, rows: range, note_effects: NoteEffects) -> tuple[list[Json], Outcome]:
        """Return what a call for each row answers, and the model's outcome for those that it takes."""
        instances, row_ids = self._rows.read(rows)
        targets = self._rows.targets_of(rows, self.warm.model.classes)
        read = read_instances(instances, self.warm.features)
        read = read.registered(targets, rows, are_reference=self.are_reference)
        if self.leaf_table is None or read.refused:
            run = run_readable(self.warm.session, read, self.warm.walked)
        else:
            run = self.leaf_table.outcome(slice(rows.start, rows.stop)), read.indices, read.refused
        documents = explain_read(self.warm, self.parts, row_ids, read, run, note_effects=note_effects)
        return documents, run[0]

    @cached_property
    def _rows(self) -> DatasetRows:
        return DatasetRows(DatasetFile(self.path), self.columns, self.target)


# On a cluster.


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
        leaf_table=None,
        target=rows.rows.target,
        are_reference=rows.request.dataset == warm.dataset_id,
    )
    explained = []
    for block in range(first, stop):
        check_cancelled()
        explained.append(_without_outcome(explainer.explain(block)))
    return explained


def _without_outcome(block: RenderedBlock) -> RenderedBlock:
    """Return a block without the leaves of its rows, as nodes make no leaf table."""
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
