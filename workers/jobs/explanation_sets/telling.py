"""What is told of a block: its lines, compressed, its table, and what is counted."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

import pyarrow as pa

from explanations.explained_blocks import BlockExplainer, ExplainedBlock
from explanations.lines import LineWriter
from explanations.row_blocks import RowBlock
from explanations.tables import TableMaker
from tree_explainers.onnx_models.session import Outcome

_COMPRESSION_LEVEL = 1  # the next ones take twice as long for the same size


@dataclass(slots=True)
class Tally:
    """What is counted of explained rows."""

    n_rows: int = 0
    n_explained: int = 0
    n_unassigned: int = 0
    n_agreeing: int = 0  # rows whose nearest prototype has the label that the model predicts
    proximity: float = 0.0  # to the nearest prototype, summed over rows
    n_of_label: Counter[int] = field(default_factory=Counter)

    @staticmethod
    def of(explained: ExplainedBlock) -> "Tally":
        """Count a block."""
        is_assigned = explained.nearest >= 0
        labels = explained.outcome.labels
        return Tally(
            n_rows=len(explained.rows),
            n_explained=len(explained.taken),
            n_unassigned=int((~is_assigned).sum()),
            n_agreeing=int(explained.agrees.sum()),
            proximity=float(explained.shares[explained.near.bounds[:-1][is_assigned]].sum()),
            n_of_label=Counter([] if labels is None else labels.tolist()),
        )

    def add(self, other: "Tally") -> None:
        """Count other rows, too."""
        self.n_rows += other.n_rows
        self.n_explained += other.n_explained
        self.n_unassigned += other.n_unassigned
        self.n_agreeing += other.n_agreeing
        self.proximity += other.proximity
        self.n_of_label.update(other.n_of_label)


@dataclass(frozen=True, slots=True)
class Frame:
    """Some lines, compressed so that they can be read alone."""

    n_rows: int
    n_bytes: int  # before compression
    data: pa.Buffer  # a frame of zstd


@dataclass(frozen=True, slots=True)
class ToldBlock:
    """A block, ready to be written down."""

    frames: tuple[Frame, ...]
    table: pa.Table
    tally: Tally
    outcome: Outcome  # of the rows that the model takes


class Teller:
    """Tells blocks; several threads may share it."""

    def __init__(self, explainer: BlockExplainer, n_frame_rows: int) -> None:
        self._explainer = explainer
        self._n_frame_rows = n_frame_rows
        self._writer, self._tables = LineWriter(explainer), TableMaker(explainer)
        self._codec = pa.Codec("zstd", compression_level=_COMPRESSION_LEVEL)

    def tell(self, block: RowBlock, outcome: Outcome | None) -> ToldBlock:
        """Explain a block and write it down; ``outcome`` is what the model says of it, if that is known."""
        explained = self._explainer.explain(block, outcome)
        frames, table = tuple(self._frames(explained)), self._tables.make(explained)
        return ToldBlock(frames, table, Tally.of(explained), explained.outcome)

    def _frames(self, explained: ExplainedBlock) -> Iterator[Frame]:
        n_left = len(explained.rows)
        for lines in self._writer.write_parts(explained, self._n_frame_rows):
            n_rows = min(self._n_frame_rows, n_left)
            n_left -= n_rows
            yield Frame(n_rows, lines.size, self._codec.compress(lines))
