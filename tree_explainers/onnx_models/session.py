"""ModelSession: predictions and leaves of raw rows, in one call to onnxruntime.

It must not import ``onnx``: a process that answers requests opens graphs that were read and checked elsewhere.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from functools import cache, partial
from importlib import import_module
from threading import Lock
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..compute.progress import ReportProgress, ignore_progress
from ..compute.threads import in_order, n_cores
from ..errors import ModelRefused, RowRefused
from ..rows import Rows
from .description import ModelDescription
from .encoding import FEW_VALUES, Feeds, RowEncoder, are_finite
from .label_index import LabelIndex, may_tie
from .refused_values import refusal_of
from .score_sums import link_sums, scores_of_linked
from .sure_predictions import SurePredictions

_CELLS_PER_CHUNK = 1_000_000  # leaves (rows x trees) held at a time by each thread: 4 MB, thrice; some 0.4 s of work
_MAX_CHUNK_ROWS = 65_536
MOST_ROWS_TRIED = 1_000
"""As many rows as models are tried with at registration; an oracle, whose operators are hardly known, gets no more."""

_FEW_ROWS = 4

# Of probabilities, in the scores' own type: numpy takes as long again to convert integers to it.
_BOUNDS = {np.dtype(kind): (np.zeros((), kind), np.ones((), kind)) for kind in (np.float32, np.float64)}
_ROUNDED_BEYOND = 1e-4  # a probability is this far beyond 0 or 1 by rounding alone; what is further out is shown

Piece = tuple[slice, Rows]  # some rows, and which they are among all
_Made = TypeVar("_Made")


@dataclass(frozen=True, slots=True)
class Outcome:
    """The predictions and leaves of some rows."""

    scores: NDArray[np.floating[Any]]  # (n_rows, n_classes), or (n_rows, 1): the value of a regression
    labels: NDArray[np.int64] | None  # (n_rows,) indices among the classes; None for regression
    leaves: NDArray[np.int32]  # (n_rows, n_trees) leaf reached, counted within its tree
    feeds: Feeds | None = field(default=None, compare=False, repr=False)  # tensors that the graph read; None: not kept
    # What effects compare, (n_rows, n_ranked), where the rows were walked by it; None: they were not.
    ranks: NDArray[np.uint16] | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Predictions:
    """The predictions for some rows, without their leaves."""

    scores: NDArray[np.floating[Any]]  # (n_rows, n_classes), or (n_rows, 1): the value of a regression
    labels: NDArray[np.int64] | None  # (n_rows,) indices among the classes; None for regression


@dataclass(frozen=True, slots=True)
class RowOutcomes:
    """The predictions for those rows that the model takes, and why it refuses the others."""

    accepted: NDArray[np.int64]  # (n_accepted,) indices, ascending
    outcome: Outcome  # of the accepted rows
    refused: tuple[tuple[int, RowRefused], ...]  # index and reason


class ModelSession:
    """An open model.

    Parameters
    ----------
    leaf_graph
        The graph that ``read_model`` returned, or what returns it when it is first needed.
    description
        The description that came with it.
    n_threads
        Threads that one call may use; 1 is best for single rows, and gives the same sums every time.

    Raises
    ------
    ModelRefused
        ``model_invalid_graph`` where onnxruntime cannot open the graph.
    """

    def __init__(
        self, leaf_graph: bytes | Callable[[], bytes], description: ModelDescription, n_threads: int = 1
    ) -> None:
        self.description = description
        self._opened = None if callable(leaf_graph) else open_graph(leaf_graph, n_threads)
        self._open_late = partial(_open_read, leaf_graph, n_threads) if callable(leaf_graph) else None
        self._opening = Lock()
        self._n_calls = max(1, n_cores() // n_threads)  # that pieces of many rows are shared among
        self._chunk_rows = (
            MOST_ROWS_TRIED
            if description.oracle_only
            else min(_MAX_CHUNK_ROWS, max(1, _CELLS_PER_CHUNK // description.n_trees))
        )
        self._encoder = RowEncoder(description)
        self._output_names = [name for name in (description.score_output, description.leaf_output) if name]
        self._labels = LabelIndex(description)
        self._sure = SurePredictions.of(description)
        if description.label_output:
            self._output_names.append(description.label_output)
        self.prediction_names = [name for name in self._output_names if name != description.leaf_output]

    def encode(self, rows: Rows) -> Feeds:
        """Return the graph's tensors for raw rows; see ``RowEncoder.encode`` for what is refused."""
        return self._encoder.encode(rows)

    def encode_matrix(self, values: NDArray[np.floating[Any]]) -> Feeds:
        """Return the graph's tensors for numbers, shape (n_rows, n_features); see ``RowEncoder.encode_matrix``."""
        return self._encoder.encode_matrix(values)

    def run(self, feeds: Feeds) -> Outcome:
        """Return scores, labels and leaves.

        Labels are the graph's own, so that they agree with the model at ties, too.

        Raises
        ------
        RowRefused
            ``unknown_category`` where the graph refuses one that it does not know, ``validation_failed`` another value;
            ``non_finite_number`` where a score is not finite.
        """
        if self.description.oracle_only:
            scores, *label = self.outputs(self.prediction_names, feeds)
            scores, labels = self._checked(scores, label, len(next(iter(feeds.values()))))
            return Outcome(scores, labels, np.empty((len(scores), 0), np.int32))
        scores, leaves, *label = self.outputs(self._output_names, feeds)
        return Outcome(*self._checked(scores, label, len(leaves)), leaves)

    def outputs(self, names: list[str], feeds: Feeds) -> list[NDArray[Any]]:
        """Return tensors of the graph as onnxruntime calculates them; ``RowRefused`` where it takes not all rows."""
        try:
            outputs: list[NDArray[Any]] = self._session().run(names, feeds)
        except runtime_errors() as error:
            raise refusal_of(self.description, feeds) from error
        return outputs

    def _session(self) -> Any:  # onnxruntime ships no types
        if self._opened is None and self._open_late is not None:
            with self._opening:
                self._opened = self._opened or self._open_late()
        return self._opened

    def _checked(
        self, scores: NDArray[np.floating[Any]], label: list[NDArray[Any]], n_rows: int
    ) -> tuple[NDArray[np.floating[Any]], NDArray[np.int64] | None]:
        if label and label[0].size != n_rows:
            raise _of_another_shape("labels", label[0], n_rows)
        scores = self._tidy(scores, n_rows)
        if not are_finite(scores):
            raise RowRefused("non_finite_number", "The model's own score of a row is not finite.")
        return scores, self._labels.find(scores, label[0] if label else None)

    def predictions_of_outputs(self, outputs: list[NDArray[Any]], n_rows: int) -> Predictions:
        """Return the predictions that tensors of the graph, in the order of ``prediction_names``, are."""
        scores, *label = outputs
        return Predictions(*self._checked(scores, label, n_rows))

    def scores_of_sums(self, sums: NDArray[Any]) -> NDArray[np.floating[Any]]:
        """Return the scores, (n_rows, n_scores), of sums of leaf values, (n_rows, n_outputs), which may be changed.

        Only where ``description.scoring`` says how scores follow from them.
        """
        assert self.description.scoring is not None
        link_sums(sums, self.description.scoring)
        return self._checked(scores_of_linked(sums, self.description.scoring), [], len(sums))[0]

    def predictions_of_sums(self, sums: NDArray[Any], encode: Callable[[], Feeds]) -> Predictions:
        """Return the predictions for sums of leaf values, as ``scores_of_sums`` takes them; ``encode`` their rows.

        Labels of rows whose best scores are as good as equal are the graph's own.
        """
        assert self.description.scoring is not None
        link_sums(sums, self.description.scoring)
        if self._sure is not None and (sure := self._sure.of_sums(sums)) is not None:
            return Predictions(*sure)
        scores, labels = self._checked(scores_of_linked(sums, self.description.scoring), [], len(sums))
        if labels is None or self.description.label_output is None:
            return Predictions(scores, labels)
        are_near = may_tie(scores, self.description.rounding)
        if are_near.any():
            labels, near = labels.copy(), np.flatnonzero(are_near)
            _, *label = self.outputs(self.prediction_names, {name: each[near] for name, each in encode().items()})
            labels[near] = self._labels.find(scores[near], label[0])  # type: ignore[assignment]  # a classifier has them
        return Predictions(scores, labels)

    def run_in_chunks(self, rows: Rows, report: ReportProgress = ignore_progress) -> Outcome:
        """Return the outcome of many rows, processed in chunks of moderate size by all cores."""
        pieces = self._in_order(self._run_piece, self._pieces([rows]), len(rows), report)
        return _stack([self._nothing(), *(outcome for _, outcome in pieces)])

    def predict(self, rows: Rows) -> Predictions:
        """Return scores and labels of many rows, without their leaves, processed by all cores.

        Raises
        ------
        RowRefused
            Naming the first row refused by its index, where it is known.
        """
        with closing(in_order(self._predict_piece, self._pieces([rows]), self._n_calls)) as pieces:
            return self._joined(predictions for _, predictions in pieces)

    def fill(
        self, codes: NDArray[Any], blocks: Iterable[Rows], report: ReportProgress = ignore_progress
    ) -> Predictions:
        """Write the leaves of all rows into an array, and return what else the model returns for them.

        Both cores work on the pieces of the blocks, each on one at a time, so that little more than two blocks is
        ever held; every sum is made by one thread alone, and so comes out as it does for a row alone.

        Parameters
        ----------
        codes : (n_trees, n_rows), of ``smallest_dtype`` of the largest number of leaves
            Filled in, as ``LeafTable.from_codes`` takes it.
        blocks
            The rows in order, n_rows of them in all; drawn one after the other by the calling thread.
        report
            Called after each piece, by the calling thread. Whatever it raises leaves nothing running.

        Raises
        ------
        RowRefused
            Naming the first row refused by its index among all rows, where it is known.
        """
        pieces = self._in_order(partial(self._fill_piece, codes), self._pieces(blocks), codes.shape[1], report)
        return self._joined(predictions for _, predictions in pieces)

    def _joined(self, parts: Iterable[Predictions]) -> Predictions:
        nothing = self._nothing()
        parts = [Predictions(nothing.scores, nothing.labels), *parts]
        return Predictions(np.concatenate([part.scores for part in parts]), _joined(part.labels for part in parts))

    def _pieces(self, blocks: Iterable[Rows]) -> Iterator[Piece]:
        """Cut blocks into pieces of at most ``_chunk_rows``; those of a block are as large, and no core waits long."""
        n_before = 0
        for block in blocks:
            n_pieces = max(1, -(-len(block) // self._chunk_rows))
            if n_pieces > 1:
                n_pieces += -n_pieces % self._n_calls
            length = max(1, -(-len(block) // n_pieces))
            for start in range(0, len(block), length):
                piece = block.take(slice(start, start + length))
                yield slice(n_before + start, n_before + start + len(piece)), piece
            n_before += len(block)

    def _in_order(
        self, work: Callable[[Piece], _Made], pieces: Iterator[Piece], n_rows: int, report: ReportProgress
    ) -> Iterator[tuple[slice, _Made]]:
        with closing(in_order(work, pieces, self._n_calls)) as results:
            for (span, _), each in results:
                yield span, each
                report(span.stop / n_rows, "reading leaves")

    def run_rows(self, rows: Rows | NDArray[np.floating[Any]]) -> RowOutcomes:
        """Return the outcome of the rows that the model takes; a bad row does not fail the others.

        The rows go through together; where that fails, their halves do, and so on. A matrix of numbers, (n_rows,
        n_features), is the shorter way for models that read nothing else.
        """
        outcomes: list[Outcome] = []
        accepted: list[int] = []
        refused: list[tuple[int, RowRefused]] = []
        waiting = [range(len(rows))] if len(rows) else []
        while waiting:
            part = waiting.pop()
            try:
                feeds = self._encode_either(_part_of(rows, part))
                outcome = self.run(feeds)
                outcomes.append(Outcome(outcome.scores, outcome.labels, outcome.leaves, feeds))
                accepted += part
            except RowRefused as refusal:
                if len(part) == 1:
                    refused.append((part.start, refusal))
                else:
                    waiting += reversed(_smaller(part))
        return RowOutcomes(np.array(accepted, np.int64), _stack(outcomes or [self._nothing()]), tuple(refused))

    def _run_piece(self, piece: Piece) -> Outcome:
        span, rows = piece
        try:
            return self.run(self.encode(rows))
        except RowRefused as refusal:
            raise self._located(rows, refusal).after(span.start) from None

    def _fill_piece(self, codes: NDArray[Any], piece: Piece) -> Predictions:
        outcome = self._run_piece(piece)
        codes[:, piece[0]] = outcome.leaves.T
        return Predictions(outcome.scores, outcome.labels)

    def _predict_piece(self, piece: Piece) -> Predictions:
        span, rows = piece
        try:
            scores, *label = self.outputs(self.prediction_names, self.encode(rows))
            return Predictions(*self._checked(scores, label, len(rows)))
        except RowRefused as refusal:
            raise self._located(rows, refusal).after(span.start) from None

    def _located(self, rows: Rows, refusal: RowRefused) -> RowRefused:
        """Return the refusal of the first row alone that is refused, found by halving."""
        if refusal.row is not None or len(rows) == 1:
            return RowRefused(refusal.code, refusal.detail, refusal.row or 0)
        half = len(rows) // 2
        for span in (slice(0, half), slice(half, len(rows))):
            some = rows.take(span)
            try:
                self.run(self.encode(some))
            except RowRefused as narrower:
                return self._located(some, narrower).after(span.start)
        return refusal  # of the rows together only

    def _encode_either(self, rows: Rows | NDArray[np.floating[Any]]) -> Feeds:
        return self.encode(rows) if isinstance(rows, Rows) else self.encode_matrix(rows)

    def _nothing(self) -> Outcome:
        n_scores = max(1, len(self.description.classes))
        labels = np.empty(0, np.int64) if self.description.classes else None
        leaves = np.empty((0, self.description.n_trees), np.int32)
        return Outcome(np.empty((0, n_scores), np.float32), labels, leaves)

    def _tidy(self, scores: NDArray[np.floating[Any]], n_rows: int) -> NDArray[np.floating[Any]]:
        """Return scores in the shape (n_rows, n_classes or 1)."""
        n_scores = max(1, len(self.description.classes))
        # The scores of a row alone may come without the dimension of rows.
        if scores.dtype.kind != "f" or (n_rows != 1 and scores.shape[:1] != (n_rows,)):
            raise _of_another_shape("scores", scores, n_rows)
        columns = scores.reshape(n_rows, -1)
        if columns.shape[1] == 1 and n_scores == 2:  # one score represents two
            first = 1 - columns if self.description.score_kind == "probability" else -columns
            columns = np.hstack((first, columns))
        if columns.shape[1] == n_scores:
            return _without_excess(columns) if self.description.score_kind == "probability" else columns
        detail = f"The model gives {columns.shape[1]} scores a row; {n_scores} are expected."
        raise ModelRefused("model_unsupported_input", detail)


def _of_another_shape(what: str, values: NDArray[Any], n_rows: int) -> ModelRefused:
    detail = (
        f"The graph's output of {what} has the shape {values.shape} and the type {values.dtype} for {n_rows:,} rows; "
        "one label, or floating-point scores, for each row are expected."
    )
    return ModelRefused("model_invalid_graph", detail)


def _without_excess(scores: NDArray[np.floating[Any]]) -> NDArray[np.floating[Any]]:
    """Return probabilities from 0 to 1: averaged in single precision, some are a hair beyond."""
    if scores.size <= FEW_VALUES and all(0 <= score <= 1 for score in scores.ravel().tolist()):
        return scores
    within = scores.clip(*_BOUNDS.get(scores.dtype, (0, 1)))
    excess = within - scores
    return np.where(np.abs(excess) <= _ROUNDED_BEYOND, within, scores) if excess.any() else within


def _open_read(read_graph: Callable[[], bytes], n_threads: int) -> Any:  # onnxruntime ships no types
    return open_graph(read_graph(), n_threads)


def load_runtime() -> None:
    """Load onnxruntime, which would be loaded with the first model: a service without models does without it."""
    import_module("onnxruntime")


@cache
def runtime_errors() -> tuple[type[Exception], ...]:
    """Return what onnxruntime raises."""
    errors = import_module("onnxruntime.capi.onnxruntime_pybind11_state")
    names = ("Fail", "InvalidArgument", "InvalidGraph", "InvalidProtobuf", "NotImplemented", "RuntimeException")
    return tuple(getattr(errors, name) for name in names)


def open_graph(graph: bytes, n_threads: int = 1) -> Any:  # onnxruntime ships no types
    """Open a graph that we made of a model that was read; ``ModelRefused`` where onnxruntime cannot."""
    onnxruntime = import_module("onnxruntime")  # late, as ``load_runtime`` says
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = n_threads
    options.inter_op_num_threads = 1
    options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
    options.log_severity_level = 4
    # Threads that wait by spinning take the processor from the thread that answers the next request.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        return onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
    except runtime_errors() as error:
        detail = "onnxruntime cannot open the graph: its operators, types or shapes do not fit together."
        raise ModelRefused("model_invalid_graph", detail) from error


def _part_of(rows: Rows | NDArray[np.floating[Any]], part: range) -> Rows | NDArray[np.floating[Any]]:
    if len(part) == len(rows):
        return rows
    some = slice(part.start, part.stop)
    return rows.take(some) if isinstance(rows, Rows) else rows[some]


def _smaller(part: range) -> list[range]:
    """Return the halves of some rows; few rows come one by one, as halves would often be refused, too."""
    if len(part) <= _FEW_ROWS:
        return [range(row, row + 1) for row in part]
    half = part.start + len(part) // 2
    return [range(part.start, half), range(half, part.stop)]


def _stack(parts: list[Outcome]) -> Outcome:
    if len(parts) == 1:
        return parts[0]
    return Outcome(
        np.concatenate([part.scores for part in parts]),
        _joined(part.labels for part in parts),
        np.concatenate([part.leaves for part in parts]),
    )


def _joined(parts: Iterable[NDArray[np.int64] | None]) -> NDArray[np.int64] | None:
    labels = [part for part in parts if part is not None]
    return np.concatenate(labels) if labels else None
