"""derive_model: everything that is kept of a model's file, made once when it comes into the service.

Models come from callers, in the confined process that reads uploads, and from jobs that learn one. The graph is run for
one row and for as many as one call may have, so that whatever can fail fails here first.
"""

import resource
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelRefused, RowRefused
from ..rows import Rows
from .description import DeclaredModel, ModelDescription, ModelLimits
from .oracle_trial import rows_to_try, try_oracle
from .plausible_trial import DerivedModel, check_fixed_rows, labels_are_highest, try_plausible_rows
from .reading import ReadModel, read_model
from .runtime_differences import runtime_warnings
from .session import MOST_ROWS_TRIED, ModelSession
from .sniffing import HEAD_BYTES, sniff_model

_MOST_BYTES_OF_ROWS = 512 * 1024**2


def derive_model(data: bytes, declared: DeclaredModel, limits: ModelLimits) -> DerivedModel:
    """Return the description, the arrays and the graph with leaves of an ONNX file.

    Raises
    ------
    ModelRefused
        What is wrong with it.
    """
    sniff_model(data[:HEAD_BYTES])
    read = read_model(data, declared, limits)
    del data  # it may be large, and callers hold it no longer
    if declared.oracle_only:
        return _tried_oracle(read, limits)
    session = ModelSession(read.leaf_graph, read.description)
    if _predicts_one_row(session):
        _predict_many_rows(session, _some_rows(session.description, MOST_ROWS_TRIED))
    return try_plausible_rows(DerivedModel(read, session))


def _tried_oracle(read: ReadModel, limits: ModelLimits) -> DerivedModel:
    """Return an oracle with what is known only once it has run: how quick it is, and whether scores are probabilities.

    It is tried with its raw scores: one that represents two classes is 1 less the other as a probability.
    """
    known = read.description
    unclipped = "raw" if known.score_kind == "probability" else known.score_kind
    session = ModelSession(read.leaf_graph, replace(known, score_kind=unclipped))
    rows = rows_to_try(session, read.example_texts, limits)
    _predict_many_rows(session, rows)
    tried = try_oracle(session, rows, limits)
    if read.for_trial.of_fixed_rows is not None:
        check_fixed_rows(session, read.for_trial.of_fixed_rows, rows)
    are_probabilities = known.score_kind == "probability" and tried.are_probabilities
    kind = "probability" if are_probabilities else unclipped
    sent, feeds = read.for_trial.as_sent, session.encode(rows)
    warnings = () if sent is None else runtime_warnings(sent, read.description, feeds, tried.outcome)
    read = replace(
        read,
        description=replace(
            known,
            score_kind=kind,
            seconds_per_1000_rows=tried.seconds,
            labels_are_highest=labels_are_highest(known, tried.outcome),
            warnings=warnings,
        ),
    )
    return DerivedModel(read, ModelSession(read.leaf_graph, read.description))


def _predicts_one_row(session: ModelSession) -> bool:
    """Run the graph once, and return whether it takes the row.

    A crash of the runtime ends this process, and no other. Some models refuse the row for its values (a category that
    they do not know), which is valid; a model that reads numbers only has no reason to.
    """
    try:
        session.run(session.encode(_some_rows(session.description, 1)))
    except RowRefused as refusal:
        if refusal.code == "validation_failed" and all(spec.type != "string" for spec in session.description.inputs):
            detail = "the model cannot predict a row of zeros: its operators, types or shapes do not fit together"
            raise ModelRefused("model_invalid_graph", detail) from refusal
        return False
    return True


def _predict_many_rows(session: ModelSession, many: Rows) -> None:
    """Run the graph for the largest number of rows in one call: the growth of tensors shows here first.

    A few operators can make a matrix of all rows by all rows, or twice as many columns each. Sizes do not depend on
    values (``onnx_models.checking``), so that other rows take no more.
    """
    before = _peak_bytes()
    rows = session.encode(many)
    try:
        session.run(rows)
    except RowRefused as refusal:
        # The same row alone was accepted: there was no memory for all of them, or shapes inside are those of one row.
        text = str(refusal.__cause__).lower()
        raise _too_large() if ("alloc" in text or "out of memory" in text) else _for_one_row() from refusal
    if _peak_bytes() - before > _MOST_BYTES_OF_ROWS:
        raise _too_large()


def _too_large() -> ModelRefused:
    detail = f"Predicting {MOST_ROWS_TRIED:,} rows takes more than {_MOST_BYTES_OF_ROWS // 1024**2} MiB of memory."
    return ModelRefused("model_too_complex", detail)


def _for_one_row() -> ModelRefused:
    detail = (
        f"The graph predicts one row, but not {MOST_ROWS_TRIED:,} rows together: sizes inside it are fixed. Export it "
        "for any number of rows."
    )
    return ModelRefused("model_invalid_graph", detail)


def _peak_bytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _some_rows(description: ModelDescription, n_rows: int) -> Rows:
    columns: list[NDArray[Any]] = []
    for spec in description.inputs:
        is_text = spec.type == "string"
        value: NDArray[Any] = np.full(n_rows, None, np.object_) if is_text else np.zeros(n_rows)
        columns += [value] * spec.width
    for feature in description.closed_features:  # a category that is not refused
        if feature.categories:
            columns[feature.raw_index] = np.full(n_rows, feature.categories[0], columns[feature.raw_index].dtype)
    return Rows(description.feature_names, tuple(columns))
