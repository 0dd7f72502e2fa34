"""Pseudo rows of a dataset, labelled by a model, from which rule lists are found."""

from functools import partial

import numpy as np

from tree_explainers.approximation_trees.generators import GeneratorSettings, Smoother
from tree_explainers.approximation_trees.node_boxes import NodeBox
from tree_explainers.approximation_trees.oracle import Answering
from tree_explainers.compute.progress import ReportProgress
from tree_explainers.prediction_scores import Targets
from tree_explainers.questions.statements import Statements
from tree_explainers.rows import Rows
from tree_explainers.rule_sets.pseudo_rows import PseudoRows, draw_pseudo_rows
from tree_explainers.rule_sets.row_parts import RowParts

from ..runtime.context import JobContext
from .answering import cluster_answers, predict_each
from .inputs import OpenModel

NEAR = GeneratorSettings(bandwidth=0.1, neighbor_probability=0.2)
"""How rows near the training rows are drawn: so wide that the model does not repeat what it learned of these."""

_BLOCK_ROWS = 2_048  # labelled between two reports


def labelled_pseudo_rows(
    context: JobContext, model: OpenModel, training: RowParts, statements: Statements
) -> PseudoRows:
    """Draw pseudo rows by the training rows, of which many are sampled, and label them by the model."""
    rows = training.sample(model.description.feature_names)
    smoother = Smoother.of(rows, model.description.missing_texts, NEAR)
    everywhere = NodeBox(model.description.missing_texts)
    answers = cluster_answers(context, model) or model.session
    label = partial(_labels, model, answers, context.report)
    return draw_pseudo_rows(rows, partial(smoother.draw, rows, everywhere), label, statements, context.rng)


def _labels(model: OpenModel, answers: Answering, report: ReportProgress, rows: Rows) -> Targets:
    """Return what the model predicts for rows."""
    parts = []
    blocks = (rows.take(slice(start, start + _BLOCK_ROWS)) for start in range(0, len(rows), _BLOCK_ROWS))
    for _, predicted in predict_each(answers, blocks):
        parts.append(predicted)
        report(0.15, "evaluating the model")
    if parts[0].labels is None:
        return Targets.of_values(np.concatenate([each.scores[:, 0] for each in parts]).astype(np.float64))
    labels = [each.labels for each in parts if each.labels is not None]
    return Targets.of_classes(np.concatenate(labels), len(model.view.classes))
