"""How good rules are: of each rule its coverage and precision, of predictions their errors and their fidelity."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..scoring import balanced_share, constant_class, constant_value
from .rule_lists import RuleList, first_firing
from .targets import Targets


@dataclass(frozen=True, slots=True)
class MeasuresOfEach:
    """Of each rule, the default left out; shares of no rows are NaN."""

    n_covered: NDArray[np.int64]  # (n_rules,) rows for which its conditions hold
    coverage: NDArray[np.float64]  # (n_rules,) share of all rows
    support: NDArray[np.int64]  # (n_rules,) rows that it decides: no rule before it covers them
    precision: NDArray[np.float64]  # (n_rules,) share of the covered rows that are of its class; NaN for values


@dataclass(frozen=True, slots=True)
class MeasuresOfAll:
    """Of the rules together."""

    coverage: float  # share of rows that some rule covers
    mean_rules_per_row: float  # how many rules cover a row, the default left out: table 3 of the paper


@dataclass(frozen=True, slots=True)
class PredictionScores:
    """How far predictions are from targets, and from what the model says; ``None`` where it has no meaning."""

    error: float | None = None  # share of other classes
    balanced_error: float | None = None  # mean over the classes that rows have of their share of other predictions
    mse: float | None = None
    r2: float | None = None  # None where all targets are alike
    fidelity: float | None = None  # share of rows with the model's class; for values r2 to the model's values
    balanced_fidelity: float | None = None  # mean over the classes that the model gives of that share of their rows


def measure_each(rules: RuleList, fires: NDArray[np.bool_], targets: Targets) -> MeasuresOfEach:
    """Measure each rule.

    Parameters
    ----------
    rules
        What each rule predicts.
    fires : (n_rows, n_rules)
        Which rules cover each row.
    targets
        Of the same rows.
    """
    n_covered = fires.sum(axis=0)
    support = np.bincount(first_firing(fires), minlength=rules.n_rules + 1)[:-1]
    right = np.full(rules.n_rules, np.nan)
    if targets.classes is not None:
        right = (fires & (targets.classes[:, None] == rules.predictions[:-1])).sum(axis=0).astype(np.float64)
    return MeasuresOfEach(n_covered, _share(n_covered, len(fires)), support, _share(right, n_covered))


def measure_all(fires: NDArray[np.bool_]) -> MeasuresOfAll:
    """Measure the rules together; ``fires`` is (n_rows, n_rules), with a row at least."""
    return MeasuresOfAll(float(fires.any(axis=1).mean()), float(fires.sum(axis=1).mean()))


def score_predictions(
    predicted: NDArray[np.int64] | NDArray[np.float64], targets: Targets | None, model: Targets
) -> PredictionScores:
    """Score predictions of some rows.

    Parameters
    ----------
    predicted : (n_rows,)
        Classes or values.
    targets
        What is true of the rows; ``None`` where that is not known: errors compare with the model then.
    model
        What the model says of them.
    """
    truth = model if targets is None else targets
    if truth.values is not None and model.values is not None:
        mse = float(np.mean((predicted - truth.values) ** 2))
        return PredictionScores(mse=mse, r2=_r2(predicted, truth.values), fidelity=_r2(predicted, model.values))
    assert truth.classes is not None  # noqa: S101  # for the type checker: there are classes where no values are
    assert model.classes is not None  # noqa: S101  # likewise
    wrong, alike = predicted != truth.classes, predicted == model.classes
    return PredictionScores(
        error=float(wrong.mean()),
        balanced_error=balanced_share(wrong, truth.classes),
        fidelity=float(alike.mean()),
        balanced_fidelity=balanced_share(alike, model.classes),
    )


def score_constants(targets: Targets | None, model: Targets) -> PredictionScores:
    """Score what is always the same prediction, beside which other scores are to be read.

    Each measure is that of the constant that is best at it: errors, mse and r2 are those of ``constant_of`` what is
    true of the rows, fidelities those of ``constant_of`` what the model says. Parameters are those of
    ``score_predictions``.
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
    assert targets.classes is not None  # noqa: S101  # for the type checker: there is one of the two
    return constant_class(targets.classes)


def _r2(predicted: NDArray[np.int64] | NDArray[np.float64], values: NDArray[np.float64]) -> float | None:
    spread = float(((values - values.mean()) ** 2).sum())
    return 1 - float(((predicted - values) ** 2).sum()) / spread if spread > 0 else None


def _share(part: NDArray[np.int64] | NDArray[np.float64], whole: NDArray[np.int64] | int) -> NDArray[np.float64]:
    """Divide; NaN where the whole is 0."""
    quotients = np.full(part.shape, np.nan)
    np.divide(part, whole, out=quotients, where=np.broadcast_to(np.asarray(whole) > 0, part.shape))
    return quotients
