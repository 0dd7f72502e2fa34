"""Cautions: why figures may flatter, where a model or a relational forest has memorised the rows behind them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from leafspace_drawings.words import tenths

from schemas.cautions import Caution, CautionCode
from schemas.relational_forests import ForestEvaluation, ForestScores, ForestWarning
from tree_explainers.relational.forests import labelled_examples

from .relational_inputs import RelationalInput

_HOLLOW = 0.1  # of the way from what a constant answer reaches to agreement in all rows
_MEMORISED = 0.99  # share of labels that the model repeats
_MEMORISED_R2 = 0.95  # forests grown until leaves are pure, each tree on a sample of the rows, are not far above this

# Of the scores on the examples that trees were learned from, above those out of bag: smaller gaps are no memorising.
_GAP_OF_ACCURACY = 0.1
_GAP_OF_R2 = 0.3

_WHAT_TO_DO = (
    "it learned these examples by heart, and what it explains says nothing about others: declare foreign keys, leave "
    "out columns that identify rows, or take a larger min_samples_leaf"
)
_OTHER_ROWS = "name rows that it was not trained on as evaluation_dataset"
_FIGURES_FLATTER = (
    "where it was trained on the same rows, {memorised}figures measured on them may be better than on other rows"
)
_OF_SAME_ROWS = (
    "these figures were measured on the rows that this was made from: where the model was trained on them, they may be "
    "better than on other rows"
)
_OF_HELD_OUT_ROWS = (
    "these figures were measured on the rows that this was made from; the dataset declares that the model was not "
    "trained on them"
)

TYPICALITY_OF_MEMORISED_ROWS = (
    "prototypes were selected from these very rows: where the model was trained on them, they may be nearer to "
    "prototypes than new rows are, which then look less typical than they are; "
    f"{_OTHER_ROWS}"
)


class Agreement(Protocol):
    """How often predictions agree with the model's; ``None`` for regression."""

    @property
    def fidelity(self) -> float | None:
        """Share of the rows."""

    @property
    def balanced_fidelity(self) -> float | None:
        """The same with each class of the model's predictions counted alike."""


class ConstantAgreement(Agreement, Protocol):
    """The same of always one answer."""

    @property
    def model_prediction(self) -> str | float:
        """The answer that agrees with the model most often."""


def known_cautions(*cautions: Caution | None) -> list[Caution]:
    """Return those of these that there are."""
    return [each for each in cautions if each is not None]


def caution_of_agreement(measured: Agreement, constant: ConstantAgreement | None) -> Caution | None:
    """Return a caution if predictions agree with the model hardly more than a constant answer does; else nothing.

    The balanced figure shows that first where classes are unequal: one answer agrees for nearly all rows of a model
    that nearly always gives it.
    """
    if constant is None:
        return None
    agreement, balanced = measured.fidelity, measured.balanced_fidelity
    of_constant, balanced_of_constant = constant.fidelity, constant.balanced_fidelity
    if agreement is None or balanced is None or of_constant is None or balanced_of_constant is None:
        return None
    always = f"always answering {constant.model_prediction!r}"
    alike = f"with each class counted alike, this agrees with the model in {tenths(balanced)} of the rows"
    if of_constant < 1 and balanced - balanced_of_constant < _HOLLOW * (1 - balanced_of_constant):
        than = f"{always} ({tenths(balanced_of_constant)})"
        return _hollow(f"{alike}, hardly more than {than}: it says little of what the model does")
    if of_constant < 1 and agreement <= of_constant:
        return _hollow(
            f"this agrees with the model in {tenths(agreement)} of the rows, no more than {always} "
            f"({tenths(of_constant)}); {alike} against {tenths(balanced_of_constant)}"
        )
    return None


def _hollow(detail: str) -> Caution:
    return Caution(code="hardly_better_than_constant", detail=detail)


def caution_of_figures(*, accuracy: float | None, r2: float | None, are_held_out: bool) -> Caution:
    """Return what to know of figures that were measured on the rows that an artefact was made from.

    Parameters
    ----------
    accuracy, r2
        How well the model itself predicts the target of the rows; ``None`` where that is not known.
    are_held_out
        Whether the dataset declares that the model was not trained on them.
    """
    if are_held_out:
        return Caution(code="measured_on_its_own_rows", detail=_OF_HELD_OUT_ROWS)
    if accuracy is not None:
        is_memorised, beginning = (
            accuracy >= _MEMORISED,
            f"the model predicts {tenths(accuracy)} of these labels",
        )
    elif r2 is not None:
        is_memorised, beginning = r2 >= _MEMORISED_R2, f"the model's values have an R2 of {r2:.3f} to these rows' own"
    else:
        return Caution(code="measured_on_training_rows", detail=_OF_SAME_ROWS, remedy=_OTHER_ROWS)
    memorised = "it may have memorised them, and " if is_memorised else ""
    detail = f"{beginning}: {_FIGURES_FLATTER.format(memorised=memorised)}"
    return Caution(code="measured_on_training_rows", detail=detail, remedy=_OTHER_ROWS)


@dataclass(frozen=True, slots=True)
class Consequence:
    """What it means for a result that a model repeats the targets of its rows."""

    code: CautionCode
    detail: str  # the rest of the sentence
    remedy: str | None = None


def caution_of_memory(
    consequence: Consequence, *, accuracy: float | None = None, r2: float | None = None
) -> Caution | None:
    """Return a caution if a model repeats the targets of rows as it does of those that it was trained on.

    Parameters
    ----------
    consequence
        What that means for the result.
    accuracy, r2
        How well the model predicts the target of the rows; ``None`` where that is not known.
    """
    if accuracy is not None and accuracy >= _MEMORISED:
        repeated = f"the model predicts {tenths(accuracy)} of these labels"
    elif accuracy is None and r2 is not None and r2 >= _MEMORISED_R2:
        repeated = f"the model's values have an R2 of {r2:.3f} to these rows' own"
    else:
        return None
    return Caution(code=consequence.code, detail=f"{repeated}: {consequence.detail}", remedy=consequence.remedy)


# Relational forests: those that learned examples by heart.


def forest_warnings(evaluation: ForestEvaluation, read: RelationalInput) -> Iterator[ForestWarning]:
    """Yield the reasons not to trust a forest.

    Parameters
    ----------
    evaluation
        How well it predicts.
    read
        What it was learned from.
    """
    out_of_bag, training = evaluation.out_of_bag, evaluation.training
    if out_of_bag is not None and (detail := _no_better(out_of_bag, training, _constant_accuracy(read))):
        yield ForestWarning(code="no_better_than_constant", detail=f"{detail}: {_WHAT_TO_DO}")


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
            f"the forest predicts {tenths(out_of_bag.accuracy)} of labels out of bag, which is no better than always "
            f"answering with the most frequent label ({tenths(constant_accuracy)}) but for chance, and "
            f"{tenths(training.accuracy)} of those that it was learned from"
        )
    if out_of_bag.r2 is None or training.r2 is None:
        return None
    if out_of_bag.r2 > 1 / np.sqrt(out_of_bag.n_examples) or training.r2 - out_of_bag.r2 < _GAP_OF_R2:
        return None
    return (
        f"the forest's R2 is {out_of_bag.r2:.2f} out of bag, which is no better than always predicting the mean (0) "
        f"but for chance, and {training.r2:.2f} on the examples that it was learned from"
    )
