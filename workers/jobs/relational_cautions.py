"""Warnings of relational forests: those that learned examples by heart, and those made of ids."""

from collections.abc import Iterator, Sequence

import numpy as np

from schemas.relational_forests import ForestEvaluation, ForestScores, ForestWarning
from tree_explainers.relational.forests import labelled_examples
from tree_explainers.relational.queries import Feature, columns_read

from .relational_inputs import RelationalInput

# Of the scores on the examples that trees were learned from, above those out of bag: smaller gaps are no memorising.
_GAP_OF_ACCURACY = 0.1
_GAP_OF_R2 = 0.3
_NAMED_COLUMNS = 5

_WHAT_TO_DO = (
    "it learned these examples by heart, and what it explains says nothing about others: declare foreign keys, leave "
    "out columns that identify rows, or take a larger min_samples_leaf"
)


def forest_warnings(
    features: Sequence[Feature], evaluation: ForestEvaluation, read: RelationalInput
) -> Iterator[ForestWarning]:
    """Yield the reasons not to trust a forest.

    Parameters
    ----------
    features
        All that the trees test.
    evaluation
        How well it predicts.
    read
        What it was learned from, with what was noticed of its columns when the tables were registered.
    """
    ids = {
        (warning.table, column)
        for warning in read.view.warnings
        if warning.code == "column_of_ids"
        for column in warning.columns
    }
    tested = sorted(ids & {column for feature in features for column in columns_read(feature, read.rows.schema)})
    if tested:
        yield ForestWarning(code="tests_ids", detail=_ids_tested(tested))
    out_of_bag, training = evaluation.out_of_bag, evaluation.training
    if out_of_bag is not None and (detail := _no_better(out_of_bag, training, _constant_accuracy(read))):
        yield ForestWarning(code="no_better_than_constant", detail=f"{detail}: {_WHAT_TO_DO}")


def _ids_tested(columns: Sequence[tuple[str, str]]) -> str:
    names = ", ".join(f"{table}.{column}" for table, column in columns[:_NAMED_COLUMNS])
    more = ", …" if len(columns) > _NAMED_COLUMNS else ""
    return (
        f"trees test {names}{more}, where nearly each row has another value, as ids have, which says nothing about "
        "other rows: declare it as a key, or leave it out"
    )


def _constant_accuracy(read: RelationalInput) -> float:
    """Return the share of the most frequent label; NaN of a regression."""
    labels = read.rows.labels
    if labels is None:
        return np.nan
    counts = np.bincount(labels[labelled_examples(read.rows)])
    return float(counts.max() / counts.sum())


def _no_better(out_of_bag: ForestScores, training: ForestScores, constant_accuracy: float) -> str | None:
    """Return how examples fare that trees have not seen, if one answer for all would be as good but for chance.

    Chance is a standard error: of an accuracy, or of the R2 of predictions that have nothing to do with the values.
    """
    if out_of_bag.accuracy is not None and training.accuracy is not None:
        chance = np.sqrt(constant_accuracy * (1 - constant_accuracy) / out_of_bag.n_examples)
        is_no_better = out_of_bag.accuracy <= constant_accuracy + chance
        if not is_no_better or training.accuracy - out_of_bag.accuracy < _GAP_OF_ACCURACY:
            return None
        return (
            f"the forest predicts {out_of_bag.accuracy:.1%} of labels out of bag, which is no better than always "
            f"answering with the most frequent label ({constant_accuracy:.1%}) but for chance, and "
            f"{training.accuracy:.1%} of those that it was learned from"
        )
    if out_of_bag.r2 is None or training.r2 is None:
        return None
    if out_of_bag.r2 > 1 / np.sqrt(out_of_bag.n_examples) or training.r2 - out_of_bag.r2 < _GAP_OF_R2:
        return None
    return (
        f"the forest's R2 is {out_of_bag.r2:.2f} out of bag, which is no better than always predicting the mean (0) "
        f"but for chance, and {training.r2:.2f} on the examples that it was learned from"
    )
