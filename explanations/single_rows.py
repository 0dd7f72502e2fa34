"""A row without options, explained and written as JSON: what lists have of many rows are names here.

Most calls have one row. Objects that only hand it on from step to step take them as long as the steps do.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import orjson
from numpy.typing import NDArray

from tree_explainers.onnx_models.label_index import near_ties
from tree_explainers.onnx_models.session import Outcome
from tree_explainers.prototype_sets.nearest import contiguous_leaves
from tree_explainers.rows import Rows

from . import documents
from .cell_texts import cell_texts
from .composed_rows import compared_label
from .decisions import decisions_of
from .included_parts import Parts
from .near_prototypes import near_of_row
from .row_batches import are_usual
from .row_effects import effects_of_rows, written_effect
from .sentences import NO_CAUSES
from .warm_explainer import WarmExplainer
from .written_rows import RowPieces, labelled, row_summary, stated_outcome


class SingleRow(NamedTuple):
    """A row that the model takes."""

    row_id: str
    values: Sequence[Any]  # as sent, in the order of the features
    rows: Rows | NDArray[Any]  # the row alone, as the model takes it
    outcome: Outcome  # of the model, for the row alone
    target: str | float | None  # the class or value in the target column, where that is known


def write_single(warm: WarmExplainer, parts: Parts, row: SingleRow) -> bytes | None:
    """Return the explanation of a row as JSON; ``None`` of one that is composed: two of its scores nearly tie."""
    outcome, description = row.outcome, warm.session.description
    if near_ties(outcome.scores, description)[0]:
        return None
    (scores,), classes = documents.decimals(outcome.scores), warm.compared_classes(outcome)
    leaves = contiguous_leaves(warm.leaves(outcome))
    proximities, cells = warm.index.proximities(leaves), cell_texts(row.values)
    compared = None if classes is None else int(classes[0])
    decisions = decisions_of(description, outcome, [scores])
    decided = None if decisions is None else decisions[0]
    (is_usual,) = are_usual(warm, row.rows)
    calculated, effects = effects_of_rows(warm, parts, row.rows, proximities, [compared], outcome), None
    if calculated is not None and calculated.rows:
        effects = written_effect(warm, parts, (calculated, 0), (row.values, cells), decided)
    near = near_of_row(warm, parts, (leaves, proximities), (row.values, cells), is_usual=is_usual)
    causes = NO_CAUSES if effects is None else effects.causes
    stated = stated_outcome(scores, compared_label(warm, compared), decided, row.target)
    warnings = [] if is_usual else warm.wording.warnings.of_row(row.values)
    pieces, standing = RowPieces.of(warm), near.standing
    return b"".join(
        (
            b'{"object":"explanation","row_id":',
            orjson.dumps(row.row_id),
            b',"status":"abstained","summary":' if standing.abstains else b',"status":"ok","summary":',
            orjson.dumps(row_summary(warm, near, stated, causes)),
            b',"prediction":',
            pieces.prediction(scores, None if outcome.labels is None else int(outcome.labels[0])),
            b"" if decided is None else pieces.decision(labelled(warm, decided)),
            b"" if row.target is None else b',"target":%b' % orjson.dumps(row.target),
            pieces.standing(standing),
            b',"warnings":%b,"nearest_prototypes":[' % (orjson.dumps(warnings) if warnings else b"[]"),
            pieces.nearest(near),
            b"]}" if effects is None else b'],"effects":%b}' % effects.text,
        )
    )
