"""Cautions: why figures may flatter, where the model has memorised the rows that they were measured on."""

from collections.abc import Sequence

_MEMORISED = 0.99  # share of labels that the model repeats
_MEMORISED_R2 = 0.95  # forests grown until leaves are pure, each tree on a sample of the rows, are not far above this

_FIGURES_FLATTER = (
    "where it was trained on the same rows, it may have memorised them, and what is measured on them here looks "
    "better than it would on other rows; name rows that it was not trained on as evaluation_dataset"
)

TYPICALITY_OF_MEMORISED_ROWS = (
    "prototypes were selected from these very rows: a model that was trained on them has memorised some, so they are "
    "nearer to prototypes than new rows, which look less typical for it; name rows that it was not trained on as "
    "evaluation_dataset"
)


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
