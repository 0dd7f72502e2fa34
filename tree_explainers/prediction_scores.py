"""Targets, how well predictions meet them, and the constants that predictions are compared with."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from .errors import InvalidInput


@dataclass(frozen=True, slots=True)
class Targets:
    """The class or the value of each row; made by ``of_classes`` or ``of_values``."""

    classes: NDArray[np.int64] | None  # (n_rows,) in 0 to n_classes - 1; None for regression
    n_classes: int  # 0 for regression
    values: NDArray[np.float64] | None  # (n_rows,) finite; None for classification

    @classmethod
    def of_classes(cls, classes: NDArray[np.int64], n_classes: int) -> "Targets":
        """Return the targets of a classification.

        Raises
        ------
        InvalidInput
            If a class is not in 0 to ``n_classes - 1``.
        """
        if len(classes) and not 0 <= classes.min() <= classes.max() < n_classes:
            msg = f"classes must be in 0 to {n_classes - 1}, got {classes.min()} to {classes.max()}"
            raise InvalidInput(msg)
        return cls(np.ascontiguousarray(classes, dtype=np.int64), n_classes, None)

    @classmethod
    def of_values(cls, values: NDArray[np.float64]) -> "Targets":
        """Return the targets of a regression.

        Raises
        ------
        InvalidInput
            If a value is not finite.
        """
        if not np.isfinite(values).all():
            msg = f"row {int(np.argmin(np.isfinite(values)))}: the value is not finite"
            raise InvalidInput(msg)
        return cls(None, 0, np.ascontiguousarray(values, dtype=np.float64))

    @property
    def classes_or_values(self) -> NDArray[np.int64] | NDArray[np.float64]:
        """The class or the value of each row, (n_rows,)."""
        targets = self.values if self.classes is None else self.classes
        assert targets is not None  # for the type checker: there is one of the two
        return targets

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.classes_or_values)

    @property
    def is_regression(self) -> bool:
        """Whether the targets are values."""
        return self.values is not None

    def take(self, rows: NDArray[np.int64]) -> "Targets":
        """Return the targets of the rows with these indices."""
        return Targets(
            None if self.classes is None else self.classes[rows],
            self.n_classes,
            None if self.values is None else self.values[rows],
        )


@dataclass(frozen=True, slots=True)
class PredictionScores:
    """Errors of predictions against targets and fidelity to the model; ``None`` where a measure is not defined."""

    error: float | None = None  # share of other classes
    balanced_error: float | None = None  # mean, over the classes that rows have, of the share of wrong predictions
    mean_squared_error: float | None = None
    r2: float | None = None  # None where all targets are equal
    fidelity: float | None = None  # share of rows with the model's class; for values r2 against the model's values
    balanced_fidelity: float | None = None  # mean, over the classes that the model predicts, of that share


def score_predictions(
    predicted: NDArray[np.int64] | NDArray[np.float64], targets: Targets | None, model: Targets
) -> PredictionScores:
    """Score predictions of some rows.

    Parameters
    ----------
    predicted : (n_rows,)
        Classes or values.
    targets
        True classes or values of the rows; ``None`` where they are not known: errors are then against the model.
    model
        The model's predictions for them.
    """
    truth = model if targets is None else targets
    if truth.values is not None and model.values is not None:
        mean_squared_error = float(np.mean((predicted - truth.values) ** 2))
        return PredictionScores(
            mean_squared_error=mean_squared_error,
            r2=r2_of(predicted, truth.values),
            fidelity=r2_of(predicted, model.values),
        )
    assert truth.classes is not None  # for the type checker: there are classes where no values are
    assert model.classes is not None  # likewise
    wrong, alike = predicted != truth.classes, predicted == model.classes
    return PredictionScores(
        error=float(wrong.mean()),
        balanced_error=balanced_share(wrong, truth.classes),
        fidelity=float(alike.mean()),
        balanced_fidelity=balanced_share(alike, model.classes),
    )


def score_constants(targets: Targets | None, model: Targets) -> PredictionScores:
    """Score constant predictions, the baseline of other scores.

    Each measure is that of the constant that is best at it: errors and r2 are those of ``constant_of`` the targets,
    fidelities those of ``constant_of`` the predictions of the model. Parameters are those of ``score_predictions``.
    """
    truth = model if targets is None else targets
    to_truth, to_model = (
        score_predictions(np.full(of.n_rows, constant_of(of)), targets, model) for of in (truth, model)
    )
    return replace(to_truth, fidelity=to_model.fidelity, balanced_fidelity=to_model.balanced_fidelity)


def constant_of(targets: Targets) -> int | float:
    """Return the class that most rows have (ties: the first), or the mean of the values."""
    if targets.values is not None:
        return constant_value(targets.values)
    assert targets.classes is not None  # for the type checker: there is one of the two
    return constant_class(targets.classes)


def r2_of(predicted: NDArray[np.int64] | NDArray[np.float64], values: NDArray[np.float64]) -> float | None:
    """Return the coefficient of determination, at most 1; None where all values are equal."""
    spread = float(((values - values.mean()) ** 2).sum())
    return 1 - float(((predicted - values) ** 2).sum()) / spread if spread > 0 else None


def balanced_share(holds: NDArray[np.bool_], classes: NDArray[np.int64]) -> float:
    """Return the mean, over the classes that rows have, of the share of their rows for which something holds.

    Parameters
    ----------
    holds : (n_rows,)
        Whether it holds; a row at least.
    classes : (n_rows,) int64
        Class of each row, 0 or more.
    """
    n_rows = np.bincount(classes)
    n_held = np.bincount(classes[holds], minlength=len(n_rows))
    return float((n_held[n_rows > 0] / n_rows[n_rows > 0]).mean())


def constant_class(classes: NDArray[np.int64]) -> int:
    """Return the class that most rows have (ties: the first): no other constant is right more often."""
    return int(np.bincount(classes).argmax())


def constant_value(values: NDArray[np.float64]) -> float:
    """Return the mean, which no other constant beats by squared errors."""
    return float(values.mean())
