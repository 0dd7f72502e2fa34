"""WalkedSession: leaves and predictions of many rows by the walker, the same as onnxruntime's.

Rows that come alone are onnxruntime's business, as are the tensors that trees read (where they are no inputs of the
graph), the scores of models that calculate more than ``Scoring`` says, and the labels of near ties.
"""

from collections.abc import Callable
from typing import Any

from numpy.typing import NDArray

from ..ensemble import TreeEnsemble
from ..errors import RowRefused
from ..rows import Rows
from ..walker.walking import Walker
from .description import ModelDescription
from .encoding import Feeds
from .refused_values import refusal_of
from .session import ModelSession, Piece, Predictions, open_graph, runtime_errors
from .tail_session import TailSession
from .walked_parts import WalkedParts

_CELLS_PER_CHUNK = 2_000_000  # rows x trees of a piece: some 50 ms; of fewer rows, deep trees are read too often
_MAX_CHUNK_ROWS = 16_384


class WalkedSession(ModelSession):
    """An open model whose many rows are walked.

    Parameters
    ----------
    read_graph
        Returns the leaf graph, which is opened when it is first needed.
    description
        The description that came with it; its ``tensors`` are known.
    ensemble, parts
        Its trees, whose operators the walker has (``can_be_walked``), and what was kept for it.
    """

    def __init__(
        self, read_graph: Callable[[], bytes], description: ModelDescription, ensemble: TreeEnsemble, parts: WalkedParts
    ) -> None:
        super().__init__(read_graph, description)
        self._chunk_rows = min(_MAX_CHUNK_ROWS, max(1, _CELLS_PER_CHUNK // description.n_trees))
        sums = description.scoring.sums if description.scoring else parts.tail.sums if parts.tail else "single"
        self.walker = Walker.of(parts.as_read(ensemble), description.tensors, sums_in_double=sums != "single")
        self._front = open_graph(parts.front_graph) if parts.front_graph else None
        self._predicting = open_graph(parts.prediction_graph) if parts.prediction_graph else None
        self._tail = TailSession(parts.tail, self) if parts.tail else None
        self._computed = [each.name for each in self._front.get_outputs()] if self._front else []

    def _fill_piece(self, codes: NDArray[Any], piece: Piece) -> Predictions:
        span, rows = piece
        try:
            feeds = self.encode(rows)
            tensors = self._tensors(feeds)
            if not self._predicts_sums:
                self.walker.fill(tensors, len(rows), codes[:, span])
                return self._predicted(feeds, None)
            return self._predicted(feeds, self.walker.fill_and_sum(tensors, len(rows), codes[:, span]))
        except RowRefused as refusal:
            raise self._located(rows, refusal).after(span.start) from None

    def _predict_piece(self, piece: Piece) -> Predictions:
        span, rows = piece
        try:
            feeds = self.encode(rows)
            if not self._predicts_sums:
                return self._predicted(feeds, None)
            return self._predicted(feeds, self.walker.sums(self._tensors(feeds), len(rows)))
        except RowRefused as refusal:
            raise self._located(rows, refusal).after(span.start) from None

    @property
    def has_tail(self) -> bool:
        """Whether predictions can be made of the walker's sums by the tail of the graph."""
        return self._tail is not None

    def predict_by_tail(self, rows: Rows) -> Predictions:
        """Return the predictions that the tail makes of some rows' sums; ``RowRefused`` where it takes not all."""
        assert self._tail is not None
        return self._tail.predictions(self.walker.sums(self._tensors(self.encode(rows)), len(rows)))

    @property
    def _predicts_sums(self) -> bool:
        return self.description.scoring is not None or (self._tail is not None and self.description.engine.has_tail)

    def _tensors(self, feeds: Feeds) -> Feeds:
        if self._front is None:
            return feeds
        try:
            computed = self._front.run(self._computed, feeds)
        except runtime_errors() as error:
            raise refusal_of(self.description, feeds) from error
        return {**feeds, **dict(zip(self._computed, computed, strict=True))}

    def _predicted(self, feeds: Feeds, sums: NDArray[Any] | None) -> Predictions:
        if sums is None:
            outputs = self.outputs(self.prediction_names, feeds)
            return self.predictions_of_outputs(outputs, len(outputs[0]))
        if self.description.scoring is None and self._tail is not None:
            return self._tail.predictions(sums)
        return self.predictions_of_sums(sums, lambda: feeds)

    def outputs(self, names: list[str], feeds: Feeds) -> list[NDArray[Any]]:
        """Return tensors of the graph, by the graph of predictions alone where there is one."""
        if self._predicting is None or names != self.prediction_names:
            return super().outputs(names, feeds)
        try:
            outputs: list[NDArray[Any]] = self._predicting.run(names, feeds)
        except runtime_errors() as error:
            raise refusal_of(self.description, feeds) from error
        return outputs
