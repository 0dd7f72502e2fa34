"""Cautions: why figures may flatter, where the model has memorised the rows that they were measured on."""

from collections.abc import Sequence
from typing import Protocol

_HOLLOW = 0.1  # of the way from what a constant answer reaches to agreement in all rows
_MEMORISED = 0.99  # share of labels that the model repeats
_MEMORISED_R2 = 0.95  # forests grown until leaves are pure, each tree on a sample of the rows, are not far above this

_FIGURES_FLATTER = (
    "where it was trained on the same rows, it may have memorised them, and figures measured on them may be better "
    "than on other rows; name rows that it was not trained on as evaluation_dataset"
)

TYPICALITY_OF_MEMORISED_ROWS = (
    "prototypes were selected from these very rows: where the model was trained on them, they may be nearer to "
    "prototypes than new rows are, which then look less typical than they are; name rows that it was not trained on as "
    "evaluation_dataset"
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


def caution_of_agreement(measured: Agreement, constant: ConstantAgreement | None) -> str | None:
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
    alike = f"with each class counted alike, this agrees with the model in {balanced:.1%} of the rows"
    if of_constant < 1 and balanced - balanced_of_constant < _HOLLOW * (1 - balanced_of_constant):
        return f"{alike}, hardly more than {always} ({balanced_of_constant:.1%}): it says little of what the model does"
    if of_constant < 1 and agreement <= of_constant:
        return (
            f"this agrees with the model in {agreement:.1%} of the rows, no more than {always} ({of_constant:.1%}); "
            f"{alike} against {balanced_of_constant:.1%}"
        )
    return None


def joined_cautions(cautions: Sequence[str | None]) -> str | None:
    """Return cautions as sentences one after the other, without the last full stop; nothing if there are none."""
    found = [caution for caution in cautions if caution is not None]
    return ". ".join([*found[:1], *(each[0].upper() + each[1:] for each in found[1:])]) or None


def caution_of_labels(agreement: float, consequence: str) -> str | None:
    """Return a caution if a model repeats nearly all labels of some rows; nothing otherwise.

    Parameters
    ----------
    agreement
        Share of the labels that the model predicts, from 0 to 1.
    consequence
        The effect of that on the result, as the rest of the sentence.
    """
    return f"the model predicts {agreement:.1%} of these labels: {consequence}" if agreement >= _MEMORISED else None


def caution_of_figures(*, accuracy: float | None, r2: float | None) -> str | None:
    """Return a caution if figures were measured on rows that a model has memorised; nothing otherwise.

    Parameters
    ----------
    accuracy, r2
        How well the model itself predicts the target of the rows, which are those that the artefact was made from;
        ``None`` where that is not known.
    """
    if accuracy is not None:
        return caution_of_labels(accuracy, _FIGURES_FLATTER)
    if r2 is None or r2 < _MEMORISED_R2:
        return None
    return f"the model's values have an R2 of {r2:.3f} to these rows' own: {_FIGURES_FLATTER}"
