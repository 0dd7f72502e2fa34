"""One row without options, explained and written as JSON: what lists have of many rows are names here.

Most calls have one row. Objects that only hand it on from step to step take it as long as the steps do; rows that are
explained together share these.
"""

from tree_explainers.onnx_models.label_index import near_ties
from tree_explainers.onnx_models.session import Outcome
from tree_explainers.prototype_sets.nearest import contiguous_leaves

from . import documents
from .cell_texts import cell_texts
from .composed_rows import compared_label
from .decisions import decisions_of
from .included_parts import Parts
from .instances import ReadInstances
from .near_prototypes import near_of_row
from .row_batches import are_usual
from .row_effects import effects_of_rows, written_effect
from .warm_explainer import WarmExplainer
from .written_rows import RowParts, written_row


def write_single(warm: WarmExplainer, parts: Parts, row_id: str, read: ReadInstances, outcome: Outcome) -> bytes | None:
    """Return the explanation of the only row of a call as JSON; ``None`` where two of its scores nearly tie.

    ``outcome`` is that of the model, which takes the row.
    """
    description, (values,) = warm.session.description, read.values
    if near_ties(outcome.scores, description)[0]:
        return None
    (scores,), classes = documents.decimals(outcome.scores), warm.compared_classes(outcome)
    leaves = contiguous_leaves(warm.leaves(outcome))
    proximities, cells = warm.index.proximities(leaves), cell_texts(values)
    compared = None if classes is None else int(classes[0])
    decisions = decisions_of(description, outcome, [scores])
    decision = None if decisions is None else decisions[0]
    (is_usual,) = are_usual(warm, read.rows)
    calculated, effects = effects_of_rows(warm, parts, read.rows, proximities, [compared], outcome), None
    if calculated is not None and calculated.rows:
        effects = written_effect(warm, parts, (calculated, 0), (values, cells), decision)
    row = RowParts(
        row_id,
        values,
        is_usual,
        scores,
        None if outcome.labels is None else int(outcome.labels[0]),
        compared_label(warm, compared),
        decision,
        read.targets.get(0),
        near_of_row(warm, parts, (leaves, proximities), (values, cells), is_usual=is_usual),
        effects,
    )
    return written_row(warm, row)
